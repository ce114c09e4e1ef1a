"""A backend with a handful of operations of its own, for what surfaces do with any operation.

Run as a program it is a whole daemon: `python local_host.py HOME`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import reference_store  # noqa: F401 - opens memory://
from contextd.app import Host
from contextd.domain.notices import Notice
from contextd.domain.scope import Scope
from contextd.embedders import open_embedder
from contextd.invocation.invoke import invoke
from contextd.runtime.doors import Door, HomeDoor
from contextd.runtime.operation import OPERATIONS, Answer, find_operation, operation
from contextd.runtime.runtime import Request, Runtime
from contextd.runtime.settings import Settings, load_settings
from contextd_common.errors import ContextdError, NotFound, Unavailable


@dataclass(frozen=True, slots=True)
class Greeting:
    """What `probe_greet` gives."""

    text: str
    nickname: str | None = None
    tags: list[str] | None = None

    def as_text(self) -> str:
        return f"text form: {self.text}"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a call knows about its caller."""

    root: str
    project: str
    client: str
    surface: str
    connection: str
    process: int
    key: str
    repeated: bool


def define() -> None:
    """Add the probe operations to the table, once."""
    if "probe_greet" in OPERATIONS:
        return

    @operation("GET /api/probe/{name}", profile="core")
    def probe_greet(
        runtime: Runtime, name: str, tags: list[str] | None = None, times: int = 1
    ) -> Greeting:
        """Greet somebody.

        Args:
            name: Who.
            tags: Labels.
            times: How often.
        """
        if name == "nobody":
            raise NotFound("nobody is not here", "greet somebody else")
        return Greeting(f"hello {name}" * times, tags=tags)

    @operation("GET /api/probe/notice", profile="full")
    def probe_notice(runtime: Runtime) -> dict[str, int]:
        """Answer, and say that the budget is nearly used."""
        facts = {"used": 81, "total": 100}
        runtime.trace.notices += [
            Notice("budget_warning", "81 of 100 tokens are used", facts),
            Notice("policy_warning", "said in the answer", answered=True),
        ]
        return {"answer": 1}

    @operation("GET /api/probe/list", profile="standard")
    def probe_list(runtime: Runtime) -> list[int]:
        """Count to three."""
        return [1, 2, 3]

    @operation("POST /api/probe/defect", effect="destroy", profile="full")
    def probe_defect(runtime: Runtime) -> dict[str, int]:
        """Fail by mistake."""
        return {"never": 1 // 0}

    @operation("POST /api/probe/wait", effect="write", profile="full")
    def probe_wait(runtime: Runtime, seconds: float, mark: str = "") -> dict[str, Any]:
        """Leave a mark, wait, and leave another.

        Args:
            seconds: How long.
            mark: A file that says how far it is: `begun`, then `done`.
        """
        if mark:
            Path(mark).write_text("begun", "utf-8")
        time.sleep(seconds)
        if mark:
            Path(mark).write_text("done", "utf-8")
        return {"waited": seconds}

    @operation("GET /api/probe/seen", profile="full")
    def probe_seen(runtime: Runtime) -> Seen:
        """Say what is known about the caller."""
        return Seen(
            str(runtime.checkout.root) if runtime.checkout else "",
            str(runtime.project.scope) if runtime.project else "",
            runtime.client,
            runtime.surface,
            runtime.connection,
            runtime.process,
            runtime.call,
            runtime.repeated,
        )


def define_hook() -> None:
    """Add a `hook_event` that answers with what it was given."""

    @operation("POST /api/probe/hook", effect="write", audience="system")
    def hook_event(
        runtime: Runtime,
        event: str,
        payload: dict[str, Any],
        client: str = "",
        marks: list[str] | None = None,
        ancestors: list[int] | None = None,
    ) -> dict[str, Any]:
        """Take a hook's event.

        Args:
            event: Its name.
            payload: Its content.
            client: Whose.
            marks: Which variables of its environment tell.
            ancestors: From which processes.
        """
        return {"output": {"seen": event, "payload": payload, "client": client}}


class LocalHost:
    """A backend over a store in memory. Operations are found in the table as it stands."""

    def __init__(self, settings: Settings, door: Door | None = None, *, code: bool = True) -> None:
        url = "memory://" if code else "memory-without-code://"
        flags = {"store.url": url, "embedder.name": "none"}
        self.settings = load_settings(home=settings.home, flags=flags)
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._host = Host(
            self.settings, open_embedder("none"), door=door or HomeDoor(), duties="none"
        )

    @property
    def door(self) -> Door:
        return self._host.door

    def call(self, name: str, request: Request, arguments: Mapping[str, Any]) -> Answer:
        op = find_operation(name)
        self.calls.append((op.name, dict(arguments)))
        try:
            return invoke(op, self._host.runtime(request, op), arguments)
        except ContextdError:
            raise
        except Exception as error:
            raise ContextdError(f"{op.name} failed: {error}", "report it") from error

    def health(self) -> dict[str, Any]:
        return self._host.health()

    def wake(self) -> None:
        """Nothing waits here."""

    def warm(self) -> None:
        """Nothing takes long here."""

    def watch(self, watcher: Callable[[Scope], None]) -> None:
        self._host.watch(watcher)

    def idle(self) -> bool:
        return True

    def close(self) -> None:
        self._host.close()


class BrokenHost(LocalHost):
    """Cannot be opened."""

    def __init__(self, settings: Settings) -> None:
        raise Unavailable("the store is locked away", "find the key")


if __name__ == "__main__":
    from contextd.surfaces.daemon import serve

    chosen = load_settings(home=Path(sys.argv[1]))
    define()
    define_hook()
    sys.exit(serve(lambda: LocalHost(chosen), chosen))
