"""Load models on first use, and let go of them when they are not used."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Generic, TypeVar

from contextd.runtime.kept_memory import Kept
from contextd_common.errors import Unavailable

T = TypeVar("T")


class LoadedOnce(Generic[T]):
    """The result of `load`, loaded once by the first call from any thread, and again after it was released. After a
    failure every call raises the same `Unavailable`, because loading is expensive.

    It is kept under `name` with its `weight` in bytes, which is only asked for once it is loaded.
    """

    def __init__(
        self,
        load: Callable[[], T],
        name: str,
        weight: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._load, self._name, self._weight, self._clock = load, name, weight, clock
        self._lock = Lock()
        self._loaded: T | None = None
        self._bytes, self._used_at = 0, 0.0
        self._failure: tuple[str, str] | None = None

    def __call__(self) -> T:
        """Return it, or raise `Unavailable`."""
        self._used_at = self._clock()
        loaded = self._loaded
        if loaded is not None:
            return loaded
        with self._lock:
            if self._loaded is None:
                if self._failure is not None:
                    raise Unavailable(*self._failure)
                try:
                    self._loaded = self._load()
                except Unavailable as error:
                    self._failure = error.message, error.hint
                    raise
                self._bytes = self._weight()
            return self._loaded

    def kept(self) -> Iterable[Kept]:
        """See `Keeper.kept`."""
        used_at = self._used_at
        if self._loaded is None:
            return []
        return [Kept(self._name, self._bytes, used_at, lambda: self._release(used_at))]

    def _release(self, used_at: float) -> bool:
        """Let go of it unless it was used since; a call that has it keeps it until its end."""
        with self._lock:
            if self._used_at != used_at:
                return False
            self._loaded = None
            return True
