"""Members of classes, own and inherited, with type arguments applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from contextd_code.calls.call_facts import ELEMENT, CodeScope, Expr
from contextd_code.calls.evaluator import Evaluator
from contextd_code.calls.interpretation import (
    OUTSIDE,
    Interpretation,
    Meant,
    joined,
)
from contextd_code.calls.scope_layout import CONSTANTS, CodeLayout
from contextd_code.calls.type_arguments import Types, type_parameters, with_arguments
from contextd_code.symbols.symbol_graph import Definition
from contextd_common.dataclass import dataclass

_FILLED = frozenset(("java", "ecmascript", "csharp"))
"""Families whose type parameters are replaced by type arguments."""
_ENUMERABLE = frozenset(
    """IEnumerable ICollection IList IReadOnlyList IReadOnlyCollection List Collection ReadOnlyCollection
    IQueryable ISet HashSet Stack Queue ObservableCollection IAsyncEnumerable KeyedCollection""".split()
)
"""Types of .NET that yield their type argument."""
_COUNTING = frozenset(("csharp",))
"""Families with explicit overloads: a method is never called with another number of arguments."""


@dataclass(frozen=True, slots=True)
class Members:
    """Finds members, fields and bases of classes."""

    layout: CodeLayout
    evaluator: Evaluator

    def with_types(self, path: str, scope: int, expression: Expr, depth: int) -> Interpretation:
        """A class with its type arguments."""
        held = self.evaluator.evaluate(path, scope, expression[1], depth)
        if held.meanings and all(one.kind == "function" for one in held.meanings):
            return self._with_given(path, scope, held, expression[2], depth)
        classes = [one for one in held.meanings if one.kind == "class"]
        if len(classes) != 1 or self.layout.family(path) not in _FILLED:
            return held
        type_arguments = tuple(
            self.evaluator.evaluate(path, scope, one, depth) for one in expression[2]
        )
        return replace(held, meanings=(replace(classes[0], type_arguments=type_arguments),))

    def _with_given(
        self,
        path: str,
        scope: int,
        held: Interpretation,
        type_arguments: Sequence[Expr],
        depth: int,
    ) -> Interpretation:
        """Functions with the type arguments that a call gives them, by the names of their type parameters."""
        if self.layout.family(path) != "csharp":
            return held
        known = [self.evaluator.evaluate(path, scope, one, depth) for one in type_arguments]
        meanings: list[Meant] = []
        for meant in held.meanings:
            parts: dict[str, Expr] = {}
            for where, number in self.layout.scopes_of(meant.one) if meant.one else ():
                named = type_parameters(self.layout.scopes(where)[number])
                if len(named) == len(known):
                    parts.update(
                        (name, ("known", one))
                        for name, one in zip(named, known, strict=True)
                        if one.meanings
                    )
            meanings.append(replace(meant, parts=tuple(parts.items())))
        return replace(held, meanings=tuple(meanings))

    def elements(self, path: str, scope: int, inner: Expr, depth: int) -> list[Interpretation]:
        """What an indexer of the project's own classes returns, or what their enumeration yields."""
        held = self.evaluator.evaluate(path, scope, inner, depth)
        return [
            found
            for meant in held.meanings
            if meant.one is not None and meant.kind == "instance"
            for found in self._elements(meant.one, meant.type_arguments, depth)
        ]

    def _elements(
        self, holder: Definition, type_arguments: Types, depth: int
    ) -> list[Interpretation]:
        for one, types in self._ancestry(holder, type_arguments, depth):
            for path, number in self.layout.scopes_of(one):
                here = self.layout.scopes(path)[number]
                bound = [(one, at) for one, at in here.bindings.get(ELEMENT, ())]
                bound += [
                    (("typed", base[2][0]), number)
                    for base in here.bases
                    if base[0] == "of" and base[1][-1] in _ENUMERABLE and len(base[2]) == 1
                ]
                if bound:
                    return [
                        self.filled(path, at, written, types, depth + 1) for written, at in bound
                    ]
        return []

    def filled(
        self, path: str, scope: int, expression: Expr, type_arguments: Types, depth: int
    ) -> Interpretation:
        """The meaning of an expression with the type arguments of the enclosing class applied."""
        if type_arguments:
            expression = with_arguments(self.layout, path, scope, expression, type_arguments)
        return self.evaluator.evaluate(path, scope, expression, depth)

    def _ancestry(
        self, one: Definition, type_arguments: Types, depth: int
    ) -> Iterator[tuple[Definition, Types]]:
        """A class and its bases, nearest first, each with its type arguments."""
        seen: set[Definition] = set()
        waiting = [(one, type_arguments)]
        while waiting:
            above, types = waiting.pop(0)
            if above in seen:
                continue
            seen.add(above)
            yield above, types
            for path, number in self.layout.scopes_of(above):
                scope = self.layout.scopes(path)[number]
                for base in scope.bases:
                    found = self.evaluator.evaluate(path, max(0, scope.parent), base, depth + 1)
                    passed: Types = ()
                    if base[0] == "of" and self.layout.family(path) in _FILLED:
                        passed = tuple(
                            self.filled(path, number, each, types, depth + 1) for each in base[2]
                        )
                    waiting += [
                        (m.one, passed) for m in found.meanings if m.one and m.kind == "class"
                    ]

    def member(
        self,
        holder: Definition,
        name: str,
        depth: int = 0,
        type_arguments: Types = (),
        count: int | None = None,
    ) -> Interpretation:
        """A member of a class, its own or inherited; the value of a property. Of overloaded methods it is one
        that takes `count` arguments, if given and possible.
        """
        if count is not None:
            found = self._taking(holder, name, type_arguments, count, depth)
            if found is not None:
                return found
        for one, types in self._ancestry(holder, type_arguments, depth):
            own = self.layout.member(one, name)
            if own is not None and own.symbol.kind not in CONSTANTS:
                found = self._valued(own, depth)
                if count is not None and self.layout.family(one.path) in _COUNTING:
                    # What takes another number is another method, of a class outside perhaps.
                    return replace(found, whole=False)
                if types and any(meant.kind == "function" for meant in found.meanings):
                    meanings = tuple(
                        replace(meant, type_arguments=types) for meant in found.meanings
                    )
                    return replace(found, meanings=meanings)
                return found
            fields = [
                (path, bound)
                for path, number in self.layout.scopes_of(one)
                for bound in self.layout.scopes(path)[number].bindings.get(name, ())
            ]
            if fields:
                return joined(self.filled(p, scope, e, types, depth) for p, (e, scope) in fields)
        return OUTSIDE

    def _taking(
        self, holder: Definition, name: str, type_arguments: Types, count: int, depth: int
    ) -> Interpretation | None:
        found: dict[tuple[str, str], Meant] = {}
        for one, types in self._ancestry(holder, type_arguments, depth):
            for path, number in self.layout.methods(one, name):
                scope = self.layout.scopes(path)[number]
                # An extension may be called as the static method that it is.
                given = count - ("<this>" in scope.bindings)
                if takes(scope, given):
                    method = self.layout.definition_of(path, number)
                    if method is not None:
                        meant = Meant("function", method, type_arguments=types)
                        found.setdefault((method.path, method.qualified), meant)
            if found:
                return Interpretation(tuple(found.values()), whole=len(found) == 1)
        return None

    def _fields(
        self, holder: Definition, name: str, depth: int, type_arguments: Types
    ) -> Interpretation | None:
        for one, types in self._ancestry(holder, type_arguments, depth):
            bound = [
                (path, one_bound)
                for path, number in self.layout.scopes_of(one)
                for one_bound in self.layout.scopes(path)[number].bindings.get(name, ())
            ]
            if bound:
                return joined(self.filled(p, at, e, types, depth) for p, (e, at) in bound)
        return None

    def lineage(self, one: Definition, depth: int = 0) -> Iterator[Definition]:
        """A class and its bases, nearest first."""
        for above, _ in self._ancestry(one, (), depth):
            yield above

    def _valued(self, own: Definition, depth: int) -> Interpretation:
        for path, number in self.layout.scopes_of(own):
            scope = self.layout.scopes(path)[number]
            if scope.is_property:
                return joined(
                    self.evaluator.evaluate(path, number, one, depth) for one in scope.returns
                )
        return self.evaluator.means(own, depth)

    def bases(self, one: Definition, depth: int = 0) -> Iterator[Interpretation]:
        """The bases of a class, in order."""
        for path, number in self.layout.scopes_of(one):
            scope = self.layout.scopes(path)[number]
            for base in scope.bases:
                yield self.evaluator.evaluate(path, max(0, scope.parent), base, depth + 1)

    def constructed(self, path: str, scope: int, which: Expr, depth: int) -> Interpretation:
        """The class whose constructor another constructor calls."""
        found = self.evaluator.own(path, scope, "own_class", depth)
        if which == ("self",):
            return found
        bases = [base for m in found.meanings if m.one for base in self.bases(m.one, depth)]
        classes = [one for one in bases if any(_is_plain_class(m) for m in one.meanings)]
        return joined(classes) if classes else OUTSIDE

    def payload(self, path: str, scope: int, type_: Expr, name: str, depth: int) -> Interpretation:
        """The value that a pattern extracts from a struct or a variant."""
        if type_[0] == "attr":
            for meant in self.evaluator.evaluate(path, scope, type_[1], depth).meanings:
                if meant.one is not None and meant.one.symbol.kind == "enum":
                    return self.member(meant.one, f"{type_[2]}.{name}", depth)
        return self.evaluator.attribute(
            self.evaluator.evaluate(path, scope, type_, depth), name, depth
        )

    def field(self, path: str, scope: int, around: Expr, name: str, depth: int) -> Interpretation:
        """A field, or the expression after a dot when it is not a field."""
        holders = self.evaluator.evaluate(path, scope, around, depth)
        for meant in holders.meanings if len(holders.meanings) == 1 else ():
            found = (
                self._fields(meant.one, name, depth, meant.type_arguments) if meant.one else None
            )
            if found is not None:
                return found
        return self.evaluator.attribute(holders, name, depth)


def takes(scope: CodeScope, count: int) -> bool:
    """Whether a function accepts this many arguments."""
    taken = len(scope.parameters)
    if scope.is_variadic and count >= taken - 1 - scope.optional:
        return True
    return taken - scope.optional <= count <= taken


def _is_plain_class(meant: Meant) -> bool:
    return meant.one is not None and meant.one.symbol.kind not in ("interface", "trait")
