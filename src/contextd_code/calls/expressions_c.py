"""Convert expressions, types and declarators of C and C++ into the forms of call facts."""

from __future__ import annotations

from collections.abc import Callable
from sys import intern

from tree_sitter import Node

from contextd_code.calls.call_facts import NOTHING, SELF, UNKNOWN, Expr
from contextd_code.calls.expressions import either
from contextd_code.index.languages.outline import text_of

_NAMES = frozenset("identifier type_identifier field_identifier namespace_identifier".split())
_TAGGED = frozenset("struct_specifier union_specifier class_specifier enum_specifier".split())
_THROUGH = frozenset(
    """parenthesized_expression type_descriptor dependent_type condition_clause dependent_name
    macro_type_specifier""".split()
)
_NOTHINGS = frozenset(("NULL", "nullptr"))
_MADE = {"make_unique": "unique_ptr", "make_shared": "shared_ptr"}
_HANDED_ON = frozenset(("move", "forward", "ref", "cref"))
SMART = frozenset(
    "unique_ptr shared_ptr weak_ptr optional intrusive_ptr scoped_refptr scoped_ptr".split()
)
"""Smart pointers, which `->` and `*` dereference."""
ITERATOR, PAIR = "<iterator>", "pair"
ITERATORS = frozenset(
    "iterator const_iterator reverse_iterator const_reverse_iterator local_iterator".split()
)
_SEARCHING = frozenset(
    """find find_if find_if_not lower_bound upper_bound max_element min_element remove remove_if unique next prev
    partition search adjacent_find""".split()
)
"""Algorithms of the library that return an iterator of the range they are given."""
POINTING = "->"


def c_value(node: Node | None) -> Expr:
    """The value of a node, or its type where a type is written."""
    if node is None:
        return UNKNOWN
    kind = node.type
    if kind in _NAMES:
        name = text_of(node)
        return NOTHING if name in _NOTHINGS else ("name", intern(name))
    if kind in _THROUGH:
        inner = node.child_by_field_name("type") or node.child_by_field_name("value")
        return c_value(inner or next(iter(node.named_children), None))
    if kind in _TAGGED:
        return c_value(node.child_by_field_name("name"))
    if kind in _FORMS:
        return _FORMS[kind](node)
    return _operation(node)


def _operation(node: Node) -> Expr:
    match node.type:
        case "pointer_expression":
            inner = c_value(node.child_by_field_name("argument"))
            is_followed = node.children[0].type == "*" and inner != UNKNOWN
            return ("pointee", inner) if is_followed else inner
        case "subscript_expression":
            held = c_value(node.child_by_field_name("argument"))
            return held if held == UNKNOWN else ("item", held)
        case "conditional_expression":
            places = (node.child_by_field_name(name) for name in ("consequence", "alternative"))
            return either([c_value(one) for one in places])
        case "assignment_expression":
            return c_value(node.child_by_field_name("right"))
        case _:
            return UNKNOWN


def _made(node: Node | None) -> Expr:
    found = c_value(node)
    return found if found == UNKNOWN else ("new", found)


def c_typed(node: Node | None) -> Expr:
    """An instance of the type written in a node, or of the type it points to."""
    found = c_value(node)
    return found if found in (UNKNOWN, NOTHING) else ("typed", found)


def _arguments(node: Node) -> tuple[Expr, ...]:
    listed = node.child_by_field_name("arguments")
    given = listed.named_children if listed is not None else []
    return tuple(c_value(one) for one in given if one.type != "comment")


def parts(node: Node) -> tuple[tuple[str, ...], Node | None]:
    """The names before the last `::` without their arguments, and the name after it."""
    before: list[str] = []
    here: Node | None = node
    while here is not None and here.type == "qualified_identifier":
        scope = here.child_by_field_name("scope")
        if scope is not None and not any(one.is_missing for one in here.children):
            named = scope.child_by_field_name("name")
            before.append(intern(text_of(named if named is not None else scope)))
        here = here.child_by_field_name("name")
    return tuple(before), here


def _scoped(node: Node) -> Expr:
    before, last = parts(node)
    found = c_value(last)
    arguments: tuple[Expr, ...] = ()
    if found[0] == "of":
        found, arguments = found[1], found[2]
    if found[0] != "name":
        return UNKNOWN
    scoped = ("scoped", before, found[1])
    if found[1] in ITERATORS and (inner := _template_before(node)) is not None:
        return ("of", scoped, (c_value(inner),))
    return ("of", scoped, arguments) if arguments else scoped


def _template_before(node: Node) -> Node | None:
    """The type with arguments before the last `::`."""
    here: Node | None = node
    outer: Node | None = None
    while here is not None and here.type == "qualified_identifier":
        outer = here.child_by_field_name("scope")
        here = here.child_by_field_name("name")
    return outer if outer is not None and outer.type == "template_type" else None


def _member(node: Node) -> Expr:
    around = c_value(node.child_by_field_name("argument"))
    name = name_behind(node)
    if not name:
        return UNKNOWN
    if any(one.type == POINTING for one in node.children) and around not in (SELF, UNKNOWN):
        around = ("pointee", around)
    return ("attr", around, intern(name))


def name_behind(node: Node) -> str:
    """The last name of a member expression, without its arguments."""
    last = last_name(node)
    return text_of(last) if last.type in _NAMES else ""


def last_name(node: Node) -> Node:
    """The node of the last name of a callee."""
    while True:
        match node.type:
            case "field_expression":
                inner = node.child_by_field_name("field")
            case "qualified_identifier" | "template_function" | "template_method":
                inner = node.child_by_field_name("name")
            case "template_type":
                inner = node.child_by_field_name("name")
            case "dependent_name" | "dependent_type":
                inner = next(iter(node.named_children), None)
            case _:
                return node
        if inner is None:
            return node
        node = inner


def _call(node: Node) -> Expr:
    function = node.child_by_field_name("function")
    if function is None:
        return UNKNOWN
    last = last_name(function)
    name = text_of(last)
    template = last.parent
    if template is not None and template.type == "template_function":
        given = _arguments(template)
        if given and name.endswith("_cast"):
            return ("typed", given[0]) if given[0] != UNKNOWN else UNKNOWN
        if given and name in _MADE:
            return ("typed", ("of", ("name", _MADE[name]), given[:1]))
    listed = node.child_by_field_name("arguments")
    first = listed.named_children[0] if listed is not None and listed.named_children else None
    if name in _SEARCHING and first is not None and first.type in ("call_expression", "identifier"):
        before, _ = parts(function)
        if before[:1] == ("std",):
            return c_value(first)
    if name in _HANDED_ON and listed is not None and len(listed.named_children) == 1:
        return c_value(listed.named_children[0])
    called = c_value(function)
    return called if called == UNKNOWN else ("call", called)


def declared(node: Node | None) -> tuple[str, bool]:
    """The name in a declarator, and whether it is a function or a function pointer. `Cart* Cart::first = 0;` has no
    name of its own: the class has declared it.
    """
    is_function = False
    here = node
    while here is not None and here.type not in _NAMES:
        if here.type == "qualified_identifier":
            return "", is_function
        is_function |= here.type in ("function_declarator", "abstract_function_declarator")
        inner = here.child_by_field_name("declarator")
        if inner is None:
            named = here.named_children
            inner = next((n for n in named if n.type in _NAMES or "declarator" in n.type), None)
        here = inner
    return (text_of(here) if here is not None else ""), is_function


def function_declarator(node: Node | None) -> Node | None:
    """The part of a declarator with the name and the parameters of a function; None where it declares a
    function pointer.
    """
    here = node
    while here is not None and here.type != "function_declarator":
        if here.type in ("parenthesized_declarator", "init_declarator"):
            return None
        inner = here.child_by_field_name("declarator")
        if inner is None:
            inner = next((n for n in here.named_children if "declarator" in n.type), None)
        here = inner
    if here is None:
        return None
    named = here.child_by_field_name("declarator")
    is_pointer = named is not None and named.type == "parenthesized_declarator"
    inner = named.named_children[0] if is_pointer and named and named.named_children else None
    # `int (close)(int)` prevents the expansion of a macro of that name.
    return here if inner is None or inner.type in _NAMES else None


_FORMS: dict[str, Callable[[Node], Expr]] = {
    "this": lambda _: SELF,
    "null": lambda _: NOTHING,
    "qualified_identifier": _scoped,
    "template_function": lambda node: c_value(node.child_by_field_name("name")),
    "template_method": lambda node: c_value(node.child_by_field_name("name")),
    "template_type": lambda node: (
        "of",
        c_value(node.child_by_field_name("name")),
        _arguments(node),
    ),
    "field_expression": _member,
    "call_expression": _call,
    "new_expression": lambda node: _made(node.child_by_field_name("type")),
    "compound_literal_expression": lambda node: _made(node.child_by_field_name("type")),
    "cast_expression": lambda node: c_typed(node.child_by_field_name("type")),
}
