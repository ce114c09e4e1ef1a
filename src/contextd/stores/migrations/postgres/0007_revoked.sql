-- Tokens of an issuer that were revoked before they expire, by their `jti`.
CREATE TABLE revoked (
    org   int NOT NULL DEFAULT this_org(),
    id    words NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (org, id)
) PARTITION BY LIST (org);
ALTER TABLE revoked ENABLE ROW LEVEL SECURITY;
ALTER TABLE revoked FORCE ROW LEVEL SECURITY;
CREATE POLICY of_org ON revoked USING (org = this_org()) WITH CHECK (org = this_org());
GRANT SELECT, INSERT, UPDATE, DELETE ON revoked TO contextd_app;
DO $$
DECLARE found int;
BEGIN
    FOR found IN SELECT org FROM organisations LOOP
        EXECUTE format('CREATE TABLE %I (LIKE revoked INCLUDING ALL)', 'revoked_' || found);
        EXECUTE format('ALTER TABLE revoked ATTACH PARTITION %I FOR VALUES IN (%s)', 'revoked_' || found, found);
    END LOOP;
END $$;

-- Whether a token of the issuer may come in: its organisation exists, and it was not revoked.
CREATE FUNCTION admits(organisation text, token text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE found int; ended boolean;
BEGIN
    SELECT org INTO found FROM contextd.organisations WHERE name = organisation;
    IF found IS NULL THEN RETURN false; END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM contextd.%I WHERE org = %s AND id = $1)', 'revoked_' || found, found)
        INTO ended USING token;
    RETURN NOT ended;
END $$;
REVOKE EXECUTE ON FUNCTION admits(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION admits(text, text) TO contextd_replica;
