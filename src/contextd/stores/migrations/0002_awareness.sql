-- What the self-model counts is read from indexes alone, never from the records' bodies.

ALTER TABLE records ADD COLUMN context_type TEXT GENERATED ALWAYS AS (
    CASE json_type(body, '$.data.contextType')
        WHEN 'text' THEN json_extract(body, '$.data.contextType')
        ELSE ''
    END
) VIRTUAL;
ALTER TABLE records ADD COLUMN reports INTEGER GENERATED ALWAYS AS (
    json_extract(body, '$.helpful') + json_extract(body, '$.unhelpful')
) VIRTUAL;
CREATE INDEX records_tallied
    ON records (scope, status, kind, context_type, updated_at, created_at);
CREATE INDEX records_stalest ON records (scope, status, updated_at, id);
CREATE INDEX records_used ON records (scope, usage_count DESC, id) WHERE usage_count >= 5;
CREATE INDEX records_rated ON records (scope, reports DESC, id) WHERE reports > 0;

-- Found by comparing records, and found again by comparing them again; only `dismissed` and `note`
-- are somebody's decision. Whether a pair still stands is read from its records.
CREATE TABLE contradictions (
    a         TEXT NOT NULL,
    b         TEXT NOT NULL,
    kind      TEXT NOT NULL,
    reason    TEXT NOT NULL,
    found_at  INTEGER NOT NULL,
    dismissed INTEGER NOT NULL DEFAULT 0,
    note      TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (a, b),
    CHECK (a < b)
) STRICT, WITHOUT ROWID;
CREATE INDEX contradictions_of ON contradictions (b);
CREATE INDEX contradictions_latest ON contradictions (found_at DESC, a, b);
