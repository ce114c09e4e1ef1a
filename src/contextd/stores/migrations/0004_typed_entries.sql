-- Entries of one type, newest first, without reading those of the others.
CREATE INDEX records_typed ON records
    (json_extract(body, '$.data.contextType'), scope, kind, status, created_at, id)
    WHERE json_extract(body, '$.data.contextType') IS NOT NULL;
