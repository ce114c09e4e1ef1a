"""The durable queue. Every step locks the rows it decides about, so that two workers cannot both win, and a claim
skips rows that another one has locked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from contextd.domain.changes import NewJob
from contextd.domain.jobs import Job, JobState, Lane, Schedule
from contextd.domain.records import new_id
from contextd.domain.time import from_micros, to_micros
from contextd.ports.knowledge import Scrub
from contextd.stores import codec, rules
from contextd.stores.database import Connection, Database, fetch
from contextd.stores.granted_rows import GrantedRows
from contextd.stores.row_checks import some_instant
from contextd.stores.scrub import scrubbed
from contextd.stores.sql_conditions import BEGINS, placeholders

_LISTED = """id, scope, name, arguments, state, lane, priority, place, unique_key, attempts,
    max_attempts, run_at, checkpoint, error, result, created_at, finished_at"""
_ADD = """INSERT INTO jobs (id, scope, name, arguments, state, lane, priority, place, unique_key,
    max_attempts, run_at, created_at) VALUES (?, ?, ?, ?, 'ready', ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING RETURNING id"""
_WAITING = "SELECT id FROM jobs WHERE scope = ? AND unique_key = ? AND state = 'ready'"
_DUE = """SELECT seq FROM jobs WHERE lane IN ({lanes}) AND place IN ('', ?)
    AND ((state = 'ready' AND run_at <= ?) OR (state = 'running' AND lease_until <= ?))
    ORDER BY priority DESC, run_at, seq LIMIT 1"""
_GIVE_UP = """UPDATE jobs SET state = 'failed', error = ?, finished_at = ?, worker = '',
    lease_until = NULL WHERE seq IN (SELECT seq FROM jobs WHERE state = 'running'
    AND lease_until <= ? AND attempts >= max_attempts /* FOR UPDATE SKIP LOCKED */)"""
_CLAIM = f"""UPDATE jobs SET state = 'running', attempts = attempts + 1, worker = ?,
    lease_until = ? WHERE seq = ? RETURNING {_LISTED}"""
_ORPHANED = """place <> '' AND created_at < ? AND (state = 'ready' OR (state = 'running' AND lease_until < ?))
    AND place NOT IN (SELECT place FROM places WHERE seen_at >= ?)"""
_MOVE = f"UPDATE jobs SET place = '' WHERE {_ORPHANED} AND name IN ({{names}}) RETURNING {_LISTED}"
_FAIL = f"""UPDATE jobs SET state = 'failed', error = ? || place || ?, finished_at = ?, worker = '',
    lease_until = NULL WHERE {_ORPHANED} RETURNING {_LISTED}"""
_SUPERSEDED = codec.dumps(rules.SUPERSEDED)
_HELD = "id = ? AND worker = ? AND state = 'running'"
_KEY = "SELECT scope, unique_key FROM jobs WHERE id = ?"
_ROUNDS = "SELECT scope, job, due_at, every FROM schedules WHERE due_at <= ?"


class SqlJobs:
    """`Jobs`, limited to a grant."""

    def __init__(self, database: Database, granted: GrantedRows) -> None:
        self._database, self._scopes = database, granted.everywhere()
        if any("/" not in scope for scope in self._scopes):
            # Readers of the organisation's knowledge also see its own jobs.
            self._scopes = ["", *self._scopes]
        self._mine = f"scope IN ({placeholders(self._scopes)})"

    def list(
        self, *, states: Sequence[JobState] = (), prefix: str = "", limit: int = 50
    ) -> list[Job]:
        """See `Jobs.list`."""
        condition, values = self._mine, [*self._scopes]
        if states:
            condition += f" AND state IN ({placeholders(states)})"
            values += states
        if prefix:
            condition += f" AND {BEGINS}"
            values += (prefix, prefix)
        rows = self._database.rows(
            f"SELECT {_LISTED} FROM jobs WHERE {condition} ORDER BY seq DESC LIMIT ?",
            (*values, max(0, limit)),
        )
        return [_from_row(row) for row in rows]

    def count(self) -> dict[str, int]:
        """See `Jobs.count`."""
        return dict(
            self._database.rows(
                f"SELECT state, count(*) FROM jobs WHERE {self._mine} GROUP BY state", self._scopes
            )
        )

    def retry(self, job_id: str) -> bool:
        """See `Jobs.retry`."""
        now = self._database.now()
        with self._database.write(*_lock_of(self._database, job_id)) as connection:
            failed = fetch(
                connection,
                "SELECT scope, unique_key FROM jobs"
                f" WHERE id = ? AND state = 'failed' AND {self._mine} /* FOR UPDATE */",
                (job_id, *self._scopes),
            )
            if failed and not _waits(connection, *failed[0]):
                _leave(connection, job_id, state="ready", attempts=0, run_at=now, finished_at=None)
        return bool(failed)


class SqlQueue:
    """`Queue` in a table."""

    def __init__(self, database: Database, scrub: Scrub) -> None:
        self._database, self._scrub = database, scrub

    def add(self, jobs: Sequence[NewJob]) -> list[str]:
        """See `Queue.add`."""
        now = self._database.now()
        jobs = [scrubbed(job, self._scrub) for job in jobs]
        rows = [job_row(job, now) for job in jobs]
        with self._database.write(*key_locks(jobs)) as connection:
            return [write_job(connection, row) for row in rows]

    def claim(
        self, worker: str, lease_seconds: float, *, lanes: Sequence[Lane], place: str
    ) -> Job | None:
        """See `Queue.claim`."""
        now = self._database.now()
        due = _DUE.format(lanes=placeholders(lanes))
        asked = (*lanes, place, now, now)
        # An idle worker only reads, so it does not queue with the writers.
        if self._database.value(due, asked) is None:
            return None
        until = to_micros(rules.lease_end(from_micros(now), lease_seconds))
        with self._database.write() as connection:
            connection.execute(_GIVE_UP, (rules.LOST_WORKER, now, now))
            found = fetch(connection, f"{due} /* FOR UPDATE SKIP LOCKED */", asked)
            rows = fetch(connection, _CLAIM, (worker, until, found[0][0])) if found else []
        return _from_row(rows[0]) if rows else None

    def renew(self, job_id: str, worker: str, lease_seconds: float) -> bool:
        """See `Queue.renew`."""
        now = from_micros(self._database.now())
        until = to_micros(rules.lease_end(now, lease_seconds))
        return self._update("lease_until = ?", (until,), job_id, worker)

    def keep_progress(self, job_id: str, worker: str, state: Mapping[str, Any]) -> None:
        """See `Queue.keep_progress`."""
        reached = codec.dumps(scrubbed(dict(state), self._scrub))
        if not self._update("checkpoint = ?", (reached,), job_id, worker):
            raise rules.lost_job(job_id, worker)

    def finish(self, job_id: str, worker: str, result: Mapping[str, Any]) -> None:
        """See `Queue.finish`."""
        made, now = codec.dumps(scrubbed(dict(result), self._scrub)), self._database.now()
        with self._database.write() as connection:
            _held(connection, job_id, worker)
            _leave(connection, job_id, state="done", result=made, finished_at=now, error="")

    def fail(self, job_id: str, worker: str, error: str, retry_in: float | None) -> None:
        """See `Queue.fail`."""
        error = self._scrub(error)
        codec.check_text(error)
        now = self._database.now()
        with self._database.write(*_lock_of(self._database, job_id)) as connection:
            _, left, superseded = _held(connection, job_id, worker)
            if retry_in is None or not left:
                over = {"state": "failed", "result": "{}", "finished_at": now}
            elif superseded:
                over = {"state": "done", "result": _SUPERSEDED, "finished_at": now}
            else:
                again = to_micros(from_micros(now) + timedelta(seconds=retry_in))
                over = {"state": "ready", "result": "{}", "finished_at": None, "run_at": again}
            _leave(connection, job_id, error=error, **over)

    def release(self, job_id: str, worker: str) -> None:
        """See `Queue.release`."""
        now = self._database.now()
        with self._database.write(*_lock_of(self._database, job_id)) as connection:
            attempts, _, superseded = _held(connection, job_id, worker)
            if superseded:
                _leave(connection, job_id, state="done", result=_SUPERSEDED, finished_at=now)
            else:
                _leave(connection, job_id, state="ready", attempts=attempts - 1, run_at=now)

    def _update(self, change: str, values: Sequence[Any], job_id: str, worker: str) -> bool:
        with self._database.write() as connection:
            held = f"UPDATE jobs SET {change} WHERE {_HELD} RETURNING 1"
            return bool(fetch(connection, held, (*values, job_id, worker)))

    def schedule(self, schedule: Schedule) -> None:
        """See `Queue.schedule`."""
        every = schedule.every // timedelta(microseconds=1) if schedule.every else None
        row = (_scope(schedule), schedule.job, to_micros(schedule.due_at), every)
        known = self._database.rows(
            "SELECT due_at, every FROM schedules WHERE scope = ? AND job = ?", row[:2]
        )
        if known and (every is not None or known[0][0] <= row[2]) and known[0][1] == every:
            return
        earlier = (
            "schedules.due_at" if every is not None else "min(schedules.due_at, excluded.due_at)"
        )
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO schedules (scope, job, due_at, every) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (scope, job) DO UPDATE"
                f" SET due_at = {earlier}, every = excluded.every",
                row,
            )

    def come_round(self, lanes: Mapping[str, NewJob]) -> int:
        """See `Queue.come_round`."""
        now = self._database.now()
        due = self._database.rows(_ROUNDS, (now,))
        rounds: dict[Any, NewJob] = {
            row: rules.round_of(lanes[row[1]], codec.parse_scope(row[0]) if row[0] else None)
            for row in due
            if row[1] in lanes and codec.is_scope(row[0])
        }
        if not due:
            return 0
        with self._database.write(*key_locks(rounds.values())) as connection:
            # What came due meanwhile is the next round's.
            locked = fetch(connection, f"{_ROUNDS} /* FOR UPDATE SKIP LOCKED */", (now,))
            rows = [row for row in locked if row in due]
            for scope, job, due_at, every in rows:
                if every is None or every <= 0 or not codec.is_scope(scope):
                    sql = "DELETE FROM schedules WHERE scope = ? AND job = ?"
                    connection.execute(sql, (scope, job))
                else:
                    step = timedelta(microseconds=every)
                    later = rules.next_round(some_instant(due_at), step, from_micros(now))
                    connection.execute(
                        "UPDATE schedules SET due_at = ? WHERE scope = ? AND job = ?",
                        (to_micros(later), scope, job),
                    )
                if (scope, job, due_at, every) in rounds:
                    added = rounds[scope, job, due_at, every]
                    write_job(connection, job_row(added, now))
        return len(rows)

    def next_due(self, lanes: Sequence[Lane], place: str) -> datetime | None:
        """See `Queue.next_due`."""
        within = f"lane IN ({placeholders(lanes)}) AND place IN ('', ?)"
        rows = self._database.rows(
            f"SELECT min(run_at) FROM jobs WHERE state = 'ready' AND {within}"
            f" UNION ALL SELECT min(lease_until) FROM jobs WHERE state = 'running' AND {within}"
            " UNION ALL SELECT min(due_at) FROM schedules",
            (*lanes, place, *lanes, place),
        )
        times = [due for (due,) in rows if due is not None]
        return some_instant(min(times)) if times else None

    def expect(self, place: str) -> None:
        """See `Queue.expect`. A file has no other organisation."""


def due_by_place(database: Database, place: str) -> dict[str, int]:
    """When the next work is due that may run anywhere, under an empty name, and at `place`."""
    rows = database.rows(
        "SELECT place, min(run_at) FROM jobs WHERE state = 'ready' AND place IN ('', ?) GROUP BY place"
        " UNION ALL SELECT place, min(lease_until) FROM jobs WHERE state = 'running' AND place IN ('', ?)"
        " GROUP BY place UNION ALL SELECT '', min(due_at) FROM schedules",
        (place, place),
    )
    found: dict[str, int] = {}
    for where, due in rows:
        if due is not None:
            found[where] = min(due, found.get(where, due))
    return found


def failed_jobs(database: Database, limit: int) -> list[Job]:
    """See `Upkeep.failed_jobs`."""
    rows = database.rows(
        f"SELECT {_LISTED} FROM jobs WHERE state = 'failed' ORDER BY seq DESC LIMIT ?",
        (max(0, limit),),
    )
    return [_from_row(row) for row in rows]


def settle_orphans(database: Database, gone_after: timedelta, movable: Sequence[str]) -> list[Job]:
    """See `Replicas.settle_orphans`."""
    now = database.now()
    last_seen = now - gone_after // timedelta(microseconds=1)
    orphaned = (last_seen, now, last_seen)
    if database.value(f"SELECT 1 FROM jobs WHERE {_ORPHANED} LIMIT 1", orphaned) is None:
        return []
    move = _MOVE.format(names=placeholders(movable))
    error = rules.place_gone(gone_after)
    with database.write() as connection:
        rows = fetch(connection, move, (*orphaned, *movable))
        rows += fetch(connection, _FAIL, (*error, now, *orphaned))
    return [_from_row(row) for row in rows]


def _held(connection: Connection, job_id: str, worker: str) -> tuple[int, bool, bool]:
    """The attempts of a job that `worker` holds, whether more are left, and whether the same work waits
    again. Raises `Conflict` if the lease was lost.
    """
    held = fetch(
        connection,
        f"SELECT scope, unique_key, attempts, max_attempts FROM jobs WHERE {_HELD} /* FOR UPDATE */",
        (job_id, worker),
    )
    if not held:
        raise rules.lost_job(job_id, worker)
    [(scope, unique_key, attempts, most)] = held
    return attempts, attempts < most, _waits(connection, scope, unique_key)


def key_locks(jobs: Iterable[NewJob]) -> set[str]:
    """The locks of a write that makes these jobs wait: one per unique key, because one job may wait under it."""
    return {_key_lock(_scope(job), job.unique_key) for job in jobs if job.unique_key}


def _key_lock(scope: str, unique_key: str) -> str:
    return f"job {scope} {unique_key}"


def _lock_of(database: Database, job_id: str) -> set[str]:
    """The lock of a job's unique key, which never changes."""
    return {_key_lock(scope, key) for scope, key in database.rows(_KEY, (job_id,)) if key}


def _waits(connection: Connection, scope: str, unique_key: str) -> bool:
    """Whether the work with this key waits already."""
    return bool(unique_key and fetch(connection, _WAITING, (scope, unique_key)))


def _leave(connection: Connection, job_id: str, **columns: Any) -> None:
    """End a worker's lease, and set these columns."""
    changes = ", ".join(f"{name} = ?" for name in columns)
    connection.execute(
        f"UPDATE jobs SET {changes}, worker = '', lease_until = NULL WHERE id = ?",
        (*columns.values(), job_id),
    )


JobRow = tuple[Any, ...]


def job_row(job: NewJob, now: int) -> JobRow:
    """A new job in stored form."""
    return (
        new_id(),
        _scope(job),
        job.name,
        codec.dumps(dict(job.arguments)),
        job.lane,
        job.priority,
        job.place,
        job.unique_key,
        job.max_attempts,
        to_micros(job.run_at) if job.run_at else now,
        now,
    )


def write_job(connection: Connection, row: JobRow) -> str:
    """Add a job; return its id, or that of the waiting one with the same unique key, which takes the
    earlier of both due times.
    """
    scope, unique_key, run_at = row[1], row[7], row[9]
    while True:
        added = fetch(connection, _ADD, row) or fetch(
            connection,
            "UPDATE jobs SET run_at = min(run_at, ?) WHERE scope = ? AND unique_key = ?"
            " AND state = 'ready' RETURNING id",
            (run_at, scope, unique_key),
        )
        # Without either, a worker took the waiting job between the two statements.
        if added:
            return str(added[0][0])


def _scope(owned: NewJob | Schedule) -> str:
    return str(owned.scope or "")


def _from_row(row: Sequence[Any]) -> Job:
    (
        id_, scope, name, arguments, state, lane, priority, place, key, attempts, most, run_at,
        reached, error, result, created, finished,
    ) = row  # fmt: skip
    texts = {"arguments": arguments, "checkpoint": reached, "result": result}
    values = {column: _mapping(text) for column, text in texts.items()}
    faults = [column for column, value in values.items() if value is None]
    faults += ["scope"] if not codec.is_scope(scope) else []
    return Job(
        id=id_,
        scope=codec.parse_scope(scope) if scope and "scope" not in faults else None,
        name=name,
        arguments=values["arguments"] or {},
        state=state,
        lane=lane,
        priority=priority,
        place=place,
        unique_key=key,
        attempts=attempts,
        max_attempts=most,
        run_at=some_instant(run_at),
        progress=values["checkpoint"] or {},
        error=error,
        result=values["result"] or {},
        created_at=some_instant(created),
        finished_at=None if finished is None else some_instant(finished),
        unreadable=f"unreadable: {', '.join(faults)}" if faults else "",
    )


def _mapping(text: str) -> dict[str, Any] | None:
    """The object in a JSON text; None for any other value."""
    try:
        found = codec.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
