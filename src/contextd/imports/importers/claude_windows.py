"""How full a model's window was, from the token counts in a Claude Code transcript."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from contextd_common.dataclass import dataclass
from contextd_common.files.guarded import open_file
from contextd_common.text.tokens import count_tokens

_LARGEST = 200_000_000
"""Maximum bytes of a transcript to examine; a larger one is not measured."""

_FIGURES = (
    "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewWindow:
    """A restarted window: its tokens before, and those of its first request. `id` is the id of the line
    where it restarted.
    """

    id: str
    before: int
    after: int


def rows_with(path: Path, *words: str) -> Iterator[Mapping[str, Any]]:
    """The rows of a transcript that contain one of these words; empty if it cannot be read."""
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
    """The compactions that were followed by a request. If the previous window size is not given, the last
    request's size counts.
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
    """The windows of the first and the last request of a session; 0 without requests."""
    first = last = 0
    for row in rows_with(path, '"usage"'):
        last = window_of(row) or last
        first = first or last
    return first, last


def window_of(row: Mapping[str, Any]) -> int:
    """The tokens of a main-conversation request with its answer; 0 for other rows."""
    message = row.get("message")
    if row.get("type") != "assistant" or row.get("isSidechain") or row.get("isApiErrorMessage"):
        return 0
    usage = message.get("usage") if isinstance(message, Mapping) else None
    if not isinstance(usage, Mapping):
        return 0
    figures = [usage.get(name) for name in _FIGURES]
    return sum(one for one in figures if isinstance(one, int) and not isinstance(one, bool))


def taken_in(path: Path) -> tuple[int, str]:
    """The tokens of a sub-agent's conversation beyond its prompt (its words, tool inputs and outputs; not
    its thoughts, which no window keeps), and its last message.
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
