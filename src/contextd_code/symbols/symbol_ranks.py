"""How much files and definitions matter to the others, told from the store some files at a time: the scores of a
`SymbolGraph` of all of them, which takes 1 GB for 60,000.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence

from contextd.domain.scope import Scope
from contextd.ports.code import Files
from contextd_code.symbols.graph import page_rank
from contextd_code.symbols.symbol_graph import OWN_SHARE, Place, add_own
from contextd_code.symbols.symbols import WHOLE, is_module, local_definition, onward
from contextd_code.values.source import FileWeight, SourceFile, is_test

_AT_ONCE = 500

_Export = tuple[str, str]
"""A file, and what is imported from it."""


def weights(files: Files, scope: Scope) -> list[FileWeight]:
    """The weights of the files of a project that define, import or pass on something."""
    imports = _Imports(files, scope)
    passage = _Passage(files, scope, dict.fromkeys(imports.exports))
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
    """The scores of the definitions of a file, as `SymbolGraph.scores_from` gives them."""
    found = dict.fromkeys(((file.path, s.start, s.name) for s in file.symbols), 0.0)
    used = {name: score for name, score, _ in weight.used}
    for symbol in file.symbols:
        # Of several that are called alike, others mean the first.
        gained = used.pop(qualified(symbol.parent, symbol.name), 0.0)
        found[file.path, symbol.start, symbol.name] += gained
    add_own(found, file, weight.rank)
    return found


def qualified(parent: str, name: str) -> str:
    """A name with the names around it."""
    return f"{parent}.{name}" if parent else name


class _Imports:
    """Who imports what: `paths` of files, how often each of them imports from another (`weighted`, and `out` of all
    others together), and, as pairs of equal places in `users` and `used`, the numbers of a file and of one of the
    `exports`.
    """

    def __init__(self, files: Files, scope: Scope) -> None:
        self.paths: list[str] = []
        self.weighted: dict[tuple[str, str], int] = {}
        self.out: dict[str, int] = {}
        self.exports: list[_Export] = []
        self.users, self.used = array("l"), array("l")
        numbers: dict[_Export, int] = {}
        listed = {path: path for path in files.linking(scope)}
        self.paths = sorted(listed)
        number_of = {path: number for number, path in enumerate(self.paths)}
        for some in _slices(self.paths):
            for path, _, imports in files.imports(scope, some):
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
    """What the exports of files are, each looked up once, the files of one round together."""

    def __init__(self, files: Files, scope: Scope, exports: Mapping[_Export, None]) -> None:
        self._here: dict[_Export, str] = {}
        self._onward: dict[_Export, tuple[_Export, ...]] = {}
        waiting: dict[str, dict[str, None]] = {}
        for path, name in exports:
            waiting.setdefault(path, {})[name] = None
        while waiting:
            following: dict[str, dict[str, None]] = {}
            for some in _slices(sorted(waiting)):
                for file in files.linked(scope, some):
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
        """As `symbols.definer`: the file and the qualified name of what an export is."""
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
