"""Claude Code and Codex as clients of a server: by a token, without a contextd of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from agents import CLAUDE_CODE, HEADLESS, model_of_codex
from scripted_model import ScriptedModel, Turn, Use, scripted_model
from stage import raised_stage

from support.team_processes import Processes, ask, free_port, made, ready

CODEX = next(one for one in HEADLESS if one.name == "codex")
FACT = "Refunds above 500 euros need a second signature."
TURNS = (
    Turn("I keep that.", (Use("remember", {"text": FACT, "project": "shop"}),)),
    Turn("I look.", (Use("context_search", {"query": "refunds", "project": "shop"}),)),
    Turn("Done."),
)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with scripted_model() as running:
        yield running


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[int, str]]:
    """The port of a server, and a token of a member of the project `shop`."""
    processes = Processes(tmp_path)
    port = free_port()
    processes.start("serve", "--listen", f"127.0.0.1:{port}")
    ready(port)
    name, admin = made(processes, port)
    ask(port, "POST /api/projects", {"name": "Shop", "team": "web"}, admin)
    body = {"name": "Grace", "role": "project_dev", "scope": f"{name}/web/shop"}
    code = ask(port, "POST /api/members", body, admin)[1]["code"]
    yield port, ask(port, "POST /api/codes/exchange", {"code": code})[1]["token"]
    processes.close()


def kept(port: int, token: str) -> list[str]:
    """What a search of the server finds."""
    found = ask(port, "GET /api/search?project=shop&query=refunds", token=token)[1]
    return [hit["text"] for hit in found["results"]]


def test_claude_code_works_with_a_token(model: ScriptedModel, server: tuple[int, str]) -> None:
    port, token = server
    with raised_stage(CLAUDE_CODE.package) as stage:
        CLAUDE_CODE.configure(stage, model.url)
        given = CLAUDE_CODE.environment(stage, model.url)
        added = stage.run(
            *("claude", "mcp", "add", "--transport", "http", "contextd"),
            f"http://127.0.0.1:{port}/mcp",
            *("--header", f"Authorization: Bearer {token}"),
            environment=given,
        )
        assert added.returncode == 0, added.stdout + added.stderr
        listed = stage.run("claude", "mcp", "list", environment=given)
        assert "Connected" in listed.stdout, listed.stdout + listed.stderr
        model.begin(TURNS)
        done = stage.run(
            *("claude", "-p", "--allowedTools=mcp__contextd", "--", "Keep the rule."),
            environment=given,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert kept(port, token) == [FACT]
    assert FACT in model.asked[-1].text


def test_codex_works_with_a_token(model: ScriptedModel, server: tuple[int, str]) -> None:
    port, token = server
    with raised_stage(CODEX.package) as stage:
        model_of_codex(stage, model.url)
        with (stage.user / ".codex" / "config.toml").open("a") as file:
            file.write(
                f"""
[mcp_servers.contextd]
url = "http://127.0.0.1:{port}/mcp"
bearer_token_env_var = "TEAM_TOKEN"
"""
            )
        model.begin(TURNS)
        given = {**CODEX.environment(stage, model.url), "TEAM_TOKEN": token}
        done = stage.run(*CODEX.command, "Keep the rule.", environment=given)
    assert done.returncode == 0, done.stdout + done.stderr
    assert kept(port, token) == [FACT]
    assert FACT in model.asked[-1].text
