-- What checkouts write that the owner does not trust is a part of the project: which one it belongs to, and which parts
-- joined. The news of a project, such as a move, is told once.
ALTER TABLE projects ADD COLUMN parts words NOT NULL DEFAULT '[]';
ALTER TABLE projects ADD COLUMN part_of words NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN news words NOT NULL DEFAULT '[]';
