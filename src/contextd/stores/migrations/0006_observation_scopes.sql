-- Whose reads, writes and misses they were: '' for calls that stood in no project. What was logged
-- before belongs to the one project of the home, or to none where there are several.

ALTER TABLE observations ADD COLUMN scope TEXT NOT NULL DEFAULT '';
CREATE INDEX observations_of_scope ON observations (scope, seq);

CREATE TABLE observation_scopes (
    scope         TEXT PRIMARY KEY,
    reads         INTEGER NOT NULL,
    writes        INTEGER NOT NULL,
    misses        INTEGER NOT NULL,
    last_activity INTEGER
) STRICT, WITHOUT ROWID;

ALTER TABLE observation_types RENAME TO observation_types_of_all;
CREATE TABLE observation_types (
    scope   TEXT NOT NULL,
    counted TEXT NOT NULL,
    type    TEXT NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (scope, counted, type)
) STRICT, WITHOUT ROWID;

ALTER TABLE missed_queries RENAME TO missed_queries_of_all;
DROP INDEX missed_least;
CREATE TABLE missed_queries (
    scope  TEXT NOT NULL,
    query  TEXT NOT NULL,
    count  INTEGER NOT NULL,
    latest INTEGER NOT NULL,
    PRIMARY KEY (scope, query)
) STRICT;
CREATE INDEX missed_least ON missed_queries (scope, count, latest);

CREATE TEMP TABLE known_as AS
    SELECT CASE count(*) WHEN 1 THEN max(scope) ELSE '' END AS scope FROM projects;
UPDATE observations SET scope = (SELECT scope FROM known_as);
INSERT INTO observation_scopes
    SELECT known_as.scope, reads, writes, misses, last_activity
    FROM observation_totals, known_as WHERE reads + writes + misses > 0;
INSERT INTO observation_types
    SELECT scope, counted, type, count FROM observation_types_of_all, known_as;
INSERT INTO missed_queries
    SELECT scope, query, count, latest FROM missed_queries_of_all, known_as;
DROP TABLE known_as;
DROP TABLE observation_types_of_all;
DROP TABLE missed_queries_of_all;
