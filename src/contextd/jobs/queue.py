"""The worker: takes due jobs from the durable queue and runs them, one thread per lane.

It sleeps until something is due or somebody wakes it: an idle contextd costs no CPU.
"""

from __future__ import annotations

import logging
import os
import threading
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from contextd.domain.errors import ContextdError
from contextd.domain.sessions import Job
from contextd.ports import Clock, Store

LEASE_SECONDS = 12.0
LONGEST_SLEEP = 60.0

Run = Callable[[Job, Callable[[Mapping[str, Any]], None]], Mapping[str, Any]]
"""Runs a job; the second argument keeps a checkpoint for the next attempt."""

_log = logging.getLogger(__name__)


def retry_at(now: datetime, attempts: int) -> datetime:
    """When a failed job runs again: after 2, 4, 8 … seconds, at most 15 minutes."""
    return now + timedelta(seconds=min(900, 2**attempts))


class Worker:
    """Runs jobs until closed."""

    def __init__(self, store: Store, clock: Clock, run: Run, lanes: int = 1) -> None:
        self._store, self._clock, self._run_job = store, clock, run
        self._name = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._wanted, self._closing = threading.Event(), threading.Event()
        self._active, self._lock = 0, threading.Lock()
        self._threads = [
            threading.Thread(target=self._loop, name=f"worker-{lane}", daemon=True)
            for lane in range(lanes)
        ]

    def start(self) -> None:
        """Begin taking jobs."""
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Look for due jobs now."""
        self._wanted.set()

    def idle(self) -> bool:
        """Whether no job is running or due."""
        due = self._store.jobs.next_due()
        return self._active == 0 and (due is None or due > self._clock.now())

    def close(self) -> None:
        """Finish the running jobs and stop. What is left in the queue stays there."""
        self._closing.set()
        self._wanted.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout=30)

    def run_one(self) -> bool:
        """Take and run the next due job. False when there is none."""
        job = self._store.jobs.claim(self._name, LEASE_SECONDS, self._clock.now())
        if job is None:
            return False
        with self._lock:
            self._active += 1
        beat = threading.Event()
        keeper = threading.Thread(target=self._keep_lease, args=(job, beat), daemon=True)
        keeper.start()
        try:
            result = self._run_job(job, lambda state: self._checkpoint(job, state))
            self._store.jobs.finish(job.id, self._name, result, self._clock.now())
        except ContextdError as error:
            self._failed(job, f"{error.code}: {error.message}")
        except Exception as error:  # noqa: BLE001 - a defect in one job must not stop the others
            _log.exception("job %s failed", job.name)
            self._failed(job, repr(error))
        finally:
            beat.set()
            keeper.join()
            with self._lock:
                self._active -= 1
        return True

    def _failed(self, job: Job, error: str) -> None:
        now = self._clock.now()
        self._store.jobs.fail(job.id, self._name, error, now, retry_at(now, job.attempts))

    def _checkpoint(self, job: Job, state: Mapping[str, Any]) -> None:
        self._store.jobs.checkpoint(job.id, self._name, state)

    def _keep_lease(self, job: Job, done: threading.Event) -> None:
        while not done.wait(LEASE_SECONDS / 3):
            try:
                self._store.jobs.renew(job.id, self._name, LEASE_SECONDS, self._clock.now())
            except ContextdError as error:
                _log.warning("lease of %s not renewed: %s", job.name, error.message)

    def _loop(self) -> None:
        while not self._closing.is_set():
            try:
                if self.run_one():
                    continue
                due = self._store.jobs.next_due()
            except ContextdError as error:
                _log.warning("queue not read: %s", error.message)
                due = None
            now = self._clock.now()
            pause = LONGEST_SLEEP if due is None else (due - now).total_seconds()
            self._wanted.wait(min(LONGEST_SLEEP, max(0.02, pause)))
            self._wanted.clear()
