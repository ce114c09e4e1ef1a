"""Load models on first use."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from contextd_code.errors import Unavailable

T = TypeVar("T")


class LoadedOnce(Generic[T]):
    """The result of `load`, loaded once by the first call from any thread. After a failure every call
    raises the same `Unavailable`, because loading is expensive.
    """

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._lock = Lock()
        self._loaded: T | None = None
        self._failure: tuple[str, str] | None = None

    def __call__(self) -> T:
        """Return it, or raise `Unavailable`."""
        if self._loaded is not None:
            return self._loaded
        with self._lock:
            if self._loaded is None:
                if self._failure is not None:
                    raise Unavailable(*self._failure)
                try:
                    self._loaded = self._load()
                except Unavailable as error:
                    self._failure = error.message, error.hint
                    raise
            return self._loaded
