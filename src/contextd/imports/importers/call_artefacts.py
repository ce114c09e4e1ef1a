"""What a successful tool call reveals besides its output: answers, refusals, plans, to-do lists, commits,
and text written for the next agent. A tool is a row in `_TOLD_BY`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import PurePosixPath
from typing import Any

from contextd.domain.origins import marked
from contextd.domain.sessions import EventType
from contextd.imports.importers.commits_and_prs import commits, pull_request
from contextd.imports.importers.tool_calls import SHELLS, accessed_file, output_text
from contextd.redaction.cutting import beginning
from contextd_common.dataclass import dataclass

LONGEST_ARTEFACT = 20_000
_NO_ANSWER = "(No answer provided)"

TASK_TOOLS = frozenset({"TaskCreate", "TaskUpdate"})
"""Tools that change a numbered list of tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedCall:
    """A finished call: its input and result."""

    tool: str
    arguments: Mapping[str, Any]
    content: Any
    result: Any
    failed: bool
    cwd: str = ""

    @property
    def text(self) -> str:
        """The result as text."""
        return output_text(self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Artefact:
    """An event derived from a call. `suffix` makes its key."""

    suffix: str
    text: str
    data: Mapping[str, Any]
    type: EventType = "note"
    role: str = "assistant"


@dataclass(slots=True)
class Tasks:
    """A client's numbered list of tasks, as created and updated so far."""

    items: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    def follow(self, call: FinishedCall) -> Iterator[Artefact]:
        """The whole list after a call that changed it."""
        given = call.arguments
        if call.tool == "TaskCreate":
            number = re.search(r"#(\w+)", call.text)
            subject = _text(given.get("subject")) or _text(given.get("description"))
            if number is None or not subject:
                return
            self.items[number[1]] = {"text": beginning(subject, 500), "state": "pending"}
        else:
            item = self.items.get(str(given.get("taskId", "")))
            if item is None:
                return
            item["state"] = _text(given.get("status")) or item["state"]
            item["text"] = beginning(_text(given.get("subject")), 500) or item["text"]
            if item["state"] == "deleted":
                del self.items[str(given["taskId"])]
        yield from _listed([dict(item) for item in self.items.values()])


def artefacts(call: FinishedCall, tasks: Tasks) -> Iterator[Artefact]:
    """Everything a call reveals besides its output, without keys or redaction."""
    reason = refusal_reason(call.text) if len(call.text) < LONGEST_ARTEFACT else None
    if reason is not None:
        if reason.startswith(_CLARIFY):
            yield from _answered(_ANSWER_LINE.findall(reason))
        elif reason:
            data = marked("refusal", {"tool": call.tool})
            yield Artefact(suffix=":said", type="message", role="user", text=reason, data=data)
        return
    if call.failed:
        return
    if call.tool in TASK_TOOLS:
        yield from tasks.follow(call)
    elif call.tool in _TOLD_BY:
        yield from _TOLD_BY[call.tool](call)


_CLARIFY = "The user wants to clarify these questions"
_ANSWER_LINE = re.compile(r'^- "(.+)"\n\s+Answer: (.+)$', re.M)
_REFUSED = re.compile(
    r"\s*The user doesn't want to (?:proceed with this tool use|take this action right now)\b"
)
_SAID = re.compile(r"the user said:\s*(.*?)(?:\n\s*Note: The user's next message\b.*)?\s*\Z", re.S)


def refusal_reason(text: str) -> str | None:
    """Why the user refused a call, in the user's words; empty if no reason was given, None if not refused."""
    if not _REFUSED.match(text):
        return None
    match = _SAID.search(text)
    return match[1].strip() if match else ""


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _answers(call: FinishedCall) -> Iterator[Artefact]:
    given = call.result.get("answers") if isinstance(call.result, Mapping) else None
    if isinstance(given, Mapping):
        pairs = [(str(q), _chosen(a)) for q, a in given.items()]
    else:
        pairs = _answers_in(call.text, call.arguments.get("questions"))
    yield from _answered(pairs)


def _answered(pairs: list[tuple[str, str]]) -> Iterator[Artefact]:
    for number, (question, answer) in enumerate(pairs):
        if not answer or answer == _NO_ANSWER:
            continue
        data = marked("answer", {"question": question, "answer": answer})
        text = f"{question} → {answer}"
        suffix = f":answer{number}"
        yield Artefact(suffix=suffix, type="message", role="user", text=text, data=data)


def _chosen(answer: Any) -> str:
    if isinstance(answer, list):
        return ", ".join(_text(one) for one in answer if _text(one))
    return _text(answer)


def _answers_in(text: str, questions: Any) -> list[tuple[str, str]]:
    """Answers in the format of older versions: `"question"="answer", …`."""
    asked = [
        _text(one.get("question"))
        for one in (questions if isinstance(questions, list) else [])
        if isinstance(one, Mapping)
    ]
    places = sorted((text.find(f'"{q}"="'), q) for q in asked if f'"{q}"="' in text)
    if not places:
        return re.findall(r'"([^"]+)"="([^"]*)"', text)
    found = []
    for place, (at, question) in enumerate(places):
        end = places[place + 1][0] if place + 1 < len(places) else len(text)
        answer = text[at + len(question) + 4 : end]
        found.append((question, answer.rpartition('"')[0].strip()))
    return found


_APPROVED_PLAN = re.compile(r"^## Approved Plan[^\n]*:[ \t]*\n(.*)\Z", re.S | re.M)


def _plan(call: FinishedCall) -> Iterator[Artefact]:
    if "approved" not in call.text[:200]:
        return
    whole = call.content if isinstance(call.content, str) else call.text
    shown = _APPROVED_PLAN.search(whole)
    plan = shown[1].strip() if shown else _text(call.arguments.get("plan"))
    if plan:
        yield Artefact(suffix=":plan", text=beginning(plan, LONGEST_ARTEFACT), data=marked("plan"))


def _todo(call: FinishedCall) -> Iterator[Artefact]:
    given = call.arguments.get("todos") or call.arguments.get("plan")
    rows = [row for row in given if isinstance(row, Mapping)] if isinstance(given, list) else []
    items = [
        {
            "text": beginning(_text(row.get("content")) or _text(row.get("step")), 500),
            "state": _text(row.get("status")) or "pending",
        }
        for row in rows[:100]
    ]
    yield from _listed([item for item in items if item["text"]])


def _listed(items: list[dict[str, str]]) -> Iterator[Artefact]:
    if items:
        text = "\n".join(f"[{item['state']}] {item['text']}" for item in items)
        yield Artefact(suffix=":todo", text=text, data=marked("todo", {"items": items}))


_UNMADE = re.compile(r"nothing to commit|no changes added to commit|^fatal: |^error: ", re.M)


def _shell(call: FinishedCall) -> Iterator[Artefact]:
    command = call.arguments.get("command")
    if not isinstance(command, str) or len(command) > 4 * LONGEST_ARTEFACT:
        return
    if "commit" in command:
        made = commits(command, call.text)
        for number, commit in enumerate(made):
            if not commit.sha and _UNMADE.search(call.text):
                continue
            details = {"sha": commit.sha, "branch": commit.branch}
            data = marked("commit", {name: value for name, value in details.items() if value})
            yield Artefact(
                suffix=f":commit{number}",
                text=beginning(commit.message, LONGEST_ARTEFACT),
                data=data,
            )
    opened = pull_request(command, call.text) if "gh" in command and "pr" in command else None
    if opened is not None:
        told_of = {"title": opened.title, "number": opened.number, "url": opened.url}
        data = marked("pull_request", {name: value for name, value in told_of.items() if value})
        text = "\n\n".join(part for part in (opened.title, opened.body) if part)
        yield Artefact(suffix=":pull", text=beginning(text, LONGEST_ARTEFACT), data=data)


_MEMORY = re.compile(
    r"(?:^|/)MEMORY\.md$|/\.(?:claude|codex|gemini|cursor|copilot)/(?:.*/)?memor(?:y|ies)/[^/]+\.md$"
)
_FOR_AGENTS = re.compile(
    r"(?:^|/)(?:CLAUDE(?:\.local)?|AGENTS(?:\.override)?|GEMINI|PLAN|copilot-instructions)\.md$"
    r"|(?:^|/)[^/]*hand-?_?off[^/]*\.(?:md|txt)$|(?:^|/)\.cursorrules$"
    r"|(?:^|/)\.(?:claude|cursor)/(?:plans|rules)/(?:.*/)?[^/]+\.mdc?$",
    re.I,
)


def _written(call: FinishedCall) -> Iterator[Artefact]:
    path = _text(call.arguments.get("file_path")).replace("\\", "/")
    origin = "memory_file" if _MEMORY.search(path) else ""
    origin = origin or ("instructions" if _FOR_AGENTS.search(path) else "")
    text = added_text(call.arguments, call.result) if origin else ""
    if text:
        shown, _ = accessed_file(call.tool, call.arguments, call.cwd)
        data = marked(origin, {"path": shown or str(PurePosixPath(path))})
        yield Artefact(suffix=":written", text=beginning(text, LONGEST_ARTEFACT), data=data)


def added_text(arguments: Mapping[str, Any], result: Any) -> str:
    """The lines that a write added to a file."""
    patch = result.get("structuredPatch") if isinstance(result, Mapping) else None
    if isinstance(patch, list) and patch:
        hunks = [hunk.get("lines") for hunk in patch if isinstance(hunk, Mapping)]
        pieces = [_added(hunk) for hunk in hunks if isinstance(hunk, list)]
        return "\n\n".join(piece for piece in pieces if piece)
    if isinstance(arguments.get("content"), str):
        return str(arguments["content"]).strip()
    edits = arguments.get("edits")
    rows = [row for row in edits if isinstance(row, Mapping)] if isinstance(edits, list) else []
    pieces = []
    for edit in (rows or [arguments])[:100]:
        before = {line.strip() for line in str(edit.get("old_string") or "").split("\n")}
        after = str(edit.get("new_string") or "").split("\n")
        pieces.append("\n".join(n for n in after if not n.strip() or n.strip() not in before))
    return "\n\n".join(piece.strip() for piece in pieces if piece.strip())


def _added(lines: list[Any]) -> str:
    removed = {str(line)[1:].strip() for line in lines if str(line).startswith("-")}
    added = [str(line)[1:] for line in lines if str(line).startswith("+")]
    return "\n".join(n for n in added if not n.strip() or n.strip() not in removed).strip()


_TOLD_BY: dict[str, Callable[[FinishedCall], Iterator[Artefact]]] = {
    "AskUserQuestion": _answers,
    "ExitPlanMode": _plan,
    "TodoWrite": _todo,
    "update_plan": _todo,
    **dict.fromkeys(SHELLS, _shell),
    **dict.fromkeys(("Write", "Edit", "MultiEdit"), _written),
}
