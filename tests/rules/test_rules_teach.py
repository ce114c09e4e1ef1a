"""Each failure of a rule names a file and says what to do there: see `support.verdicts`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from sources import ROOT, faults, python_files

from support.verdicts import act, agrees, none_of, note_act, of_this_rule, place

RULES = [
    *(path for path in python_files() if path.parts[:2] == ("tests", "rules")),
    Path("tests/promises/test_clients.py"),
]
"""The rules, and what each client of the table has to promise."""

ACTS = {"act", "of_this_rule"}


def mute(source: str) -> list[str]:
    """The assertions of a file whose failure would not say where to do what, by line: they have no message, or only a
    value, and no `act` is on their test.
    """
    tree = ast.parse(source)
    acts = ACTS | {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and _named(node.value) in ACTS
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    if "pytestmark" in acts:
        return []
    return [
        f"line {node.lineno}: assert {ast.unparse(node.test)[:60]}"
        for function in tree.body
        if isinstance(function, ast.FunctionDef)
        and not any(_named(one) in acts for one in function.decorator_list)
        for node in ast.walk(function)
        if isinstance(node, ast.Assert)
        and not isinstance(node.msg, ast.JoinedStr | ast.Constant | ast.Call)
    ]


def _named(node: ast.expr) -> str:
    """The name of what is called or referred to."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.id if isinstance(node, ast.Name) else ""


def test_each_assertion_of_a_rule_says_where_to_do_what() -> None:
    none_of(
        faults(RULES, lambda path: mute((ROOT / path).read_text("utf-8"))),
        "use `none_of` or `agrees` of tests/support/verdicts.py, add a message with file and act, or put `act` on the test",
    )


@of_this_rule
@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def test_a():\n assert x == []", True),
        ("def test_a():\n for x in y:\n  assert x", True),
        ("def test_a():\n assert x, name", True),
        ("def test_a():\n assert x, 'file: do'", False),
        ("def test_a():\n assert x, f'{file}: do'", False),
        ("def test_a():\n none_of(x, 'do')", False),
        ("@act('file', 'do')\ndef test_a():\n assert x", False),
        ("@of_this_rule\ndef test_a():\n assert x", False),
        ("gate = act('file', 'do')\n@gate\ndef test_a():\n assert x", False),
        ("pytestmark = act('file', 'do')\ndef test_a():\n assert x", False),
        ("pytestmark = pytest.mark.slow\n@gate\ndef test_a():\n assert x", True),
    ],
)
def test_an_assertion_without_file_and_act_is_found(source: str, found: bool) -> None:
    assert bool(mute(source)) is found


@of_this_rule
def test_a_verdict_names_each_place_and_the_act() -> None:
    with pytest.raises(AssertionError, match=r"^a\.py: line 3, line 5\n→ split it$"):
        none_of({"a.py": [3, 5]}, "split it")
    with pytest.raises(AssertionError, match=r"^a\.py:3\n→ split it$"):
        none_of([Path("a.py:3")], "split it")
    with pytest.raises(AssertionError) as caught:
        agrees(["new", "both"], ["both", "old"], "TABLE in rules.py", "with its reason")
    assert str(caught.value).splitlines() == [
        "add new to TABLE in rules.py: with its reason",
        "take old out of TABLE in rules.py: it is gone",
    ]
    assert place(none_of).startswith("tests/support/verdicts.py:")
    none_of({}, "nothing")
    agrees({"a"}, ["a"], "TABLE in rules.py")


@act("src/{name}.py", "rename {name}")
@pytest.mark.parametrize("name", ["thing"])
def test_a_failure_ends_with_the_act_of_its_test(request: pytest.FixtureRequest, name: str) -> None:
    error = AssertionError("wrong")
    note_act(request.node, error)
    assert error.__notes__ == [f"→ src/{name}.py: rename {name}"]


@of_this_rule
def test_a_failure_of_a_rule_itself_ends_with_its_file(request: pytest.FixtureRequest) -> None:
    error = AssertionError("wrong")
    note_act(request.node, error)
    [note] = error.__notes__
    assert note.startswith("→ tests/rules/test_rules_teach.py: ")
