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
from contextd.surfaces.cli.renamed import RENAMED, notice
from contextd.surfaces.cli.table import (
    FIXED,
    GROUP_OF_ROOM,
    GROUPS,
    HEADINGS,
    MERGED,
    OPTION_SYNONYMS,
    SYNONYMS,
    UNLISTED,
    VERBS,
)
from support.verdicts import agrees, none_of

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


def found(root: click.Context, words: str) -> tuple[click.Context, click.Command | None]:
    """The command that a line leads to, in its context."""
    context = root
    for word in words.split():
        if not isinstance(context.command, click.Group):
            return context, None
        command = context.command.get_command(context, word)
        if command is None:
            return context, None
        context = click.Context(command, info_name=word, parent=context)
    return context, context.command


def lines(root: click.Context) -> dict[str, click.Command]:
    """Every command that is not a group, by its words; those of `dev call` are the operations themselves."""
    every: dict[str, click.Command] = {}

    def walk(context: click.Context) -> None:
        group = context.command
        assert isinstance(group, click.Group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None, name
            below = click.Context(command, info_name=name, parent=context)
            if isinstance(command, click.Group) and name != "call":
                walk(below)
            else:
                every[below.command_path.removeprefix("contextd ")] = command

    walk(root)
    return every


def test_help_lists_at_most_28_commands_in_sections(root: click.Context, line: Line) -> None:
    assert isinstance(root.command, Commands)
    listed = root.command.list_commands(root)
    assert len(listed) == len(set(listed)) <= 28
    assert sorted(listed) == sorted(name for names in HEADINGS.values() for name in names)
    assert set(GROUPS) <= set(listed)
    code, shown, _ = line("--help")
    assert code == cli.DONE
    assert [text for text in HEADINGS if f"\n{text}:\n" not in shown] == []
    assert [name for name in listed if f"\n  {name} " not in shown] == []


@pytest.mark.parametrize("name", GROUPS)
def test_help_of_a_group_lists_its_commands(root: click.Context, line: Line, name: str) -> None:
    _, group = found(root, name)
    assert isinstance(group, click.Group)
    code, shown, _ = line(name, "--help")
    assert code == cli.DONE
    listed = group.list_commands(click.Context(group, info_name=name, parent=root))
    assert len(listed) == len(set(listed)) > 1
    assert [one for one in listed if f"\n  {one} " not in shown] == []
    assert max(map(len, shown.splitlines())) <= 80


def test_every_operation_has_one_command(root: click.Context) -> None:
    load_operations()
    offered = sorted(
        op.name
        for op in OPERATIONS.values()
        if op.audience != "system" and "server" not in op.needs
    )
    named = [one.op.name for one in lines(root).values() if isinstance(one, OperationCommand)]
    table = "src/contextd/surfaces/cli/table.py"
    agrees(offered, [*named, *MERGED], f"the commands, see {table}")
    assert sorted([*named, *MERGED]) == offered, f"{table}: an operation has two commands"
    gone = {verb.operation for verb in VERBS.values()} - set(offered)
    none_of(sorted(gone), f"no such operation: correct VERBS in {table}")
    rooms = {op.run.__module__.split(".")[1] for op in OPERATIONS.values()}
    none_of(
        sorted(rooms - set(GROUP_OF_ROOM)),
        f"name the group of this room in GROUP_OF_ROOM of {table}",
    )


@pytest.mark.parametrize("operation", MERGED)
def test_the_replacement_of_a_merged_operation_exists(root: click.Context, operation: str) -> None:
    words, _, option = MERGED[operation].partition(" --")
    _, command = found(root, words.removesuffix(" context"))
    assert command is not None
    assert not option or f"--{option.split()[0]}" in {o for p in command.params for o in p.opts}


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_name_works_and_names_its_successor_on_stderr(
    root: click.Context, line: Line, old: str
) -> None:
    assert isinstance(root.command, Commands)
    assert old not in root.command.list_commands(root)
    assert root.command.get_command(root, old) is not None
    words, _, _ = RENAMED[old].partition(" --")
    assert found(root, words.removesuffix(" context"))[1] is not None
    code, shown, told = line(old, "--help")
    assert code == cli.DONE
    assert shown.startswith(f"Usage: contextd {old} ")
    assert told == notice(old) + "\n"
    assert f"`contextd {RENAMED[old]}`" in told


def test_an_old_name_is_no_command_of_today() -> None:
    assert set(RENAMED) & {*GROUPS, *VERBS, *FIXED, *SYNONYMS} == set()


@pytest.mark.parametrize("name", UNLISTED)
def test_commands_for_agents_and_shells_work_without_being_listed(
    root: click.Context, name: str
) -> None:
    assert found(root, name)[1] is not None
    assert name not in {word for names in HEADINGS.values() for word in names}


def test_help_fits_a_terminal_and_says_what_the_exit_codes_mean(line: Line) -> None:
    _, shown, _ = line("--help")
    assert max(map(len, shown.splitlines())) <= 80
    assert "0 done, 1 failed, 2 wrong usage" in shown


@pytest.mark.parametrize(
    ("words", "operation"),
    [
        ("records skill-get", "skill_get"),
        ("sessions digest", "digest"),
        ("code symbol", "find_symbol"),
        ("records search", "memory_search"),
        ("remember", "remember"),
    ],
)
def test_an_operation_is_in_the_group_of_its_room(
    root: click.Context, words: str, operation: str
) -> None:
    _, command = found(root, words)
    assert isinstance(command, OperationCommand)
    assert command.op.name == operation


@pytest.mark.parametrize("name", FIXED)
def test_the_listed_description_of_a_fixed_command_is_its_own_help(
    root: click.Context, name: str
) -> None:
    _, command = found(root, name)
    assert command is not None
    assert " ".join((command.help or "").split("\n\n")[0].split()) == FIXED[name].about


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_is_a_command_of_its_operation(root: click.Context, name: str) -> None:
    _, command = found(root, name)
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


def test_synonyms_of_options_lead_to_options_some_command_has(root: click.Context) -> None:
    known = {
        option for command in lines(root).values() for p in command.params for option in p.opts
    }
    assert {f"--{name}" for name in OPTION_SYNONYMS.values()} <= known


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["stop"], "`contextd daemon stop`"),
        (["contradictions"], "`contextd records contradictions`"),
        (["logs"], "`contextd daemon logs`"),
        (["rm", "5b46e3d4"], "`contextd forget`"),
        (["statu"], "did you mean 'status'?"),
        (["sesions"], "did you mean 'sessions'?"),
        (["fnd"], "`contextd search`"),
        (["memory"], "`contextd records search`"),
        (["records", "person"], "commands: person-accept, person-propose"),
        (["quux"], "`contextd --help` lists them"),
        (["daemon", "halt"], "commands: start, stop, status, logs, run, jobs, retry-job"),
        (["daemon", "stp"], "did you mean 'stop'?"),
        (["dev", "call", "memory_serch"], "did you mean 'memory_search'?"),
        (["list", "--tgs", "x"], "did you mean '--tags'?"),
        (["search", "--lmit", "3", "x"], "did you mean '--limit'?"),
        (["projects", "show", "--sesions"], "did you mean '--sessions'?"),
        (["sessions", "list", "--status", "activ"], "did you mean 'active'?"),
        (["sessions", "list", "--status", "x"], "one of any, active, completed, archived"),
        (["dev", "call", "memory-record", "t", "d", "c", "sucess"], "did you mean 'success'?"),
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
        (["records", "feedback", "5b46e3d4"], "missing --useful or --no-useful"),
        (["list", "--limit", "many"], "--limit must be a whole number, not 'many'"),
        (["records", "search", "x", "--min-confidence", "high"], "must be a number, not 'high'"),
        (["code", "read", "a", "b"], "takes no further word: 'b'"),
        (["status", "now"], "unexpected extra argument (now)"),
        (["code", "read", "a", "--include-deps=perhaps"], "must be yes or no, not 'perhaps'"),
        (["save-typed-context", "bug", "{not json"], "is not valid JSON"),
        (["save-typed-context", "bug", "[1]"], "must be a JSON object"),
        (["save-typed-context", "bug", "@/nowhere/at.all"], "cannot be read"),
        (["store", "restore"], "give the file of a backup, or --fresh"),
        (["completion"], "missing bash|zsh|fish"),
    ],
)
def test_missing_or_wrong_arguments_are_named_before_an_operation_is_called(
    line: Line, words: list[str], missing: str
) -> None:
    code, _, told = line(*words)
    assert code == cli.USAGE
    assert missing in told
    assert "hint: " in told


def test_wrong_usage_is_json_when_json_is_asked_for(line: Line) -> None:
    code, _, told = line("sessions", "list", "--status", "activ", "--json")
    assert code == cli.USAGE
    error = json.loads(told)["error"]
    assert (error["code"], error["hint"][:22]) == ("invalid", "did you mean 'active'?")


def test_an_option_in_front_of_the_command_is_sent_behind_it(line: Line) -> None:
    assert "`contextd status --json`" in line("--json", "status")[2]


def test_help_of_a_command_can_be_asked_for_in_front_of_it(line: Line) -> None:
    assert line("help", "daemon", "stop")[1] == line("daemon", "stop", "--help")[1]
    assert line("help")[1] == line("--help")[1]
    assert line("help", "serch")[0] == cli.USAGE


def test_every_command_that_prints_a_result_prints_json(root: click.Context) -> None:
    without = {
        words
        for words, command in lines(root).items()
        if not any("--json" in one.opts for one in command.params)
    }
    # A group of operations, processes in the foreground, and what reads its own options.
    assert without == {"dev call", "daemon run", "demo", "serve", "work", "tenant"}


def test_the_project_option_is_explained_wherever_it_is(root: click.Context) -> None:
    for command in lines(root).values():
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
