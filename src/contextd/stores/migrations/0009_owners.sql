-- Every row knows whose it is: its scope is the first part of its key. What is derived is dropped and
-- made again; the vectors stay until their texts are indexed anew.

DROP TRIGGER records_tagged;
DROP TRIGGER records_retagged;
DROP TRIGGER records_untagged;
DROP TABLE record_tags;
ALTER TABLE records RENAME TO records_before;
CREATE TABLE records (
    no           INTEGER PRIMARY KEY,
    scope        TEXT NOT NULL,
    id           TEXT NOT NULL,
    version      INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    status       TEXT NOT NULL,
    session      TEXT NOT NULL,
    confidence   REAL NOT NULL,
    usage_count  INTEGER NOT NULL,
    last_used_at INTEGER,
    valid_from   INTEGER,
    valid_to     INTEGER,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    body         TEXT NOT NULL CHECK (json_valid(body)),
    context_type TEXT GENERATED ALWAYS AS (
        CASE json_type(body, '$.data.contextType')
            WHEN 'text' THEN json_extract(body, '$.data.contextType')
            ELSE ''
        END
    ) VIRTUAL,
    reports      INTEGER GENERATED ALWAYS AS (
        json_extract(body, '$.helpful') + json_extract(body, '$.unhelpful')
    ) VIRTUAL,
    trust        TEXT GENERATED ALWAYS AS (json_extract(body, '$.trust')) VIRTUAL,
    source       TEXT GENERATED ALWAYS AS (
        coalesce(
            nullif(json_extract(body, '$.source[0]'), ''),
            nullif(json_extract(body, '$.source[1]'), ''),
            nullif(json_extract(body, '$.source[2]'), ''),
            'unknown'
        )
    ) VIRTUAL,
    UNIQUE (scope, id)
) STRICT;
INSERT INTO records (scope, id, version, kind, status, session, confidence, usage_count,
    last_used_at, valid_from, valid_to, created_at, updated_at, content_hash, body)
SELECT scope, id, 1, kind, status, session, confidence, usage_count, last_used_at, valid_from,
    valid_to, created_at, updated_at, content_hash, body
FROM records_before ORDER BY created_at, id;
DROP TABLE records_before;
CREATE INDEX records_listed ON records (scope, kind, status, created_at, id);
CREATE INDEX records_newest ON records (scope, created_at, id);
CREATE INDEX records_said ON records (scope, content_hash) WHERE status IN ('active', 'inbox');
CREATE INDEX records_of_session ON records (scope, session) WHERE session <> '';
CREATE INDEX records_tallied
    ON records (scope, status, kind, context_type, updated_at, created_at);
CREATE INDEX records_stalest ON records (scope, status, updated_at, id);
CREATE INDEX records_used ON records (scope, usage_count DESC, id) WHERE usage_count >= 5;
CREATE INDEX records_rated ON records (scope, reports DESC, id) WHERE reports > 0;
CREATE INDEX records_typed ON records
    (json_extract(body, '$.data.contextType'), scope, kind, status, created_at, id)
    WHERE json_extract(body, '$.data.contextType') IS NOT NULL;
CREATE INDEX records_in_bubble ON records
    (json_extract(body, '$.data.bubbleId'), scope, kind, status, created_at, id)
    WHERE json_extract(body, '$.data.bubbleId') IS NOT NULL;
CREATE INDEX records_trusted ON records (trust, scope, status, kind, created_at, id);
CREATE INDEX records_from ON records (source, scope, status, kind, created_at, id);

CREATE TABLE record_tags (
    tag    TEXT NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (tag, record)
) STRICT, WITHOUT ROWID;
INSERT INTO record_tags
    SELECT DISTINCT atom, records.no FROM records, json_each(records.body, '$.tags');
CREATE TRIGGER records_tagged AFTER INSERT ON records BEGIN
    INSERT INTO record_tags SELECT DISTINCT atom, new.no FROM json_each(new.body, '$.tags');
END;
CREATE TRIGGER records_retagged AFTER UPDATE OF body ON records
WHEN json_extract(old.body, '$.tags') <> json_extract(new.body, '$.tags') BEGIN
    DELETE FROM record_tags WHERE record = old.no
        AND tag IN (SELECT atom FROM json_each(old.body, '$.tags'));
    INSERT INTO record_tags SELECT DISTINCT atom, new.no FROM json_each(new.body, '$.tags');
END;
CREATE TRIGGER records_untagged AFTER DELETE ON records BEGIN
    DELETE FROM record_tags WHERE record = old.no
        AND tag IN (SELECT atom FROM json_each(old.body, '$.tags'));
END;

ALTER TABLE changes RENAME TO changes_before;
DROP INDEX changes_of_record;
DROP INDEX changes_undone;
CREATE TABLE changes (
    no        INTEGER PRIMARY KEY,
    scope     TEXT NOT NULL,
    record_id TEXT NOT NULL,
    seq       INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    at        INTEGER NOT NULL,
    actor     TEXT NOT NULL,
    action    TEXT NOT NULL,
    reason    TEXT NOT NULL,
    before    TEXT,
    after     TEXT,
    undoes    INTEGER,
    UNIQUE (scope, record_id, seq)
) STRICT;
CREATE TEMP TABLE numbered AS
    SELECT seq AS old, row_number() OVER (PARTITION BY record_id ORDER BY seq) AS new
    FROM changes_before;
CREATE INDEX temp.numbered_old ON numbered (old);
INSERT INTO changes (scope, record_id, seq, kind, at, actor, action, reason, before, after, undoes)
SELECT json_extract(coalesce(after, before), '$.scope'), record_id, numbered.new,
    json_extract(coalesce(after, before), '$.kind'), at, actor, action, reason, before, after,
    (SELECT new FROM numbered WHERE old = undoes)
FROM changes_before JOIN numbered ON numbered.old = changes_before.seq
ORDER BY changes_before.seq;
DROP TABLE numbered;
DROP TABLE changes_before;
CREATE UNIQUE INDEX changes_undone ON changes (scope, record_id, undoes) WHERE undoes IS NOT NULL;
CREATE INDEX changes_aged ON changes (at);

ALTER TABLE context_items RENAME TO context_items_before;
ALTER TABLE events RENAME TO events_before;
ALTER TABLE sessions RENAME TO sessions_before;
DROP INDEX sessions_listed;
DROP INDEX sessions_external;
DROP INDEX sessions_seen;
CREATE TABLE sessions (
    no           INTEGER PRIMARY KEY,
    scope        TEXT NOT NULL,
    id           TEXT NOT NULL,
    client       TEXT NOT NULL,
    external_id  TEXT NOT NULL,
    status       TEXT NOT NULL,
    ended        INTEGER NOT NULL,
    started_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    events       INTEGER NOT NULL DEFAULT 0,
    dropped      INTEGER NOT NULL DEFAULT 0,
    body         TEXT NOT NULL,
    UNIQUE (scope, id)
) STRICT;
INSERT INTO sessions
    (scope, id, client, external_id, status, ended, started_at, last_seen_at, events, body)
SELECT scope, id, client, external_id, status, json_extract(body, '$.ended_at') IS NOT NULL,
    started_at, last_seen_at,
    (SELECT ifnull(max(seq), 0) FROM events_before WHERE session_id = id), body
FROM sessions_before;
CREATE INDEX sessions_listed ON sessions (scope, started_at, id);
CREATE INDEX sessions_external ON sessions (scope, client, external_id);
CREATE INDEX sessions_seen ON sessions (status, ended, last_seen_at);
CREATE TABLE events (
    session INTEGER NOT NULL REFERENCES sessions (no),
    seq     INTEGER NOT NULL,
    key     TEXT NOT NULL,
    type    TEXT NOT NULL,
    body    TEXT NOT NULL,
    UNIQUE (session, seq),
    UNIQUE (session, key)
) STRICT;
INSERT INTO events SELECT sessions.no, seq, key, type, events_before.body
    FROM events_before JOIN sessions ON sessions.id = session_id ORDER BY sessions.no, seq;
DROP TABLE events_before;
CREATE TABLE context_items (
    session  INTEGER NOT NULL REFERENCES sessions (no),
    type     TEXT NOT NULL CHECK (type IN ('file', 'module', 'discovery', 'session')),
    source   TEXT NOT NULL,
    tokens   INTEGER NOT NULL CHECK (tokens >= 0),
    count    INTEGER NOT NULL CHECK (count >= 0),
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    score    REAL NOT NULL CHECK (score BETWEEN 0 AND 1),
    status   TEXT NOT NULL CHECK (status IN ('active', 'archived')),
    reason   TEXT NOT NULL,
    PRIMARY KEY (session, type, source)
) STRICT, WITHOUT ROWID;
INSERT INTO context_items
    SELECT sessions.no, type, source, tokens, count, first_at, last_at, score,
        context_items_before.status, reason
    FROM context_items_before JOIN sessions ON sessions.id = session_id;
DROP TABLE context_items_before;
DROP TABLE sessions_before;

DROP TABLE served;
CREATE TABLE handed_out (
    scope   TEXT NOT NULL,
    session TEXT NOT NULL,
    digest  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (scope, session, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX handed_out_aged ON handed_out (at);

ALTER TABLE observation_scopes ADD COLUMN logged INTEGER NOT NULL DEFAULT 0;
UPDATE observation_scopes SET logged =
    (SELECT count(*) FROM observations WHERE observations.scope = observation_scopes.scope);
DROP TABLE observation_totals;

ALTER TABLE contradictions RENAME TO contradictions_before;
DROP INDEX contradictions_of;
DROP INDEX contradictions_latest;
CREATE TABLE contradictions (
    a_scope   TEXT NOT NULL,
    a         TEXT NOT NULL,
    b_scope   TEXT NOT NULL,
    b         TEXT NOT NULL,
    kind      TEXT NOT NULL,
    reason    TEXT NOT NULL,
    found_at  INTEGER NOT NULL,
    dismissed INTEGER NOT NULL DEFAULT 0,
    note      TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (a_scope, a, b_scope, b),
    CHECK (a <= b)
) STRICT, WITHOUT ROWID;
INSERT INTO contradictions
    SELECT x.scope, a, y.scope, b, c.kind, reason, found_at, dismissed, note
    FROM contradictions_before c JOIN records x ON x.id = a JOIN records y ON y.id = b;
DROP TABLE contradictions_before;
CREATE INDEX contradictions_of ON contradictions (b_scope, b);
CREATE INDEX contradictions_latest ON contradictions (a_scope, found_at DESC, a, b);

ALTER TABLE jobs RENAME TO jobs_before;
DROP INDEX jobs_ready;
DROP INDEX jobs_running;
DROP INDEX jobs_cron;
DROP INDEX jobs_unique;
CREATE TABLE jobs (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT NOT NULL UNIQUE,
    scope        TEXT NOT NULL,
    name         TEXT NOT NULL,
    arguments    TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('ready', 'running', 'done', 'failed')),
    lane         TEXT NOT NULL,
    priority     INTEGER NOT NULL,
    place        TEXT NOT NULL,
    unique_key   TEXT NOT NULL,
    attempts     INTEGER NOT NULL DEFAULT 0,
    max_attempts INTEGER NOT NULL,
    run_at       INTEGER NOT NULL,
    checkpoint   TEXT NOT NULL DEFAULT '{}',
    error        TEXT NOT NULL DEFAULT '',
    result       TEXT NOT NULL DEFAULT '{}',
    created_at   INTEGER NOT NULL,
    finished_at  INTEGER,
    worker       TEXT NOT NULL DEFAULT '',
    lease_until  INTEGER
) STRICT;
-- Learning is what nobody else would ask for again; all other work comes round by itself.
INSERT INTO jobs (id, scope, name, arguments, state, lane, priority, place, unique_key, attempts,
    max_attempts, run_at, checkpoint, error, result, created_at, finished_at)
SELECT jobs_before.id, sessions.scope, name, arguments,
    CASE state WHEN 'running' THEN 'ready' ELSE state END, 'learning', 0, '',
    unique_key || ':' || jobs_before.seq, attempts, max_attempts, run_at, checkpoint, error, result,
    created_at, finished_at
FROM jobs_before JOIN sessions ON sessions.id = json_extract(arguments, '$.session_id')
WHERE name = 'learn_session' ORDER BY jobs_before.seq;
DROP TABLE jobs_before;
CREATE INDEX jobs_ready ON jobs (lane, priority DESC, run_at, seq) WHERE state = 'ready';
CREATE INDEX jobs_due ON jobs (lane, run_at) WHERE state = 'ready';
CREATE INDEX jobs_running ON jobs (lane, lease_until) WHERE state = 'running';
CREATE UNIQUE INDEX jobs_waiting ON jobs (scope, unique_key)
    WHERE state = 'ready' AND unique_key <> '';
CREATE INDEX jobs_of_scope ON jobs (scope, seq);
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE schedules (
    scope  TEXT NOT NULL,
    job    TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    every  INTEGER,
    PRIMARY KEY (scope, job)
) STRICT, WITHOUT ROWID;
CREATE INDEX schedules_due ON schedules (due_at);

CREATE TABLE calls (
    owner  TEXT NOT NULL,
    key    TEXT NOT NULL,
    at     INTEGER NOT NULL,
    answer TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_aged ON calls (at);

-- Derived.

ALTER TABLE chunks RENAME TO chunks_before;
ALTER TABLE files RENAME TO files_before;
DROP INDEX chunks_by_id;
DROP INDEX chunks_of_file;
CREATE TABLE files (
    no       INTEGER PRIMARY KEY,
    scope    TEXT NOT NULL,
    path     TEXT NOT NULL,
    size     INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    digest   TEXT NOT NULL,
    pieces   INTEGER NOT NULL,
    facts    TEXT NOT NULL,
    UNIQUE (scope, path)
) STRICT;
INSERT INTO files SELECT rowid, scope, path, size, mtime_ns, digest,
    (SELECT count(*) FROM chunks_before WHERE file = files_before.rowid), facts FROM files_before;
CREATE TABLE chunks (
    no         INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    file       INTEGER NOT NULL REFERENCES files (no) ON DELETE CASCADE,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    symbol     TEXT NOT NULL,
    language   TEXT NOT NULL,
    text       TEXT NOT NULL
) STRICT;
INSERT INTO chunks SELECT rowid, id, file, start_line, end_line, symbol, language, text
    FROM chunks_before;
DROP TABLE chunks_before;
DROP TABLE files_before;
CREATE INDEX chunks_by_id ON chunks (id);
CREATE INDEX chunks_of_file ON chunks (file);

ALTER TABLE vectors RENAME TO vectors_before;
DROP INDEX vectors_by_seq;
DROP TABLE docs;
DROP TABLE doc_counts;
DROP TABLE vocabulary;
DROP TABLE lexicon;
DROP TABLE common_words;
DROP TABLE index_clock;
DROP TABLE forgotten;

-- A part of the index is one family of documents of one scope. It has word statistics, a lexicon
-- (`lexicon_NO`, made with its first document) and a clock of its own. `clock` numbers every change
-- of the part; who knows less than `floor` must read all of it again.
CREATE TABLE parts (
    no     INTEGER PRIMARY KEY,
    scope  TEXT NOT NULL,
    family TEXT NOT NULL CHECK (family IN ('records', 'messages', 'code')),
    clock  INTEGER NOT NULL DEFAULT 0,
    floor  INTEGER NOT NULL DEFAULT 0,
    UNIQUE (scope, family)
) STRICT;
-- `terms` is the hash of what the lexicon holds of a document: one that is the same is not indexed
-- again.
CREATE TABLE docs (
    no         INTEGER PRIMARY KEY,
    part       INTEGER NOT NULL REFERENCES parts (no),
    id         TEXT NOT NULL,
    kind       TEXT NOT NULL,
    status     TEXT NOT NULL,
    confidence REAL NOT NULL,
    valid_from INTEGER,
    valid_to   INTEGER,
    digest     TEXT NOT NULL,
    terms      TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    UNIQUE (part, id)
) STRICT;
CREATE INDEX docs_by_digest ON docs (part, digest);
CREATE INDEX docs_by_seq ON docs (part, seq);
CREATE TABLE doc_counts (
    part  INTEGER NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (part, field, value)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER docs_added AFTER INSERT ON docs BEGIN
    INSERT INTO doc_counts
    VALUES (new.part, 'kind', new.kind, 1), (new.part, 'status', new.status, 1)
    ON CONFLICT (part, field, value) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER docs_removed AFTER DELETE ON docs BEGIN
    UPDATE doc_counts SET count = count - 1
        WHERE part = old.part AND field = 'kind' AND value = old.kind;
    UPDATE doc_counts SET count = count - 1
        WHERE part = old.part AND field = 'status' AND value = old.status;
END;
CREATE TRIGGER docs_changed AFTER UPDATE OF kind, status ON docs
WHEN (old.kind, old.status) <> (new.kind, new.status) BEGIN
    UPDATE doc_counts SET count = count - 1
        WHERE part = old.part AND field = 'kind' AND value = old.kind;
    UPDATE doc_counts SET count = count - 1
        WHERE part = old.part AND field = 'status' AND value = old.status;
    INSERT INTO doc_counts
    VALUES (new.part, 'kind', new.kind, 1), (new.part, 'status', new.status, 1)
    ON CONFLICT (part, field, value) DO UPDATE SET count = count + 1;
END;
CREATE TABLE common_words (
    part INTEGER NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (part, word)
) STRICT, WITHOUT ROWID;
CREATE TABLE vectors (
    part   INTEGER NOT NULL,
    digest TEXT NOT NULL,
    model  TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (part, digest, model)
) STRICT;
CREATE INDEX vectors_by_seq ON vectors (part, model, seq);
CREATE TABLE forgotten (
    part INTEGER NOT NULL,
    seq  INTEGER NOT NULL,
    doc  INTEGER NOT NULL,
    PRIMARY KEY (part, seq)
) STRICT, WITHOUT ROWID;
