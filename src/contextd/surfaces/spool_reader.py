"""Take in the events that hooks left in the spool, each project by itself.

An event that fails because of its own project is set aside, with every later event of that project behind it, and
tried again. Only a failure of the store stops them all.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread

from contextd.redaction.cutting import beginning
from contextd.redaction.redact import redact
from contextd.thin import spool
from contextd.thin.plain_json import text_in
from contextd.thin.set_aside import EventQueue, queue_for, queues_in, set_aside_in
from contextd_common.dataclass import dataclass
from contextd_common.errors import Busy, ContextdError, Corrupt, Unavailable, Unreadable

logger = logging.getLogger(__name__)

PATIENCE = 0.2
"""Seconds that the events of other projects wait for one event, and less than a hook waits for the spool. Most events
take milliseconds; the end of a session, which is learned from, may take seconds, a slow disk half a minute. Such an
event goes on beside the others.
"""

FIRST_PAUSE, LONGEST_PAUSE = 5.0, 300.0
"""Seconds until an event is tried again, doubled with each attempt. An attempt may cost half a minute of git."""

MOST_TRIES = 8
"""How often an event is tried that contextd fails to process by a defect of its own: for about ten minutes. Then the
events behind it go on.
"""

_LATE = 60.0
"""Seconds after which an event that is being processed is reported."""

_LONGEST_REASON = 500

_PLACE_SECONDS, _MOST_LOOKERS = 1.0, 4

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why an event was not recorded. `of_store`: perhaps no event can be. `is_defect`: it would fail again."""

    reason: str
    of_store: bool = False
    is_defect: bool = False


class SpoolReader:
    """Reads the spool of a home; `record` stores one event and raises what prevents it."""

    def __init__(self, home: Path, record: Callable[[Entry], Awaitable[None]]) -> None:
        self._home, self._record = home, record
        self._reading = asyncio.Lock()
        self._batches: dict[str, int] = {}
        self._queues: dict[str, EventQueue] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._began: dict[str, float] = {}
        self._loaded = False
        self._recorded = 0
        self._suspected = ""
        # A folder on a dead disk may keep a thread for ever.
        self._lookers = CapacityLimiter(_MOST_LOOKERS)

    @property
    def is_busy(self) -> bool:
        """Whether events wait that no project holds up."""
        return spool.is_waiting(self._home) or self._reading.locked()

    async def read(self) -> int:
        """Record what waits; return the number of events. What a project holds up is tried again when it is due."""
        async with self._reading:
            before = self._recorded
            self._load()
            await self._retry(
                [p for p, queue in self._queues.items() if queue.next_try <= time.time()]
            )
            for batch in spool.take(self._home):
                for number, entry in enumerate(spool.read(batch)):
                    if number < self._batches.get(batch.name, 0):
                        continue
                    if not await self._take(entry):
                        return self._recorded - before
                    # The next round goes on behind it.
                    self._batches[batch.name] = number + 1
                batch.unlink(missing_ok=True)
                self._batches.pop(batch.name, None)
            return self._recorded - before

    async def retry(self, cwd: str) -> None:
        """Try the events of a folder's project now, because another one arrived."""
        self._load()
        if self._queues:
            await self._retry([await self._place_of(cwd)])

    def report(self) -> list[dict[str, Any]]:
        """What waits, by place."""
        now = time.time()
        found = []
        for about in set_aside_in(self._home):
            late = now - self._began.get(about.place, now)
            if late > _LATE:
                about = about._replace(reason=f"the first is being processed for {late:.0f} s")
            found.append({**about._asdict(), "text": about.told(now)})
        return found

    async def close(self) -> None:
        """Stop; what was not recorded waits for the next daemon."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _load(self) -> None:
        if not self._loaded:
            self._loaded = True
            self._queues = {queue.place: queue for queue in queues_in(self._home)}

    async def _take(self, entry: Entry) -> bool:
        """Record an event, or set it aside; false if neither is possible now."""
        place = await self._place_of(text_in(entry, "cwd"))
        if place in self._queues:
            self._queues[place].add(entry)
            return True
        attempt = asyncio.create_task(self._attempt(entry))
        await asyncio.wait({attempt}, timeout=PATIENCE)
        if not attempt.done():
            self._set_aside(place, entry)
            self._start(place, attempt)
            return True
        failure = attempt.result()
        if failure is None:
            self._recorded += 1
            self._suspected = ""
            return True
        if failure.of_store and self._suspected != place:
            # Perhaps it is the store: then all events wait. The next round goes on with those of other projects.
            self._suspected = place
            logger.warning("the spool waits: %s", failure.reason)
            return False
        self._suspected = ""
        self._postpone(self._set_aside(place, entry), failure)
        return True

    async def _place_of(self, cwd: str) -> str:
        """The folder that stands for the project of a working directory; the directory itself if its disk does not
        answer.
        """
        try:
            async with asyncio.timeout(_PLACE_SECONDS):
                return await to_thread.run_sync(
                    _around, cwd, abandon_on_cancel=True, limiter=self._lookers
                )
        except TimeoutError:
            return cwd

    async def _attempt(self, entry: Entry) -> _Failure | None:
        try:
            await self._record(entry)
        except Unreadable as error:
            return _Failure(_clean(error.message))
        except (Busy, Unavailable, Corrupt) as error:
            return _Failure(_clean(error.message), of_store=True)
        except ContextdError as error:
            if error.code == ContextdError.code:
                return _Failure(_clean(error.message), is_defect=True)
            logger.warning("spooled event dropped: %s", error.message)
        except Exception as error:
            logger.exception("a spooled event failed")
            return _Failure(_clean(f"{type(error).__name__}: {error}"), is_defect=True)
        return None

    def _set_aside(self, place: str, entry: Entry) -> EventQueue:
        queue = queue_for(self._home, place)
        queue.add(entry)
        self._queues[place] = queue
        return queue

    def _postpone(self, queue: EventQueue, failure: _Failure) -> None:
        # A store that recovers takes all events at once.
        pause = 0.0 if failure.of_store else min(LONGEST_PAUSE, FIRST_PAUSE * 2**queue.tries)
        if failure.reason != queue.reason:
            place = queue.place or "no folder"
            logger.warning("events of %s wait, the others go on: %s", place, failure.reason)
        queue.postpone(failure.reason, pause)

    async def _retry(self, places: list[str]) -> None:
        """Go on with the events of these places, and wait briefly."""
        for place in places:
            if place in self._queues and place not in self._running:
                self._start(place, None)
        tasks = {self._running[place] for place in places if place in self._running}
        if tasks:
            await asyncio.wait(tasks, timeout=PATIENCE)

    def _start(self, place: str, attempt: asyncio.Task[_Failure | None] | None) -> None:
        task = asyncio.create_task(self._drain(self._queues[place], attempt))
        self._running[place] = task

    async def _drain(
        self, queue: EventQueue, attempt: asyncio.Task[_Failure | None] | None
    ) -> None:
        """Record the events of a queue, in order, until one fails. `attempt` is under way for the first one."""
        try:
            while (entry := queue.first()) is not None:
                self._began[queue.place] = time.time()
                failure = await (attempt or self._attempt(entry))
                attempt = None
                if failure is None:
                    self._recorded += 1
                    queue.drop_first()
                elif failure.is_defect and queue.tries + 1 >= MOST_TRIES:
                    logger.error(
                        "a spooled event of %s is given up: %s", queue.place, failure.reason
                    )
                    queue.give_up_first(failure.reason)
                else:
                    self._postpone(queue, failure)
                    return
            queue.remove()
            self._queues.pop(queue.place, None)
        except OSError as error:
            # The home cannot be written: the event is recorded once more later, which does no harm.
            logger.warning("the spool waits: %s", error)
        finally:
            self._began.pop(queue.place, None)
            self._running.pop(queue.place, None)


def _clean(reason: str) -> str:
    """A reason that may be stored: it could quote what a caller said."""
    return redact(beginning(reason, _LONGEST_REASON)).text


def _around(cwd: str) -> str:
    # Not asked of git, which may be what does not answer.
    folder, above = cwd, ""
    while folder and folder != above:
        if os.path.lexists(os.path.join(folder, ".git")):  # noqa: PTH118 - strings, for every event
            return folder
        folder, above = os.path.dirname(folder), folder  # noqa: PTH120
    return cwd
