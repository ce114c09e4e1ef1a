"""Ranks of files and definitions, computed from the store in batches.

The scores equal those of a `SymbolGraph` of all files, which takes 1 GB for 60,000.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence

from contextd_code.symbols.graph import page_rank
from contextd_code.symbols.symbol_graph import OWN_SHARE, Place, add_own
from contextd_code.symbols.symbols import WHOLE, is_module, local_definition, onward
from contextd_code.values.code_index import CodeIndex
from contextd_code.values.source import FileWeight, SourceFile, is_test

_AT_ONCE = 500

_Export = tuple[str, str]
"""A file and a name imported from it."""


def weights(files: CodeIndex) -> list[FileWeight]:
    """The weights of the files of a project that define, import or pass on something."""
    imports = _Imports(files)
    passage = _Passage(files, dict.fromkeys(imports.exports))
    paths, out = imports.paths, imports.out
    rank = page_rank(paths, imports.weighted, {p: 1.0 for p in paths if not is_test(p)})
    gained: dict[str, dict[str, float]] = {}
    users: dict[tuple[str, str], int] = {}
    latest: dict[tuple[str, str], int] = {}
    meant = [passage.definer(one) for one in imports.exports]
    for number, export in zip(imports.users, imports.used, strict=True):
        found = meant[export]
        path = paths[number]
        if found is None or found[0] == path:
            continue
        mine = gained.setdefault(found[0], {})
        mine[found[1]] = mine.get(found[1], 0.0) + rank[path] / max(1, out.get(path, 1))
        if latest.get(found) != number:
            latest[found] = number
            users[found] = users.get(found, 0) + 1
    return [
        FileWeight(
            path=path,
            rank=rank[path],
            top=max(gained.get(path, {}).values(), default=0.0) + OWN_SHARE * rank[path],
            used=tuple((n, s, users[path, n]) for n, s in gained.get(path, {}).items()),
        )
        for path in paths
    ]


def scores(file: SourceFile, weight: FileWeight) -> dict[Place, float]:
    """The scores of a file's definitions, as `SymbolGraph.scores_from` returns them."""
    found = dict.fromkeys(((file.path, s.start, s.name) for s in file.symbols), 0.0)
    used = {name: score for name, score, _ in weight.used}
    for symbol in file.symbols:
        # Of several definitions with one name, importers mean the first.
        gained = used.pop(qualified(symbol.parent, symbol.name), 0.0)
        found[file.path, symbol.start, symbol.name] += gained
    add_own(found, file, weight.rank)
    return found


def qualified(parent: str, name: str) -> str:
    """The qualified name."""
    return f"{parent}.{name}" if parent else name


class _Imports:
    """The imports between files.

    `paths` are the files; `weighted` counts the imports of each file from another, `out` the total
    of its imports. `users` and `used` are parallel arrays: the number of a file and of one of the
    `exports` it uses.
    """

    def __init__(self, files: CodeIndex) -> None:
        self.paths: list[str] = []
        self.weighted: dict[tuple[str, str], int] = {}
        self.out: dict[str, int] = {}
        self.exports: list[_Export] = []
        self.users, self.used = array("l"), array("l")
        numbers: dict[_Export, int] = {}
        listed = {path: path for path in files.linking()}
        self.paths = sorted(listed)
        number_of = {path: number for number, path in enumerate(self.paths)}
        for some in _slices(self.paths):
            for path, _, imports in files.imports(some):
                path = listed[path]
                for one in imports:
                    target = listed.get(one.target)
                    if target is None:
                        continue
                    if target != path:
                        edge, count = (path, target), max(1, len(one.names))
                        self.weighted[edge] = self.weighted.get(edge, 0) + count
                        self.out[path] = self.out.get(path, 0) + count
                    for name, _ in one.names:
                        if name == WHOLE or is_module(one, name):
                            continue
                        number = numbers.setdefault((target, name), len(numbers))
                        self.users.append(number_of[path])
                        self.used.append(number)
        self.exports = list(numbers)


class _Passage:
    """Resolve the exports of files, each looked up once, in one batch of files per round."""

    def __init__(self, files: CodeIndex, exports: Mapping[_Export, None]) -> None:
        self._here: dict[_Export, str] = {}
        self._onward: dict[_Export, tuple[_Export, ...]] = {}
        waiting: dict[str, dict[str, None]] = {}
        for path, name in exports:
            waiting.setdefault(path, {})[name] = None
        while waiting:
            following: dict[str, dict[str, None]] = {}
            for some in _slices(sorted(waiting)):
                for file in files.linked(some):
                    for name in waiting[file.path]:
                        for path, inner in self._take(file, name):
                            known = (path, inner) in self._here or (path, inner) in self._onward
                            if not known and inner not in waiting.get(path, ()):
                                following.setdefault(path, {})[inner] = None
            waiting = following

    def _take(self, file: SourceFile, name: str) -> Sequence[_Export]:
        symbol = local_definition(file, name)
        if symbol is not None:
            self._here[file.path, name] = qualified(symbol.parent, symbol.name)
            return ()
        led = self._onward[file.path, name] = tuple(onward(file, name))
        return led

    def definer(self, export: _Export) -> tuple[str, str] | None:
        """As `symbols.definer`: the file and the qualified name behind an export."""
        seen: set[_Export] = set()
        waiting = [export]
        while waiting:
            here = waiting.pop()
            if here in seen:
                continue
            seen.add(here)
            if here in self._here:
                return here[0], self._here[here]
            waiting.extend(reversed(self._onward.get(here, ())))
        return None


def _slices(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(paths), _AT_ONCE):
        yield paths[start : start + _AT_ONCE]
