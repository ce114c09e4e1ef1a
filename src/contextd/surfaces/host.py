"""What a surface is given: `app` builds it, surfaces only call it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from contextd.domain.access import Caller
from contextd.operations.core import Answer
from contextd.runtime import Runtime, Surface
from contextd.settings import Settings


class Host(Protocol):
    """One running contextd: the store is open, the worker runs. Safe to call from any thread."""

    @property
    def settings(self) -> Settings:
        """The values in force."""
        ...

    def runtime(
        self,
        surface: Surface,
        *,
        cwd: str = "",
        client: str = "",
        session_hint: str = "",
        project: str = "",
        caller: Caller | None = None,
    ) -> Runtime:
        """A request's world for a call from the directory `cwd`, or about a named project.

        A directory outside any project gives a runtime without one.
        """
        ...

    def call(self, name: str, runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
        """Run one operation. Raises the errors of `domain.errors`; a defect is logged and raised
        as a `ContextdError` with the code `internal`.
        """
        ...

    def health(self) -> dict[str, Any]:
        """What `/readyz` and `daemon status` show: version, project count, pending work, problems."""
        ...

    def idle(self) -> bool:
        """Whether no job is running or due."""
        ...

    def close(self) -> None:
        """Finish writes, stop the worker, close the store."""
        ...


OpenHost = Callable[[], Host]
"""Opens a contextd in this process."""
