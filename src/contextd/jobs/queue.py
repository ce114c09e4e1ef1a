"""Workers: each takes due jobs of its lanes from the durable queue and runs them, one at each step."""

from __future__ import annotations

import itertools
import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from contextd.domain.changes import NewJob
from contextd.domain.jobs import Job, Lane
from contextd.domain.records import short_id
from contextd.jobs.table import job_named
from contextd.ports.upkeep import Clock
from contextd.ports.work import Queue
from contextd_common.errors import Conflict, ContextdError, Invalid, Unavailable

LEASE_SECONDS = 12.0
_AGAIN_SECONDS = 0.25
"""How soon a worker looks again for a due job that it could not claim, and after an error of the store two seconds."""

_RETRY_SECONDS = 2.0

_log = logging.getLogger(__name__)


class Hold:
    """A worker's lease on the job it runs. Once the lease is lost, another worker may run the job, so the
    job calls `check` between steps; that also stops it when `stopping` is set.
    """

    def __init__(self, queue: Queue, job: Job, worker: str, stopping: threading.Event) -> None:
        self._queue, self._job, self._worker = queue, job, worker
        self._stopping = stopping
        self._lost, self._over = threading.Event(), threading.Event()

    @property
    def owner(self) -> str:
        """The name of this attempt in the queue."""
        return self._worker

    @property
    def lost(self) -> bool:
        """Whether the lease was lost."""
        return self._lost.is_set()

    def keep(self, state: Mapping[str, Any]) -> None:
        """Store the job's progress. Raises `Conflict` if the lease was lost."""
        self.check()
        self._queue.keep_progress(self._job.id, self._worker, state)

    def check(self) -> None:
        """Raise `Conflict` if the lease was lost: the job must write nothing more. Raise `Unavailable`
        when the worker stops: the job is released.
        """
        if self._lost.is_set():
            raise Conflict(f"the lease of {self._job.name} was lost", "another worker runs it")
        if self._stopping.is_set():
            raise Unavailable(
                f"{self._job.name} was interrupted because contextd stops", "it continues later"
            )

    def give_back(self) -> None:
        """Release the job without counting this attempt; remaining code of it may not write."""
        if self._lost.is_set():
            return
        self._lost.set()
        try:
            self._queue.release(self._job.id, self._worker)
            _log.info("%s was released: it continues at the next start", self._job.name)
        except ContextdError as error:
            _log.warning("%s could not be released: %s", self._job.name, error.message)

    def renew_until_over(self) -> None:
        """Renew the lease three times per lease period."""
        while not self._over.wait(LEASE_SECONDS / 3) and not self._lost.is_set():
            try:
                if not self._queue.renew(self._job.id, self._worker, LEASE_SECONDS):
                    _log.warning("lease of %s lost: stopping it", self._job.name)
                    self._lost.set()
                    return
            except ContextdError as error:
                _log.warning("lease of %s not renewed: %s", self._job.name, error.message)
            except Exception:  # noqa: BLE001 - else nobody would tell the job that its lease was lost
                _log.exception("lease of %s not renewed", self._job.name)

    def over(self) -> None:
        """Stop renewing."""
        self._over.set()


Run = Callable[[Job, Hold], Mapping[str, Any]]
"""Runs a job and returns its result."""


def retry_seconds(attempts: int) -> float:
    """Seconds before a failed job is retried: 2, 4, 8 …, at most 15 minutes."""
    return float(min(900, 2**attempts))


def _refusal(job: Job) -> str:
    """Why this version cannot run a job; empty if it can."""
    if job.unreadable:
        return f"corrupt: {job.unreadable}"
    try:
        job_named(job.name)
    except Invalid as error:
        return f"{error.code}: {error.message}; it may belong to another version of contextd"
    return ""


def _whose(job: Job) -> str:
    """The project and the session of a job, for the log."""
    place = f" in {job.scope}" if job.scope else ""
    session = str(job.arguments.get("session_id", ""))
    return place + (f", session {short_id(session)}" if session else "")


class Worker:
    """Runs the jobs of some lanes, one at a time. `rounds` are the recurring jobs. `done` is called when nothing is
    due any more after some jobs ran.
    """

    def __init__(
        self,
        queue: Queue,
        clock: Clock,
        run: Run,
        *,
        lanes: Sequence[Lane],
        place: str,
        rounds: Mapping[str, NewJob],
        done: Callable[[], object] = lambda: None,
    ) -> None:
        self._queue, self._clock, self._run = queue, clock, run
        self._lanes, self._place, self._rounds = lanes, place, rounds
        self._done, self._ran = done, False
        self._name, self._claims = f"{os.getpid()}-{uuid.uuid4().hex[:8]}", itertools.count(1)
        self._stopping = threading.Event()
        self._hold: Hold | None = None
        self._taking = threading.Lock()

    def stop(self) -> None:
        """Take no more jobs. The running one stops at its next step and is released."""
        self._stopping.set()

    def give_back(self) -> None:
        """Release the running job, which did not stop in time. After `stop` no job is taken any more when this
        returns: one that is being claimed is waited for and released.
        """
        with self._taking:
            hold = self._hold
        if hold is not None:
            hold.give_back()

    def idle(self) -> bool:
        """Whether no job is running or due."""
        due = self._queue.next_due(self._lanes, self._place)
        return self._hold is None and (due is None or due > self._clock.now())

    def run_one(self) -> bool:
        """Take and run the next due job. False if there is none or the worker stops."""
        if self._stopping.is_set():
            return False
        self._queue.come_round(self._rounds)
        # A name for each claim: what an earlier attempt still writes under its own name is refused.
        owner = f"{self._name}-{next(self._claims)}"
        with self._taking:
            # Asked again here: a stop between the first look and the claim would find no job to release.
            stops = self._stopping.is_set()
            job = (
                None
                if stops
                else self._queue.claim(owner, LEASE_SECONDS, lanes=self._lanes, place=self._place)
            )
            if job is None:
                return False
            self._hold = hold = Hold(self._queue, job, owner, self._stopping)
        keeper = threading.Thread(target=hold.renew_until_over, name="lease", daemon=True)
        keeper.start()
        try:
            self._work(job, hold)
        finally:
            hold.over()
            keeper.join()
            self._hold = None
        return True

    def _work(self, job: Job, hold: Hold) -> None:
        refusal = _refusal(job)
        if refusal:
            _log.warning("job %s cannot run: %s", job.name, refusal)
            self._settle(lambda: self._queue.fail(job.id, hold.owner, refusal, None), job)
            return
        began = time.monotonic()
        try:
            result = self._run(job, hold)
        except Exception as error:  # noqa: BLE001 - whatever it is, the job says so
            if not hold.lost:
                self._ended_early(job, hold, error)
            return
        if not hold.lost:
            self._settle(lambda: self._queue.finish(job.id, hold.owner, result), job)
            took = time.monotonic() - began
            _log.info("job %s done in %.1f s%s: %s", job.name, took, _whose(job), dict(result))

    def _ended_early(self, job: Job, hold: Hold, error: Exception) -> None:
        if self._stopping.is_set():
            hold.give_back()
            return
        known = isinstance(error, ContextdError)
        reason = f"{error.code}: {error.message}" if known else repr(error)  # type: ignore[attr-defined]
        if known:
            _log.info(
                "job %s failed in attempt %d%s: %s", job.name, job.attempts, _whose(job), reason
            )
        else:
            _log.exception("job %s failed", job.name)
        again = retry_seconds(job.attempts)
        self._settle(lambda: self._queue.fail(job.id, hold.owner, reason, again), job)

    def _settle(self, write: Callable[[], None], job: Job) -> None:
        try:
            write()
        except Conflict:
            _log.warning("%s finished after losing its lease: the other run counts", job.name)

    def step(self) -> float | None:
        """Run the next due job; return the seconds until the next one is due, None if none is known."""
        try:
            if self.run_one():
                self._ran = True
                return 0.0
            due = self._queue.next_due(self._lanes, self._place)
        except ContextdError as error:
            _log.warning("queue not read: %s", error.message)
            return _RETRY_SECONDS
        if self._stopping.is_set():
            return None
        if self._ran:
            self._ran = False
            self._done()
        return seconds_until(due, self._clock)


def seconds_until(due: datetime | None, clock: Clock) -> float | None:
    """Seconds until a job is due, at least those after which one that could not be claimed is tried again."""
    return None if due is None else max(_AGAIN_SECONDS, (due - clock.now()).total_seconds())
