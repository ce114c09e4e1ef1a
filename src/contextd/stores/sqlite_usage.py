"""The usage log and the known projects in SQLite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

import apsw

from contextd.domain.scope import Scope
from contextd.domain.sessions import Observation, ObservationSummary, Project
from contextd.domain.time import from_micros, to_micros
from contextd.stores import codec, rules
from contextd.stores.connection import Database, fetch

_LOG = """INSERT INTO observations (at, action, operation, type, record_ids, query, agent, scope)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
_TOTALS = """UPDATE observation_totals SET reads = reads + ?, writes = writes + ?,
    misses = misses + ?, last_activity = max(ifnull(last_activity, ?4), ?4), kept = ?"""
_OF_SCOPE = """INSERT INTO observation_scopes VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (scope) DO UPDATE SET reads = reads + excluded.reads,
    writes = writes + excluded.writes, misses = misses + excluded.misses,
    last_activity = max(last_activity, excluded.last_activity)"""
_MISSED = """INSERT INTO missed_queries (scope, query, count, latest) VALUES (?1, ?2, 1, ?3)
    ON CONFLICT (scope, query) DO UPDATE SET count = count + 1, latest = ?3"""
_MAKE_ROOM = """DELETE FROM missed_queries
    WHERE (SELECT count(*) FROM missed_queries WHERE scope = ?1) >= ?3
    AND NOT EXISTS (SELECT 1 FROM missed_queries WHERE scope = ?1 AND query = ?2)
    AND scope = ?1 AND query =
        (SELECT query FROM missed_queries WHERE scope = ?1 ORDER BY count, latest LIMIT 1)"""
_TYPE = """INSERT INTO observation_types (scope, counted, type, count) VALUES (?, ?, ?, ?)
    ON CONFLICT (scope, counted, type) DO UPDATE SET count = count + excluded.count"""


_names = attrgetter("action", "operation", "type")


class SqliteObservations:
    """`Observations` in a table of the latest ones and four of totals."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, observations: Sequence[Observation]) -> None:
        """See `Observations.append`."""
        rows = [
            (to_micros(o.at), *_names(o), codec.dumps(o.record_ids), o.query, o.agent, _scope(o))
            for o in observations
        ]
        if not rows:
            return
        with self._database.write() as connection:
            connection.executemany(_LOG, rows)
            self._count(connection, observations)
            for scope in {_scope(o) for o in observations}:
                _count_in(connection, scope, [o for o in observations if _scope(o) == scope])

    def _count(self, connection: apsw.Connection, observations: Sequence[Observation]) -> None:
        [(misses, kept)] = fetch(connection, "SELECT misses, kept FROM observation_totals")
        missed = [(_scope(o), o.query) for o in observations if o.action == "miss" and o.query]
        for place, (scope, query) in enumerate(missed, misses + 1):
            connection.execute(_MAKE_ROOM, (scope, query, rules.MISSED_QUERIES))
            connection.execute(_MISSED, (scope, query, place))
        left = kept
        for _ in observations:
            left = left + 1 if left < rules.OBSERVATIONS else left + 1 - rules.OBSERVATIONS_DROPPED
        connection.execute(_TOTALS, (*_totals(observations), left))
        dropped = kept + len(observations) - left
        if dropped:
            connection.execute(
                "DELETE FROM observations WHERE seq IN"
                " (SELECT seq FROM observations ORDER BY seq LIMIT ?)",
                (dropped,),
            )

    def recent(
        self, limit: int = 100, *, scopes: frozenset[Scope] | None = None
    ) -> list[Observation]:
        """See `Observations.recent`."""
        within, values = _within(scopes)
        rows = self._database.rows(
            "SELECT at, action, operation, type, record_ids, query, agent, scope FROM observations"
            f" {within} ORDER BY seq DESC LIMIT ?",
            (*values, max(0, limit)),
        )
        return [
            Observation(
                at=from_micros(at),
                action=action,
                operation=operation,
                type=type_,
                record_ids=tuple(codec.loads(ids)),
                query=query,
                agent=agent,
                scope=codec.parse_scope(scope) if scope else None,
            )
            for at, action, operation, type_, ids, query, agent, scope in rows
        ]

    def summary(self, *, scopes: frozenset[Scope] | None = None) -> ObservationSummary:
        """See `Observations.summary`."""
        within, values = _within(scopes)
        with self._database.snapshot():
            [(reads, writes, misses, last)] = self._database.rows(
                "SELECT ifnull(sum(reads), 0), ifnull(sum(writes), 0), ifnull(sum(misses), 0),"
                f" max(last_activity) FROM observation_scopes {within}",
                values,
            )
            types = self._database.rows(
                "SELECT counted, type, sum(count) FROM observation_types"
                f" {within} GROUP BY counted, type",
                values,
            )
            missed = self._database.rows(
                f"SELECT query, sum(count) FROM missed_queries {within}"
                " GROUP BY query ORDER BY max(latest)",
                values,
            )
        return ObservationSummary(
            reads=reads,
            writes=writes,
            misses=misses,
            missed_queries=dict(missed),
            read_frequency={name: n for counted, name, n in types if counted == "reads"},
            write_frequency={name: n for counted, name, n in types if counted == "writes"},
            agent_frequency={name: n for counted, name, n in types if counted == "agents"},
            last_activity=codec.instant(last),
        )


def _scope(observation: Observation) -> str:
    return str(observation.scope or "")


def _within(scopes: frozenset[Scope] | None) -> tuple[str, tuple[str, ...]]:
    if scopes is None:
        return "", ()
    return f"WHERE scope IN ({', '.join('?' * len(scopes))})", tuple(map(str, scopes))


def _totals(observations: Sequence[Observation]) -> tuple[int, int, int, int]:
    counts = Counter(rules.COUNTED_AS[o.action] for o in observations)
    last = max(to_micros(o.at) for o in observations)
    return counts["reads"], counts["writes"], counts["misses"], last


def _count_in(connection: apsw.Connection, scope: str, observations: Sequence[Observation]) -> None:
    connection.execute(_OF_SCOPE, (scope, *_totals(observations)))
    types = Counter((rules.COUNTED_AS[o.action], o.type) for o in observations if o.type)
    for (counted, type_), count in types.items():
        if counted != "misses":
            connection.execute(_TYPE, (scope, counted, type_, count))
    for agent, count in Counter(o.agent for o in observations if o.agent).items():
        connection.execute(_TYPE, (scope, "agents", agent, count))


class SqliteProjects:
    """`Projects` in a table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, project: Project) -> None:
        """See `Projects.save`."""
        row = (
            project.identity,
            str(project.scope),
            project.name,
            codec.dumps(project.roots),
            codec.dumps(project.aliases),
            to_micros(project.created_at),
        )
        with self._database.write() as connection:
            connection.execute("INSERT OR REPLACE INTO projects VALUES (?, ?, ?, ?, ?, ?)", row)

    def by_identity(self, identity: str) -> Project | None:
        """See `Projects.by_identity`."""
        found = self._read("WHERE identity = ?", (identity,))
        return found[0] if found else None

    def all(self) -> list[Project]:
        """See `Projects.all`."""
        return self._read("ORDER BY scope, identity", ())

    def _read(self, condition: str, values: Sequence[str]) -> list[Project]:
        rows = self._database.rows(
            "SELECT identity, scope, name, roots, aliases, created_at FROM projects " + condition,
            values,
        )
        return [
            Project(
                identity=identity,
                scope=codec.parse_scope(scope),
                name=name,
                roots=tuple(codec.loads(roots)),
                aliases=tuple(codec.loads(aliases)),
                created_at=from_micros(created_at),
            )
            for identity, scope, name, roots, aliases, created_at in rows
        ]
