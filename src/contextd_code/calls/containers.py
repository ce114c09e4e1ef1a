"""Types of elements in lists, mappings and tuples."""

from __future__ import annotations

from collections.abc import Iterator

from contextd_code.calls.call_facts import SELF, UNKNOWN, Expr
from contextd_code.calls.containers_c import Place, alias_places, container_of, reached, steps
from contextd_code.calls.evaluator import Evaluator
from contextd_code.calls.interpretation import NOT_KNOWN, Interpretation, joined
from contextd_code.calls.scope_layout import FUNCTIONS, CodeLayout
from contextd_code.calls.type_arguments import with_arguments, with_given
from contextd_common.dataclass import dataclass

_DEEPEST = 24
_FIRST_WALKED = frozenset(("Generator", "AsyncGenerator", "Iterator", "Result"))
"""Types with several arguments, of which iteration yields the first."""
_MAPPINGS = frozenset(
    """dict Dict Mapping MutableMapping defaultdict OrderedDict Map WeakMap Record ReadonlyMap HashMap
    BTreeMap LinkedHashMap TreeMap ConcurrentMap ConcurrentHashMap""".split()
)
_ENTRIES = frozenset(("Map", "ReadonlyMap"))
"""Mappings whose iteration yields pairs, in the languages that iterate over them."""
_APART = frozenset(("java", "rust"))
"""Families in which a field and a method may have the same name."""
_TUPLES = frozenset(("tuple", "Tuple"))
_PICKING = frozenset(
    """get pop popleft setdefault at shift getOrDefault unwrap expect unwrap_or unwrap_or_else
    unwrap_or_default borrow borrow_mut orElse orElseThrow orElseGet getFirst getLast next poll
    peek remove element into_inner find findFirst findLast lock""".split()
)
"""Methods that return one element of a container."""
_KEEPING = frozenset(
    """copy iter iter_mut into_iter as_ref as_mut as_deref as_deref_mut clone cloned copied filter rev
    skip take peekable stream sorted limit distinct toList collect to_vec as_slice get get_mut next
    first last first_mut last_mut lock write read borrow borrow_mut pop nth find findFirst findAny
    reverse slice sort concat toSorted parallelStream iterator listIterator reversed subList
    ok ok_or ok_or_else or or_else map_err context with_context chain by_ref split_first""".split()
)
"""Methods that return a container, an option or an iterator with the same elements."""

_KEPT_MAPPINGS = frozenset(("copy", "clone", "lock", "borrow", "borrow_mut", "write", "read"))
_VIEWS = frozenset(("values", "items", "enumerate", "entries", "into_values", "values_mut"))


@dataclass(frozen=True, slots=True)
class Containers:
    """Resolves the element types of containers."""

    layout: CodeLayout
    evaluator: Evaluator

    def items(self, path: str, scope: int, inner: Expr, depth: int) -> list[Interpretation]:
        """The type of the elements in an iteration."""
        places = self._types(path, scope, inner, depth)
        if not places and self.layout.family(path) == "rust":
            places = self._stepped(path, scope, inner, depth)
        return [self._typed(place, _walked(place[2]), depth) for place in places]

    def reached(self, path: str, scope: int, expression: Expr, depth: int) -> Interpretation:
        """The value that an expression of C++ takes out of a container, a pair, an iterator or a smart pointer."""
        places = self._of_c(path, scope, expression, depth)
        found = [self.evaluator.evaluate(*place, depth) for place in places]
        return joined(found) if found else NOT_KNOWN

    def _of_c(self, path: str, scope: int, expression: Expr, depth: int) -> list[Place]:
        """What an expression of C++ takes out of a container, or what the name of a type stands for."""
        if expression[0] == "typed" and expression[1][0] in ("name", "scoped"):
            container = container_of(expression[1])
            if container == UNKNOWN:
                return alias_places(self.layout, path, scope, expression[1])
            return [(path, scope, ("call", ("attr", ("typed", container), "begin")))]
        step = steps(expression)
        held = self._types(path, scope, step[0], depth + 1) if step is not None else []
        places = [(where, at, reached(one, step[1])) for where, at, one in held if step]
        return [(where, at, ("typed", one)) for where, at, one in places if one != UNKNOWN]

    def _stepped(self, path: str, scope: int, inner: Expr, depth: int) -> list[Place]:
        """The type declared by `next` of one of the project's iterators."""
        if inner[0] == "call" and inner[1][0] == "attr" and inner[1][2] == "iter":
            own = self._returned(path, scope, inner[1], depth)
            inner = inner if own else inner[1][1]
        return [
            found
            for meant in self.evaluator.evaluate(path, scope, inner, depth).meanings
            if meant.kind == "instance" and meant.one is not None
            for step in [self.layout.member(meant.one, "next")]
            if step is not None
            for where, at in self.layout.scopes_of(step)
            for one in self.layout.scopes(where)[at].returns
            for found in self._types(where, at, one, depth + 1)
        ]

    def picked(self, path: str, scope: int, expression: Expr, depth: int) -> Interpretation:
        """The type of `xs[0]`, `xs.get(key)` and the like."""
        match expression:
            case ("of", inner, _):
                held = inner
            case ("call", ("attr", inner, str(name))) if name in _PICKING:
                held = inner
            case _:
                return NOT_KNOWN
        places = self._types(path, scope, held, depth)
        return joined(self._typed(place, _subscripted(place[2]), depth) for place in places)

    def part(self, path: str, scope: int, inner: Expr, number: int, depth: int) -> Interpretation:
        """One of several values that an expression yields together."""
        places = [
            (where, at, one)
            for where, at, one in self._together(path, scope, inner, depth)
            if number < len(one)
        ]
        if places:
            return joined(
                self.evaluator.evaluate(where, at, one[number], depth) for where, at, one in places
            )
        if self.layout.family(path) == "ecmascript":
            held = self._types(path, scope, inner, depth)
            return joined(
                self._typed(place, _walked(place[2]), depth)
                for place in held
                if _last(place[2][1]) not in _TUPLES
            )
        # `v, ok := xs[k]`: the second value has no type of the project.
        if number == 0 and self.layout.family(path) == "go":
            return self.evaluator.evaluate(path, scope, inner, depth)
        return NOT_KNOWN

    def _together(
        self, path: str, scope: int, inner: Expr, depth: int
    ) -> Iterator[tuple[str, int, tuple[Expr, ...]]]:
        match inner:
            case ("several", values):
                yield path, scope, values
            case ("item", container):
                for where, at, one in self._types(path, scope, container, depth):
                    yield from self._together(where, at, _walked(one), depth + 1)
            case ("of" | "typed", *_) if (tuple_ := _tuple(inner)) is not None:
                yield path, scope, tuple(("typed", one) for one in tuple_)
            case ("name" | "attr", *_) if self.layout.family(path) == "ecmascript":
                for where, at, one in self._types(path, scope, inner, depth):
                    if (tuple_ := _tuple(one)) is not None:
                        yield where, at, tuple(("typed", each) for each in tuple_)
            case ("call", called):
                for where, at, one in self._returned(path, scope, called, depth):
                    if one[0] in ("several", "typed"):
                        yield from self._together(where, at, one, depth + 1)
            case _:
                return

    def _typed(self, place: Place, one: Expr, depth: int) -> Interpretation:
        return self.evaluator.evaluate(place[0], place[1], ("typed", one), depth)

    def _bindings(self, path: str, scope: int, name: str) -> list[Place]:
        """The value of a name in the nearest scope."""
        scopes = self.layout.scopes(path)
        while scope >= 0:
            bound = scopes[scope].bindings.get(name)
            if bound:
                return [(path, at, one) for one, at in bound]
            scope = scopes[scope].parent
        return []

    def _returned(self, path: str, scope: int, called: Expr, depth: int) -> list[Place]:
        """The return types of the functions that may be called."""
        return [
            (
                where,
                number,
                with_arguments(
                    self.layout, where, number, with_given(one, meant.parts), meant.type_arguments
                ),
            )
            for meant in self.evaluator.evaluate(path, scope, called, depth).meanings
            if meant.kind == "function" and meant.one is not None
            for where, number in self.layout.scopes_of(meant.one)
            for one in self.layout.scopes(where)[number].returns
        ]

    def _types(self, path: str, scope: int, expression: Expr, depth: int) -> list[Place]:
        """The container types, with their elements, that an expression may have."""
        if depth > _DEEPEST:
            return []
        is_c = self.layout.family(path) == "c"
        if is_c and (places := self._of_c(path, scope, expression, depth)):
            return [found for place in places for found in self._types(*place, depth + 1)]
        return self._types_of(path, scope, expression, depth)

    def _types_of(self, path: str, scope: int, expression: Expr, depth: int) -> list[Place]:
        match expression:
            case ("typed" | "new", ("of", _, given)) | ("of", ("unknown",), given) if given:
                written = expression if expression[0] == "of" else expression[1]
                return [(path, scope, written)]
            case ("typed", ("any" | "bounds", several)):
                places = [(path, scope, ("typed", one)) for one in several]
            case ("counted", inner, *_):
                places = [(path, scope, inner)]
            case ("any" | "bounds", several):
                places = [(path, scope, one) for one in several]
            case ("name", str(name)):
                places = self._bindings(path, scope, name)
                if not places and self.layout.family(path) == "c":
                    # The name alone, because the method may be outside the
                    # class.
                    places = self._held(path, scope, SELF, name, depth)
            case ("attr" | "field", around, str(name)):
                places = self._held(path, scope, around, name, depth)
            case ("call", ("attr", inner, str(name))) if name in _KEEPING | _VIEWS:
                places = self._returned(path, scope, expression[1], depth)
                if not places:
                    held = self._types(path, scope, inner, depth + 1)
                    return [(where, at, _viewed(one, name)) for where, at, one in held]
            case ("call", called):
                places = self._returned(path, scope, called, depth)
            case _:
                places = self._parts(path, scope, expression, depth)
        return [found for place in places for found in self._types(*place, depth + 1)]

    def _parts(self, path: str, scope: int, expression: Expr, depth: int) -> list[Place]:
        """The elements of a nested container."""
        match expression:
            case ("item", inner):
                held = self._types(path, scope, inner, depth + 1)
                return [(where, at, ("typed", _walked(one))) for where, at, one in held]
            case ("part", ("item", container), int(number)):
                return [
                    (where, at, one[number])
                    for where, at, one in self._together(path, scope, ("item", container), depth)
                    if number < len(one)
                ]
            case _:
                return []

    def _held(self, path: str, scope: int, around: Expr, name: str, depth: int) -> list[Place]:
        """The value of an attribute, or the type of a property."""
        found: list[Place] = []
        for meant in self.evaluator.evaluate(path, scope, around, depth).meanings:
            found += [(meant.path, meant.at, part) for key, part in meant.parts if key == name]
            if meant.one is None or meant.kind not in ("class", "instance"):
                continue
            for holder in self.evaluator.lineage(meant.one, depth):
                own = self.layout.member(holder, name)
                if self.layout.family(path) in _APART:
                    own = None
                if own is not None and own.symbol.kind in FUNCTIONS:
                    found += [
                        (where, number, one)
                        for where, number in self.layout.scopes_of(own)
                        if self.layout.scopes(where)[number].is_property
                        for one in self.layout.scopes(where)[number].returns
                    ]
                    break
                bound = [
                    (where, at, one)
                    for where, number in self.layout.scopes_of(holder)
                    for one, at in self.layout.scopes(where)[number].bindings.get(name, ())
                ]
                if bound:
                    found += bound
                    break
        return found


def _last(head: Expr) -> str:
    return str(head[-1]) if head[0] in ("name", "attr", "scoped") else ""


def _tuple(expression: Expr) -> tuple[Expr, ...] | None:
    inner = expression[1] if expression[0] == "typed" else expression
    if inner[0] == "of" and _last(inner[1]) in _TUPLES:
        given: tuple[Expr, ...] = inner[2]
        return given
    return None


def _walked(written: Expr) -> Expr:
    """The element type of a generic type in an iteration."""
    head, given = _last(written[1]), written[2]
    if head in _ENTRIES and len(given) == 2:
        return ("of", ("name", "tuple"), given)
    if head in _TUPLES:
        return given[0] if len(set(given) - {UNKNOWN}) == 1 else UNKNOWN
    return given[0] if len(given) == 1 or head in _FIRST_WALKED | _MAPPINGS else UNKNOWN


def _subscripted(written: Expr) -> Expr:
    head, given = _last(written[1]), written[2]
    return given[-1] if head in _MAPPINGS else _walked(written)


def _viewed(written: Expr, name: str) -> Expr:
    """The container that a method of a container returns."""
    head, given = _last(written[1]), written[2]
    if name == "enumerate":
        return ("of", UNKNOWN, (("several", (UNKNOWN, ("typed", _walked(written)))),))
    if head not in _MAPPINGS or name in _KEPT_MAPPINGS:
        return written
    if name in ("values", "into_values", "values_mut"):
        return ("of", UNKNOWN, (given[-1],))
    if name in _PICKING or name == "get_mut":
        return ("of", UNKNOWN, (given[-1],))
    return ("of", UNKNOWN, (("several", tuple(("typed", one) for one in given)),))
