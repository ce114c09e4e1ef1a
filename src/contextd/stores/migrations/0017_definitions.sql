-- Where a name is defined is looked up as well: the row of words of a file says what it defines, beside what
-- its imports say. Files from before are without that until they are read again.
DROP TRIGGER file_gone;
ALTER TABLE import_words RENAME TO file_words;
CREATE TRIGGER file_gone AFTER DELETE ON files BEGIN
    DELETE FROM file_words WHERE rowid = old.no;
END;
CREATE VIRTUAL TABLE words_of_files USING fts5vocab (file_words, row);

-- How much files and what they define matter to the others, as of a version of the files. Derived.
CREATE TABLE weights_of_files (
    file INTEGER PRIMARY KEY REFERENCES files (no) ON DELETE CASCADE,
    rank REAL NOT NULL,
    top  REAL NOT NULL,
    used TEXT NOT NULL
) STRICT;
ALTER TABLE file_clocks ADD COLUMN weighed INTEGER NOT NULL DEFAULT 0;

-- What was made of files to know where imports lead, such as the types a Java file defines, so that a process that
-- starts need not read all of them. Derived; `sum` as in `calls_of_files`.
CREATE TABLE readings_of_files (
    file   INTEGER NOT NULL REFERENCES files (no) ON DELETE CASCADE,
    reader TEXT NOT NULL,
    digest TEXT NOT NULL,
    sum    BLOB NOT NULL,
    value  BLOB NOT NULL,
    PRIMARY KEY (file, reader)
) STRICT, WITHOUT ROWID;
