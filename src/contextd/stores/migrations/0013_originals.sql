-- What stands behind a digest. `body` is compressed: logs shrink to a tenth.
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
