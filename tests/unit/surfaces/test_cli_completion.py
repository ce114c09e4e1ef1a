"""What a shell is offered without a daemon, and what that may cost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.shell_completion import BashComplete, FishComplete, ZshComplete

import contextd
from contextd.app import load_operations
from contextd.domain.kinds import KINDS
from contextd.domain.records import STATUSES
from contextd.surfaces.cli.commands import Commands

Offered = Callable[..., list[str]]


def never() -> None:
    pytest.fail("a contextd was opened")


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("CONTEXTD_HOME", str(tmp_path))
    return Commands(load_operations, never, {})


@pytest.fixture
def offered(commands: Commands) -> Offered:
    """What is offered for the last word of a line."""

    def complete(*words: str) -> list[str]:
        shell = BashComplete(commands, {}, "contextd", "_CONTEXTD_COMPLETE")
        return [item.value for item in shell.get_completions([*words[:-1]], words[-1])]

    return complete


def test_commands_are_completed_by_their_names(offered: Offered) -> None:
    assert set(offered("s")) == {"search", "sessions", "status", "store"}
    assert set(offered("records", "schema")) == {
        "schema", "schema-get", "schema-put", "schema-templates",
    }  # fmt: skip
    assert "log" in offered("lo")
    assert offered("daemon", "st") == ["start", "stop", "status"]
    assert offered("call", "memory_fe") == ["memory_feedback"]
    assert offered("help", "sess") == ["sessions"]
    assert offered("--vers") == ["--version"]


def test_options_and_their_values_are_completed(offered: Offered) -> None:
    assert {"--kind", "--field", "--tags", "--project"} <= {*offered("remember", "--")}
    assert offered("list-sessions", "--status", "a") == ["any", "active", "archived"]
    assert offered("call", "list_sessions", "--status", "co") == ["completed"]
    assert offered("list", "--status", "") == [*STATUSES, "waiting", "any"]
    assert offered("completion", "") == ["bash", "zsh", "fish"]
    assert offered("install", "cl") == ["claude-code", "cline", "claude-desktop"]


def test_kinds_come_from_their_table(offered: Offered) -> None:
    assert offered("list", "") == list(KINDS)
    assert offered("remember", "--kind", "mem") == ["memory"]
    assert offered("find-symbol", "name", "--kind", "mem") == []


def test_words_are_completed_by_their_place(offered: Offered) -> None:
    assert offered("memory-record", "title", "what", "text", "s") == ["success"]
    assert offered("memory-record", "title", "s") == []
    assert offered("memory-record", "--outcome", "success", "a", "b", "c", "s") == []


@pytest.mark.parametrize(
    "words", [("show", "--project", ""), ("forget", ""), ("recall", "--project", "")]
)
def test_without_a_daemon_what_only_it_knows_is_not_offered(
    offered: Offered, tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert offered(*words) == []
    assert not (tmp_path / "daemon.json").exists()


@pytest.mark.parametrize("shell", [ZshComplete, FishComplete])
def test_shells_that_show_it_are_told_what_a_command_does(
    commands: Commands, shell: type[ZshComplete | FishComplete]
) -> None:
    items = shell(commands, {}, "contextd", "_CONTEXTD_COMPLETE").get_completions([], "forg")
    assert [(item.value, item.help) for item in items] == [
        ("forget", "Archive a record of any kind")
    ]


def test_help_and_completion_import_neither_the_operations_nor_a_library_but_click(
    tmp_path: Path, commands: Commands
) -> None:
    assert commands.sections()
    script = (
        "import sys, os\n"
        "from contextd.__main__ import main\n"
        "sys.argv = ['contextd', *sys.argv[1:]]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "ours = {'contextd.' + name for name in ('app', 'runtime', 'settings', 'client', 'interop')}\n"
        "print('HEAVY', sorted({m.partition('.')[0] for m in sys.modules} & {'pydantic', 'yaml', "
        "'numpy', 'mcp', 'apsw', 'anyio'}), sorted(ours & set(sys.modules)))\n"
    )
    environment = {"CONTEXTD_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    # What is listed is listed for these sources, and for no other installed ones.
    environment["PYTHONPATH"] = str(Path(contextd.__file__).parents[1])
    completing = {
        "COMP_WORDS": "contextd rem",
        "COMP_CWORD": "1",
        "_CONTEXTD_COMPLETE": "bash_complete",
    }
    for words, more, shown in ((["--help"], {}, "Everyday:"), ([], completing, "plain,remember")):
        done = subprocess.run(
            [sys.executable, "-c", script, *words], env=environment | more,
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert shown in done.stdout
        assert done.stdout.splitlines()[-1] == "HEAVY [] []"
