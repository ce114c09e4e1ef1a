CREATE TABLE context_items (
    session_id TEXT NOT NULL REFERENCES sessions (id),
    type       TEXT NOT NULL CHECK (type IN ('file', 'module', 'discovery', 'session')),
    source     TEXT NOT NULL,
    tokens     INTEGER NOT NULL CHECK (tokens >= 0),
    count      INTEGER NOT NULL CHECK (count >= 0),
    first_at   INTEGER NOT NULL,
    last_at    INTEGER NOT NULL,
    score      REAL NOT NULL CHECK (score BETWEEN 0 AND 1),
    status     TEXT NOT NULL CHECK (status IN ('active', 'archived')),
    reason     TEXT NOT NULL,
    PRIMARY KEY (session_id, type, source)
) STRICT, WITHOUT ROWID;
