-- Which session a connection's calls belong to, for every process over this database. `digest` is of the connection's name.
CREATE TABLE seats (
    scope   TEXT NOT NULL,
    digest  TEXT NOT NULL,
    session TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (scope, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX seats_aged ON seats (at);
