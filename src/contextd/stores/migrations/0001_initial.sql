-- Canonical: what cannot be made again.

CREATE TABLE records (
    id           TEXT PRIMARY KEY,
    kind         TEXT NOT NULL,
    scope        TEXT NOT NULL,
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
    body         TEXT NOT NULL CHECK (json_valid(body))
) STRICT;
CREATE INDEX records_listed ON records (scope, kind, status, created_at, id);
CREATE INDEX records_newest ON records (created_at, id);
CREATE INDEX records_said ON records (content_hash, scope) WHERE status IN ('active', 'inbox');
CREATE INDEX records_of_session ON records (session) WHERE session <> '';

CREATE TABLE changes (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    record_id TEXT NOT NULL,
    at        INTEGER NOT NULL,
    actor     TEXT NOT NULL,
    action    TEXT NOT NULL,
    reason    TEXT NOT NULL,
    before    TEXT,
    after     TEXT,
    undoes    INTEGER REFERENCES changes (seq)
) STRICT;
CREATE INDEX changes_of_record ON changes (record_id, seq);
CREATE UNIQUE INDEX changes_undone ON changes (undoes) WHERE undoes IS NOT NULL;

CREATE TABLE sessions (
    id           TEXT PRIMARY KEY,
    scope        TEXT NOT NULL,
    client       TEXT NOT NULL,
    external_id  TEXT NOT NULL,
    status       TEXT NOT NULL,
    started_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    body         TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_listed ON sessions (scope, started_at, id);
CREATE INDEX sessions_external ON sessions (client, external_id);
CREATE INDEX sessions_seen ON sessions (status, last_seen_at);

CREATE TABLE events (
    session_id TEXT NOT NULL REFERENCES sessions (id),
    seq        INTEGER NOT NULL,
    key        TEXT NOT NULL,
    type       TEXT NOT NULL,
    body       TEXT NOT NULL,
    UNIQUE (session_id, seq),
    UNIQUE (session_id, key)
) STRICT;

CREATE TABLE served (digest TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE observations (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL,
    action     TEXT NOT NULL,
    operation  TEXT NOT NULL,
    type       TEXT NOT NULL,
    record_ids TEXT NOT NULL,
    query      TEXT NOT NULL,
    agent      TEXT NOT NULL
) STRICT;
CREATE TABLE observation_totals (
    one           INTEGER PRIMARY KEY CHECK (one = 1),
    reads         INTEGER NOT NULL,
    writes        INTEGER NOT NULL,
    misses        INTEGER NOT NULL,
    last_activity INTEGER,
    kept          INTEGER NOT NULL
) STRICT;
INSERT INTO observation_totals VALUES (1, 0, 0, 0, NULL, 0);
CREATE TABLE observation_types (
    counted TEXT NOT NULL,
    type    TEXT NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (counted, type)
) STRICT, WITHOUT ROWID;
CREATE TABLE missed_queries (
    query  TEXT PRIMARY KEY,
    count  INTEGER NOT NULL,
    latest INTEGER NOT NULL
) STRICT;
CREATE INDEX missed_least ON missed_queries (count, latest);

CREATE TABLE projects (
    identity   TEXT PRIMARY KEY,
    scope      TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    roots      TEXT NOT NULL,
    aliases    TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE jobs (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT NOT NULL UNIQUE,
    name         TEXT NOT NULL,
    arguments    TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('ready', 'running', 'done', 'failed')),
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
CREATE INDEX jobs_ready ON jobs (run_at, seq) WHERE state = 'ready';
CREATE INDEX jobs_running ON jobs (lease_until) WHERE state = 'running';
CREATE UNIQUE INDEX jobs_cron ON jobs (unique_key) WHERE substr(unique_key, 1, 5) = 'cron:';
CREATE INDEX jobs_unique ON jobs (unique_key) WHERE unique_key <> '';

-- Derived: what a scan and an embedder can make again.

CREATE TABLE docs (
    rowid      INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,
    scope      TEXT NOT NULL,
    status     TEXT NOT NULL,
    facets     TEXT NOT NULL,
    confidence REAL NOT NULL,
    valid_from INTEGER,
    valid_to   INTEGER,
    digest     TEXT NOT NULL,
    seq        INTEGER NOT NULL
) STRICT;
CREATE INDEX docs_by_digest ON docs (digest);
CREATE INDEX docs_by_seq ON docs (seq);

-- How many documents have each value: tells a search which filters would exclude nothing.
CREATE TABLE doc_counts (
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (field, value)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER docs_added AFTER INSERT ON docs BEGIN
    INSERT INTO doc_counts
    VALUES ('scope', new.scope, 1), ('kind', new.kind, 1), ('status', new.status, 1)
    ON CONFLICT (field, value) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER docs_removed AFTER DELETE ON docs BEGIN
    UPDATE doc_counts SET count = count - 1 WHERE field = 'scope' AND value = old.scope;
    UPDATE doc_counts SET count = count - 1 WHERE field = 'kind' AND value = old.kind;
    UPDATE doc_counts SET count = count - 1 WHERE field = 'status' AND value = old.status;
END;
CREATE TRIGGER docs_changed AFTER UPDATE OF scope, kind, status ON docs
WHEN (old.scope, old.kind, old.status) <> (new.scope, new.kind, new.status) BEGIN
    UPDATE doc_counts SET count = count - 1 WHERE field = 'scope' AND value = old.scope;
    UPDATE doc_counts SET count = count - 1 WHERE field = 'kind' AND value = old.kind;
    UPDATE doc_counts SET count = count - 1 WHERE field = 'status' AND value = old.status;
    INSERT INTO doc_counts
    VALUES ('scope', new.scope, 1), ('kind', new.kind, 1), ('status', new.status, 1)
    ON CONFLICT (field, value) DO UPDATE SET count = count + 1;
END;

CREATE VIRTUAL TABLE lexicon USING fts5 (
    text, near, meta,
    content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
INSERT INTO lexicon (lexicon, rank) VALUES ('rank', 'bm25(1.0, 0.4, 0.0)');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (lexicon, row);
CREATE TABLE common_words (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE vectors (
    digest TEXT NOT NULL,
    model  TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (digest, model)
) STRICT;
CREATE INDEX vectors_by_seq ON vectors (model, seq);

-- `value` numbers every change of the index; who knows less than `floor` must read all of it again.
CREATE TABLE index_clock (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    value INTEGER NOT NULL,
    floor INTEGER NOT NULL
) STRICT;
INSERT INTO index_clock VALUES (1, 0, 0);
CREATE TABLE forgotten (seq INTEGER PRIMARY KEY, doc INTEGER NOT NULL) STRICT;

CREATE TABLE files (
    rowid    INTEGER PRIMARY KEY,
    scope    TEXT NOT NULL,
    path     TEXT NOT NULL,
    size     INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    digest   TEXT NOT NULL,
    facts    TEXT NOT NULL,
    UNIQUE (scope, path)
) STRICT;
CREATE TABLE chunks (
    rowid      INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    file       INTEGER NOT NULL REFERENCES files (rowid) ON DELETE CASCADE,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    symbol     TEXT NOT NULL,
    language   TEXT NOT NULL,
    text       TEXT NOT NULL
) STRICT;
CREATE INDEX chunks_by_id ON chunks (id);
CREATE INDEX chunks_of_file ON chunks (file);
