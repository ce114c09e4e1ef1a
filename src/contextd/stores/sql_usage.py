"""The usage log in SQLite: the latest observations of each scope, and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from contextd.domain.scope import Scope
from contextd.domain.time import from_micros, to_micros
from contextd.domain.usage import ByProducts, Observation, ObservationSummary
from contextd.stores import codec, rules
from contextd.stores.database import Connection, Database, later
from contextd.stores.granted_rows import GrantedRows
from contextd.stores.row_checks import readable
from contextd.stores.sql_conditions import placeholders
from contextd_common.dataclass import dataclass

_OBSERVED = """INSERT INTO observations (at, action, operation, type, record_ids, query, agent, scope)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
_OF_SCOPE = """INSERT INTO observation_scopes (scope, reads, writes, misses, last_activity, logged)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (scope) DO UPDATE SET reads = observation_scopes.reads + excluded.reads,
    writes = observation_scopes.writes + excluded.writes,
    misses = observation_scopes.misses + excluded.misses,
    last_activity = max(observation_scopes.last_activity, excluded.last_activity),
    logged = observation_scopes.logged + excluded.logged RETURNING misses, logged"""
_DROPPED = "UPDATE observation_scopes SET logged = logged - ? WHERE scope = ?"
_MISSED = """INSERT INTO missed_queries (scope, query, count, latest) VALUES (?1, ?2, 1, ?3)
    ON CONFLICT (scope, query) DO UPDATE SET count = missed_queries.count + 1, latest = ?3"""
_MAKE_ROOM = """DELETE FROM missed_queries
    WHERE (SELECT count(*) FROM missed_queries WHERE scope = ?1) >= ?3
    AND NOT EXISTS (SELECT 1 FROM missed_queries WHERE scope = ?1 AND query = ?2)
    AND scope = ?1 AND query =
        (SELECT query FROM missed_queries WHERE scope = ?1 ORDER BY count, latest LIMIT 1)"""
_TYPES = """INSERT INTO observation_types (scope, counted, type, count) VALUES {rows}
    ON CONFLICT (scope, counted, type) DO UPDATE SET count = observation_types.count + excluded.count"""

_HAND_OUT = """INSERT INTO handed_out (scope, session, digest, at) VALUES (?, ?, ?, ?)
    ON CONFLICT (scope, session, digest) DO UPDATE SET at = excluded.at"""
_USE = """UPDATE records SET usage_count = usage_count + 1, last_used_at = ?
    WHERE scope = ? AND id = ?"""

_names = attrgetter("action", "operation", "type")


class SqlObservations:
    """`Observations`, limited to a grant."""

    def __init__(self, database: Database, granted: GrantedRows) -> None:
        self._database, self._granted = database, granted

    def recent(self, scopes: frozenset[Scope], limit: int = 100) -> list[Observation]:
        """See `Observations.recent`."""
        among = self._granted.among(scopes)
        rows = self._database.rows(
            "SELECT at, action, operation, type, record_ids, query, agent, scope FROM observations"
            f" WHERE scope IN ({placeholders(among)}) ORDER BY at DESC, seq DESC LIMIT ?",
            (*among, max(0, limit)),
        )
        return readable(_observation, rows)

    def summary(self, scopes: frozenset[Scope]) -> ObservationSummary:
        """See `Observations.summary`."""
        among = self._granted.among(scopes)
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


def _observation_row(one: Observation) -> Row:
    """An observation in stored form."""
    ids = codec.dumps(one.record_ids)
    return (to_micros(one.at), *_names(one), ids, one.query, one.agent, str(one.scope or ""))


@dataclass(frozen=True, slots=True)
class NoteRows:
    """By-products of calls in stored form."""

    observations: Sequence[Observation]
    observed: Sequence[Row]
    uses: Sequence[Row]
    handed_out: Sequence[Row]


def note_rows(by_products: ByProducts, now: int) -> NoteRows | None:
    """Scrubbed by-products in stored form; None without any."""
    codec.check_text(*(one.digest for one in by_products.handed_out))
    if not (by_products.observations or by_products.handed_out or by_products.uses):
        return None
    return NoteRows(
        by_products.observations,
        [_observation_row(one) for one in by_products.observations],
        # In one order, so that two writers of the same rows never wait for each other.
        sorted((now, str(one.scope), one.record_id) for one in by_products.uses),
        sorted((str(one.scope), one.session, one.digest, now) for one in by_products.handed_out),
    )


def write_notes(connection: Connection, rows: NoteRows) -> None:
    """Write by-products of calls."""
    if rows.observed:
        _log(connection, rows.observations, rows.observed)
    connection.executemany(_HAND_OUT, rows.handed_out)
    connection.executemany(_USE, rows.uses)


def _log(connection: Connection, observations: Sequence[Observation], rows: Sequence[Row]) -> None:
    """Add observations to the logs of their scopes; `rows` are their stored forms."""
    by_scope: dict[str, list[Observation]] = {}
    for one in observations:
        by_scope.setdefault(str(one.scope or ""), []).append(one)
    connection.executemany(_OBSERVED, rows)
    for scope, mine in sorted(by_scope.items()):
        _log_in(connection, scope, mine)


def _log_in(connection: Connection, scope: str, observations: Sequence[Observation]) -> None:
    counts = Counter(rules.COUNTED_AS[one.action] for one in observations)
    last = max(to_micros(one.at) for one in observations)
    totals = (counts["reads"], counts["writes"], counts["misses"], last, len(observations))
    missed = [one.query for one in observations if one.action == "miss" and one.query]

    def counted(rows: list[Any]) -> None:
        [(misses, logged)] = rows
        for place, query in enumerate(missed, misses - counts["misses"] + 1):
            connection.execute(_MAKE_ROOM, (scope, query, rules.MISSED_QUERIES))
            connection.execute(_MISSED, (scope, query, place))
        _drop_oldest(connection, scope, logged)

    # Changing this row first keeps other writers of the scope out of the rows below.
    later(connection, _OF_SCOPE, (scope, *totals), counted)
    types: Counter[tuple[str, str]] = Counter()
    for one in observations:
        types.update([(rules.COUNTED_AS[one.action], one.type)] if one.type else ())
        types.update([("agents", one.agent)] if one.agent else ())
    values = [
        (scope, name, type_, count) for (name, type_), count in types.items() if name != "misses"
    ]
    if values:
        sql = _TYPES.format(rows=", ".join(["(?, ?, ?, ?)"] * len(values)))
        connection.execute(sql, [value for row in values for value in row])


def _drop_oldest(connection: Connection, scope: str, logged: int) -> None:
    dropped = 0
    while logged - dropped > rules.OBSERVATIONS:
        dropped += rules.OBSERVATIONS_DROPPED
    if dropped:
        connection.execute(_DROPPED, (dropped, scope))
        connection.execute(
            "DELETE FROM observations WHERE seq IN"
            " (SELECT seq FROM observations WHERE scope = ? ORDER BY seq LIMIT ?)",
            (scope, dropped),
        )
