"""Requests to a daemon that never greets, greets and never answers, or answers half a line."""

from __future__ import annotations

import json
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from contextd.thin import command, exchange
from contextd.thin.client import call, control
from contextd.thin.exchange import Reached, Unanswered, ask
from contextd.thin.home import endpoint_path, socket_path
from contextd_code.errors import Unavailable

Act = Callable[[socket.socket, list[dict[str, object]]], None]
"""What a stand-in does with one connection; it adds the requests that it read to the list."""

GREETING = b'{"welcome":"test"}\n'
SOON = 0.2


class Daemon:
    """A stand-in that treats its connections one after another as `acts` says, and accepts no more."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.requests: list[dict[str, object]] = []
        self._open: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(socket_path(home)))
        self._listener.listen()
        self._thread = threading.Thread()

    def acts(self, *acts: Act) -> None:
        def serve() -> None:
            for act in acts:
                connection, _ = self._listener.accept()
                self._open.append(connection)
                act(connection, self.requests)

        self._thread = threading.Thread(target=serve)
        self._thread.start()

    def close(self) -> None:
        self._thread.join()
        for connection in (*self._open, self._listener):
            connection.close()


def line(connection: socket.socket) -> dict[str, object]:
    text = b""
    while not text.endswith(b"\n") and (byte := connection.recv(1)):
        text += byte
    return dict(json.loads(text or b"{}"))


def silent(connection: socket.socket, requests: list[dict[str, object]]) -> None:
    line(connection)


def greets(connection: socket.socket, requests: list[dict[str, object]]) -> None:
    line(connection)
    connection.sendall(GREETING)
    requests.append(line(connection))


def half(connection: socket.socket, requests: list[dict[str, object]]) -> None:
    greets(connection, requests)
    connection.sendall(b'{"value": 1, "te')
    connection.shutdown(socket.SHUT_RDWR)


def answers(connection: socket.socket, requests: list[dict[str, object]]) -> None:
    greets(connection, requests)
    connection.sendall(b'{"value":1,"text":"one","code":0,"printed":[]}\n')


def slow(connection: socket.socket, requests: list[dict[str, object]]) -> None:
    greets(connection, requests)
    connection.sendall(b'{"value":1,')


def alive(connection: socket.socket, requests: list[dict[str, object]]) -> None:
    line(connection)
    connection.sendall(GREETING)


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    with tempfile.TemporaryDirectory(prefix="ctx-") as folder:
        home = Path(folder).resolve()
        monkeypatch.setenv("CONTEXTD_HOME", str(home))
        monkeypatch.setattr(exchange, "GREETING_SECONDS", SOON)
        monkeypatch.setattr(exchange, "CHECK_SECONDS", SOON)
        monkeypatch.setattr(command, "_WELCOME_SECONDS", SOON)
        endpoint_path(home).write_text('{"port": 1, "pid": 4711}')
        stand_in = Daemon(home)
        yield stand_in
        stand_in.close()


def test_a_call_to_a_daemon_that_never_greets_ends_and_is_not_sent(daemon: Daemon) -> None:
    daemon.acts(silent)
    with pytest.raises(Unavailable, match="does not answer") as failed:
        call("status", home=daemon.home)
    assert "end its process 4711" in failed.value.hint
    assert daemon.requests == []


def test_a_command_runs_in_its_own_process_if_the_daemon_never_greets(daemon: Daemon) -> None:
    daemon.acts(silent)
    assert command.run_in_daemon(["list"]) is None


def test_a_daemon_that_greets_and_then_hangs_holds_neither_call_nor_command(daemon: Daemon) -> None:
    daemon.acts(greets, silent, greets, silent)
    with pytest.raises(Unavailable, match="does not answer"):
        call("status", home=daemon.home)
    answer = command.run_in_daemon(["list"])
    assert isinstance(answer, Unavailable)
    assert "may have run" in answer.message
    assert len(daemon.requests) == 2


def test_a_slow_answer_of_a_daemon_that_works_is_waited_for(daemon: Daemon) -> None:
    def rest(connection: socket.socket, requests: list[dict[str, object]]) -> None:
        alive(connection, requests)
        daemon._open[0].sendall(b'"text":"one"}\n')

    daemon.acts(slow, rest)
    assert call("status", home=daemon.home).text == "one"


def test_half_an_answer_is_asked_for_again_with_the_same_key(daemon: Daemon) -> None:
    daemon.acts(half, answers)
    assert call("status", home=daemon.home).value == 1
    first, second = daemon.requests
    assert "again" not in first
    assert second == {**first, "again": True}


def test_half_an_answer_to_a_command_is_asked_for_again_with_the_same_key(daemon: Daemon) -> None:
    daemon.acts(half, answers)
    assert command.run_in_daemon(["list"]) == 0
    first, second = daemon.requests
    assert second == {**first, "again": True}


def test_a_request_that_must_not_start_a_daemon_is_sent_once(daemon: Daemon) -> None:
    daemon.acts(half)
    with pytest.raises(Unanswered) as lost:
        ask(daemon.home, "call", {"id": 1}, Reached(start=False, again=False))
    assert lost.value.may_have_run
    assert len(daemon.requests) == 1


def test_the_control_of_a_hung_daemon_ends_in_its_time(daemon: Daemon) -> None:
    daemon.acts(silent)
    with pytest.raises(Unavailable):
        control("status", home=daemon.home, timeout=SOON)
