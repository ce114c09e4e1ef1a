"""The usage log and the known projects in SQLite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

import apsw

from contextd.domain.sessions import Observation, ObservationSummary, Project
from contextd.domain.time import from_micros, to_micros
from contextd.stores import codec, rules
from contextd.stores.connection import Database, fetch

_LOG = """INSERT INTO observations (at, action, operation, type, record_ids, query, agent)
    VALUES (?, ?, ?, ?, ?, ?, ?)"""
_TOTALS = """UPDATE observation_totals SET reads = reads + ?, writes = writes + ?,
    misses = misses + ?, last_activity = max(ifnull(last_activity, ?4), ?4), kept = ?"""
_MISSED = """INSERT INTO missed_queries (query, count, latest) VALUES (?1, 1, ?2)
    ON CONFLICT (query) DO UPDATE SET count = count + 1, latest = ?2"""
_MAKE_ROOM = """DELETE FROM missed_queries
    WHERE (SELECT count(*) FROM missed_queries) >= ?
    AND NOT EXISTS (SELECT 1 FROM missed_queries WHERE query = ?)
    AND query = (SELECT query FROM missed_queries ORDER BY count, latest LIMIT 1)"""
_TYPE = """INSERT INTO observation_types (counted, type, count) VALUES (?, ?, ?)
    ON CONFLICT (counted, type) DO UPDATE SET count = count + excluded.count"""


_names = attrgetter("action", "operation", "type")


class SqliteObservations:
    """`Observations` in a table of the latest ones and three of totals."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, observations: Sequence[Observation]) -> None:
        """See `Observations.append`."""
        rows = [
            (to_micros(o.at), *_names(o), codec.dumps(o.record_ids), o.query, o.agent)
            for o in observations
        ]
        if not rows:
            return
        with self._database.write() as connection:
            connection.executemany(_LOG, rows)
            self._count(connection, observations)

    def _count(self, connection: apsw.Connection, observations: Sequence[Observation]) -> None:
        [(misses, kept)] = fetch(connection, "SELECT misses, kept FROM observation_totals")
        counts = Counter(rules.COUNTED_AS[o.action] for o in observations)
        missed = [o.query for o in observations if o.action == "miss" and o.query]
        for place, query in enumerate(missed, misses + 1):
            connection.execute(_MAKE_ROOM, (rules.MISSED_QUERIES, query))
            connection.execute(_MISSED, (query, place))
        types = Counter((rules.COUNTED_AS[o.action], o.type) for o in observations if o.type)
        for (counted, type_), count in types.items():
            if counted != "misses":
                connection.execute(_TYPE, (counted, type_, count))
        for agent, count in Counter(o.agent for o in observations if o.agent).items():
            connection.execute(_TYPE, ("agents", agent, count))
        left = kept
        for _ in observations:
            left = left + 1 if left < rules.OBSERVATIONS else left + 1 - rules.OBSERVATIONS_DROPPED
        last = max(to_micros(o.at) for o in observations)
        totals = (counts["reads"], counts["writes"], counts["misses"], last, left)
        connection.execute(_TOTALS, totals)
        dropped = kept + len(observations) - left
        if dropped:
            connection.execute(
                "DELETE FROM observations WHERE seq IN"
                " (SELECT seq FROM observations ORDER BY seq LIMIT ?)",
                (dropped,),
            )

    def recent(self, limit: int = 100) -> list[Observation]:
        """See `Observations.recent`."""
        rows = self._database.rows(
            "SELECT at, action, operation, type, record_ids, query, agent FROM observations"
            " ORDER BY seq DESC LIMIT ?",
            (max(0, limit),),
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
            )
            for at, action, operation, type_, ids, query, agent in rows
        ]

    def summary(self) -> ObservationSummary:
        """See `Observations.summary`."""
        with self._database.snapshot():
            [(reads, writes, misses, last)] = self._database.rows(
                "SELECT reads, writes, misses, last_activity FROM observation_totals"
            )
            types = self._database.rows("SELECT counted, type, count FROM observation_types")
            missed = self._database.rows("SELECT query, count FROM missed_queries ORDER BY latest")
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
