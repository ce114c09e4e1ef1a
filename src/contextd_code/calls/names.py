"""Resolve names in a scope, `self` and `super` included."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import field, replace

from contextd_code.calls.call_facts import NARROWED, SUPER, CodeScope, Expr
from contextd_code.calls.evaluator import Evaluator
from contextd_code.calls.interpretation import (
    NOT_KNOWN,
    OUTSIDE,
    Interpretation,
    Meant,
    instances,
    joined,
)
from contextd_code.calls.names_c import CNames
from contextd_code.calls.names_go import names_in_file
from contextd_code.calls.scope_layout import CONSTANTS, FUNCTIONS, CodeLayout
from contextd_code.symbols.reference_names import OPENED
from contextd_code.symbols.symbol_graph import Definition
from contextd_code.symbols.symbols import WHOLE, NameUse, definer
from contextd_common.dataclass import dataclass

_CLASS_SCOPES_SEEN = frozenset(("java", "csharp"))


@dataclass(frozen=True, slots=True)
class ScopeNames:
    """Resolves names in their file and through its imports."""

    layout: CodeLayout
    evaluator: Evaluator
    _given: dict[tuple[str, str], Definition | Interpretation] = field(
        default_factory=dict[tuple[str, str], "Definition | Interpretation"]
    )
    _packages: dict[tuple[str, str], tuple[Meant, ...]] = field(
        default_factory=dict[tuple[str, str], tuple[Meant, ...]]
    )

    @property
    def c(self) -> CNames:
        """The same for C and C++."""
        return CNames(self.layout, self.evaluator)

    def own(self, path: str, scope: int, which: str, depth: int) -> Interpretation:
        """The class around a scope, its instance, or its bases."""
        at = self._class_around(path, scope)
        one = self._class_at(path, at, depth) if at is not None else None
        if at is not None and one is None and which == "self":
            # An anonymous class is identified by its base.
            bases = self.layout.scopes(path)[at].bases
            above = max(0, self.layout.scopes(path)[at].parent)
            return instances(joined(self.evaluator.evaluate(path, above, b, depth) for b in bases))
        if one is None or at is None:
            return NOT_KNOWN
        if which == "super":
            return instances(joined(self.evaluator.bases(one, depth)))
        if which == "parent":
            return instances(self.evaluator.constructed(path, scope, SUPER, depth))
        return Interpretation((Meant("instance" if which == "self" else "class", one),), whole=True)

    def _class_at(self, path: str, at: int, depth: int) -> Definition | None:
        one = self.layout.definition_of(path, at)
        here = self.layout.scopes(path)[at]
        for type_, _ in here.bindings.get("<impl>", ()) if one is None else ():
            found = self.evaluator.evaluate(path, max(0, here.parent), type_, depth).meanings
            if len(found) == 1 and found[0].kind == "class":
                return found[0].one
        return one

    def _class_around(self, path: str, scope: int) -> int | None:
        scopes = self.layout.scopes(path)
        while scope >= 0 and scopes[scope].kind != "class":
            scope = scopes[scope].parent
        return scope if scope >= 0 else None

    def name(
        self, path: str, scope: int, name: str, depth: int, *, with_values: bool = True
    ) -> Interpretation:
        """The meaning of a name in a scope; without values, variables are ignored."""
        if self.layout.family(path) == "c":
            return self.c.name(path, scope, name, depth)
        return self._name(path, scope, name, depth, with_values=with_values)

    def _name(
        self, path: str, scope: int, name: str, depth: int, *, with_values: bool
    ) -> Interpretation:
        scopes = self.layout.scopes(path)
        family = self.layout.family(path)
        if name in ("Self",) and family in ("python", "rust"):
            return self.own(path, scope, "own_class", depth)
        at = scope
        while at > 0:
            here = scopes[at]
            if (bound := self._told(path, here, name, depth, with_values=with_values)) is not None:
                return bound
            seen = here.kind in ("function", "block") or family in _CLASS_SCOPES_SEEN
            # A class body runs in Python; in other languages its members are not
            # names in scope.
            seen = seen or (at == scope and family == "python")
            one = self.layout.definition_of(path, at)
            if here.kind == "class" and one is not None and one.symbol.kind == "module":
                inner = self.layout.held(path, one.qualified).get(name)
                if inner is not None and inner.symbol.kind not in CONSTANTS:
                    return self.means(inner, depth)
            elif seen and here.kind == "class" and family in _CLASS_SCOPES_SEEN:
                found = self._in_class(path, at, one, name, depth)
                if any(with_values or meant.kind == "class" for meant in found.meanings):
                    return found
            elif seen:
                inner = self.layout.held(path, one.qualified).get(name) if one else None
                if inner is not None and inner.symbol.kind not in CONSTANTS:
                    return self.means(inner, depth)
                if with_values and name in here.bindings:
                    found = self._bound(path, here.bindings[name], depth)
                    if not found.circle or family != "rust":
                        return found
            at = here.parent
        found = self._global(path, name, depth)
        return self.of_arity(found, 0) if family == "csharp" and with_values else found

    def _told(
        self, path: str, here: CodeScope, name: str, depth: int, *, with_values: bool
    ) -> Interpretation | None:
        """The type of a name from a type parameter, or from the condition around a block."""
        if (given := here.bindings.get(f"<{name}>")) is not None:
            return self._bound(path, given, depth)
        guard = here.bindings.get(f"{NARROWED}{name}") if with_values else None
        narrowed = self._bound(path, guard, depth) if guard else NOT_KNOWN
        return narrowed if narrowed.meanings else None

    def _in_class(
        self, path: str, at: int, one: Definition | None, name: str, depth: int
    ) -> Interpretation:
        """The meaning of a name inside a class whose members can be named without a receiver."""
        if one is not None:
            found = self.evaluator.member(one, name, depth)
            # A method is no name here, and neither is the constructor that bears the name of its class.
            is_value = any(meant.kind != "function" for meant in found.meanings)
            return found if is_value else NOT_KNOWN
        here = self.layout.scopes(path)[at]
        if name in here.bindings:
            return self._bound(path, here.bindings[name], depth)
        bases = [
            self.evaluator.evaluate(path, max(0, here.parent), base, depth) for base in here.bases
        ]
        behind = [self.evaluator.attribute(base, name, depth) for base in bases]
        return joined(one for one in behind if one.meanings)

    def method_in_reach(
        self, path: str, scope: int, name: str, count: int, depth: int
    ) -> Interpretation:
        """A Java method called without a receiver: of an enclosing class, or imported."""
        scopes = self.layout.scopes(path)
        at = scope
        while at > 0:
            here = scopes[at]
            one = self.layout.definition_of(path, at)
            if here.kind == "function" and one is not None:
                inner = self.layout.held(path, one.qualified).get(name)
                if inner is not None and inner.symbol.kind == "function":
                    return self.means(inner, depth)
            if here.kind == "class":
                around = (
                    [Interpretation((Meant("instance", one),), whole=True)]
                    if one
                    else [
                        self.evaluator.evaluate(path, max(0, here.parent), base, depth)
                        for base in here.bases
                    ]
                )
                found = [self.evaluator.attribute(each, name, depth, count) for each in around]
                if some := [each for each in found if each.meanings]:
                    return joined(some)
            at = here.parent
        visible = self._global(path, name, depth)
        if visible.meanings:
            return visible
        return self._static_method(path, name, count, depth) or visible

    def _static_method(self, path: str, name: str, count: int, depth: int) -> Interpretation | None:
        """A method imported with all static members of its class; None where an import binds the name."""
        if any(
            local == name for one in self.layout.graph.files[path].imports for _, local in one.names
        ):
            return None
        for use in self.layout.bound(path, WHOLE):
            if use.symbol is not None:
                around = self.means(Definition(use.path, use.symbol), depth)
                found = self.evaluator.attribute(around, name, depth, count)
                if found.meanings:
                    return found
        return None

    def of_arity(self, found: Interpretation, arity: int) -> Interpretation:
        """A type with this many type parameters: C# distinguishes types of one name by that."""
        meanings: list[Meant] = []
        whole = found.whole
        for meant in found.meanings:
            if meant.kind == "class" and meant.one is not None:
                one = self.layout.of_arity(meant.one, arity)
                # None with that many: another namespace has it, perhaps an
                # external one.
                whole &= one is not None
                meant = replace(meant, one=one or meant.one)
            meanings.append(meant)
        return replace(found, meanings=tuple(meanings), whole=whole)

    def _bound(self, path: str, bindings: Sequence[tuple[Expr, int]], depth: int) -> Interpretation:
        return joined(self.evaluator.evaluate(path, scope, one, depth) for one, scope in bindings)

    def _global(self, path: str, name: str, depth: int) -> Interpretation:
        own = self.layout.held(path, "").get(name)
        imported = self.layout.bound(path, name)
        if own is not None and own.symbol.kind not in CONSTANTS:
            return self.means(own, depth)
        if self.layout.family(path) == "csharp":
            # `[Route]` binds `Route` to the file of `RouteAttribute`, which defines no `Route`.
            imported = [use for use in imported if use.symbol is not None]
            imported = imported or self._attribute(path, name)
        # Before the file that an import leads to: a Go package is all files of its folder.
        if package := self._package(path, name):
            return Interpretation(package, whole=True)
        if imported:
            return joined(self._imported(use, depth) for use in imported)
        if (opened := self._opened(path, name)) is not None:
            return self.means(opened, depth)
        if seen := self._seen(path, name):
            return Interpretation(seen, whole=len(seen) == 1)
        if own is not None:
            return self.means(own, depth)
        if (child := self.layout.child_module(path, name)) is not None:
            return Interpretation((Meant("module", path=child),), whole=True)
        wild = [use for use in self.layout.bound(path, WHOLE) if use.symbol is None]
        for use in wild:
            found = self.in_module(use.path, name, depth)
            if found.meanings:
                return found
        bound = self.layout.scopes(path)[0].bindings.get(name) if self.layout.scopes(path) else None
        if bound is not None:
            return self._bound(path, bound, depth)
        return OUTSIDE if not wild else NOT_KNOWN

    def imported_at(self, path: str, name: str, line: int, depth: int) -> Interpretation:
        """The meaning of a name that an import on a line binds."""
        found = self.layout.bound_at(path, name, line)
        return joined(self._imported(use, depth) for use in found) if found else OUTSIDE

    def _package(self, path: str, name: str) -> tuple[Meant, ...]:
        """The files of a Go package, named by its last segment or by an alias."""
        if self.layout.family(path) != "go":
            return ()
        known = self._packages.get((path, name))
        if known is None:
            known = self._packages[path, name] = self._files_of_package(path, name)
        return known

    def _opened(self, path: str, name: str) -> Definition | None:
        """A definition of a Go package whose names a dot import makes visible."""
        if self.layout.family(path) != "go" or not name[:1].isupper():
            return None
        folders = [posixpath.dirname(use.path) for use in self.layout.bound(path, OPENED)]
        held = (
            self.layout.held(other, "").get(name)
            for folder in folders
            for other in self.layout.folders.get(folder, ())
        )
        return next((one for one in held if one is not None), None)

    def _files_of_package(self, path: str, name: str) -> tuple[Meant, ...]:
        targets = [
            one.target
            for one in self.layout.graph.files[path].imports
            if one.target and name in names_in_file(one)
        ]
        folders = dict.fromkeys(posixpath.dirname(target) for target in targets)
        return tuple(
            Meant("module", path=other)
            for folder in folders
            for other in self.layout.folders.get(folder, ())
        )

    def _attribute(self, path: str, name: str) -> list[NameUse]:
        """The attribute that a C# file imports by its short name."""
        short = name.removesuffix("Attribute")
        imported = self.layout.bound(path, short) if short != name else ()
        found = [definer(self.layout.graph.files.get, use.path, name) for use in imported]
        return [NameUse(name, name, *one) for one in found if one is not None]

    def _seen(self, path: str, name: str) -> tuple[Meant, ...]:
        """A type visible in a file without an import: in C# one that a member has the name of, in PHP one of
        the namespace that only a comment names.
        """
        family = self.layout.family(path)
        if family not in ("csharp", "php"):
            return ()
        imports = self.layout.graph.files[path].imports
        around = [self.layout.space(path)]
        if family == "php" and any(local == name for one in imports for _, local in one.names):
            return ()
        while family == "csharp" and around[-1]:
            around.append(around[-1].rpartition(".")[0])
        open_ = {*around, *(one.specifier for one in imports if family == "csharp")}
        found: dict[str, Meant] = {}
        for one in self.layout.graph.by_name.get(name, ()):
            is_type = not one.symbol.parent and one.symbol.kind not in CONSTANTS | FUNCTIONS
            is_type = is_type and self.layout.family(one.path) == family
            space = self.layout.space(one.path)
            # A copy of a public interface is no part of the partial type.
            if is_type and space in open_ and (space not in found or self.layout.parts(one)):
                found[space] = Meant("class", one)
        nearest = next((space for space in around if space in found), None)
        # A file may open a namespace inside its own, which then comes before the outer ones.
        is_own = nearest == around[0] or not any(space not in around for space in found)
        return (found[nearest],) if nearest is not None and is_own else tuple(found.values())

    def _imported(self, use: NameUse, depth: int) -> Interpretation:
        if use.symbol is not None:
            return self.means(Definition(use.path, use.symbol), depth)
        if use.name != WHOLE:
            found = self.in_module(use.path, use.name, depth)
            if found.meanings:
                return found
        return Interpretation((Meant("module", path=use.path),), whole=True)

    def means(self, one: Definition, depth: int) -> Interpretation:
        """The meaning of a definition where it is named."""
        kind = one.symbol.kind
        if self.layout.family(one.path) == "c":
            return self.c.means(one, depth)
        if kind in FUNCTIONS:
            return Interpretation((Meant("function", one),), whole=True)
        if kind == "type" and (scopes := self.layout.scopes(one.path)):
            stands_for = scopes[0].bindings.get(f"={one.symbol.name}")
            found = self._bound(one.path, stands_for, depth) if stands_for else NOT_KNOWN
            if found.meanings or found.outside:
                return found
        if kind not in CONSTANTS:
            return Interpretation((Meant("class", one),), whole=True)
        if self.layout.held(one.path, one.qualified):
            return Interpretation((Meant("instance", one),), whole=True)
        scopes = self.layout.scopes(one.path)
        bound = (
            scopes[0].bindings.get(one.symbol.name) if scopes and not one.symbol.parent else None
        )
        return self._bound(one.path, bound, depth) if bound else NOT_KNOWN

    def in_module(self, path: str, name: str, depth: int) -> Interpretation:
        """The export of a module under a name."""
        # A package of Go is all of its files, and each is queried for each called name.
        given = self._given.get((path, name))
        if given is None:
            given = self._given[path, name] = self._gives(path, name)
        return self.means(given, depth) if isinstance(given, Definition) else given

    def _gives(self, path: str, name: str) -> Definition | Interpretation:
        if path not in self.layout.graph.files:
            # Style sheets and images can be imported too, but define nothing.
            return OUTSIDE
        found = definer(self.layout.graph.files.get, path, name)
        if found is not None:
            return Definition(*found)
        folder, file = posixpath.split(path)
        if file.startswith("__init__."):
            for inner in (f"{folder}/{name}.py", f"{folder}/{name}/__init__.py"):
                if inner.lstrip("/") in self.layout.graph.files:
                    return Interpretation((Meant("module", path=inner.lstrip("/")),), whole=True)
        child = self.layout.child_module(path, name)
        if child is not None:
            return Interpretation((Meant("module", path=child),), whole=True)
        passed = self._passed_on(path, name)
        return passed if passed is not None else OUTSIDE

    def _passed_on(self, path: str, name: str) -> Definition | Interpretation | None:
        """The name that a module imports, or its whole export."""
        for use in self.layout.bound(path, name):
            if use.symbol is not None and self.layout.family(path) == "rust":
                return Definition(use.path, use.symbol)
            if use.symbol is None and use.name == WHOLE:
                return Interpretation((Meant("module", path=use.path),), whole=True)
        for exported, specifier, inner in self.layout.graph.files[path].exports:
            if exported == name and inner == WHOLE:
                for one in self.layout.graph.files[path].imports:
                    if one.specifier == specifier and one.target:
                        return Interpretation((Meant("module", path=one.target),), whole=True)
        return None

    def in_space(
        self, path: str, scope: int, space: str | None, name: str, depth: int
    ) -> Interpretation:
        r"""A PHP function by its namespace.

        A namespace that ends in `\` is resolved by the file. Without one, the bare name means an
        imported function, one of the file's own namespace, or a global one.
        """
        start = self._start(path, scope)
        if space and space.endswith("\\"):
            space = self.layout.full_name(path, start, space + name).rpartition("\\")[0]
        head = self.layout.scopes(path)[0].bindings if self.layout.scopes(path) else {}
        if space is None and (imported := head.get(f"{name}()")):
            return self._bound(path, imported, depth)
        spaces = [space] if space is not None else [self.layout.space(path, start), ""]
        for one in spaces:
            found = [
                each
                for each in self.layout.graph.by_name.get(name, ())
                if each.symbol.kind == "function"
                and not each.symbol.parent
                and self.layout.family(each.path) == "php"
                and self.layout.space(each.path, each.symbol.start) == one
            ]
            if found:
                return joined(self.means(each, depth) for each in found)
        return OUTSIDE

    def type_in_space(self, path: str, scope: int, space: str, name: str) -> Interpretation:
        r"""A class of PHP by a path that ends in `\`, as a file writes it."""
        full = self.layout.full_name(path, self._start(path, scope), space + name)
        found = [
            Meant("class", each)
            for each in self.layout.graph.by_name.get(name, ())
            if each.symbol.kind not in CONSTANTS | FUNCTIONS
            and self.layout.family(each.path) == "php"
            and full == f"{self.layout.space(each.path, each.symbol.start)}\\{name}".strip("\\")
        ]
        return Interpretation(tuple(found), whole=True) if found else OUTSIDE

    def _start(self, path: str, scope: int) -> int:
        return self.layout.scopes(path)[scope].start if scope > 0 else 0

    def dotted(self, path: str, expression: Expr) -> Interpretation | None:
        """The module behind `a.b` where `import a.b` imports it."""
        if self.layout.family(path) != "python":
            return None
        parts: list[str] = []
        while expression[0] == "attr":
            parts.insert(0, str(expression[2]))
            expression = expression[1]
        if expression[0] != "name":
            return None
        written = ".".join([str(expression[1]), *parts])
        for one in self.layout.graph.files[path].imports:
            if one.specifier == written and one.target and (WHOLE, "") in one.names:
                return Interpretation((Meant("module", path=one.target),), whole=True)
        return None

    def module(self, path: str, scope: int, which: str, depth: int) -> Interpretation:
        """The first segment of a Rust path, which is never a variable."""
        if which not in ("crate", "self", "super"):
            return self.name(path, scope, which, depth, with_values=False)
        scopes = self.layout.scopes(path)
        inline: list[Definition] = []
        while scope > 0:
            one = self.layout.definition_of(path, scope)
            if one is not None and one.symbol.kind == "module":
                inline.append(one)
            scope = scopes[scope].parent
        if which == "super":
            inside = inline[1:]
            path = path if inline else self.layout.declared_in(path)
        else:
            inside = inline if which == "self" else []
            path = self.layout.crate_of(path) if which == "crate" else path
        if inside:
            return Interpretation((Meant("class", inside[0]),), whole=True)
        return Interpretation((Meant("module", path=path),), whole=True) if path else NOT_KNOWN
