"""An agent whose daemon cannot run is told why in the answer to each request, not on stderr alone."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import signal
from pathlib import Path
from typing import Any

import apsw
import pytest
from homes import Home, wait_for
from test_mcp_stdio import HANDSHAKE, Agent

from contextd.thin.spawn import is_foreign, take_lock

BROKEN = "\nmcp: {profile: core\n"
CALL: dict[str, Any] = {"name": "memory_search", "arguments": {"query": "vault doors"}}


def call(agent: Agent, id: int) -> Any:
    agent.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": CALL})
    return agent.receive()


def test_initialize_is_answered_with_the_file_and_line_of_a_broken_config(cold_home: Home) -> None:
    (cold_home.path / "config.yaml").write_text(BROKEN, "utf-8")
    agent = Agent(cold_home)
    agent.send(HANDSHAKE[0])
    answer = agent.receive()
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", 0)
    assert answer["error"]["code"] == -32603
    assert answer["error"]["data"]["code"] == "unavailable"
    assert answer["error"]["data"]["hint"]
    assert f"{cold_home.path / 'config.yaml'}, line 3: not valid YAML" in answer["error"]["message"]
    assert agent.process.wait(30) == 1
    assert "config.yaml, line 3" in agent.end()


def test_a_request_that_comes_after_the_failure_is_answered_too(cold_home: Home) -> None:
    (cold_home.path / "config.yaml").write_text(BROKEN, "utf-8")
    agent = Agent(cold_home)
    asked = [{"jsonrpc": "2.0", "id": id, "method": "ping"} for id in ("a", 2)]
    agent.send(*asked)
    answers = [agent.receive(), agent.receive()]
    assert [answer["id"] for answer in answers] == ["a", 2]
    assert all("line 3" in answer["error"]["message"] for answer in answers)
    assert agent.process.wait(30) == 1
    agent.end()


def test_an_agent_that_was_greeted_is_refused_until_the_config_is_mended(cold_home: Home) -> None:
    first = Agent(cold_home)
    first.open()
    call(first, 1)
    first.end()
    cold_home.run("daemon", "stop")
    config = cold_home.path / "config.yaml"
    config.write_text(BROKEN, "utf-8")
    agent = Agent(cold_home)
    agent.open()
    for id in (1, 2):
        answer = call(agent, id)
        assert answer["id"] == id
        assert "config.yaml, line 3" in answer["error"]["message"]
    config.unlink()
    ids = itertools.count(3)
    wait_for(lambda: "result" in call(agent, next(ids)), "the daemon is tried again", 60)
    assert agent.end() == ""
    assert agent.process.returncode == 0


def test_a_home_that_is_no_folder_is_named(tmp_path: Path, cold_home: Home) -> None:
    place = tmp_path / "home"
    place.write_text("x")
    cold_home.environment["CONTEXTD_HOME"] = str(place)
    agent = Agent(cold_home)
    agent.send(HANDSHAKE[0])
    assert f"the home {place} cannot be used: " in agent.receive()["error"]["message"]
    assert agent.process.wait(30) == 1
    agent.end()


def test_a_late_initialize_is_answered_too(tmp_path: Path, cold_home: Home) -> None:
    place = tmp_path / "home"
    place.write_text("x")
    cold_home.environment["CONTEXTD_HOME"] = str(place)
    agent = Agent(cold_home)
    assert agent.process.stderr is not None
    assert b"cannot be used" in agent.process.stderr.readline()
    agent.send(HANDSHAKE[0])
    assert "cannot be used" in agent.receive()["error"]["message"]
    assert agent.process.wait(30) == 1
    agent.end()


@pytest.mark.parametrize("broken", ["home", "settings"])
def test_without_a_daemon_every_request_is_answered(
    tmp_path: Path, cold_home: Home, broken: str
) -> None:
    place = tmp_path / "home"
    if broken == "home":
        place.write_text("x")
    else:
        place.mkdir()
        (place / "config.yaml").write_text(BROKEN, "utf-8")
    cold_home.environment["CONTEXTD_HOME"] = str(place)
    agent = Agent(cold_home, "--standalone")
    agent.send(HANDSHAKE[0])
    assert agent.receive()["id"] == 0
    agent.send(HANDSHAKE[1])
    answer = json.dumps(call(agent, 1))
    assert str(place) in answer
    assert "unavailable" in answer
    agent.end()


def test_every_call_to_a_home_of_a_newer_version_says_so(cold_home: Home) -> None:
    first = Agent(cold_home)
    first.open()
    call(first, 1)
    first.end()
    cold_home.run("daemon", "stop")
    [store] = cold_home.path.rglob("contextd.db")
    database = apsw.Connection(str(store))
    # The daemon that was told to stop may still be closing it.
    database.set_busy_timeout(20_000)
    database.execute("PRAGMA user_version = 999")
    database.close()
    agent = Agent(cold_home)
    agent.open()
    for id in (1, 2):
        result = call(agent, id)["result"]
        assert result["isError"]
        assert "newer" in result["content"][0]["text"]
    agent.end()


def test_a_lock_that_another_program_holds_is_named(cold_home: Home) -> None:
    cold_home.run("daemon", "start")
    cold_home.run("daemon", "stop")
    # A process that is gone, whose number the file keeps.
    lock = cold_home.path / "daemon.lock"
    lock.write_text(str(1 << 30))
    with lock.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        (cold_home.path / "daemon.json").write_text('{"pid": 1, "port": 1, "version": "0.1.0"}')
        for command in ("search x", "daemon start", "daemon status", "daemon stop"):
            done = cold_home.run(*command.split())
            assert done.returncode == 1
            assert f"another program holds the lock {lock}" in done.stderr
            assert "delete the file" in done.stderr
        agent = Agent(cold_home)
        agent.send(HANDSHAKE[0])
        assert "another program holds the lock" in agent.receive()["error"]["message"]
        agent.end()


def test_a_process_that_restores_a_store_is_no_stranger(tmp_path: Path) -> None:
    lock = take_lock(tmp_path)
    assert lock is not None
    assert not is_foreign(tmp_path)
    os.close(lock)
    assert not is_foreign(tmp_path)


def test_a_daemon_that_was_killed_is_started_again(cold_home: Home) -> None:
    daemon = cold_home.start()
    os.kill(daemon, signal.SIGKILL)
    assert cold_home.run("list").returncode == 0
    # Its number was given to another program, which lives.
    cold_home.run("daemon", "stop")
    (cold_home.path / "daemon.json").write_text(
        json.dumps({"pid": os.getpid(), "port": 1, "version": "0.0.1"})
    )
    assert cold_home.run("list").returncode == 0


def test_a_daemon_that_a_signal_stopped_is_named_to_each_caller(home: Home) -> None:
    daemon = home.start()
    agent = Agent(home)
    agent.open()
    os.kill(daemon, signal.SIGSTOP)
    assert f"(process {daemon})" in call(agent, 1)["error"]["message"]
    done = home.run("list")
    assert done.returncode == 1
    assert f"kill -CONT {daemon}" in done.stderr
    os.kill(daemon, signal.SIGCONT)
    ids = itertools.count(2)
    wait_for(lambda: "result" in call(agent, next(ids)), "the daemon is asked again", 60)
    agent.end()
