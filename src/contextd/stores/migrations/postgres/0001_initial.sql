-- The tables of all organisations. Each row belongs to one: every key begins with `org`, each organisation has
-- a partition of its own, and row-level security shows only the rows of `app.org`, which each transaction sets.

CREATE DOMAIN words AS text COLLATE "C";
CREATE SEQUENCE numbers;

CREATE TABLE organisations (
    org        int PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name       words NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION this_org() RETURNS int LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT nullif(current_setting('app.org', true), '')::int $$;

-- Functions that SQLite has (postgres_dialect.py).
-- PostgreSQL has no NUL in text: it is escaped in the bodies, and read here as
-- it is written elsewhere (`postgres_dialect.py`).
CREATE FUNCTION jsonb_of(body text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT replace(body, '\u0000', '\uf8f00')::jsonb $$;
CREATE FUNCTION json_each(body text) RETURNS TABLE (key bigint, value text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT ordinality, value FROM jsonb_array_elements_text(contextd.jsonb_of(body)) WITH ORDINALITY $$;
CREATE FUNCTION json_found(body text, path text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT jsonb_path_query_first(contextd.jsonb_of(body), ('strict ' || path)::jsonpath, '{}', true) $$;
CREATE FUNCTION json_kind(found jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE jsonb_typeof(found) WHEN 'string' THEN 'text' WHEN 'boolean' THEN found::text
        WHEN 'number' THEN CASE WHEN found::text ~ '[.eE]' THEN 'real' ELSE 'integer' END
        ELSE jsonb_typeof(found) END $$;
CREATE FUNCTION json_type(body text, path text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT contextd.json_kind(contextd.json_found(body, path)) $$;
CREATE FUNCTION json_extract(body text, path text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT contextd.json_found(body, path) #>> '{}' $$;
CREATE FUNCTION json_number(body text, path text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN jsonb_typeof(contextd.json_found(body, path)) = 'number'
        THEN (contextd.json_found(body, path) #>> '{}')::numeric END $$;
CREATE FUNCTION json_each(body text, path text) RETURNS TABLE (type text, atom text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT contextd.json_kind(one), one #>> '{}' FROM (SELECT contextd.json_found(body, path) AS found) asked,
        LATERAL jsonb_array_elements(CASE jsonb_typeof(found) WHEN 'array' THEN found
            WHEN 'object' THEN coalesce((SELECT jsonb_agg(value) FROM jsonb_each(found)), '[]')
            ELSE CASE WHEN found IS NULL THEN '[]' ELSE jsonb_build_array(found) END END) one $$;
CREATE FUNCTION json_atom(atom text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE atom WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE atom::numeric END $$;

CREATE TABLE projects (
    org        int NOT NULL DEFAULT this_org(),
    identity   words NOT NULL,
    scope      words NOT NULL,
    name       words NOT NULL,
    roots      words NOT NULL,
    aliases    words NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (org, identity),
    UNIQUE (org, scope)
) PARTITION BY LIST (org);

CREATE TABLE records (
    org          int NOT NULL DEFAULT this_org(),
    no           bigint NOT NULL DEFAULT nextval('numbers'),
    scope        words NOT NULL,
    id           words NOT NULL,
    version      bigint NOT NULL,
    kind         words NOT NULL,
    status       words NOT NULL,
    session      words NOT NULL,
    confidence   double precision NOT NULL,
    usage_count  bigint NOT NULL,
    last_used_at bigint,
    valid_from   bigint,
    valid_to     bigint,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL,
    content_hash words NOT NULL,
    body         words NOT NULL,
    context_type words,
    reports      bigint,
    trust        words,
    source       words,
    PRIMARY KEY (org, scope, id),
    UNIQUE (org, no)
) PARTITION BY LIST (org);
CREATE INDEX records_listed ON records (org, scope, kind, status, created_at, id);
CREATE INDEX records_newest ON records (org, scope, created_at, id);
CREATE INDEX records_named ON records (org, id);
CREATE INDEX records_of_session ON records (org, scope, session) WHERE session <> '';
CREATE INDEX records_stalest ON records (org, scope, status, updated_at, id);
CREATE INDEX records_used ON records (org, scope, usage_count DESC, id) WHERE usage_count >= 5;
CREATE INDEX records_rated ON records (org, scope, reports DESC, id) WHERE reports > 0;
CREATE INDEX records_typed ON records (org, json_extract(body, '$.data.contextType'), scope)
    WHERE json_extract(body, '$.data.contextType') IS NOT NULL;
CREATE INDEX records_in_bubble ON records (org, json_extract(body, '$.data.bubbleId'), scope)
    WHERE json_extract(body, '$.data.bubbleId') IS NOT NULL;
CREATE INDEX records_said ON records (org, scope, content_hash)
    WHERE status IN ('active', 'candidate', 'inbox');

-- Columns of the body. Generated columns took a fifth of the CPU of a commit: their expressions are planned again for each
-- statement, those of a trigger once for each connection, and this reads the body once.
CREATE FUNCTION keep_columns() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE found jsonb := contextd.jsonb_of(new.body);
BEGIN
    new.context_type := CASE WHEN jsonb_typeof(found #> '{data,contextType}') = 'string'
        THEN found #>> '{data,contextType}' ELSE '' END;
    new.reports := CASE WHEN jsonb_typeof(found -> 'helpful') = 'number' AND jsonb_typeof(found -> 'unhelpful') = 'number'
        THEN ((found ->> 'helpful')::numeric + (found ->> 'unhelpful')::numeric)::bigint END;
    new.trust := found ->> 'trust';
    new.source := coalesce(nullif(found #>> '{source,0}', ''), nullif(found #>> '{source,1}', ''),
        nullif(found #>> '{source,2}', ''), 'unknown');
    RETURN new;
END $$;
CREATE TRIGGER records_columns BEFORE INSERT OR UPDATE OF body ON records
    FOR EACH ROW EXECUTE FUNCTION keep_columns();

CREATE TABLE record_tags (
    org    int NOT NULL DEFAULT this_org(),
    tag    words NOT NULL,
    record bigint NOT NULL,
    PRIMARY KEY (org, tag, record)
) PARTITION BY LIST (org);
CREATE FUNCTION keep_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM contextd.record_tags WHERE org = old.org AND record = old.no
            AND tag IN (SELECT atom FROM contextd.json_each(old.body, '$.tags'));
    END IF;
    IF TG_OP <> 'DELETE' AND contextd.jsonb_of(new.body) -> 'tags' <> '[]' THEN
        INSERT INTO contextd.record_tags (org, tag, record)
            SELECT DISTINCT new.org, atom, new.no FROM contextd.json_each(new.body, '$.tags');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER records_tagged AFTER INSERT OR UPDATE OF body OR DELETE ON records
    FOR EACH ROW EXECUTE FUNCTION keep_tags();

CREATE TABLE changes (
    org       int NOT NULL DEFAULT this_org(),
    scope     words NOT NULL,
    record_id words NOT NULL,
    seq       bigint NOT NULL,
    kind      words NOT NULL,
    at        bigint NOT NULL,
    actor     words NOT NULL,
    action    words NOT NULL,
    reason    words NOT NULL,
    before    bytea,
    after     bytea,
    undoes    bigint,
    PRIMARY KEY (org, scope, record_id, seq)
) PARTITION BY LIST (org);
CREATE UNIQUE INDEX changes_undone ON changes (org, scope, record_id, undoes) WHERE undoes IS NOT NULL;
CREATE INDEX changes_of ON changes (org, record_id);
CREATE INDEX changes_aged ON changes (org, at);

CREATE TABLE sessions (
    org          int NOT NULL DEFAULT this_org(),
    no           bigint NOT NULL DEFAULT nextval('numbers'),
    scope        words NOT NULL,
    id           words NOT NULL,
    client       words NOT NULL,
    external_id  words NOT NULL,
    status       words NOT NULL,
    ended        bigint NOT NULL,
    started_at   bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    events       bigint NOT NULL DEFAULT 0,
    dropped      bigint NOT NULL DEFAULT 0,
    body         words NOT NULL,
    PRIMARY KEY (org, scope, id),
    UNIQUE (org, no)
) PARTITION BY LIST (org);
CREATE INDEX sessions_named ON sessions (org, id);
CREATE INDEX sessions_listed ON sessions (org, scope, started_at, id);
CREATE INDEX sessions_external ON sessions (org, client, external_id);
CREATE INDEX sessions_seen ON sessions (org, status, ended, last_seen_at);

CREATE TABLE events (
    org     int NOT NULL DEFAULT this_org(),
    session bigint NOT NULL,
    seq     bigint NOT NULL,
    key     words NOT NULL,
    type    words NOT NULL,
    body    bytea NOT NULL,
    PRIMARY KEY (org, session, seq),
    UNIQUE (org, session, key)
) PARTITION BY LIST (org);

CREATE TABLE context_items (
    org      int NOT NULL DEFAULT this_org(),
    session  bigint NOT NULL,
    type     words NOT NULL,
    source   words NOT NULL,
    tokens   bigint NOT NULL CHECK (tokens >= 0),
    count    bigint NOT NULL CHECK (count >= 0),
    first_at bigint NOT NULL,
    last_at  bigint NOT NULL,
    score    double precision NOT NULL CHECK (score BETWEEN 0 AND 1),
    status   words NOT NULL,
    reason   words NOT NULL,
    PRIMARY KEY (org, session, type, source)
) PARTITION BY LIST (org);

CREATE TABLE handed_out (
    org     int NOT NULL DEFAULT this_org(),
    scope   words NOT NULL,
    session words NOT NULL,
    digest  words NOT NULL,
    at      bigint NOT NULL,
    PRIMARY KEY (org, scope, session, digest)
) PARTITION BY LIST (org);
CREATE INDEX handed_out_aged ON handed_out (org, at);

-- Which session a connection's calls belong to. `digest` is of the connection's name.
CREATE TABLE seats (
    org     int NOT NULL DEFAULT this_org(),
    scope   words NOT NULL,
    digest  words NOT NULL,
    session words NOT NULL,
    at      bigint NOT NULL,
    PRIMARY KEY (org, scope, digest)
) PARTITION BY LIST (org);
CREATE INDEX seats_aged ON seats (org, at);

CREATE TABLE contradictions (
    org       int NOT NULL DEFAULT this_org(),
    a_scope   words NOT NULL,
    a         words NOT NULL,
    b_scope   words NOT NULL,
    b         words NOT NULL,
    kind      words NOT NULL,
    reason    words NOT NULL,
    found_at  bigint NOT NULL,
    dismissed bigint NOT NULL DEFAULT 0,
    note      words NOT NULL DEFAULT '',
    PRIMARY KEY (org, a_scope, a, b_scope, b),
    CHECK (a <= b)
) PARTITION BY LIST (org);
CREATE INDEX contradictions_of ON contradictions (org, b_scope, b);

CREATE TABLE jobs (
    org          int NOT NULL DEFAULT this_org(),
    seq          bigint NOT NULL DEFAULT nextval('numbers'),
    id           words NOT NULL,
    scope        words NOT NULL,
    name         words NOT NULL,
    arguments    words NOT NULL,
    state        words NOT NULL CHECK (state IN ('ready', 'running', 'done', 'failed')),
    lane         words NOT NULL,
    priority     bigint NOT NULL,
    place        words NOT NULL,
    unique_key   words NOT NULL,
    attempts     bigint NOT NULL DEFAULT 0,
    max_attempts bigint NOT NULL,
    run_at       bigint NOT NULL,
    checkpoint   words NOT NULL DEFAULT '{}',
    error        words NOT NULL DEFAULT '',
    result       words NOT NULL DEFAULT '{}',
    created_at   bigint NOT NULL,
    finished_at  bigint,
    worker       words NOT NULL DEFAULT '',
    lease_until  bigint,
    PRIMARY KEY (org, id)
) PARTITION BY LIST (org);
CREATE INDEX jobs_ready ON jobs (org, lane, priority DESC, run_at, seq) WHERE state = 'ready';
CREATE INDEX jobs_running ON jobs (org, lane, lease_until) WHERE state = 'running';
CREATE UNIQUE INDEX jobs_waiting ON jobs (org, scope, unique_key)
    WHERE state = 'ready' AND unique_key <> '';
CREATE INDEX jobs_of_scope ON jobs (org, scope, seq);
CREATE INDEX jobs_finished ON jobs (org, finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE schedules (
    org    int NOT NULL DEFAULT this_org(),
    scope  words NOT NULL,
    job    words NOT NULL,
    due_at bigint NOT NULL,
    every  bigint,
    PRIMARY KEY (org, scope, job)
) PARTITION BY LIST (org);

-- What replicas share: values by name, such as the redaction key, and the machines that are running.
CREATE TABLE shared_values (
    org   int NOT NULL DEFAULT this_org(),
    name  words NOT NULL,
    value words NOT NULL,
    PRIMARY KEY (org, name)
) PARTITION BY LIST (org);

CREATE TABLE places (
    org     int NOT NULL DEFAULT this_org(),
    place   words NOT NULL,
    seen_at bigint NOT NULL,
    PRIMARY KEY (org, place)
) PARTITION BY LIST (org);

CREATE TABLE calls (
    org    int NOT NULL DEFAULT this_org(),
    owner  words NOT NULL,
    key    words NOT NULL,
    at     bigint NOT NULL,
    answer words NOT NULL DEFAULT '',
    PRIMARY KEY (org, owner, key)
) PARTITION BY LIST (org);
CREATE INDEX calls_aged ON calls (org, at);

CREATE TABLE observations (
    org        int NOT NULL DEFAULT this_org(),
    seq        bigint NOT NULL DEFAULT nextval('numbers'),
    at         bigint NOT NULL,
    action     words NOT NULL,
    operation  words NOT NULL,
    type       words NOT NULL,
    record_ids words NOT NULL,
    query      words NOT NULL,
    agent      words NOT NULL,
    scope      words NOT NULL DEFAULT '',
    PRIMARY KEY (org, scope, seq)
) PARTITION BY LIST (org);

CREATE TABLE observation_scopes (
    org           int NOT NULL DEFAULT this_org(),
    scope         words NOT NULL,
    reads         bigint NOT NULL,
    writes        bigint NOT NULL,
    misses        bigint NOT NULL,
    last_activity bigint,
    logged        bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (org, scope)
) PARTITION BY LIST (org);

CREATE TABLE observation_types (
    org     int NOT NULL DEFAULT this_org(),
    scope   words NOT NULL,
    counted words NOT NULL,
    type    words NOT NULL,
    count   bigint NOT NULL,
    PRIMARY KEY (org, scope, counted, type)
) PARTITION BY LIST (org);

CREATE TABLE missed_queries (
    org    int NOT NULL DEFAULT this_org(),
    scope  words NOT NULL,
    query  words NOT NULL,
    count  bigint NOT NULL,
    latest bigint NOT NULL,
    PRIMARY KEY (org, scope, query)
) PARTITION BY LIST (org);

CREATE TABLE originals (
    org    int NOT NULL DEFAULT this_org(),
    no     bigint NOT NULL DEFAULT nextval('numbers'),
    scope  words NOT NULL,
    id     words NOT NULL,
    about  words NOT NULL,
    tokens bigint NOT NULL CHECK (tokens >= 0),
    at     bigint NOT NULL,
    body   bytea NOT NULL,
    PRIMARY KEY (org, scope, id)
) PARTITION BY LIST (org);
CREATE INDEX originals_by_age ON originals (org, at);

-- Derived: the index. A part is a family of documents of one scope; the row lock on its clock puts the changes
-- of a part in the order of their commits, so that a replica that reads up to a clock has missed none.
CREATE TABLE parts (
    org    int NOT NULL DEFAULT this_org(),
    no     bigint NOT NULL DEFAULT nextval('numbers'),
    scope  words NOT NULL,
    family words NOT NULL CHECK (family IN ('records', 'messages', 'code')),
    clock  bigint NOT NULL DEFAULT 0,
    floor  bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (org, scope, family),
    UNIQUE (org, no)
) PARTITION BY LIST (org);

-- A document whose words change gets a new number: packed postings are never changed, only packed again.
CREATE TABLE docs (
    org        int NOT NULL DEFAULT this_org(),
    no         bigint NOT NULL DEFAULT nextval('numbers'),
    part       bigint NOT NULL,
    id         words NOT NULL,
    kind       words NOT NULL,
    status     words NOT NULL,
    confidence double precision NOT NULL,
    valid_from bigint,
    valid_to   bigint,
    digest     words NOT NULL,
    terms      words NOT NULL,
    seq        bigint NOT NULL,
    length     bigint NOT NULL DEFAULT 0,
    packed     boolean NOT NULL DEFAULT false,
    PRIMARY KEY (org, part, id),
    UNIQUE (org, no)
) PARTITION BY LIST (org);
CREATE INDEX docs_by_digest ON docs (org, part, digest);
CREATE INDEX docs_by_seq ON docs (org, part, seq);
CREATE INDEX docs_loose ON docs (org, part, no) WHERE NOT packed;

-- The words of documents that are not packed yet: how often each stands in the text and in the `near` text. A
-- facet is the term `=TOKEN`.
CREATE TABLE loose_postings (
    org   int NOT NULL DEFAULT this_org(),
    part  bigint NOT NULL,
    term  words NOT NULL,
    doc   bigint NOT NULL,
    times int NOT NULL,
    nears int NOT NULL,
    PRIMARY KEY (org, part, term, doc)
) PARTITION BY LIST (org);
CREATE INDEX loose_postings_of ON loose_postings (org, part, doc);

CREATE TABLE packed_postings (
    org      int NOT NULL DEFAULT this_org(),
    part     bigint NOT NULL,
    term     words NOT NULL,
    postings bytea NOT NULL,
    PRIMARY KEY (org, part, term)
) PARTITION BY LIST (org);

CREATE TABLE vectors (
    org    int NOT NULL DEFAULT this_org(),
    part   bigint NOT NULL,
    digest words NOT NULL,
    model  words NOT NULL,
    seq    bigint NOT NULL,
    vector bytea NOT NULL,
    PRIMARY KEY (org, part, digest, model)
) PARTITION BY LIST (org);
CREATE INDEX vectors_by_seq ON vectors (org, part, model, seq);

CREATE TABLE forgotten (
    org  int NOT NULL DEFAULT this_org(),
    part bigint NOT NULL,
    seq  bigint NOT NULL,
    doc  bigint NOT NULL,
    PRIMARY KEY (org, part, seq)
) PARTITION BY LIST (org);

CREATE VIEW doc_counts WITH (security_invoker = true) AS
    SELECT org, part, 'kind' AS field, kind AS value, count(*) AS count FROM docs GROUP BY org, part, kind;

-- Until autovacuum has counted the rows of new partitions, the planner takes each part for one row and joins by comparing all
-- with all: four seconds for 2,000 vectors. Called when a part has doubled.
CREATE FUNCTION count_rows() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE own text := contextd.this_org()::text;
BEGIN
    EXECUTE 'ANALYZE contextd.docs_' || own || ', contextd.vectors_' || own;
END $$;

-- When organisations may have due work, for a process that looks at all of them: one short index scan instead of a
-- look into the partitions of each. Every job and schedule adds a row, so that no writer waits for another here. No role
-- is granted anything: functions that run as their owner write it.
CREATE TABLE due (
    org   int NOT NULL,
    place words NOT NULL,
    at    bigint NOT NULL
);
CREATE INDEX due_first ON due (place, at, org);
CREATE INDEX due_of ON due (org, place);

CREATE FUNCTION note_job() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO contextd.due VALUES (new.org, new.place, new.run_at);
    RETURN NULL;
END $$;
CREATE TRIGGER jobs_due AFTER INSERT OR UPDATE OF state, place, run_at ON jobs
    FOR EACH ROW WHEN (new.state = 'ready') EXECUTE FUNCTION note_job();

CREATE FUNCTION note_schedule() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO contextd.due VALUES (new.org, '', new.due_at);
    RETURN NULL;
END $$;
CREATE TRIGGER schedules_due AFTER INSERT OR UPDATE OF due_at ON schedules
    FOR EACH ROW EXECUTE FUNCTION note_schedule();

-- The organisations with work due at a place, due longest first. They are due again after a while, in case that the
-- process which took them dies.
CREATE FUNCTION take_due(asker text, until bigint, again bigint, most int) RETURNS TABLE (name text)
    LANGUAGE sql AS $$
    WITH first AS MATERIALIZED (
        SELECT org FROM contextd.due WHERE place IN ('', asker) AND at <= until GROUP BY org ORDER BY min(at) LIMIT most
    ), found AS MATERIALIZED (
        SELECT ctid FROM contextd.due WHERE org IN (SELECT org FROM first) AND place IN ('', asker) AND at <= until
        FOR UPDATE SKIP LOCKED
    ), taken AS (
        DELETE FROM contextd.due WHERE ctid = ANY (ARRAY(SELECT ctid FROM found)) RETURNING due.org, due.place
    ), later AS (
        INSERT INTO contextd.due SELECT DISTINCT org, place, again FROM taken RETURNING org
    )
    SELECT DISTINCT organisations.name::text FROM later JOIN contextd.organisations USING (org) $$;

-- Drops what is noted for this organisation and a place: its caller then reads when the next work is due, which sees every
-- job whose note was dropped.
CREATE FUNCTION forget_due(asker text) RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
    DELETE FROM contextd.due WHERE ctid = ANY (ARRAY(SELECT ctid FROM contextd.due
        WHERE org = contextd.this_org() AND place IN ('', asker) FOR UPDATE SKIP LOCKED)) $$;

CREATE FUNCTION note_due(asker text, at bigint) RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
    INSERT INTO contextd.due VALUES (contextd.this_org(), asker, at) $$;

-- Everything that holds rows of organisations, behind row-level security.
DO $$
DECLARE one record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'contextd_app') THEN
        BEGIN
            CREATE ROLE contextd_app NOLOGIN NOBYPASSRLS;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;  -- The migration of another database of this server made it meanwhile.
        END;
    END IF;
    FOR one IN SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = 'contextd'::regnamespace LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one.relname);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', one.relname);
        EXECUTE format('CREATE POLICY of_org ON %I USING (org = this_org()) WITH CHECK (org = this_org())',
            one.relname);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO contextd_app', one.relname);
    END LOOP;
END $$;
GRANT USAGE ON SCHEMA contextd TO contextd_app;
GRANT USAGE ON SEQUENCE numbers TO contextd_app;
GRANT SELECT ON doc_counts TO contextd_app;

-- The number of an organisation; a new one gets its partitions. `LIKE` and `ATTACH` do not block readers of others.
CREATE FUNCTION open_organisation(wanted text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE found int; one record; part text;
BEGIN
    SELECT org INTO found FROM contextd.organisations WHERE name = wanted;
    IF found IS NOT NULL THEN RETURN found; END IF;
    PERFORM pg_advisory_xact_lock(hashtext('contextd.organisations'));
    SELECT org INTO found FROM contextd.organisations WHERE name = wanted;
    IF found IS NOT NULL THEN RETURN found; END IF;
    INSERT INTO contextd.organisations (name) VALUES (wanted) RETURNING org INTO found;
    FOR one IN SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = 'contextd'::regnamespace
    LOOP
        part := one.relname || '_' || found;
        EXECUTE format('CREATE TABLE contextd.%I (LIKE contextd.%I INCLUDING ALL)', part, one.relname);
        EXECUTE format('ALTER TABLE contextd.%I ATTACH PARTITION contextd.%I FOR VALUES IN (%s)',
            one.relname, part, found);
    END LOOP;
    RETURN found;
END $$;

-- Dropping partitions removes their files, which deleting rows does not.
CREATE FUNCTION drop_organisation(wanted text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE found int; one record;
BEGIN
    SELECT org INTO found FROM contextd.organisations WHERE name = wanted FOR UPDATE;
    IF found IS NULL THEN RETURN false; END IF;
    FOR one IN SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = 'contextd'::regnamespace
    LOOP
        EXECUTE format('DROP TABLE contextd.%I', one.relname || '_' || found);
    END LOOP;
    DELETE FROM contextd.due WHERE org = found;
    DELETE FROM contextd.organisations WHERE org = found;
    RETURN true;
END $$;
