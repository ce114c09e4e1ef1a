"""Extract imports inside a Python function, and what `isinstance` says about its variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from contextd_code.calls.call_facts import NARROWED, UNKNOWN, Expr
from contextd_code.calls.expressions import either, value
from contextd_code.calls.file_scope import FileReading
from contextd_code.index.languages.outline import text_of

_EXITS = frozenset(("return_statement", "raise_statement", "continue_statement", "break_statement"))
_REBINDING = {
    "assignment": "left",
    "augmented_assignment": "left",
    "named_expression": "name",
    "for_statement": "left",
    "as_pattern": "alias",
}
"""Nodes that bind a variable again, with the field of their target."""
_OF_OTHER_SCOPE = frozenset(("function_definition", "lambda", "class_definition"))
_NO_NAME = frozenset(("attribute", "subscript"))
"""Targets that bind no name: `x.size = 1` leaves `x` as it was."""


def narrow(reading: FileReading, node: Node) -> None:
    """Open a block for the code that runs only where `isinstance(x, T)` holds."""
    known = {
        name: found
        for condition in _conditions(node)
        for name, found in _narrowed(condition, is_negated=False)
    }
    _open(reading, node, node.end_byte, known, node.named_children if node.type == "block" else ())


def narrow_rest(reading: FileReading, node: Node) -> None:
    """Open a block for the rest of a body after `assert isinstance(x, T)`, or after an `if` that leaves the body
    where it does not hold. `node` is the first statement of the rest.
    """
    before, around = node.prev_named_sibling, node.parent
    if before is None or around is None:
        return
    if before.type == "assert_statement":
        known = dict(_narrowed(before.named_children[0], is_negated=False))
    elif _leaves(before):
        known = dict(_narrowed(before.child_by_field_name("condition"), is_negated=True))
    else:
        return
    rest = [one for one in around.named_children if one.start_byte >= node.start_byte]
    _open(reading, node, around.end_byte, known, rest)


def imported(reading: FileReading, node: Node) -> None:
    """Bind the names of an import inside a function: other functions may import another thing by that name."""
    if reading.scopes[reading.function].kind != "function":
        return
    line = node.start_point[0] + 1
    for one in node.children_by_field_name("name"):
        named = one.child_by_field_name("alias") or one
        # `import a.b` binds `a`.
        name = text_of(named).partition(".")[0]
        if named is not one or node.type == "import_from_statement":
            reading.bind(name, ("imported", name, line))


def _open(
    reading: FileReading, node: Node, end: int, known: dict[str, Expr], body: Sequence[Node]
) -> None:
    """Open a block in a function where names have known types, until the first of them is bound again."""
    if not known or reading.scopes[reading.function].kind != "function":
        return
    for one in body:
        if any(name in known for name in _bound_names(one)):
            # A value is read before its name is bound to it; a loop may come back to an earlier line.
            end = one.end_byte if one.type == "expression_statement" else one.start_byte
            break
    end = min(end, reading.scopes[reading.here].end)
    if end <= node.start_byte:
        return
    scope = reading.enter("block", "", node, end)
    for name, found in known.items():
        scope.bindings[f"{NARROWED}{name}"] = [(found, reading.here)]


def _conditions(node: Node) -> list[Node]:
    """The conditions under which a node is evaluated."""
    around = node.parent
    if around is None:
        return []
    if around.type.endswith(("comprehension", "generator_expression")):
        clauses = [one for one in around.named_children if one.type == "if_clause"]
        return [one.named_children[0] for one in clauses]
    if around.type == "conditional_expression":
        return around.named_children[1:2]
    found = around.child_by_field_name("left" if around.type == "boolean_operator" else "condition")
    return [found] if found is not None else []


def _leaves(node: Node) -> bool:
    """Whether an `if` without an alternative ends by leaving the body."""
    body = node.child_by_field_name("consequence")
    if node.type != "if_statement" or body is None or node.child_by_field_name("alternative"):
        return False
    return bool(body.named_children) and body.named_children[-1].type in _EXITS


def _narrowed(node: Node | None, *, is_negated: bool) -> Iterator[tuple[str, Expr]]:
    """The variables whose type a condition tells, where it holds, or where it does not."""
    if node is None:
        return
    if node.type == "parenthesized_expression":
        yield from _narrowed(next(iter(node.named_children), None), is_negated=is_negated)
    elif node.type == "not_operator":
        yield from _narrowed(node.child_by_field_name("argument"), is_negated=not is_negated)
    elif node.type == "boolean_operator":
        operator = text_of(node.child_by_field_name("operator"))
        if operator == ("or" if is_negated else "and"):
            for side in ("left", "right"):
                yield from _narrowed(node.child_by_field_name(side), is_negated=is_negated)
    elif node.type == "call" and not is_negated:
        listed = node.child_by_field_name("arguments")
        given = listed.named_children if listed is not None else []
        called = text_of(node.child_by_field_name("function"))
        if called == "isinstance" and len(given) == 2 and given[0].type == "identifier":
            types = given[1].named_children if given[1].type == "tuple" else given[1:]
            found = either([value(one) for one in types])
            if found != UNKNOWN:
                yield text_of(given[0]), ("typed", found)


def _bound_names(node: Node) -> Iterator[str]:
    """The names that a statement binds."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type in _OF_OTHER_SCOPE:
            continue
        target = one.child_by_field_name(_REBINDING[one.type]) if one.type in _REBINDING else None
        if target is not None:
            yield from _names_in(target)
        waiting += one.named_children


def _names_in(target: Node) -> Iterator[str]:
    if target.type == "identifier":
        yield text_of(target)
    elif target.type not in _NO_NAME:
        for one in target.named_children:
            yield from _names_in(one)
