-- Who may call a server in an organisation: its members, their roles in scopes, and what they sign in with. A member's `id`
-- stands in histories and says nothing about the person, so that erasing the name leaves the histories whole.
CREATE TABLE members (
    org        int NOT NULL DEFAULT this_org(),
    id         words NOT NULL,
    name       words NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (org, id),
    UNIQUE (org, name)
) PARTITION BY LIST (org);

CREATE TABLE assignments (
    org    int NOT NULL DEFAULT this_org(),
    member words NOT NULL,
    scope  words NOT NULL,
    role   words NOT NULL,
    PRIMARY KEY (org, member, scope, role)
) PARTITION BY LIST (org);

-- A token signs its member in until it expires; a code (`once`) is exchanged for one token. Only digests are stored. `limits`
-- are the scopes that it reaches, all of its member's without one.
CREATE TABLE tokens (
    org        int NOT NULL DEFAULT this_org(),
    id         words NOT NULL,
    member     words NOT NULL,
    label      words NOT NULL,
    digest     words NOT NULL,
    once       boolean NOT NULL,
    limits     words NOT NULL,
    reads_only boolean NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    revoked_at bigint,
    PRIMARY KEY (org, id),
    UNIQUE (org, digest)
) PARTITION BY LIST (org);
CREATE INDEX tokens_of ON tokens (org, member);

DO $$
DECLARE table_name text; found int;
BEGIN
    FOREACH table_name IN ARRAY ARRAY['members', 'assignments', 'tokens'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', table_name);
        EXECUTE format('CREATE POLICY of_org ON %I USING (org = this_org()) WITH CHECK (org = this_org())', table_name);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO contextd_app', table_name);
        FOR found IN SELECT org FROM organisations LOOP
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', table_name || '_' || found, table_name);
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES IN (%s)', table_name,
                table_name || '_' || found, found);
        END LOOP;
    END LOOP;
END $$;

-- What a server asks before it knows who calls: whom a token that is valid now signs in, and with which roles. One round trip,
-- and the same for an organisation that does not exist.
CREATE FUNCTION signed_in(organisation text, given text)
    RETURNS TABLE (member text, limits text, reads_only boolean, roles text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE found int;
BEGIN
    SELECT org INTO found FROM contextd.organisations WHERE name = organisation;
    IF found IS NULL THEN RETURN; END IF;
    RETURN QUERY EXECUTE format($find$
        SELECT token.member::text, token.limits::text, token.reads_only, coalesce((
            SELECT json_agg(json_build_array(scope, role) ORDER BY scope, role)::text FROM contextd.%1$I
            WHERE org = %4$s AND member = token.member), '[]')
        FROM contextd.%2$I token JOIN contextd.%3$I member ON member.org = token.org AND member.id = token.member
        WHERE token.org = %4$s AND token.digest = $1 AND NOT token.once AND token.revoked_at IS NULL
            AND token.expires_at > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $find$,
        'assignments_' || found, 'tokens_' || found, 'members_' || found, found) USING given;
END $$;

CREATE FUNCTION has_organisation(wanted text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM contextd.organisations WHERE name = wanted) $$;

REVOKE EXECUTE ON FUNCTION signed_in(text, text), has_organisation(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION signed_in(text, text), has_organisation(text) TO contextd_replica;
