"""A command that runs in the daemon prints, byte for byte, what it prints in a process of its own."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from homes import CONTEXTD, Home, temporary_home, wait_for
from test_asked_again import Thief

from contextd.thin.home import socket_path

Outcome = tuple[int, bytes, bytes]

HERE = [
    sys.executable, "-c",
    "import sys; from contextd.__main__ import run_here; sys.exit(run_here(sys.argv[1:]))",
]  # fmt: skip
"""A command line in a process of its own, whatever runs beside it."""

THERE = [
    sys.executable, "-c",
    "import sys; from contextd.__main__ import main; code = main();"
    " sys.exit(99 if 'click' in sys.modules else code)",
]  # fmt: skip
"""A command line; 99 when it was not run in the daemon."""

FORKING = """
import json, os, sys
from contextd.__main__ import run_here
from contextd.app import load_operations
load_operations()
for asked in sys.stdin:
    line, told = json.loads(asked)
    child = os.fork()
    if child == 0:
        for number, path in enumerate([os.devnull, *told]):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
        code = run_here(line)
        sys.stdout.flush()
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs each line it is given in a fork, which saves the imports of a process of its own."""

NOTE = "Invoices are numbered by the bookkeeper, Straße № 1 – always"
OTHER = "Parcels are weighed twice"

LINES: tuple[tuple[str, ...], ...] = (
    (), ("--help",), ("-h",), ("--version",), ("help", "records", "edit"), ("records", "--help"), ("records",),
    ("daemon", "--help"), ("search", "--help"), ("policies", "check", "--help"),
    ("projects", "show"), ("projects", "list"), ("projects", "overview", "--json"), ("projects", "modules"),
    ("list",), ("list", "--json"), ("list", "context", "--limit", "1"), ("list-records",), ("log",), ("log", "--json"),
    ("search", "bookkeeper", "invoices"), ("search", "--json", "bookkeeper"), ("records", "search", "quux"),
    ("recall", "bookkeeper"), ("records", "explain", "bookkeeper"), ("records", "schema"), ("records", "contradictions"),
    ("code", "symbol", "refreshToken"), ("code", "read", "src/token.ts"), ("code", "grep", "refresh.*"),
    ("code", "references", "refreshToken"), ("code", "map"), ("config",), ("inbox", "list"), ("policies", "list"),
    ("sessions", "list"), ("sessions", "tiers"), ("store", "--help"), ("dev", "tools"), ("dev", "tool-schema", "remember"),
    ("dev", "call", "list_records", "--limit", "2"), ("code", "read", "../../etc/passwd"), ("serch", "x"), ("list", "--nope"),
    ("list", "--limit", "many"), ("list", "--limit", "many", "--json"), ("records", "get", "ffff"), ("forget",),
    ("records", "get", "ffff", "--json"), ("projects", "show", "--project", "shp"), ("records", "halt"), ("memory-feedback", "x"),
    ("search", "\udcff"), ("search", ""), ("help", "serch"), ("--json", "status"), ("list", "--", "--kind"),
)  # fmt: skip
"""Lines that change nothing, right and wrong ones."""

OWN_PROCESS = (
    ("daemon", "status", "--json"), ("daemon", "halt"), ("remember", "-"), ("policies", "check"), ("completion", "bash"),
    ("import", "--list"), ("install", "--dry-run"), ("init", "--help"), ("save-typed-context", "bug", "@data.json"),
)  # fmt: skip
"""Lines that need stdin, files, programs or the home itself."""


@pytest.fixture(scope="module")
def shop() -> Iterator[Home]:
    """A home with two projects, and something in each."""
    with temporary_home() as home:
        for root, text in ((home.project, NOTE), (home.path / "post", OTHER)):
            (root / "src").mkdir(parents=True)
            (root / "src" / "token.ts").write_text("export const refreshToken = () => 1;\n")
            subprocess.run(["git", "init", "-q", str(root)], check=True)
            home.settle(root)
            done = subprocess.run(
                [str(CONTEXTD), "remember", text, "--tags", "a"], cwd=root, env=home.environment,
                capture_output=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
        home.start()
        wait_for(lambda: not waiting_jobs(home), "no job is left that changes what is shown")
        yield home


@pytest.fixture(scope="module")
def ran_here(shop: Home) -> Iterator[Callable[[Sequence[str]], Outcome]]:
    """Runs a line in the shop's project as a process of its own does."""
    forking = subprocess.Popen(
        [sys.executable, "-c", FORKING], cwd=shop.project, env=shop.environment,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert forking.stdin is not None
    assert forking.stdout is not None
    asked, told = forking.stdin, forking.stdout

    def run(line: Sequence[str]) -> Outcome:
        files = [shop.path / name for name in ("here.out", "here.err")]
        for file in files:
            file.write_bytes(b"")
        asked.write(json.dumps([line, [str(file) for file in files]]) + "\n")
        asked.flush()
        code = int(told.readline())
        out, err = (without_time(file.read_bytes()) for file in files)
        return code, out, err

    with forking:
        yield run
        asked.close()


def waiting_jobs(home: Home) -> list[object]:
    rows = json.loads(home.run("daemon", "jobs", "--json").stdout)["jobs"]
    return [row for row in rows if row["state"] in ("waiting", "running")]


def ran(home: Home, command: Sequence[str], line: Sequence[str], cwd: Path, **more: str) -> Outcome:
    done = subprocess.run(
        [*command, *line], cwd=cwd, env={**home.environment, **more}, capture_output=True,
        timeout=60, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.returncode, without_time(done.stdout), without_time(done.stderr)


def without_time(text: bytes) -> bytes:
    """A score or an age may be another one a moment later."""
    text = re.sub(rb"\d+ (?:s|min) ago|just now", b"AGO", text)
    return re.sub(rb"\d\.\d{2,}|\d+ ms", b"NUMBER", text)


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_a_command_prints_the_same_in_the_daemon(
    shop: Home, ran_here: Callable[[Sequence[str]], Outcome], line: tuple[str, ...]
) -> None:
    there = ran(shop, THERE, line, shop.project)
    assert there == ran_here(line)
    assert there[0] in (0, 1, 2)


@pytest.mark.parametrize("line", OWN_PROCESS, ids=" ".join)
def test_a_command_that_needs_its_process_gets_one(shop: Home, line: tuple[str, ...]) -> None:
    (shop.project / "data.json").write_text("{}")
    assert ran(shop, THERE, line, shop.project)[0] == 99
    given = ran(shop, [str(CONTEXTD)], line, shop.project)
    here = ran(shop, HERE, line, shop.project)
    assert given[0] == here[0]
    assert without_ids(given[1]) == without_ids(here[1])


def without_ids(text: bytes) -> bytes:
    return re.sub(rb"[0-9a-f]{8}\b|\"(?:clients|open)\": \d+", b"ID", text)


@pytest.mark.parametrize("columns", [40, 77, 200])
@pytest.mark.parametrize("line", [("config",), ("list",), ("serch",), ("records", "get", "--help")])
def test_a_terminal_gets_its_width_and_its_colours(
    shop: Home, columns: int, line: tuple[str, ...]
) -> None:
    there = on_terminal(shop, THERE, line, columns)
    assert there == on_terminal(shop, HERE, line, columns)
    if line == ("serch",):
        assert b"\x1b[31m" in there[1]


def on_terminal(home: Home, command: Sequence[str], line: Sequence[str], columns: int) -> Outcome:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: v for name, v in home.environment.items() if name not in ("COLUMNS",)}
    process = subprocess.Popen(
        [*command, *line],
        cwd=home.project,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    pieces = []
    try:
        while piece := os.read(ours, 1 << 16):
            pieces.append(piece)
    except OSError:
        # The other end of a terminal is closed so.
        pass
    os.close(ours)
    return process.wait(60), without_time(b"".join(pieces)), b""


def test_many_terminals_in_two_projects_do_not_mix(shop: Home) -> None:
    places = [(shop.project, NOTE, "60"), (shop.path / "post", OTHER, "90")]
    alone = [ran(shop, THERE, ("list",), cwd, COLUMNS=width) for cwd, _, width in places]
    helps = [ran(shop, THERE, ("--help",), cwd, COLUMNS=width) for cwd, _, width in places]
    assert helps[0][1] != helps[1][1]
    with ThreadPoolExecutor(8) as pool:
        asked = [
            (
                number,
                pool.submit(ran, shop, THERE, line, places[number][0], COLUMNS=places[number][2]),
            )
            for line in (("list",), ("--help",)) * 6
            for number in (0, 1)
        ]
        for number, answer in asked:
            assert answer.result() in (alone[number], helps[number])
    for number, (_, text, _) in enumerate(places):
        assert text.encode() in alone[number][1]
        assert places[1 - number][1].encode() not in alone[number][1]


def test_a_lost_answer_is_asked_for_again_and_the_write_is_done_once(shop: Home) -> None:
    text = "Labels are printed after weighing"
    thief = Thief(socket_path(shop.path), lambda line: b'"printed"' in line)
    code, out, err = ran(shop, THERE, ("remember", text), shop.project)
    thief.gone()
    assert (code, err) == (0, b"")
    assert out.startswith(b"recorded as ")
    rows = json.loads(ran(shop, THERE, ("list", "--json"), shop.project)[1])["records"]
    assert [row["content"] for row in rows].count(text) == 1
    id = next(row["id"] for row in rows if row["content"] == text)

    thief = Thief(socket_path(shop.path), lambda line: b'"printed"' in line)
    code, out, err = ran(
        shop, THERE, ("records", "edit", id, "--field", "cause=rain"), shop.project
    )
    thief.gone()
    shown = json.loads(ran(shop, THERE, ("records", "history", id, "--json"), shop.project)[1])
    assert (code, err, len(shown["changes"])) == (0, b"", 2), out


def test_the_daemon_may_be_gone(cold_home: Home) -> None:
    assert ran(cold_home, THERE, ("--version",), cold_home.project)[0] == 99
    code, out, _ = ran(cold_home, [str(CONTEXTD)], ("remember", NOTE), cold_home.project)
    assert (code, out[:11]) == (0, b"recorded as")
    assert ran(cold_home, THERE, ("list",), cold_home.project)[1].count(NOTE.encode()) == 1


def test_only_a_person_may_trust_a_folder_and_join_or_part_projects(shop: Home) -> None:
    for line in (
        ("trust", "."),
        ("dev", "call", "trust", "--path", "."),
        ("projects", "join", "shop"),
        ("projects", "team", "dock"),
        ("dev", "call", "part_project"),
    ):
        code, _, said = ran(shop, [str(CONTEXTD)], line, shop.project, CLAUDECODE="1")
        assert code == 1
        assert b"denied" in said


def test_another_users_directory_or_time_zone_is_not_the_daemons(shop: Home) -> None:
    for more in ({"HOME": str(shop.path)}, {"TZ": "Asia/Tokyo"}):
        assert ran(shop, THERE, ("log",), shop.project, **more)[0] == 99
        given = ran(shop, [str(CONTEXTD)], ("log",), shop.project, **more)
        assert given == ran(shop, HERE, ("log",), shop.project, **more)


def test_the_arguments_of_a_command_do_not_appear_in_the_daemon_log(shop: Home) -> None:
    said = "unforgettable-zanzibar"
    assert ran(shop, THERE, ("search", said), shop.project)[0] == 0
    assert ran(shop, THERE, (said,), shop.project)[0] == 2
    assert ran(shop, THERE, ("records", "get", said), shop.project)[0] in (1, 2)
    assert said not in shop.log()


def test_a_reader_that_leaves_is_no_error(shop: Home) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*THERE, "config"], stdout=write, stderr=subprocess.PIPE, cwd=shop.project,
        env=shop.environment, check=False, timeout=60,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_stopped_daemon_is_asked_for_nothing_that_was_done(shop: Home) -> None:
    """A line to a daemon that dies without an answer is sent to the next one, and not done twice."""
    text = "Weights are rounded up"
    lines = [("remember", f"{text} {number}") for number in range(6)]
    results: list[Outcome] = []

    def write() -> None:
        results.extend(ran(shop, [str(CONTEXTD)], line, shop.project) for line in lines)

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(2):
        shop.run("daemon", "stop")
    writer.join(120)
    assert [code for code, _, _ in results] == [0] * len(lines)
    rows = json.loads(shop.run("list", "--json", "--limit", "50").stdout)["records"]
    kept = sorted(row["content"] for row in rows if text in row["content"])
    assert kept == [line[1] for line in lines]
