-- What files say of their calls, read when somebody asks for callers. Derived: `digest` is of the content
-- it was read from, `sum` of `facts` and of what can read them.
CREATE TABLE calls_of_files (
    file   INTEGER PRIMARY KEY REFERENCES files (no) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    reader TEXT NOT NULL,
    names  TEXT NOT NULL,
    sum    BLOB NOT NULL,
    facts  BLOB NOT NULL
) STRICT;
