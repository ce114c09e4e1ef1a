"""Definitions by their class or namespace, and their scopes."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from contextd_code.calls.call_facts import CodeScope, Expr
from contextd_code.calls.checkout_facts import CodeFacts
from contextd_code.calls.linkage import Linkage
from contextd_code.index.languages.table import BY_NAME
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_code.symbols.symbols import WHOLE, NameUse, uses_of
from contextd_code.values.source import Symbol
from contextd_common.dataclass import dataclass

FUNCTIONS = frozenset(("function", "method"))
CONSTANTS = frozenset(("constant", "variable", "property", "field"))
SPREAD = frozenset(("go", "rust"))
"""Families in which a type's methods may be anywhere in its folder."""

_CSHARP_TYPES = frozenset(("class", "struct", "interface", "type"))
_RUST_TYPES = frozenset(
    ("struct", "enum", "trait", "interface", "type", "class", "module", "union")
)

_PER_LAID_OUT = 7_300
"""Bytes of a file's definitions by scope: measured 8.1 MB for 1,113 files."""

At = tuple[str, int]
"""A scope: its file and its index there."""


@dataclass
class CodeLayout:
    """The definitions of a project by their class or namespace, computed per file on first request."""

    graph: SymbolGraph
    facts: CodeFacts
    _members: dict[str, dict[str, dict[str, Definition]]] = field(
        default_factory=dict[str, dict[str, dict[str, Definition]]]
    )
    _bound: dict[str, dict[str, list[tuple[int, NameUse]]]] = field(
        default_factory=dict[str, dict[str, list[tuple[int, NameUse]]]]
    )
    _of_scope: dict[str, dict[int, Definition]] = field(
        default_factory=dict[str, dict[int, Definition]]
    )
    _scopes_of: dict[str, dict[tuple[int, str], list[tuple[int, Definition]]]] = field(
        default_factory=dict[str, dict[tuple[int, str], list[tuple[int, Definition]]]]
    )

    _ordered: dict[str, list[Symbol]] = field(default_factory=dict[str, list[Symbol]])

    @property
    def weight(self) -> int:
        """Its estimated bytes now."""
        return _PER_LAID_OUT * len(self._of_scope)

    @cached_property
    def linkage(self) -> Linkage:
        """Visibility between files of C and C++."""
        return Linkage(self.graph, self.family)

    @cached_property
    def folders(self) -> Mapping[str, Sequence[str]]:
        """The files of each folder."""
        found: dict[str, list[str]] = {}
        for path in self.graph.files:
            found.setdefault(posixpath.dirname(path), []).append(path)
        return found

    def family(self, path: str) -> str:
        """The family of languages of a file."""
        file = self.graph.files.get(path)
        row = BY_NAME.get(file.language) if file is not None else None
        return row.family if row is not None else ""

    def held(self, path: str, holder: str) -> Mapping[str, Definition]:
        """The members of a definition in a file, by name; without a holder, the top-level definitions."""
        known = self._members.get(path)
        if known is None:
            known = {}
            file = self.graph.files.get(path)
            for one in file.symbols if file is not None else ():
                known.setdefault(one.parent, {}).setdefault(one.name, Definition(path, one))
            # Assigned complete, like every cache here: other threads may read it.
            self._members[path] = known
        return known.get(holder, {})

    def member(self, holder: Definition, name: str) -> Definition | None:
        """The member declared in a type itself, not in its bases."""
        found = self.held(holder.path, holder.qualified).get(name)
        if found is None and self.family(holder.path) in SPREAD:
            for path in self._apart(holder):
                found = found or self.held(path, holder.qualified).get(name)
        for part in self.parts(holder) if found is None else ():
            found = found or self.held(part.path, part.qualified).get(name)
        return found

    def methods(self, holder: Definition, name: str) -> list[At]:
        """The scopes of a type's own methods with one name."""
        return [
            (path, number)
            for path, at in self.scopes_of(holder)
            for number, scope in enumerate(self.scopes(path))
            if scope.parent == at and scope.name == name and scope.kind == "function"
        ]

    def _apart(self, holder: Definition) -> Sequence[str]:
        """The other files that may hold members of a type."""
        if self.family(holder.path) == "rust":
            return self._implementing.get(holder.qualified, ())
        return self.folders.get(posixpath.dirname(holder.path), ())

    @cached_property
    def _implementing(self) -> Mapping[str, Sequence[str]]:
        """The Rust files with an `impl` of a type from another file, if the type's name is unique."""
        defined: dict[str, int] = {}
        found: dict[str, list[str]] = {}
        for path in self.graph.files:
            if self.family(path) != "rust":
                continue
            types = [one for one in self.graph.files[path].symbols if one.kind in _RUST_TYPES]
            own = {f"{one.parent}.{one.name}" if one.parent else one.name for one in types}
            for name in own:
                defined[name] = defined.get(name, 0) + 1
            for parent in {one.parent for one in self.graph.files[path].symbols} - own:
                found.setdefault(parent, []).append(path)
        return {name: paths for name, paths in found.items() if defined.get(name) == 1}

    @cached_property
    def _modules(self) -> tuple[Mapping[tuple[str, str], str], Mapping[str, str]]:
        """For Rust: (file, declared module or named crate) to file, and file to the declaring one."""
        children: dict[tuple[str, str], str] = {}
        declared: dict[str, str] = {}
        for path, file in self.graph.files.items():
            if self.family(path) != "rust":
                continue
            for one in file.imports:
                if one.target and one.specifier.startswith("mod "):
                    children[path, one.specifier[4:].split()[0]] = one.target
                    declared.setdefault(one.target, path)
                elif one.target and "::" not in one.specifier:
                    children.setdefault((path, one.specifier), one.target)
        return children, declared

    def child_module(self, path: str, name: str) -> str | None:
        """The file of a Rust module by the name in a declaration or path."""
        return self._modules[0].get((path, name)) if self.family(path) == "rust" else None

    def declared_in(self, path: str) -> str:
        """The file that declares the module of a file; None for a crate."""
        return self._modules[1].get(path, "")

    def crate_of(self, path: str) -> str:
        """The root file of a crate."""
        seen = {path}
        while (above := self.declared_in(path)) and above not in seen:
            seen.add(above)
            path = above
        return path

    def bound(self, path: str, name: str) -> Sequence[NameUse]:
        """The target of a file's import for a name that it binds or makes visible; of several imports, those at
        the top of a Python file.
        """
        known = self._bound.get(path)
        if known is None:
            known = {}
            file = self.graph.files.get(path)
            for one in file.imports if file is not None else ():
                for use in uses_of(self.graph.files.get, file, one) if file is not None else ():
                    local = use.local or (use.name if use.name != WHOLE else "")
                    if local:
                        known.setdefault(local, []).append((one.line, use))
            self._bound[path] = known
        found = known.get(name, ())
        if len(found) > 1 and self.family(path) == "python":
            inner = self._lines_of_inner_imports(path, name)
            found = [(line, use) for line, use in found if line not in inner] or found
        return [use for _, use in found]

    def bound_at(self, path: str, name: str, line: int) -> Sequence[NameUse]:
        """The same for an import on one line."""
        self.bound(path, name)
        return [use for at, use in self._bound[path].get(name, ()) if at == line]

    def _lines_of_inner_imports(self, path: str, name: str) -> set[int]:
        """The lines of imports that bind a name inside functions only."""
        return {
            int(found[2])
            for scope in self.scopes(path)
            for found, _ in scope.bindings.get(name, ())
            if found[0] == "imported"
        }

    def alias(self, path: str, name: str) -> Iterator[tuple[str, Expr]]:
        """The target of a type alias, and the file that declares it."""
        own = self.held(path, "").get(name)
        places = [(path, own.symbol.name)] if own is not None else []
        if own is None:
            uses_ = self.bound(path, name)
            places = [(one.path, one.symbol.name) for one in uses_ if one.symbol is not None]
        for where, called in places:
            scopes = self.scopes(where)
            for one, _ in scopes[0].bindings.get(f"={called}", ()) if scopes else ():
                yield where, one

    def scopes(self, path: str) -> Sequence[CodeScope]:
        """The scopes of a file; empty for an unsupported language."""
        found = self.facts.get(path)
        return found.scopes if found is not None else ()

    def space(self, path: str, start: int = 0) -> str:
        """The namespace at an offset of a PHP file, the first one before any declaration. In C# only the first
        of a file is known.
        """
        scopes = self.scopes(path)
        spaces = [one for one, _ in scopes[0].bindings.get("<space>", ())] if scopes else []
        before = [one for one in spaces if len(one) > 2 and int(str(one[2])) <= start]
        found = before[-1] if before else spaces[0] if spaces else None
        return str(found[1]) if found is not None else ""

    def full_name(self, path: str, start: int, written: str) -> str:
        r"""The target of a PHP path such as `Alias\Inner\name` at an offset, without a leading `\`."""
        if written.startswith("\\"):
            return written[1:]
        head, _, rest = written.partition("\\")
        scopes = self.scopes(path)
        known = scopes[0].bindings.get(f"{head}\\") if scopes and rest else None
        begun = str(known[0][0][1]) if known else ""
        if not begun:
            begun = self.space(path, start)
            rest = written if head.lower() != "namespace" else rest
        return f"{begun}\\{rest}".strip("\\")

    def fixture(self, path: str, name: str) -> Definition | None:
        """The fixture that pytest finds by name for a test: in its file, or in the nearest `conftest.py`."""
        folder = posixpath.dirname(path)
        places = [path, posixpath.join(folder, "conftest.py")]
        while folder:
            folder = posixpath.dirname(folder)
            places.append(posixpath.join(folder, "conftest.py"))
        for place in places:
            one = self.held(place, "").get(name) if place in self.graph.files else None
            if one is not None and self._is_fixture(one):
                return one
        return None

    def _is_fixture(self, one: Definition) -> bool:
        return any(self.scopes(path)[n].is_fixture for path, n in self.scopes_of(one))

    def scope_at(self, path: str, start: int) -> int | None:
        """The scope that begins at an offset."""
        scopes = self.scopes(path)
        at = bisect_right(scopes, start, lo=1, key=lambda one: one.start) - 1
        return at if at > 0 and scopes[at].start == start else None

    def definition_of(self, path: str, scope: int) -> Definition | None:
        """The definition of a scope."""
        known = self._of_scope.get(path)
        if known is None:
            known = self._of_scope[path] = dict(self._matched(path))
        return known.get(scope)

    def scopes_of(self, one: Definition) -> list[At]:
        """The scopes of a definition: all of them, for a type with separate methods."""
        return [at for part in (one, *self.parts(one)) for at in self._scopes(part)]

    def _scopes(self, one: Definition) -> list[At]:
        """The scopes in its own file."""
        places = self._scopes_of.get(one.path)
        if places is None:
            self.definition_of(one.path, 0)
            places = {}
            for number, known in self._of_scope[one.path].items():
                at = known.symbol.start, known.symbol.name
                places.setdefault(at, []).append((number, known))
            self._scopes_of[one.path] = places
        some = places.get((one.symbol.start, one.symbol.name), ())
        return [(one.path, number) for number, known in some if known == one]

    def parts(self, one: Definition) -> list[Definition]:
        """The other parts of a partial C# type."""
        symbol = one.symbol
        if symbol.kind in FUNCTIONS or "partial" not in symbol.signature:
            return []
        if self.family(one.path) != "csharp":
            return []
        return [
            each
            for each in self.graph.by_name.get(symbol.name, ())
            if each != one
            and each.qualified == one.qualified
            and "partial" in each.symbol.signature
            and self.space(each.path) == self.space(one.path)
            and arity_of(each.symbol) == arity_of(symbol)
        ]

    def of_arity(self, one: Definition, arity: int) -> Definition | None:
        """A C# type, or its namesake in the namespace with this many type parameters; None where there is none."""
        if self.family(one.path) != "csharp" or arity_of(one.symbol) == arity:
            return one
        return next(
            (
                each
                for each in self.graph.by_name.get(one.symbol.name, ())
                if each.qualified == one.qualified
                and each.symbol.kind in _CSHARP_TYPES
                and arity_of(each.symbol) == arity
                and self.space(each.path) == self.space(one.path)
            ),
            None,
        )

    def _matched(self, path: str) -> list[tuple[int, Definition]]:
        file = self.graph.files.get(path)
        by_name: dict[str, list[Symbol]] = {}
        for symbol in file.symbols if file is not None else ():
            by_name.setdefault(symbol.name, []).append(symbol)
        found: list[tuple[int, Definition]] = []
        for number, scope in enumerate(self.scopes(path)):
            around = [
                one
                for one in by_name.get(scope.name, ())
                if (one.start <= scope.start and scope.end <= one.end)
                and (scope.kind == "class") == (one.kind not in FUNCTIONS)
            ]
            if not around and scope.kind == "class":
                # The `impl` of a type is separate from the type.
                around = [one for one in by_name.get(scope.name, ()) if not one.parent]
            if around:
                best = min(around, key=lambda one: one.end - one.start)
                found.append((number, Definition(path, best)))
        return found

    def binding_scope(self, path: str, start: int, name: str) -> CodeScope | None:
        """The innermost function or block around an offset that binds a name; None at file level."""
        return self._binding(path, self.scope_around(path, start), name)

    def _binding(self, path: str, at: int, name: str) -> CodeScope | None:
        scopes = self.scopes(path)
        while at > 0:
            if scopes[at].kind in ("function", "block") and name in scopes[at].bindings:
                return scopes[at]
            at = scopes[at].parent
        return None

    def declaring_scope(self, path: str, start: int, name: str) -> CodeScope | None:
        """The function or block in which a definition at an offset is named; None at file level."""
        at = self.scope_at(path, start)
        # A function's name belongs to the scope around it.
        before = self.scopes(path)[at].parent if at is not None else None
        return self._binding(
            path, self.scope_around(path, start) if before is None else before, name
        )

    def classes_around(self, path: str, start: int) -> list[str]:
        """The names of the classes around an offset, innermost first."""
        scopes, found = self.scopes(path), list[str]()
        at = self.scope_around(path, start)
        while at > 0:
            found += [scopes[at].name] if scopes[at].kind == "class" else []
            at = scopes[at].parent
        return found

    def scope_around(self, path: str, start: int) -> int:
        """The index of the innermost scope around an offset; 0 is the file."""
        fitting = [
            (one.end - one.start, number)
            for number, one in enumerate(self.scopes(path))
            if one.start <= start < one.end
        ]
        return min(fitting, default=(0, 0))[1]

    def around(self, path: str, start: int) -> Definition | None:
        """The innermost definition around an offset, a constant only without any other."""
        ordered = self._ordered.get(path)
        if ordered is None:
            file = self.graph.files.get(path)
            symbols = file.symbols if file is not None else ()
            ordered = sorted(symbols, key=lambda one: (one.start, -one.end))
            self._ordered[path] = ordered
        constant: Symbol | None = None
        for one in reversed(ordered[: bisect_right(ordered, start, key=lambda one: one.start)]):
            if start < one.end and one.kind not in CONSTANTS:
                return Definition(path, one)
            if start < one.end:
                constant = constant or one
        return Definition(path, constant) if constant is not None else None


def arity_of(symbol: Symbol) -> int:
    """The number of type parameters of a C# type."""
    _, _, after = symbol.signature.partition(symbol.name)
    listed = re.match(r"\s*<([^>]*)>", after)
    return listed[1].count(",") + 1 if listed else 0
