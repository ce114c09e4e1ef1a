-- The bodies of events and of changes may be packed (stores/packing.py); those that are there stay text.
ALTER TABLE events RENAME TO events_before;
CREATE TABLE events (
    session INTEGER NOT NULL REFERENCES sessions (no),
    seq     INTEGER NOT NULL,
    key     TEXT NOT NULL,
    type    TEXT NOT NULL,
    body    ANY NOT NULL,
    UNIQUE (session, seq),
    UNIQUE (session, key)
) STRICT;
INSERT INTO events SELECT session, seq, key, type, body FROM events_before ORDER BY session, seq;
DROP TABLE events_before;

ALTER TABLE changes RENAME TO changes_before;
DROP INDEX changes_undone;
DROP INDEX changes_aged;
CREATE TABLE changes (
    no        INTEGER PRIMARY KEY,
    scope     TEXT NOT NULL,
    record_id TEXT NOT NULL,
    seq       INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    at        INTEGER NOT NULL,
    actor     TEXT NOT NULL,
    action    TEXT NOT NULL,
    reason    TEXT NOT NULL,
    before    ANY,
    after     ANY,
    undoes    INTEGER,
    UNIQUE (scope, record_id, seq)
) STRICT;
INSERT INTO changes SELECT no, scope, record_id, seq, kind, at, actor, action, reason, before, after,
    undoes FROM changes_before ORDER BY no;
DROP TABLE changes_before;
CREATE UNIQUE INDEX changes_undone ON changes (scope, record_id, undoes) WHERE undoes IS NOT NULL;
CREATE INDEX changes_aged ON changes (at);
