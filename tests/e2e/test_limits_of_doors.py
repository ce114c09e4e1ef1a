"""Doors against clients that send too much, too slowly or nothing, on a real daemon."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from homes import Home, wait_for
from test_mcp_stdio import HANDSHAKE, Agent, lines

from contextd.thin.channel import connect, preamble
from contextd.thin.client import control
from contextd.thin.home import socket_path


def remember(number: int, content: str) -> dict[str, Any]:
    params = {"name": "remember", "arguments": {"content": content}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def ping(number: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "ping"}


@pytest.mark.parametrize("flags", [(), pytest.param(("--standalone",), marks=pytest.mark.long)])
def test_a_line_of_20_mb_is_refused_by_its_id_and_the_session_goes_on(
    shared_home: Home, flags: tuple[str, ...]
) -> None:
    big = "x" * (20 << 20)
    last_id = {"jsonrpc": "2.0", "method": "tools/call", "params": {"x": big}, "id": "last"}
    sent = lines(*HANDSHAKE, remember(1, big), ping(2), last_id, {"x": big}, ping(3))
    result = shared_home.run("mcp", *flags, stdin=sent)
    answers = {answer["id"]: answer for answer in map(json.loads, result.stdout.splitlines())}
    assert {1, 2, 3, "last", None} <= set(answers)
    for id in (1, "last", None):
        assert answers[id]["error"]["data"]["code"] == "too_large"
    assert answers[2]["result"] == answers[3]["result"] == {}
    assert (result.returncode, result.stderr) == (0, "")


def test_a_long_line_over_the_socket_is_refused_and_the_connection_goes_on(
    shared_home: Home,
) -> None:
    with connect(shared_home.path, "call", cwd=str(shared_home.project)) as channel:
        assert "welcome" in channel.receive(30)
        channel.socket.settimeout(60)
        channel.send({"id": 1, "operation": "tools_list", "arguments": {"x": "x" * (20 << 20)}})
        refused = channel.receive(60)
        assert refused["error"]["code"] == "too_large"
        assert refused["id"] == 1
        channel.send({"id": 2, "operation": "tools_list", "arguments": {}})
        assert channel.receive(60)["id"] == 2


def test_a_preamble_of_a_megabyte_is_refused(shared_home: Home) -> None:
    with dialled(shared_home) as connection:
        about = preamble(shared_home.path, "call", client="x" * (2 << 20))
        connection.sendall(json.dumps(about).encode() + b"\n")
        assert b"too_large" in connection.recv(1_000)


@contextlib.contextmanager
def dialled(home: Home) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        while True:
            try:
                connection.connect(str(socket_path(home.path)))
                break
            except BlockingIOError:
                # The queue is full; a socket without a timeout would wait.
                time.sleep(0.01)
        yield connection


def knock(home: Home, head: bytes, body: bytes = b"") -> bytes:
    """The first line of what the port answers."""
    with socket.create_connection(("127.0.0.1", home.about()["port"]), 30) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(head + body)
        with contextlib.suppress(ConnectionError):
            return connection.recv(65536)
        return b""


def head(home: Home, first: str, *more: str, known: bool = True) -> bytes:
    token = (home.path / "token").read_text("utf-8").strip()
    given = [f"{first} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    given += [f"Authorization: Bearer {token}"] if known else []
    return "\r\n".join([*given, *more, "", ""]).encode()


def chunked(size: int) -> bytes:
    piece = b"10000\r\n" + b"a" * 65536 + b"\r\n"
    return piece * (size // 65536) + b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("first", "more", "known"),
    [
        ("POST /api/contexts", (), True),
        ("POST /mcp", ("Accept: application/json, text/event-stream",), True),
        ("POST /records/new", ("Accept: text/html",), False),
    ],
)
def test_a_chunked_body_over_the_limit_is_413_everywhere(
    shared_home: Home, first: str, more: tuple[str, ...], known: bool
) -> None:
    began = head(shared_home, first, "Transfer-Encoding: chunked", *more, known=known)
    assert knock(shared_home, began, chunked(6 << 20)).startswith(b"HTTP/1.1 413 ")
    declared = head(shared_home, first, f"Content-Length: {6 << 20}", *more, known=known)
    assert knock(shared_home, declared).startswith(b"HTTP/1.1 413 ")


@contextlib.contextmanager
def half_open(home: Home, count: int) -> Iterator[list[socket.socket]]:
    """So many connections that began a request and send no more of it."""
    begun = head(home, "POST /api/contexts", "Content-Length: 1000") + b"{"
    with contextlib.ExitStack() as stack:
        opened = []
        for number in range(count):
            address = ("127.0.0.1", home.about()["port"])
            connection = stack.enter_context(socket.create_connection(address, 30))
            with contextlib.suppress(ConnectionError):
                connection.sendall(begun if number % 2 else begun[: number % 150])
            opened.append(connection)
        yield opened


def is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1 << 16) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def test_half_open_requests_are_closed_and_others_are_served_meanwhile(shared_home: Home) -> None:
    whole = head(shared_home, "GET /api/status", "Connection: close")
    assert knock(shared_home, whole).startswith(b"HTTP/1.1 200 ")
    with half_open(shared_home, 600) as opened:
        assert knock(shared_home, whole).startswith(b"HTTP/1.1 200 ")
        assert control("status", home=shared_home.path)["open"]
        wait_for(lambda: sum(map(is_closed, opened)) >= 600 - 256, "room is made", 30)
        wait_for(lambda: all(map(is_closed, opened)), "the others time out", 60)
    assert "Traceback" not in shared_home.log()


def test_connections_of_the_socket_without_a_preamble_make_room_for_others(
    shared_home: Home,
) -> None:
    agent = Agent(shared_home)
    agent.open()
    with contextlib.ExitStack() as stack:
        for _ in range(700):
            stack.enter_context(dialled(shared_home)).sendall(b'{"v":1,"role"')
        assert control("status", home=shared_home.path)["open"]
        agent.send(ping(8))
        assert agent.receive()["id"] == 8
    assert agent.end() == ""


def test_rubbish_at_the_port_leaves_a_few_lines_in_the_log(shared_home: Home) -> None:
    whole = head(shared_home, "GET /api/status", "Connection: close")
    upgrade = head(
        shared_home, "GET /api/status", "Upgrade: websocket", "Connection: Upgrade, close"
    )
    many = head(shared_home, "GET /api/status", *(f"X-{n}: {n}" for n in range(9_000)))
    long = head(shared_home, "GET /api/status?" + "x" * 200_000)
    for _ in range(40):
        for data in (b"\0\1\2\r\n\r\n", upgrade, many, long, whole[:20] + b"\r\n\r\n"):
            knock(shared_home, data)
    assert knock(shared_home, whole).startswith(b"HTTP/1.1 200 ")
    levels = [json.loads(line)["level"] for line in shared_home.log().splitlines()]
    assert 0 < len(levels) - levels.count("INFO") < 10
    assert "Traceback" not in shared_home.log()


def test_pipelined_requests_are_answered_in_order(shared_home: Home) -> None:
    one = head(shared_home, "GET /healthz")
    two = head(shared_home, "GET /api/operations", "Connection: close")
    with socket.create_connection(("127.0.0.1", shared_home.about()["port"]), 30) as connection:
        connection.sendall(one * 20 + two)
        received = b""
        while piece := connection.recv(1 << 16):
            received += piece
    assert received.count(b"HTTP/1.1 200 OK") == 21


@pytest.mark.long
def test_a_hook_with_100_mb_on_stdin_says_that_they_are_too_many(
    shared_home: Home, tmp_path: Path
) -> None:
    event = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    before, after = json.dumps({**event, "tool_response": {"stdout": "HUGE"}}).split("HUGE")
    # From a file: three copies of the text would be the most memory that a worker ever needs.
    with (tmp_path / "event.json").open("w+") as huge:
        huge.write(before)
        for _ in range(100):
            huge.write("x" * (1 << 20))
        huge.write(after)
        huge.seek(0)
        hook = shared_home.popen(
            "hook", "--client", "claude-code", "PostToolUse", stdin=huge, stdout=-1, stderr=-1
        )
        _, warning = hook.communicate(timeout=60)
    assert hook.returncode == 0
    assert b"MB" in warning
    assert not list(shared_home.path.glob("spool*"))


def test_a_hook_whose_stdin_stays_open_is_answered_at_once(shared_home: Home) -> None:
    process = shared_home.popen("hook", "--client", "claude-code", stdin=-1, stdout=-1, stderr=-1)
    event = {"session_id": "open", "hook_event_name": "SessionStart", "source": "startup"}
    assert process.stdin is not None
    process.stdin.write(json.dumps(event).encode())
    process.stdin.flush()
    # Its deadline is thirty seconds here.
    assert process.wait(25) == 0
    assert not list(shared_home.path.glob("spool*"))
