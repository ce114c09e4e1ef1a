"""A store that counts calls of its methods, registered as an address scheme during a benchmark."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import compress
from operator import not_
from pathlib import Path
from typing import Any

from contextd.domain.access import Grant
from contextd.domain.checkout_keys import CheckoutKey
from contextd.ports.knowledge import Scrub
from contextd.ports.store import Store, View
from contextd.ports.upkeep import Clock
from contextd.stores import STORES, open_store

SCHEME = "counted"
"""`counted:///path` is the SQLite store at that path, counted."""

_PARTS = (
    "records", "survey", "contradictions", "index", "files", "sessions", "originals", "observations",
    "jobs",
)  # fmt: skip


class Verbs:
    """The called methods, in order, each with its thread."""

    def __init__(self) -> None:
        self._called: list[tuple[int, str]] = []

    def note(self, verb: str) -> None:
        """Record a call of this thread."""
        self._called.append((threading.get_ident(), verb))

    def clear(self) -> None:
        """Start again."""
        self._called.clear()

    def __len__(self) -> int:
        return len(self._called)

    def split(self, place: int) -> tuple[list[str], list[str]]:
        """This thread's calls among the first `place`, and all other calls."""
        mine = threading.get_ident()
        first = [thread == mine and at < place for at, (thread, _) in enumerate(self._called)]
        verbs = [verb for _, verb in self._called]
        return list(compress(verbs, first)), list(compress(verbs, map(not_, first)))


class _Counted:
    """Wraps an object and records its method calls, as `name.method`."""

    def __init__(self, inner: object, name: str, note: Callable[[str], None]) -> None:
        self._inner, self._name, self._note = inner, name, note

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(self._inner, attribute)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            self._note(f"{self._name}.{attribute}")
            return found(*arguments, **named)

        return call


class _CountedView(_Counted):
    """A view whose parts are counted, and its own verbs too."""

    def __init__(self, view: View, note: Callable[[str], None]) -> None:
        super().__init__(view, "view", note)
        for part in _PARTS:
            setattr(self, part, _Counted(getattr(view, part), part, note))


class CountedStore:
    """A `Store` that delegates to another one."""

    directory: Any
    queue: Any
    replicas: Any
    signals: Any
    upkeep: Any
    members: Any

    def __init__(self, inner: Store, verbs: Verbs) -> None:
        self._inner, self._note = inner, verbs.note
        for part in ("directory", "queue", "replicas", "upkeep"):
            setattr(self, part, _Counted(getattr(inner, part), part, self._note))
        # Sending a signal asks the store for nothing: a thread sends what was gathered.
        self.signals = inner.signals
        self.members = inner.members

    def view(self, grant: Grant, code: CheckoutKey | None = None) -> Any:
        """See `Store.view`. Making one asks the store for nothing."""
        return _CountedView(self._inner.view(grant, code), self._note)

    def close(self) -> None:
        """See `Store.close`."""
        self._inner.close()


_counting: list[Verbs] = []


@contextmanager
def counting() -> Iterator[Verbs]:
    """The verbs called of every store that is opened with the scheme `counted` meanwhile."""
    verbs = Verbs()
    STORES[SCHEME] = f"{__name__}:open_counted"
    _counting.append(verbs)
    try:
        yield verbs
    finally:
        _counting.remove(verbs)
        del STORES[SCHEME]


def open_counted(
    url: str,
    organisation: str,
    clock: Clock,
    scrub: Scrub,
    backups: Path | None = None,
    fresh: bool = False,
) -> Store:
    """The SQLite store at `counted:///absolute/path`, counted."""
    path = url.partition("://")[2]
    options: dict[str, Any] = dict(scrub=scrub, clock=clock, backups=backups, fresh=fresh)
    inner = open_store(f"sqlite://{path}", organisation, **options)
    return CountedStore(inner, _counting[-1])
