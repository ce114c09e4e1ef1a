"""The usage log in SQLite: the latest observations of each scope, and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import apsw

from contextd.domain.scope import Scope
from contextd.domain.time import from_micros, to_micros
from contextd.domain.usage import Observation, ObservationSummary
from contextd.stores import codec, rules
from contextd.stores.connection import Database, fetch, placeholders
from contextd.stores.granted_rows import Reach
from contextd.stores.row_checks import readable

_LOG = """INSERT INTO observations (at, action, operation, type, record_ids, query, agent, scope)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
_OF_SCOPE = """INSERT INTO observation_scopes (scope, reads, writes, misses, last_activity, logged)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (scope) DO UPDATE SET reads = reads + excluded.reads,
    writes = writes + excluded.writes, misses = misses + excluded.misses,
    last_activity = max(last_activity, excluded.last_activity), logged = excluded.logged"""
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
    """`Observations`, limited to a grant."""

    def __init__(self, database: Database, reach: Reach) -> None:
        self._database, self._reach = database, reach

    def recent(self, scopes: frozenset[Scope], limit: int = 100) -> list[Observation]:
        """See `Observations.recent`."""
        among = self._reach.among(scopes)
        rows = self._database.rows(
            "SELECT at, action, operation, type, record_ids, query, agent, scope FROM observations"
            f" WHERE scope IN ({placeholders(among)}) ORDER BY at DESC, seq DESC LIMIT ?",
            (*among, max(0, limit)),
        )
        return readable(_observation, rows)

    def summary(self, scopes: frozenset[Scope]) -> ObservationSummary:
        """See `Observations.summary`."""
        among = self._reach.among(scopes)
        within = f"WHERE scope IN ({placeholders(among)})"
        with self._database.snapshot():
            [(reads, writes, misses, last)] = self._database.rows(
                "SELECT ifnull(sum(reads), 0), ifnull(sum(writes), 0), ifnull(sum(misses), 0),"
                f" max(last_activity) FROM observation_scopes {within}",
                among,
            )
            types = self._database.rows(
                "SELECT counted, type, sum(count) FROM observation_types"
                f" {within} GROUP BY counted, type",
                among,
            )
            missed = self._database.rows(
                f"SELECT query, sum(count) FROM missed_queries {within}"
                " GROUP BY query ORDER BY max(latest), query",
                among,
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


Row = tuple[Any, ...]


def _observation(row: Row) -> Observation:
    at, action, operation, type_, ids, query, agent, scope = row
    return Observation(
        at=from_micros(at),
        action=action,
        operation=operation,
        type=type_,
        record_ids=tuple(codec.loads(ids)),
        query=query,
        agent=agent,
        scope=codec.parse_scope(scope),
    )


def observation_row(one: Observation) -> Row:
    """An observation in stored form."""
    ids = codec.dumps(one.record_ids)
    return (to_micros(one.at), *_names(one), ids, one.query, one.agent, str(one.scope or ""))


def log(
    connection: apsw.Connection, observations: Sequence[Observation], rows: Sequence[Row]
) -> None:
    """Add observations to the logs of their scopes; `rows` are their stored forms."""
    by_scope: dict[str, list[Observation]] = {}
    for one in observations:
        by_scope.setdefault(str(one.scope or ""), []).append(one)
    connection.executemany(_LOG, rows)
    for scope, mine in by_scope.items():
        _log_in(connection, scope, mine)


def _log_in(connection: apsw.Connection, scope: str, observations: Sequence[Observation]) -> None:
    before = fetch(
        connection, "SELECT misses, logged FROM observation_scopes WHERE scope = ?", (scope,)
    )
    misses, logged = before[0] if before else (0, 0)
    missed = [one.query for one in observations if one.action == "miss" and one.query]
    for place, query in enumerate(missed, misses + 1):
        connection.execute(_MAKE_ROOM, (scope, query, rules.MISSED_QUERIES))
        connection.execute(_MISSED, (scope, query, place))
    left = logged
    for _ in observations:
        left = left + 1 if left < rules.OBSERVATIONS else left + 1 - rules.OBSERVATIONS_DROPPED
    counts = Counter(rules.COUNTED_AS[one.action] for one in observations)
    last = max(to_micros(one.at) for one in observations)
    totals = (counts["reads"], counts["writes"], counts["misses"], last, left)
    connection.execute(_OF_SCOPE, (scope, *totals))
    dropped = logged + len(observations) - left
    if dropped:
        connection.execute(
            "DELETE FROM observations WHERE seq IN"
            " (SELECT seq FROM observations WHERE scope = ? ORDER BY seq LIMIT ?)",
            (scope, dropped),
        )
    types = Counter((rules.COUNTED_AS[one.action], one.type) for one in observations if one.type)
    for (counted, type_), count in types.items():
        if counted != "misses":
            connection.execute(_TYPE, (scope, counted, type_, count))
    for agent, count in Counter(one.agent for one in observations if one.agent).items():
        connection.execute(_TYPE, (scope, "agents", agent, count))
