"""Events of the spool that wait for their own project, which cannot be read just now. Standard library only.

Each place has a folder below the home: `events.jsonl` with the events in order of arrival, `state.json` with how many
were recorded and why the next one was not, and `failed.jsonl` with those that were given up. The daemon alone
writes; everybody reads.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from contextd.thin.home import write_object
from contextd.thin.long_lines import LINE_LIMIT
from contextd.thin.plain_json import dumps, object_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = "spool.aside"
_EVENTS, _STATE, _FAILED = "events.jsonl", "state.json", "failed.jsonl"
_LARGEST_STATE = 1 << 20
_LONGEST_REASON = 500


class SetAside(NamedTuple):
    """The events of one place that wait. `place` is a folder, `tries` how often the first of them was tried since
    the time `since`, and `next_try` when it is tried again; times are in seconds since 1970. `failed` were given up,
    the last one because of `failure`; `failed_file` has them.
    """

    place: str
    events: int
    failed: int
    reason: str
    failure: str
    tries: int
    since: float
    next_try: float
    failed_file: str = ""

    def told(self, now: float) -> str:
        """One line for a person."""
        parts = []
        if self.events:
            count = "1 event waits" if self.events == 1 else f"{self.events} events wait"
            times = "once" if self.tries == 1 else f"{self.tries} times"
            pause = max(0, round(self.next_try - now))
            when = f"next in {pause} s" if pause else "again now"
            why = f": {self.reason}" if self.reason else ""
            tried = f" (tried {times}, {when})" if self.tries else ""
            parts.append(count + (why + tried or ", not tried yet"))
        if self.failed:
            count = "1 event" if self.failed == 1 else f"{self.failed} events"
            parts.append(
                f"{count} could not be processed: {self.failure} (kept in {self.failed_file})"
            )
        return f"{self.place or 'no folder'}: {'; '.join(parts)}"


def set_aside_in(home: Path) -> list[SetAside]:
    """Return the waiting events of a home, by place."""
    found = [EventQueue(folder).about() for folder in _folders(home)]
    return sorted(one for one in found if one.events or one.failed)


def queues_in(home: Path) -> list[EventQueue]:
    """The queues that a daemon left, each to be tried at once."""
    found = []
    for folder in _folders(home):
        queue = EventQueue(folder)
        # Another version may process what this one could not.
        queue.queue_failed_again()
        if queue.events:
            queue.next_try = 0.0
            found.append(queue)
        else:
            queue.remove()
    return found


def queue_for(home: Path, place: str) -> EventQueue:
    """The queue of a place; nothing is written until an event is added."""
    name = hashlib.blake2b(place.encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()
    queue = EventQueue(home / FOLDER / name)
    queue.place = place
    return queue


def _folders(home: Path) -> list[Path]:
    try:
        return sorted(path for path in (home / FOLDER).iterdir() if path.is_dir())
    except OSError:
        return []


class EventQueue:
    """The events of one place, first in first out. Not safe for more than one writer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        state = _object(folder / _STATE)
        self.place = str(state.get("place", ""))
        self.reason = str(state.get("reason", ""))
        self.failure = str(state.get("failure", ""))
        self.tries = int(state.get("tries", 0))
        self.since = float(state.get("since", 0.0))
        self.next_try = float(state.get("next_try", 0.0))
        self._at = int(state.get("at", 0))
        self.events = sum(1 for _ in _lines(folder / _EVENTS, self._at))
        self.failed = sum(1 for _ in _lines(folder / _FAILED, 0))

    def about(self) -> SetAside:
        """Return a summary of the queue."""
        return SetAside(
            self.place,
            self.events,
            self.failed,
            self.reason,
            self.failure,
            self.tries,
            self.since,
            self.next_try,
            str(self.folder / _FAILED) if self.failed else "",
        )

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add an event at the end. Raises `OSError`."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _append(self.folder / _EVENTS, dumps(entry).encode() + b"\n")
        self.events += 1
        if self.events == 1:
            self.since, self.tries, self.reason = time.time(), 0, ""
            self._save()

    def first(self) -> dict[str, Any] | None:
        """The event that is next; None if no more wait."""
        for end, line in _lines(self.folder / _EVENTS, self._at):
            entry = object_in(line)
            if entry is not None:
                return entry
            self._advance(end)
        return None

    def drop_first(self) -> None:
        """Forget the event that is next, since it was recorded. Raises `OSError`."""
        for end, _ in _lines(self.folder / _EVENTS, self._at):
            self._advance(end)
            break
        self.since, self.tries, self.reason = time.time(), 0, ""
        self._save()

    def give_up_first(self, reason: str) -> None:
        """Put the event that is next among those that failed. Raises `OSError`."""
        for _, line in _lines(self.folder / _EVENTS, self._at):
            _append(self.folder / _FAILED, line + b"\n")
            self.failed += 1
            break
        self.failure = reason[:_LONGEST_REASON]
        self.drop_first()

    def postpone(self, reason: str, seconds: float) -> None:
        """Note why the next event could not be recorded, and when to try again. Raises `OSError`."""
        self.reason = reason[:_LONGEST_REASON]
        self.tries += 1
        self.next_try = time.time() + seconds
        self._save()

    def queue_failed_again(self) -> None:
        """Add the events that were given up to the end of the queue. Raises `OSError`."""
        for _, line in _lines(self.folder / _FAILED, 0):
            _append(self.folder / _EVENTS, line + b"\n")
            self.events += 1
        self.failed = 0
        _unlink(self.folder / _FAILED)

    def remove(self) -> None:
        """Remove the files of an empty queue, but those of events that failed."""
        if self.failed:
            _unlink(self.folder / _EVENTS)
            self._at = 0
            self._save()
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
            try:
                self.folder.parent.rmdir()
            except OSError:
                pass  # events of other places wait there

    def _advance(self, end: int) -> None:
        self._at = end
        self.events = max(0, self.events - 1)

    def _save(self) -> None:
        names = ("place", "reason", "failure", "tries", "since", "next_try")
        state = {name: getattr(self, name) for name in names}
        write_object(self.folder / _STATE, {**state, "at": self._at})


def _object(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return object_in(file.read(_LARGEST_STATE)) or {}
    except (OSError, ValueError):
        return {}


def _lines(path: Path, at: int) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a file from an offset on, each with the offset of its end."""
    try:
        file = path.open("rb")
    except OSError:
        return
    with file:
        file.seek(at)
        while line := file.readline(LINE_LIMIT):
            at += len(line)
            # The rest is not written yet.
            if line.endswith(b"\n"):
                yield at, line[:-1]


def _append(path: Path, line: bytes) -> None:
    fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        before = os.fstat(fd).st_size
        os.lseek(fd, max(0, before - 1), os.SEEK_SET)
        if before and os.read(fd, 1) != b"\n":
            # A daemon that was killed left half a line.
            line = b"\n" + line
        try:
            while line:
                line = line[os.write(fd, line) :]
        except OSError:
            # A full disk must not leave half a line in front of the next event.
            os.ftruncate(fd, before)
            raise
    finally:
        os.close(fd)


def _unlink(path: Path) -> None:
    try:
        path.unlink()
    except FileNotFoundError:
        pass
