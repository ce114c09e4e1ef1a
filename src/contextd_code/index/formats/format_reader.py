"""Format readers: their interface, and shared building blocks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import field

from contextd_code.index.languages.outline import Outline, one_line
from contextd_code.values.source import Symbol
from contextd_common.dataclass import dataclass

_VISIBLE = re.compile(rb"[^\r\n]")
_HEAD = 400
"""Bytes of a definition that its signature is cut from."""


@dataclass(frozen=True, slots=True)
class FileSection:
    """The beginning of a section, and its title."""

    start: int
    title: str = ""


@dataclass(frozen=True, slots=True)
class FormatReading:
    """The result of a reader: the names a file defines, and the sections to cut it at, in order."""

    outline: Outline = field(default_factory=Outline)
    sections: tuple[FileSection, ...] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """One row. `read` takes the UTF-8 bytes of a file and its path, never fails on broken text, and takes time
    linear in the size of the file.
    """

    name: str
    read: Callable[[bytes, str], FormatReading]


class SourceLines:
    """The lines of a file by offset."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.starts = [0, *(found.end() for found in re.finditer(rb"\n", data))]

    def row_of(self, offset: int) -> int:
        """The line of an offset, counted from 0."""
        return bisect_right(self.starts, offset) - 1

    def start_of(self, offset: int) -> int:
        """The offset at which the line of an offset begins."""
        return self.starts[self.row_of(offset)]

    def text(self, row: int) -> bytes:
        """One line with its line end."""
        end = self.starts[row + 1] if row + 1 < len(self.starts) else len(self.data)
        return self.data[self.starts[row] : end]

    def with_comment(self, offset: int, marks: tuple[bytes, ...]) -> int:
        """The beginning of the comment directly above the line of an offset, or of that line."""
        row = self.row_of(offset)
        while row and self.text(row - 1).lstrip().startswith(marks):
            row -= 1
        return self.starts[row]

    def symbol(
        self,
        name: str,
        kind: str,
        start: int,
        end: int,
        *,
        parent: str = "",
        exported: bool = False,
        signature: str = "",
    ) -> Symbol:
        """The definition between two offsets."""
        head = self.data[start : min(end, start + _HEAD)].split(b"\n\n", 1)[0]
        declaration = signature or one_line(head.decode("utf-8", "replace").partition("{")[0])
        last = self.row_of(max(start, end - 1))
        return Symbol(
            name=name,
            kind=kind,
            start_line=self.row_of(start) + 1,
            end_line=last + 1,
            start=start,
            end=end,
            signature=declaration.rstrip("{:;( "),
            parent=parent,
            exported=exported,
        )


def blanked(data: bytes, aside: re.Pattern[bytes]) -> bytes:
    """The bytes with matches of `aside`, comments and strings, blanked: offsets stay the same."""
    return aside.sub(lambda found: _VISIBLE.sub(b" ", found[0]), data)


def qualified(symbol: Symbol) -> str:
    """The name of a definition, qualified by its owner."""
    return f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name


def in_order(symbols: Iterable[Symbol]) -> tuple[Symbol, ...]:
    """Definitions in source order, the outer ones first."""
    return tuple(sorted(symbols, key=lambda one: (one.start, -one.end)))


def ordered(sections: Iterable[FileSection]) -> tuple[FileSection, ...]:
    """Sections in source order; of several at one offset the last one stays."""
    found = {one.start: one for one in sections}
    return tuple(found[start] for start in sorted(found))
