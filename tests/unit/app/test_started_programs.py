"""A call that is repeated starts no program, but for those whose job it is to run one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from contextd.runtime.operation import OPERATIONS
from contextd_code import processes
from contextd_common.errors import (
    Busy,
    Conflict,
    Denied,
    Invalid,
    NotFound,
    TooLarge,
    Unavailable,
)
from support.arguments import arguments
from support.desks import Desk
from support.repositories import git
from support.tool_calls import CALLS, settled
from support.verdicts import none_of

STATUS = "git status: uncommitted changes are in no file that could be watched"
SEARCH = "ripgrep: searches the text of all files, now"
LIST = "lists all files: asked to compare them with the index"

IN_A_REPOSITORY: Mapping[str, tuple[int, str]] = {
    "session_start": (2, f"{STATUS}; once for the answer, once for CONTEXT.md behind it"),
    "session_end": (1, f"{STATUS}, for CONTEXT.md"),
    "briefing_get": (1, STATUS),
    "prompt_build": (1, f"{STATUS}, for CONTEXT.md"),
    "repo_map": (1, f"{STATUS}; changed files come first"),
    "diff_context": (4, "the difference, what is too long in it, its base, and new files"),
    "grep_codebase": (1, SEARCH),
    "find_references": (1, f"{SEARCH}, for text matches"),
    "codebase_index": (1, LIST),
    "init": (2, f"{LIST}; {STATUS}"),
    "scan": (2, f"{LIST}; {STATUS}"),
    "reindex": (2, f"{LIST}, of both projects"),
    "import_sources": (1, "git ls-files: the instruction files of folders"),
    "import_found": (2, "git log: reads commit messages; git ls-files, as above"),
    "hook SessionStart": (1, STATUS),
    "hook PreCompact": (1, f"{STATUS}, for CONTEXT.md"),
}
"""How many programs a repeated call starts, and why. A call that is not named starts none."""

WITHOUT_GIT: Mapping[str, tuple[int, str]] = {
    name: (number, why)
    for name, (number, why) in {
        **IN_A_REPOSITORY,
        **dict.fromkeys(("init", "scan"), (1, LIST)),
    }.items()
    if name in ("grep_codebase", "find_references", "codebase_index", "init", "scan", "reindex")
}
"""The same in a folder without git, where nothing starts git."""

EXPECTED = (Busy, Conflict, Denied, Invalid, NotFound, TooLarge, Unavailable)
"""What a call with small arguments may be refused with; a defect fails the test."""

EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "PreCompact")


def _in_place(desk: Desk, beside: Path) -> Desk:
    return desk


def _linked(desk: Desk, beside: Path) -> Desk:
    git(desk.root, "worktree", "add", "-q", str(beside), "-b", "task")
    return desk.at(beside)


def _without_git(desk: Desk, beside: Path) -> Desk:
    shutil.copytree(desk.root, beside, ignore=shutil.ignore_patterns(".git"))
    return desk.at(beside)


PLACES: Mapping[str, tuple[Callable[[Desk, Path], Desk], Mapping[str, tuple[int, str]]]] = {
    "repository": (_in_place, IN_A_REPOSITORY),
    "linked work tree": (_linked, IN_A_REPOSITORY),
    "folder without git": (_without_git, WITHOUT_GIT),
}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command lines of all programs that are started."""
    found: list[str] = []
    start = processes.start

    def counted(command: Any, *arguments: Any, **more: Any) -> Any:
        found.append(" ".join(command))
        return start(command, *arguments, **more)

    monkeypatch.setattr(processes, "start", counted)
    # The silence of a watcher is trusted for ten seconds, which a busy machine may need for a call.
    monkeypatch.setattr("contextd_code.index.freshness.TRUST", 1e9)
    return found


def _calls(
    desk: Desk, known: dict[str, str]
) -> Iterator[tuple[str, Desk, str, Callable[[int], Any]]]:
    """Every call: its name here, who calls, the operation, and the arguments of its repetition."""
    for name, call in CALLS:
        try:
            given = dict(call(desk, known))
        except (IndexError, StopIteration):
            # What needs a pair of records finds none once they were merged.
            given = dict(arguments(OPERATIONS[name]))
        yield name, desk, name, lambda number, given=given: given
    for event in (*EVENTS, "SessionEnd"):
        yield f"hook {event}", desk.on("hook"), "hook_event", _payload(event, desk)
    called = {name for name, _ in CALLS} | {"hook_event"}
    for op in OPERATIONS.values():
        if op.name not in called:
            given = arguments(op)
            yield op.name, desk.on("cli"), op.name, lambda number, given=given: given


def _payload(event: str, desk: Desk) -> Callable[[int], Any]:
    """The arguments of an event, different each time: the same one twice is not processed."""

    def made(number: int) -> Any:
        payload = {
            "session_id": "of-the-client",
            "hook_event_name": event,
            "cwd": str(desk.root),
            "source": "startup" if number == 0 else "compact",
            "prompt": f"how are invoices rounded, asked {number} times",
            "tool_name": "Bash",
            "tool_input": {"command": f"npm test {number}"},
            "tool_response": {"stdout": f"{number} passed"},
            "trigger": "auto",
            "reason": f"exit {number}",
        }
        return {"client": "claude-code", "event": event, "payload": payload}

    return made


@pytest.mark.parametrize("place", PLACES)
def test_a_repeated_call_starts_no_program_without_need(
    words_only: Desk, place: str, tmp_path: Path, started: list[str]
) -> None:
    moved, expected = PLACES[place]
    desk = moved(words_only, tmp_path / "beside")
    known = settled(desk)
    desk = desk.connected("c-1")
    known["session"] = desk("session_start", task_description="Begin")["session_id"]

    found: dict[str, int] = {}
    lines: dict[str, list[str]] = {}
    for name, caller, operation, given in _calls(desk, known):
        for number in range(3):
            started.clear()
            with suppress(*EXPECTED):
                caller.answer(operation, **given(number))
            # What a call leaves to do behind its answer, the watching of the files too.
            caller.host.flush()
            caller.host.work_off()
        if started:
            found[name] = max(found.get(name, 0), len(started))
            lines[name] = list(started)

    assert found == {name: number for name, (number, _) in expected.items()}, lines
    assert place != "folder without git" or not any(
        "/git" in line and str(desk.root) in line for several in lines.values() for line in several
    )


def test_every_operation_is_called() -> None:
    called = {name for name, _ in CALLS} | {"hook_event"}
    none_of(
        sorted(called - set(OPERATIONS)),
        "no such operation: take it out of CALLS in tests/unit/app/test_started_programs.py",
    )
    known = {*OPERATIONS, *(f"hook {one}" for one in (*EVENTS, "SessionEnd"))}
    none_of(
        sorted(set(IN_A_REPOSITORY) - known),
        "no such operation: take it out of IN_A_REPOSITORY in tests/unit/app/test_started_programs.py",
    )
