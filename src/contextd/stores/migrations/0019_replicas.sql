-- What several processes over one database share: values by name, such as the redaction key, and the machines that
-- are running, which jobs with a checkout name.
CREATE TABLE shared_values (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE places (
    place   TEXT PRIMARY KEY,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
