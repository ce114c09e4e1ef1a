"""Documents: sections by heading, each under the path of the headings around it."""

from __future__ import annotations

import re

from contextd_code.index.formats.format_reader import FileSection, FormatReading, SourceLines

_ATX = re.compile(rb" {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t\r\n]*\Z")
_SETEXT = re.compile(rb" {0,3}(=+|-{2,})[ \t\r\n]*\Z")
_NOT_SETEXT = re.compile(rb"\s*(?:$|[-*+>|#]|\d+[.)]\s|```|~~~|<)")
_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(rb"([=\-~^\"'`#*+.:_])\1{2,}[ \t\r\n]*\Z")
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[`*]|<[^>]{0,200}>|\{#[^}]*\}")
_LONGEST = 80
_LONGEST_LINE = 500
"""Bytes; a longer line is not a heading."""

_BETWEEN = " › "
_DEEPEST = 3
"""The most headings shown in a path: outer ones describe the whole file."""


def markdown(data: bytes, path: str) -> FormatReading:
    """The sections of a Markdown file. Lines in fences are not headings."""
    lines = SourceLines(data)
    found: list[tuple[int, int, str]] = []
    fence = b""
    row = _behind_front_matter(lines)
    while row < len(lines.starts):
        text = lines.text(row)
        if len(text) > _LONGEST_LINE:
            row += 1
            continue
        mark = _FENCE.match(text)
        if fence:
            if mark and mark[1].startswith(fence) and not text[mark.end() :].strip():
                fence = b""
        elif mark:
            fence = mark[1]
        elif heading := _ATX.match(text):
            found.append((lines.starts[row], len(heading[1]), _plain(heading[2])))
        elif row and (under := _SETEXT.match(text)) and not _NOT_SETEXT.match(lines.text(row - 1)):
            level = 1 if under[1][:1] == b"=" else 2
            found.append((lines.starts[row - 1], level, _plain(lines.text(row - 1))))
        row += 1
    return FormatReading(sections=tuple(_titled(found)))


def restructured(data: bytes, path: str) -> FormatReading:
    """The sections of a reStructuredText file: an underline character gets the level of its first use."""
    lines = SourceLines(data)
    found: list[tuple[int, int, str]] = []
    levels: list[bytes] = []
    for row in range(1, len(lines.starts)):
        under = _UNDERLINE.match(lines.text(row))
        title = lines.text(row - 1).strip()
        if under is None or not title or _UNDERLINE.match(title):
            continue
        if len(lines.text(row).strip()) < len(title) or lines.text(row - 1)[:1].isspace():
            continue
        if under[1] not in levels:
            levels.append(under[1])
        above = row > 1 and _UNDERLINE.match(lines.text(row - 2)) is not None
        start = lines.starts[row - 2 if above else row - 1]
        found.append((start, levels.index(under[1]) + 1, _plain(title)))
    return FormatReading(sections=tuple(_titled(found)))


def _behind_front_matter(lines: SourceLines) -> int:
    if lines.text(0).rstrip() != b"---":
        return 0
    for row in range(1, min(len(lines.starts), 200)):
        if lines.text(row).rstrip() in (b"---", b"..."):
            return row + 1
    return 0


def _plain(title: bytes) -> str:
    text = title.strip()[:_LONGEST_LINE].decode("utf-8", "replace")
    return " ".join(_MARKUP.sub(r"\1", text).split())[:_LONGEST]


def _titled(found: list[tuple[int, int, str]]) -> list[FileSection]:
    around: list[tuple[int, str]] = []
    sections = []
    for start, level, title in found:
        while around and around[-1][0] >= level:
            around.pop()
        around.append((level, title))
        names = [name for _, name in around if name]
        sections.append(FileSection(start, _BETWEEN.join(names[-_DEEPEST:])))
    return sections
