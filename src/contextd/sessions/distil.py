"""From a session to at most three items worth remembering, by rules.

Success gives a strategy, failure a warning, and an error that a change made go away a remedy
(after ReasoningBank, arXiv 2509.25140: at most three items, each with when and when not to use
it). Nothing is made up: a session that states nothing gives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contextd.domain.sessions import Event, Session
from contextd.sessions import extract_guards as guards
from contextd.sessions.extract import Finding, classify, sentences
from contextd.sessions.signals import (
    CORRECTION,
    Signals,
    failed,
    judge,
    read_signals,
    tests_told,
)

MOST_ITEMS = 3
_TITLE = 72
_REPEATS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A draft of a record: kind, title, content of one to three sentences, and typed fields."""

    kind: str
    title: str
    content: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tags: tuple[str, ...] = ()


def distil(
    session: Session, events: Sequence[Event], findings: Sequence[Finding], outcome: str = ""
) -> list[Item]:
    """At most three items: remedies first, then what failed, then what worked.

    `outcome` is the caller's word, `success`, `failure` or `mixed`; test results, exit codes,
    reverts and the user's corrections overrule it.
    """
    own = [event for event in events if not event.data.get("sidechain")]
    signals = read_signals(own)
    judged = judge(signals, outcome)
    remedies = _remedies(own, session.cwd)
    items = remedies[:1]
    if judged in ("failure", "mixed") or signals.corrections:
        items += _warnings(session, own, signals, findings)[:1]
    if judged in ("success", "mixed"):
        items += _strategies(session, findings, judged)
    return [*items, *remedies[1:]][:MOST_ITEMS]


@dataclass(slots=True)
class _Trouble:
    """A failing command and what was done about it since."""

    command: str
    output: str
    files: list[str] = field(default_factory=list[str])
    changes: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    said: list[str] = field(default_factory=list[str])


_ERROR_LINE = re.compile(
    r"^(?:E\s+)?.{0,200}(?:\w*(?:Error|Exception)\b|error(?:\[\w+\])?:|FAILED|--- FAIL|panicked|fatal:"
    r"|assert(?:ion)? |expected .{1,80} (?:but|got|to)|not found|cannot |undefined)",
    re.I,
)


def _remedies(events: Sequence[Event], cwd: str) -> list[Item]:
    """Error, change, success: one item per failing command that passes after a file was written.

    Those whose cause or fix somebody stated come first; the others only when there is none such.
    """
    found: list[Item] = []
    told: list[Item] = []
    for trouble in _overcome(events):
        symptoms = _symptoms(trouble.output)
        if not symptoms:
            continue
        cause = next((s for s in trouble.said if _states_cause(s)), "")
        stated = [s for s in trouble.said if guards.FIX.search(s)]
        files = list(dict.fromkeys(trouble.files))
        solution = stated[-1] if stated else _changed(files)
        parts = [f"{symptoms[0].rstrip('.')}.", *(s for s in (cause, solution) if s)]
        data: dict[str, Any] = {
            "problem": symptoms[0],
            "symptoms": symptoms,
            "solution": solution,
            "affected_files": files,
            "verified": True,
        }
        if cause:
            data["root_cause"] = cause
        if trouble.changes:
            data["code_diff"] = _diff(trouble.changes, cwd)
        item = Item(
            kind="remediation",
            title=_short(symptoms[0]),
            content=" ".join(dict.fromkeys(parts)),
            data=data,
            tags=("fix",),
        )
        if all(item.title != other.title for other in found):
            found.append(item)
            if cause or stated:
                told.append(item)
    return told or found[:1]


def _states_cause(sentence: str) -> bool:
    told = classify(sentence, "assistant")
    return told is not None and told[0] == "issue" and not guards.FIX.search(sentence)


def _overcome(events: Sequence[Event]) -> Iterator[_Trouble]:
    """Every trouble whose command, or kind of command, later succeeded after a change."""
    open_troubles: dict[str, _Trouble] = {}
    commands: dict[str, str] = {}
    suspected: list[str] = []
    for event in events:
        if event.type == "tool_call":
            commands[str(event.data.get("id", ""))] = event.text
            _note_change(event, open_troubles)
        elif event.type == "file_access" and event.data.get("mode") == "write":
            for trouble in open_troubles.values():
                trouble.files.append(str(event.data.get("path", "")))
        elif event.type == "message" and event.role == "assistant":
            said = list(sentences(event.text))
            suspected += [s for s in said if _states_cause(s)]
            for trouble in open_troubles.values():
                trouble.said.extend(said)
        elif event.type == "tool_result":
            command = commands.get(str(event.data.get("id", "")), "")
            name = _same_command(command)
            if failed(event) or tests_told(event) == "failed":
                if name not in open_troubles and not event.data.get("rejected"):
                    open_troubles[name] = _Trouble(command, event.text, said=suspected[-2:])
            elif name in open_troubles and open_troubles[name].files:
                trouble = open_troubles.pop(name)
                trouble.said.extend(_said_after(events, event))
                suspected.clear()
                yield trouble


def _note_change(event: Event, troubles: Mapping[str, _Trouble]) -> None:
    given = event.data.get("input")
    if not isinstance(given, Mapping) or event.data.get("tool") not in ("Edit", "MultiEdit"):
        return
    path, edits = str(given.get("file_path", "")), given.get("edits")
    for edit in edits if isinstance(edits, list) else [given]:
        if isinstance(edit, Mapping):
            change = (path, str(edit.get("old_string", "")), str(edit.get("new_string", "")))
            for trouble in troubles.values():
                trouble.changes.append(change)


def _said_after(events: Sequence[Event], event: Event) -> list[str]:
    """What the agent said of it next, before anybody else speaks."""
    start = next(i for i, other in enumerate(events) if other is event)
    for other in events[start + 1 : start + 6]:
        if other.type == "message":
            return list(sentences(other.text)) if other.role == "assistant" else []
    return []


_WRAPPER = re.compile(
    r"^(?:(?:\w+=\S*|sudo|time|env|npx|uvx|(?:uv|poetry|pdm|hatch|pipenv) run|bundle exec|python3? -m"
    r"|timeout \d+\w?) )+"
)
_WITH_VERB = re.compile(
    r"^(?:(?:npm|pnpm|yarn|bun|deno)(?: run)?|cargo|go|make|just|git|docker(?: compose)?|dotnet|mvn"
    r"|\S*gradlew?|kubectl|terraform|python3?|node|bash|sh) [^\s-]\S*"
)


def _same_command(command: str) -> str:
    """What makes two runs the same: the program, with its verb where it has one."""
    bare = re.sub(r"^\w+: ", "", command).rpartition("&&")[2].split("|")[0].strip()
    bare = _WRAPPER.sub("", bare)
    match = _WITH_VERB.match(bare)
    return match[0] if match else bare.split(" ", 1)[0]


def _symptoms(output: str) -> list[str]:
    lines = (re.sub(r"^E\s+|\x1b\[[\d;]*m", "", line).strip() for line in output.splitlines())
    telling = [line[:200] for line in lines if len(line) > 8 and _ERROR_LINE.match(line)]
    named = [line for line in telling if re.search(r"Error|Exception|panicked|error:", line)]
    return list(dict.fromkeys((*named, *telling)))[:3]


def _changed(files: Sequence[str]) -> str:
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    return f"Changing {', '.join(files[:3])}{more} made it pass."


def _diff(changes: Sequence[tuple[str, str, str]], cwd: str) -> str:
    blocks = []
    for path, old, new in changes[-3:]:
        removed = [f"-{line}" for line in old.splitlines()[:12]]
        name = path.removeprefix(cwd).lstrip("/\\") if cwd else path
        blocks.append("\n".join([name, *removed, *(f"+{line}" for line in new.splitlines()[:12])]))
    return "\n".join(blocks)[:2_000]


def _warnings(
    session: Session, events: Sequence[Event], signals: Signals, findings: Sequence[Finding]
) -> list[Item]:
    """A warning from what the user had to correct, or from a command that failed again and again."""
    about = _area(session)
    for event in events:
        if (
            event.type != "message"
            or event.role != "user"
            or not CORRECTION.search(event.text[:400])
        ):
            continue
        rule = next((f for f in findings if f.event_key == event.key), None)
        said = generalised(" ".join(list(sentences(event.text))[:2]))
        if rule is None and len(said.split()) < 6:
            continue
        instead = generalised(rule.content) if rule else said
        return [
            Item(
                kind="anti_pattern",
                title=_short(f"Corrected: {instead}"),
                content=f"The user corrected the work{about}: {_ended(said)} Do not repeat it there; it says nothing of other areas.",
                data={
                    "category": "correction",
                    "what_happened": said,
                    "why_bad": "The user had to correct it",
                    "instead": instead,
                    "severity": "warning",
                },
                tags=("correction",),
            )
        ]
    repeated = _repeated(events)
    if not repeated:
        return []
    command, times, symptom = repeated
    undone = " and the change was undone" if signals.reverts else ""
    return [
        Item(
            kind="anti_pattern",
            title=_short(f"Do not rerun {command} hoping it passes"),
            content=(
                f"`{command}` failed {times} times{about} with: {_ended(symptom)} Find the cause "
                f"before running it again; a rerun is only right when the failure is known to be flaky."
            ),
            data={
                "category": "retry",
                "what_happened": f"{command} failed {times} times{undone}",
                "why_bad": symptom,
                "instead": "Read the first error, change one thing, then run it again",
                "severity": "warning",
            },
            tags=("retry",),
        )
    ]


def _repeated(events: Sequence[Event]) -> tuple[str, int, str] | None:
    """The command that failed most, when it did three times or more and never passed after."""
    commands: dict[str, str] = {}
    failures: dict[str, list[str]] = {}
    for event in events:
        if event.type == "tool_call":
            commands[str(event.data.get("id", ""))] = _same_command(event.text)
        elif event.type == "tool_result":
            name = commands.get(str(event.data.get("id", "")), "")
            if failed(event):
                failures.setdefault(name, []).append(event.text)
            else:
                failures.pop(name, None)
    worst = max(failures, key=lambda name: len(failures[name]), default="")
    outputs = failures.get(worst, [])
    symptoms = _symptoms(outputs[-1]) if outputs else []
    if not worst or len(outputs) < _REPEATS or not symptoms:
        return None
    return worst, len(outputs), generalised(symptoms[0])


def _strategies(session: Session, findings: Sequence[Finding], outcome: str) -> list[Item]:
    """What was decided or demanded in work that succeeded; reasons given make it worth more."""
    stated = [f for f in findings if f.type in ("decision", "rule", "pattern")]
    stated.sort(
        key=lambda f: (not guards.BECAUSE.search(f.sentence), f.type != "decision", -f.confidence)
    )
    if not stated:
        return []
    best = stated[0]
    also = next((f for f in stated[1:] if f.type != best.type), None)
    told = " ".join(_ended(generalised(f.content)) for f in (best, also) if f)
    area = _area(session) or " of this project"
    data = {
        "description": f"Use when work{area} raises the same question; not when its reason does not hold.",
        "outcome": outcome,
    }
    if session.task:
        data["task"] = session.task[:300]
    title = _short(generalised(best.content))
    return [Item(kind="memory", title=title, content=told, data=data, tags=(best.type,))]


def _area(session: Session) -> str:
    named = ", ".join(session.topics[:2])
    return f" on {named}" if named else ""


_LITERALS = (
    (re.compile(r"https?://\S+"), "the address"),
    (re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.]+\b"), "the address"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "the id"),
    (re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"), "the id"),
    (re.compile(r"(?<![\w/])(?:~|[A-Za-z]:)?/(?:[\w.@ -]+/)+[\w.@-]+"), "the file"),
    (re.compile(r"(?<![\w/])(?:[\w.@-]+/)+([\w.@-]+\.\w+)(?::\d+(?::\d+)?)?"), r"\1"),
    (re.compile(r"(?<=\.\w\w):\d+|\bline \d+\b|#\d+\b"), ""),
)


def generalised(text: str) -> str:
    """`text` without the literals of one task: addresses, ids, absolute paths and line numbers."""
    for pattern, instead in _LITERALS:
        text = pattern.sub(instead, text)
    return " ".join(text.split())


def _short(text: str) -> str:
    text = text.rstrip(" .:;,")
    if len(text) <= _TITLE:
        return text
    return text[:_TITLE].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."
