"""Every operation has a test that calls it by its name and looks at its answer.

A table over all operations proves what they have in common, not what one of them does; a call in a
`pytest.raises` proves what it refuses, and a bare statement only prepares another test. None of them counts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from sources import nodes, python_files

from contextd.app import load_operations
from contextd.runtime.operation import OPERATIONS
from support.verdicts import none_of, of_this_rule, place

load_operations()

NAMES = {spelling: name for name in OPERATIONS for spelling in (name, name.replace("_", "-"))}
"""How tests call an operation, in Python and on the command line → its name."""


def answered_calls(function: ast.FunctionDef) -> Iterator[str]:
    """The operations that a test calls by a literal name, and whose answer it uses."""
    around = {inner: outer for outer in ast.walk(function) for inner in ast.iter_child_nodes(outer)}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and not isinstance(around[node], ast.Expr):
            literals = {str(one.value) for one in node.args if isinstance(one, ast.Constant)}
            if literals & NAMES.keys() and not _refused(node, around):
                yield from (NAMES[one] for one in literals & NAMES.keys())


def _refused(node: ast.AST, around: Mapping[ast.AST, ast.AST]) -> bool:
    while node in around:
        node = around[node]
        if isinstance(node, ast.With) and "raises" in ast.unparse(node.items[0].context_expr):
            return True
    return False


def with_a_test() -> set[str]:
    return {
        name
        for path in python_files()
        if path.name.startswith("test_")
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        for name in answered_calls(node)
    }


def test_every_operation_has_a_test_that_looks_at_its_answer() -> None:
    none_of(
        [
            f"{place(OPERATIONS[name].run)}: no test calls {name!r}"
            for name in sorted(OPERATIONS.keys() - with_a_test())
        ],
        "add a test to tests/unit/ROOM that calls it by this name on a `Desk`, and asserts on its answer",
    )


@of_this_rule
def test_a_prepared_a_refused_and_a_listed_call_are_no_tests_of_an_operation() -> None:
    text = """
def test_one(desk):
    desk("remember", content="x")
    with pytest.raises(NotFound):
        found = desk("get_record", id="abcd")
    for name in ("undo", "history"):
        desk(name)
    assert desk.as_owner("list_records")["records"]
"""
    [function] = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    assert list(answered_calls(function)) == ["list_records"]
