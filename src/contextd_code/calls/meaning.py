"""Evaluate expressions across files."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import field, replace
from functools import cached_property

from contextd_code.calls.call_facts import IMPLICIT, PARENT, RECEIVER, SELF, SUPER, Expr
from contextd_code.calls.containers import Containers
from contextd_code.calls.extensions import Extensions
from contextd_code.calls.interpretation import (
    CIRCLE,
    NONE,
    NOT_KNOWN,
    OUTSIDE,
    Interpretation,
    Meant,
    instances,
    joined,
)
from contextd_code.calls.members import Members
from contextd_code.calls.names import ScopeNames
from contextd_code.calls.scope_layout import CodeLayout
from contextd_code.calls.signatures import Signatures
from contextd_code.calls.type_arguments import with_given
from contextd_code.symbols.symbol_graph import Definition
from contextd_common.dataclass import dataclass

_DEEPEST = 24
_MOST_STEPS = 2_000
"""The most expressions evaluated for one: circular names could take forever."""
_PER_EVALUATION = 180
"""Bytes of an evaluated expression: measured 8.2 MB for 46,791."""
_ENTERING = ("__enter__", "__aenter__")


class _UnderWay(threading.local):
    """Evaluations in progress, per thread: otherwise one thread would see another's evaluation as a cycle and
    cache it.
    """

    def __init__(self) -> None:
        self.keys: set[tuple[str, int, Expr]] = set()
        self.circles = 0
        self.steps = 0


@dataclass
class Interpreter:
    """Follows names, attributes and calls through a project."""

    layout: CodeLayout
    _known: dict[tuple[str, int, Expr], Interpretation] = field(
        default_factory=dict[tuple[str, int, Expr], Interpretation]
    )
    _under_way: _UnderWay = field(default_factory=_UnderWay)

    @property
    def weight(self) -> int:
        """Its estimated bytes now."""
        return _PER_EVALUATION * len(self._known)

    @cached_property
    def containers(self) -> Containers:
        """Resolves elements of containers."""
        return Containers(self.layout, self)

    @cached_property
    def signatures(self) -> Signatures:
        """Resolves callables."""
        return Signatures(self.layout, self)

    @cached_property
    def extensions(self) -> Extensions:
        """Resolves extension functions."""
        return Extensions(self.layout, self)

    @cached_property
    def members(self) -> Members:
        """Resolves members of classes."""
        return Members(self.layout, self)

    @cached_property
    def names(self) -> ScopeNames:
        """Resolves names."""
        return ScopeNames(self.layout, self)

    def member(self, holder: Definition, name: str, depth: int = 0) -> Interpretation:
        """A member of a class, its own or inherited; the value of a property."""
        return self.members.member(holder, name, depth)

    def lineage(self, one: Definition, depth: int = 0) -> Iterator[Definition]:
        """A class and its bases, nearest first."""
        return self.members.lineage(one, depth)

    def bases(self, one: Definition, depth: int = 0) -> Iterator[Interpretation]:
        """The bases of a class, in order."""
        return self.members.bases(one, depth)

    def own(self, path: str, scope: int, which: str, depth: int) -> Interpretation:
        """The class around a scope, its instance, or its bases."""
        return self.names.own(path, scope, which, depth)

    def constructed(self, path: str, scope: int, which: Expr, depth: int) -> Interpretation:
        """The class around a scope, or the one it extends."""
        return self.members.constructed(path, scope, which, depth)

    def means(self, one: Definition, depth: int) -> Interpretation:
        """The meaning of a definition where it is named."""
        return self.names.means(one, depth)

    def evaluate(self, path: str, scope: int, expression: Expr, depth: int = 0) -> Interpretation:
        """The possible meanings of an expression in a scope."""
        key = path, scope, expression
        known = self._known.get(key)
        if known is not None:
            return known
        now = self._under_way
        if key in now.keys:
            # `x = x.next()` adds nothing to the first value of x.
            now.circles += 1
            return CIRCLE
        outermost = not now.keys
        now.steps = 0 if outermost else now.steps + 1
        if depth > _DEEPEST or now.steps > _MOST_STEPS:
            # A result that was cut short here must not be cached for its parts.
            now.circles += 1
            return NOT_KNOWN
        circles = now.circles
        now.keys.add(key)
        try:
            found = self._evaluated(path, scope, expression, depth + 1)
        finally:
            now.keys.discard(key)
        if outermost or circles == now.circles:
            self._known[key] = found
        return found

    def _evaluated(self, path: str, scope: int, expression: Expr, depth: int) -> Interpretation:
        match expression:
            case ("name", str(name)):
                return self.names.name(path, scope, name, depth)
            case ("type", int(arity), str(name)):
                named = self.names.name(path, scope, name, depth, with_values=False)
                return self.names.of_arity(named, arity)
            case ("attr", around, str(name)):
                return self._behind(path, scope, around, name, depth)
            case ("call", inner):
                function = self.evaluate(path, scope, inner, depth)
                if inner[0] == "attr" and self.signatures.gives_receiver(function):
                    around = SELF if inner[1] in (PARENT, SUPER) else inner[1]
                    return instances(self.evaluate(path, scope, around, depth))
                called = self._called(function, depth)
                return self._or_picked(called, path, scope, expression, depth)
            case ("typed", ("class_of", inner)):
                # A value of `type[Cart]` or `typeof Cart` is the class itself.
                return self.evaluate(path, scope, inner, depth)
            case ("new", inner) | ("typed", inner):
                return instances(self.evaluate(path, scope, inner, depth))
            case ("any", several):
                return joined(self.evaluate(path, scope, one, depth) for one in several)
            case ("class_of", inner):
                return self.evaluate(path, scope, inner, depth)
            case (
                ("self",)
                | ("own_class",)
                | ("super",)
                | ("implicit",)
                | ("parent",)
                | ("receiver",)
            ):
                which = "self" if expression in (IMPLICIT, RECEIVER) else str(expression[0])
                return self.names.own(path, scope, which, depth)
            case ("nothing",):
                return NONE
            case _:
                return self._gotten(path, scope, expression, depth)

    def _behind(self, path: str, scope: int, around: Expr, name: str, depth: int) -> Interpretation:
        match around:
            case ("space", space):
                return self.names.in_space(path, scope, space, name, depth)
            case ("types", space):
                return self.names.type_in_space(path, scope, space, name)
            case ("constructed", which):
                return self.members.constructed(path, scope, which, depth)
            case ("counted", inner, int(count), int(given)):
                several = self._behind(path, scope, ("counted", inner, count), name, depth)
                may_be_type = _is_named_like_a_type(inner)
                return self.signatures.with_type_parameters(several, given, may_be_type)
            case ("counted", ("implicit",), int(count)):
                return self.names.method_in_reach(path, scope, name, count, depth)
            case ("counted", inner, int(count)):
                held = self.evaluate(path, scope, inner, depth)
                found = self.attribute(held, name, depth, count)
                if found.meanings:
                    return found
                extension = self.extensions.method(path, held, name, count, depth)
                # A type named like an external one may be external, and then has
                # no extensions.
                may_be_type = not held.meanings and _is_named_like_a_type(inner)
                return replace(extension, whole=False) if may_be_type else extension
            case _:
                dotted = self.names.dotted(path, ("attr", around, name))
                if dotted is not None:
                    return dotted
                held = self.evaluate(path, scope, around, depth)
                found = self.attribute(held, name, depth)
                is_c = self.layout.family(path) == "c" and not held.meanings
                return (
                    self._or_reached(found, path, scope, ("attr", around, name), depth)
                    if is_c
                    else found
                )

    def _gotten(self, path: str, scope: int, expression: Expr, depth: int) -> Interpretation:
        """The element of a container."""
        match expression:
            case ("of", inner, *_):
                held = self.members.with_types(path, scope, expression, depth)
                if any(one.kind in ("class", "function") for one in held.meanings):
                    return held
                return self._or_picked(held, path, scope, expression, depth)
            case ("scoped" | "pointee" | "walked", *_):
                return self._of_c(path, scope, expression, depth)
            case ("item", inner):
                if self.layout.family(path) == "c":
                    return self._of_c(path, scope, expression, depth)
                return joined(self._items(path, scope, inner, depth))
            case ("part", inner, int(number)):
                return self.containers.part(path, scope, inner, number, depth)
            case ("entered", inner):
                return self._entered(path, scope, inner, depth)
            case ("counted", inner, *_):
                return self.evaluate(path, scope, inner, depth)
            case ("bounds", several):
                known = [self.evaluate(path, scope, one, depth) for one in several]
                return joined(one for one in known if one.meanings) if known else OUTSIDE
            case ("payload", type_, str(name)):
                return self.members.payload(path, scope, type_, name, depth)
            case ("field", around, str(name)):
                return self.members.field(path, scope, around, name, depth)
            case _:
                return self._found(path, scope, expression, depth)

    def _items(self, path: str, scope: int, inner: Expr, depth: int) -> list[Interpretation]:
        found = self.containers.items(path, scope, inner, depth)
        if not found and self.layout.family(path) == "csharp":
            return self.members.elements(path, scope, inner, depth)
        return found

    def _of_c(self, path: str, scope: int, expression: Expr, depth: int) -> Interpretation:
        """Expressions of C and C++ only."""
        match expression:
            case ("scoped", before, str(name)):
                return self.names.c.scoped(path, scope, before, name, depth)
            case _:
                return self.names.c.reached(self.containers, path, scope, expression, depth)

    def _found(self, path: str, scope: int, expression: Expr, depth: int) -> Interpretation:
        """The type of a value, inferred from its position or from the parameter it is passed to."""
        match expression:
            case ("handed", callee, int(position), int(number)):
                return self.signatures.handed(path, scope, callee, position, number, depth)
            case ("declared", type_, int(number)):
                return self.signatures.declared(path, scope, type_, number, depth)
            case ("signature", int(start)):
                at = self.layout.scope_at(path, start)
                meant = Meant("signature", path=path, at=at or -1)
                return Interpretation((meant,), whole=True) if at else NOT_KNOWN
            case ("module", str(which)):
                return self.names.module(path, scope, which, depth)
            case ("fixture" | "given", _):
                return self._of_pytest(path, scope, expression, depth)
            case ("imported", str(name), int(line)):
                return self.names.imported_at(path, name, line, depth)
            case ("defined", int(start)):
                at = self.layout.scope_at(path, start)
                return self._named(self.layout.definition_of(path, at) if at else None, depth)
            case ("own_object",):
                one = self.layout.definition_of(path, scope)
                return Interpretation((Meant("instance", one),), whole=True) if one else NOT_KNOWN
            case ("object", parts):
                meant = Meant("object", path=path, at=scope, parts=parts)
                return Interpretation((meant,), whole=True)
            case ("guarded", callee):
                return self._guarded(path, scope, callee, depth)
            case ("known", Interpretation() as known):
                return known
            case _:
                return NOT_KNOWN

    def _named(self, one: Definition | None, depth: int) -> Interpretation:
        return self.names.means(one, depth) if one is not None else NOT_KNOWN

    def _or_picked(
        self, found: Interpretation, path: str, scope: int, expression: Expr, depth: int
    ) -> Interpretation:
        """The results, or else the elements of the container in the expression."""
        if found.meanings:
            return found
        if self.layout.family(path) == "c":
            return self._or_reached(found, path, scope, expression, depth)
        picked = self.containers.picked(path, scope, expression, depth)
        return picked if picked.meanings else found

    def _or_reached(
        self, found: Interpretation, path: str, scope: int, expression: Expr, depth: int
    ) -> Interpretation:
        """The results, or else what an expression of C++ takes out of a container."""
        known = self.containers.reached(path, scope, expression, depth)
        return known if known.meanings else found

    def attribute(
        self, around: Interpretation, name: str, depth: int = 0, count: int | None = None
    ) -> Interpretation:
        """The member after a dot."""
        if around.circle:
            return around
        if not around.meanings:
            return OUTSIDE if around.outside or around.whole else NOT_KNOWN
        found: list[Interpretation] = []
        modules = [one for one in around.meanings if one.kind == "module"]
        for one in around.meanings:
            if one.kind == "module":
                found.append(self.names.in_module(one.path, name, depth))
            elif one.kind == "object":
                part = dict(one.parts).get(name)
                found.append(self.evaluate(one.path, one.at, part, depth) if part else NOT_KNOWN)
            elif one.kind in ("class", "instance") and one.one is not None:
                found.append(self.members.member(one.one, name, depth, one.type_arguments, count))
            else:
                found.append(OUTSIDE)
        if len(modules) > 1:
            # The files of one package share their names.
            found = [one for one in found if one.meanings] or found
        union = joined(found)
        return (
            union
            if around.whole
            else Interpretation(union.meanings, whole=False, outside=union.outside)
        )

    def _called(self, found: Interpretation, depth: int) -> Interpretation:
        if found.circle:
            return found
        if not found.meanings:
            return OUTSIDE if found.outside else NOT_KNOWN
        given: list[Interpretation] = []
        for one in found.meanings:
            if one.kind == "class":
                given.append(
                    Interpretation(
                        (Meant("instance", one.one, type_arguments=one.type_arguments),), whole=True
                    )
                )
            elif one.kind == "function" and one.one is not None:
                given.append(self._returned(one, depth))
            else:
                given.append(self._answered(one, depth))
        union = joined(given)
        return (
            union
            if found.whole
            else Interpretation(union.meanings, whole=False, outside=union.outside)
        )

    def _returned(self, function: Meant, depth: int) -> Interpretation:
        one = function.one
        same = self.names.c.overloads(one) if one is not None and self._is_c(one) else [one]
        places = [at for each in same if each is not None for at in self.layout.scopes_of(each)]
        returns = [
            (path, number, with_given(one, function.parts))
            for path, number in places
            for one in self.layout.scopes(path)[number].returns
        ]
        if not returns:
            return NOT_KNOWN
        return joined(
            self.members.filled(*place, function.type_arguments, depth) for place in returns
        )

    def _is_c(self, one: Definition) -> bool:
        return self.layout.family(one.path) == "c"

    def _answered(self, meant: Meant, depth: int) -> Interpretation:
        """The result of calling a bare signature."""
        found = [
            self.evaluate(path, number, one, depth)
            for path, number in self.signatures.callable(meant)
            for one in self.layout.scopes(path)[number].returns
        ]
        return joined(dict.fromkeys(found)) if found else NOT_KNOWN

    def _guarded(self, path: str, scope: int, callee: Expr, depth: int) -> Interpretation:
        """The type that a type predicate gives its argument; unknown without a predicate."""
        found = [
            self.evaluate(where, number, ("typed", one[1]), depth)
            for meant in self.evaluate(path, scope, callee, depth).meanings
            for where, number in self.signatures.callable(meant)
            for one in self.layout.scopes(where)[number].returns
            if one[0] == "guard"
        ]
        return joined(dict.fromkeys(found)) if found else NOT_KNOWN

    def _of_pytest(self, path: str, scope: int, expression: Expr, depth: int) -> Interpretation:
        """A fixture by its name, or the value that it returns or yields."""
        kind, fixture = expression
        if kind == "fixture":
            return self._named(self.layout.fixture(path, fixture), depth)
        found = self.evaluate(path, scope, fixture, depth)
        functions = [one.one for one in found.meanings if one.one is not None]
        places = [place for one in functions for place in self.layout.scopes_of(one)]
        if any(self.layout.scopes(where)[number].is_generator for where, number in places):
            return joined(self.containers.items(path, scope, ("call", fixture), depth))
        return self._called(found, depth)

    def _entered(self, path: str, scope: int, inner: Expr, depth: int) -> Interpretation:
        """The value that `with … as x` binds."""
        found = self.evaluate(path, scope, inner, depth)
        given: list[Interpretation] = []
        for one in found.meanings:
            for name in _ENTERING if one.one is not None and one.kind == "instance" else ():
                method = self.members.member(one.one, name, depth) if one.one else NOT_KNOWN
                for meant in method.meanings:
                    if meant.kind == "function" and meant.one is not None:
                        given.append(self._returned(Meant("function", meant.one), depth))
        bound_value = joined(given) if given else NOT_KNOWN
        if bound_value.meanings:
            return bound_value
        if inner[0] == "call":
            items = self.containers.items(path, scope, inner, depth)
            if items:
                return joined(items)
        return (
            found
            if found.meanings and not found.outside
            else OUTSIDE
            if found.outside
            else NOT_KNOWN
        )


def _is_named_like_a_type(expression: Expr) -> bool:
    kind, last = expression[0], str(expression[-1])
    return kind in ("type", "of") or (kind in ("name", "attr") and last[:1].isupper())
