-- A replica connects as a user with the role contextd_replica, which owns nothing: what makes partitions and what looks at
-- all organisations runs as the owner of the tables. Until now only the owner could open an organisation. A call runs as
-- contextd_app, which may do neither.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'contextd_replica') THEN
        BEGIN
            CREATE ROLE contextd_replica NOLOGIN NOBYPASSRLS IN ROLE contextd_app;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;  -- The migration of another database of this server made it meanwhile.
        END;
    END IF;
    -- Who migrates may use the tables too: its calls become contextd_app. A superuser may become anybody.
    IF NOT pg_has_role(current_user, 'contextd_app', 'USAGE') THEN
        BEGIN
            EXECUTE format('GRANT contextd_replica TO %I', current_user);
        EXCEPTION WHEN insufficient_privilege THEN
            NULL;  -- Another user made the role; the first call says what to grant.
        END;
    END IF;
END $$;
ALTER FUNCTION open_organisation(text) SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION take_due(text, bigint, bigint, int) SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
REVOKE EXECUTE ON FUNCTION open_organisation(text), take_due(text, bigint, bigint, int), drop_organisation(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_organisation(text), take_due(text, bigint, bigint, int) TO contextd_replica;
GRANT SELECT ON schema TO contextd_replica;
