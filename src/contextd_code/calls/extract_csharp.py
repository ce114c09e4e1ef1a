"""Extract the scopes, names and calls of a C# file."""

from __future__ import annotations

from collections.abc import Callable
from sys import intern

from tree_sitter import Node

from contextd_code.calls.call_facts import (
    ELEMENT,
    IMPLICIT,
    NOTHING,
    SELF,
    SUPER,
    UNKNOWN,
    CodeScope,
    Expr,
)
from contextd_code.calls.csharp_values import (
    called,
    last_name,
    qualified,
    type_of,
    typed,
    value,
    walked,
)
from contextd_code.calls.file_scope import FileReading
from contextd_code.index.languages.outline import text_of

_BY_NAME = frozenset(("identifier", "generic_name", "qualified_name", "alias_qualified_name"))


def _space(reading: FileReading, node: Node) -> None:
    reading.bind("<space>", ("space", text_of(node.child_by_field_name("name"))), 0)


def _named_type(node: Node) -> Expr:
    """A type by its name, without type arguments."""
    if node.type == "qualified_name":
        return qualified(node)
    found = type_of(node)
    return found[1] if found[0] == "of" else found


def _class(reading: FileReading, node: Node) -> None:
    scope = reading.enter("class", text_of(node.child_by_field_name("name")), node)
    _type_parameters(reading, node)
    listed = next((one for one in node.named_children if one.type == "base_list"), None)
    for one in listed.named_children if listed is not None else ():
        written = one
        if one.type == "primary_constructor_base_type":
            written = one.child_by_field_name("type") or one
        if written.type in _BY_NAME:
            scope.bases.append(_base(written))
            named = last_name(written)
            if named is not None:
                reading.site("extends", named, _named_type(written))
    parameters = next((one for one in node.named_children if one.type == "parameter_list"), None)
    for one in parameters.named_children if parameters is not None else ():
        # In a record these are properties, in a class its members see them.
        reading.bind(
            text_of(one.child_by_field_name("name")), typed(one.child_by_field_name("type"))
        )


def _base(written: Node) -> Expr:
    if written.type != "qualified_name":
        return type_of(written)
    last = type_of(written.child_by_field_name("name"))
    return ("of", qualified(written), last[2]) if last[0] == "of" else qualified(written)


def _type_parameters(reading: FileReading, node: Node) -> None:
    names: list[str] = []
    bounds: dict[str, list[Expr]] = {}
    for child in node.named_children:
        if child.type == "type_parameter_list":
            names += [
                text_of(one.child_by_field_name("name") or one) for one in child.named_children
            ]
        elif child.type == "type_parameter_constraints_clause" and child.named_children:
            written = [one.child_by_field_name("type") for one in child.named_children[1:]]
            known = [type_of(one) for one in written if one is not None]
            bounds.setdefault(text_of(child.named_children[0]), []).extend(known)
    for name in names:
        reading.bind(f"<{name}>", ("bounds", tuple(bounds.get(name, ()))))


def _function(reading: FileReading, node: Node) -> None:
    """A method, constructor, operator or local function."""
    name = text_of(node.child_by_field_name("name"))
    owner = reading.own_class()
    if node.type == "indexer_declaration" and owner is not None:
        reading.bind(ELEMENT, typed(node.child_by_field_name("type")), owner)
    scope = reading.enter("function", name, node)
    _type_parameters(reading, node)
    words = {text_of(one) for one in node.named_children if one.type == "modifier"}
    scope.is_static = "static" in words
    _parameters(reading, node.child_by_field_name("parameters"), scope)
    written = node.child_by_field_name("returns") or node.child_by_field_name("type")
    if written is not None and node.type != "constructor_declaration":
        scope.annotated = True
        found = typed(written)
        if found != NOTHING:
            scope.returns.append(found)


def _parameters(reading: FileReading, listed: Node | None, scope: CodeScope) -> None:
    children = listed.named_children if listed is not None else []
    for one in children:
        if one.type != "parameter":
            continue
        found = typed(one.child_by_field_name("type"))
        reading.bind(text_of(one.child_by_field_name("name")), found)
        if any(child.type == "modifier" and text_of(child) == "this" for child in one.children):
            reading.bind("<this>", type_of(one.child_by_field_name("type")))
            continue
        scope.parameters.append(found)
        scope.optional += any(child.type == "=" for child in one.children)
    for at, child in enumerate(listed.children if listed is not None else ()):
        if child.type == "params" and listed is not None:
            # `params T[] xs` has no node of its own.
            scope.is_variadic = True
            after = [one for one in listed.children[at + 1 :] if one.is_named]
            scope.parameters.append(UNKNOWN)
            if len(after) > 1:
                reading.bind(text_of(after[1]), typed(after[0]))


def _block(reading: FileReading, node: Node) -> None:
    reading.enter("block", "", node)


def _lambda(reading: FileReading, node: Node) -> None:
    reading.enter("block", "", node)
    listed = node.child_by_field_name("parameters")
    if listed is None:
        return
    if listed.type != "parameter_list":
        reading.bind(text_of(listed), _handed(node, 0))
        return
    for number, one in enumerate(listed.named_children):
        written = one.child_by_field_name("type")
        found = typed(written) if written is not None else _handed(node, number)
        reading.bind(text_of(one.child_by_field_name("name") or one), found)


def _handed(node: Node, number: int) -> Expr:
    """The argument types of a lambda without declared types, from the method it is passed to."""
    argument = node.parent
    listed = argument.parent if argument is not None else None
    around = listed.parent if listed is not None else None
    if argument is None or listed is None or around is None or argument.type != "argument":
        return UNKNOWN
    given = [one for one in listed.named_children if one.type == "argument"]
    if around.type == "invocation_expression":
        callee = called(around)
    elif around.type == "object_creation_expression":
        written = around.child_by_field_name("type")
        callee = _named_type(written) if written is not None else UNKNOWN
    else:
        return UNKNOWN
    if callee == UNKNOWN:
        return UNKNOWN
    handed = ("handed", callee, given.index(argument), number)
    item = walked(callee) if number == 0 else UNKNOWN
    return ("bounds", (item, handed)) if item != UNKNOWN else handed


def _declare(reading: FileReading, node: Node) -> None:
    """Fields and locals."""
    written = node.child_by_field_name("type")
    is_open = written is None or written.type == "implicit_type"
    for one in node.named_children:
        if one.type != "variable_declarator":
            continue
        name = one.child_by_field_name("name")
        given = one.named_children[-1] if one.named_children else None
        if name is None:
            continue
        found = value(given) if is_open and given != name else typed(written)
        reading.bind(text_of(name), found)


def _field(reading: FileReading, node: Node) -> None:
    """A property."""
    owner = reading.own_class()
    if owner is not None:
        name = text_of(node.child_by_field_name("name"))
        reading.bind(name, typed(node.child_by_field_name("type")), owner)


def _case(reading: FileReading, node: Node) -> None:
    owner = reading.own_class()
    if owner is not None:
        reading.bind(text_of(node.child_by_field_name("name")), SELF, owner)


def _loop(reading: FileReading, node: Node) -> None:
    reading.enter("block", "", node)
    left, written = node.child_by_field_name("left"), node.child_by_field_name("type")
    if left is None or left.type != "identifier":
        return
    if written is not None and written.type != "implicit_type":
        reading.bind(text_of(left), typed(written))
    else:
        reading.bind(text_of(left), ("item", value(node.child_by_field_name("right"))))


def _pattern(reading: FileReading, node: Node) -> None:
    """Bindings with a declared type: `x is T t`, `case T t`, `catch (T t)`, `out T t`."""
    written, name = node.child_by_field_name("type"), node.child_by_field_name("name")
    if written is not None and name is not None:
        is_open = written.type == "implicit_type"
        reading.bind(text_of(name), UNKNOWN if is_open else typed(written))


def _call(reading: FileReading, node: Node) -> None:
    found = called(node)
    named = last_name(node.child_by_field_name("function"))
    if found != UNKNOWN and named is not None and text_of(named) != "nameof":
        reading.site("call", named, found)


def _new(reading: FileReading, node: Node) -> None:
    written = node.child_by_field_name("type")
    named = last_name(written)
    if written is not None and named is not None:
        reading.site("call", named, _named_type(written))


def _construct(reading: FileReading, node: Node) -> None:
    """`: this(…)` and `: base(…)`."""
    word = next((one for one in node.children if one.type in ("this", "base")), None)
    if word is not None:
        which = SELF if word.type == "this" else SUPER
        reading.site("call", word, ("attr", ("constructed", which), word.type))


def _mention(reading: FileReading, node: Node) -> None:
    """`typeof(T)`."""
    written = node.child_by_field_name("type")
    named = last_name(written)
    if written is not None and named is not None:
        reading.site("use", named, _named_type(written))


def _group(reading: FileReading, node: Node) -> None:
    """A method that is named without a call, to be passed on or in `nameof`."""
    named = last_name(node)
    if named is None or (
        node.parent is not None and node.parent.child_by_field_name("name") == node
    ):
        return
    name = text_of(named)
    if node.type != "identifier":
        reading.site("use", named, value(node))
    elif not any(name in reading.scopes[number].bindings for number in reading.open_[1:]):
        reading.site("use", named, ("attr", IMPLICIT, intern(name)))


STEPS: dict[str, Callable[[FileReading, Node], None]] = {
    "space": _space,
    "class": _class,
    "function": _function,
    "lambda": _lambda,
    "block": _block,
    "declare": _declare,
    "field": _field,
    "case": _case,
    "loop": _loop,
    "pattern": _pattern,
    "construct": _construct,
    "call": _call,
    "new": _new,
    "mention": _mention,
    "group": _group,
}
