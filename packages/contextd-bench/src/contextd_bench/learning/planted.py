"""Measure what survives a compaction, and whether retracted statements are shown again, on made-up
sessions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from contextd.domain.time import iso
from contextd_bench.learning.figures import MeasuredShare, wilson
from contextd_bench.learning.planted_sessions import (
    SESSIONS,
    TAKEN_BACK,
    PlantedFact,
    PlantedSession,
    TakenBack,
)
from contextd_bench.learning.recordings import Recording, parsed
from contextd_bench.learning.replay import ReplayedProject, replayed

_BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_PACE = timedelta(seconds=70)
_VAGUE = "This session is being continued from a previous conversation that ran out of context. The user and the assistant worked on the project."


@dataclass(frozen=True, slots=True)
class Survival:
    """How many planted facts stood in what was handed back after a compaction, and in CONTEXT.md; by
    sort of fact, and which were missing in both.
    """

    handed_back: MeasuredShare
    in_page: MeasuredShare
    by_sort: Mapping[str, MeasuredShare]
    missing: Sequence[str]


@dataclass(frozen=True, slots=True)
class Retractions:
    """The lines that show what was taken back, of how many statements any was shown, and of how many
    the right one was.
    """

    lines: Sequence[str]
    shown: MeasuredShare
    right: MeasuredShare


class Transcript:
    """Writes the lines of a made-up transcript, one every so many seconds."""

    def __init__(self, session: str, begin: datetime, place: str) -> None:
        self.lines: list[str] = []
        self._session, self._at, self._place = session, begin, place
        self._calls = 0

    def says(self, role: str, text: str) -> None:
        """A message."""
        self._add(role, [{"type": "text", "text": text}] if role == "assistant" else text)

    def calls(self, tool: str, tool_input: Mapping[str, Any], result: str) -> None:
        """A call of a tool and what came back."""
        self._calls += 1
        call = f"toolu_{self._session}_{self._calls}"
        self._add(
            "assistant", [{"type": "tool_use", "id": call, "name": tool, "input": tool_input}]
        )
        self._add("user", [{"type": "tool_result", "tool_use_id": call, "content": result}])

    def compacts(self) -> None:
        """A compaction, whose summary says nothing in particular."""
        boundary = {
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
        }
        self._write({**boundary, "compactMetadata": {"trigger": "auto", "preTokens": 150_000}})
        message = {"role": "user", "content": _VAGUE}
        self._write({"type": "user", "isCompactSummary": True, "message": message})

    def _add(self, role: str, content: Any) -> None:
        self._write({"type": role, "message": {"role": role, "content": content}})

    def _write(self, row: Mapping[str, Any]) -> None:
        self._at += _PACE
        about = {
            "uuid": f"{self._session}-{len(self.lines)}",
            "parentUuid": f"{self._session}-{len(self.lines) - 1}" if self.lines else None,
            "sessionId": self._session,
            "cwd": self._place,
            "version": "2.1.0",
            "gitBranch": "main",
            "isSidechain": False,
            "timestamp": iso(self._at),
        }
        self.lines.append(json.dumps({**about, **row}, ensure_ascii=False))


def survival() -> Survival:
    """Compact each planted session and look for its facts."""
    projects = {one.name: [_recorded(one)] for one in SESSIONS}
    back: list[tuple[str, bool]] = []
    page: list[bool] = []
    missing: list[str] = []
    with replayed(projects) as found:
        for one, project in zip(SESSIONS, found, strict=True):
            done = project.sessions[0]
            briefing = "\n".join(each.text for each in done.told_at_hooks if each.hook == "compact")
            handoff_text = "\n".join(done.handoffs)
            for sort, fact in _facts(one):
                stands, written = _stands(fact, briefing), _stands(fact, handoff_text)
                back.append((sort, stands))
                page.append(written)
                if not stands and not written:
                    missing.append(f"{one.name} {sort}")
    sorts = dict.fromkeys(sort for sort, _ in back)
    return Survival(
        wilson(sum(stands for _, stands in back), len(back)),
        wilson(sum(page), len(page)),
        {sort: _share([stands for each, stands in back if each == sort]) for sort in sorts},
        missing,
    )


def retractions() -> Retractions:
    """State, take back, ask again; see what is shown afterwards."""
    projects = {one.name: _stretches(one) for one in TAKEN_BACK}
    shown: list[str] = []
    wrongly: list[bool] = []
    right: list[bool] = []
    with replayed(projects) as found:
        for one, project in zip(TAKEN_BACK, found, strict=True):
            lines = list(_told_afterwards(one, project))
            wrong = [x for x in lines if re.search(one.wrong, x) and not re.search(one.right, x)]
            shown += [f"{one.name}: {line.strip()}" for line in dict.fromkeys(wrong)]
            wrongly.append(bool(wrong))
            right.append(any(re.search(one.right, line) for line in lines))
    return Retractions(shown, _share(wrongly), _share(right))


def _share(values: Sequence[bool]) -> MeasuredShare:
    return wilson(sum(values), len(values))


def _told_afterwards(one: TakenBack, project: ReplayedProject) -> Iterator[str]:
    """The lines that were shown once the statement was taken back."""
    retracted_at = next(
        each.at
        for done in project.sessions
        for each in done.recording.exchanges
        if each.prompt == one.retraction
    )
    for done in project.sessions:
        for hook_output in done.told_at_hooks:
            if hook_output.at > retracted_at:
                yield from hook_output.text.splitlines()


def _facts(one: PlantedSession) -> Iterator[tuple[str, PlantedFact]]:
    yield "rule", one.rule
    yield "decision", one.decision
    yield "file", PlantedFact(one.file, (re.escape(one.file),))
    yield "next step", one.step


def _stands(fact: PlantedFact, text: str) -> bool:
    return any(
        all(re.search(mark, line, re.IGNORECASE) for mark in fact.marks)
        for line in text.splitlines()
    )


def _recorded(one: PlantedSession) -> Recording:
    place = f"/home/dev/{one.name}"
    script = Transcript(one.name, _BEGIN, place)
    edit = {
        "file_path": f"{place}/{one.file}",
        "old_string": "limit = 1",
        "new_string": "limit = 2",
    }
    script.says("user", one.opening)
    script.calls("Read", {"file_path": f"{place}/{one.file}"}, "1\tlimit = 1")
    script.says("assistant", "…")
    script.says("user", one.rule.sentence)
    script.calls("Edit", edit, "The file has been updated.")
    script.says("assistant", one.decision.sentence)
    script.says("user", one.chatter[0])
    script.calls("Bash", {"command": "make test"}, "ok  31 passed in 4.2 s")
    script.says("assistant", one.chatter[1])
    script.says("user", "ok")
    script.calls("Bash", {"command": "git status --short"}, f" M {one.file}")
    script.says("assistant", one.step.sentence)
    script.compacts()
    return _read(one.name, one.name, script)


def _stretches(one: TakenBack) -> list[Recording]:
    """The sessions of a statement that is taken back: said, taken back, asked about."""
    scripts = [
        Transcript(f"{one.name}-{day}", _BEGIN + timedelta(days=day), f"/home/dev/{one.name}")
        for day in range(3)
    ]
    first, second, third = scripts
    if one.by == "user":
        _exchange(first, one.sentence, "Understood.")
    else:
        _exchange(first, one.asked, one.sentence)
    _exchange(first if one.same_session else second, one.retraction, "Understood, I changed it.")
    _exchange(second, "run the tests", "All of them pass.")
    _exchange(third, one.asked, "Let me look.")
    return [_read(one.name, f"{one.name}-{day}", each) for day, each in enumerate(scripts)]


def _exchange(script: Transcript, prompt: str, answer: str) -> None:
    script.says("user", prompt)
    script.calls("Bash", {"command": "ls"}, "README.md")
    script.says("assistant", answer)


def _read(project: str, name: str, script: Transcript) -> Recording:
    one = parsed(project, name, name, script.lines)
    assert one is not None
    return one
