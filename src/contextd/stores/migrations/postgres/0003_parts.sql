-- What checkouts write that the owner does not trust is a part of the project: which one it belongs to, and which parts joined.
ALTER TABLE projects ADD COLUMN parts words NOT NULL DEFAULT '[]';
ALTER TABLE projects ADD COLUMN part_of words NOT NULL DEFAULT '';
