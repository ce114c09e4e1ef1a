"""Programs are started in one place of each layer, within limits, and git in one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from sources import faults, module_path, nodes, parsed, product_files

from support.verdicts import none_of, of_this_rule

SOURCE = product_files()

STARTS_PROGRAMS = {
    "contextd_code/processes.py": "every program that reads files: with limits, in a group of its own",
    "thin/spawn.py": "the daemon, from the standard library alone",
    "surfaces/cli/daemon.py": "the user's browser, on demand",
}

_STARTERS = {
    "subprocess": {"run", "Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput"},
    "os": {"system", "popen", "fork", "forkpty", "startfile", "posix_spawn", "posix_spawnp"},
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
    "anyio": {"run_process", "open_process"},
    "to_process": {"run_sync"},
    "click": {"edit", "launch", "echo_via_pager"},
    "platform": {"platform", "processor", "uname", "libc_ver"},
    "pty": {"spawn", "fork"},
    "shutil": {"which"},
    "uuid": {"getnode", "uuid1"},
    "webbrowser": {"open", "open_new", "open_new_tab"},
}  # fmt: skip
"""Functions of libraries that start a program, some of them to find something out."""

_FAMILIES = ("exec", "spawn")
"""How the names of the other functions of `os` begin that do."""

_WHOLE = {"multiprocessing", "pty", "pexpect", "ptyprocess", "anyio.to_process", "ctypes.util"}
"""Modules that are for nothing else, or start the compiler."""

_LOOKS_ON_PATH = {
    "clients/detection.py",
    "surfaces/cli/clients.py",
    "contextd_code/git/programs.py",
}
"""Where `shutil.which` answers whether a program is there, and nothing is run."""


def _started(path: Path) -> list[int]:
    found = _starts(parsed(path))
    looking = module_path(path) in _LOOKS_ON_PATH
    return [line for line, name in found if not (looking and name == "which")]


def _starts(module: ast.Module) -> list[tuple[int, str]]:
    """The lines that start a program, or import what does, each with a name."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner, name = getattr(node.func.value, "id", ""), node.func.attr
            if name in _STARTERS.get(owner, ()) or (owner == "os" and name.startswith(_FAMILIES)):
                found.append((node.lineno, name))
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            starting = _STARTERS.get(node.module or "", set())
            started = [one for one in names if one in starting or one.startswith(_FAMILIES)]
            of_os = node.module == "os" and started
            whole = node.module in _WHOLE or {f"{node.module}.{one}" for one in names} & _WHOLE
            if of_os or whole or names & starting:
                found.append((node.lineno, node.module or ""))
        elif isinstance(node, ast.Import):
            # Under another name its functions would not be seen.
            hidden = [one.name for one in node.names if one.asname and one.name in _STARTERS]
            found += [(node.lineno, one.name) for one in node.names if one.name in _WHOLE]
            found += [(node.lineno, name) for name in hidden]
    return found


def _git_by_hand(path: Path) -> list[int]:
    """Lists that begin as a command line of git does."""
    return [
        node.lineno
        for node in nodes(path)
        if isinstance(node, ast.List)
        and len(node.elts) > 1
        and (_is_word(node.elts[0], "git") or _is_program(node.elts[0], "git"))
    ]


def _is_word(node: ast.expr, word: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == word


def _is_program(node: ast.expr, name: str) -> bool:
    """Whether a node is `program("NAME")`."""
    called = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "program"
    return called and isinstance(node, ast.Call) and any(_is_word(one, name) for one in node.args)


def test_a_program_is_started_only_where_the_table_says_so() -> None:
    others = [path for path in SOURCE if module_path(path) not in STARTS_PROGRAMS]

    none_of(
        faults(others, _started),
        "run the program by `contextd_code.processes`, or add the module to STARTS_PROGRAMS in "
        "tests/rules/test_programs.py with its reason",
    )


def test_each_place_of_the_table_still_starts_programs() -> None:
    places = {module_path(path): path for path in SOURCE}

    none_of(
        [name for name in STARTS_PROGRAMS if name not in places or not _started(places[name])],
        "take it out of STARTS_PROGRAMS in tests/rules/test_programs.py: it starts no program any more",
    )


def test_only_one_place_builds_a_command_line_of_git() -> None:
    others = [path for path in SOURCE if module_path(path) != "contextd_code/git/programs.py"]

    none_of(
        faults(others, _git_by_hand),
        "run git by src/contextd_code/git/programs.py, which gives it our configuration",
    )


@of_this_rule
@pytest.mark.parametrize(
    "source",
    [
        "subprocess.Popen(['x'])",
        "os.spawnvp(0, 'x', ['x'])",
        "os.execl('x')",
        "from subprocess import run",
        "from os import execv",
        "import subprocess as sub",
        "import multiprocessing",
        "from anyio import to_process",
        "await asyncio.create_subprocess_exec('x')",
        "await to_process.run_sync(f)",
        "click.echo_via_pager(text)",
    ],
)
def test_every_way_to_start_a_program_is_noticed(source: str) -> None:
    assert _starts(ast.parse(source))


@of_this_rule
@pytest.mark.parametrize(
    "source", ["import subprocess", "subprocess.list2cmdline([])", "from os import path"]
)
def test_code_that_starts_no_program_is_not_reported(source: str) -> None:
    assert not _starts(ast.parse(source))
