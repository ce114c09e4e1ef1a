"""Files and functions that can be read in one go, and names that say something."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from sources import (
    ROOT,
    code_lines,
    faults,
    nodes,
    parsed,
    product_files,
    python_files,
)

from support.verdicts import agrees, none_of, of_this_rule

SOURCE = product_files()

FILE_LINES = 400
FUNCTION_LINES = 60

VAGUE = {"manager", "helper", "helpers", "util", "utils", "base", "impl", "misc", "common"}
"""Words that stand for a thing nobody named yet."""

WHAT_WAS_DONE = {"told", "said", "kept", "gone"}
"""As the name of a variable they tell what was done with a value, and not what it is."""

DONE_TO_IT = WHAT_WAS_DONE | {"given"}
"""The same for parameters, and for fields and attributes of classes."""

IN_ANSWERS_AND_FILES = {
    "Begun.kept", "FileOfChange.gone", "FoldedSubtask.kept", "ImportUndone.kept", "LastInjection.told",
    "Resolved.kept", "Saving.kept", "SavingTotal.kept", "Thread.said", "TierShare.told",
}  # fmt: skip
"""Fields that programs and stored sessions know by these names."""


def words_of(name: str) -> set[str]:
    """The words of a camelCase or snake_case name."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def long_functions(path: Path) -> dict[str, int]:
    return {
        node.name: size
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno >= FUNCTION_LINES - 1
        and (
            size := len(
                code_lines(path) & set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            )
        )
        >= FUNCTION_LINES
    }


MOST_PARAMETERS = 8
LONGER_LISTS = {
    "src/contextd_code/index/scan.py:scan": 12,
    "src/contextd_code/project/stack_row.py:row": 15,
}
"""Functions that take more: take one off, or lower its number, whenever values can stand together."""


def long_lists(path: Path) -> dict[str, int]:
    """Functions with too many parameters. Those of an operation are its interface, and the command line's
    are made from options.
    """
    if "operations" in path.parts or "cli" in path.parts:
        return {}
    counted = {
        f"{path}:{node.name}": len(node.args.posonlyargs)
        + len([arg for arg in node.args.args if arg.arg not in ("self", "cls")])
        + len(node.args.kwonlyargs)
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return {name: count for name, count in counted.items() if count > MOST_PARAMETERS}


def test_no_function_takes_more_than_eight_parameters() -> None:
    found = [f"{name}: {count}" for path in SOURCE for name, count in long_lists(path).items()]
    agrees(
        found,
        [f"{name}: {count}" for name, count in LONGER_LISTS.items()],
        "LONGER_LISTS in tests/rules/test_shape.py",
        "or better, let values that belong together be one parameter",
    )


def vague_names(path: Path) -> list[str]:
    names = {path.stem} | {node.name for node in nodes(path) if isinstance(node, ast.ClassDef)}
    return [name for name in names if words_of(name) & VAGUE]


def unnamed_values(path: Path) -> dict[int, str]:
    """Locals of functions that are called by what was done with them, by line."""
    return {
        node.lineno: node.id
        for function in nodes(path)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and node.id in WHAT_WAS_DONE
    }


def unnamed_members(path: Path) -> list[str]:
    """Parameters, fields and attributes that are called by what was done with them."""
    found: list[str] = []
    for node in nodes(path):
        if isinstance(node, ast.arg) and node.arg in DONE_TO_IT:
            found.append(f"{node.lineno}: parameter {node.arg}")
        stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if stored and node.attr.lstrip("_") in DONE_TO_IT:
            found.append(f"{node.lineno}: attribute {node.attr}")
        for field in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                named = f"{node.name}.{field.target.id}"
                if field.target.id in DONE_TO_IT and named not in IN_ANSWERS_AND_FILES:
                    found.append(f"{field.lineno}: field {named}")
    return found


def doubled(modules: Iterable[tuple[str, ast.Module]]) -> dict[str, list[str]]:
    """The names of public classes that more than one class has, and where these are."""
    found: dict[str, list[str]] = defaultdict(list)
    for where, module in modules:
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(f"{where}:{node.lineno}")
    return {name: places for name, places in found.items() if len(places) > 1}


def test_a_file_is_short() -> None:
    # Finding the lines of code takes 10 ms a file: only where there are enough lines of any sort.
    long = [
        path
        for path in python_files()
        if (ROOT / path).read_text("utf-8").count("\n") >= FILE_LINES
    ]
    assert len(long) > 20, "tests/rules/test_shape.py: it finds too few files with many lines"
    lines = {str(path): len(code_lines(path)) for path in long}
    none_of(
        {path: f"{count} lines of code" for path, count in lines.items() if count >= FILE_LINES},
        f"move a part with a topic of its own into a file of its own: fewer than {FILE_LINES} are allowed",
    )


def test_a_function_is_short() -> None:
    none_of(
        faults(python_files(), long_functions),
        f"move a step of this function into one of its own: fewer than {FUNCTION_LINES} lines of code are allowed",
    )


def test_a_name_says_what_it_names() -> None:
    none_of(faults(python_files(), vague_names), "name the file or class after what it is")


def test_a_variable_says_what_it_holds() -> None:
    none_of(faults(SOURCE, unnamed_values), "name the variable of that line after what it holds")


def test_a_parameter_and_a_field_say_what_they_hold() -> None:
    none_of(
        faults(SOURCE, unnamed_members),
        "name it after what it holds; a field that programs know by this name belongs in IN_ANSWERS_AND_FILES of "
        "tests/rules/test_shape.py",
    )


def test_no_two_public_classes_share_a_name() -> None:
    none_of(
        doubled((path.as_posix(), parsed(path)) for path in SOURCE),
        "rename one of these classes, or let its name begin with an underscore",
    )


@of_this_rule
def test_a_name_is_doubled_within_a_file_and_across_files_but_not_in_private() -> None:
    one = ast.parse("class A: ...\nclass _B: ...\nclass C:\n    class D: ...\n")
    other = ast.parse("class A: ...\nclass _B: ...\nclass D: ...\n")
    assert doubled([("one", one), ("other", other)]) == {
        "A": ["one:1", "other:1"],
        "D": ["one:4", "other:3"],
    }


@of_this_rule
def test_the_counting_leaves_out_docstrings_comments_and_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    path.write_text(
        '"""Two\nlines."""\n\n# why\nX = 1  # one\n"""About X."""\nTEXT = """a\n\nb"""\n'
    )
    assert code_lines(path) == {5, 7, 8, 9}
    assert words_of("StoreManager") & VAGUE
    assert words_of("path_utils") & VAGUE
    assert not words_of("Database") & VAGUE


def test_no_two_files_of_tests_share_a_name() -> None:
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    names = Counter(path.name for path in paths)
    none_of(
        [path.relative_to(ROOT) for path in paths if names[path.name] > 1],
        "rename it: of two files with one name pytest can collect only one when both are named",
    )
