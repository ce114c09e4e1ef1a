"""The durable queue in SQLite. Every step is one statement, so that two workers cannot both win."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from contextd.domain.records import new_id
from contextd.domain.sessions import Job
from contextd.domain.time import from_micros, to_micros
from contextd.stores import codec, rules
from contextd.stores.connection import Database, fetch, placeholders

_LISTED = """id, name, arguments, state, unique_key, attempts, max_attempts, run_at, checkpoint,
    error, result, created_at, finished_at"""
_ENQUEUE = """INSERT INTO jobs
    (id, name, arguments, state, unique_key, max_attempts, run_at, created_at)
    VALUES (?, ?, ?, 'ready', ?, ?, ?, ?) RETURNING id"""
_SAME = """SELECT id FROM jobs WHERE unique_key = ? AND unique_key <> ''
    AND (state = 'ready' OR substr(unique_key, 1, 5) = 'cron:')"""
_DUE = """SELECT seq FROM jobs WHERE (state = 'ready' AND run_at <= :now)
    OR (state = 'running' AND lease_until <= :now) ORDER BY run_at, seq LIMIT 1"""
_GIVE_UP = """UPDATE jobs SET state = 'failed', error = :lost, finished_at = :now, worker = '',
    lease_until = NULL
    WHERE state = 'running' AND lease_until <= :now AND attempts >= max_attempts"""
_CLAIM = f"""UPDATE jobs SET state = 'running', attempts = attempts + 1, worker = :worker,
    lease_until = :until WHERE seq = ({_DUE}) RETURNING {_LISTED}"""
_FAIL = """UPDATE jobs SET error = ?1, worker = '', lease_until = NULL,
    state = iif(attempts < max_attempts, 'ready', 'failed'),
    run_at = iif(attempts < max_attempts, ?2, run_at),
    finished_at = iif(attempts < max_attempts, NULL, ?3)"""


def _from_row(row: Sequence[Any]) -> Job:
    id_, name, arguments, state, key, attempts, most, run_at, reached, error, result, *times = row
    return Job(
        id=id_,
        name=name,
        arguments=codec.loads(arguments),
        state=state,
        unique_key=key,
        attempts=attempts,
        max_attempts=most,
        run_at=from_micros(run_at),
        checkpoint=codec.loads(reached),
        error=error,
        result=codec.loads(result),
        created_at=from_micros(times[0]),
        finished_at=codec.instant(times[1]),
    )


class SqliteJobs:
    """`Jobs` in a table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def enqueue(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        unique_key: str = "",
        run_at: datetime | None = None,
        max_attempts: int = 5,
    ) -> str:
        """See `Jobs.enqueue`."""
        now = to_micros(self._database.clock.now())
        due = to_micros(run_at) if run_at else now
        row = (new_id(), name, codec.dumps(dict(arguments)), unique_key, max_attempts, due, now)
        with self._database.write() as connection:
            same = fetch(connection, _SAME, (unique_key,)) if unique_key else []
            [(job_id,), *_] = same or fetch(connection, _ENQUEUE, row)
            return str(job_id)

    def claim(self, worker: str, lease_seconds: float, now: datetime) -> Job | None:
        """See `Jobs.claim`. A job that lost its last attempt's worker is failed for good."""
        values = {
            "now": to_micros(now),
            "until": to_micros(rules.lease_end(now, lease_seconds)),
            "worker": worker,
            "lost": rules.LOST_WORKER,
        }
        # An idle worker reads only: it must not queue at the gate.
        if self._database.value(_DUE, values) is None:
            return None
        with self._database.write() as connection:
            connection.execute(_GIVE_UP, values)
            rows = fetch(connection, _CLAIM, values)
        return _from_row(rows[0]) if rows else None

    def renew(self, job_id: str, worker: str, lease_seconds: float, now: datetime) -> bool:
        """See `Jobs.renew`."""
        until = to_micros(rules.lease_end(now, lease_seconds))
        return self._update("UPDATE jobs SET lease_until = ?", (until,), job_id, worker)

    def checkpoint(self, job_id: str, worker: str, state: Mapping[str, Any]) -> None:
        """See `Jobs.checkpoint`. Raises `Conflict` when the worker no longer holds the job."""
        kept = codec.dumps(dict(state))
        if not self._update("UPDATE jobs SET checkpoint = ?", (kept,), job_id, worker):
            raise rules.lost_job(job_id, worker)

    def finish(self, job_id: str, worker: str, result: Mapping[str, Any], now: datetime) -> None:
        """See `Jobs.finish`. Raises `Conflict` when the worker no longer holds the job."""
        done = (
            "UPDATE jobs SET state = 'done', result = ?, finished_at = ?, error = '',"
            " worker = '', lease_until = NULL"
        )
        if not self._update(done, (codec.dumps(dict(result)), to_micros(now)), job_id, worker):
            raise rules.lost_job(job_id, worker)

    def fail(self, job_id: str, worker: str, error: str, now: datetime, retry_at: datetime) -> None:
        """See `Jobs.fail`. Raises `Conflict` when the worker no longer holds the job."""
        values = (error, to_micros(retry_at), to_micros(now))
        if not self._update(_FAIL, values, job_id, worker):
            raise rules.lost_job(job_id, worker)

    def retry(self, job_id: str, now: datetime) -> bool:
        """See `Jobs.retry`."""
        again = (
            "UPDATE jobs SET state = 'ready', attempts = 0, run_at = ?, finished_at = NULL"
            " WHERE id = ? AND state = 'failed' RETURNING 1"
        )
        with self._database.write() as connection:
            return bool(fetch(connection, again, (to_micros(now), job_id)))

    def _update(self, change: str, values: Sequence[Any], job_id: str, worker: str) -> bool:
        with self._database.write() as connection:
            held = f"{change} WHERE id = ? AND worker = ? AND state = 'running' RETURNING 1"
            return bool(fetch(connection, held, (*values, job_id, worker)))

    def list(self, *, states: Sequence[str] = (), limit: int = 50) -> list[Job]:
        """See `Jobs.list`."""
        condition = f"WHERE state IN ({placeholders(states)})" if states else ""
        rows = self._database.rows(
            f"SELECT {_LISTED} FROM jobs {condition} ORDER BY seq DESC LIMIT ?",
            (*states, max(0, limit)),
        )
        return [_from_row(row) for row in rows]

    def next_due(self) -> datetime | None:
        """See `Jobs.next_due`."""
        rows = self._database.rows(
            "SELECT min(run_at) FROM jobs WHERE state = 'ready'"
            " UNION ALL SELECT min(lease_until) FROM jobs WHERE state = 'running'"
        )
        times = [due for (due,) in rows if due is not None]
        return from_micros(min(times)) if times else None
