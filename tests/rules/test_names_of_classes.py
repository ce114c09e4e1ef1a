"""One word, one thing: a reader who meets the name of a class knows which one is meant."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from sources import parsed, python_files


def doubled(modules: Iterable[tuple[str, ast.Module]]) -> dict[str, list[str]]:
    """The names of public classes that more than one class has, and where these are."""
    found: dict[str, list[str]] = defaultdict(list)
    for where, module in modules:
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(f"{where}:{node.lineno}")
    return {name: places for name, places in found.items() if len(places) > 1}


def test_no_two_public_classes_share_a_name() -> None:
    source = [path for path in python_files() if path.is_relative_to(Path("src/contextd"))]
    assert doubled((path.as_posix(), parsed(path)) for path in source) == {}


def test_a_name_is_doubled_within_a_file_and_across_files_but_not_in_private() -> None:
    one = ast.parse("class A: ...\nclass _B: ...\nclass C:\n    class D: ...\n")
    other = ast.parse("class A: ...\nclass _B: ...\nclass D: ...\n")
    assert doubled([("one", one), ("other", other)]) == {
        "A": ["one:1", "other:1"],
        "D": ["one:4", "other:3"],
    }
