"""Languages without a grammar, read by the lines that open a definition: `defmodule Shop.Cart do`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from contextd_code.index.formats.format_reader import (
    FileSection,
    FormatReading,
    SourceLines,
    blanked,
    in_order,
    ordered,
    qualified,
)
from contextd_code.index.languages.outline import Outline, one_line
from contextd_code.values.source import Symbol
from contextd_common.dataclass import dataclass

_CLOSES = re.compile(
    rb"[\]})|;,]|(?:end\w*|in|done|else\w*|elsif|elseif|rescue|catch|finally|after|ensure|then|and"
    rb"|where)\b|--\s*\}"
)
"""The start of a line below a definition's opening line that still belongs to it."""

_ENDS = re.compile(rb"[\])}\s;,|]*\Z|(?:end\w*)\b")
_PRIVATE = re.compile(rb"\s*(?:local|private|defp|defmacrop|defguardp|defn-)(?![\w])")
_OPENING = re.compile(r"(?:\s+(?:do|where|then|=)|[\s{(=]+)\Z")
_HEADINGS = frozenset(("part", "section"))
"""Kinds that title a chunk and define nothing."""

_LONGEST_LINE = 2_000
"""Bytes; longer lines are generated and are not searched for definitions."""


class DefinitionLines:
    """How one language opens its definitions. `starts` are rows of a kind and a pattern with one group, the
    name, matched at the start of a line. Nested definitions inside one of the kinds in `holders` are its
    members, those inside other kinds are ignored. A kind in `spanning` ends at the next of its kind, whatever
    the indentation. `aside` is blanked before matching: comments and multi-line strings. Lines above a
    definition that begin with one of `leading` belong to it. A name that contains `joint` is a member of the
    part before it.
    """

    def __init__(
        self,
        *starts: tuple[str, str],
        holders: str = "",
        spanning: str = "",
        aside: str = "",
        leading: str = "#",
        joint: str = "",
    ) -> None:
        self._starts = starts
        self._holders = frozenset((*holders.split(), *spanning.split()))
        self._spanning = frozenset(spanning.split())
        self._aside_pattern = aside
        self._leading = tuple(mark.encode() for mark in leading.split())
        self._joint = joint

    @cached_property
    def _opens(self) -> re.Pattern[bytes]:
        return re.compile("|".join(f"(?:{pattern})" for _, pattern in self._starts).encode())

    @cached_property
    def _aside(self) -> re.Pattern[bytes] | None:
        return (
            re.compile(self._aside_pattern.encode(), re.S | re.M) if self._aside_pattern else None
        )

    def __call__(self, data: bytes, path: str) -> FormatReading:
        """The definitions of a file. Indentation determines where each ends."""
        plain = blanked(data, self._aside) if self._aside is not None else data
        raw = SourceLines(data)
        lines = SourceLines(plain)
        symbols = _joined(in_order(self._definitions(raw, lines)))
        sections = ordered(
            FileSection(raw.starts[self._above(raw, lines, one.start_line - 1)], qualified(one))
            for one in symbols
        )
        defined = tuple(one for one in symbols if one.kind not in _HEADINGS)
        return FormatReading(Outline(defined), sections)

    def _above(self, raw: SourceLines, lines: SourceLines, row: int) -> int:
        """The row where the comment or annotation directly above a definition begins."""
        while row:
            text = raw.text(row - 1).strip()
            set_aside = text and not lines.text(row - 1).strip()
            if not text or not (set_aside or text.startswith(self._leading)):
                break
            row -= 1
        return row

    def _definitions(self, raw: SourceLines, lines: SourceLines) -> Iterator[Symbol]:
        open_: list[_Open] = []
        last = 0
        for row in range(len(lines.starts)):
            text = lines.text(row)
            stripped = text.strip()
            if not stripped:
                continue
            indent = len(text) - len(text.lstrip())
            found = self._opens.match(text) if len(text) < _LONGEST_LINE else None
            kind = self._starts[found.lastindex - 1][0] if found and found.lastindex else ""
            closes = found is None and _CLOSES.match(stripped) is not None
            while open_ and open_[-1].is_over(indent, kind, stripped, closes=closes):
                yield self._closed(raw, open_, last)
            if found is not None and found.lastindex and (not open_ or open_[-1].holds):
                name = found[found.lastindex].decode("utf-8", "replace")
                open_.append(
                    _Open(name, kind, row, indent, kind in self._holders, kind in self._spanning)
                )
            last = row
            if closes and open_ and open_[-1].ends_with(indent, stripped):
                yield self._closed(raw, open_, row)
        while open_:
            yield self._closed(raw, open_, last)

    def _closed(self, raw: SourceLines, open_: list[_Open], last: int) -> Symbol:
        one = open_.pop()
        start = raw.starts[one.row] + one.indent
        text = raw.text(one.row)
        end = raw.starts[last] + len(raw.text(last).rstrip())
        around, name = self._parted(one.name)
        parents = (*(outer.name for outer in open_[-1:]), around)
        return raw.symbol(
            name,
            one.kind,
            start,
            max(end, start + 1),
            parent=".".join(filter(None, parents)),
            exported=_PRIVATE.match(text) is None,
            signature=_OPENING.sub("", one_line(text.decode("utf-8", "replace").strip())),
        )

    def _parted(self, name: str) -> tuple[str, str]:
        """The owner of a name, and the name. A table called M or self is not an owner."""
        for mark in self._joint:
            name = name.replace(mark, ".")
        if not self._joint:
            return "", name
        around, _, own = name.rpartition(".")
        return ("" if around.strip("_") in ("M", "self", "") else around), own


@dataclass(slots=True)
class _Open:
    """A definition whose end is not yet found."""

    name: str
    kind: str
    row: int
    indent: int
    holds: bool
    spans: bool

    def is_over(self, indent: int, kind: str, text: bytes, *, closes: bool) -> bool:
        """Whether a line is after its end."""
        if self.spans:
            return kind == self.kind and indent <= self.indent
        if indent != self.indent:
            return indent < self.indent
        # The brace of a body, or a further equation, may follow below the name.
        return not (closes or text in (b"{", b"(") or _goes_on(text, self.name))

    def ends_with(self, indent: int, text: bytes) -> bool:
        """Whether a line closes it and belongs to it."""
        return not self.spans and indent == self.indent and _ENDS.match(text) is not None


def _goes_on(text: bytes, name: str) -> bool:
    own = name.encode()
    return text.startswith(own) and not text[len(own) : len(own) + 1].isalnum()


def _joined(symbols: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """Merge consecutive clauses of one function into one definition."""
    joined: list[Symbol] = []
    for one in symbols:
        before = joined[-1] if joined else None
        if before is not None and _same(before, one):
            joined[-1] = _longer(before, one)
        else:
            joined.append(one)
    return tuple(joined)


def _same(one: Symbol, other: Symbol) -> bool:
    return (one.name, one.kind, one.parent) == (other.name, other.kind, other.parent)


def _longer(one: Symbol, other: Symbol) -> Symbol:
    return Symbol(
        name=one.name, kind=one.kind, start_line=one.start_line, end_line=other.end_line,
        start=one.start, end=other.end, signature=one.signature, parent=one.parent,
        exported=one.exported,
    )  # fmt: skip
