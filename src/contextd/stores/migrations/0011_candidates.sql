-- A candidate says something too: what is recorded beside it would repeat it.
DROP INDEX records_said;
CREATE INDEX records_said ON records (scope, content_hash) WHERE status IN ('active', 'candidate', 'inbox');
