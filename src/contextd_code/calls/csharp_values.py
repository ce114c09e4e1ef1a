"""Values and types of C# in the form of call facts."""

from __future__ import annotations

from collections.abc import Callable
from sys import intern

from tree_sitter import Node

from contextd_code.calls.call_facts import IMPLICIT, NOTHING, PARENT, SELF, UNKNOWN, Expr
from contextd_code.calls.expressions import either, item_of
from contextd_code.index.languages.outline import text_of

_AWAITED = frozenset("Task ValueTask Nullable IAsyncResult Lazy".split())
"""Wrapper types that represent their type argument, at least once awaited."""
_DELEGATES = frozenset("Func Action Predicate Converter Comparison EventHandler Expression".split())
_WALKS = frozenset(
    """Select Where Any All First FirstOrDefault Last LastOrDefault Single SingleOrDefault OrderBy
    OrderByDescending GroupBy SelectMany ForEach Find FindAll Exists Count Sum Min Max ToDictionary ToLookup
    TakeWhile SkipWhile Distinct RemoveAll TrueForAll""".split()
)
"""Methods that pass each element of an iteration to a function."""
_KEEPING = frozenset(
    """Where OrderBy OrderByDescending ThenBy Reverse Take Skip Distinct ToList ToArray AsEnumerable
    TakeWhile SkipWhile Concat Append Prepend Union Except Intersect FindAll AsReadOnly ConfigureAwait
    ToHashSet AsQueryable""".split()
)
"""Methods of enumerables that return the same elements."""
_PICKING = frozenset(
    """First FirstOrDefault Last LastOrDefault Single SingleOrDefault ElementAt Find Pop Peek Dequeue
    FirstAsync SingleAsync""".split()
)

_TYPING = frozenset(("Cast", "OfType"))
"""Methods of enumerables whose type argument is that of the elements."""
_NAMED = frozenset(
    """member_access_expression member_binding_expression qualified_name
    alias_qualified_name""".split()
)


def type_of(node: Node | None) -> Expr:
    """The type written in a node."""
    if node is None:
        return UNKNOWN
    read = _TYPES.get(node.type)
    return read(node) if read is not None else UNKNOWN


def typed(node: Node | None) -> Expr:
    """An instance of the type."""
    found = type_of(node)
    return found if found in (UNKNOWN, NOTHING) else ("typed", found)


def _generic(node: Node) -> Expr:
    children = node.named_children
    head = text_of(children[0])
    listed = children[-1].named_children if len(children) > 1 else []
    given = tuple(type_of(one) for one in listed)
    if head in _AWAITED and given:
        return given[0]
    if head in _DELEGATES and given:
        if head == "Expression":
            return given[0]
        taken = listed[:-1] if head in ("Func", "Converter") else listed
        return ("function", tuple(typed(one) for one in taken))
    return ("of", ("type", len(given), intern(head)), given)


def qualified(node: Node) -> Expr:
    """`Outer.Inner`, or `Space.Type`."""
    name = type_of(node.child_by_field_name("name"))
    head = name[1] if name[0] == "of" else name
    around = type_of(node.child_by_field_name("qualifier"))
    return ("attr", around, head[-1]) if head[0] == "type" else UNKNOWN


def _qualified_type(node: Node) -> Expr:
    # It is unknown whether a namespace or a type precedes the dot.
    return ("bounds", (qualified(node), type_of(node.child_by_field_name("name"))))


_TYPES: dict[str, Callable[[Node], Expr]] = {
    "identifier": lambda node: ("type", 0, intern(text_of(node))),
    "predefined_type": lambda node: (
        NOTHING if text_of(node) == "void" else ("type", 0, intern(text_of(node)))
    ),
    "generic_name": _generic,
    "qualified_name": _qualified_type,
    "alias_qualified_name": lambda node: type_of(node.child_by_field_name("name")),
    "nullable_type": lambda node: type_of(node.child_by_field_name("type") or _first(node)),
    "array_type": lambda node: ("of", UNKNOWN, (type_of(node.child_by_field_name("type")),)),
    "ref_type": lambda node: type_of(node.child_by_field_name("type")),
    "tuple_type": lambda node: (
        "of",
        UNKNOWN,
        tuple(type_of(one.child_by_field_name("type")) for one in node.named_children),
    ),
}


def value(node: Node | None) -> Expr:
    """The value of a node."""
    if node is None:
        return UNKNOWN
    read = _FORMS.get(node.type)
    return read(node) if read is not None else UNKNOWN


def _first(node: Node) -> Node | None:
    return next((one for one in node.named_children if one.type != "comment"), None)


def _inner(node: Node) -> Expr:
    return value(_first(node))


def _holder(node: Node) -> Expr:
    """The expression before a dot."""
    around = node.child_by_field_name("expression")
    if around is not None:
        if around.type in ("generic_name", "predefined_type"):
            return type_of(around)
        return value(around)
    return value(node.children[0] if node.children else None)


def last_name(node: Node | None) -> Node | None:
    """The identifier at the end of a callee."""
    while node is not None and node.type != "identifier":
        if node.type == "generic_name":
            node = node.named_children[0]
        elif node.type == "conditional_access_expression":
            node = node.named_children[-1]
        elif node.type in _NAMED:
            node = node.child_by_field_name("name")
        else:
            return None
    return node


def _member(node: Node) -> Expr:
    named = last_name(node)
    if named is None:
        return UNKNOWN
    return ("attr", _around(node), intern(text_of(named)))


def holder_of_member(node: Node) -> Expr:
    """The expression before the dot of a member."""
    return _around(node)


def _around(node: Node) -> Expr:
    if node.type == "member_access_expression":
        return _holder(node)
    if node.type == "conditional_access_expression":
        return _around(node.named_children[-1])
    above = node.parent
    while above is not None and above.type != "conditional_access_expression":
        above = above.parent
    return value(above.child_by_field_name("condition")) if above is not None else UNKNOWN


def called(node: Node) -> Expr:
    """The target of a call, by the number of its arguments; unknown when the callee is not a name."""
    function = node.child_by_field_name("function")
    named = last_name(function)
    if function is None or named is None:
        return UNKNOWN
    listed = node.child_by_field_name("arguments")
    given = listed.named_children if listed is not None else []
    count = sum(one.type == "argument" for one in given)
    around = IMPLICIT if function.type in ("identifier", "generic_name") else _around(function)
    given_types = named.parent if named.parent is not None else named
    if given_types.type == "generic_name":
        number = len(given_types.named_children[-1].named_children)
        return ("attr", ("counted", around, count, number), intern(text_of(named)))
    return ("attr", ("counted", around, count), intern(text_of(named)))


def _call(node: Node) -> Expr:
    found = called(node)
    if found == UNKNOWN:
        return found
    around, name = found[1][1], found[2]
    if around == IMPLICIT and name == "nameof":
        return UNKNOWN
    if around != IMPLICIT and name in _PICKING:
        return ("bounds", (("call", found), ("item", around)))
    if around != IMPLICIT and name in _KEEPING:
        return ("bounds", (("call", found), around))
    given = _given_types(node)
    if given and name in _TYPING:
        return ("typed", ("of", UNKNOWN, given))
    return ("call", ("of", found, given) if given else found)


def _given_types(node: Node) -> tuple[Expr, ...]:
    """The type arguments of a call: `Find<Foo>()`."""
    named = last_name(node.child_by_field_name("function"))
    around = named.parent if named is not None else None
    if around is None or around.type != "generic_name":
        return ()
    return tuple(type_of(one) for one in around.named_children[-1].named_children)


def walked(found: Expr) -> Expr:
    """The argument that an iterating method passes to its function; unknown for other methods."""
    is_walk = found[0] == "attr" and found[2] in _WALKS and found[1][1] != IMPLICIT
    return ("item", found[1][1]) if is_walk else UNKNOWN


def _new(node: Node) -> Expr:
    found = type_of(node.child_by_field_name("type"))
    return found if found == UNKNOWN else ("new", found)


def _choice(node: Node) -> Expr:
    sides = ("consequence", "alternative")
    return either([value(node.child_by_field_name(one)) for one in sides])


def _operation(node: Node) -> Expr:
    if not any(child.type == "??" for child in node.children):
        return UNKNOWN
    right = node.child_by_field_name("right")
    sides = [value(node.child_by_field_name("left"))]
    if right is not None and right.type != "throw_expression":
        sides.append(value(right))
    return either(sides)


def _switched(node: Node) -> Expr:
    arms = [one for one in node.named_children if one.type == "switch_expression_arm"]
    given = [one.named_children[-1] for one in arms]
    return either([value(one) for one in given if one.type != "throw_expression"] or [UNKNOWN])


_FORMS: dict[str, Callable[[Node], Expr]] = {
    "identifier": lambda node: ("name", intern(text_of(node))),
    "this": lambda _: SELF,
    "base": lambda _: PARENT,
    "member_access_expression": _member,
    "member_binding_expression": _member,
    "conditional_access_expression": lambda node: (
        value(node.named_children[-1]) if node.named_children else UNKNOWN
    ),
    "invocation_expression": _call,
    "object_creation_expression": _new,
    "parenthesized_expression": _inner,
    "await_expression": _inner,
    "postfix_unary_expression": _inner,
    "checked_expression": _inner,
    "cast_expression": lambda node: typed(node.child_by_field_name("type")),
    "as_expression": lambda node: typed(node.child_by_field_name("right")),
    "default_expression": lambda node: typed(node.child_by_field_name("type")),
    "assignment_expression": lambda node: value(node.child_by_field_name("right")),
    "conditional_expression": _choice,
    "binary_expression": _operation,
    "switch_expression": _switched,
    "element_access_expression": lambda node: item_of(
        value(node.child_by_field_name("expression"))
    ),
    "array_creation_expression": lambda node: typed(node.child_by_field_name("type")),
    "generic_name": _generic,
    "predefined_type": type_of,
    "null_literal": lambda _: NOTHING,
    "qualified_name": _qualified_type,
    "alias_qualified_name": type_of,
}
