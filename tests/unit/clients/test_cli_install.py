"""`contextd install` without a name finds the clients, says what it would write, and asks first."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from contextd.__main__ import EXTRAS
from contextd.app import load_operations
from contextd.clients import CLIENTS
from contextd.clients.detection import connection_of, present_clients, sign_of
from contextd.surfaces.cli import main as cli

Line = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of somebody who has no coding client, standing in a project."""
    for name in {row.configuration.variable for row in CLIENTS.values()}:
        if name:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("CONTEXTD_HOME", str(tmp_path / "contextd"))
    (tmp_path / "repo").mkdir()
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "repo")
    return tmp_path / "home"


@pytest.fixture
def line(home: Path, capsys: pytest.CaptureFixture[str]) -> Line:
    def never() -> None:
        pytest.fail("a contextd was opened")

    def run(*words: str) -> tuple[int, str, str]:
        code = cli.main(words, load=load_operations, standalone=never, extras=EXTRAS)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def files(folder: Path) -> dict[str, str]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in found}


def has(home: Path, *folders: str) -> None:
    for folder in folders:
        (home / folder).mkdir(parents=True)


def test_where_no_client_is_there_it_says_which_are_known_and_changes_nothing(
    home: Path, line: Line
) -> None:
    code, _, said = line("install", "--yes")
    assert code == cli.FAILED
    assert "no coding agent" in said
    assert "codex" in said
    assert files(home) == {}
    assert line("uninstall", "--yes")[0] == cli.DONE


def test_without_a_terminal_it_tells_what_it_would_do_and_how_to_go_on(
    home: Path, line: Line
) -> None:
    has(home, ".codex", ".config/zed")
    code, told, _ = line("install")
    assert code == cli.FAILED
    assert files(home) == {}
    for part in ("Codex CLI (~/.codex)", str(home / ".codex/config.toml"), "Zed", "install --yes"):
        assert part in told
    assert "Goose" not in told


def test_with_yes_it_connects_all_that_are_there_and_takes_all_of_them_out_again(
    home: Path, line: Line, tmp_path: Path
) -> None:
    has(home, ".codex", ".config/zed")
    (home / ".config/zed/settings.json").write_text('// mine\n{"theme": "x",}\n')
    before = files(home)
    code, told, _ = line("install", "--yes", "--profile", "full")
    assert code == cli.DONE
    assert "/hooks" in told
    assert set(files(home)) == {
        ".codex/config.toml", ".codex/hooks.json", ".config/zed/settings.json",
    }  # fmt: skip
    assert '"--profile", "full"' in (home / ".codex/config.toml").read_text()
    assert "connected, nothing to change" in line("install", "--yes", "--profile", "full")[1]
    assert line("install", "zed", "--client", "amp", "--scope", "project")[0] == cli.DONE
    assert set(files(tmp_path / "repo")) == {
        ".amp/settings.json",
        ".zed/settings.json",
        "AGENTS.md",
    }
    assert line("uninstall", "--yes")[0] == cli.DONE
    assert files(home) == before
    assert files(tmp_path / "repo") == {}


def test_on_a_terminal_it_asks_and_a_no_changes_nothing(
    home: Path, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    has(home, ".codex")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    answers = iter([False, True])
    monkeypatch.setattr(click, "confirm", lambda question: next(answers))
    code, told, _ = line("install")
    assert (code, files(home)) == (cli.FAILED, {})
    assert "nothing was changed" in told
    code, told, _ = line("install")
    assert code == cli.DONE
    assert "✓ Codex CLI: connected" in told
    assert "contextd" in (home / ".codex/config.toml").read_text()


def test_a_dry_run_writes_nothing_and_is_no_failure(home: Path, line: Line) -> None:
    has(home, ".codex")
    code, told, _ = line("install", "--dry-run")
    assert (code, files(home)) == (cli.DONE, {})
    assert "config.toml: would be created" in told
    assert "would add the MCP server contextd" in told


def test_one_clients_broken_file_keeps_no_other_from_being_connected(
    home: Path, line: Line
) -> None:
    has(home, ".codex", ".cursor")
    (home / ".cursor/mcp.json").write_text('{\n  "a": ,\n}')
    code, told, _ = line("install", "--yes")
    assert code == cli.FAILED
    assert "✗ Cursor" in told
    assert "line 2" in told
    assert (home / ".codex/config.toml").is_file()
    assert (home / ".cursor/mcp.json").read_text() == '{\n  "a": ,\n}'
    # It was never connected, so taking contextd out is not its business.
    code, told, _ = line("uninstall", "--yes")
    assert code == cli.DONE
    assert "Cursor" not in told


def test_as_json_it_says_whether_it_was_done(home: Path, line: Line) -> None:
    has(home, ".codex")
    code, told, _ = line("install", "--json")
    value = json.loads(told)
    assert (code, value["done"]) == (cli.FAILED, False)
    assert "--yes" in value["next"]
    code, told, _ = line("install", "--json", "--yes")
    value = json.loads(told)
    assert (code, value["done"]) == (cli.DONE, True)
    assert value["clients"][0]["client"] == "codex"
    assert value["clients"][0]["sign"] == "~/.codex"


def test_a_program_on_the_path_and_a_chosen_folder_are_signs_too(
    home: Path, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "gemini"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    chosen = tmp_path / "elsewhere"
    chosen.mkdir()
    monkeypatch.setenv("CODEX_HOME", str(chosen))
    assert {one.client.name: one.sign for one in present_clients(home)} == {
        "gemini-cli": "gemini on PATH",
        "codex": str(chosen),
    }
    assert sign_of(CLIENTS["zed"], home) == ""
    assert line("install", "--yes")[0] == cli.DONE
    assert set(files(chosen)) == {"config.toml", "hooks.json"}
    assert set(files(home)) == {".gemini/settings.json"}


def test_a_client_connected_under_a_files_other_name_is_connected(home: Path, line: Line) -> None:
    has(home, ".config/opencode")
    (home / ".config/opencode/opencode.jsonc").write_text("{} // mine\n")
    line("install", "opencode")
    assert connection_of(CLIENTS["opencode"], home, None) == ("connected", "")


def test_how_a_client_stands_is_read_from_its_files(home: Path, line: Line) -> None:
    codex = CLIENTS["codex"]
    trusts = codex.configuration.trusts
    assert trusts is not None
    assert connection_of(codex, home, None) == ("not connected", "")
    line("install", "codex")
    assert connection_of(codex, home, None) == ("connected", "")
    assert trusts(home, None) is False
    hooks, config = home / ".codex/hooks.json", home / ".codex/config.toml"
    rows = [
        f'[hooks.state."{hooks}:{event}:0:0"]\ntrusted_hash = "sha256:x"\n'
        for event in (
            "session_start", "user_prompt_submit", "stop", "subagent_start", "pre_compact",
            "post_compact", "session_end",
        )
    ]  # fmt: skip
    config.write_text(config.read_text() + "\n" + "\n".join(rows[1:]))
    assert trusts(home, None) is False
    config.write_text(config.read_text() + "\n" + rows[0])
    assert trusts(home, None) is True
    hooks.unlink()
    assert connection_of(codex, home, None) == ("partly", str(hooks))
    assert trusts(home, None) is None
    config.write_text("a = \n")
    assert connection_of(codex, home, None)[0] == "unreadable"


@pytest.mark.skipif(os.name == "nt", reason="a script for a POSIX shell")
def test_a_client_that_is_too_old_is_connected_with_a_warning(
    home: Path, line: Line, tmp_path: Path
) -> None:
    has(home, ".codex")
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho codex-cli 0.98.0\n")
    program.chmod(0o755)
    warning = "Codex CLI 0.98.0 is too old: contextd needs"
    for words in (("codex", "--dry-run"), ("codex",), ("codex",), ("--yes",)):
        code, told, _ = line("install", *words)
        assert code == cli.DONE
        assert told.count(warning) == 1
        assert "0.125.0 or later; run `npm install -g @openai/codex`" in told
    value = json.loads(line("install", "--json", "--yes")[1])
    assert value["clients"][0]["report"]["warning"].startswith(warning)
    program.write_text("#!/bin/sh\necho codex-cli 0.171.0\n")
    assert "too old" not in line("install", "codex")[1]
    program.unlink()
    assert "too old" not in line("install", "codex")[1]
    assert "too old" not in line("uninstall", "codex")[1]
