"""Split a Markdown file into list items and paragraphs under their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from contextd_common.dataclass import dataclass
from contextd_common.files.yaml_text import load_plain

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*+]|\d{1,3}[.)])\s+(?=\S)")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_FIELD = re.compile(r"([A-Za-z][\w-]*):(?:[ \t]+(.*))?")
_VALUE = re.compile(r"[ \t]*-[ \t]+(.*)")
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.S)
_MOST = 2_000
"""Maximum parts of one file: longer files were not written for reading."""


@dataclass(frozen=True, slots=True)
class MarkdownPart:
    """One list item or paragraph: the headings above it, outermost first, its text and line. `listed` for an item."""

    headings: tuple[str, ...]
    text: str
    line: int
    listed: bool = False


def front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """The front matter of a file, and the rest with the same number of lines. Clients write `globs: *.go`
    without quotes, which YAML refuses: such front matter is read line by line, as text.
    """
    found = _FRONT.match(text)
    if found is None:
        return {}, text
    try:
        about = load_plain(found[1])
    except (yaml.YAMLError, ValueError, RecursionError):
        about = _by_lines(found[1])
    body = "\n" * found[0].count("\n") + text[found.end() :]
    return (about if isinstance(about, Mapping) else {}), body


def _by_lines(front: str) -> dict[str, Any]:
    """The fields of front matter that is not YAML: text, or a list of texts. A list that does not end is left out."""
    about: dict[str, Any] = {}
    name = ""
    for line in front.splitlines():
        if field := _FIELD.fullmatch(line):
            name, text = field[1], _bare(field[2] or "")
            if not text.startswith("[") or "]" in text:
                about[name] = text or None
        elif (value := _VALUE.fullmatch(line)) and name in about:
            above = about[name] if isinstance(about[name], list) else []
            about[name] = [*above, _bare(value[1])][:_MOST]
    return about


def _bare(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted and text.count(text[0]) == 2 else text


def parts_of(text: str) -> Iterator[MarkdownPart]:
    """The parts of a Markdown text in order. A code block belongs to the part before it; comments are
    skipped.
    """
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    reading = _Reading()
    for number, line in enumerate(text.splitlines(), start=1):
        reading.take(line.rstrip(), number)
    reading.close()
    yield from reading.parts[:_MOST]


class _Reading:
    def __init__(self) -> None:
        self.parts: list[MarkdownPart] = []
        self._headings: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._began = 0
        self._fence = ""
        self._paused = False

    def take(self, line: str, number: int) -> None:
        """Process one line: open, continue or close a part."""
        fence = _FENCE.match(line)
        if self._fence or fence:
            self._add(line, number)
            if fence and (not self._fence or line.strip().startswith(self._fence)):
                self._fence = "" if self._fence else fence[1]
            return
        heading = _HEADING.match(line)
        if heading:
            self.close()
            level = len(heading[1])
            self._headings = [one for one in self._headings if one[0] < level]
            self._headings.append((level, heading[2].strip()))
            return
        if not line.strip():
            self._paused = bool(self._lines)
            return
        item = _ITEM.match(line)
        indented = line[:1] in (" ", "\t")
        if (item and not indented) or (self._paused and not indented):
            self.close()
        self._add(line, number)

    def _add(self, line: str, number: int) -> None:
        if not self._lines:
            self._began = number
        elif self._paused:
            self._lines.append("")
        self._paused = False
        self._lines.append(line)

    def close(self) -> None:
        """End the open part."""
        text = "\n".join(self._lines).strip()
        if text:
            first = _ITEM.match(text)
            text = text[first.end() :] if first else text
            titles = tuple(title for _, title in self._headings)
            self.parts.append(MarkdownPart(titles, text.strip(), self._began, first is not None))
        self._lines, self._paused, self._fence = [], False, ""
