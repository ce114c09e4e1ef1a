"""What the process keeps although it can be computed or read again: weighed, within a budget, released when idle.

Each of its owners, a `Keeper`, names what it keeps. Nothing here is needed for an answer to be right: what was released
is made again by the next call that wants it.
"""

from __future__ import annotations

import ctypes
import gc
import re
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from threading import Lock
from typing import Protocol, TypeVar, runtime_checkable

from contextd_common.dataclass import dataclass

K = TypeVar("K", bound=Hashable)

IDLE_SECONDS = 600.0
"""What was not used for this long is released: longer than the pauses within a session, shorter than a meeting."""

FRESH_SECONDS = 60.0
"""What was used this recently stays, even above the budget: the next call would make it again at once. Each owner
has a hard limit of its own.
"""

LOOK_SECONDS = 10.0
"""Seconds between two looks, which take 0.1 ms each."""

RESTING_SECONDS = 60.0
"""The same while nothing is kept."""

_WORTH_TRIMMING = 1 << 20
"""Released bytes from which free memory is returned to the system: that takes 10 to 100 ms."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that is kept. `used_at` is in seconds of the clock of `KeptMemory`. `release` lets go of it unless it
    is in use or was used since, and returns whether it did.
    """

    name: str
    bytes: int
    used_at: float
    release: Callable[[], bool]


class _Used(Protocol):
    """Something with the time of its last use."""

    used_at: float


T = TypeVar("T", bound=_Used)


def release_unused(lock: Lock, kept_by_key: dict[K, T], key: K, used_at: float) -> bool:
    """Remove what was not used since, unless a call holds the lock; return whether it was removed."""
    if not lock.acquire(blocking=False):
        return False
    try:
        found = kept_by_key.get(key)
        if found is None or found.used_at != used_at:
            return False
        del kept_by_key[key]
        return True
    finally:
        lock.release()


@runtime_checkable
class Keeper(Protocol):
    """Something that keeps what can be computed or read again."""

    def kept(self) -> Iterable[Kept]:
        """What it keeps now, weighed. Never waits for a call that runs."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes by name, the heaviest first, and the budget in bytes."""

    by_name: dict[str, int]
    budget: int

    @property
    def line(self) -> str:
        """One line: the megabytes by name, and their sum within the budget."""
        rounded = {name: _megabytes(size) for name, size in self.by_name.items()}
        shown = [f"{name} {size} MB" for name, size in rounded.items() if size]
        spent = _megabytes(sum(self.by_name.values()))
        total = f"{spent} of {_megabytes(self.budget)} MB"
        return "; ".join((", ".join(shown), total)) if shown else total


class KeptMemory:
    """What the owners in this process keep. Safe to use from any thread.

    `clock` returns seconds that never go back, `give_back` returns free memory to the system.
    """

    def __init__(
        self,
        budget: int,
        clock: Callable[[], float] = time.monotonic,
        give_back: Callable[[], None] | None = None,
    ) -> None:
        self.budget, self.clock = budget, clock
        self._give_back = give_back or return_free_memory
        self._keepers: dict[Hashable, Keeper] = {}
        self._lock = Lock()

    def add(self, owner: Hashable, keeper: Keeper) -> None:
        """Count what this owner keeps from now on."""
        with self._lock:
            self._keepers[owner] = keeper

    def remove(self, owner: Hashable) -> None:
        """Stop counting what this owner keeps: it was closed."""
        with self._lock:
            self._keepers.pop(owner, None)

    def use_of(self, *owners: Hashable) -> MemoryUse:
        """What these owners keep; without any, all of them."""
        with self._lock:
            chosen = [self._keepers[one] for one in owners or self._keepers if one in self._keepers]
        spent: dict[str, int] = {}
        for one in _all(chosen):
            spent[one.name] = spent.get(one.name, 0) + one.bytes
        return MemoryUse(dict(sorted(spent.items(), key=lambda row: -row[1])), self.budget)

    def look(self) -> int:
        """Release what is idle, then what was used least recently until the rest is within the budget. Return the
        released bytes.
        """
        with self._lock:
            keepers = list(self._keepers.values())
        now, released = self.clock(), 0
        every = sorted(_all(keepers), key=lambda one: one.used_at)
        spent = sum(one.bytes for one in every)
        for one in every:
            unused = now - one.used_at
            if unused < FRESH_SECONDS:
                break
            if (unused >= IDLE_SECONDS or spent > self.budget) and one.release():
                spent -= one.bytes
                released += one.bytes
        if released >= _WORTH_TRIMMING:
            self._give_back()
        return released

    def step(self) -> float:
        """`look`, as a recurring duty; returns the seconds until the next one."""
        self.look()
        return LOOK_SECONDS if self.use_of().by_name else RESTING_SECONDS


def return_free_memory() -> None:
    """Collect garbage, and return the memory that is free to the system, where its allocator can."""
    # `re` keeps the last 512 patterns, compiled while memory grew: each of them holds a megabyte of freed blocks.
    re.purge()
    gc.collect()
    if sys.platform == "linux":
        # glibc keeps what is freed between blocks in use; musl has no such function.
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _all(keepers: Sequence[Keeper]) -> list[Kept]:
    return [one for keeper in keepers for one in keeper.kept()]


def _megabytes(size: int) -> int:
    return round(size / (1 << 20))
