"""Old clients: what contextd writes is understood by every version, and a version that is too old is named."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from contextd.clients import CLIENTS
from contextd.clients.client import Calling
from contextd.clients.client_versions import installed_versions, too_old
from contextd.clients.config_shapes import Shell, client_line, in_a_shell
from contextd.clients.detection import unfit_entries
from support.client_machines import COMMAND, EACH, Machine, each
from support.verdicts import agrees

ODD = ["plain", "a b", "it's", '"quoted"', "$HOME", "`id`", "a\\b", "é;&|<>()*?[]!~#", "-x"]
"""Names of folders that some shell takes apart."""

posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


@pytest.fixture(params=[])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Machine:
    name, reach = request.param
    return Machine(tmp_path / "one", name, reach)


def commands_in(value: Any) -> list[str]:
    """Every command line of a hook, however deep its client wants it."""
    if isinstance(value, list):
        return [line for one in value for line in commands_in(one)]
    if not isinstance(value, dict):
        return []
    own = [value[name] for name in ("command", "bash", "powershell") if name in value]
    return own + [line for one in value.values() for line in commands_in(one)]


def written_hooks(machine: Machine) -> list[Any]:
    """What stands below `hooks` in the client's JSON files."""
    texts = (path.read_text() for path in machine.parts() if path.suffix == ".json")
    return [read["hooks"] for read in map(json.loads, texts) if "hooks" in read]


@each
def test_every_hook_is_one_command_line(machine: Machine) -> None:
    machine.connect()
    for hooks in written_hooks(machine):
        assert commands_in(hooks)
        assert '"args"' not in json.dumps(hooks)


@posix
@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini-cli", "qwen-code", "cursor"])
@pytest.mark.parametrize("odd", ODD)
def test_a_shell_runs_the_hook_whatever_the_folder_of_contextd_is_called(
    tmp_path: Path, client: str, odd: str
) -> None:
    program = tmp_path / odd / "contextd"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s|" "$0" "$@"\ncat\n')
    program.chmod(0o755)
    machine = Machine(tmp_path / "one", client, "user")
    machine.connect([str(program)])
    [line] = {line for hooks in written_hooks(machine) for line in commands_in(hooks)}
    for shell in filter(None, map(shutil.which, ("sh", "bash", "zsh"))):
        done = subprocess.run(
            [shell, "-c", line], input="{}", capture_output=True, text=True, check=False
        )
        assert done.stdout == f"{program}|hook|--client|{client}|{{}}", done.stderr


def test_on_windows_a_line_is_quoted_for_the_shell_of_the_client() -> None:
    plain = ["C:\\tools\\contextd.exe", "hook", "--client", "x"]
    odd = ["C:\\my tools\\it's\\contextd.exe", "hook"]
    lines: dict[Shell, tuple[str, str]] = {
        "sh": (
            "C:/tools/contextd.exe hook --client x",
            "'C:/my tools/it'\"'\"'s/contextd.exe' hook",
        ),
        "powershell": (
            "C:\\tools\\contextd.exe hook --client x",
            "& 'C:\\my tools\\it''s\\contextd.exe' hook",
        ),
        "cmd": (
            "C:\\tools\\contextd.exe hook --client x",
            '"C:\\my tools\\it\'s\\contextd.exe" hook',
        ),
    }
    for shell, expected in lines.items():
        assert (
            client_line(plain, shell, "win32"),
            client_line(odd, shell, "win32"),
        ) == expected
    assert client_line(odd, "cmd", "linux") == shlex.join(odd)
    assert in_a_shell(["contextd", "hook"], "powershell") == "contextd hook"


@posix
@pytest.mark.parametrize("client", ["gemini-cli", "qwen-code"])
def test_a_contextd_that_is_gone_is_no_refusal_where_every_other_exit_code_is(
    tmp_path: Path, client: str
) -> None:
    machine = Machine(tmp_path / "one", client, "user")
    machine.connect(["/nowhere/contextd"])
    [line] = {line for hooks in written_hooks(machine) for line in commands_in(hooks)}
    assert subprocess.run(["bash", "-c", line], capture_output=True, check=False).returncode == 1


def older(machine: Machine) -> Path:
    """What contextd wrote for Claude Code before: the program and its arguments apart."""
    machine.connect()
    settings = machine.home / ".claude" / "settings.json"
    written = json.loads(settings.read_text())
    for groups in written["hooks"].values():
        groups[0]["hooks"][0] |= {
            "command": COMMAND[0],
            "args": ["hook", "--client", "claude-code"],
            "async": False,
        }
    settings.write_text(json.dumps(written))
    return settings


def test_an_installation_with_arguments_apart_is_named_and_repaired(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "claude-code", "user")
    settings, row = older(machine), CLIENTS["claude-code"]
    for version in ("2.1.138", "2.1.100", ""):
        assert "without `args`" in unfit_entries(row, machine.home, None, version)
    assert unfit_entries(row, machine.home, None, "2.1.139") == ""
    machine.connect()
    hooks = json.loads(settings.read_text())["hooks"]
    for groups in hooks.values():
        [handler] = groups[0]["hooks"]
        assert handler["command"] == "'/opt/my tools/bin/contextd' hook --client claude-code"
        assert "args" not in handler
        assert handler["async"] is False
    assert unfit_entries(row, machine.home, None, "2.1.100") == ""
    machine.disconnect()
    assert not settings.exists()


@pytest.mark.parametrize(
    ("version", "missing"),
    [
        ("", set()),
        ("2.1.332", set()),
        ("2.1.76", set()),
        ("2.1.75", {"PostCompact"}),
        ("2.0.50", {"PostCompact", "PostToolUseFailure"}),
        ("1.0.128", {"PostCompact", "PostToolUseFailure", "SubagentStart"}),
        ("1.0.64", {"PostCompact", "PostToolUseFailure", "SubagentStart", "SessionEnd"}),
    ],
)
def test_a_version_gets_no_event_for_which_it_would_ignore_the_users_settings(
    tmp_path: Path, version: str, missing: set[str]
) -> None:
    machine = Machine(tmp_path / "one", "claude-code", "user")
    machine.connect()
    settings, row = machine.home / ".claude" / "settings.json", CLIENTS["claude-code"]
    everything = set(json.loads(settings.read_text())["hooks"])
    assert bool(unfit_entries(row, machine.home, None, version)) == bool(missing)
    report = machine.connect(version=version)
    assert everything - set(json.loads(settings.read_text())["hooks"]) == missing
    said = "\n".join(change for file in report.files for change in file.changes)
    assert all(f"no hook on {name}: version {version} does not know it" in said for name in missing)
    assert unfit_entries(row, machine.home, None, version) == ""
    machine.connect()
    assert set(json.loads(settings.read_text())["hooks"]) == everything


def test_a_module_in_a_folder_that_old_versions_refuse_moves(tmp_path: Path) -> None:
    machine, row = Machine(tmp_path / "one", "opencode", "user"), CLIENTS["opencode"]
    machine.connect()
    folder = machine.home / ".config" / "opencode"
    earlier = folder / "plugins" / "contextd.js"
    earlier.parent.mkdir()
    (folder / "plugin" / "contextd.js").rename(earlier)
    assert str(earlier) in unfit_entries(row, machine.home, None, "")
    machine.connect()
    assert not earlier.exists()
    assert (folder / "plugin" / "contextd.js").is_file()
    assert unfit_entries(row, machine.home, None, "") == ""
    earlier.write_text("// mine\n")
    assert unfit_entries(row, machine.home, None, "") == ""
    machine.connect()
    machine.disconnect()
    assert earlier.read_text() == "// mine\n"


def test_uninstalling_finds_a_module_where_it_was_before(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "opencode", "user")
    machine.connect()
    folder = machine.home / ".config" / "opencode"
    (folder / "plugins").mkdir()
    (folder / "plugin" / "contextd.js").rename(folder / "plugins" / "contextd.js")
    machine.disconnect()
    assert not (folder / "plugins" / "contextd.js").exists()


@pytest.mark.parametrize("row", CLIENTS.values(), ids=lambda row: row.name)
def test_a_row_says_from_which_version_on_it_works_and_which_were_run(row: Any) -> None:
    versions = row.versions
    assert versions.needs
    for version in (versions.minimum, *versions.tried):
        assert all(part.isdecimal() for part in version.split(".")) or not version
    if versions.tried:
        assert versions.minimum == versions.tried[0]
        assert too_old(row, versions.tried[-1]) == ""


def test_a_version_is_too_old_only_when_it_is_known_to_be() -> None:
    row = CLIENTS["gemini-cli"]
    assert too_old(row, "") == ""
    assert too_old(row, "0.27.4") == ""
    assert too_old(row, "0.100.0") == ""
    assert too_old(row, "1.0") == ""
    said = too_old(row, "0.9.12")
    assert "Gemini CLI 0.9.12 is too old" in said
    assert "0.27.4 or later" in said
    assert "npm install" in said


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of `PATH`, besides the machine's shell."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), "relative", "/bin", "/usr/bin"]))
    return folder


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@posix
def test_a_program_is_asked_for_its_version(path: Path, tmp_path: Path) -> None:
    rows = [CLIENTS[name] for name in ("claude-code", "codex", "gemini-cli", "goose", "zed")]
    script(path / "claude", 'echo "2.1.100 (Claude Code)"')
    script(path / "codex", 'echo "WARNING: 9.9.9" >&2; echo "codex-cli 0.117.0"')
    script(path / "gemini", 'echo "Node.js v24 is needed, this is v22.23.3"; exit 1')
    script(path / "goose", 'echo "no version"')
    assert installed_versions(rows, tmp_path) == {
        "claude-code": "2.1.100",
        "codex": "0.117.0",
        "gemini-cli": "",
        "goose": "",
        "zed": "",
    }


@posix
def test_a_program_that_does_not_answer_has_no_version(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contextd.clients.client_versions._SECONDS", 0.2)
    script(path / "claude", "sleep 60")
    assert installed_versions([CLIENTS["claude-code"]], tmp_path) == {"claude-code": ""}


@posix
def test_a_package_is_read_instead_of_started(path: Path, tmp_path: Path) -> None:
    package = tmp_path / "lib" / "node_modules" / "cline"
    script(package / "bin" / "cline.js", f"touch {tmp_path}/started")
    manifest = {"name": "cline", "version": "3.0.65", "bin": {"cline": "bin/cline.js"}}
    (package / "package.json").write_text(json.dumps(manifest))
    (path / "cline").symlink_to(package / "bin" / "cline.js")
    assert installed_versions([CLIENTS["cline"]], tmp_path) == {"cline": "3.0.65"}
    # Its program may be linked to that of another package, for one platform.
    other = tmp_path / "lib" / "node_modules" / "cline-linux" / "bin" / "cline"
    script(other, f"touch {tmp_path}/started")
    (package / "bin" / "cline.js").unlink()
    (package / "bin" / "cline.js").symlink_to(other)
    assert installed_versions([CLIENTS["cline"]], tmp_path) == {"cline": "3.0.65"}
    # Without its package it stays unknown: the program reaches for the network for any argument.
    (package / "package.json").write_text("{")
    assert installed_versions([CLIENTS["cline"]], tmp_path) == {"cline": ""}
    assert not (tmp_path / "started").exists()


def test_every_client_of_the_table_was_looked_at() -> None:
    agrees(
        CLIENTS,
        {str(param.values[0]) for param in EACH},
        "EACH in tests/support/client_machines.py",
        "its `configuration` below src/contextd/clients needs a file for the user or for a project",
    )
    assert Calling("x", ("contextd",), Path()).version == ""
