-- What was seen of a project, at each of its checkouts: first commits with remotes, ids, and sources.
ALTER TABLE projects ADD COLUMN sightings words NOT NULL DEFAULT '[]';
