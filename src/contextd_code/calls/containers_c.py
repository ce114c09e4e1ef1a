"""Element types of the containers, pairs, iterators and smart pointers of the C++ library."""

from __future__ import annotations

from contextd_code.calls.call_facts import UNKNOWN, Expr
from contextd_code.calls.expressions_c import ITERATOR, ITERATORS, PAIR, SMART
from contextd_code.calls.scope_layout import CodeLayout

Place = tuple[str, int, Expr]
"""A type, and the file and scope that contain it."""

_SEQUENCES = frozenset(
    """vector list deque forward_list array set multiset unordered_set unordered_multiset initializer_list span
    queue stack priority_queue valarray""".split()
)
_MAPPINGS = frozenset("map multimap unordered_map unordered_multimap".split())
_PARTS = ("first", "second")
_ITERATING = frozenset(
    """begin end cbegin cend rbegin rend crbegin crend find lower_bound upper_bound erase insert emplace
    before_begin""".split()
)
"""Methods that return an iterator; `insert` and `emplace` do so for some containers only."""
_PICKING = frozenset("front back top at value get lock".split())
"""Methods that return an element."""


def walked(written: Expr) -> Expr:
    """The element type in an iteration; of a mapping it is a pair."""
    head, given = _head(written), written[2]
    if head in _MAPPINGS and len(given) > 1:
        return ("of", ("name", PAIR), given[:2])
    return given[0] if head in _SEQUENCES or len(given) == 1 else UNKNOWN


def subscripted(written: Expr) -> Expr:
    """The type of the element behind brackets."""
    head, given = _head(written), written[2]
    return given[1] if head in _MAPPINGS and len(given) > 1 else walked(written)


def steps(expression: Expr) -> tuple[Expr, str] | None:
    """(the container, how an element of it is reached) for an expression that reaches into one."""
    match expression:
        case ("walked" | "item" | "pointee", inner):
            return inner, expression[0]
        case ("attr", around, str(name)) if name in _PARTS:
            return around, name
        case ("call", ("attr", around, str(name))) if name in _ITERATING:
            return around, ITERATOR
        case ("call", ("attr", around, str(name))) if name in _PICKING:
            return around, "pointee" if name in ("get", "value", "lock") else "item"
        case _:
            return None


def reached(written: Expr, how: str) -> Expr:
    """The type that one of these steps leads to from a generic type, or unknown."""
    head = _head(written)
    given: tuple[Expr, ...] = written[2]
    if how in _PARTS:
        number = _PARTS.index(how)
        return given[number] if head == PAIR and len(given) == len(_PARTS) else UNKNOWN
    if how == "pointee" and head in ITERATORS:
        return walked(given[0]) if given[0][0] == "of" else UNKNOWN
    if how == "pointee":
        if head == ITERATOR or head in SMART:
            return given[0]
        # A pointer to a container.
        return written if head in _SEQUENCES | _MAPPINGS | {PAIR} else UNKNOWN
    if head == ITERATOR or head in SMART:
        # `it[2]` and `pointer[2]` are left alone.
        return UNKNOWN
    found = subscripted(written) if how == "item" else walked(written)
    if how == ITERATOR and found != UNKNOWN:
        return ("of", ("name", ITERATOR), (found,))
    return found


def alias_places(layout: CodeLayout, path: str, scope: int, written: Expr) -> list[Place]:
    """What a name of a container type stands for: `using Carts = std::vector<Cart>`. The nearest one of the file,
    else the only visible one.
    """
    name = f"={written[-1]}"
    within = written[1][-1] if written[0] == "scoped" and written[1] else ""
    scopes = layout.scopes(path)
    while scope >= 0 and not within:
        if bound := scopes[scope].bindings.get(name):
            return [(path, at, ("typed", one)) for one, at in bound]
        scope = scopes[scope].parent
    linkage = layout.linkage
    within = "" if within in linkage.opened_by_macros else within
    seen = linkage.included(path)
    known = {
        (one.path, one.qualified): one
        for home, one in linkage.named(str(written[-1]))
        if one.symbol.kind == "type" and one.path in seen
        if not within or home.rpartition(".")[2] == within
    }
    return [
        (one.path, at, ("typed", found))
        for one in (known.values() if len(known) == 1 else ())
        for around in layout.scopes(one.path)
        if around.start <= one.symbol.start < around.end
        for found, at in around.bindings.get(name, ())
    ]


def container_of(written: Expr) -> Expr:
    """The container that `Carts::iterator` iterates over; unknown for another type."""
    if written[0] != "scoped" or written[-1] not in ITERATORS or not written[1]:
        return UNKNOWN
    before = written[1]
    return ("scoped", before[:-1], before[-1]) if before[1:] else ("name", before[-1])


def _head(written: Expr) -> str:
    head = written[1]
    return str(head[-1]) if head[0] in ("name", "attr", "scoped") else ""
