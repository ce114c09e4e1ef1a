-- Tags and sources are words of the index. Documents of records that have some are marked as not
-- indexed, and indexed again behind everybody's back; their vectors stay.

CREATE INDEX docs_to_index ON docs (part) WHERE terms = '';
UPDATE docs SET terms = ''
    WHERE part IN (SELECT no FROM parts WHERE family = 'records')
    AND EXISTS (SELECT 1 FROM records JOIN parts ON parts.scope = records.scope
        WHERE parts.no = docs.part AND records.id = docs.id
        AND (json_array_length(body, '$.tags') > 0
            OR json_extract(body, '$.source[0]') <> ''));
