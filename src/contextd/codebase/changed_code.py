"""The definitions that a diff touches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from contextlib import suppress

from contextd.policies.actions import FileChange, changes_in
from contextd.runtime.runtime import Runtime
from contextd_code.git import diffs
from contextd_code.index.analyse import parse
from contextd_code.index.languages.table import language_of
from contextd_code.queries.changed_code import ChangedCode, ChangedFile, at_line
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_code.tree.content import decode
from contextd_code.tree.paths import read_inside
from contextd_common.errors import ContextdError


def in_diff(runtime: Runtime, graph: SymbolGraph, diff: str, base: str = "") -> ChangedCode:
    """The definitions that a unified diff touches, whether it was applied here or not. With its base revision,
    also those that it removes.
    """
    changes = list(changes_in(diff))
    moves = diffs.moves_in(diff)
    before: Mapping[str, bytes] = {}
    if base:
        paths = [one.path for one in changes if one.removed or one.change == "delete"]
        wanted = [path for path in (*paths, *moves.values()) if language_of(path)]
        before = diffs.texts_at(runtime.root, base, list(dict.fromkeys(wanted)))
    left = {one.path: one for one in changes if one.change == "delete"}
    return ChangedCode(
        [
            _in_file(runtime, graph, one, before, left.get(moves.get(one.path, "")))
            for one in changes
            if not (one.change == "delete" and one.path in moves.values())
        ]
    )


def _in_file(
    runtime: Runtime,
    graph: SymbolGraph,
    change: FileChange,
    before: Mapping[str, bytes],
    left: FileChange | None,
) -> ChangedFile:
    """The changes of a file; for a moved file, `left` is what was removed from its old path."""
    path, was = change.path, left.path if left is not None else ""
    if left is not None:
        change = FileChange(path, "edit", change.added, left.removed, change.binary)
    symbols: dict[Definition, None] = {}
    if path in graph.files and change.change != "delete":
        lines = _lines_now(runtime, path)
        for number in _numbers(change, lines):
            found = at_line(graph, path, number)
            if found is not None:
                symbols[found] = None
    removed_names: tuple[str, ...] = ()
    old = was or path
    if old in before:
        removed_names = _gone(graph, "" if change.change == "delete" else path, old, before[old])
    return ChangedFile(
        path,
        change.change,
        tuple(symbols),
        removed_names,
        len(change.added),
        len(change.removed),
        was,
        change.binary,
    )


def _lines_now(runtime: Runtime, path: str) -> list[str]:
    with suppress(ContextdError):
        return decode(read_inside(runtime.root, path)).splitlines()
    return []


def _numbers(change: FileChange, lines: Sequence[str]) -> list[int]:
    """The changed lines, numbered as in the current file."""

    def stands(pairs: Sequence[tuple[int, str]]) -> int:
        return sum(1 for n, text in pairs if 0 < n <= len(lines) and lines[n - 1] == text)

    added, removed = list(change.added), list(change.removed)
    coming, going = [n for n, _ in added], [n for n, _ in removed]
    applied = stands(added) * len(removed) >= stands(removed) * len(added) if removed else True
    if added and not stands(added):
        applied = False
    if applied:
        return coming + [_moved(n, going, coming) for n in going]
    return going + [_moved(n, coming, going) for n in coming]


def _moved(number: int, away: Sequence[int], come: Sequence[int]) -> int:
    """The line number on the other side of a diff for a line of one side."""
    before = bisect_right(away, number - 1)
    at = number - before
    for one in come:
        if one > at:
            break
        at += 1
    return max(1, at)


def _gone(graph: SymbolGraph, path: str, was: str, data: bytes) -> tuple[str, ...]:
    """The definitions removed from a file; all of them when the file is gone."""
    before = decode(data)
    file = graph.files.get(path)
    now = {(s.parent, s.name) for s in file.symbols} if file is not None else set()
    old = parse(was, before).outline.symbols
    names = (
        f"{s.parent}.{s.name}" if s.parent else s.name for s in old if (s.parent, s.name) not in now
    )
    return tuple(dict.fromkeys(names))
