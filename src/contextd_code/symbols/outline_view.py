"""A file by its definitions and their lines, in a fraction of its tokens."""

from __future__ import annotations

from collections.abc import Sequence

from contextd_code.values.source import SourceFile, Symbol
from contextd_common.text.tokens import count_tokens, fits
from contextd_common.text.words import words


def outline_text(file: SourceFile, budget: int) -> tuple[str, bool]:
    """The imports and definitions of a file, and whether all of them fit.

    One `first-last signature` per line, in at most `budget` tokens. Inner definitions are omitted
    first.
    """
    head = _imports(file)
    left = budget - (count_tokens(head) + 2 if head else 0)
    if head and left < budget // 2:
        head, left = "", budget
    lines = outline_lines(file.symbols, max(0, left))
    whole = len(lines) == len(file.symbols)
    return "\n".join([head, *lines] if head else lines), whole


def outline_for(file: SourceFile, budget: int, asked: Sequence[str]) -> str:
    """The definitions with words of a query in their names or signatures, best first; else the
    outline.
    """
    wanted = set(asked)
    shared = [
        2 * len(wanted.intersection(words(one.name))) + len(wanted.intersection(words(_told(one))))
        for one in file.symbols
    ]
    order = sorted((n for n, many in enumerate(shared) if many), key=lambda n: (-shared[n], n))
    if not order:
        return outline_text(file, budget)[0]
    entries = {n: _shortened(_entry(file.symbols[n])) for n in order}
    count = fitting([entries[n] + "\n" for n in order], budget)
    return "\n".join(entries[n] for n in sorted(order[:count]))


_SHOWN = 80
"""Characters of a matching definition's signature: its position matters more than its tenth
parameter.
"""


def _shortened(entry: str) -> str:
    return entry if len(entry) <= _SHOWN else f"{entry[:_SHOWN].rstrip()}…"


def outline_lines(symbols: Sequence[Symbol], budget: int) -> tuple[str, ...]:
    """The definitions as lines, with inner ones only if all fit."""
    every = [_entry(symbol) for symbol in symbols]
    if count_tokens("\n".join(every)) <= budget:
        return tuple(every)
    outer = [_entry(symbol) for symbol in symbols if not symbol.parent]
    return tuple(outer[: fitting([entry + "\n" for entry in outer], budget)])


def fitting(lines: Sequence[str], budget: int) -> int:
    """How many of the lines fit, by binary search, because token counts are not quite additive."""
    low, high = 0, min(1, len(lines))
    # Doubling first: only a small part of a huge file may fit.
    while high < len(lines) and fits("".join(lines[:high]), budget):
        low, high = high, min(2 * high, len(lines))
    while low < high:
        middle = (low + high + 1) // 2
        if fits("".join(lines[:middle]), budget):
            low = middle
        else:
            high = middle - 1
    return low


def _imports(file: SourceFile) -> str:
    names = dict.fromkeys(one.target or one.specifier for one in file.imports)
    return "imports " + ", ".join(name for name in names if name) if names else ""


def _entry(symbol: Symbol) -> str:
    indent = "  " * (symbol.parent.count(".") + 1 if symbol.parent else 0)
    return f"{symbol.start_line}-{symbol.end_line} {indent}{_told(symbol)}"


def _told(symbol: Symbol) -> str:
    return symbol.signature or symbol.name
