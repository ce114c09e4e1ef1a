"""Programs are started in few places, and git in one."""

from __future__ import annotations

import ast
from pathlib import Path

from sources import faults, module_path, parsed, product_files, walked

SOURCE = product_files()

STARTS_PROGRAMS = {
    "contextd_code/git/command.py": "lists git's configuration, to switch programs off",
    "contextd_code/git/git_queries.py": "runs git as `git_command` builds it",
    "contextd_code/tree/walk.py": "runs git as `git_command` builds it, or ripgrep",
    "contextd_code/tree/grep.py": "runs git as `git_command` builds it, ripgrep, or Python with `-P`",
    "contextd_code/tree/word_lines.py": "runs ripgrep",
    "contextd_code/index/scan_worker.py": "runs Python with `-P`",
    "demo.py": "runs contextd, and git as `git_command` builds it",
    "thin/spawn.py": "starts the daemon",
}

_STARTERS = {
    "subprocess": {"run", "Popen", "call", "check_call", "check_output", "getoutput"},
    "os": {
        "system",
        "popen",
        "execv",
        "execve",
        "execvp",
        "execvpe",
        "spawnv",
        "posix_spawn",
        "posix_spawnp",
    },
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
    "shutil": {"which"},
}

_LOOKS_ON_PATH = {"clients/detection.py", "surfaces/cli/clients.py", "contextd_code/git/command.py"}
"""Where `shutil.which` answers whether a program is there, and nothing is run."""


def _started(path: Path) -> list[int]:
    return [
        node.lineno
        for node in walked(parsed(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.attr in _STARTERS.get(node.func.value.id, set())
        and not (node.func.attr == "which" and module_path(path) in _LOOKS_ON_PATH)
    ]


def _git_by_hand(path: Path) -> list[int]:
    """Lists and tuples that begin as a command line of git does."""
    return [
        node.lineno
        for node in walked(parsed(path))
        if isinstance(node, ast.List | ast.Call)
        and (items := node.elts if isinstance(node, ast.List) else node.args)
        and isinstance(items[0], ast.Constant)
        and items[0].value == "git"
        and (isinstance(node, ast.List) and len(items) > 1)
    ]


def test_a_program_is_started_only_where_the_table_says_so() -> None:
    others = [path for path in SOURCE if module_path(path) not in STARTS_PROGRAMS]

    assert faults(others, _started) == {}


def test_each_place_of_the_table_still_starts_programs() -> None:
    places = {module_path(path): path for path in SOURCE}

    assert [name for name in STARTS_PROGRAMS if not _started(places[name])] == []


def test_only_one_place_builds_a_command_line_of_git() -> None:
    others = [path for path in SOURCE if module_path(path) != "contextd_code/git/command.py"]

    assert faults(others, _git_by_hand) == {}
