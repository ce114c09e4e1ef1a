"""Resolve C and C++ names in blocks, classes and namespaces, and through includes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextd_code.calls.call_facts import Expr
from contextd_code.calls.containers import Containers
from contextd_code.calls.evaluator import Evaluator
from contextd_code.calls.extract_c import ALIASED, ELSEWHERE, HERE, NAMESPACE, USING
from contextd_code.calls.interpretation import (
    NOT_KNOWN,
    OUTSIDE,
    Interpretation,
    Meant,
    joined,
)
from contextd_code.calls.linkage import MACRO
from contextd_code.calls.scope_layout import CONSTANTS, FUNCTIONS, CodeLayout
from contextd_code.symbols.symbol_graph import Definition
from contextd_common.dataclass import dataclass

_SEVERAL_WORDS = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]")
_CONDITIONAL = frozenset(("function", MACRO))


@dataclass(frozen=True, slots=True)
class CNames:
    """Resolves names in files of C and C++."""

    layout: CodeLayout
    evaluator: Evaluator

    def name(self, path: str, scope: int, name: str, depth: int) -> Interpretation:
        """The meaning of a name in a scope."""
        scopes = self.layout.scopes(path)
        at = scope
        while at >= 0:
            here = scopes[at]
            if f"<{name}>" in here.bindings:
                return NOT_KNOWN
            if here.kind == "class":
                for one in self._classes(path, at, depth):
                    for above in self.evaluator.lineage(one, depth):
                        if name == above.symbol.name:
                            return Interpretation((Meant("class", above),), whole=True)
                    found = self.evaluator.member(one, name, depth)
                    if found != OUTSIDE:
                        return found
            elif name in here.bindings:
                bound = here.bindings[name]
                return joined(self.evaluator.evaluate(path, n, one, depth) for one, n in bound)
            at = here.parent
        return self._found(path, list(self._prefixes(path, scope, depth)), name, depth)

    def _classes(self, path: str, at: int, depth: int) -> Iterator[Definition]:
        for meant in self.evaluator.own(path, at, "own_class", depth).meanings:
            if meant.one is not None and meant.one.symbol.kind != "module":
                yield meant.one

    def _prefixes(self, path: str, scope: int, depth: int) -> Iterator[str]:
        """The namespaces to search, innermost first, then the used ones."""
        scopes = self.layout.scopes(path)
        inside: list[str] = []
        used: list[str] = []
        classes: list[str] = []
        at = scope
        while at >= 0:
            here = scopes[at]
            if NAMESPACE in here.bindings and here.name:
                inside.insert(0, here.name)
            used += [_dotted(one) for one, _ in here.bindings.get(USING, ())]
            if here.kind == "class":
                classes += [one.symbol.parent for one in self._classes(path, at, depth)]
                classes += [_dotted(one) for one, _ in here.bindings.get("<impl>", ())]
            at = here.parent
        chain = list(_outward(".".join(inside)))
        for parent in classes:
            known = [one for one in _outward(parent) if one and one not in chain]
            yield from known
            yield from (f"{one}.{parent}" for one in chain if one and parent)
        yield from chain
        yield from (f"{one}.{name}".strip(".") for name in used for one in chain)

    def _found(self, path: str, prefixes: list[str], name: str, depth: int) -> Interpretation:
        linkage = self.layout.linkage
        named = linkage.named(name)
        macros = [one for _, one in named if one.symbol.kind == MACRO]
        elsewhere = NOT_KNOWN
        for prefix in dict.fromkeys(prefixes):
            hits = [
                one
                for home, one in named
                if home == prefix and one.symbol.kind not in (MACRO, "module")
            ]
            choice = linkage.chosen(path, [*hits, *macros]) if hits else None
            if choice is not None and choice.several:
                found = self._meaning(choice.several, depth, whole=choice.whole)
                if choice.seen:
                    return found
                elsewhere = elsewhere if elsewhere.meanings else found
        if macros and (choice := linkage.chosen(path, macros)).several:
            return self._meaning(choice.several, depth, whole=choice.whole)
        if elsewhere.meanings:
            return elsewhere
        return self._by_argument(path, prefixes, name, depth) if named else OUTSIDE

    def _by_argument(self, path: str, prefixes: list[str], name: str, depth: int) -> Interpretation:
        """A function of any namespace, found through its arguments. The only visible one of several words is
        certain: the library has few such names.
        """
        seen = self.layout.linkage.included(path)
        functions = [
            one
            for home, one in self.layout.linkage.named(name)
            if home and one.symbol.kind == "function" and one.path in seen
        ]
        choice = self.layout.linkage.chosen(path, functions)
        is_alone = choice.whole and _SEVERAL_WORDS.search(name) is not None
        return self._meaning(choice.several[:3], depth, whole=is_alone and prefixes[:1] == [""])

    def _meaning(
        self, several: tuple[Definition, ...], depth: int, *, whole: bool
    ) -> Interpretation:
        found = joined(self.means(one, depth) for one in several) if several else NOT_KNOWN
        whole = whole and not self._is_elsewhere(several[0])
        return found if whole else Interpretation(found.meanings, outside=found.outside)

    def _is_elsewhere(self, one: Definition) -> bool:
        """Whether a file defines a name for another platform only: the library may have it here."""
        scopes = self.layout.scopes(one.path) if one.symbol.kind in _CONDITIONAL else ()
        known = scopes[0].bindings if scopes else {}
        return f"{ELSEWHERE}{one.symbol.name}" in known and f"{HERE}{one.symbol.name}" not in known

    def means(self, one: Definition, depth: int) -> Interpretation:
        """The meaning of a definition where it is named; a declaration means its definition."""
        kind = one.symbol.kind
        if kind in FUNCTIONS or kind == MACRO:
            several = {
                (each.path, each.qualified): each
                for overload in self.overloads(one)
                for each in self.layout.linkage.definitions(overload)
            }
            # Overloads are several, but no others are possible.
            return Interpretation(
                tuple(Meant("function", each) for each in several.values()), whole=True
            )
        if kind == "type":
            found = self._bound_at(one, f"={one.symbol.name}", depth)
            if found.meanings or found.outside:
                return found
        if kind not in CONSTANTS:
            return Interpretation((Meant("class", one),), whole=True)
        return self._bound_at(one, one.symbol.name, depth)

    def overloads(self, one: Definition) -> list[Definition]:
        """The overloads of a method in its class."""
        if one.symbol.kind != "method":
            return [one]
        named = self.layout.linkage.named(one.symbol.name)
        same = [each for _, each in named if each.path == one.path]
        return [each for each in same if each.qualified == one.qualified]

    def _bound_at(self, one: Definition, name: str, depth: int) -> Interpretation:
        """The binding of a name in the scope around a definition."""
        scopes = self.layout.scopes(one.path)
        around = [
            scope.bindings[name]
            for scope in scopes
            if scope.start <= one.symbol.start < scope.end and name in scope.bindings
        ]
        bound = around[-1] if around else ()
        known = [self.evaluator.evaluate(one.path, n, each, depth) for each, n in bound]
        return joined(known) if known else NOT_KNOWN

    def scoped(
        self, path: str, scope: int, before: tuple[str, ...], name: str, depth: int
    ) -> Interpretation:
        """The meaning of `a::b`: a member of a class, or of a namespace."""
        if not before:
            return self._found(path, [""], name, depth)
        before = unaliased(self.layout, path, scope, before)
        outer: Expr = ("scoped", before[:-1], before[-1]) if before[1:] else ("name", before[-1])
        for meant in self.evaluator.evaluate(path, scope, outer, depth).meanings:
            if meant.kind == "class" and meant.one is not None:
                if name == meant.one.symbol.name:
                    return Interpretation((meant,), whole=True)
                return self.evaluator.member(meant.one, name, depth)
        within = ".".join(before)
        prefixes = [f"{one}.{within}".strip(".") for one in self._prefixes(path, scope, depth)]
        if before[0] in self.layout.linkage.opened_by_macros:
            prefixes.append(".".join(before[1:]))
        homes = {home for home, _ in self.layout.linkage.named(name)}
        prefixes = [one for one in prefixes if one in homes]
        return self._found(path, prefixes, name, depth) if prefixes else OUTSIDE

    def reached(
        self, containers: Containers, path: str, scope: int, expression: Expr, depth: int
    ) -> Interpretation:
        """What a pointer points to, the element in brackets, or the one of an iteration."""
        kind, inner = expression
        found = self.evaluator.evaluate(path, scope, inner, depth)
        if kind == "pointee":
            return found if found.meanings else containers.reached(path, scope, expression, depth)
        known = containers.reached(path, scope, expression, depth)
        if known.meanings:
            return known
        for meant in found.meanings:
            one = meant.one if meant.kind == "instance" else None
            if one is not None and self.evaluator.member(one, "operator[]", depth).meanings:
                called: Expr = ("call", ("attr", inner, "operator[]"))
                return self.evaluator.evaluate(path, scope, called, depth)
        return found


def unaliased(
    layout: CodeLayout, path: str, scope: int, before: tuple[str, ...]
) -> tuple[str, ...]:
    """Qualifiers with the namespace for which the first one stands in a file: `namespace b = a::b;`."""
    scopes = layout.scopes(path)
    while before and 0 <= scope < len(scopes):
        for found, _ in scopes[scope].bindings.get(f"{ALIASED}{before[0]}", ()):
            return (*found[1], found[2], *before[1:])
        scope = scopes[scope].parent
    return before


def _dotted(found: Expr) -> str:
    return ".".join((*found[1], found[2])) if found[0] == "scoped" else str(found[-1])


def _outward(name: str) -> Iterator[str]:
    """A namespace and its parents, the global one last."""
    while name:
        yield name
        name = name.rpartition(".")[0]
    yield ""
