-- Which files a change elsewhere may lead to other places is looked up by what their imports say: a row per
-- file that has any. Files from before are without one until they are read again.
CREATE VIRTUAL TABLE import_words USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
CREATE TRIGGER file_gone AFTER DELETE ON files BEGIN
    DELETE FROM import_words WHERE rowid = old.no;
END;

-- What was written or removed since somebody last looked is found without a look at every file.
ALTER TABLE files ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
CREATE INDEX files_by_version ON files (scope, version);
CREATE TABLE file_clocks (
    scope   TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    removed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO file_clocks SELECT DISTINCT scope, 1, 1 FROM files;
UPDATE files SET version = 1;
