"""No clock of the machine decides whether a change may land: a busy machine is no defect of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from sources import ROOT, faults

from support.verdicts import none_of, of_this_rule

CLOCKS = {
    "monotonic",
    "perf_counter",
    "process_time",
    "time",
    "time_ns",
    "monotonic_ns",
    "thread_time",
}
LEAST_PATIENCE = 30
"""Seconds. A wait that ends after so long, or later, finds a hang."""


def reads_clock(node: ast.AST) -> bool:
    """Whether an expression asks a clock: `time.monotonic()`."""
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr in CLOCKS
        and isinstance(part.func.value, ast.Name)
        and part.func.value.id == "time"
        for part in ast.walk(node)
    )


def is_patient(node: ast.AST) -> bool:
    """Whether an expression is a moment far enough from now: `time.monotonic() + 60`."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add)
        and isinstance(node.right, ast.Constant)
        and isinstance(node.right.value, int | float)
        and node.right.value >= LEAST_PATIENCE
    )


def is_slow(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(one).startswith("pytest.mark.slow") for one in function.decorator_list)


def timed_asserts(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The assertions of a function that a clock decides."""
    timed, patient = set(), set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and reads_clock(node.value):
            names = {
                part.id
                for target in node.targets
                for part in ast.walk(target)
                if isinstance(part, ast.Name)
            }
            (patient if is_patient(node.value) else timed).update(names)
    found = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            names = {part.id for part in ast.walk(node.test) if isinstance(part, ast.Name)}
            if names & timed or (reads_clock(node.test) and not names & patient):
                found.append(f"line {node.lineno}: {ast.unparse(node.test)}")
    return found


def in_file(path: Path) -> list[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [
        fault
        for function in functions
        if not is_slow(function)
        for fault in timed_asserts(function)
    ]


def test_no_test_of_the_gate_measures_time() -> None:
    files = [
        path.relative_to(ROOT)
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if "clients" not in path.parts and path.name.startswith("test_")
    ]
    none_of(
        faults(files, in_file),
        "assert what happened instead of how long it took, or wait until it does; a measurement is marked slow",
    )


@of_this_rule
@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("began = time.monotonic()\n assert time.monotonic() - began < 5", True),
        (
            "began = time.perf_counter()\n took = time.perf_counter() - began\n assert took < 1",
            True,
        ),
        ("until = time.monotonic() + 60\n assert time.monotonic() < until", False),
        ("until = time.monotonic() + 5\n assert time.monotonic() < until", True),
        ("assert clock.time() == 5", False),
    ],
)
def test_the_search_finds_what_a_clock_decides(body: str, found: bool) -> None:
    [function] = ast.parse(f"def test():\n {body}").body
    assert isinstance(function, ast.FunctionDef)
    assert bool(timed_asserts(function)) is found
