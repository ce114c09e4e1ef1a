"""The outline of a parsed file, and shared code to build it."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from contextd_code.values.source import Import, Symbol
from contextd_common.dataclass import dataclass

_LONGEST_SIGNATURE = 240


@dataclass(frozen=True, slots=True)
class Outline:
    """Definitions in source order, imports without targets, and exports, as in `SourceFile`."""

    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[tuple[str, str, str], ...] = ()


@dataclass(slots=True)
class LooseDefinition:
    """A definition before its parent is known.

    `outer` spans everything that belongs to it: decorators, `export`. `head` is where its body
    starts, or 0 if all of it is the signature. `within` names its owner if that does not enclose
    it: `A` in `A::b() {}`.
    """

    name: str
    kind: str
    outer: Node
    head: int = 0
    exported: bool = False
    within: str = ""


def text_of(node: Node | None) -> str:
    """The source text of a node; empty for none."""
    # Each access copies the text.
    text = None if node is None else node.text
    return text.decode("utf-8", "replace") if text else ""


def unquoted(node: Node | None) -> str:
    """The value of a string literal without its quotes, escapes left as they are."""
    return text_of(node)[1:-1]


def one_line(text: str) -> str:
    """`text` on one line, truncated; a final semicolon, which tells a declaration from a definition, stays."""
    flat = " ".join(text.split())
    if len(flat) <= _LONGEST_SIGNATURE:
        return flat
    return flat[: _LONGEST_SIGNATURE - 1] + ("…;" if flat.endswith(";") else "…")


def line_of(node: Node) -> int:
    """The line a node starts on, counted from 1."""
    return node.start_point[0] + 1


def symbols_of(definitions: Sequence[LooseDefinition], data: bytes) -> tuple[Symbol, ...]:
    """The definitions as symbols, in source order, each with its enclosing names as parent.

    In broken code a name can be missing: such a definition is skipped.
    """
    named = (one for one in definitions if one.name)
    ordered = sorted(named, key=lambda d: (d.outer.start_byte, -d.outer.end_byte))
    open_: list[tuple[int, str]] = []
    found: list[Symbol] = []
    for definition in ordered:
        outer = definition.outer
        start, end = outer.start_byte, outer.end_byte
        while open_ and open_[-1][0] <= start:
            open_.pop()
        # Two names bound by one statement are siblings, not nested.
        parents = [name for stop, name in open_ if stop > end or (stop == end and name)]
        if found and (found[-1].start, found[-1].end) == (start, end):
            parent = found[-1].parent
        else:
            around = [definition.within] if definition.within else []
            parent = ".".join(parents + around)
            open_.append((end, ".".join([*around, definition.name])))
        head = data[start : definition.head or end]
        found.append(
            Symbol(
                name=definition.name,
                kind=definition.kind,
                start_line=outer.start_point[0] + 1,
                end_line=outer.end_point[0] + (1 if outer.end_point[1] or end == start else 0),
                start=start,
                end=end,
                signature=one_line(head[:2_000].decode("utf-8", "replace")).rstrip("{: "),
                parent=parent,
                exported=definition.exported,
            )
        )
    return tuple(found)
