"""One secret of every pattern that redaction knows, through every door: none of them is in the home afterwards."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from homes import Home, wait_for
from test_http import ask

from contextd.redaction.redact import redact
from contextd.thin import spool
from contextd.thin.spawn import take_lock
from contextd_bench.secret_samples import fill
from contextd_bench.secret_shapes import SHAPES
from support.homes_read import core, everything_in

_PART = 16
"""Letters and digits of a secret that are not there by chance: a half of it is looked for as well."""

_RUN = re.compile(r"[a-z0-9]{8,}")


class Planter:
    """Makes one secret of each shape for each door, and remembers through which it came."""

    def __init__(self) -> None:
        self._chance = random.Random(31)
        self.parts: dict[str, str] = {}

    def text(self, door: str, *, between: str = "\n") -> str:
        """A secret of each shape, each in a sentence."""
        return between.join(self._line(door, shape) for row in SHAPES.values() for shape in row)

    def _line(self, door: str, shape: str) -> str:
        for _ in range(30):
            secret = fill(shape, self._chance)
            line = f"The lorries of the north were sent with {secret} as before."
            # By chance one looks like a word; what is found of a text is proven elsewhere.
            if secret not in redact(line).text:
                break
        else:
            raise AssertionError(f"no secret of {shape} is redacted")
        for part in _parts(secret):
            self.parts[part] = f"{door}: {shape.replace('¦', '')}"
        return line

    def left_in(self, home: Path) -> set[str]:
        """Where which secret, or half of one, is in a home."""
        left: set[str] = set()
        for where, text in everything_in(home):
            runs = "\n".join(set(_RUN.findall(text.casefold())))
            left |= {f"{where}: {door}" for part, door in self.parts.items() if part in runs}
        return left


def _parts(secret: str) -> Iterator[str]:
    whole = core(secret)
    yield whole
    if len(whole) >= 2 * _PART:
        # The first characters are the same in every secret of a shape.
        yield whole[len(whole) // 2 - _PART : len(whole) // 2]
        yield whole[-_PART:]


def test_no_secret_of_any_provider_that_came_through_any_door_is_in_the_home(
    cold_home: Home, tmp_path: Path
) -> None:
    home, planter = cold_home, Planter()
    # What is looked through is the home, and the repository holds what it was written with.
    home.project = tmp_path / "lorries"
    home.project.mkdir()
    with _no_daemon(home):
        _hook(home, "UserPromptSubmit", prompt=planter.text("a prompt in the spool"))
        assert sorted(planter.left_in(home.path)) == []
        assert "lorries" in "".join(text for _, text in everything_in(home.path))
    _written_repository(home, planter)
    home.environment["HOME"] = str(_transcript(home, planter, tmp_path))
    home.start()
    assert home.run("init").returncode == 0
    _through_the_hooks(home, planter)
    _through_the_commands(home, planter)
    _through_rest(home, planter)
    _through_mcp(home, planter)
    wait_for(lambda: not list(spool.take(home.path)), "the spool was taken in")
    settled = home.run("daemon", "stop")
    assert settled.returncode == 0, settled.stderr
    assert len({door.partition(":")[0] for door in planter.parts.values()}) >= 10
    everything = "".join(text for _, text in everything_in(home.path))
    assert everything.count("lorries of the north") > 5 * len(SHAPES)
    assert sorted(planter.left_in(home.path)) == []


@contextmanager
def _no_daemon(home: Home) -> Iterator[None]:
    """A lock that looks like a daemon starting, so that an event stays in the spool."""
    home.path.chmod(0o700)
    lock = take_lock(home.path)
    assert lock is not None
    home.environment["CONTEXTD_HOOKS_DEADLINE_MS"] = "1000"
    yield
    home.environment["CONTEXTD_HOOKS_DEADLINE_MS"] = "30000"
    os.close(lock)


def _hook(home: Home, event: str, **payload: Any) -> None:
    given = {"hook_event_name": event, "session_id": "s-1", "cwd": str(home.project), **payload}
    done = home.run("hook", "--client", "claude-code", stdin=json.dumps(given))
    assert done.returncode == 0


def _through_the_hooks(home: Home, planter: Planter) -> None:
    _hook(home, "SessionStart", source="startup")
    _hook(home, "UserPromptSubmit", prompt=planter.text("a prompt"))
    output = {"stdout": planter.text("the output of a tool"), "stderr": "", "interrupted": False}
    given = {"command": planter.text("a command of a tool", between=" ; ")}
    tool: dict[str, Any] = {"tool_name": "Bash", "tool_input": given, "tool_use_id": "t-1"}
    _hook(home, "PreToolUse", **tool)
    _hook(home, "PostToolUse", **tool, tool_response=output)
    _hook(home, "Stop", last_assistant_message=planter.text("an answer"))
    _hook(home, "SessionEnd", reason="exit")


def _written_repository(home: Home, planter: Planter) -> None:
    """A repository with secrets in its code, its settings, its rules and its messages."""
    code = planter.text("a file of code").splitlines()
    values = "\n".join(f'def note_{n}():\n    return "{line}"\n' for n, line in enumerate(code))
    (home.project / "notes.py").write_text(values)
    (home.project / "README.md").write_text("# Lorries\n\n" + planter.text("a README"))
    # One very long line, which is split where the index splits it.
    (home.project / "notes.txt").write_text(planter.text("a long line", between=" "))
    git = ("git", "-C", str(home.project), "-c", "user.name=t", "-c", "user.email=t@x.invalid")
    body = "Careful, never change the lorries.\n\n" + planter.text("a commit message")
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", f"Start\n\n{body}")):
        subprocess.run([*git, *command], check=True)


def _transcript(home: Home, planter: Planter, folder: Path) -> Path:
    """A person's folder with a transcript of this project."""
    person = folder / "person"
    place = person / ".claude" / "projects" / "lorries"
    place.mkdir(parents=True)
    rows = [
        {"role": "user", "content": planter.text("a prompt of a transcript")},
        {"role": "assistant", "content": [{
            "type": "tool_use", "id": "t-1", "name": "Bash",
            "input": {"command": planter.text("a command of a transcript", between=" ; ")},
        }]},
        {"role": "user", "content": [{
            "type": "tool_result", "tool_use_id": "t-1",
            "content": planter.text("an output of a transcript"),
        }]},
        {"role": "assistant", "content": planter.text("an answer of a transcript")},
    ]  # fmt: skip
    lines = [
        {"type": row["role"], "uuid": f"u-{n}", "sessionId": "session-old", "message": row,
         "cwd": str(home.project), "timestamp": f"2025-11-01T10:00:0{n}Z"}
        for n, row in enumerate(rows)
    ]  # fmt: skip
    (place / "session-old.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    return person


def _through_the_commands(home: Home, planter: Planter) -> None:
    assert "1 session" in home.run("import", "--yes").stdout
    assert home.run("remember", planter.text("remember")).returncode == 0
    home.run("search", planter.text("a search"))
    # What no command knows is quoted in an error.
    assert home.run("records", "show", planter.text("an error")).returncode != 0
    home.run("policies", "check", planter.text("an action that is checked"))


def _through_rest(home: Home, planter: Planter) -> None:
    about = {"project": "lorries"}
    status, _, answer = ask(home, "POST", "/api/memories", {
        "title": "Lorries", "description": "lorries", "outcome": "success",
        "text": planter.text("a record over HTTP"),
        **about,
    })  # fmt: skip
    assert status < 300, answer
    ask(home, "POST", "/api/memories", {planter.text("a field's name over HTTP"): "1"})
    ask(home, "GET", "/api/" + core(planter.text("a path over HTTP", between="%20"))[:4_000])


def _through_mcp(home: Home, planter: Planter) -> None:
    def call(number: int, tool: str, **given: Any) -> str:
        about = {"name": tool, "arguments": given}
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": about})

    client = {"name": "a client", "version": planter.text("a client's version", between=" ")[:900]}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(1, "memory_record", title="Lorries", description="lorries", outcome="success",
             text=planter.text("a tool's argument")),
        call(2, "context_search", query=planter.text("a tool's query")),
        call(3, "read_file", path=planter.text("a tool's path", between="/")),
        call(4, "no_tool", text=planter.text("an unknown tool's argument")),
        "{" + planter.text("a line that is no JSON", between=" "),
    ]  # fmt: skip
    shim = home.popen("mcp", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert shim.stdin is not None
    assert shim.stdout is not None
    shim.stdin.write(("\n".join(lines) + "\n").encode())
    shim.stdin.flush()
    answered = {json.loads(shim.stdout.readline()).get("id") for _ in range(6)}
    assert {0, 1, 2, 3, 4} <= answered
    shim.stdin.close()
    shim.wait(30)
