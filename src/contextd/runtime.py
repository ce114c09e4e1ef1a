"""What one call may use and see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from contextd.domain.access import Caller
from contextd.domain.errors import NotFound
from contextd.domain.kinds import KINDS
from contextd.domain.query import Query
from contextd.domain.scope import Scope
from contextd.domain.sessions import Observation, Project
from contextd.ports import Clock, Embedder, Store
from contextd.settings import Settings

Surface = Literal["mcp", "rest", "cli", "web", "hook", "job", "python"]


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present instant, in UTC."""
        return datetime.now(UTC)


@dataclass(slots=True)
class Trace:
    """What a call turned out to touch; `invoke` makes one observation of it."""

    action: Literal["read", "write", "update", "delete", "miss"] | None = None
    type: str = ""
    record_ids: tuple[str, ...] = ()
    query: str = ""

    def read(self, ids: Sequence[str], *, type: str = "", query: str = "") -> None:
        """Note what was read. A query that found nothing is a miss."""
        self.action = "miss" if query and not ids else "read"
        self.type, self.record_ids, self.query = type, tuple(ids), query

    def wrote(
        self,
        ids: Sequence[str],
        *,
        type: str = "",
        action: Literal["write", "update", "delete"] = "write",
    ) -> None:
        """Note what was written."""
        self.action, self.type, self.record_ids = action, type, tuple(ids)


@dataclass(frozen=True, slots=True)
class Sinks:
    """Where by-products of calls go without making the caller wait.

    `served` remembers sentences handed out and `was_served` asks for them; `used` counts a use of
    records; `later` runs something small and durable in a moment; `settle` does now what would be
    done in a moment; `wake` tells the worker that a job was added.
    """

    observe: Callable[[Observation], None]
    served: Callable[[Scope, Iterable[str]], None]
    was_served: Callable[[Scope, Sequence[str]], set[str]]
    used: Callable[[Sequence[str]], None]
    later: Callable[[Callable[[], None]], None]
    settle: Callable[[], None]
    wake: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Runtime:
    """One request's world: the store, the embedder, the caller, and where they stand.

    `root` is the checkout the call comes from. `session_hint` is the session of the connection: a
    hint only, an explicit session id always wins. `redaction_key` makes equal secrets recognisable
    within one home without giving them away. `nowhere` says why the caller's directory is no
    project's, to be put at the end of a sentence.
    """

    store: Store
    embedder: Embedder
    clock: Clock
    settings: Settings
    caller: Caller
    sinks: Sinks
    project: Project | None = None
    root: Path | None = None
    client: str = ""
    surface: Surface = "python"
    session_hint: str = ""
    redaction_key: bytes = b""
    nowhere: str = ""
    trace: Trace = field(default_factory=Trace)

    @property
    def scope(self) -> Scope:
        """The project's scope. Raises `NotFound` when the call stands in no project."""
        if self.project is None:
            raise NotFound(
                f"this call stands in no project{self.nowhere}",
                "run `contextd init` in the repository, or name a known project",
            )
        return self.project.scope

    @property
    def checkout(self) -> Path:
        """The checkout's root. Raises `NotFound` when the call stands in no project."""
        if self.root is None:
            raise NotFound(
                f"this call stands in no checkout{self.nowhere}", "run it inside a repository"
            )
        return self.root

    def query(
        self,
        *kinds: str,
        reach: Literal["project", "team", "org", "all"] = "all",
        **conditions: Any,
    ) -> Query:
        """A query that can only see scopes the caller may read: the one place that decides.

        `reach` keeps one level of the cascade, or all of it.
        """
        areas = {KINDS[kind].area if kind in KINDS else "knowledge" for kind in kinds}
        wanted = [s for s in self.scope.cascade if reach in ("all", s.level)]
        readable = frozenset(
            scope
            for scope in wanted
            if all(self.caller.may("read", scope, area) for area in areas or {"knowledge"})
        )
        return Query(scopes=readable, kinds=kinds, **conditions)

    def for_call(self) -> Runtime:
        """A copy with a trace of its own."""
        return replace(self, trace=Trace())
