"""Every client of the table, whether its program can be had here or not: connected, spoken to through the very
words that were written into its files, and left as it was.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from homes import CONTEXTD, Home, temporary_home
from test_mcp_stdio import HANDSHAKE, lines

from contextd.clients import CLIENTS
from contextd.clients.client import PREFIX, Client
from contextd.clients.codec import JSON
from contextd.clients.config_entries import ServerEntry
from contextd.clients.install import Launch, files_of, install, uninstall
from contextd.clients.text_files import OwnFile
from contextd.thin.client import call

FIXTURES = Path(__file__).parents[1] / "fixtures" / "hooks"
OURS, THEIRS = "Refunds are written to the ledger first", "The oven is hot by five"
"""What is known of the project, and of its neighbour."""

MINE = {
    "JSON": '{\n  "mine": [1, 2]\n}\n',
    "JSON with comments": '// mine\n{\n  "mine": [1, 2,], // two\n}\n',
    "TOML": "# mine\nmine = [1, 2] # two\n",
    "YAML": "# mine\nmine:\n  - 1 # one\n",
}
"""A file that a user has already, in each format."""

OUTSIDE = frozenset({"cline", "claude-desktop"})
"""Clients that start a server elsewhere than in the project: their agents name it."""


@pytest.fixture(scope="module")
def known() -> Iterator[Home]:
    """A home that knows two projects."""
    with temporary_home() as home:
        home.start()
        for folder, fact in ((home.project, OURS), (neighbour(home), THEIRS)):
            (folder / ".context").mkdir(parents=True)
            call("init", home=home.path, cwd=str(folder))
            call("remember", {"content": fact}, home=home.path, cwd=str(folder))
        yield home


def neighbour(home: Home) -> Path:
    return home.path / "neighbour"


@dataclass(frozen=True)
class Connected:
    """One client of a user, with contextd in its files."""

    home: Home
    row: Client
    user: Path

    @property
    def files(self) -> dict[Path, list[Any]]:
        return dict(files_of(self.row, self.user, None, None))

    def run(self, command: list[str], stdin: str, cwd: Path) -> str:
        """What a program prints that the client starts."""
        done = subprocess.run(
            command, input=stdin, text=True, capture_output=True, cwd=cwd, timeout=60, check=False,
            env={**self.home.environment, "HOME": str(self.user)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def server(self) -> list[str]:
        """The command line of our server, as it stands in the client's file."""
        (entry,) = [
            found
            for path, parts in self.files.items()
            for part in parts
            if isinstance(part, ServerEntry)
            for found in named(part.codec.read(path.read_text("utf-8"))[part.key])
        ]
        entry = entry.get("transport", entry)
        program = entry.get("command", entry.get("cmd"))
        return [*(program if isinstance(program, list) else [program]), *entry.get("args", [])]

    def hook(self, event: str) -> list[str]:
        """The command line that the client runs at an event, as it stands in its files."""
        for path, parts in self.files.items():
            if path.name == event:
                return [str(path)]
            codec = getattr(parts[-1], "codec", JSON)
            held = codec.read(path.read_text("utf-8")) if path.suffix != ".md" else {}
            if event in held.get("hooks", {}):
                (handler,) = held["hooks"][event]
                (handler,) = handler.get("hooks", [handler])
                line = handler.get("command", handler.get("bash"))
                return ["/bin/sh", "-c", line]
        raise AssertionError(f"no hook on {event} in {list(self.files)}")


def named(servers: Any) -> Iterator[dict[str, Any]]:
    if isinstance(servers, list):
        yield from (one for one in servers if one["name"] == "contextd")
    else:
        yield servers["contextd"]


def first_event(name: str) -> Mapping[str, Any]:
    """How a released version of the client tells that a session begins."""
    recorded = FIXTURES / f"{name}.jsonl"
    assert recorded.is_file(), (
        f"tests/fixtures/hooks/{name}.jsonl: add it, with the event that starts a session: see "
        "tests/promises/test_clients.py"
    )
    rows = [json.loads(line) for line in recorded.read_text("utf-8").splitlines()]
    return next(
        row for row in rows if row["event"] in ("SessionStart", "sessionStart", "TaskStart")
    )


def placed(payload: Mapping[str, Any], where: Path) -> str:
    """A recorded payload as of a session in a directory."""
    there = {
        "cwd": str(where), "workspaceRoots": [str(where)], "workspace_roots": [str(where)],
    }  # fmt: skip
    return json.dumps({**payload, **{name: there[name] for name in there if name in payload}})


EVERY = pytest.mark.parametrize("connected", CLIENTS, indirect=True)
HOOKED = pytest.mark.parametrize(
    "connected", [name for name, row in CLIENTS.items() if row.configuration.events], indirect=True
)


@pytest.fixture
def connected(request: pytest.FixtureRequest, known: Home, tmp_path: Path) -> Iterator[Connected]:
    """A client of a user who had files of it before; they are as they were afterwards."""
    row = CLIENTS[request.param]
    before: dict[Path, str] = {}
    for path, parts in files_of(row, tmp_path, None, None).items():
        codec = getattr(parts[0], "codec", None)
        if codec is not None and not isinstance(parts[0], OwnFile):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(MINE[codec.name])
            before[path] = path.read_text("utf-8")
    backups = tmp_path / "backups"
    install(row.name, tmp_path, None, launch=Launch([str(CONTEXTD)]), backups=backups)
    yield Connected(known, row, tmp_path)
    uninstall(row.name, tmp_path, None, backups=backups)
    left = {path: path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file()}
    assert left == before


@EVERY
def test_the_written_configuration_starts_a_server_that_lists_tools_and_answers(
    connected: Connected,
) -> None:
    row, home = connected.row, connected.home
    if row.name == "aider":
        (told,) = [path for path in connected.files if path.suffix == ".md"]
        assert "`contextd search WORDS`" in told.read_text("utf-8")
        assert OURS in connected.run([str(CONTEXTD), "search", "refunds"], "", home.project)
        return
    outside = row.name in OUTSIDE
    where = {"project": str(home.project)} if outside else {}
    tool = (PREFIX if row.bare else "") + "context_search"
    asked = {"name": tool, "arguments": {"query": "where are refunds written", **where}}
    spoken = lines(
        *HANDSHAKE,
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked},
    )
    cwd = connected.user if outside else home.project
    printed = connected.run(connected.server(), spoken, cwd)
    answers = {one["id"]: one["result"] for one in map(json.loads, printed.splitlines())}
    assert answers[0]["serverInfo"]["name"] == "contextd"
    assert tool in [one["name"] for one in answers[1]["tools"]]
    assert not answers[2].get("isError"), answers[2]
    assert OURS in answers[2]["content"][0]["text"]
    assert THEIRS not in printed


@HOOKED
def test_the_written_hook_records_a_session_and_briefs_it(connected: Connected) -> None:
    row, home = connected.row, connected.home
    told = first_event(row.name)
    printed = connected.run(
        connected.hook(told["event"]), placed(told["payload"], home.project), home.project
    )
    assert OURS in json.dumps(json.loads(printed))
    assert THEIRS not in printed
    sessions = call("list_sessions", home=home.path, cwd=str(home.project)).value["sessions"]
    assert row.name in [one["client"] for one in sessions]
