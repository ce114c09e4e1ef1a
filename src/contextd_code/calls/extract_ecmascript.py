"""Extract conditions, default exports and nested types of TypeScript and JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from contextd_code.calls.call_facts import NARROWED, UNKNOWN, Expr
from contextd_code.calls.expressions import value
from contextd_code.calls.file_scope import FileReading
from contextd_code.index.languages.ecmascript_modules import bound_names
from contextd_code.index.languages.outline import text_of

_GUARD = re.compile(r"(?:is|has|assert)[A-Z]\w*")
"""Names of functions whose return type may be `x is T`: a scope for every other call would be wasted."""
_CONDITIONAL = {"if_statement": "condition", "ternary_expression": "condition"}


def narrow(reading: FileReading, node: Node) -> None:
    """Open a block for the code that runs only where `x instanceof T` or `isT(x)` holds."""
    around = node.parent
    condition = (
        around.child_by_field_name(_CONDITIONAL.get(around.type, "left")) if around else None
    )
    known = dict(_narrowed(condition))
    if known:
        scope = reading.enter("block", "", node)
        for name, found in known.items():
            scope.bindings[f"{NARROWED}{name}"] = [(found, reading.here)]


def lexical(reading: FileReading, node: Node) -> None:
    """Open a block for declarations by `const`, `let`, `:=` and loops; a function body already is a scope."""
    around = node.parent
    is_body = around is not None and around.child_by_field_name("parameters") is not None
    is_body = is_body or (around is not None and around.type == "arrow_function")
    if not is_body and reading.scopes[reading.here].start != node.start_byte:
        reading.enter("block", "", node)


def caught(reading: FileReading, node: Node) -> None:
    """Open a block for `catch (error)`, which hides other variables of that name."""
    reading.enter("block", "", node)
    for name in bound_names(node.child_by_field_name("parameter")):
        reading.bind(name, UNKNOWN)


def default_export(reading: FileReading, node: Node) -> None:
    """Record the export of `export default new Shop()`."""
    found = value(node)
    if found[0] in ("new", "call", "object", "typed"):
        reading.bind("default", found)


def is_nested(node: Node) -> bool:
    """Whether a signature is part of a nested type: `inner: { page: Page }`."""
    body = node.parent
    is_type = body is not None and body.type == "object_type"
    around = body.parent if is_type and body is not None else None
    return around is not None and around.type != "type_alias_declaration"


def _narrowed(node: Node | None) -> Iterator[tuple[str, Expr]]:
    """The variables that a condition narrows, each with its narrowed type."""
    if node is None:
        return
    if node.type == "parenthesized_expression":
        yield from _narrowed(next(iter(node.named_children), None))
    elif node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = text_of(node.child_by_field_name("operator"))
        if operator == "&&":
            yield from _narrowed(left)
            yield from _narrowed(right)
        found = value(right) if operator == "instanceof" else UNKNOWN
        if found != UNKNOWN and left is not None and left.type == "identifier":
            yield text_of(left), ("typed", found)
    elif node.type == "call_expression":
        called = value(node.child_by_field_name("function"))
        listed = node.child_by_field_name("arguments")
        given = listed.named_children if listed is not None else []
        is_guard = called[0] in ("name", "attr") and _GUARD.fullmatch(str(called[-1]))
        if is_guard and len(given) == 1 and given[0].type == "identifier":
            yield text_of(given[0]), ("guarded", called)
