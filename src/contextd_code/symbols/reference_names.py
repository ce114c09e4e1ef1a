"""The local names of a definition in each file that may use it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import field

from contextd_code.index.languages.table import BY_NAME
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_code.symbols.symbols import WHOLE, NameUse, definer
from contextd_code.values.source import Symbol
from contextd_common.dataclass import dataclass

_BOUND = frozenset(("python", "ecmascript"))
"""Families in which an import binds names. In others a name is visible unchanged, or after its
package or module.
"""
_IMPLICIT = frozenset(("java", "csharp", "kotlin", "c", "swift", "ruby"))
"""Families in which a class can name its members without a receiver."""
_WHOLESALE = frozenset(("c", "ruby"))
"""Families in which an import makes all names of a file visible."""
OPENED = "."
"""Go's dot import, which makes the names of a package visible without a prefix."""
_FARTHEST = 2
"""The longest chain of imports between a renamed use of a member and its definition."""
_NESTING = frozenset(("function", "method"))


@dataclass(slots=True)
class Names:
    """The names of the definition in one file.

    `qualified` pairs a module's local name with the definition's. `members` may follow any dot.
    `seen` may stand alone, or after the last part of one of `packages`; those in `behind` only
    after it. `called` may stand alone in calls.
    """

    plain: set[str] = field(default_factory=set)
    imported: set[str] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)
    qualified: set[tuple[str, str]] = field(default_factory=set)
    members: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    behind: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)

    def all(self) -> set[str]:
        """Every name to search for."""
        named = {name for _, name in self.qualified}
        return self.plain | self.imported | self.members | self.seen | self.called | named


def holder_of(graph: SymbolGraph, definition: Definition) -> Definition | None:
    """The top-level definition through which other files reach this one; None inside a function."""
    symbol = definition.symbol
    if not symbol.parent:
        return definition
    holder: Definition | None = None
    for one in graph.files[definition.path].symbols:
        around = one.start <= symbol.start and symbol.end <= one.end and one is not symbol
        if around and f"{symbol.parent}.".startswith(_qualified(one) + "."):
            # `const Counter = memo(() => { const add = () => … })`: add is inside a
            # function too.
            is_local = one.kind == "constant" and symbol.kind == "function"
            if one.kind in _NESTING or is_local:
                return None
            if not one.parent:
                holder = Definition(definition.path, one)
    return holder or _type_beside(graph, definition)


def _is_in_module(graph: SymbolGraph, definition: Definition) -> bool:
    """Whether an inline module declares it, whose items name each other without a path."""
    return any(
        one.kind == "module" and _qualified(one) == definition.symbol.parent
        for one in graph.files[definition.path].symbols
    )


def _type_beside(graph: SymbolGraph, definition: Definition) -> Definition | None:
    """The type of a method declared outside of it: `impl`, receivers, `A::b`."""
    folder = posixpath.dirname(definition.path)
    same = [
        one
        for one in graph.by_name.get(definition.symbol.parent.rsplit(".", 1)[-1], ())
        if one.symbol.kind not in _NESTING and posixpath.dirname(one.path) == folder
    ]
    own = [one for one in same if one.path == definition.path]
    found = own or same
    return found[0] if len(found) == 1 else None


def _qualified(symbol: Symbol) -> str:
    return f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name


def names_by_file(graph: SymbolGraph, definition: Definition) -> dict[str, Names]:
    """The files that may use a definition, each with its local names."""
    symbol = definition.symbol
    family = _family(graph, definition.path)
    holder = holder_of(graph, definition)
    own = Names()
    found = {definition.path: own}
    member = holder is not None and holder is not definition
    (own.members if member else own.plain).add(symbol.name)
    if symbol.parent and family in _IMPLICIT:
        (own.called if symbol.kind in _NESTING else own.plain).add(symbol.name)
    if family == "rust" and _is_in_module(graph, definition):
        own.plain.add(symbol.name)
    if family in _WHOLESALE:
        for path in _including(graph, definition.path, family) - {definition.path}:
            names = found.setdefault(path, Names(plain={symbol.name}))
            names.members |= {symbol.name} if symbol.parent else set()
    if holder is None:
        return found
    # The name of a member's type is not a use of the member, not even in its own file.
    using = dict(found) if not member else {path: Names() for path in found}
    _add_users(graph, using, holder, extends=family == "kotlin" and symbol.kind == "function")
    if not member:
        _add_longer(graph, using, definition)
        return using
    named = [path for path, _ in graph.users.get(definition.place, ())]
    members = {path: _member(graph, path, definition) for path in [*using, *named]}
    _add_longer(graph, members, definition)
    if family in _WHOLESALE:
        members = found | members
    if len(graph.by_name[symbol.name]) == 1 and symbol.kind == "method":
        for path in _within(graph, {definition.path}, family):
            members.setdefault(path, Names(members={symbol.name}))
    return members | {definition.path: own}


def _add_users(
    graph: SymbolGraph, found: dict[str, Names], holder: Definition, *, extends: bool
) -> None:
    """The files that import a definition, by name or with its module. Names in `extends` follow a
    dot.
    """
    for path, use in graph.users.get(holder.place, ()):
        _add_import(graph, found.setdefault(path, Names()), path, use)
        if extends:
            found[path].members.add(use.local or use.name)
    called = _called(graph, holder.symbol.name)
    for module in graph.whole_uses:
        for path, use in graph.whole_uses[module]:
            if use.name == OPENED:
                if posixpath.dirname(use.path) == posixpath.dirname(holder.path):
                    found.setdefault(path, Names()).plain.add(holder.symbol.name)
            elif path != holder.path:
                _add_module(graph, found, path, use, holder, called)


def _family(graph: SymbolGraph, path: str) -> str:
    row = BY_NAME.get(graph.files[path].language)
    return row.family if row is not None else ""


def _member(graph: SymbolGraph, path: str, definition: Definition) -> Names:
    """The members follow a dot, or stand alone after an import by name: `import shop.Cart.Line`."""
    name = definition.symbol.name
    names = Names(members={name})
    for one in graph.files[path].imports:
        if one.target == definition.path:
            for inner, local in one.names:
                if inner != name and inner.rsplit(".", 1)[-1] == name:
                    names.plain.add(local or name)
                    names.imported |= {name, local} - {""}
                    names.lines.add(one.line)
    return names


def _add_longer(graph: SymbolGraph, found: dict[str, Names], definition: Definition) -> None:
    """The imports of a member of a type, whose path names the type, and of all its static members."""
    for path in graph.importers.get(definition.path, ()):
        for one in graph.files[path].imports:
            for inner, local in one.names if one.target == definition.path else ():
                if inner.startswith(f"{definition.qualified}."):
                    names = found.setdefault(path, Names())
                    names.imported.add(definition.symbol.name)
                    names.lines.add(one.line)
                elif local == WHOLE and inner == definition.symbol.parent:
                    found.setdefault(path, Names()).plain.add(definition.symbol.name)


def _including(graph: SymbolGraph, path: str, family: str) -> set[str]:
    """The files that include a file, or its header."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    headers = {
        one.target
        for one in graph.files[path].imports
        if posixpath.splitext(posixpath.basename(one.target))[0] == stem
    }
    return _within(graph, {path, *headers}, family)


def _within(graph: SymbolGraph, origins: set[str], family: str) -> set[str]:
    """The files of a family that import one of these files, directly or indirectly."""
    found, edge = set(origins), set(origins)
    for _ in range(_FARTHEST):
        edge = {one for place in edge for one in graph.importers.get(place, ())} - found
        found |= edge
    return {one for one in found if _family(graph, one) == family}


def _called(graph: SymbolGraph, name: str) -> set[str]:
    """The names a definition may be exported under."""
    found, waiting = {name}, [name]
    while waiting:
        for other in graph.passed_on_as.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def _add_import(graph: SymbolGraph, names: Names, path: str, use: NameUse) -> None:
    row = BY_NAME.get(graph.files[path].language)
    # `use shop::Priced as _` brings the methods of a trait, and no name.
    unnamed = {"", WHOLE, "_"} if row is not None and row.family == "rust" else {"", WHOLE}
    names.plain |= {use.local} - unnamed
    names.imported |= {use.name, use.local} - unnamed
    pair = use.name, use.local
    meant = use.path, use.symbol
    leading = [
        one
        for one in graph.files[path].imports
        if pair in one.names
        and one.target
        and definer(graph.files.get, one.target, use.name) == meant
    ]
    names.lines |= {one.line for one in leading}
    if not use.local and row is not None and row.family not in _BOUND:
        names.seen.add(use.name)
        names.packages |= {one.specifier for one in leading if one.specifier}
        if row.family == "go" and leading and all(one.specifier for one in leading):
            names.behind.add(use.name)


def _add_module(
    graph: SymbolGraph,
    found: dict[str, Names],
    path: str,
    use: NameUse,
    holder: Definition,
    called: set[str],
) -> None:
    for module in _modules_behind(graph, use):
        for name in sorted(called):
            if definer(graph.files.get, module, name) != (holder.path, holder.symbol):
                continue
            if use.local == WHOLE:
                found.setdefault(path, Names()).plain.add(name)
            elif use.local:
                found.setdefault(path, Names()).qualified.add((use.local, name))
            elif use.name == WHOLE and path.endswith((".py", ".pyi")):
                # `import a.b` binds no single name: uses spell it out.
                for one in graph.files[path].imports:
                    if one.target == use.path and (WHOLE, "") in one.names:
                        found.setdefault(path, Names()).qualified.add((one.specifier, name))
    if path.endswith((".py", ".pyi")):
        for pair in _through_packages(graph, path, use, holder, called):
            found.setdefault(path, Names()).qualified.add(pair)


def _through_packages(
    graph: SymbolGraph, path: str, use: NameUse, holder: Definition, called: set[str]
) -> Iterator[tuple[str, str]]:
    """The names a whole import of Python binds besides the module: `import a.b` binds `a` too, and
    `import a` gives access to its submodules.
    """
    folder, file = posixpath.split(use.path)
    if use.local and use.local != WHOLE and file.startswith("__init__."):
        stem, dot, _ = holder.path.removeprefix(folder + "/").rpartition(".")
        if dot and holder.path.startswith(folder + "/") and not stem.endswith("__init__"):
            yield f"{use.local}.{stem.replace('/', '.')}", holder.symbol.name
    elif not use.local and use.name == WHOLE:
        written = {
            one.specifier
            for one in graph.files[path].imports
            if one.target == use.path and (WHOLE, "") in one.names
        }
        inner = posixpath.dirname(folder) if file.startswith("__init__.") else folder
        for specifier in sorted(written):
            prefix, at = specifier.rpartition(".")[0], inner
            while prefix:
                for name in sorted(called):
                    package = f"{at}/__init__.py".lstrip("/")
                    if definer(graph.files.get, package, name) == (holder.path, holder.symbol):
                        yield prefix, name
                prefix, at = prefix.rpartition(".")[0], posixpath.dirname(at)


def _modules_behind(graph: SymbolGraph, use: NameUse) -> Iterator[str]:
    """The module that a name stands for, also through a barrel's re-export."""
    file = graph.files.get(use.path)
    passed = [
        specifier
        for exported, specifier, inner in (file.exports if file is not None else ())
        if exported == use.name and inner == WHOLE and use.name != WHOLE
    ]
    if not passed or file is None:
        yield use.path
    for one in file.imports if file is not None else ():
        if one.specifier in passed and one.target:
            yield one.target
