"""What an expression of one file means, followed into the others."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property

from contextd.code.calls.containers import Containers
from contextd.code.calls.facts import IMPLICIT, Expr
from contextd.code.calls.interpretation import (
    CIRCLE,
    NONE,
    NOT_KNOWN,
    OUTSIDE,
    Interpretation,
    Meant,
    joined,
)
from contextd.code.calls.layout import CONSTANTS, FUNCTIONS, CodeLayout
from contextd.code.calls.signatures import Signatures
from contextd.code.symbols.symbol_graph import Definition
from contextd.code.symbols.symbols import WHOLE, NameUse, definer
from contextd.domain.dataclass import dataclass

_DEEPEST = 24
_MOST_STEPS = 2_000
"""Expressions looked at for one: names that lead in circles through each other could take for ever."""
_FILLED = frozenset(("java", "ecmascript"))
"""Families whose type parameters are followed to what is given for them."""
Types = tuple[Interpretation, ...]
_VERSION = re.compile(r"v\d+")
_DECORATED = re.compile(r"^go-|[-.]go$|\.v\d+$")
_CLASS_SCOPES_SEEN = frozenset(("java",))
_ENTERING = ("__enter__", "__aenter__")


@dataclass
class Interpreter:
    """Follows names, attributes and calls through a project."""

    layout: CodeLayout
    _known: dict[tuple[str, int, Expr], Interpretation] = field(
        default_factory=dict[tuple[str, int, Expr], Interpretation]
    )
    _open: set[tuple[str, int, Expr]] = field(default_factory=set[tuple[str, int, Expr]])
    _circles: int = 0
    _steps: int = 0

    @cached_property
    def containers(self) -> Containers:
        """What is in containers."""
        return Containers(self.layout, self)

    @cached_property
    def signatures(self) -> Signatures:
        """How things are called."""
        return Signatures(self.layout, self)

    def evaluate(self, path: str, scope: int, expression: Expr, depth: int = 0) -> Interpretation:
        """What an expression in a scope may mean."""
        key = path, scope, expression
        known = self._known.get(key)
        if known is not None:
            return known
        if key in self._open:
            # `x = x.next()` says nothing of x that is not said where x comes from.
            self._circles += 1
            return CIRCLE
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            return NOT_KNOWN
        outermost = not self._open
        self._steps = 0 if outermost else self._steps + 1
        circles = self._circles
        self._open.add(key)
        try:
            found = self._evaluated(path, scope, expression, depth + 1)
        finally:
            self._open.discard(key)
        if outermost or circles == self._circles:
            self._known[key] = found
        return found

    def _evaluated(self, path: str, scope: int, expression: Expr, depth: int) -> Interpretation:
        match expression:
            case ("name", str(name)):
                return self._name(path, scope, name, depth)
            case ("attr", ("constructed", which), _):
                return self._constructed(path, scope, which, depth)
            case ("attr", ("counted", ("implicit",), int(count)), str(name)):
                return self._method_in_reach(path, scope, name, count, depth)
            case ("attr", ("counted", around, int(count)), str(name)):
                return self.attribute(
                    self.evaluate(path, scope, around, depth), name, depth, count
                )
            case ("attr", around, str(name)):
                dotted = self._dotted(path, expression)
                if dotted is not None:
                    return dotted
                return self.attribute(self.evaluate(path, scope, around, depth), name, depth)
            case ("call", inner):
                called = self._called(self.evaluate(path, scope, inner, depth), depth)
                return self._or_picked(called, path, scope, expression, depth)
            case ("new", inner) | ("typed", inner):
                return self._instances(self.evaluate(path, scope, inner, depth))
            case ("any", several):
                return joined(self.evaluate(path, scope, one, depth) for one in several)
            case ("class_of", inner):
                return self.evaluate(path, scope, inner, depth)
            case ("self",) | ("own_class",) | ("super",) | ("implicit",):
                which = "self" if expression == IMPLICIT else str(expression[0])
                return self._own(path, scope, which, depth)
            case ("nothing",):
                return NONE
            case _:
                return self._gotten(path, scope, expression, depth)

    def _gotten(self, path: str, scope: int, expression: Expr, depth: int) -> Interpretation:
        """What is got out of something, or found by where it stands."""
        match expression:
            case ("of", inner, *_):
                held = self._with_types(path, scope, expression, depth)
                if any(one.kind in ("class", "function") for one in held.meanings):
                    return held
                return self._or_picked(held, path, scope, expression, depth)
            case ("item", inner):
                return joined(self.containers.items(path, scope, inner, depth))
            case ("part", inner, int(number)):
                return self.containers.part(path, scope, inner, number, depth)
            case ("entered", inner):
                return self._entered(path, scope, inner, depth)
            case ("counted", inner, _):
                return self.evaluate(path, scope, inner, depth)
            case ("bounds", several):
                known = [self.evaluate(path, scope, one, depth) for one in several]
                return joined(one for one in known if one.meanings) if known else OUTSIDE
            case ("payload", type_, str(name)):
                return self._payload(path, scope, type_, name, depth)
            case ("handed", callee, int(position), int(number)):
                return self.signatures.handed(path, scope, callee, position, number, depth)
            case ("declared", type_, int(number)):
                return self.signatures.declared(path, scope, type_, number, depth)
            case ("signature", int(start)):
                at = self.layout.scope_at(path, start)
                meant = Meant("signature", path=path, at=at or -1)
                return Interpretation((meant,), whole=True) if at else NOT_KNOWN
            case ("field", around, str(name)):
                return self._field(path, scope, around, name, depth)
            case ("module", str(which)):
                return self._module(path, scope, which, depth)
            case ("fixture", str(name)):
                return self._named(self.layout.fixture(path, name), depth)
            case ("given", fixture):
                return self._given(path, scope, fixture, depth)
            case ("defined", int(start)):
                at = self.layout.scope_at(path, start)
                return self._named(self.layout.definition_of(path, at) if at else None, depth)
            case ("own_object",):
                one = self.layout.definition_of(path, scope)
                return Interpretation((Meant("instance", one),), whole=True) if one else NOT_KNOWN
            case _:
                return NOT_KNOWN

    def _with_types(
        self, path: str, scope: int, expression: Expr, depth: int
    ) -> Interpretation:
        """A class with what stands between its brackets."""
        held = self.evaluate(path, scope, expression[1], depth)
        classes = [one for one in held.meanings if one.kind == "class"]
        if len(classes) != 1 or self.layout.family(path) not in _FILLED:
            return held
        given = tuple(self.evaluate(path, scope, one, depth) for one in expression[2])
        return replace(held, meanings=(replace(classes[0], given=given),))

    def _filled(
        self, path: str, scope: int, expression: Expr, given: Types, depth: int
    ) -> Interpretation:
        """What an expression means where the type parameters of the class around it are given."""
        written = expression[1] if expression[0] == "typed" else expression
        if given and written[0] == "name":
            scopes = self.layout.scopes(path)
            at = scope
            while at > 0 and f"<{written[1]}>" not in scopes[at].bindings:
                at = scopes[at].parent
            named = [one for one in scopes[at].bindings if one.startswith("<") and at]
            if scopes[at].kind == "class" and f"<{written[1]}>" in named:
                number = named.index(f"<{written[1]}>")
                if number < len(given) and given[number].meanings:
                    is_value = expression[0] == "typed"
                    return self._instances(given[number]) if is_value else given[number]
        return self.evaluate(path, scope, expression, depth)

    def _ancestry(
        self, one: Definition, given: Types, depth: int
    ) -> Iterator[tuple[Definition, Types]]:
        """A class and what it is built on, nearest first, with the types each is given."""
        seen: set[Definition] = set()
        waiting = [(one, given)]
        while waiting:
            above, types = waiting.pop(0)
            if above in seen:
                continue
            seen.add(above)
            yield above, types
            for path, number in self.layout.scopes_of(above):
                scope = self.layout.scopes(path)[number]
                for base in scope.bases:
                    found = self.evaluate(path, max(0, scope.parent), base, depth + 1)
                    passed: Types = ()
                    if base[0] == "of" and self.layout.family(path) in _FILLED:
                        passed = tuple(
                            self._filled(path, number, each, types, depth + 1) for each in base[2]
                        )
                    waiting += [(m.one, passed) for m in found.meanings if m.one and m.kind == "class"]

    def _named(self, one: Definition | None, depth: int) -> Interpretation:
        return self._means(one, depth) if one is not None else NOT_KNOWN

    def _or_picked(
        self, found: Interpretation, path: str, scope: int, expression: Expr, depth: int
    ) -> Interpretation:
        """What was found, or else what is in the container that the expression takes it from."""
        if found.meanings:
            return found
        picked = self.containers.picked(path, scope, expression, depth)
        return picked if picked.meanings else found

    def _constructed(self, path: str, scope: int, which: Expr, depth: int) -> Interpretation:
        """The class whose constructor another constructor calls."""
        found = self._own(path, scope, "own_class", depth)
        if which == ("self",):
            return found
        bases = [base for m in found.meanings if m.one for base in self.bases(m.one, depth)]
        classes = [one for one in bases if any(_is_plain_class(m) for m in one.meanings)]
        return joined(classes) if classes else OUTSIDE

    def _payload(self, path: str, scope: int, type_: Expr, name: str, depth: int) -> Interpretation:
        """What a pattern takes out of a struct or of a variant."""
        if type_[0] == "attr":
            for meant in self.evaluate(path, scope, type_[1], depth).meanings:
                if meant.one is not None and meant.one.symbol.kind == "enum":
                    return self.member(meant.one, f"{type_[2]}.{name}", depth)
        return self.attribute(self.evaluate(path, scope, type_, depth), name, depth)

    def _field(
        self, path: str, scope: int, around: Expr, name: str, depth: int
    ) -> Interpretation:
        """A field, or what stands behind a dot where it is none."""
        holders = self.evaluate(path, scope, around, depth)
        for meant in holders.meanings if len(holders.meanings) == 1 else ():
            found = self._fields(meant.one, name, depth, meant.given) if meant.one else None
            if found is not None:
                return found
        return self.attribute(holders, name, depth)

    def _module(self, path: str, scope: int, which: str, depth: int) -> Interpretation:
        """What a path of Rust begins with, which is never a variable."""
        if which not in ("crate", "self", "super"):
            return self._name(path, scope, which, depth, with_values=False)
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

    def _own(self, path: str, scope: int, which: str, depth: int) -> Interpretation:
        at = self._class_around(path, scope)
        one = self._class_at(path, at, depth) if at is not None else None
        if at is not None and one is None and which == "self":
            # An anonymous class is known by what it is made of.
            bases = self.layout.scopes(path)[at].bases
            above = max(0, self.layout.scopes(path)[at].parent)
            return self._instances(joined(self.evaluate(path, above, b, depth) for b in bases))
        if one is None or at is None:
            return NOT_KNOWN
        if which == "super":
            return self._instances(joined(self.bases(one, depth)))
        return Interpretation((Meant("instance" if which == "self" else "class", one),), whole=True)

    def _class_at(self, path: str, at: int, depth: int) -> Definition | None:
        one = self.layout.definition_of(path, at)
        here = self.layout.scopes(path)[at]
        for type_, _ in here.bindings.get("<impl>", ()) if one is None else ():
            found = self.evaluate(path, max(0, here.parent), type_, depth).meanings
            if len(found) == 1 and found[0].kind == "class":
                return found[0].one
        return one

    def _class_around(self, path: str, scope: int) -> int | None:
        scopes = self.layout.scopes(path)
        while scope >= 0 and scopes[scope].kind != "class":
            scope = scopes[scope].parent
        return scope if scope >= 0 else None

    def _name(
        self, path: str, scope: int, name: str, depth: int, *, with_values: bool = True
    ) -> Interpretation:
        scopes = self.layout.scopes(path)
        family = self.layout.family(path)
        if name in ("Self",) and family in ("python", "rust"):
            return self._own(path, scope, "own_class", depth)
        at = scope
        while at > 0:
            here = scopes[at]
            if (given := here.bindings.get(f"<{name}>")) is not None:
                return self._bound(path, given, depth)
            seen = here.kind in ("function", "block") or family in _CLASS_SCOPES_SEEN
            # The body of a class runs in Python; elsewhere its members are no names.
            seen = seen or (at == scope and family == "python")
            one = self.layout.definition_of(path, at)
            if here.kind == "class" and one is not None and one.symbol.kind == "module":
                inner = self.layout.held(path, one.qualified).get(name)
                if inner is not None and inner.symbol.kind not in CONSTANTS:
                    return self._means(inner, depth)
            elif seen and here.kind == "class" and family in _CLASS_SCOPES_SEEN:
                found = self._in_class(path, at, one, name, depth)
                if found.meanings:
                    return found
            elif seen:
                inner = self.layout.held(path, one.qualified).get(name) if one else None
                if inner is not None and inner.symbol.kind not in CONSTANTS:
                    return self._means(inner, depth)
                if with_values and name in here.bindings:
                    found = self._bound(path, here.bindings[name], depth)
                    if not found.circle or family != "rust":
                        return found
            at = here.parent
        return self._global(path, name, depth)

    def _in_class(
        self, path: str, at: int, one: Definition | None, name: str, depth: int
    ) -> Interpretation:
        """What a name means inside of a class that lets its members be named alone."""
        if one is not None:
            found = self.member(one, name, depth)
            # A method is no name here, and neither is the constructor that bears the name of its class.
            is_value = any(meant.kind != "function" for meant in found.meanings)
            return found if is_value else NOT_KNOWN
        here = self.layout.scopes(path)[at]
        if name in here.bindings:
            return self._bound(path, here.bindings[name], depth)
        bases = [self.evaluate(path, max(0, here.parent), base, depth) for base in here.bases]
        found = [self.attribute(base, name, depth) for base in bases]
        return joined(one for one in found if one.meanings)

    def _method_in_reach(self, path: str, scope: int, name: str, count: int, depth: int) -> Interpretation:
        """A method of Java that is called by its name alone: of a class around, or imported."""
        scopes = self.layout.scopes(path)
        at = scope
        while at > 0:
            here = scopes[at]
            if here.kind == "class":
                one = self.layout.definition_of(path, at)
                around = [Interpretation((Meant("instance", one),), whole=True)] if one else [
                    self.evaluate(path, max(0, here.parent), base, depth) for base in here.bases
                ]
                found = [self.attribute(each, name, depth, count) for each in around]
                if some := [each for each in found if each.meanings]:
                    return joined(some)
            at = here.parent
        return self._global(path, name, depth)

    def _bound(self, path: str, bindings: Sequence[tuple[Expr, int]], depth: int) -> Interpretation:
        return joined(self.evaluate(path, scope, one, depth) for one, scope in bindings)

    def _global(self, path: str, name: str, depth: int) -> Interpretation:
        own = self.layout.held(path, "").get(name)
        imported = self.layout.bound(path, name)
        if own is not None and own.symbol.kind not in CONSTANTS:
            return self._means(own, depth)
        if imported:
            return joined(self._imported(use, depth) for use in imported)
        package = self._package(path, name)
        if package:
            return Interpretation(package, whole=True)
        if own is not None:
            return self._means(own, depth)
        if (child := self.layout.child_module(path, name)) is not None:
            return Interpretation((Meant("module", path=child),), whole=True)
        wild = [use for use in self.layout.bound(path, WHOLE) if use.symbol is None]
        for use in wild:
            found = self._in_module(use.path, name, depth)
            if found.meanings:
                return found
        bound = self.layout.scopes(path)[0].bindings.get(name) if self.layout.scopes(path) else None
        if bound is not None:
            return self._bound(path, bound, depth)
        return OUTSIDE if not wild else NOT_KNOWN

    def _package(self, path: str, name: str) -> tuple[Meant, ...]:
        """The files a package of Go is made of, called by its last part or by another name."""
        if self.layout.family(path) != "go":
            return ()
        targets = [
            one.target
            for one in self.layout.graph.files[path].imports
            if one.target and name in _package_names(one.specifier)
        ]
        folders = dict.fromkeys(posixpath.dirname(target) for target in targets)
        return tuple(
            Meant("module", path=other)
            for folder in folders
            for other in self.layout.folders.get(folder, ())
        )

    def _imported(self, use: NameUse, depth: int) -> Interpretation:
        if use.symbol is not None:
            return self._means(Definition(use.path, use.symbol), depth)
        if use.name != WHOLE:
            found = self._in_module(use.path, use.name, depth)
            if found.meanings:
                return found
        return Interpretation((Meant("module", path=use.path),), whole=True)

    def _means(self, one: Definition, depth: int) -> Interpretation:
        """What a definition means where it is named."""
        kind = one.symbol.kind
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

    def _in_module(self, path: str, name: str, depth: int) -> Interpretation:
        if path not in self.layout.graph.files:
            # A style sheet or a picture is imported too, and defines nothing.
            return OUTSIDE
        found = definer(self.layout.graph.files.get, path, name)
        if found is not None:
            return self._means(Definition(*found), depth)
        folder, file = posixpath.split(path)
        if file.startswith("__init__."):
            for inner in (f"{folder}/{name}.py", f"{folder}/{name}/__init__.py"):
                if inner.lstrip("/") in self.layout.graph.files:
                    return Interpretation((Meant("module", path=inner.lstrip("/")),), whole=True)
        child = self.layout.child_module(path, name)
        if child is not None:
            return Interpretation((Meant("module", path=child),), whole=True)
        for use in self.layout.bound(path, name):
            if use.symbol is not None and self.layout.family(path) == "rust":
                return self._means(Definition(use.path, use.symbol), depth)
            if use.symbol is None and use.name == WHOLE:
                return Interpretation((Meant("module", path=use.path),), whole=True)
        for exported, specifier, inner in self.layout.graph.files[path].exports:
            if exported == name and inner == WHOLE:
                for one in self.layout.graph.files[path].imports:
                    if one.specifier == specifier and one.target:
                        return Interpretation((Meant("module", path=one.target),), whole=True)
        return OUTSIDE

    def _dotted(self, path: str, expression: Expr) -> Interpretation | None:
        """The module behind `a.b` where `import a.b` made it known."""
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

    def attribute(
        self, around: Interpretation, name: str, depth: int = 0, count: int | None = None
    ) -> Interpretation:
        """What is reached behind a dot."""
        if around.circle:
            return around
        if not around.meanings:
            return OUTSIDE if around.outside or around.whole else NOT_KNOWN
        found: list[Interpretation] = []
        modules = [one for one in around.meanings if one.kind == "module"]
        for one in around.meanings:
            if one.kind == "module":
                found.append(self._in_module(one.path, name, depth))
            elif one.kind in ("class", "instance") and one.one is not None:
                found.append(self.member(one.one, name, depth, one.given, count))
            else:
                found.append(OUTSIDE)
        if len(modules) > 1:
            # The files of one package: what one of them lacks another one has.
            found = [one for one in found if one.meanings] or found
        union = joined(found)
        return (
            union
            if around.whole
            else Interpretation(union.meanings, whole=False, outside=union.outside)
        )

    def member(
        self,
        holder: Definition,
        name: str,
        depth: int = 0,
        given: Types = (),
        count: int | None = None,
    ) -> Interpretation:
        """A member of a class, its own or inherited; the value of a property. Of methods of one name
        it is the one that takes `count` arguments, where that is said and one does.
        """
        if count is not None:
            found = self._taking(holder, name, given, count, depth)
            if found is not None:
                return found
        for one, types in self._ancestry(holder, given, depth):
            own = self.layout.member(one, name)
            if own is not None and own.symbol.kind not in CONSTANTS:
                found = self._valued(own, depth)
                if types and any(meant.kind == "function" for meant in found.meanings):
                    meanings = tuple(replace(meant, given=types) for meant in found.meanings)
                    return replace(found, meanings=meanings)
                return found
            fields = [
                (path, bound)
                for path, number in self.layout.scopes_of(one)
                for bound in self.layout.scopes(path)[number].bindings.get(name, ())
            ]
            if fields:
                return joined(self._filled(p, scope, e, types, depth) for p, (e, scope) in fields)
        return OUTSIDE

    def _taking(
        self, holder: Definition, name: str, given: Types, count: int, depth: int
    ) -> Interpretation | None:
        for one, types in self._ancestry(holder, given, depth):
            for path, number in self.layout.methods(one, name):
                scope = self.layout.scopes(path)[number]
                taken = len(scope.parameters)
                if taken == count or (scope.is_variadic and count >= taken - 1):
                    method = self.layout.definition_of(path, number)
                    if method is not None:
                        meant = Meant("function", method, given=types)
                        return Interpretation((meant,), whole=True)
        return None

    def _fields(
        self, holder: Definition, name: str, depth: int, given: Types
    ) -> Interpretation | None:
        for one, types in self._ancestry(holder, given, depth):
            bound = [
                (path, one_bound)
                for path, number in self.layout.scopes_of(one)
                for one_bound in self.layout.scopes(path)[number].bindings.get(name, ())
            ]
            if bound:
                return joined(self._filled(p, at, e, types, depth) for p, (e, at) in bound)
        return None

    def lineage(self, one: Definition, depth: int = 0) -> Iterator[Definition]:
        """A class and what it is built on, nearest first."""
        for above, _ in self._ancestry(one, (), depth):
            yield above

    def _valued(self, own: Definition, depth: int) -> Interpretation:
        for path, number in self.layout.scopes_of(own):
            scope = self.layout.scopes(path)[number]
            if scope.is_property:
                return joined(self.evaluate(path, number, one, depth) for one in scope.returns)
        return self._means(own, depth)

    def bases(self, one: Definition, depth: int = 0) -> Iterator[Interpretation]:
        """What a class is built on, in its order."""
        for path, number in self.layout.scopes_of(one):
            scope = self.layout.scopes(path)[number]
            for base in scope.bases:
                yield self.evaluate(path, max(0, scope.parent), base, depth + 1)

    def _instances(self, found: Interpretation) -> Interpretation:
        kinds = ("class", "instance")
        some = [Meant("instance", m.one, given=m.given) for m in found.meanings if m.kind in kinds]
        return Interpretation(tuple(dict.fromkeys(some)), found.whole, found.outside, found.circle)

    def _called(self, found: Interpretation, depth: int) -> Interpretation:
        if found.circle:
            return found
        if not found.meanings:
            return OUTSIDE if found.outside else NOT_KNOWN
        given: list[Interpretation] = []
        for one in found.meanings:
            if one.kind == "class":
                given.append(Interpretation((Meant("instance", one.one, given=one.given),), whole=True))
            elif one.kind == "function" and one.one is not None:
                given.append(self._returned(one.one, depth, one.given))
            else:
                given.append(self._answered(one, depth))
        union = joined(given)
        return (
            union
            if found.whole
            else Interpretation(union.meanings, whole=False, outside=union.outside)
        )

    def _returned(
        self, function: Definition, depth: int, given: Types = ()
    ) -> Interpretation:
        places = self.layout.scopes_of(function)
        returns = [
            (path, number, one)
            for path, number in places
            for one in self.layout.scopes(path)[number].returns
        ]
        if not returns:
            return NOT_KNOWN
        return joined(self._filled(*place, given, depth) for place in returns)

    def _answered(self, meant: Meant, depth: int) -> Interpretation:
        """What a call gives of something that is known by its signature alone."""
        found = [
            self.evaluate(path, number, one, depth)
            for path, number in self.signatures.callable(meant)
            for one in self.layout.scopes(path)[number].returns
        ]
        return joined(dict.fromkeys(found)) if found else NOT_KNOWN

    def _given(self, path: str, scope: int, fixture: Expr, depth: int) -> Interpretation:
        """What a fixture returns or yields."""
        found = self.evaluate(path, scope, fixture, depth)
        functions = [one.one for one in found.meanings if one.one is not None]
        places = [place for one in functions for place in self.layout.scopes_of(one)]
        if any(self.layout.scopes(where)[number].is_generator for where, number in places):
            return joined(self.containers.items(path, scope, ("call", fixture), depth))
        return self._called(found, depth)

    def _entered(self, path: str, scope: int, inner: Expr, depth: int) -> Interpretation:
        """What `with … as x` binds."""
        found = self.evaluate(path, scope, inner, depth)
        given: list[Interpretation] = []
        for one in found.meanings:
            for name in _ENTERING if one.one is not None and one.kind == "instance" else ():
                method = self.member(one.one, name, depth) if one.one else NOT_KNOWN
                for meant in method.meanings:
                    if meant.kind == "function" and meant.one is not None:
                        given.append(self._returned(meant.one, depth))
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


def _package_names(specifier: str) -> set[str]:
    """What a package of Go may be called by: the last part of its path that is no version, bare or not."""
    parts = [one for one in specifier.split("/") if not _VERSION.fullmatch(one)] or [specifier]
    return {parts[-1], specifier.rsplit("/", 1)[-1], _DECORATED.sub("", parts[-1])}


def _is_plain_class(meant: Meant) -> bool:
    return meant.one is not None and meant.one.symbol.kind not in ("interface", "trait")
