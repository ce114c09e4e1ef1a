"""What a person types is taken for the command that is meant, or leads to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from contextd.__main__ import EXTRAS
from contextd.app import load_operations
from contextd.runtime.operation import OPERATIONS
from contextd.surfaces.cli import main as cli
from contextd.surfaces.cli.commands import Commands, in_a_line
from contextd.surfaces.cli.operations import OperationCommand
from contextd.surfaces.cli.table import FIXED, GROUPS, OPTION_SYNONYMS, SET_APART, SYNONYMS, VERBS

Line = Callable[..., tuple[int, str, str]]


def never() -> None:
    pytest.fail("a contextd was opened")


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("CONTEXTD_HOME", str(tmp_path))
    return Commands(load_operations, never, EXTRAS)


@pytest.fixture
def root(commands: Commands) -> click.Context:
    return click.Context(commands, info_name="contextd")


@pytest.fixture
def line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Line:
    """Run a line; its code, what it printed, and what it said was wrong."""
    monkeypatch.setenv("CONTEXTD_HOME", str(tmp_path))

    def run(*words: str) -> tuple[int, str, str]:
        code = cli.main(words, load=load_operations, standalone=never, extras=EXTRAS)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_help_lists_every_command_once_in_a_group_with_a_heading(
    commands: Commands, root: click.Context, line: Line
) -> None:
    load_operations()
    assert set(commands.listed) == set(GROUPS)
    assert set(SET_APART) <= set(OPERATIONS)
    offered = {op.name.replace("_", "-") for op in OPERATIONS.values() if op.audience != "system"}
    listed = commands.list_commands(root)
    assert len(listed) == len(set(listed))
    assert set(listed) == offered | set(FIXED) | set(VERBS) | set(EXTRAS) | {"call", "help"}
    code, shown, _ = line("--help")
    assert code == cli.DONE
    assert [text for text in GROUPS.values() if f"\n{text}:\n" not in shown] == []


def test_help_fits_a_terminal_and_says_what_the_exit_codes_mean(line: Line) -> None:
    _, shown, _ = line("--help")
    assert max(map(len, shown.splitlines())) <= 80
    assert "0 done, 1 failed, 2 wrong usage" in shown


def test_a_new_operation_stands_in_the_group_of_its_room(commands: Commands) -> None:
    assert "find-symbol" in commands.listed["code"]
    assert "list-sessions" in commands.listed["sessions"]
    assert "save-context" in commands.listed["knowledge"]
    assert "memory-search" in commands.listed["lessons"]
    assert "remember" in commands.listed["everyday"]


@pytest.mark.parametrize("name", FIXED)
def test_what_is_said_of_a_fixed_command_is_what_it_says_itself(
    commands: Commands, root: click.Context, name: str
) -> None:
    command = commands.get_command(root, name)
    assert command is not None
    assert " ".join((command.help or "").split("\n\n")[0].split()) == FIXED[name].about


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_is_a_command_of_its_operation(
    commands: Commands, root: click.Context, name: str
) -> None:
    command = commands.get_command(root, name)
    assert isinstance(command, OperationCommand)
    assert command.op.name == VERBS[name].operation
    assert not VERBS[name].positional or command.positions
    assert VERBS[name].wider in ("", *VERBS)


@pytest.mark.parametrize("word", SYNONYMS)
def test_a_synonym_is_no_command_and_leads_to_one(
    commands: Commands, root: click.Context, word: str
) -> None:
    assert commands.get_command(root, word) is None
    context = root
    for part in SYNONYMS[word].split():
        command = context.command
        if part.startswith("-"):
            options = [name for one in command.get_params(context) for name in one.opts]
            assert part in options
        elif isinstance(command, click.Group):
            found = command.get_command(context, part)
            assert found is not None
            context = click.Context(found, parent=context)
        else:
            assert command.params


def test_synonyms_of_options_lead_to_options_some_command_has(
    commands: Commands, root: click.Context
) -> None:
    known = set()
    for name in commands.list_commands(root):
        command = commands.get_command(root, name)
        assert command is not None
        known |= {option for one in command.params for option in one.opts}
    assert {f"--{name}" for name in OPTION_SYNONYMS.values()} <= known


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["stop"], "`contextd daemon stop`"),
        (["sessions"], "`contextd list-sessions`"),
        (["logs"], "`contextd daemon logs`"),
        (["rm", "5b46e3d4"], "`contextd forget`"),
        (["statu"], "did you mean 'status'?"),
        (["sesions"], "did you mean `contextd list-sessions`?"),
        (["fnd"], "`contextd search`"),
        (["memory"], "there is memory-search, memory-record, memory-feedback"),
        (["quux"], "`contextd --help` lists them"),
        (["daemon", "halt"], "there is logs, run, start, status, stop"),
        (["daemon", "stp"], "did you mean 'stop'?"),
        (["call", "memory_serch"], "did you mean 'memory_search'?"),
        (["list", "--tgs", "x"], "did you mean '--tags'?"),
        (["search", "--lmit", "3", "x"], "did you mean '--limit'?"),
        (["log", "--max", "3"], "did you mean '--limit'?"),
        (["show", "--sesions"], "did you mean '--sessions'?"),
        (["list-sessions", "--status", "activ"], "did you mean 'active'?"),
        (["list-sessions", "--status", "x"], "one of any, active, completed, archived"),
        (["memory-record", "t", "d", "c", "sucess"], "did you mean 'success'?"),
        (["completion", "tcsh"], "one of bash, zsh, fish"),
        (["install", "claud-code"], "did you mean 'claude-code'?"),
    ],
)
def test_a_wrong_word_leads_to_the_right_one(line: Line, words: list[str], hint: str) -> None:
    code, shown, told = line(*words)
    assert code == cli.USAGE
    assert shown == ""
    assert hint in told
    assert len(told.splitlines()) == 2


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (["search"], "missing QUERY"),
        (["forget"], "missing ID"),
        (["memory-record", "--title", "t", "--outcome", "success"], "missing DESCRIPTION, TEXT"),
        (["memory-feedback", "5b46e3d4"], "missing --useful or --no-useful"),
        (["list", "--limit", "many"], "--limit must be a whole number, not 'many'"),
        (["recall", "x", "--min-confidence", "high"], "must be a number, not 'high'"),
        (["read-file", "a", "b"], "takes no further word: 'b'"),
        (["status", "now"], "unexpected extra argument (now)"),
        (["read-file", "a", "--include-deps=perhaps"], "must be yes or no, not 'perhaps'"),
        (["save-typed-context", "bug", "{not json"], "is not valid JSON"),
        (["save-typed-context", "bug", "[1]"], "must be a JSON object"),
        (["save-typed-context", "bug", "@/nowhere/at.all"], "cannot be read"),
        (["restore"], "give the file of a backup, or --fresh"),
        (["completion"], "missing bash|zsh|fish"),
    ],
)
def test_what_is_missing_or_wrong_is_named_before_anything_is_called(
    line: Line, words: list[str], missing: str
) -> None:
    code, _, told = line(*words)
    assert code == cli.USAGE
    assert missing in told
    assert "hint: " in told


def test_wrong_usage_is_json_when_json_is_asked_for(line: Line) -> None:
    code, _, told = line("list-sessions", "--status", "activ", "--json")
    assert code == cli.USAGE
    error = json.loads(told)["error"]
    assert (error["code"], error["hint"][:22]) == ("invalid", "did you mean 'active'?")


def test_an_option_in_front_of_the_command_is_sent_behind_it(line: Line) -> None:
    assert "`contextd status --json`" in line("--json", "status")[2]


def test_help_of_a_command_can_be_asked_for_in_front_of_it(line: Line) -> None:
    assert line("help", "daemon", "stop")[1] == line("daemon", "stop", "--help")[1]
    assert line("help")[1] == line("--help")[1]
    assert line("help", "serch")[0] == cli.USAGE


def test_every_command_that_prints_a_result_prints_json(
    commands: Commands, root: click.Context
) -> None:
    without = []
    for name in commands.list_commands(root):
        command = commands.get_command(root, name)
        assert command is not None
        if not any("--json" in one.opts for one in command.params):
            without.append(name)
    # Groups, what speaks a protocol or prints text for a shell, and what reads its own options.
    allowed = {
        "daemon",
        "inbox",
        "policy",
        "call",
        "mcp",
        "hook",
        "completion",
        "help",
        "plugins",
        "statusline",
        *EXTRAS,
    }
    assert set(without) == allowed


def test_the_project_option_is_explained_wherever_it_is(
    commands: Commands, root: click.Context
) -> None:
    for name in commands.list_commands(root):
        command = commands.get_command(root, name)
        assert command is not None
        options = [one for one in command.params if "--project" in one.opts]
        assert all("name, slug or scope" in (getattr(one, "help", "") or "") for one in options)


@pytest.mark.parametrize(
    ("about", "room", "short"),
    [
        ("Show it. Then more.", 40, "Show it"),
        ("Scan a repository: stack, modules and more", 30, "Scan a repository"),
        ("One two three four five six seven", 20, "One two three four…"),
        ("Fits just so", 12, "Fits just so"),
    ],
)
def test_a_summary_is_cut_where_it_still_says_something(about: str, room: int, short: str) -> None:
    assert in_a_line(about, room) == short
    assert len(in_a_line(about, room)) <= room
