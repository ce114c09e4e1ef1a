"""Whether a bug report gets the decision of a past chat that its right fix hangs on, on sde-bench.

The dataset (`vectorize-io/sde-bench`) is read from a checkout. Only cases whose folder and id both have a SHA-256
that begins with an even hex digit are opened, unless all are asked for: the others are for judging.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO

from contextd_bench.bm25 import PlainBM25
from contextd_bench.data import data_file, hardware
from contextd_bench.learning.figures import MeasuredShare, wilson
from contextd_bench.learning.planted import Transcript
from contextd_bench.learning.recordings import Recording, parsed
from contextd_bench.learning.replay import CLIENT, ReplayedProject, replayed
from contextd_common.text.words import content_words

WHOLE = 0.75
"""A decision counts as told whole if the text contains this share of the words in the dataset's summary of it. For 12
of 13 development cases a person reached the same verdict. An amendment told without the rest does not count.
"""

_SUBSTANTIAL = 120
"""Characters of an answer that the baseline quotes: a shorter one is an assent."""

_BEGIN, _APART = datetime(2026, 1, 5, 9, 0, tzinfo=UTC), timedelta(hours=5)
_SETTLED = "Understood."

Message = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PastChatCase:
    """A bug report, the `decision` that determines the right fix, and the chats that made it, oldest first. No chats
    if the decision is recorded only in the git history.
    """

    id: str
    report: str
    decision: str
    chats: Sequence[Sequence[Message]]


@dataclass(frozen=True, slots=True)
class PastChatFigures:
    """Counts of decisions told whole, of those among them that a later chat had amended, and of reports without a
    chat that got any text; and the texts by case.
    """

    whole: MeasuredShare
    amended: MeasuredShare
    false: MeasuredShare
    baseline: MeasuredShare
    told: Mapping[str, str]
    falsely: Mapping[str, str]
    missed: Sequence[str]


def cases(data: Path, *, every: bool = False) -> list[PastChatCase]:
    """The development cases of a checkout of the dataset, or every case."""
    names = sorted(path.name for path in data.glob("boltons-*") if (path / "tasks").is_dir())
    found: list[PastChatCase] = []
    for name in names:
        if every or (_is_development(name) and _is_development(f"{name}-001")):
            path = data_file(data, name, "tasks", "main", "task.json")
            task = json.loads(path.read_text("utf-8"))
            chats = task.get("conversations") or []
            several = [chats] if chats and isinstance(chats[0], dict) else chats
            found.append(PastChatCase(task["task_id"], task["bug_report"], task["policy"], several))
    return found


def _is_development(id: str) -> bool:
    return int(sha256(id.encode()).hexdigest()[0], 16) % 2 == 0


def measure(data: Path, *, every: bool = False) -> PastChatFigures:
    """Replay the chats among the dataset's decoys, then send each report as the first prompt of a session."""
    asked = cases(data, every=every)
    decided = [one for one in asked if one.chats]
    decoys = [row["turns"] for row in json.loads((data / _DECOYS).read_text("utf-8"))]
    told = _told(_chats(decided, decoys), decided)
    falsely = {id: text for id, text in _told(_chats((), decoys), asked).items() if text}
    whole = [one.id for one in decided if share_told(one.decision, told[one.id]) >= WHOLE]
    amended = [one.id in whole for one in decided if len(one.chats) > 1]
    quoted = _quoted(decided, decoys)
    baseline = [share_told(one.decision, quoted[one.id]) >= WHOLE for one in decided]
    return PastChatFigures(
        wilson(len(whole), len(decided)),
        wilson(sum(amended), len(amended)),
        wilson(len(falsely), len(asked)),
        wilson(sum(baseline), len(baseline)),
        told,
        falsely,
        [one.id for one in decided if one.id not in whole],
    )


_DECOYS = Path("gen") / "decoy_conversations.json"


def share_told(decision: str, text: str) -> float:
    """The share of the content words of a decision that a text has."""
    words = frozenset(content_words(decision))
    return len(words & frozenset(content_words(text))) / max(1, len(words))


def _chats(
    decided: Sequence[PastChatCase], decoys: Sequence[Sequence[Message]]
) -> Iterator[tuple[str, Sequence[Message]]]:
    """All chats in the order of time: the cases' spread among the decoys, an amendment after what it amends."""
    every: list[tuple[float, str, Sequence[Message]]] = [
        (number / max(1, len(decoys)), f"decoy-{number}", turns)
        for number, turns in enumerate(decoys)
    ]
    for number, one in enumerate(decided):
        for part, chat in enumerate(one.chats):
            place = (number + 0.5) / len(decided)
            at = place / 2 + 0.5 * part if len(one.chats) > 1 else place
            every.append((at, f"{one.id}-{part}", chat))
    return ((name, chat) for _, name, chat in sorted(every, key=lambda row: row[:2]))


def _told(
    chats: Iterator[tuple[str, Sequence[Message]]], asked: Sequence[PastChatCase]
) -> dict[str, str]:
    recordings = [_recording(n, name, chat) for n, (name, chat) in enumerate(chats)]
    with replayed({"boltons": recordings}) as found:
        return {one.id: prompted(found[0], one.id, one.report) for one in asked}


def _recording(number: int, name: str, chat: Sequence[Message]) -> Recording:
    script = Transcript(name, _BEGIN + number * _APART, "/home/dev/boltons")
    for message in chat:
        script.says(message["role"], message["text"])
    if chat[-1]["role"] == "user":
        script.says("assistant", _SETTLED)
    one = parsed("boltons", name, name, script.lines)
    assert one is not None
    return one


def prompted(project: ReplayedProject, session: str, prompt: str) -> str:
    """What the hook adds to the first prompt of a session that never ends, so that nothing is learned from it."""
    payload: dict[str, Any] = {
        "session_id": session,
        "cwd": str(project.bench.root),
        "transcript_path": "",
    }
    request = replace(project.bench.request, surface="hook", client=CLIENT)
    added = ""
    for event, more in (("SessionStart", {"source": "startup"}), (_PROMPT, {"prompt": prompt})):
        arguments = {
            "event": event,
            "client": CLIENT,
            "payload": {**payload, "hook_event_name": event, **more},
        }
        output = project.bench.host.call("hook_event", request, arguments).value.get("output") or {}
        added = str((output.get("hookSpecificOutput") or {}).get("additionalContext") or "")
    return added


_PROMPT = "UserPromptSubmit"


def _quoted(decided: Sequence[PastChatCase], decoys: Sequence[Sequence[Message]]) -> dict[str, str]:
    """The baseline: the last substantial answer of the chat that BM25 finds first. It always answers."""
    chats = [chat for _, chat in _chats(decided, decoys)]
    index = PlainBM25(["\n".join(message["text"] for message in chat) for chat in chats])
    return {one.id: _last(chats[index.ranking(one.report, 1)[0]]) for one in decided}


def _last(chat: Sequence[Message]) -> str:
    texts = [one["text"] for one in chat if one["role"] == "assistant"]
    return next((text for text in reversed(texts) if len(text) >= _SUBSTANTIAL), "")


def run(data: Path, *, every: bool, out: TextIO) -> bool:
    """Print the figures; whether the goals are reached: 3 of 4 whole, at most 1 in 20 false."""
    found = measure(data, every=every)
    print("\n## decisions: whether a bug report gets the decision of a past chat", file=out)
    print(f"{'all' if every else 'development'} cases of {data}; {hardware()}\n", file=out)
    print(f"- told whole: {found.whole}; BM25's chat, last answer: {found.baseline}", file=out)
    print(f"- of those amended by a later chat: {found.amended}", file=out)
    print(f"- anything told where no chat decided: {found.false}", file=out)
    print(f"- not whole: {', '.join(found.missed) or 'none'}", file=out)
    for id, text in found.falsely.items():
        print(f"- told falsely to {id}: {text[:200]!r}", file=out)
    return found.whole.hits >= 0.75 * found.whole.n and found.false.hits <= 0.05 * found.false.n
