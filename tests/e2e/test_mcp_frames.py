"""Broken frames: no crash, no hang, and the next client is served."""

from __future__ import annotations

import json
import random

import pytest
from homes import Home
from test_mcp_stdio import HANDSHAKE, Agent, lines

from contextd.thin.channel import connect
from contextd.thin.client import control

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
REQUESTS = (
    ("ping", {}),
    ("tools/list", {}),
    ("tools/call", {"name": "tools_list", "arguments": {}}),
    ("resources/read", {"uri": "context://project/overview"}),
    ("prompts/get", {"name": "resume"}),
    ("server/discover", {"_meta": ENVELOPE}),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "resume"},
            "argument": {"name": "name", "value": ""},
        },
    ),
)
SEEDS = [json.dumps(message) for message in HANDSHAKE] + [
    json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    for number, (method, params) in enumerate(REQUESTS, 10)
]
SEEDS += [
    json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 10}})
]
PER_CONNECTION = 200
HANG_SECONDS = 10.0
"""Far over the two seconds promised: a loaded machine must not fail the test."""


def mutated(seed: str, chance: random.Random) -> bytes:
    frame = bytearray(seed.encode())
    for _ in range(chance.randint(0, 4)):
        at = chance.randrange(len(frame))
        match chance.randrange(5):
            case 0:
                frame[at] = chance.randrange(256)
            case 1:
                del frame[at : at + chance.randint(1, 10)]
            case 2:
                frame[at:at] = chance.choice(
                    (b"{", b"}", b"[", b"]", b'"', b"\\", b"0", b"null", b"1e999", b"\xed\xa0\x80")
                )
            case 3:
                start = chance.randrange(len(frame))
                frame[at:at] = frame[start : start + 20]
            case _:
                del frame[max(1, at) :]
        frame = frame or bytearray(b"{")
    return bytes(frame).replace(b"\n", b" ") + b"\n"


def bombard(home: Home, frames: int) -> None:
    chance = random.Random(5)
    for _ in range(frames // PER_CONNECTION):
        data = b"".join(mutated(chance.choice(SEEDS), chance) for _ in range(PER_CONNECTION))
        with connect(home.path, "mcp", cwd=str(home.project)) as channel:
            channel.socket.settimeout(HANG_SECONDS)
            channel.socket.sendall(data)
            channel.socket.shutdown(1)
            received = b""
            while piece := channel.socket.recv(1 << 16):
                received += piece
        for line in received.splitlines():
            assert json.loads(line)["jsonrpc"] == "2.0"
    assert control("status", home=home.path)["clients"] == 0
    assert "Traceback" not in home.log()
    ask = {"jsonrpc": "2.0", "id": 9, "method": "ping"}
    assert '"id":9' in home.run("mcp", stdin=lines(*HANDSHAKE, ask)).stdout


@pytest.mark.long
def test_mutated_frames_through_a_real_shim_end_neither_it_nor_the_connection(
    shared_home: Home,
) -> None:
    chance = random.Random(7)
    frames = b"".join(mutated(chance.choice(SEEDS), chance) for _ in range(3_000))
    alive = {"jsonrpc": "2.0", "id": "alive", "method": "ping"}
    shim = shared_home.popen("mcp", stdin=-1, stdout=-1, stderr=-1)
    opening, closing = lines(*HANDSHAKE).encode(), lines(alive).encode()
    written, complaints = shim.communicate(opening + frames + closing, timeout=100)
    assert (shim.returncode, complaints) == (0, b"")
    answers = [json.loads(line) for line in written.splitlines()]
    assert {"jsonrpc": "2.0", "id": "alive", "result": {}} in answers


@pytest.mark.long
def test_ten_thousand_mutated_frames_crash_and_hang_nothing(shared_home: Home) -> None:
    bombard(shared_home, 10_000)


@pytest.mark.slow
def test_a_hundred_thousand_mutated_frames_crash_and_hang_nothing(shared_home: Home) -> None:
    bombard(shared_home, 100_000)


@pytest.mark.parametrize("blank", ["\n", "  \r\n"])
def test_blank_lines_are_not_answered(shared_home: Home, blank: str) -> None:
    agent = Agent(shared_home)
    agent.open()
    assert agent.process.stdin is not None
    agent.process.stdin.write(blank.encode() * 100_000)
    agent.send({"jsonrpc": "2.0", "id": "after", "method": "ping"})
    assert agent.receive()["id"] == "after"
    agent.end()


def test_the_daemon_itself_does_not_answer_blank_lines(shared_home: Home) -> None:
    with connect(shared_home.path, "mcp") as channel:
        channel.socket.sendall(b"\n \n" * 1_000)
        channel.send({"jsonrpc": "2.0", "id": "after", "method": "ping"})
        assert channel.receive(30)["id"] == "after"


@pytest.mark.parametrize("levels", [150, 500, 2_000, 100_000])
def test_a_deep_frame_is_refused_and_the_session_goes_on(shared_home: Home, levels: int) -> None:
    agent = Agent(shared_home)
    agent.open()
    deep = '{"a":' * levels + "1" + "}" * levels
    assert agent.process.stdin is not None
    frame = (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
        '{"name":"context_search","arguments":{"query":"x","deep":' + deep + "}}}\n"
    )
    agent.process.stdin.write(frame.encode())
    agent.send({"jsonrpc": "2.0", "id": "after", "method": "ping"})
    refused, answered = sorted(
        (agent.receive(), agent.receive()), key=lambda one: one.get("id") == "after"
    )
    assert "error" in refused or refused["result"]["isError"]
    assert answered["id"] == "after"
    agent.end()
