"""Bounded caches. Everything in them can be computed again.

A cache belongs to one organisation and is opened and closed with it, so one organisation never sees a value
computed for another.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
S = TypeVar("S")


class Cache(Generic[K, V]):
    """An LRU cache of at most `limit` values. Thread-safe."""

    def __init__(self, limit: int, close: Callable[[V], None] | None = None) -> None:
        self._limit, self._close = limit, close
        self._values: dict[K, V] = {}
        self._lock = RLock()

    def get(self, key: K) -> V | None:
        """The value, marked as used; None if absent."""
        with self._lock:
            if key not in self._values:
                return None
            value = self._values[key] = self._values.pop(key)
            return value

    def put(self, key: K, value: V) -> None:
        """Store a value; evicts the least recently used one if full."""
        with self._lock:
            replaced = [self._values.pop(key)] if key in self._values else []
            self._values[key] = value
            while len(self._values) > self._limit:
                replaced.append(self._values.pop(next(iter(self._values))))
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
            given_up, self._values = list(self._values.values()), {}
        self._give_up(given_up)

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

    def __init__(self) -> None:
        self._caches: dict[str, Cache[Any, Any]] = {}
        self._lock = RLock()

    def of(
        self, name: str, limit: int, close: Callable[[Any], None] | None = None
    ) -> Cache[Any, Any]:
        """The cache called `name`, created on first use."""
        with self._lock:
            found = self._caches.get(name)
            if found is None:
                found = self._caches[name] = Cache(limit, close)
            return found

    def forget(self, name: str) -> None:
        """Empty the cache called `name`, if there is one."""
        with self._lock:
            found = self._caches.get(name)
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
