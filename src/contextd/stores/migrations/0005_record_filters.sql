-- Derived from the records' bodies, so that filters by tag, trust and source read no body.

CREATE TABLE record_tags (
    tag TEXT NOT NULL,
    id  TEXT NOT NULL,
    PRIMARY KEY (tag, id)
) STRICT, WITHOUT ROWID;
INSERT INTO record_tags
    SELECT DISTINCT atom, records.id FROM records, json_each(records.body, '$.tags');
CREATE TRIGGER records_tagged AFTER INSERT ON records BEGIN
    INSERT INTO record_tags SELECT DISTINCT atom, new.id FROM json_each(new.body, '$.tags');
END;
CREATE TRIGGER records_retagged AFTER UPDATE OF body ON records
WHEN json_extract(old.body, '$.tags') <> json_extract(new.body, '$.tags') BEGIN
    DELETE FROM record_tags WHERE id = old.id
        AND tag IN (SELECT atom FROM json_each(old.body, '$.tags'));
    INSERT INTO record_tags SELECT DISTINCT atom, new.id FROM json_each(new.body, '$.tags');
END;
CREATE TRIGGER records_untagged AFTER DELETE ON records BEGIN
    DELETE FROM record_tags WHERE id = old.id
        AND tag IN (SELECT atom FROM json_each(old.body, '$.tags'));
END;

ALTER TABLE records ADD COLUMN trust TEXT GENERATED ALWAYS AS (
    json_extract(body, '$.trust')
) VIRTUAL;
ALTER TABLE records ADD COLUMN source TEXT GENERATED ALWAYS AS (
    coalesce(
        nullif(json_extract(body, '$.source[0]'), ''),
        nullif(json_extract(body, '$.source[1]'), ''),
        nullif(json_extract(body, '$.source[2]'), ''),
        'unknown'
    )
) VIRTUAL;
CREATE INDEX records_trusted ON records (trust, scope, status, kind, created_at, id);
CREATE INDEX records_from ON records (source, scope, status, kind, created_at, id);
