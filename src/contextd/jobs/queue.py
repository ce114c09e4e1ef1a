"""The workers: each takes the due jobs of its lanes from the durable queue and runs them.

A worker sleeps until something is due or somebody wakes it: an idle contextd costs no CPU.
"""

from __future__ import annotations

import logging
import os
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from contextd.domain.changes import NewJob
from contextd.domain.errors import Conflict, ContextdError
from contextd.domain.jobs import Job, Lane
from contextd.ports import Clock, Queue

LEASE_SECONDS = 12.0
LONGEST_SLEEP = 60.0

_log = logging.getLogger(__name__)


class Hold:
    """A worker's hold on a job while it runs it. Once the lease is lost, another worker may run the
    job: whoever works on it asks `lost` between steps and stops.
    """

    def __init__(self, queue: Queue, job: Job, worker: str) -> None:
        self._queue, self._job, self._worker = queue, job, worker
        self._lost, self._over = threading.Event(), threading.Event()

    @property
    def lost(self) -> bool:
        """Whether the job is no longer ours."""
        return self._lost.is_set()

    def keep(self, state: Mapping[str, Any]) -> None:
        """Keep how far the job came. Raises `Conflict` when it is no longer ours."""
        self.check()
        self._queue.checkpoint(self._job.id, self._worker, state)

    def check(self) -> None:
        """Raise `Conflict` when the job is no longer ours: nothing more may be written for it."""
        if self._lost.is_set():
            raise Conflict(f"the lease of {self._job.name} was lost", "another worker runs it")

    def renew_until_over(self) -> None:
        """Renew the lease three times as often as it would run out."""
        while not self._over.wait(LEASE_SECONDS / 3):
            try:
                if not self._queue.renew(self._job.id, self._worker, LEASE_SECONDS):
                    _log.warning("lease of %s lost: stopping it", self._job.name)
                    self._lost.set()
                    return
            except ContextdError as error:
                _log.warning("lease of %s not renewed: %s", self._job.name, error.message)

    def over(self) -> None:
        """Stop renewing."""
        self._over.set()


Run = Callable[[Job, Hold], Mapping[str, Any]]
"""Runs a job; its result."""


def retry_seconds(attempts: int) -> float:
    """How long a failed job rests: 2, 4, 8 … seconds, at most 15 minutes."""
    return float(min(900, 2**attempts))


class Worker:
    """Runs the jobs of some lanes, one at a time. `rounds` are the jobs that come round."""

    def __init__(
        self,
        queue: Queue,
        clock: Clock,
        run: Run,
        *,
        lanes: Sequence[Lane],
        place: str,
        rounds: Mapping[str, NewJob],
    ) -> None:
        self._queue, self._clock, self._run = queue, clock, run
        self._lanes, self._place, self._rounds = lanes, place, rounds
        self._name = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._wanted = threading.Event()
        self._active = 0

    def wake(self) -> None:
        """Look for due jobs now."""
        self._wanted.set()

    def idle(self) -> bool:
        """Whether no job is running or due."""
        due = self._queue.next_due(self._lanes, self._place)
        return self._active == 0 and (due is None or due > self._clock.now())

    def run_one(self) -> bool:
        """Take and run the next due job. False when there is none."""
        self._queue.come_round(self._rounds)
        job = self._queue.claim(self._name, LEASE_SECONDS, lanes=self._lanes, place=self._place)
        if job is None:
            return False
        self._active += 1
        hold = Hold(self._queue, job, self._name)
        keeper = threading.Thread(target=hold.renew_until_over, name="lease", daemon=True)
        keeper.start()
        try:
            self._work(job, hold)
        finally:
            hold.over()
            keeper.join()
            self._active -= 1
        return True

    def _work(self, job: Job, hold: Hold) -> None:
        try:
            result = self._run(job, hold)
        except Exception as error:  # noqa: BLE001 - whatever it is, the job says so
            if hold.lost:
                return
            known = isinstance(error, ContextdError)
            told = f"{error.code}: {error.message}" if known else repr(error)  # type: ignore[attr-defined]
            if not known:
                _log.exception("job %s failed", job.name)
            self._settle(lambda: self._fail(job, told), job)
            return
        if not hold.lost:
            self._settle(lambda: self._queue.finish(job.id, self._name, result), job)

    def _fail(self, job: Job, error: str) -> None:
        self._queue.fail(job.id, self._name, error, retry_seconds(job.attempts))

    def _settle(self, write: Callable[[], None], job: Job) -> None:
        try:
            write()
        except Conflict:
            _log.warning("%s ended after its lease: its other run counts", job.name)

    def run(self, stop: threading.Event) -> None:
        """Take jobs until told to stop. What is left in the queue stays there."""
        while not stop.is_set():
            try:
                if self.run_one():
                    continue
                due = self._queue.next_due(self._lanes, self._place)
            except ContextdError as error:
                _log.warning("queue not read: %s", error.message)
                due = None
            pause = LONGEST_SLEEP
            if due is not None:
                pause = (due - self._clock.now()).total_seconds()
            self._wanted.wait(min(LONGEST_SLEEP, max(0.02, pause)))
            self._wanted.clear()
