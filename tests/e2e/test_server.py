"""A server for a team as an operator runs it: real processes over PostgreSQL, called over HTTP by members."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from support.team_processes import Processes, ask, free_port, made, ready

pytestmark = pytest.mark.long

SECRET = "Prices are stored in cents."


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    found = Processes(tmp_path)
    yield found
    found.close()


def test_two_replicas_answer_for_one_database_and_one_may_die(processes: Processes) -> None:
    ports = free_port(), free_port()
    replicas = [processes.start("serve", "--listen", f"127.0.0.1:{port}") for port in ports]
    for port in ports:
        ready(port)
    name, token = made(processes, ports[0])
    rival, other = made(processes, ports[1])
    status, project = ask(ports[0], "POST /api/projects", {"name": "Shop", "team": "web"}, token)
    assert (status, project["scope"]) == (200, f"{name}/web/shop")
    body = {"text": SECRET, "project": "shop"}
    _, first = ask(ports[0], "POST /api/records", body, token, key="once")
    replicas[0].send_signal(signal.SIGKILL)
    replicas[0].wait()
    # The other one answers, also to the repetition of a call whose answer was lost.
    status, again = ask(ports[1], "POST /api/records", body, token, key="once")
    assert (status, again["id"]) == (200, first["id"])
    _, found = ask(ports[1], "GET /api/search?project=shop&query=prices", token=token)
    assert [hit["text"] for hit in found["results"]] == [SECRET]
    # A second organisation beside it sees nothing, not even that there is a project.
    for wanted in ("shop", f"{name}/web/shop"):
        status, refused = ask(
            ports[1], f"GET /api/search?project={wanted}&query=prices", token=other
        )
        assert (status, refused["code"]) == (404, "not_found")
    assert ask(ports[1], "GET /api/members", token=other)[1]["organisation"] == rival
    lines = [line for line in processes.log(1) if line.get("path") == "/api/search"]
    assert {line["organisation"] for line in lines} == {name, rival}
    assert all(line["request"] for line in lines)
    assert token not in json.dumps(processes.log(1))


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_an_official_client_works_with_a_token_in_either_protocol_era(
    processes: Processes, era: Any
) -> None:
    port = free_port()
    processes.start("serve", "--listen", f"127.0.0.1:{port}")
    ready(port)
    _, token = made(processes, port)
    ask(port, "POST /api/projects", {"name": "Shop"}, token)

    async def work() -> tuple[set[str], str]:
        bearer = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=bearer, timeout=30) as web:
            transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=web)
            async with Client(transport, mode=era) as client:
                tools = {tool.name for tool in (await client.list_tools()).tools}
                note = {"text": SECRET, "project": "shop"}
                assert not (await client.call_tool("remember", note)).is_error
                asked = {"query": "prices", "project": "shop"}
                found = await client.call_tool("context_search", asked)
                return tools, str(found.content[0].text)  # type: ignore[union-attr]

    tools, text = asyncio.run(work())
    assert {"remember", "context_search", "session_start"} <= tools
    assert not tools & {"read_file", "find_symbol", "impact", "find_references"}
    assert SECRET in text


def test_a_process_that_is_asked_to_stop_finishes_what_runs(processes: Processes) -> None:
    port = free_port()
    process = processes.start("serve", "--listen", f"127.0.0.1:{port}")
    ready(port)
    _, token = made(processes, port)
    ask(port, "POST /api/projects", {"name": "Shop"}, token)
    answers: list[int] = []
    ending = False

    def work() -> None:
        number = 0
        while not ending:
            number += 1
            body = {"text": f"{SECRET} Number {number}.", "project": "shop"}
            try:
                answers.append(ask(port, "POST /api/records", body, token)[0])
            except OSError:
                # After it stopped to listen.
                return

    worker = Thread(target=work)
    worker.start()
    while len(answers) < 3:
        time.sleep(0.01)
    before = len(answers)
    process.send_signal(signal.SIGTERM)
    ready(port, 503)
    assert ask(port, "GET /healthz")[0] == 200
    code = process.wait(30)
    ending = True
    worker.join()
    assert code == 0
    assert len(answers) > before, "it answered while it drained"
    assert set(answers) == {200}
    assert processes.log(0)[-1]["text"] == "stopped"


def test_background_work_is_done_by_a_process_of_its_own(processes: Processes) -> None:
    port = free_port()
    processes.start("serve", "--listen", f"127.0.0.1:{port}")
    ready(port)
    _, token = made(processes, port)
    ask(port, "POST /api/projects", {"name": "Shop"}, token)
    talk = {"project": "shop", "task_description": "round prices"}
    _, session = ask(port, "POST /api/sessions", talk, token)
    said = {"role": "user", "text": f"We decided: {SECRET}", "project": "shop"}
    logged = ask(port, f"POST /api/sessions/{session['session_id']}/log", said, token)
    assert logged[0] == 200, logged
    ended = {"session_id": session["session_id"], "outcome": "success", "project": "shop"}
    status, answer = ask(port, "POST /api/sessions/end", ended, token)
    assert status == 200, answer

    def states() -> list[str]:
        jobs = ask(port, "GET /api/jobs?project=shop", token=token)[1]["jobs"]
        return [job["state"] for job in jobs if job["name"] == "learn_session"]

    assert states() == ["ready"]
    health = free_port()
    worker = processes.start("work", "--listen", f"127.0.0.1:{health}")
    ready(health)
    for _ in range(400):
        if states() == ["done"]:
            break
        time.sleep(0.05)
    assert states() == ["done"]
    # It answers nothing but health.
    assert ask(health, "GET /api/members", token=token)[0] == 404
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0


def test_what_is_wrong_is_said_in_a_line_and_nothing_runs(processes: Processes) -> None:
    for command in (["serve"], ["work"], ["tenant", "create", "acme", "--admin", "ada"]):
        done = processes.run(*command, CONTEXTD_STORE_URL="")
        assert done.returncode == 1
        assert done.stderr.startswith("a server needs the store of a team\nhint: set store.url")
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = processes.run("serve", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert done.returncode == 1
    assert "cannot listen at" in done.stderr
    assert processes.run("tenant", "create", "local", "--admin", "ada").returncode == 1


def test_a_server_waits_for_its_database_and_says_so(processes: Processes) -> None:
    port = free_port()
    gone = f"postgresql://nobody@127.0.0.1:{free_port()}/none"
    process = processes.start("serve", "--listen", f"127.0.0.1:{port}", CONTEXTD_STORE_URL=gone)
    ready(port, 503)
    assert ask(port, "GET /healthz")[0] == 200
    status, problem = ask(port, "GET /api/tools", token="ctxd_acme_x")
    assert (status, problem["code"]) == (503, "unavailable")
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
