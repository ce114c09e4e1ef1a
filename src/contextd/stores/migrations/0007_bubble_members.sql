-- How many entries a bubble has, without reading them.
CREATE INDEX records_in_bubble ON records
    (json_extract(body, '$.data.bubbleId'), scope, kind, status, created_at, id)
    WHERE json_extract(body, '$.data.bubbleId') IS NOT NULL;
