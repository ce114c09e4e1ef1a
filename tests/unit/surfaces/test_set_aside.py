"""An event that its project holds up waits for it, and no other project waits with it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from contextd.surfaces import spool_reader
from contextd.surfaces.spool_reader import FIRST_PAUSE, LONGEST_PAUSE, MOST_TRIES, SpoolReader
from contextd.thin import spool
from contextd.thin.set_aside import FOLDER, SetAside, set_aside_in
from contextd_common.errors import (
    Busy,
    ContextdError,
    Corrupt,
    Invalid,
    Unavailable,
    Unreadable,
)


class Projects:
    """Records events, but for those of folders that fail or hang, and for single ones that fail."""

    def __init__(self) -> None:
        self.recorded: list[str] = []
        self.tried: list[str] = []
        self.failing: dict[str, Exception] = {}
        self.hanging: dict[str, asyncio.Event] = {}

    async def __call__(self, entry: dict[str, Any]) -> None:
        self.tried.append(entry["n"])
        if entry["cwd"] in self.hanging:
            await self.hanging[entry["cwd"]].wait()
        for failing in {entry["cwd"], entry["n"]} & self.failing.keys():
            raise self.failing[failing]
        self.recorded.append(entry["n"])


class Spooled:
    """A home with two projects, the clock, and the reader of the spool."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home, self.now = home, 1_000_000.0
        self.projects = Projects()
        self.a, self.b = str(home / "a"), str(home / "b")
        for folder in (self.a, self.b):
            (Path(folder) / ".git").mkdir(parents=True)
        monkeypatch.setattr("time.time", lambda: self.now)
        monkeypatch.setattr(spool_reader, "PATIENCE", 0.05)

    def reader(self) -> SpoolReader:
        return SpoolReader(self.home, self.projects)

    def leave(self, *names: str) -> None:
        """Spool events, each named by its project and a number: `a1`."""
        for name in names:
            cwd = self.a if name[0] == "a" else self.b
            spool.leave(self.home, {"n": name, "cwd": f"{cwd}/src" if "s" in name else cwd})

    def waiting(self) -> list[SetAside]:
        return set_aside_in(self.home)


@pytest.fixture
def spooled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spooled:
    return Spooled(tmp_path, monkeypatch)


def run(talk: Coroutine[Any, Any, None]) -> None:
    asyncio.run(talk)


def test_an_event_of_another_project_does_not_wait_for_one_that_fails(spooled: Spooled) -> None:
    async def talk() -> None:
        reader, projects = spooled.reader(), spooled.projects
        projects.failing[spooled.a] = Unreadable("objects/ab/cd is not an ordinary file")
        spooled.leave("a1", "b1", "as2", "b2", "a3")

        assert await reader.read() == 2
        assert projects.recorded == ["b1", "b2"]
        [waiting] = spooled.waiting()
        assert (waiting.place, waiting.events, waiting.tries) == (spooled.a, 3, 1)
        assert waiting.reason == "objects/ab/cd is not an ordinary file"
        assert not spool.take(spooled.home)

        projects.failing.clear()
        spooled.now += FIRST_PAUSE
        spooled.leave("a4")
        assert await reader.read() == 4
        assert projects.recorded == ["b1", "b2", "a1", "as2", "a3", "a4"]
        assert spooled.waiting() == []
        assert not (spooled.home / FOLDER).exists()

    run(talk())


def test_attempts_grow_rarer_up_to_a_limit_and_none_is_left_out(spooled: Spooled) -> None:
    async def talk() -> None:
        reader, projects = spooled.reader(), spooled.projects
        spooled.projects.failing[spooled.a] = Unreadable("git did not answer in 10.0 s")
        spooled.leave("a1")
        pauses = []
        await reader.read()
        for _ in range(10):
            [waiting] = spooled.waiting()
            pauses.append(waiting.next_try - spooled.now)
            spooled.now = waiting.next_try - 0.1
            await reader.read()
            assert len(projects.tried) == len(pauses)
            spooled.now += 0.2
            await reader.read()
            assert len(projects.tried) == len(pauses) + 1

        assert pauses[:3] == pytest.approx([FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE])
        assert max(pauses) == pauses[-1] == pytest.approx(LONGEST_PAUSE)

    run(talk())


def test_an_event_that_hangs_holds_up_its_own_project_alone(spooled: Spooled) -> None:
    async def talk() -> None:
        reader, projects = spooled.reader(), spooled.projects
        projects.hanging[spooled.a] = asyncio.Event()
        spooled.leave("a1", "b1", "a2", "b2")

        assert await reader.read() == 2
        assert projects.recorded == ["b1", "b2"]
        spooled.leave("a3", "b3")
        assert await reader.read() == 1
        assert projects.tried.count("a1") == 1
        [waiting] = spooled.waiting()
        assert (waiting.place, waiting.events) == (spooled.a, 3)
        spooled.now += 90
        [shown] = reader.report()
        assert "is being processed for 90 s" in shown["text"]

        projects.hanging[spooled.a].set()
        await reader.read()
        assert projects.recorded == ["b1", "b2", "b3", "a1", "a2", "a3"]
        assert reader.report() == []

    run(talk())


def test_events_set_aside_are_recorded_by_the_next_daemon(spooled: Spooled) -> None:
    async def first() -> None:
        spooled.projects.failing[spooled.a] = Unreadable("not now")
        spooled.projects.hanging[spooled.b] = asyncio.Event()
        spooled.leave("a1", "a2", "b1", "b2")
        reader = spooled.reader()
        await reader.read()
        await reader.close()

    async def second() -> None:
        spooled.projects.failing.clear()
        spooled.projects.hanging.clear()
        # At once, whenever it was to be tried again.
        assert await spooled.reader().read() == 4
        assert sorted(spooled.projects.recorded) == ["a1", "a2", "b1", "b2"]
        assert spooled.projects.recorded.index("a1") < spooled.projects.recorded.index("a2")

    run(first())
    assert [(one.place, one.events) for one in spooled.waiting()] == [
        (spooled.a, 2),
        (spooled.b, 2),
    ]
    run(second())
    assert spooled.waiting() == []


@pytest.mark.parametrize("error", [RuntimeError("boom"), ContextdError("hook_event failed: boom")])
def test_an_event_that_always_fails_is_given_up_and_those_behind_it_go_on(
    spooled: Spooled, error: Exception
) -> None:
    async def talk() -> None:
        reader, projects = spooled.reader(), spooled.projects
        projects.failing["a1"] = error
        spooled.leave("a1", "a2", "b1")
        for _ in range(MOST_TRIES):
            assert "a2" not in projects.recorded
            await reader.read()
            spooled.now += LONGEST_PAUSE

        assert projects.tried.count("a1") == MOST_TRIES
        assert projects.recorded == ["b1", "a2"]
        [waiting] = spooled.waiting()
        assert (waiting.events, waiting.failed) == (0, 1)
        assert "boom" in waiting.told(spooled.now)

        # Another version may do better.
        projects.failing.clear()
        assert await spooled.reader().read() == 1
        assert projects.recorded == ["b1", "a2", "a1"]
        assert spooled.waiting() == []

    run(talk())


@pytest.mark.parametrize("error", [Busy, Unavailable, Corrupt])
def test_a_store_that_fails_keeps_every_event_in_order(
    spooled: Spooled, error: type[ContextdError]
) -> None:
    async def talk() -> None:
        reader, projects = spooled.reader(), spooled.projects
        projects.failing |= dict.fromkeys((spooled.a, spooled.b), error("not now"))
        spooled.leave("a1", "b1", "a2", "b2")
        for _ in range(6):
            assert await reader.read() == 0
            spooled.leave()
        spooled.leave("a3", "b3")
        assert await reader.read() == 0

        projects.failing.clear()
        await reader.read()
        assert sorted(projects.recorded) == ["a1", "a2", "a3", "b1", "b2", "b3"]
        for name in "ab":
            own = [one for one in projects.recorded if one[0] == name]
            assert own == sorted(own)
        assert spooled.waiting() == []

    run(talk())


def test_a_project_whose_own_rows_are_damaged_does_not_stop_the_others(spooled: Spooled) -> None:
    async def talk() -> None:
        reader, projects = spooled.reader(), spooled.projects
        projects.failing[spooled.a] = Corrupt("a session cannot be read")
        spooled.leave("a1", "b1", "a2", "b2")
        for _ in range(3):
            await reader.read()

        assert projects.recorded == ["b1", "b2"]
        [waiting] = spooled.waiting()
        assert (waiting.events, waiting.reason) == (2, "a session cannot be read")

    run(talk())


def test_a_batch_that_is_read_again_doubles_nothing(spooled: Spooled) -> None:
    async def talk() -> None:
        reader, projects = spooled.reader(), spooled.projects
        projects.failing[spooled.a] = Unreadable("not now")
        projects.failing[spooled.b] = Busy("locked")
        spooled.leave("a1", "a2", "b1", "a3")
        await reader.read()
        await reader.read()
        await reader.read()
        projects.failing.clear()
        spooled.now += 2 * LONGEST_PAUSE
        await reader.read()

        assert sorted(projects.recorded) == ["a1", "a2", "a3", "b1"]

    run(talk())


def test_an_event_that_a_project_refuses_is_dropped_as_before(spooled: Spooled) -> None:
    async def talk() -> None:
        spooled.projects.failing[spooled.a] = Invalid("your home folder is no project")
        spooled.leave("a1", "b1")
        assert await spooled.reader().read() == 2
        assert spooled.waiting() == []

    run(talk())


def test_the_next_event_of_a_project_tries_those_before_it(spooled: Spooled) -> None:
    async def talk() -> None:
        reader, projects = spooled.reader(), spooled.projects
        projects.failing[spooled.a] = Unreadable("not now")
        spooled.leave("a1")
        await reader.read()
        projects.failing.clear()

        await reader.retry(spooled.b)
        assert projects.recorded == []
        await reader.retry(f"{spooled.a}/src/deep")
        assert projects.recorded == ["a1"]

    run(talk())


def test_half_a_line_that_a_killed_daemon_left_costs_no_other_event(spooled: Spooled) -> None:
    async def talk() -> None:
        projects = spooled.projects
        projects.failing[spooled.a] = Unreadable("not now")
        spooled.leave("a1")
        reader = spooled.reader()
        await reader.read()
        [folder] = (spooled.home / FOLDER).iterdir()
        with (folder / "events.jsonl").open("ab") as file:
            file.write(b'{"n": "a2", "cw')
        spooled.leave("a3")
        await reader.read()

        projects.failing.clear()
        await spooled.reader().read()
        assert projects.recorded == ["a1", "a3"]

    run(talk())


def test_a_full_disk_keeps_the_events_in_the_spool(
    spooled: Spooled, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def talk() -> None:
        reader = spooled.reader()
        spooled.projects.failing[spooled.a] = Unreadable("not now")
        spooled.leave("a1", "a2", "b1")

        def full(*_: Any) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr("contextd.thin.set_aside._append", full)
            with pytest.raises(OSError, match="No space"):
                await reader.read()
        assert await reader.read() == 1
        assert spooled.projects.recorded == ["b1"]
        assert [one.events for one in spooled.waiting()] == [2]

    run(talk())


def test_no_secret_is_stored_with_the_reason(spooled: Spooled) -> None:
    async def talk() -> None:
        token = "gh" + "p_" + "k3JdQm29fLxVzR7tYb0NcWs8HpGu4EaXoi5T"
        spooled.projects.failing[spooled.a] = RuntimeError(f"cannot use {token}")
        spooled.leave("a1")
        await spooled.reader().read()
        [folder] = (spooled.home / FOLDER).iterdir()
        assert token not in (folder / "state.json").read_text("utf-8")
        assert folder.stat().st_mode & 0o077 == 0
        assert (folder / "events.jsonl").stat().st_mode & 0o077 == 0

    run(talk())


def test_a_person_is_told_why_an_event_waits_and_where_one_is_kept_that_failed() -> None:
    waits = SetAside("/srv/shop", 1, 0, "HEAD is a pipe", "", 2, 0.0, 109.0)
    assert (
        waits.told(100.0) == "/srv/shop: 1 event waits: HEAD is a pipe (tried 2 times, next in 9 s)"
    )
    fresh = SetAside("/srv/shop", 3, 0, "", "", 0, 0.0, 0.0)
    assert fresh.told(100.0) == "/srv/shop: 3 events wait, not tried yet"
    failed = SetAside("", 0, 1, "", "it is no event", 0, 0.0, 0.0, "/srv/failed.jsonl")
    said = "1 event could not be processed: it is no event (kept in /srv/failed.jsonl)"
    assert failed.told(100.0) == f"no folder: {said}"
