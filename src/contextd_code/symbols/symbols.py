"""Resolve an imported name to its definition, through every file that re-exports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from contextd_code.index.languages.table import BY_NAME
from contextd_code.values.source import Import, SourceFile, Symbol
from contextd_common.dataclass import dataclass

Lookup = Callable[[str], SourceFile | None]
"""A lookup of a file's facts by its path, such as `by_path.get`."""

WHOLE = "*"


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name that a file imports from another file of the project.

    `symbol` is None for a whole module, or if no visible definition exists.
    """

    name: str
    local: str
    path: str
    symbol: Symbol | None


def definer(lookup: Lookup, path: str, name: str) -> tuple[str, Symbol] | None:
    """The file and the definition behind the export `name` of the file `path`.

    Follows re-exports, `export *`, imports that are exported again, default exports, and
    from-imports through `__init__.py`. None for a whole module or a name from outside the project.
    """
    seen: set[tuple[str, str]] = set()
    waiting = [(path, name)]
    while waiting:
        here = waiting.pop()
        file = lookup(here[0])
        if file is None or here in seen:
            continue
        seen.add(here)
        symbol = local_definition(file, here[1])
        if symbol is not None:
            return file.path, symbol
        waiting.extend(reversed(list(onward(file, here[1]))))
    return None


def uses(lookup: Lookup, file: SourceFile) -> Iterator[NameUse]:
    """The names a file imports from the project, each with its definition, in source order."""
    for one in file.imports:
        yield from uses_of(lookup, file, one)


def uses_of(lookup: Lookup, file: SourceFile, one: Import) -> Iterator[NameUse]:
    """The names that one import of a file takes from the project."""
    for name, local in one.names if one.target else ():
        if name == WHOLE or is_module(one, name):
            yield NameUse(name, local, one.target, None)
            continue
        found = definer(lookup, one.target, name)
        if found is None:
            yield NameUse(name, local, one.target, None)
        elif found[0] != file.path:
            yield NameUse(name, local, *found)


def is_module(one: Import, name: str) -> bool:
    """Whether `from a import b` names the file `a/b.py` rather than something in `a`."""
    if not one.target.endswith((".py", ".pyi")):
        return False
    stem = one.target.rsplit(".", 1)[0].removesuffix("/__init__")
    around = one.specifier.lstrip(".").replace(".", "/")
    return f"/{stem}".endswith(f"/{around}/{name}" if around else f"/{name}")


def local_definition(file: SourceFile, name: str) -> Symbol | None:
    """The definition in this file behind its export `name`; `Order.Line` is nested."""
    wanted = name
    if _family(file) != "python":
        for exported, specifier, local in file.exports:
            if exported == name:
                if specifier:
                    return None
                wanted = local
                break
    if _family(file) == "ecmascript" and _bound(file, wanted):
        # `const { a } = require("./b")` defines a constant, but `a` is the other file's.
        return None
    around, _, inner = wanted.rpartition(".")
    return next((s for s in file.symbols if s.name == inner and s.parent == around), None)


def _bound(file: SourceFile, name: str) -> bool:
    """Whether an import from another file binds the name."""
    bound = ((inner, local) for one in file.imports if one.target for inner, local in one.names)
    return any(local == name and inner != WHOLE for inner, local in bound)


def onward(file: SourceFile, name: str) -> Iterator[tuple[str, str]]:
    """Where to look next for an export without a definition here, likeliest first."""
    wanted = name
    for exported, specifier, inner in file.exports:
        if exported == name and specifier:
            if inner != WHOLE:
                yield from ((target, inner) for target in _targets(file, specifier, inner))
            return
        if exported == name:
            wanted = inner
    for one in file.imports:
        for inner, local in one.names:
            if local == wanted and one.target and inner != WHOLE and not is_module(one, inner):
                yield one.target, inner
    if name != "default":
        for exported, specifier, _ in file.exports:
            if exported == WHOLE:
                yield from ((target, name) for target in _targets(file, specifier, WHOLE))


def _targets(file: SourceFile, specifier: str, name: str) -> Iterator[str]:
    seen = set()
    for one in file.imports:
        fits = one.specifier == specifier and one.target and one.target not in seen
        if fits and any(inner == name for inner, _ in one.names):
            seen.add(one.target)
            yield one.target


def _family(file: SourceFile) -> str:
    row = BY_NAME.get(file.language)
    return row.family if row is not None else ""
