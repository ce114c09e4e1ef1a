"""The interface between surfaces and the application: `app` implements it, surfaces only call it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from contextd.domain.scope import Scope
from contextd.domain.upkeep import WrittenSince
from contextd.runtime.doors import Door
from contextd.runtime.operation import Answer
from contextd.runtime.runtime import Request
from contextd.runtime.settings import Settings


class Backend(Protocol):
    """One running contextd. Safe to call from any thread."""

    @property
    def settings(self) -> Settings:
        """The values this process started with."""
        ...

    @property
    def door(self) -> Door:
        """Identifies the callers of this contextd."""
        ...

    def call(self, name: str, request: Request, arguments: Mapping[str, Any]) -> Answer:
        """Run one operation. Raises the errors of `domain.errors`; a defect is logged and raised
        as a `ContextdError` with the code `internal`.
        """
        ...

    def health(self) -> dict[str, Any]:
        """The content of `/readyz` and `daemon status`: version, project count, pending work, services,
        problems.
        """
        ...

    def written_since(self, backup: Path | None) -> WrittenSince:
        """Count the records of this machine's store that a backup lacks; all of them without a backup."""
        ...

    def move_store(self, target: str) -> Mapping[str, int]:
        """Copy this machine's store to the empty one at `target`, a URL; return the number of rows by table."""
        ...

    def delete_organisation(self, name: str) -> Sequence[str]:
        """Delete an organisation from a team's database; return where copies of its bytes remain."""
        ...

    def wake(self) -> None:
        """Check for work that another process added."""
        ...

    def warm(self) -> None:
        """Load the data that the first search needs."""
        ...

    def watch(self, watcher: Callable[[Scope], None]) -> None:
        """Call `watcher` with each scope whose records, code or sessions this process changes, from any
        thread.
        """
        ...

    def idle(self) -> bool:
        """Whether no job is running or due."""
        ...

    def close(self) -> None:
        """Finish writes, stop the services, close the stores."""
        ...


class TeamBackend(Backend, Protocol):
    """A contextd over the database of a team, for callers on other machines."""

    def check(self) -> None:
        """Raise `Unavailable` or `Busy` unless the database answers."""
        ...

    def exchange_code(self, code: str, label: str) -> str:
        """A token for the code of an invitation, which can be used once. Raises `Denied` for any other text."""
        ...


class OpenBackend(Protocol):
    """Opens a contextd for one command, in its process."""

    def __call__(self, *, fresh: bool = False, migrate: bool = False) -> Backend:
        """Open it. `fresh` allows an empty store in place of a lost one; `migrate` upgrades a team's database."""
        ...
