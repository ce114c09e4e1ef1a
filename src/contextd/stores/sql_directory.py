"""The known projects in SQLite."""

from __future__ import annotations

from dataclasses import replace

from contextd.domain.projects import Project
from contextd.domain.scope import Scope
from contextd.domain.time import from_micros, to_micros
from contextd.ports.knowledge import Scrub
from contextd.stores import codec, rules
from contextd.stores.database import Connection, Database, fetch
from contextd.stores.row_checks import only, readable
from contextd.stores.scrub import labels_scrubbed

_LISTED = "SELECT identity, scope, name, roots, aliases, sightings, parts, part_of, news, created_at FROM projects"
_ADD = """INSERT INTO projects (identity, scope, name, roots, aliases, sightings, parts, part_of, news, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_SAVE = """UPDATE projects SET identity = ?, name = ?, roots = ?, aliases = ?, sightings = ?, parts = ?, part_of = ?,
    news = ? WHERE scope = ?"""


_PROJECTS = "projects"
"""The lock of the directory: which scope is free depends on all of its rows."""


class SqlDirectory:
    """`Directory` in a table."""

    def __init__(self, database: Database, scrub: Scrub) -> None:
        self._database, self._scrub = database, scrub

    def all(self) -> list[Project]:
        """See `Directory.all`."""
        return readable(_project, self._database.rows(f"{_LISTED} ORDER BY scope"))

    def register(self, project: Project) -> Project:
        """See `Directory.register`."""
        project = labels_scrubbed(project, self._scrub)
        _check(project)
        with self._database.write(_PROJECTS) as connection:
            same = fetch(connection, f"{_LISTED} WHERE identity = ?", (project.identity,))
            if same:
                known = only(_project, same[0], f"project {project.name}")
                joined = replace(
                    known,
                    roots=tuple(rules.distinct((*known.roots, *project.roots))),
                    aliases=tuple(rules.distinct((*known.aliases, *project.aliases))),
                    sightings=tuple(rules.distinct((*known.sightings, *project.sightings))),
                )
                if joined != known:
                    _save(connection, joined)
                return joined
            added = replace(project, scope=_free(connection, project.scope))
            at = to_micros(added.created_at)
            row = (added.identity, str(added.scope), added.name, *_lists(added), at)
            connection.execute(_ADD, row)
        return replace(added, created_at=from_micros(at))

    def save(self, project: Project) -> None:
        """See `Directory.save`."""
        project = labels_scrubbed(project, self._scrub)
        _check(project)
        with self._database.write(_PROJECTS) as connection:
            _save(connection, project)


def _save(connection: Connection, project: Project) -> None:
    row = (project.identity, project.name, *_lists(project), str(project.scope))
    connection.execute(_SAVE, row)


def _lists(project: Project) -> tuple[str, str, str, str, str, str]:
    return (
        codec.dumps(project.roots),
        codec.dumps(project.aliases),
        codec.dumps(project.sightings),
        codec.dumps([str(one) for one in project.parts]),
        str(project.part_of or ""),
        codec.dumps(project.news),
    )


def _check(project: Project) -> None:
    """Raise `Invalid` for text that cannot be stored."""
    codec.dumps([project.identity, project.name, _lists(project)])


def _free(connection: Connection, wanted: Scope) -> Scope:
    """The scope, or the next numbered one whose name is free in the team."""
    taken = {scope for (scope,) in fetch(connection, "SELECT scope FROM projects")}
    found, number = wanted, 2
    while str(found) in taken:
        found = Scope(wanted.org, wanted.team, f"{wanted.project}-{number}")
        number += 1
    return found


def _project(row: tuple[str, str, str, str, str, str, str, str, str, int]) -> Project:
    identity, scope, name, roots, aliases, sightings, parts, part_of, news, created_at = row
    return Project(
        identity=identity,
        scope=codec.parse_scope(scope),
        name=name,
        roots=tuple(codec.loads(roots)),
        aliases=tuple(codec.loads(aliases)),
        sightings=tuple(codec.loads(sightings)),
        part_of=codec.parse_scope(part_of) if part_of else None,
        parts=tuple(map(codec.parse_scope, codec.loads(parts))),
        news=tuple(codec.loads(news)),
        created_at=from_micros(created_at),
    )
