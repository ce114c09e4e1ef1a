"""How full a model's window was, as a Claude Code transcript tells: its own figures of each request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from contextd.domain.dataclass import dataclass
from contextd.domain.tokens import count_tokens
from contextd.files.guarded import open_file

_LARGEST = 200_000_000
"""Bytes of a transcript that are looked at; beyond that nothing is measured."""

_FIGURES = (
    "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewWindow:
    """A window that began anew: its tokens before, and those of the first request after it. `id` is that
    of the line where it did.
    """

    id: str
    before: int
    after: int


def rows_with(path: Path, *words: str) -> Iterator[Mapping[str, Any]]:
    """The rows of a transcript that hold one of these words; none of a file that cannot be read."""
    try:
        if path.stat().st_size > _LARGEST:
            return
        with TextIOWrapper(open_file(path), "utf-8", "replace") as lines:
            for line in lines:
                if any(word in line for word in words):
                    try:
                        row = json.loads(line)
                    except (ValueError, RecursionError):
                        continue
                    if isinstance(row, dict):
                        yield row
    except OSError:
        return


def compactions(rows: Iterable[Mapping[str, Any]]) -> Iterator[NewWindow]:
    """The compactions after which the client made a request. Where the window before is not told, what
    its last request held counts.
    """
    last, before, id = 0, 0, ""
    for row in rows:
        if row.get("subtype") == "compact_boundary":
            about = row.get("compactMetadata")
            pre_tokens = about.get("preTokens") if isinstance(about, Mapping) else None
            before = (
                pre_tokens
                if isinstance(pre_tokens, int) and not isinstance(pre_tokens, bool)
                else last
            )
            id = str(row.get("uuid") or row.get("timestamp") or "")
        window = window_of(row)
        if not window:
            continue
        if id and before:
            yield NewWindow(id, before, window)
            id = ""
        last = window


def first_and_last(path: Path) -> tuple[int, int]:
    """The windows of the first and the last request of a session; 0 where it made none."""
    first = last = 0
    for row in rows_with(path, '"usage"'):
        last = window_of(row) or last
        first = first or last
    return first, last


def window_of(row: Mapping[str, Any]) -> int:
    """The tokens that a request of the main conversation held, with its answer; 0 for other rows."""
    message = row.get("message")
    if row.get("type") != "assistant" or row.get("isSidechain") or row.get("isApiErrorMessage"):
        return 0
    usage = message.get("usage") if isinstance(message, Mapping) else None
    if not isinstance(usage, Mapping):
        return 0
    figures = [usage.get(name) for name in _FIGURES]
    return sum(one for one in figures if isinstance(one, int) and not isinstance(one, bool))


def taken_in(path: Path) -> tuple[int, str]:
    """The tokens that a sub-agent's conversation took in beyond its prompt (what it said, what its tools
    were given and gave; no thoughts, which no window keeps), and what it said last.
    """
    tokens, last_text, prompted = 0, "", False
    for row in rows_with(path, '"message"'):
        message = row.get("message")
        if not isinstance(message, Mapping) or row.get("isMeta"):
            continue
        texts = list(_texts(message.get("content")))
        if message.get("role") == "user" and not prompted:
            prompted = True
            continue
        tokens += sum(count_tokens(text) for _, text in texts)
        if message.get("role") == "assistant":
            last_text = next(
                (text for kind, text in texts if kind == "text" and text.strip()), last_text
            )
    return tokens, last_text


def _texts(content: Any) -> Iterator[tuple[str, str]]:
    if isinstance(content, str):
        yield "text", content
        return
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, Mapping):
            continue
        match block.get("type"):
            case "text":
                yield "text", str(block.get("text", ""))
            case "tool_use":
                yield "call", json.dumps(block.get("input"), ensure_ascii=False, default=str)
            case "tool_result":
                for _, text in _texts(block.get("content")):
                    yield "result", text
