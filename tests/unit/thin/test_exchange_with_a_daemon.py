"""Requests to a daemon that never greets, greets and never answers, or answers half a line."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from contextd.thin import client, command, exchange
from contextd.thin.client import call, control, stop
from contextd.thin.exchange import Reached, Unanswered, ask
from contextd.thin.home import endpoint_path, socket_path
from contextd.thin.spawn import take_lock
from contextd_common.errors import Unavailable

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


def stops(connection: socket.socket, requests: list[dict[str, object]]) -> None:
    requests += [line(connection), line(connection)]
    connection.sendall(b'{"stopping": true}\n')


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


@pytest.mark.parametrize("after", ["the lock is free", "the next daemon runs"])
def test_a_stop_ends_when_the_daemon_has_left_its_home_and_not_when_it_was_told(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    lock = take_lock(daemon.home)
    assert lock is not None
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3 and after == "the lock is free":
            os.close(lock)
        elif len(waits) == 3:
            endpoint_path(daemon.home).write_text('{"port": 1, "pid": 4712}')

    monkeypatch.setattr(client, "time", SimpleNamespace(monotonic=time.monotonic, sleep=wait))
    daemon.acts(stops)
    assert stop(daemon.home) is True
    assert (daemon.requests[1]["do"], len(waits)) == ("stop", 3)
    if after == "the next daemon runs":
        os.close(lock)


def test_a_daemon_that_does_not_stop_in_time_is_named(daemon: Daemon) -> None:
    lock = take_lock(daemon.home)
    assert lock is not None
    daemon.acts(stops)
    with pytest.raises(Unavailable, match="process 4711"):
        stop(daemon.home, seconds=SOON)
    os.close(lock)


def test_nothing_is_stopped_where_no_daemon_runs(tmp_path: Path) -> None:
    assert stop(tmp_path) is False
