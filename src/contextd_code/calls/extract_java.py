"""Extract Java: anonymous classes, patterns, and constructor calls by `this` and `super`."""

from __future__ import annotations

from tree_sitter import Node

from contextd_code.calls.call_facts import SELF, SUPER, UNKNOWN
from contextd_code.calls.expressions import either, typed, value
from contextd_code.calls.file_scope import FileReading
from contextd_code.index.languages.outline import text_of


def anonymous(reading: FileReading, node: Node) -> None:
    """The body of `new T() { … }`, or of a constant of an enum: a class without a name."""
    around = node.parent
    scope = reading.enter("class", "", node)
    if around is not None and around.type == "object_creation_expression":
        base = value(around.child_by_field_name("type"))
        if base != UNKNOWN:
            scope.bases.append(base)
    else:
        scope.bases.append(("own_class",))


def pattern(reading: FileReading, node: Node) -> None:
    """Bindings with a declared type: `x instanceof T t`, `case T t`, `catch (T t)`."""
    if node.type == "type_pattern":
        type_, name = [*node.named_children, None, None][:2]
    elif node.type == "catch_formal_parameter":
        caught = next((one for one in node.named_children if one.type == "catch_type"), None)
        types = [value(one) for one in caught.named_children] if caught is not None else []
        reading.bind(text_of(node.child_by_field_name("name")), ("typed", either(types)))
        return
    else:
        type_, name = node.child_by_field_name("right"), node.child_by_field_name("name")
    if name is not None:
        reading.bind(text_of(name), typed(type_))


def components(reading: FileReading, node: Node) -> None:
    """The components of a record."""
    owner = reading.own_class()
    for one in node.named_children:
        written = one.child_by_field_name("type")
        if owner is not None and written is not None:
            reading.bind(text_of(one.child_by_field_name("name")), typed(written), owner)


def construct(reading: FileReading, node: Node) -> None:
    """`this(…)` and `super(…)` as the first statement of a constructor."""
    named = node.child_by_field_name("constructor")
    if named is not None:
        which = SELF if named.type == "this" else SUPER
        reading.site("call", named, ("attr", ("constructed", which), named.type))


def reference(reading: FileReading, node: Node) -> None:
    """`Order::total`, a method reference."""
    children = node.named_children
    if len(children) > 1 and children[-1].type == "identifier":
        target = ("attr", value(children[0]), text_of(children[-1]))
        reading.site("use", children[-1], target)
