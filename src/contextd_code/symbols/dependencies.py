"""The definitions a file uses from its imports, within a token budget."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any, Literal

from contextd_code.symbols.sources import Sources, SourceText
from contextd_code.symbols.symbols import WHOLE, NameUse, definer, uses
from contextd_code.values.source import SourceFile, Symbol
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError
from contextd_common.text.tokens import count_tokens

DEEPEST = 5
_MOST_NODES = 300
_MOST_SYMBOLS = 40
_COMMENT = re.compile(rb"^\s*(?:/\*|\*|//|#(?!!)|@)")

Shown = Literal["definitions", "signatures", "nothing"]


@dataclass(frozen=True, slots=True)
class Dependency:
    """A used file, `level` imports away.

    `text` has whole definitions or signatures of `names`. `shown` says which; it is `nothing` if
    the budget was spent. `tokens` counts the text and its heading with the file's name.
    """

    path: str
    level: int
    names: tuple[str, ...]
    shown: Shown
    text: str
    tokens: int

    @property
    def left_out(self) -> bool:
        """Whether a text was omitted for lack of budget."""
        return self.shown == "nothing" and bool(self.names)

    def as_text(self) -> str:
        """The file's name and its used definitions."""
        return f"--- uses {self.path} ---\n{self.text.rstrip()}".rstrip()


@dataclass(frozen=True, slots=True)
class DependencyNode:
    """A file in the tree of imports. `note` is `shown above` for a repeated file, `deeper` where
    the tree was cut.
    """

    path: str
    dependencies: tuple[DependencyNode, ...] = ()
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The tree in the form that surfaces show."""
        body: dict[str, Any] = {"path": self.path}
        if self.dependencies:
            body["dependencies"] = [node.as_dict() for node in self.dependencies]
        if self.note:
            body["note"] = self.note
        return body


@dataclass(slots=True)
class _Wanted:
    """The definitions wanted from one file, in order of use."""

    path: str
    level: int
    symbols: dict[Symbol, None] = field(default_factory=dict)


def tree(sources: Sources, file: SourceFile, depth: int) -> tuple[DependencyNode, ...]:
    """The imports of a file inside the project, nested `depth` deep; each file is expanded once."""
    seen = {file.path}

    def level(here: SourceFile, left: int) -> tuple[DependencyNode, ...]:
        targets = list(dict.fromkeys(one.target for one in here.imports if one.target))
        fresh = [t for t in targets if t not in seen]
        room = max(0, _MOST_NODES - len(seen))
        opened = set(fresh[:room])
        seen.update(opened)
        nodes = []
        for target in targets:
            known = sources.lookup(target) if target in opened else None
            if target not in opened:
                note = "deeper" if target in fresh else "shown above"
                nodes.append(DependencyNode(target, (), note))
            elif known is None or left <= 1:
                more = known is not None and any(one.target for one in known.imports)
                nodes.append(DependencyNode(target, (), "deeper" if more else ""))
            else:
                nodes.append(DependencyNode(target, level(known, left - 1)))
        return tuple(nodes)

    return level(file, min(depth, DEEPEST))


def dependencies(
    sources: Sources, source: SourceText, shown: str, depth: int, budget: int
) -> tuple[Dependency, ...]:
    """The definitions that `shown`, the displayed part of the file, uses.

    Whole definitions from the first level, signatures from deeper levels, nearest first, within
    `budget` tokens in all.
    """
    first = _wanted(sources, [source.file], {source.file.path}, 1, shown)
    found, spent = _first_level(sources, first, budget)
    seen = {source.file.path} | {wanted.path for wanted in first}
    level = first
    for distance in range(2, min(depth, DEEPEST) + 1):
        files = [f for f in (sources.lookup(wanted.path) for wanted in level) if f is not None]
        level = _wanted(sources, files, seen, distance)
        seen |= {wanted.path for wanted in level}
        for wanted in level:
            text = _signatures(wanted.symbols)
            cost = _cost(wanted.path, text)
            fits = spent + cost <= budget
            spent += cost if fits else 0
            found.append(_dependency(wanted, "signatures" if fits else "nothing", text, cost))
    return tuple(found)


def _wanted(
    sources: Sources,
    files: Iterable[SourceFile],
    seen: set[str],
    level: int,
    shown: str | None = None,
) -> list[_Wanted]:
    wanted: dict[str, _Wanted] = {}
    words = None if shown is None else set(re.findall(r"[\w$]+", shown))
    for file in files:
        for use in uses(sources.lookup, file):
            seen_as = use.local or use.name
            if words is not None and seen_as != WHOLE and seen_as not in words:
                continue
            for path, symbol in _definitions(sources, use, shown):
                if path in seen:
                    continue
                entry = wanted.setdefault(path, _Wanted(path, level))
                if symbol is not None and len(entry.symbols) < _MOST_SYMBOLS:
                    entry.symbols[symbol] = None
    return list(wanted.values())


def _definitions(
    sources: Sources, use: NameUse, shown: str | None
) -> list[tuple[str, Symbol | None]]:
    """The definitions behind a used name; for a whole module its named members, or else its
    exports.
    """
    if use.symbol is not None:
        return [(use.path, use.symbol)]
    found: list[tuple[str, Symbol | None]] = []
    if shown and use.local and use.local != WHOLE:
        members = re.findall(rf"\b{re.escape(use.local)}(?:\.|::)([A-Za-z_$][\w$]*)", shown)
        for member in dict.fromkeys(members):
            definition = definer(sources.lookup, use.path, member)
            if definition is not None:
                found.append(definition)
    if found:
        return found
    file = sources.lookup(use.path)
    public = [s for s in file.symbols if s.exported and not s.parent] if file is not None else []
    if shown and use.local == WHOLE:
        # Of a wildcard import, only names that occur in the text.
        words = set(re.findall(r"[\w$]+", shown))
        public = [s for s in public if s.name in words] or public
    return [(use.path, symbol) for symbol in public[:_MOST_SYMBOLS]] or [(use.path, None)]


def _first_level(
    sources: Sources, wanted: Sequence[_Wanted], budget: int
) -> tuple[list[Dependency], int]:
    """All signatures first; then, in order of use, as many whole definitions as fit."""
    chosen: list[Dependency] = []
    spent = 0
    for entry in wanted:
        text = _signatures(entry.symbols)
        cost = _cost(entry.path, text)
        fits = spent + cost <= budget
        spent += cost if fits else 0
        chosen.append(_dependency(entry, "signatures" if fits else "nothing", text, cost))
    for position, entry in enumerate(wanted):
        text = _whole(sources, entry)
        cost = _cost(entry.path, text)
        now = chosen[position].tokens
        if text and spent - now + cost <= budget:
            spent += cost - now
            chosen[position] = _dependency(entry, "definitions", text, cost)
    return chosen, spent


def _dependency(wanted: _Wanted, shown: Shown, text: str, cost: int) -> Dependency:
    names = tuple(symbol.name for symbol in wanted.symbols)
    if shown == "nothing" or not text:
        return Dependency(wanted.path, wanted.level, names, "nothing", "", 0)
    return Dependency(wanted.path, wanted.level, names, shown, text, cost)


def _cost(path: str, text: str) -> int:
    return count_tokens(f"\n--- uses {path} ---\n{text}\n") if text else 0


def _signatures(symbols: Iterable[Symbol]) -> str:
    return "\n".join(f"{s.signature or s.name}  (line {s.start_line})" for s in symbols)


def _whole(sources: Sources, wanted: _Wanted) -> str:
    try:
        source = sources.current(wanted.path)
    except ContextdError:
        return ""
    # The file may have changed since the scan, so take its definitions from the current text.
    names = {(symbol.parent, symbol.name) for symbol in wanted.symbols}
    parts: list[str] = []
    covered = 0
    for symbol in source.file.symbols:
        # For an overloaded function, all signatures and the body.
        if (symbol.parent, symbol.name) not in names or symbol.end <= covered:
            continue
        covered = symbol.end
        start = _with_comment(source.data, symbol.start)
        parts.append(source.data[start : symbol.end].decode("utf-8", "replace").strip("\n"))
    return "\n\n".join(parts)


def _with_comment(data: bytes, start: int) -> int:
    """Where the comment right above a definition starts."""
    start = data.rfind(b"\n", 0, start) + 1
    for _ in range(40):
        before = data.rfind(b"\n", 0, max(0, start - 1)) + 1
        if before >= start or not _COMMENT.match(data[before:start]):
            break
        start = before
    return start
