"""Bounded caches. Everything in them can be computed again.

A cache belongs to one organisation and is opened and closed with it, so one organisation never sees a value
computed for another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from threading import RLock
from typing import Any, Generic, TypeVar

from contextd.runtime.kept_memory import Kept

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
S = TypeVar("S")


class Cache(Generic[K, V]):
    """An LRU cache of at most `limit` values. Thread-safe.

    With `weigh`, which estimates the bytes of a value in constant time, its values have the time of their last use
    by `clock`, in seconds.
    """

    def __init__(
        self,
        limit: int,
        close: Callable[[V], None] | None = None,
        weigh: Callable[[V], int] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit, self._close = limit, close
        self._weigh, self._clock = weigh, clock
        self._values: dict[K, V] = {}
        self._used: dict[K, float] = {}
        self._lock = RLock()

    def get(self, key: K) -> V | None:
        """The value, marked as used; None if absent."""
        with self._lock:
            if key not in self._values:
                return None
            value = self._values[key] = self._values.pop(key)
            self._note_use(key)
            return value

    def put(self, key: K, value: V) -> None:
        """Store a value; evicts the least recently used one if full."""
        with self._lock:
            replaced = [self._values.pop(key)] if key in self._values else []
            self._values[key] = value
            self._note_use(key)
            while len(self._values) > self._limit:
                oldest = next(iter(self._values))
                self._used.pop(oldest, None)
                replaced.append(self._values.pop(oldest))
        self._give_up(v for v in replaced if v is not value)

    def made(self, key: K, make: Callable[[], V]) -> V:
        """The value, computed if absent. If two threads compute it at once, one result is kept."""
        found = self.get(key)
        if found is None:
            fresh = make()
            with self._lock:
                found = self.get(key)
                if found is None:
                    self.put(key, fresh)
                    return fresh
            self._give_up([fresh])
        return found

    def pop(self, key: K) -> V | None:
        """Remove and return a value without closing it; None if absent."""
        with self._lock:
            self._used.pop(key, None)
            return self._values.pop(key, None)

    def values(self) -> list[V]:
        """The values, most recently used last."""
        with self._lock:
            return list(self._values.values())

    def keys(self) -> list[K]:
        """The keys, most recently used last."""
        with self._lock:
            return list(self._values)

    def clear(self) -> None:
        """Remove everything."""
        with self._lock:
            given_up, self._values, self._used = list(self._values.values()), {}, {}
        self._give_up(given_up)

    def kept(self, name: str) -> list[Kept]:
        """The weighed values, under this name; nothing without `weigh`."""
        if self._weigh is None:
            return []
        with self._lock:
            every = [(key, value, self._used[key]) for key, value in self._values.items()]
        return [
            Kept(name, self._weigh(value), used_at, partial(self._release, key, used_at))
            for key, value, used_at in every
        ]

    def _release(self, key: K, used_at: float) -> bool:
        """Remove a value that was not used since; calls that have it can use it on."""
        with self._lock:
            if self._used.get(key) != used_at:
                return False
            del self._used[key]
            value = self._values.pop(key)
        self._give_up([value])
        return True

    def _note_use(self, key: K) -> None:
        if self._weigh is not None:
            self._used[key] = self._clock()

    def __len__(self) -> int:
        return len(self._values)

    def _give_up(self, values: Any) -> None:
        for value in values:
            if self._close is not None:
                self._close(value)


def as_of(cache: Cache[K, tuple[S, V]], key: K, state: S, make: Callable[[], V]) -> V:
    """The cached value of a key, made again if it was made in another state, such as that of its file."""
    known = cache.get(key)
    if known is None or known[0] != state:
        known = state, make()
        cache.put(key, known)
    return known[1]


class Caches:
    """The caches of one organisation, by name."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._caches: dict[str, Cache[Any, Any]] = {}
        self._lock = RLock()

    def of(
        self,
        name: str,
        limit: int,
        close: Callable[[Any], None] | None = None,
        weigh: Callable[[Any], int] | None = None,
    ) -> Cache[Any, Any]:
        """The cache called `name`, created on first use."""
        with self._lock:
            found = self._caches.get(name)
            if found is None:
                found = self._caches[name] = Cache(limit, close, weigh, self._clock)
            return found

    def kept(self) -> Iterator[Kept]:
        """See `Keeper.kept`: the values of the caches that weigh them."""
        with self._lock:
            caches = list(self._caches.items())
        for name, cache in caches:
            yield from cache.kept(name)

    def forget(self, name: str) -> None:
        """Drop the cache called `name`, if there is one. A call that still computes an old value stores it in the dropped cache."""
        with self._lock:
            found = self._caches.pop(name, None)
        if found is not None:
            found.clear()

    def sizes(self) -> dict[str, int]:
        """How many values each cache has."""
        with self._lock:
            return {name: len(cache) for name, cache in self._caches.items()}

    def close(self) -> None:
        """Remove everything."""
        with self._lock:
            caches, self._caches = list(self._caches.values()), {}
        for cache in caches:
            cache.clear()
