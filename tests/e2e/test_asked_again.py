"""A daemon that dies between its commit and its answer, and the call that is asked again."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from homes import Home

from contextd.thin.client import call
from contextd.thin.home import socket_path

NOTE = "Invoices are numbered by the bookkeeper on the first of the month."


class Thief:
    """Stands before a running daemon, passes on what one client says, and lets no answer through that
    `is_the_answer`: it hangs up on the client then, and is gone.
    """

    def __init__(self, path: Path, is_the_answer: Callable[[bytes], bool]) -> None:
        self._path, self._hidden = path, path.with_name("hidden")
        self._is_the_answer = is_the_answer
        self.stolen: list[bytes] = []
        self._listener = self._in_its_place()
        self._thread = threading.Thread(target=self._steal)
        self._thread.start()

    def _in_its_place(self) -> socket.socket:
        self._path.rename(self._hidden)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self._path))
        listener.listen()
        listener.settimeout(0.005)
        self._inode = self._path.stat().st_ino
        return listener

    def _client(self) -> socket.socket:
        # The daemon misses its socket after a second, and opens a new one.
        while True:
            with suppress(TimeoutError):
                client, _ = self._listener.accept()
                client.settimeout(None)
                return client
            if self._path.exists() and self._path.stat().st_ino != self._inode:
                self._listener.close()
                self._listener = self._in_its_place()

    def _steal(self) -> None:
        client = self._client()
        with client, socket.socket(socket.AF_UNIX) as daemon:
            daemon.connect(str(self._hidden))
            threading.Thread(target=self._pass_on, args=(client, daemon), daemon=True).start()
            while line := self._line(daemon):
                if self._is_the_answer(line):
                    self.stolen.append(line)
                    break
                client.sendall(line)
            self._listener.close()
            self._hidden.replace(self._path)
            client.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _line(daemon: socket.socket) -> bytes:
        line = b""
        while not line.endswith(b"\n") and (byte := daemon.recv(1)):
            line += byte
        return line

    @staticmethod
    def _pass_on(client: socket.socket, daemon: socket.socket) -> None:
        try:
            while piece := client.recv(1 << 16):
                daemon.sendall(piece)
        except OSError:
            return

    def gone(self) -> None:
        """Wait for it to have stolen its answer."""
        self._thread.join(60)
        assert self.stolen


def notes(home: Home) -> list[str]:
    found = json.loads(home.run("list-records", "--json", "--kind", "context").stdout)
    return [record["id"] for record in found["records"]]


def test_a_call_is_done_once_and_answered_although_its_answer_was_lost(home: Home) -> None:
    home.settle()
    home.start()
    thief = Thief(socket_path(home.path), lambda line: b'"value"' in line)
    answered = call("save_context", {"content": NOTE}, home=home.path, cwd=str(home.project))
    thief.gone()
    assert json.loads(thief.stolen[0])["value"] == answered.value
    assert notes(home) == [answered.value["id"]]


@pytest.mark.long
def test_the_same_key_in_another_project_is_another_call(home: Home) -> None:
    home.settle()
    neighbour = home.path / "neighbour"
    (neighbour / ".context").mkdir(parents=True)
    home.trust(neighbour)
    home.start()
    answers = [
        call("save_context", {"content": NOTE}, home=home.path, cwd=str(place))
        for place in (home.project, neighbour)
    ]
    assert answers[0].value["id"] != answers[1].value["id"]
    assert notes(home) == [answers[0].value["id"]]


@pytest.mark.long
def test_an_agents_call_is_done_once_although_its_answer_was_lost(home: Home) -> None:
    home.settle()
    home.start()
    thief = Thief(socket_path(home.path), lambda line: b'"id":2' in line.replace(b" ", b""))
    agent = home.popen("mcp", stdin=-1, stdout=-1)
    assert agent.stdin is not None
    assert agent.stdout is not None

    def ask(message: dict[str, object]) -> None:
        agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        agent.stdin.flush()

    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    ask({"id": 1, "method": "initialize", "params": hello})
    assert json.loads(agent.stdout.readline())["id"] == 1
    ask({"method": "notifications/initialized"})
    arguments = {"content": NOTE}
    ask(
        {
            "id": 2,
            "method": "tools/call",
            "params": {
                "name": "save_context",
                "arguments": arguments,
                "_meta": {"contextd/complete": True},
            },
        }
    )
    answer = json.loads(agent.stdout.readline())
    thief.gone()
    assert answer["id"] == 2
    [id] = notes(home)
    assert id == answer["result"]["structuredContent"]["id"]
    agent.communicate(timeout=30)
