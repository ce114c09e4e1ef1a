-- From the schema of unreleased versions to that of `initial.sql`.
DROP TABLE vectors_before;

-- Each checkout of a project has an index of its own: which content stands at which path. A content, and what was
-- made of it, is stored once for all checkouts of the project that have it.
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
-- Of several checkouts nobody wrote down whose the index is; the first comparison finds what differs.
INSERT INTO checkouts (scope, root, indexed, version, removed, weighed)
    SELECT known.scope, coalesce(json_extract(projects.roots, '$[#-1]'), ''), 0,
        coalesce(version, 1), coalesce(removed, 1), coalesce(weighed, 0)
    FROM (SELECT DISTINCT scope FROM files) known
    LEFT JOIN file_clocks ON file_clocks.scope = known.scope
    LEFT JOIN projects ON projects.scope = known.scope;
DROP TABLE file_clocks;

DROP TRIGGER file_gone;
ALTER TABLE chunks RENAME TO chunks_before;
ALTER TABLE calls_of_files RENAME TO calls_before;
ALTER TABLE readings_of_files RENAME TO readings_before;
ALTER TABLE weights_of_files RENAME TO weights_before;
ALTER TABLE files RENAME TO files_before;
DROP INDEX chunks_by_id;
DROP INDEX chunks_of_file;
DROP INDEX files_by_version;

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
INSERT INTO contents SELECT no, scope, path, digest, pieces, ifnull(facts ->> '$[10]', ''),
    json_set(facts, '$[1]', 0, '$[2]', 0) FROM files_before;
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
INSERT INTO files SELECT checkouts.no, path, files_before.no, size, mtime_ns, digest, files_before.version
    FROM files_before JOIN checkouts ON checkouts.scope = files_before.scope;
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
INSERT INTO chunks SELECT no, id, file, start_line, end_line, symbol, language, text FROM chunks_before;
DROP TABLE chunks_before;
CREATE INDEX chunks_by_id ON chunks (id);
CREATE INDEX chunks_of_content ON chunks (content);

CREATE TABLE calls_of_files (
    content INTEGER PRIMARY KEY REFERENCES contents (no) ON DELETE CASCADE,
    digest  TEXT NOT NULL,
    reader  TEXT NOT NULL,
    names   TEXT NOT NULL,
    sum     BLOB NOT NULL,
    facts   BLOB NOT NULL
) STRICT;
INSERT INTO calls_of_files SELECT file, digest, reader, names, sum, facts FROM calls_before;
DROP TABLE calls_before;
CREATE TABLE weights_of_files (
    content INTEGER PRIMARY KEY REFERENCES contents (no) ON DELETE CASCADE,
    rank    REAL NOT NULL,
    top     REAL NOT NULL,
    used    TEXT NOT NULL
) STRICT;
INSERT INTO weights_of_files SELECT file, rank, top, used FROM weights_before;
DROP TABLE weights_before;
CREATE TABLE readings_of_files (
    content INTEGER NOT NULL REFERENCES contents (no) ON DELETE CASCADE,
    reader  TEXT NOT NULL,
    digest  TEXT NOT NULL,
    sum     BLOB NOT NULL,
    value   BLOB NOT NULL,
    PRIMARY KEY (content, reader)
) STRICT, WITHOUT ROWID;
INSERT INTO readings_of_files SELECT file, reader, digest, sum, value FROM readings_before;
DROP TABLE readings_before;
DROP TABLE files_before;
