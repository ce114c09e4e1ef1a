"""JSON that a repository supplies may be nested beyond what Python's parser can follow."""

from __future__ import annotations

import ast
from pathlib import Path

from sources import faults, parsed, python_files

from support.verdicts import none_of, of_this_rule

CODE = Path("src/contextd_code")

ELSEWHERE = {
    "tree/grep.py": "ripgrep prints it",
    "tree/grep_python.py": "an argument of our own",
    "project/manifests": "whoever parses a manifest catches it",
}

FILES = [
    path
    for path in python_files()
    if path.is_relative_to(CODE)
    and not any(path.is_relative_to(CODE / known) for known in ELSEWHERE)
]


def unguarded(tree: ast.Module) -> list[int]:
    """Lines that call `json.loads` outside a `try` that catches `RecursionError`."""
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try)
        and any("RecursionError" in ast.unparse(one.type or node) for one in node.handlers)
        for part in node.body
        for inner in ast.walk(part)
    }
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "json.loads"
        and id(node) not in guarded
    ]


def test_deep_json_of_a_repository_ends_no_scan() -> None:
    none_of(
        faults(FILES, lambda path: unguarded(parsed(path))),
        "catch RecursionError beside ValueError around `json.loads` in these lines",
    )


@of_this_rule
def test_the_rule_sees_a_call_that_catches_too_little() -> None:
    text = "try:\n    json.loads(read())\nexcept ValueError:\n    pass\n"
    assert unguarded(ast.parse(text)) == [2]
