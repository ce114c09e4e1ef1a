"""The same call, however its arguments are written."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from contextd.app import load_operations
from contextd.surfaces.cli.commands import Commands
from contextd.surfaces.cli.operations import OperationCommand
from contextd_common.errors import Invalid

Meant = Callable[..., list[dict[str, Any]]]


def never() -> None:
    pytest.fail("a contextd was opened")


@pytest.fixture
def meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Meant:
    """The calls that a line stands for."""
    monkeypatch.setenv("CONTEXTD_HOME", str(tmp_path))
    commands = Commands(load_operations, never, {})
    root = click.Context(commands, info_name="contextd")

    def read(name: str, *words: str) -> list[dict[str, Any]]:
        group, _, last = name.rpartition(" ")
        holder = commands.get_command(root, group) if group else commands
        assert isinstance(holder, click.Group)
        command = holder.get_command(root, last)
        assert isinstance(command, OperationCommand)
        return command.calls(command.make_context(name, [*words], parent=root).params)

    return read


MEMORY = {"title": "t", "description": "d", "text": "c", "outcome": "success"}


@pytest.mark.parametrize(
    "words",
    [
        ["t", "d", "c", "success"],
        ["--title", "t", "--description", "d", "--content", "c", "--outcome", "success"],
        ["--outcome", "success", "t", "d", "c"],
        ["d", "c", "--title=t", "SUCCESS"],
    ],
)
def test_words_without_an_option_fill_the_remaining_arguments_in_order(
    meant: Meant, words: list[str]
) -> None:
    assert meant("memory-record", *words) == [MEMORY]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["--include-deps"], True),
        (["--include_deps"], True),
        (["--include-deps", "yes"], True),
        (["--include-deps=true"], True),
        (["--include-deps", "off"], False),
        (["--include-deps=no"], False),
        (["--no-include-deps"], False),
    ],
)
def test_a_switch_is_turned_by_its_name_or_by_a_word_behind_it(
    meant: Meant, words: list[str], value: bool
) -> None:
    assert meant("code read", "a.py", *words) == [{"path": "a.py", "include_deps": value}]
    assert meant("code read", *words, "a.py") == [{"path": "a.py", "include_deps": value}]


@pytest.mark.parametrize(
    "words",
    [
        ["--tags", "a", "--tags", "b"],
        ["--tags", "a,b"],
        ["--tags", "a, b"],
        ["--tags=a,b"],
        ["--tags", '["a", "b"]'],
    ],
)
def test_a_list_is_repeated_separated_by_commas_or_json(meant: Meant, words: list[str]) -> None:
    assert meant("save-context", "x", *words) == [{"text": "x", "tags": ["a", "b"]}]


def test_an_empty_list_takes_everything_out(meant: Meant) -> None:
    assert meant("records edit", "5b46", "--tags", "") == [{"id": "5b46", "tags": []}]


def test_a_required_list_takes_all_words(meant: Meant) -> None:
    assert meant("records report-usefulness", "aaaa", "bbbb", "--useful") == [
        {"ids": ["aaaa", "bbbb"], "useful": True}
    ]


def test_json_comes_from_the_line_a_file_or_stdin(
    meant: Meant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = {"cause": "a race", "count": 2}
    (tmp_path / "data.json").write_text(json.dumps(data))
    expected = [{"type": "bug", "fields": data}]
    assert meant("save-typed-context", "bug", json.dumps(data)) == expected
    assert meant("save-typed-context", "bug", f"@{tmp_path / 'data.json'}") == expected
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(data)))
    assert meant("save-typed-context", "--data", "-", "--type", "bug") == expected


@pytest.mark.parametrize(
    "text", ['{"a": 1}', "[draft] a note", "--not an option", "-x", "@somebody"]
)
def test_text_stays_the_text_that_was_typed(meant: Meant, text: str) -> None:
    assert meant("save-context", "--content", text) == [{"text": text}]
    assert meant("save-context", "--", text) == [{"text": text}]
    assert meant("records edit", "--content", text, "5b46") == [{"id": "5b46", "text": text}]


@pytest.mark.parametrize(
    ("line", "call"),
    [
        (["remember", "--text", "x"], {"text": "x"}),
        (["remember", "--content=x", "--labels", "a"], {"text": "x", "tags": ["a"]}),
        (["records feedback", "5b46", "--no-helpful"], {"id": "5b46", "useful": False}),
        (["records feedback", "5b46", "--helpful", "--comment", "y"],
         {"id": "5b46", "useful": True, "note": "y"}),
        (["records feedback", "--memory-id", "5b46", "--helpful", "no"],
         {"id": "5b46", "useful": False}),
        (["code grep", "x", "--file_pattern", "*.py"], {"pattern": "x", "path": "*.py"}),
    ],
)  # fmt: skip
def test_an_option_may_have_another_word_for_its_argument(
    meant: Meant, line: list[str], call: dict[str, Any]
) -> None:
    assert meant(*line) == [call]


def test_one_option_under_two_names_is_refused(meant: Meant) -> None:
    with pytest.raises(Invalid, match="--text and --content are the same option"):
        meant("remember", "--text", "a", "--content", "b")
    assert meant("remember", "a", "--tags", "b", "--tags", "c") == [
        {"text": "a", "tags": ["b", "c"]}
    ]


def test_numbers_are_numbers(meant: Meant) -> None:
    assert meant("records search", "x", "--limit", "3", "--min-confidence", "0.5") == [
        {"query": "x", "limit": 3, "min_confidence": 0.5}
    ]


def test_a_path_is_where_the_caller_stands(
    meant: Meant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert meant("store backup", "--path", "kept.db") == [{"path": str(tmp_path / "kept.db")}]
    assert meant("export", "--out", "a.json") == [{"path": str(tmp_path / "a.json")}]
    assert meant("code read", "src/a.py") == [{"path": "src/a.py"}]


def test_verbs_take_words_without_quotes(meant: Meant, monkeypatch: pytest.MonkeyPatch) -> None:
    assert meant("search", "how", "do", "we", "retry") == [{"query": "how do we retry"}]
    assert meant("remember", "never", "float", "--tags", "money") == [
        {"text": "never float", "tags": ["money"]}
    ]
    assert meant("list", "remediation") == [{"kind": "remediation"}]
    assert meant("forget", "aaaa", "bbbb") == [{"id": "aaaa"}, {"id": "bbbb"}]
    monkeypatch.setattr("sys.stdin", io.StringIO("two\nlines\n"))
    assert meant("remember", "-") == [{"text": "two\nlines"}]


def test_the_project_goes_with_every_call(meant: Meant) -> None:
    assert meant("forget", "aaaa", "bbbb", "--project", "shop") == [
        {"id": "aaaa", "project": "shop"},
        {"id": "bbbb", "project": "shop"},
    ]


def test_the_about_me_flag_saves_in_the_persons_layer(meant: Meant) -> None:
    for flag in (["--about-me"], ["--scope", "person"]):
        [call] = meant("remember", *flag, "No", "emojis", "in", "commits")
        assert call == {"text": "No emojis in commits", "scope": "person"}
    [call] = meant("save-context", "No emojis", "--about-me")
    assert call["scope"] == "person"
    with pytest.raises(click.UsageError):
        meant("search", "--about-me", "emojis")
