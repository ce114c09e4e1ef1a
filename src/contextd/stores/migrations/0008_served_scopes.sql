-- What one project was told must not keep another from learning it.

DROP TABLE served;
CREATE TABLE served (
    scope  TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (scope, digest)
) STRICT, WITHOUT ROWID;
