-- Which files a change elsewhere may lead to other places is looked up by what their imports say: a row per
-- file that has any. Files from before are without one until they are read again.
CREATE VIRTUAL TABLE import_words USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
CREATE TRIGGER file_gone AFTER DELETE ON files BEGIN
    DELETE FROM import_words WHERE rowid = old.no;
END;
