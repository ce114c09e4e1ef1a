"""What survives a compaction, and whether what was taken back is shown again."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from contextd.domain.time import iso
from contextd_bench.learning.figures import MeasuredShare, wilson
from contextd_bench.learning.planted_facts import FACTS, SortedFact
from contextd_bench.learning.recordings import MOST_PROMPTS, Recording, parsed, row_of, said
from contextd_bench.learning.replay import ReplayedProject, replayed
from contextd_bench.learning.taken_back import TAKEN_BACK, TakenBack

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


def survival(
    projects: Mapping[str, Sequence[Recording]],
    sown: Sequence[SortedFact] = FACTS,
    *,
    seed: int = 7,
    twice: bool = False,
) -> Survival:
    """Plant the facts over the real sessions that are long enough, compact each session at its end, and look
    for them in what its hook is handed back and in CONTEXT.md. `twice` compacts it in its middle as well.
    """
    long = [
        one
        for each in projects.values()
        for one in each
        if _LONG <= len(one.exchanges) <= MOST_PROMPTS
    ]
    dealt = random.Random(seed)
    order = list(sown)
    dealt.shuffle(order)
    planted = {
        f"{one.project}-{number}": _planted(
            one, order[number :: len(long)][: len(one.exchanges) // 2], dealt, twice=twice
        )
        for number, one in enumerate(long)
    }
    back: list[tuple[str, bool]] = []
    page: list[bool] = []
    missing: list[str] = []
    if not planted:
        return Survival(wilson(0, 0), wilson(0, 0), {}, ())
    with replayed({name: [one] for name, (one, _) in planted.items()}) as found:
        for (_, stated), project in zip(planted.values(), found, strict=True):
            done = project.sessions[0]
            recaps = [each.text for each in done.told_at_hooks if each.hook == "compact"]
            briefing = "".join(recaps[-1:])
            handoff_text = "".join(done.handoffs[-1:])
            for fact in stated:
                stands, written = _stands(fact.marks, briefing), _stands(fact.marks, handoff_text)
                back.append((fact.sort, stands))
                page.append(written)
                if not stands and not written:
                    missing.append(f"{fact.sort}: {fact.sentence}")
    sorts = dict.fromkeys(sort for sort, _ in back)
    return Survival(
        wilson(sum(stands for _, stands in back), len(back)),
        wilson(sum(page), len(page)),
        {sort: _share([stands for each, stands in back if each == sort]) for sort in sorts},
        missing,
    )


_LONG = 20
"""Prompts of a session that is planted: five-turn sessions kept 40 facts of 40, real ones 9."""


def _planted(
    one: Recording, sown: Sequence[SortedFact], dealt: random.Random, *, twice: bool = False
) -> tuple[Recording, Sequence[SortedFact]]:
    """The recording with each fact in a prompt or a message of the agent in a turn of its own, and compacted at
    its end, and before that in its middle if it is compacted `twice`.
    """
    lines, rows = list(one.lines), [row_of(line) for line in one.lines]
    turns = dealt.sample(range(len(one.exchanges)), len(sown))
    for fact, number in zip(sown, turns, strict=True):
        if fact.sort == "next":
            number = len(one.exchanges) - 1 - dealt.randrange(2)
        exchange = one.exchanges[number]
        spoken = [n for n in range(exchange.first, exchange.last) if _speaks(rows[n], fact.speaker)]
        place = exchange.first if fact.speaker == "user" or not spoken else dealt.choice(spoken)
        _add(rows[place], fact.sentence, first=dealt.random() < 0.5)
        lines[place] = json.dumps(rows[place], ensure_ascii=False)
    folder = str(rows[-1].get("cwd") or f"/home/dev/{one.name}")
    if twice:
        middle = one.exchanges[len(one.exchanges) // 2]
        cut = Transcript(f"{one.external}-middle", middle.at, folder)
        cut.compacts()
        lines[middle.first : middle.first] = [
            line.replace(f'"sessionId": "{one.external}-middle"', f'"sessionId": "{one.external}"')
            for line in cut.lines
        ]
    script = Transcript(one.external, one.ended, folder)
    script.lines = lines
    script.compacts()
    made = parsed(one.project, one.name, one.external, script.lines)
    assert made is not None
    return made, sown


def _speaks(row: Mapping[str, Any], speaker: str) -> bool:
    return row.get("type") == ("assistant" if speaker == "agent" else "user") and bool(said(row))


def _add(row: Mapping[str, Any], sentence: str, *, first: bool) -> None:
    """Put a paragraph before or after the text of a line of talk."""
    message = row["message"]
    content = message["content"]
    if isinstance(content, str):
        message["content"] = f"{sentence}\n\n{content}" if first else f"{content}\n\n{sentence}"
        return
    block = [each for each in content if each.get("type") == "text"][-1]
    text = block["text"]
    block["text"] = f"{sentence}\n\n{text}" if first else f"{text}\n\n{sentence}"


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


def _stands(marks: Sequence[str], text: str) -> bool:
    return any(
        all(re.search(mark, line, re.IGNORECASE) for mark in marks) for line in text.splitlines()
    )


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
