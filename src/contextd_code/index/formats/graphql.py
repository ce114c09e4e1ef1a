"""GraphQL: types with their fields, and operations."""

from __future__ import annotations

import re

from contextd_code.index.formats.format_reader import (
    FileSection,
    FormatReading,
    SourceLines,
    blanked,
    in_order,
    ordered,
)
from contextd_code.index.languages.outline import Outline, one_line
from contextd_code.values.source import Symbol

_ASIDE = re.compile(rb"\"\"\".*?(?:\"\"\"|\Z)|\"(?:\\.|[^\"\\\n])*\"|#[^\n]*", re.S)
_DEFINITION = re.compile(
    rb"^[ \t]*(?:extend[ \t]+)?(type|interface|input|enum|union|scalar|directive|query|mutation"
    rb"|subscription|fragment)[ \t]+(@?\w+)",
    re.M,
)
_TOKEN = re.compile(rb"[{}()]|^[ \t]*(\w+)[ \t]*(?=[(:])", re.M)
_OPENING = re.compile(rb"[{(]")
_WITH_FIELDS = frozenset((b"type", b"interface", b"input"))
_NO_BODY = frozenset((b"union", b"scalar", b"directive"))


def graphql(data: bytes, path: str) -> FormatReading:
    """The types and operations of a schema or a document, and the fields of types."""
    plain = blanked(data, _ASIDE)
    lines = SourceLines(data)
    starts = list(_DEFINITION.finditer(plain))
    found: list[Symbol] = []
    sections: list[FileSection] = []
    reached = 0
    for number, match in enumerate(starts):
        if match.start(1) < reached:
            continue
        follows = starts[number + 1].start() if number + 1 < len(starts) else len(data)
        begin, name = lines.start_of(match.start(1)), match[2].decode()
        fields, end = _inside(plain, lines, match, follows, name)
        if match[1] in _NO_BODY:
            end = begin + len(plain[begin:follows].rstrip())
        kind = match[1].decode()
        found.append(lines.symbol(name, kind, begin, max(end, match.end()), exported=True))
        found += fields if match[1] in _WITH_FIELDS else []
        sections.append(FileSection(_described(plain, lines, begin), name))
        reached = end
    return FormatReading(Outline(in_order(found)), ordered(sections))


def _inside(
    plain: bytes, lines: SourceLines, match: re.Match[bytes], follows: int, name: str
) -> tuple[list[Symbol], int]:
    """The fields of a definition, and its end: the closing brace, or the next unindented definition
    if the brace is missing.
    """
    if _OPENING.search(plain, match.end(), follows) is None:
        return [], follows
    depth = round_ = 0
    fields: list[Symbol] = []
    for token in _TOKEN.finditer(plain, match.end()):
        at_margin = token.start() >= follows and plain[follows : follows + 1].strip() != b""
        if at_margin or (token.start() >= follows and not depth):
            return fields, follows
        mark = token[0]
        if token[1] is not None:
            if depth == 1 and not round_:
                row = lines.row_of(token.start(1))
                end = lines.starts[row] + len(lines.text(row).rstrip())
                signature = one_line(lines.text(row).decode("utf-8", "replace"))
                field = token[1].decode()
                fields.append(
                    lines.symbol(
                        field, "field", token.start(1), end, parent=name, signature=signature
                    )
                )  # fmt: skip
        elif mark in b"()":
            round_ = max(0, round_ + (1 if mark == b"(" else -1))
        else:
            depth += 1 if mark == b"{" else -1
            if depth <= 0:
                return fields, token.end()
    return fields, follows if not depth else len(plain)


def _described(plain: bytes, lines: SourceLines, begin: int) -> int:
    """The beginning of the description above a definition: descriptions are blanked in `plain`."""
    row = lines.row_of(begin)
    while row and lines.text(row - 1).strip():
        above = lines.starts[row - 1]
        if plain[above : lines.starts[row]].strip():
            break
        row -= 1
    return lines.starts[row]
