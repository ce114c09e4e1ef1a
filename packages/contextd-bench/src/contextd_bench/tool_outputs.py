"""Outputs of tools in recorded sessions, and what of each its agent used afterwards."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from contextd_bench.data import data_file
from contextd_common.text.tokens import count_tokens

Half = Literal["tuned", "held out"]

_WORD = re.compile(r"[A-Za-z_][\w./-]{5,}[\w]|\d{3,}")
"""What tells one line from others: names, paths, larger numbers."""

_NUMBERED = re.compile(r"^ *\d+→", re.MULTILINE)
"""How a client numbers the lines of a file it reads: not the file's own words."""

_LATER = 6
"""The messages of the agent after an output that are looked at for what it used."""

_KNOWN_LINES = 2
"""A word that stands in more lines of an output than these belongs to none of them."""

_ASKED = 300


@dataclass(slots=True)
class ToolOutput:
    """What a tool answered. `asked` are the words by which an agent could have asked for a digest: what
    it said last, what the call says of itself, the user's prompt. `used` are words that were new in
    this output and came up in what the agent said or did next.
    """

    project: str
    session: str
    tool: str
    text: str
    tokens: int
    asked: str
    new: set[str] = field(default_factory=set[str])
    used: set[str] = field(default_factory=set[str])

    @property
    def half(self) -> Half:
        """Which half of the sessions it is of: one to tune on, one to report. By its name alone."""
        first = hashlib.blake2b(self.session.encode(), digest_size=4).digest()[0]
        return "held out" if first % 2 else "tuned"


def outputs(data: Path, least: int) -> Iterator[ToolOutput]:
    """Every output of at least so many tokens in the recorded sessions below `data`, of which something
    was used afterwards.
    """
    for order in sorted((data / "transcripts").glob("*/order.json")):
        for name in json.loads(data_file(order.parent, "order.json").read_text("utf-8")):
            rows = _rows(data_file(order.parent, f"{name}.gz"))
            for one in _of_session(order.parent.name, str(name), rows, least):
                if one.used:
                    yield one


def _rows(path: Path) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = []
    for line in gzip.decompress(path.read_bytes()).decode("utf-8", "replace").split("\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and isinstance(row.get("message"), dict):
            rows.append(row)
    return rows


def _of_session(
    project: str, session: str, rows: Sequence[Mapping[str, Any]], least: int
) -> list[ToolOutput]:
    found: list[ToolOutput] = []
    waiting: list[tuple[ToolOutput, int]] = []
    calls: dict[str, tuple[str, str]] = {}
    known: set[str] = set()
    prompt = last_message = ""
    for number, row in enumerate(rows):
        for kind, text, block in _parts(row["message"]):
            if kind == "result":
                tool, call = calls.get(str(block.get("tool_use_id")), ("", ""))
                text = _NUMBERED.sub("", text) if tool == "Read" else text
                one = ToolOutput(
                    project,
                    session,
                    tool,
                    text,
                    0,
                    f"{call[:_ASKED]} {last_message[-_ASKED:]} {prompt[:_ASKED]}",
                )
                one.new = _own_words(text) - known
                # Cheap first: counting the tokens of everything would take minutes.
                if len(text) > 2 * least and (tokens := count_tokens(text)) >= least:
                    one.tokens = tokens
                    found.append(one)
                    waiting.append((one, number))
            elif kind == "prompt":
                prompt, waiting = text, []
            else:
                last_message = text if kind == "said" else last_message
                if kind == "call":
                    calls[str(block.get("id"))] = (str(block.get("name")), text)
                waiting = [(o, at) for o, at in waiting if number - at <= 2 * _LATER]
                for one, _ in waiting:
                    one.used |= one.new & set(_WORD.findall(text))
            known.update(_WORD.findall(text))
    return found


def _own_words(text: str) -> set[str]:
    """The words of a text that stand in one or two of its lines."""
    counts: dict[str, int] = {}
    for line in text.split("\n"):
        for word in set(_WORD.findall(line)):
            counts[word] = counts.get(word, 0) + 1
    return {word for word, count in counts.items() if count <= _KNOWN_LINES}


def _parts(message: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(what it is, its text, the block) for each part of a message that says something."""
    content, role = message.get("content"), message.get("role")
    if isinstance(content, str):
        yield "prompt" if role == "user" else "said", content, {}
        return
    for block in content if isinstance(content, list) else ():
        match block.get("type"):
            case "text":
                yield "prompt" if role == "user" else "said", str(block.get("text", "")), block
            case "tool_use":
                yield "call", _strings(block.get("input")), block
            case "tool_result":
                yield "result", _result_text(block.get("content")), block


def _strings(value: Any) -> str:
    if isinstance(value, Mapping):
        return "\n".join(_strings(part) for part in value.values())
    if isinstance(value, list):
        return "\n".join(map(_strings, value))
    return value if isinstance(value, str) else ""


def _result_text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
