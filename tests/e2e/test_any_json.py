"""Every field of a message from elsewhere may be anything that JSON can say."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from any_json import SAMPLES, variants
from homes import Home, has_ended, wait_for
from test_mcp_frames import REQUESTS
from test_mcp_stdio import HANDSHAKE, Agent

from contextd import __version__
from contextd.thin import spool
from contextd.thin.channel import Channel, connect, dial, preamble
from contextd.thin.home import endpoint_path, socket_path


@pytest.fixture
def home(cold_home: Home) -> Home:
    """Here it is told how a daemon comes and goes."""
    return cold_home


MESSAGES = [
    *HANDSHAKE,
    *({"jsonrpc": "2.0", "id": 10, "method": name, "params": about} for name, about in REQUESTS),
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 10}},
    {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1}},
    {"jsonrpc": "2.0", "id": 10, "result": {}},
    {"jsonrpc": "2.0", "id": 10, "error": {"code": 1, "message": "x"}},
]
HOOK = {
    "event": "UserPromptSubmit",
    "client": "claude-code",
    "payload": {"session_id": "s", "cwd": "/x", "transcript_path": "/x", "prompt": "one two three"},
}
LINES = {
    "call": {"id": 1, "operation": "tools_list", "arguments": {}, "project": "x"},
    "hook": HOOK,
    "control": {"do": "status"},
}
ANSWERS = ({"output": {"hookSpecificOutput": {}}}, {"error": {"code": "x", "message": "x"}})


def answered(agent: Agent, key: str) -> None:
    """Ask for a sign of life and read until it comes."""
    agent.send({"jsonrpc": "2.0", "id": key, "method": "ping"})
    while agent.receive().get("id") != key:
        pass


@pytest.mark.long
def test_a_shim_passes_on_whatever_an_agent_writes_and_meets_the_next_daemon(home: Home) -> None:
    daemon = home.start()
    agent = Agent(home)
    agent.open()
    for message in MESSAGES:
        for wrong in variants(message):
            # Something must be under way for what cancels or answers it to matter.
            agent.send({"jsonrpc": "2.0", "id": 10, "method": "ping"}, wrong)
        answered(agent, "alive")
    os.kill(daemon, signal.SIGKILL)
    wait_for(lambda: has_ended(daemon), "the daemon is dead")
    answered(agent, "again")
    assert agent.end() == ""
    assert agent.process.returncode == 0
    assert "Traceback" not in home.log()


@pytest.mark.long
@pytest.mark.parametrize("role", LINES)
def test_the_daemon_answers_whatever_a_client_writes(shared_home: Home, role: str) -> None:
    daemon = shared_home.start()
    for line in variants(LINES[role]):
        with connect(shared_home.path, role, cwd=str(shared_home.project)) as channel:
            if role == "call":
                channel.receive(30)
            channel.send(line)
            assert {"error", "value", "output", "pid"} & channel.receive(30).keys(), line
    opening = preamble(shared_home.path, role, cwd=str(shared_home.project), client="x", profile="")
    for line in variants(opening):
        connection = dial(shared_home.path, 30)
        assert connection
        with Channel(connection) as channel:
            channel.send(line)
            # One that is refused is hung up on at once.
            with suppress(BrokenPipeError):
                channel.send(LINES[role])
            assert channel.receive(30), line
    # A client that waits long for a busy daemon starts another one, which sees that and leaves.
    wait_for(lambda: shared_home.daemons() == [daemon], "it is the only one")
    assert "Traceback" not in shared_home.log()


@contextmanager
def answering(home: Home, line: bytes) -> Iterator[None]:
    """A daemon that gives one answer to whatever it is told."""
    path = socket_path(home.path)
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                received = b""
                while received.count(b"\n") < 2:
                    received += connection.recv(1 << 16)
                connection.sendall(line)

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        thread.join()
    path.unlink()


@pytest.mark.long
@pytest.mark.parametrize("right", ANSWERS, ids=["output", "error"])
def test_a_hook_lives_with_any_answer_and_keeps_what_was_not_answered(
    home: Home, right: dict[str, Any]
) -> None:
    for answer in [*variants(right), None, "[" * 100_000]:
        line = answer if isinstance(answer, str) and answer[:2] == "[[" else json.dumps(answer)
        with answering(home, line.encode() + b"\n"):
            done = home.run("hook", "--client", "claude-code", stdin=json.dumps(HOOK["payload"]))
        assert done.returncode == 0, answer
        assert isinstance(json.loads(done.stdout or "{}"), dict), answer
        assert "event not recorded" not in done.stderr, answer
        batches = spool.take(home.path)
        assert bool(batches) is not isinstance(answer, dict), answer
        for batch in batches:
            batch.unlink()


@pytest.mark.long
def test_a_hook_keeps_whatever_a_client_gives_it(home: Home) -> None:
    payload = {"session_id": "s", "cwd": "/x", "hook_event_name": "SessionEnd", "turn_id": "x"}
    given = [one for one in variants(payload) if isinstance(one, dict)]
    # A daemon that seems to start keeps a real one from taking the events.
    from contextd.thin.spawn import take_lock

    lock = take_lock(home.path)
    assert lock is not None
    for one in given:
        done = home.run("hook", stdin=json.dumps(one))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), one
    (batch,) = spool.take(home.path)
    entries = list(spool.read(batch))
    os.close(lock)
    assert [entry["payload"] for entry in entries] == given
    for entry in entries:
        assert all(isinstance(entry[name], str) for name in ("cwd", "event", "client"))


@pytest.mark.long
def test_a_damaged_endpoint_file_of_the_daemon_stops_neither_clients_nor_hooks(home: Home) -> None:
    home.start()
    right = {"pid": 1, "version": __version__, "hooks_deadline_ms": 1000, "port": 7433}
    for about in variants(right):
        endpoint_path(home.path).write_text(json.dumps(about), "utf-8")
        connect(home.path, "control").close()
    for deadline in SAMPLES:
        about = {**right, "hooks_deadline_ms": deadline}
        endpoint_path(home.path).write_text(json.dumps(about), "utf-8")
        done = home.run("hook", stdin='{"hook_event_name": "SessionEnd"}')
        assert done.returncode == 0
        assert "event not recorded" not in done.stderr, deadline
    endpoint_path(home.path).write_bytes(b"[" * 100_000)
    connect(home.path, "control").close()


@pytest.mark.long
def test_a_spooled_line_of_any_kind_keeps_no_later_one_from_being_taken_in(home: Home) -> None:
    (home.project / ".context").mkdir()
    home.trust(home.project)
    home.run("daemon", "stop")
    entry = {"at": "2026-01-01T00:00:00+00:00", "cwd": str(home.project), "ancestors": [1], **HOOK}
    for line in variants(entry):
        spool.leave(home.path, line)
    with (home.path / "spool.jsonl").open("ab") as file:
        file.write(b"[" * 100_000 + b"\n")
    last = {**entry, "payload": {"session_id": "z"}, "event": "SessionStart", "client": "codex"}
    spool.leave(home.path, last)
    home.start()
    unknown = {"spool.unknown.jsonl"}
    left = lambda: {path.name for path in home.path.glob("spool*")} - unknown  # noqa: E731
    wait_for(lambda: not left(), "everything was taken in", 60)
    assert "Traceback" not in home.log()
    listed = json.loads(home.run("list-sessions", "--json").stdout)
    assert "codex" in {session["client"] for session in listed["sessions"]}


def test_the_samples_are_every_type_of_json_and_each_place_is_tried() -> None:
    assert {type(sample) for sample in SAMPLES} == {type(None), bool, int, float, str, list, dict}
    tried = list(variants({"a": [1]}))
    assert {} in tried
    assert {"a": []} in tried
    assert {"a": [None]} in tried
    assert all(json.loads(json.dumps(one)) == one for one in tried)
