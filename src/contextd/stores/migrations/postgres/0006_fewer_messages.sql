-- What each call does, as functions: a statement in a function is planned once for each connection, and several of them are
-- one message. They run as their caller, so row-level security holds in them too. Only inserts are planned without the
-- organisation: they reach one partition, where the plan of a read would lock the partitions of all organisations.

-- Settings of this transaction. The result changes once the database may have been restored.
CREATE FUNCTION begin_call(org int, statement float8, lock float8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE incarnation text;
BEGIN
    SELECT concat_ws(' ', extract(epoch FROM pg_catalog.pg_postmaster_start_time()),
        pg_catalog.to_regclass('contextd.organisations')::oid, oid) INTO incarnation
        FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database();
    PERFORM set_config('app.org', org::text, true), set_config('search_path', 'contextd, pg_catalog', true),
        set_config('statement_timeout', statement || 's', true), set_config('lock_timeout', lock || 's', true),
        set_config('idle_in_transaction_session_timeout', '60s', true), set_config('role', 'contextd_app', true);
    RETURN incarnation;
END $$;

CREATE FUNCTION take_locks(org int, names text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE one int;
BEGIN
    FOR one IN SELECT DISTINCT hashtext(name) FROM unnest(names) name ORDER BY 1 LOOP
        PERFORM pg_advisory_xact_lock(org, one);
    END LOOP;
END $$;

-- The words of a document that is not packed yet: term, times, nears, term, … A row for each word cost as much as all else
-- of a commit.
ALTER TABLE docs ADD COLUMN words words NOT NULL DEFAULT '';
DO $$
DECLARE one record;
BEGIN
    FOR one IN SELECT org FROM organisations LOOP
        PERFORM set_config('app.org', one.org::text, true);
        UPDATE docs SET words = found.words FROM (
            SELECT part, doc, string_agg(term || ' ' || times || ' ' || nears, ' ') AS words FROM loose_postings
            WHERE org = one.org GROUP BY part, doc) found
        WHERE docs.org = one.org AND docs.part = found.part AND docs.no = found.doc AND NOT docs.packed;
    END LOOP;
    PERFORM set_config('app.org', '', true);
END $$;
DROP TABLE loose_postings;

-- A record that is present with the same content.
CREATE FUNCTION same_content(of_scope text, hash text, but text) RETURNS text LANGUAGE plpgsql STABLE
    SET plan_cache_mode = force_custom_plan AS $$
DECLARE mine int := contextd.this_org();
BEGIN
    RETURN (SELECT id FROM contextd.records WHERE org = mine AND scope = of_scope AND content_hash = hash AND id <> but
        AND status IN ('active', 'candidate', 'inbox') LIMIT 1);
END $$;

-- Adds a record with the first change of its history. No row: its id is taken. With `same`: it stands alone, and another
-- record has its content; the caller then ends the transaction.
CREATE FUNCTION add_record(alone boolean, at bigint, actor text, action text, reason text, after bytea,
    hash text, id text, kind text, scope text, status text, session text, confidence float8, usage_count bigint,
    last_used_at bigint, valid_from bigint, valid_to bigint, created_at bigint, updated_at bigint, version bigint, body text)
    RETURNS TABLE (seq bigint, same text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE mine int := contextd.this_org();
BEGIN
    INSERT INTO contextd.records (org, content_hash, id, kind, scope, status, session, confidence, usage_count,
        last_used_at, valid_from, valid_to, created_at, updated_at, version, body)
        VALUES (mine, hash, add_record.id, add_record.kind, add_record.scope, add_record.status, add_record.session,
        add_record.confidence, add_record.usage_count, add_record.last_used_at, add_record.valid_from,
        add_record.valid_to, add_record.created_at, add_record.updated_at, add_record.version, add_record.body)
        ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN RETURN; END IF;
    add_record.seq := 1;
    IF alone THEN add_record.same := contextd.same_content(add_record.scope, hash, add_record.id); END IF;
    INSERT INTO contextd.changes (org, scope, record_id, seq, kind, at, actor, action, reason, before, after, undoes)
        VALUES (mine, add_record.scope, add_record.id, 1, add_record.kind, add_record.at, add_record.actor,
        add_record.action, add_record.reason, NULL, add_record.after, NULL) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        -- A record with this id was removed, and its history stayed.
        EXECUTE format('INSERT INTO contextd.changes (org, scope, record_id, seq, kind, at, actor, action, reason, before,
            after, undoes) SELECT %1$s, $1, $2, max(seq) + 1, $3, $4, $5, $6, $7, NULL, $8, NULL FROM contextd.changes
            WHERE org = %1$s AND scope = $1 AND record_id = $2 RETURNING seq', mine) INTO add_record.seq
            USING add_record.scope, add_record.id, add_record.kind, add_record.at, add_record.actor,
            add_record.action, add_record.reason, add_record.after;
    END IF;
    RETURN NEXT;
END $$;

-- Replaces a document unless it is the same; returns its old number if its words changed.
CREATE FUNCTION replace_document(place bigint, at bigint, given json) RETURNS bigint LANGUAGE plpgsql
    SET plan_cache_mode = force_custom_plan AS $$
DECLARE mine int := contextd.this_org(); old record; new record;
BEGIN
    SELECT * INTO new FROM json_to_record(given) AS given (id text, kind text, status text, confidence float8,
        valid_from bigint, valid_to bigint, digest text, terms text, length bigint, words text);
    SELECT no, kind, status, confidence, valid_from, valid_to, digest, terms INTO old FROM contextd.docs
        WHERE org = mine AND part = place AND id = new.id;
    IF (old.kind, old.status, old.confidence, old.valid_from, old.valid_to, old.digest, old.terms) IS NOT DISTINCT FROM
        (new.kind, new.status, new.confidence, new.valid_from, new.valid_to, new.digest, new.terms) THEN RETURN NULL;
    END IF;
    IF old.terms = new.terms THEN
        UPDATE contextd.docs SET kind = new.kind, status = new.status, confidence = new.confidence,
            valid_from = new.valid_from, valid_to = new.valid_to, digest = new.digest, seq = at
            WHERE org = mine AND no = old.no;
        RETURN NULL;
    END IF;
    -- The old number stays in packed postings; no document has it any more.
    UPDATE contextd.docs SET kind = new.kind, status = new.status, confidence = new.confidence,
        valid_from = new.valid_from, valid_to = new.valid_to, digest = new.digest, seq = at, terms = new.terms,
        length = new.length, words = new.words, packed = false, no = nextval('contextd.numbers')
        WHERE org = mine AND no = old.no;
    RETURN old.no;
END $$;

-- Advances the clock of a part, which is made if it is new, and adds or replaces documents, one number of the clock for each.
-- `gone` is how many old numbers are forgotten.
CREATE FUNCTION add_documents(of_scope text, of_family text, added json)
    RETURNS TABLE (part bigint, clock bigint, gone int) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    mine int := contextd.this_org(); most int := json_array_length(added);
    one record; place bigint; at bigint; number bigint; numbers bigint[] := '{}';
BEGIN
    INSERT INTO contextd.parts AS p (org, scope, family, clock) VALUES (mine, of_scope, of_family, most)
        ON CONFLICT (org, scope, family) DO UPDATE SET clock = p.clock + excluded.clock
        RETURNING p.no, p.clock - most INTO place, at;
    FOR one IN SELECT * FROM json_to_recordset(added) AS given (id text, kind text, status text, confidence float8,
        valid_from bigint, valid_to bigint, digest text, terms text, length bigint, words text) LOOP
        INSERT INTO contextd.docs (org, part, id, kind, status, confidence, valid_from, valid_to, digest, terms, seq,
            length, words) VALUES (mine, place, one.id, one.kind, one.status, one.confidence, one.valid_from,
            one.valid_to, one.digest, one.terms, at + 1, one.length, one.words) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            number := contextd.replace_document(place, at + 1, to_json(one));
            IF number IS NOT NULL THEN numbers := numbers || number; END IF;
        END IF;
        at := at + 1;
    END LOOP;
    IF cardinality(numbers) > 0 THEN
        INSERT INTO contextd.parts AS p (org, scope, family, clock)
            VALUES (mine, of_scope, of_family, cardinality(numbers))
            ON CONFLICT (org, scope, family) DO UPDATE SET clock = p.clock + excluded.clock;
        INSERT INTO contextd.forgotten (org, part, seq, doc)
            SELECT mine, place, at + nth, doc FROM unnest(numbers) WITH ORDINALITY AS old (doc, nth);
    END IF;
    RETURN QUERY SELECT place, at + cardinality(numbers), cardinality(numbers);
END $$;

-- Stores vectors of the texts that a scope has; the clocks of the parts that changed, and by how much.
CREATE FUNCTION keep_vectors(of_scope text, maker text, digests text[], blobs bytea[])
    RETURNS TABLE (clock bigint, steps bigint) LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE mine int := contextd.this_org(); place bigint; present text[]; at bigint;
BEGIN
    FOR place IN SELECT no FROM contextd.parts WHERE org = mine AND scope = of_scope LOOP
        present := ARRAY(SELECT DISTINCT digest FROM contextd.docs
            WHERE org = mine AND part = place AND digest = ANY (digests));
        CONTINUE WHEN cardinality(present) = 0;
        UPDATE contextd.parts SET clock = clock + cardinality(present) WHERE org = mine AND no = place
            RETURNING clock INTO at;
        INSERT INTO contextd.vectors (org, part, digest, model, seq, vector)
            SELECT mine, place, given.digest, maker, at, given.vector FROM unnest(digests, blobs) AS given (digest, vector)
            WHERE given.digest = ANY (present)
            ON CONFLICT (org, part, digest, model) DO UPDATE SET seq = excluded.seq, vector = excluded.vector;
        RETURN QUERY SELECT at, cardinality(present)::bigint;
    END LOOP;
END $$;
