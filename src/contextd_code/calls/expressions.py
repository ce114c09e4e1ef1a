"""Convert syntax nodes of every language into the expression forms of call facts."""

from __future__ import annotations

import re
from collections.abc import Callable
from sys import intern

from tree_sitter import Node

from contextd_code.calls.call_facts import IMPLICIT, NOTHING, RECEIVER, SELF, SUPER, UNKNOWN, Expr
from contextd_code.index.languages.outline import text_of

_NAMES = frozenset(
    """identifier type_identifier field_identifier property_identifier package_identifier
    shorthand_property_identifier namespace_identifier crate private_property_identifier""".split()
)
_MEMBERS = {
    "attribute": ("object", "attribute"),
    "member_expression": ("object", "property"),
    "selector_expression": ("operand", "field"),
    "field_access": ("object", "field"),
    "field_expression": ("value", "field"),
    "scoped_identifier": ("path", "name"),
    "scoped_type_identifier": ("path", "name"),
    "qualified_type": ("package", "name"),
    "nested_type_identifier": ("module", "name"),
    "nested_identifier": ("object", "property"),
}
_PATH_HEADS = frozenset(("crate", "self", "super", "identifier"))
"""First segments of Rust paths."""
_FIELDS = frozenset(("field_access", "field_expression"))
"""Nodes that name a field, in languages where a method may have the same name."""
_CALLS = frozenset(("call", "call_expression"))
_AROUND = frozenset(
    """await await_expression parenthesized_expression non_null_expression satisfies_expression
    reference_expression unary_expression type type_annotation pointer_type
    parenthesized_type expression_list readonly_type superclass extends_clause optional_type
    generic_function instantiation_expression dynamic_type abstract_type bounded_type
    bracketed_type constraint type_bound annotated_type""".split()
)
_SAME = frozenset(("Promise.all", "Array.from", "Object.freeze", "Object.seal", "Promise.resolve"))
"""Functions of JavaScript that return their argument, at least once awaited."""
_PARTS = frozenset(("Object.values", "Object.entries"))
"""Functions of JavaScript that return what the map method of that name returns."""
_PRIMITIVES = frozenset("string number boolean bigint symbol never".split())
_LEADING = frozenset(("new", "typed", "object", "call"))
_MOST_PARTS = 24
"""The most properties kept of an object: longer ones are tables, whose values are alike."""
_WALKING = frozenset("enumerate iter list next reversed set sorted tuple zip".split())
_TOGETHER = frozenset(("expression_list", "tuple", "tuple_expression"))
_ALTERNATIVES = frozenset(
    """conditional_expression ternary_expression boolean_operator binary_operator union_type
    binary_expression""".split()
)
_EITHER = frozenset(("or", "||", "??", "|", "and"))
_NOTHINGS = frozenset(("none", "null", "undefined", "nil", "None", "void"))
_TRANSPARENT = {
    "python": frozenset(
        "Optional Union Annotated Final ClassVar Required NotRequired Awaitable Coroutine".split()
    ),
    "ecmascript": frozenset(
        "Promise PromiseLike Awaited Readonly Partial Required NonNullable Omit Pick".split()
    ),
    "java": frozenset(("Optional",)),
    "rust": frozenset("Box Rc Arc".split()),
}
"""By family, wrapper types that represent their type argument, at least once awaited."""
_LAST = frozenset(("Coroutine",))
_FIRST = frozenset(("Annotated", "Omit", "Pick"))
_NO_TYPES = frozenset(("comment", "line_comment", "block_comment", "lifetime"))
_CLASS_TYPES = frozenset(("type", "Type"))
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def value(node: Node | None) -> Expr:
    """The value of a node, or its type where a type is written."""
    if node is None:
        return UNKNOWN
    kind = node.type
    if kind in _NAMES:
        return _named(text_of(node))
    if kind in _MEMBERS and node.child_by_field_name("alias") is None:
        return _member(node)
    if kind in _CALLS:
        return _call(node)
    if kind in _TOGETHER and len(node.named_children) != 1:
        return ("several", tuple(value(one) for one in node.named_children))
    if kind in _AROUND:
        inner = node.child_by_field_name("function") or _first(node)
        return value(inner)
    if kind in _NOTHINGS or text_of(node) in _NOTHINGS:
        return NOTHING
    if kind == "union_type":
        return either([value(one) for one in node.named_children if not _is_primitive(one)])
    special = _SPECIAL.get(kind)
    if special is not None:
        return special(node)
    return _alternatives(node) if kind in _ALTERNATIVES else UNKNOWN


def _is_primitive(node: Node) -> bool:
    """Whether a TypeScript type has no members of interest: a value of `Shop | string` is narrowed to a shop
    before its members are used.
    """
    if node.type == "literal_type":
        return True
    return node.type == "predefined_type" and text_of(node) in _PRIMITIVES


def _member(node: Node) -> Expr:
    """The member after a dot or two colons."""
    kind = node.type
    if kind == "scoped_type_identifier" and node.child_by_field_name("name") is None:
        parts = [one for one in node.named_children if one.type.endswith("identifier")]
        return ("attr", value(parts[0]), intern(text_of(parts[-1]))) if len(parts) > 1 else UNKNOWN
    holder, member = _MEMBERS[kind]
    around = node.child_by_field_name(holder)
    name = text_of(node.child_by_field_name(member))
    if around is None:
        return ("name", name)
    if kind.startswith("scoped") and around.type in _PATH_HEADS:
        return ("attr", ("module", text_of(around)), intern(name))
    if kind in _FIELDS and not _is_called(node):
        return ("field", value(around), intern(name))
    return ("attr", value(around), intern(name))


def _call(node: Node) -> Expr:
    if made := _made_of(node):
        return typed(made)
    if node.type == "call" and (walk := _walk(node)):
        return walk
    function = node.child_by_field_name("function")
    if function is not None and function.type == "member_expression":
        listed = node.child_by_field_name("arguments")
        given = _first(listed) if listed is not None else None
        name = text_of(function) if given is not None else ""
        if name in _SAME:
            return value(given)
        if name in _PARTS:
            return ("call", ("attr", value(given), name.removeprefix("Object.")))
    if function is not None and function.type == "index_expression":
        function = function.child_by_field_name("operand")
    called = value(function)
    return SUPER if called == ("name", "super") else ("call", called)


def _walk(node: Node) -> Expr | None:
    """The result of a Python iteration function."""
    name = text_of(node.child_by_field_name("function"))
    listed = node.child_by_field_name("arguments")
    given = listed.named_children if listed is not None and name in _WALKING else []
    items = tuple(("item", value(one)) for one in given if one.type != "keyword_argument")
    if not items:
        return None
    if name == "next":
        return items[0]
    if name == "enumerate":
        return ("of", UNKNOWN, (("several", (UNKNOWN, items[0])),))
    return ("of", UNKNOWN, (("several", items),) if name == "zip" else items[:1])


def _made_of(node: Node) -> Node | None:
    """The type that `make` or `new` of Go creates."""
    named = node.child_by_field_name("function")
    given = node.child_by_field_name("arguments")
    if given is None or not given.named_children or text_of(named) not in ("make", "new"):
        return None
    first = given.named_children[0]
    return first if first.type.endswith(("_type", "type_identifier")) else None


def typed(node: Node | None) -> Expr:
    """An instance of the type written in a node."""
    found = value(node)
    return found if found in (UNKNOWN, NOTHING, RECEIVER) else ("typed", found)


def name_node(node: Node) -> Node:
    """The last name of a callee."""
    while True:
        inner = (
            node.child_by_field_name(_MEMBERS[node.type][1])
            if node.type in _MEMBERS
            else (node.child_by_field_name("function") or _first(node))
            if node.type in _AROUND
            else None
        )
        if inner is None:
            return node
        node = inner


def _is_called(node: Node) -> bool:
    around = node.parent
    if around is not None and around.type == "generic_function":
        node, around = around, around.parent
    is_call = around is not None and around.type == "call_expression"
    return is_call and around is not None and around.child_by_field_name("function") == node


def _named(name: str) -> Expr:
    if name in _NOTHINGS:
        return NOTHING
    # Names repeat across files, and all facts are cached.
    return ("name", intern(name))


def _first(node: Node) -> Node | None:
    return next((one for one in node.named_children if one.type != "comment"), None)


def _alternatives(node: Node) -> Expr:
    children = node.named_children
    if node.type == "conditional_expression":
        children = [children[0], children[-1]] if len(children) == 3 else children
    elif node.type == "ternary_expression":
        children = children[1:]
    else:
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type not in _EITHER:
            return UNKNOWN
        if operator is not None and operator.type == "and":
            children = children[-1:]
    return either([value(child) for child in children])


def item_of(found: Expr) -> Expr:
    """The content of an option, a result or a list."""
    return found if found in (UNKNOWN, NOTHING) else ("item", found)


def either(found: list[Expr]) -> Expr:
    """One of these; empty values are left out."""
    some = list(dict.fromkeys(one for one in found if one != NOTHING))
    if not some:
        return NOTHING
    return some[0] if len(some) == 1 else ("any", tuple(some))


def _new(field_name: str) -> Callable[[Node], Expr]:
    def made(node: Node) -> Expr:
        found = with_type_arguments(node.child_by_field_name(field_name), node)
        return found if found == UNKNOWN else ("new", found)

    return made


def with_type_arguments(head: Node | None, around: Node) -> Expr:
    """A type whose arguments are on the node around it: `new Map<K, V>()`, `extends Shelf<Book>`."""
    found = value(head)
    is_apart = around.type in ("new_expression", "extends_clause")
    listed = around.child_by_field_name("type_arguments") if is_apart else None
    if listed is None or found == UNKNOWN:
        return found
    return ("of", found, tuple(value(one) for one in listed.named_children if one.is_named))


def _method_call(node: Node) -> Expr:
    name = text_of(node.child_by_field_name("name"))
    holder = node.child_by_field_name("object")
    if any(child.type == "super" for child in node.children) and holder is not None:
        # `Outer.super.m()`, or a method that an interface named before has.
        return ("call", ("attr", ("bounds", (SUPER,)), name))
    given = node.child_by_field_name("arguments")
    count = sum(one.type not in _NO_TYPES for one in given.named_children) if given else 0
    around = value(holder) if holder is not None else IMPLICIT
    return ("call", ("attr", ("counted", around, count), name))


def _cast(node: Node) -> Expr:
    written = node.child_by_field_name("type") or node.named_children[-1]
    return value(_first(node)) if text_of(written) == "const" else typed(written)


def _generic(node: Node) -> Expr:
    """A generic type with its arguments, in any of the languages."""
    head = node.child_by_field_name("name") or node.child_by_field_name("type") or _first(node)
    listed = node.child_by_field_name("type_arguments") or node.named_children[-1]
    given = [value(one) for one in listed.named_children if one.type not in _NO_TYPES]
    found = value(head)
    last = str(found[-1]) if found[0] in ("name", "attr") else ""
    if last in _CLASS_TYPES and given:
        return ("class_of", given[0])
    if last in _TRANSPARENT.get(_family(node, listed), ()) and given:
        some = given[-1:] if last in _LAST else given[:1] if last in _FIRST else given
        return either(some)
    if given and given[0][0] == "class_of" and last in ("InstanceType", "ReturnType"):
        return given[0][1] if last == "InstanceType" else ("call", given[0][1])
    return ("of", found, tuple(given)) if given or not listed.named_children else found


def _family(node: Node, listed: Node) -> str:
    """The language family of a generic type, judging by its grammar nodes."""
    if node.child_by_field_name("name") is not None:
        return "ecmascript"
    is_field = node.child_by_field_name("type") is not None
    if text_of(listed)[:1] == "[":
        return "go" if is_field else "python"
    return "rust" if is_field else "java"


def _subscript(node: Node) -> Expr:
    """`xs[0]`, which in Python may also be a type with arguments."""
    head = node.child_by_field_name("value") or node.child_by_field_name("object")
    given = [value(one) for one in node.children_by_field_name("subscript")]
    found = value(head)
    last = str(found[-1]) if found[0] in ("name", "attr") else ""
    if last in _TRANSPARENT["python"] and given:
        some = given[-1:] if last in _LAST else given[:1] if last in _FIRST else given
        return either(some)
    if last in _CLASS_TYPES and given:
        return ("class_of", given[0])
    return ("of", found, tuple(given))


def _array(node: Node) -> Expr:
    last = node.named_children[-1] if node.named_children else None
    return ("of", UNKNOWN, (value(node.child_by_field_name("element") or last),))


def _tail(node: Node | None) -> Expr:
    """The value of a Rust block: its last expression, unless that is a plain name."""
    last = node.named_children[-1] if node is not None and node.named_children else None
    if node is not None and node.type == "else_clause":
        return _tail(last)
    if node is None or node.type != "block":
        return UNKNOWN if node is None or node.type == "identifier" else value(node)
    return UNKNOWN if last is None or last.type == "identifier" else value(last)


def _branches(node: Node) -> Expr:
    if node.type == "if_expression":
        places = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
    else:
        body = node.child_by_field_name("body")
        arms = body.named_children if body is not None else []
        places = [one.child_by_field_name("value") for one in arms if one.type == "match_arm"]
    return either([known for one in places if (known := _tail(one)) != UNKNOWN] or [UNKNOWN])


def _listed(node: Node) -> Expr:
    """A list literal."""
    values = [
        item_of(value(_first(one))) if one.type == "spread_element" else value(one)
        for one in node.named_children
        if one.type != "comment"
    ]
    return ("of", UNKNOWN, (either(values),)) if values else UNKNOWN


def _function_type(node: Node) -> Expr:
    """The type of a function; only its parameters matter."""
    listed = node.child_by_field_name("parameters")
    given = listed.named_children if listed is not None else []
    written = [one.child_by_field_name("type") or one for one in given]
    return ("function", tuple(typed(one) for one in written))


def _object(node: Node) -> Expr:
    """An object literal or its type: the properties whose values or types can be resolved."""
    parts: dict[str, Expr] = {}
    for one in node.named_children:
        name = text_of(one.child_by_field_name("key") or one.child_by_field_name("name"))
        if one.type == "pair":
            found = value(one.child_by_field_name("value"))
        elif one.type == "property_signature":
            found = typed(one.child_by_field_name("type"))
        else:
            continue
        if found[0] in _LEADING and len(parts) < _MOST_PARTS:
            parts[name] = found
    return ("object", tuple(parts.items())) if parts else UNKNOWN


def _tuple_type(node: Node) -> Expr:
    """`[A, B]` of TypeScript, or `(A, B)` of Rust, whose elements only matter in an iteration."""
    held = tuple(value(one) for one in node.named_children)
    return ("of", ("name", "tuple") if text_of(node)[:1] == "[" else UNKNOWN, held)


def _gathered(node: Node) -> Expr:
    return ("of", UNKNOWN, (value(node.child_by_field_name("body")),))


def _quoted(node: Node) -> Expr:
    """A quoted type, as Python writes a forward reference."""
    parts = [part.strip() for part in text_of(node).strip("'\"").split("|")]
    found: list[Expr] = []
    for part in parts:
        plain = _DOTTED.match(part)
        if plain is None:
            return UNKNOWN
        inside = re.fullmatch(r"(?:\w+\.)?Optional\[(.+)\]", part)
        names = (inside[1] if inside else plain[0]).split(".")
        expression = _named(names[0])
        for name in names[1:]:
            expression = ("attr", expression, name)
        found.append(expression)
    return either(found)


def _defined(node: Node) -> Expr:
    return ("defined", node.start_byte)


def _converted(node: Node) -> Expr:
    """`T(x)`, or a call of a generic function: Go writes them alike."""
    found = value(node.child_by_field_name("type"))
    return ("call", found[1] if found[0] == "of" else found)


_SPECIAL: dict[str, Callable[[Node], Expr]] = {
    "this": lambda _: SELF,
    "self": lambda _: SELF,
    "super": lambda _: SUPER,
    "try_expression": lambda node: item_of(value(_first(node))),
    "qualified_type": lambda node: (
        "bounds",
        (value(node.child_by_field_name("type")), value(node.child_by_field_name("alias"))),
    ),
    "type_cast_expression": lambda node: typed(node.child_by_field_name("type")),
    "if_expression": _branches,
    "match_expression": _branches,
    "array_access": lambda node: ("item", value(node.child_by_field_name("array"))),
    "new_expression": _new("constructor"),
    "object_creation_expression": _new("type"),
    "composite_literal": _new("type"),
    "struct_expression": _new("name"),
    "method_invocation": _method_call,
    "as_expression": _cast,
    "cast_expression": _cast,
    "generic_type": _generic,
    "subscript": _subscript,
    "subscript_expression": _subscript,
    "array_type": _array,
    "function_type": _function_type,
    "tuple_type": _tuple_type,
    "object": _object,
    "object_type": _object,
    "this_type": lambda _: RECEIVER,
    "type_query": lambda node: ("class_of", value(_first(node))),
    "type_assertion": lambda node: typed(_first(node)),
    "type_arguments": lambda node: value(_first(node)),
    "slice_type": _array,
    "string": _quoted,
    "reference_type": lambda node: value(node.child_by_field_name("type")),
    "named_expression": lambda node: value(node.child_by_field_name("value")),
    "list": _listed,
    "array": _listed,
    "list_comprehension": _gathered,
    "set_comprehension": _gathered,
    "generator_expression": _gathered,
    "arrow_function": _defined,
    "function_expression": _defined,
    "generator_function": _defined,
    "func_literal": _defined,
    "class": _defined,
    "type_conversion_expression": _converted,
    "type_assertion_expression": lambda node: typed(node.child_by_field_name("type")),
    "index_expression": lambda node: (
        "item",
        value(node.child_by_field_name("operand") or _first(node)),
    ),
    "map_type": lambda node: ("of", UNKNOWN, (value(node.child_by_field_name("value")),)),
    "assignment": lambda node: value(node.child_by_field_name("right")),
}
