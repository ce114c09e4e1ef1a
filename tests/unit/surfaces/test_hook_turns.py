"""Hooks of a folder that hangs leave threads to those of the others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

from contextd.domain.access import OWNER
from contextd.runtime.operation import Answer
from contextd.runtime.runtime import Request
from contextd.surfaces.calls import Calls, Peer


class Door:
    """Lets everybody in."""

    def caller(self, surface: str, credential: str) -> Any:
        return OWNER


class Hanging:
    """A backend whose calls from the folder `/dead` do not end before `end` is set."""

    door = Door()

    def __init__(self) -> None:
        self.begun, self.end = threading.Event(), threading.Event()
        self.running = 0

    def watch(self, watcher: Any) -> None:
        """Nothing changes here."""

    def call(self, name: str, request: Request, arguments: Mapping[str, Any]) -> Answer:
        if request.cwd == "/dead":
            self.running += 1
            self.begun.set()
            self.end.wait(60)
        return Answer(request.cwd, "")


def test_a_hook_does_not_wait_for_those_of_a_folder_that_hangs() -> None:
    backend = Hanging()

    async def talk() -> list[Any]:
        calls = Calls(lambda: backend, 2)  # type: ignore[arg-type,return-value]

        async def hook(folder: str) -> Any:
            return (await calls.call(Peer("hook", cwd=folder), "hook_event", {})).value

        hanging = [asyncio.create_task(hook("/dead")) for _ in range(20)]
        await asyncio.to_thread(backend.begun.wait, 60)
        answers = [await hook(f"/alive/{number}") for number in range(5)]
        assert not any(task.done() for task in hanging)
        assert backend.running < 5
        backend.end.set()
        return [*answers, *await asyncio.gather(*hanging)]

    found = asyncio.run(talk())

    assert found == [*(f"/alive/{number}" for number in range(5)), *["/dead"] * 20]
