"""The table of promises: each mutant fits the source, each test exists, each sort has a row."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from sources import ROOT, parsed

from promise_table import PROMISES
from promise_table.row import Promise, Sort
from support.verdicts import none_of, of_this_rule

BY_NAME = {one.says: one for one in PROMISES}


def source_of(promise: Promise) -> str:
    return (ROOT / "src" / promise.source).read_text("utf-8")


@cache
def functions_in(file: str) -> frozenset[str]:
    """The functions of a file of tests that pytest collects."""
    names = (node.name for node in parsed(Path(file)).body if isinstance(node, ast.FunctionDef))
    return frozenset(name for name in names if name.startswith("test_"))


def wrong_in(promise: Promise) -> str:
    """What is wrong with a row; empty if nothing."""
    try:
        mutant = promise.mutated(source_of(promise))
    except (OSError, ValueError) as error:
        return str(error)
    try:
        broken = ast.dump(ast.parse(mutant))
    except SyntaxError as error:
        return f"the mutant is not Python: {error}"
    if broken == ast.dump(ast.parse(source_of(promise))):
        return "the mutant changes no code"
    named = [test.partition("[")[0].partition("::") for test in promise.tests]
    missing = [
        f"{file}::{name}"
        for file, _, name in named
        if not (ROOT / file).is_file() or name not in functions_in(file)
    ]
    return f"no such tests: {missing}" if missing or not named else ""


def test_each_mutant_occurs_once_parses_and_has_tests() -> None:
    wrong = {
        f"src/{one.source} ({says})": wrong
        for says, one in BY_NAME.items()
        if (wrong := wrong_in(one))
    }
    none_of(
        wrong,
        "bring the row of this promise in tests/promise_table up to date: its `before` is a text that the file has "
        "once, its `tests` are tests that exist",
    )


def test_each_promise_is_one_sentence_and_stands_once() -> None:
    here = "of tests/promise_table"
    twice = [one for one, count in Counter(row.says for row in PROMISES).items() if count > 1]
    none_of(twice, f"two rows {here} say this: remove one")
    long = [one.says for one in PROMISES if not one.says.endswith(".") or len(one.says) > 100]
    none_of(long, f"`says` {here} is one sentence of at most 100 letters, with a full stop")
    mutants = Counter((one.file, one.before, one.after) for one in PROMISES)
    none_of(
        [
            f"src/contextd/{file}: {before}"
            for (file, before, _), count in mutants.items()
            if count > 1
        ],
        f"two rows {here} have this mutant: unite them",
    )


@pytest.mark.parametrize("sort", get_args(Sort))
def test_each_sort_has_a_row(sort: Sort) -> None:
    there = [one for one in PROMISES if one.sort == sort]
    assert there, (
        f"tests/promise_table: add a row with the sort {sort!r}, or remove it from `Sort` in row.py"
    )


@of_this_rule
def test_a_row_that_does_not_fit_is_named() -> None:
    fits = PROMISES[0]

    def changed(**fields: str | list[str]) -> str:
        row = {name: getattr(fits, name) for name in Promise.__slots__}
        return wrong_in(Promise(**{**row, **fields}))

    assert changed() == ""
    assert "0 times" in changed(before="no such text")
    assert "times" in changed(before="return")
    assert "not Python" in changed(after="    return (\n")
    assert "no code" in changed(after=fits.before + "    # nothing\n")
    assert "no such tests" in changed(tests=["tests/unit/briefing/test_quoting.py::test_nothing"])
    assert "no such tests" in changed(tests=[])
    assert "No such file" in changed(file="domain/nothing.py")
