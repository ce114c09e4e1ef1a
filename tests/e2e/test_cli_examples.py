"""The examples of the commands that are no operations, and of the reference pages, run in a shell."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import click
from homes import CONTEXTD, Home

from contextd.__main__ import commands
from contextd.surfaces.cli.operations import OperationCommand
from contextd.surfaces.cli.table import GROUPS

PAGES = sorted((Path(__file__).parents[2] / "docs" / "reference").glob("*.md"))


def examples() -> list[str]:
    """Every `Example:` in the help of groups and of fixed commands."""
    found: list[str] = []

    def walk(context: click.Context) -> None:
        command = context.command
        found.extend(re.findall(r"^Example: (.+)$", command.epilog or "", re.MULTILINE))
        if isinstance(command, click.Group) and command.name != "call":
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                assert below is not None
                if not isinstance(below, OperationCommand):
                    walk(click.Context(below, info_name=name, parent=context))

    walk(click.Context(commands(), info_name="contextd"))
    return list(dict.fromkeys(found))


def in_shell(home: Home, line: str) -> subprocess.CompletedProcess[str]:
    home.environment["PATH"] = f"{CONTEXTD.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", line], cwd=home.project, env=home.environment,
        capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def prepared(home: Home) -> None:
    """A project with a module `auth`, a change in it, a backup, and a coding agent on the machine."""
    home.environment["HOME"] = str(home.path / "person")
    (home.path / "person" / ".claude").mkdir(parents=True)
    for folder in (home.project, home.project / "my-repository"):
        (folder / "src" / "auth").mkdir(parents=True)
        (folder / "src" / "auth" / "token.ts").write_text("export const refreshToken = () => 1;\n")
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    git = [
        "git",
        "-C",
        str(home.project),
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.invalid",
    ]
    subprocess.run([*git, "add", "src"], check=True)
    subprocess.run([*git, "commit", "-qm", "start"], check=True)
    for line in ("init", "trust", "store backup --path backups/local-20260101T000000Z.db"):
        assert in_shell(home, f"contextd {line}").returncode == 0, line


def test_the_examples_of_fixed_commands_run(home: Home) -> None:
    prepared(home)
    lines = examples()
    assert len(lines) > len(GROUPS)
    wrong = {}
    for line in lines:
        # There is nobody to agree, and ids are those of the tests of operations.
        asked = line + " --yes" * (line == "contextd install" or "restore" in line)
        done = in_shell(home, asked)
        refused = "1a2b3c4d" in line and "not_found" in done.stderr
        # A home has a file of its own instead of a team's database.
        refused |= "store delete" in line and "a file of one organisation" in done.stderr
        if done.returncode != 0 and not refused:
            wrong[line] = done.stderr or done.stdout
    assert wrong == {}


def test_a_command_in_the_reference_exists(shared_home: Home) -> None:
    named = {
        line
        for page in PAGES
        for line in re.findall(
            r"`contextd ([a-z][a-z -]*?)(?: [A-Z<{\[-].*?)?`", page.read_text("utf-8")
        )
    }
    assert named
    wrong = [line for line in named if in_shell(shared_home, f"contextd help {line}").returncode]
    assert wrong == []
