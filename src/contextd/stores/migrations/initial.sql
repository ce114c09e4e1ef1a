-- Canonical: what cannot be made again.

CREATE TABLE projects (
    identity   TEXT PRIMARY KEY,
    scope      TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    roots      TEXT NOT NULL,
    aliases    TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- `body` holds the whole record as JSON; the columns repeat what queries filter and sort by.
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
CREATE INDEX records_listed ON records (scope, kind, status, created_at, id);
CREATE INDEX records_newest ON records (scope, created_at, id);
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
CREATE INDEX records_said ON records (scope, content_hash) WHERE status IN ('active', 'candidate', 'inbox');

CREATE TABLE record_tags (
    tag    TEXT NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (tag, record)
) STRICT, WITHOUT ROWID;

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
    before    ANY,
    after     ANY,
    undoes    INTEGER,
    UNIQUE (scope, record_id, seq)
) STRICT;
CREATE UNIQUE INDEX changes_undone ON changes (scope, record_id, undoes) WHERE undoes IS NOT NULL;
CREATE INDEX changes_aged ON changes (at);

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
CREATE INDEX sessions_listed ON sessions (scope, started_at, id);
CREATE INDEX sessions_external ON sessions (scope, client, external_id);
CREATE INDEX sessions_seen ON sessions (status, ended, last_seen_at);

-- `body` is JSON text, or packed (stores/packing.py).
CREATE TABLE events (
    session INTEGER NOT NULL REFERENCES sessions (no),
    seq     INTEGER NOT NULL,
    key     TEXT NOT NULL,
    type    TEXT NOT NULL,
    body    ANY NOT NULL,
    UNIQUE (session, seq),
    UNIQUE (session, key)
) STRICT;

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

CREATE TABLE handed_out (
    scope   TEXT NOT NULL,
    session TEXT NOT NULL,
    digest  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (scope, session, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX handed_out_aged ON handed_out (at);

-- Found by comparing records, and found again by comparing them again. Only `dismissed` and `note` are
-- somebody's decision. Whether a pair still stands is read from its records.
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
CREATE INDEX contradictions_of ON contradictions (b_scope, b);
CREATE INDEX contradictions_latest ON contradictions (a_scope, found_at DESC, a, b);

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

-- Answers of keyed calls, for a client that asks again because the answer was lost (ADR 17).
CREATE TABLE calls (
    owner  TEXT NOT NULL,
    key    TEXT NOT NULL,
    at     INTEGER NOT NULL,
    answer TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_aged ON calls (at);

CREATE TABLE observations (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL,
    action     TEXT NOT NULL,
    operation  TEXT NOT NULL,
    type       TEXT NOT NULL,
    record_ids TEXT NOT NULL,
    query      TEXT NOT NULL,
    agent      TEXT NOT NULL,
    scope TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX observations_of_scope ON observations (scope, seq);

CREATE TABLE observation_scopes (
    scope         TEXT PRIMARY KEY,
    reads         INTEGER NOT NULL,
    writes        INTEGER NOT NULL,
    misses        INTEGER NOT NULL,
    last_activity INTEGER,
    logged INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE observation_types (
    scope   TEXT NOT NULL,
    counted TEXT NOT NULL,
    type    TEXT NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (scope, counted, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE missed_queries (
    scope  TEXT NOT NULL,
    query  TEXT NOT NULL,
    count  INTEGER NOT NULL,
    latest INTEGER NOT NULL,
    PRIMARY KEY (scope, query)
) STRICT;
CREATE INDEX missed_least ON missed_queries (scope, count, latest);

-- The full text behind a digest. `body` is compressed: logs shrink to a tenth.
CREATE TABLE originals (
    no     INTEGER PRIMARY KEY AUTOINCREMENT,
    scope  TEXT NOT NULL,
    id     TEXT NOT NULL,
    about  TEXT NOT NULL,
    tokens INTEGER NOT NULL CHECK (tokens >= 0),
    at     INTEGER NOT NULL,
    body   BLOB NOT NULL,
    UNIQUE (scope, id)
) STRICT;
CREATE INDEX originals_by_age ON originals (at);

-- Derived: what a scan and an embedder can make again.

-- A part of the index is one family of documents of one scope. It has word statistics, a lexicon
-- (`lexicon_NO`, created with its first document) and a clock of its own. `clock` numbers every change of the
-- part; a cache that knows less than `floor` must read all of it again.
CREATE TABLE parts (
    no     INTEGER PRIMARY KEY,
    scope  TEXT NOT NULL,
    family TEXT NOT NULL CHECK (family IN ('records', 'messages', 'code')),
    clock  INTEGER NOT NULL DEFAULT 0,
    floor  INTEGER NOT NULL DEFAULT 0,
    UNIQUE (scope, family)
) STRICT;

-- `terms` is the hash of what the lexicon holds of a document: an unchanged one is not indexed again.
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
CREATE INDEX docs_to_index ON docs (part) WHERE terms = '';

-- How many documents have each value: tells a search which filters would exclude nothing.
CREATE TABLE doc_counts (
    part  INTEGER NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (part, field, value)
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

-- Each checkout of a project has an index of its own: which content stands at which path. A content, and what
-- was derived from it, is stored once for all checkouts of the project that have it.
CREATE TABLE checkouts (
    no      INTEGER PRIMARY KEY,
    scope   TEXT NOT NULL,
    root    TEXT NOT NULL,
    indexed INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 0,
    removed INTEGER NOT NULL DEFAULT 0,
    weighed INTEGER NOT NULL DEFAULT 0,
    UNIQUE (scope, root)
) STRICT;

-- `facts` say nothing of size and time: those are the checkout's.
CREATE TABLE contents (
    no     INTEGER PRIMARY KEY,
    scope  TEXT NOT NULL,
    path   TEXT NOT NULL,
    digest TEXT NOT NULL,
    pieces INTEGER NOT NULL,
    error  TEXT NOT NULL,
    facts  TEXT NOT NULL
) STRICT;
CREATE INDEX contents_at ON contents (scope, path);
CREATE INDEX contents_faulty ON contents (scope, path) WHERE error <> '';
CREATE TRIGGER content_gone AFTER DELETE ON contents BEGIN
    DELETE FROM file_words WHERE rowid = old.no;
END;

CREATE TABLE files (
    checkout INTEGER NOT NULL REFERENCES checkouts (no) ON DELETE CASCADE,
    path     TEXT NOT NULL,
    content  INTEGER NOT NULL REFERENCES contents (no),
    size     INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    digest   TEXT NOT NULL,
    version  INTEGER NOT NULL,
    PRIMARY KEY (checkout, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX files_by_version ON files (checkout, version);
CREATE INDEX files_of_content ON files (content);

CREATE TABLE chunks (
    no         INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    content    INTEGER NOT NULL REFERENCES contents (no) ON DELETE CASCADE,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    symbol     TEXT NOT NULL,
    language   TEXT NOT NULL,
    text       TEXT NOT NULL
) STRICT;
CREATE INDEX chunks_by_id ON chunks (id);
CREATE INDEX chunks_of_content ON chunks (content);

-- The words of a file's imports and definitions, one row per content: finds the files that a change may
-- concern, and where a name is defined.
CREATE VIRTUAL TABLE file_words USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);

CREATE VIRTUAL TABLE words_of_files USING fts5vocab (file_words, row);

-- The calls in a file, read when somebody asks for callers. `digest` is of the content they were read from,
-- `sum` of `facts` and of what can read them.
CREATE TABLE calls_of_files (
    content INTEGER PRIMARY KEY REFERENCES contents (no) ON DELETE CASCADE,
    digest  TEXT NOT NULL,
    reader  TEXT NOT NULL,
    names   TEXT NOT NULL,
    sum     BLOB NOT NULL,
    facts   BLOB NOT NULL
) STRICT;

-- How much a file and its definitions matter to the others, as of a version of the files.
CREATE TABLE weights_of_files (
    content INTEGER PRIMARY KEY REFERENCES contents (no) ON DELETE CASCADE,
    rank    REAL NOT NULL,
    top     REAL NOT NULL,
    used    TEXT NOT NULL
) STRICT;

-- What resolves imports, such as the types a Java file defines, so that a new process need not read every
-- file. `sum` as in `calls_of_files`.
CREATE TABLE readings_of_files (
    content INTEGER NOT NULL REFERENCES contents (no) ON DELETE CASCADE,
    reader  TEXT NOT NULL,
    digest  TEXT NOT NULL,
    sum     BLOB NOT NULL,
    value   BLOB NOT NULL,
    PRIMARY KEY (content, reader)
) STRICT, WITHOUT ROWID;
