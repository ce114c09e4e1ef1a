"""Folding as an agent meets it: over MCP on stdio, with a daemon that is killed in between."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from typing import Any

import pytest
from homes import Home, has_ended, wait_for
from mcp import Client

LOG = "\n".join([*(f"compiled unit {n}" for n in range(4_000)), "error: undefined name 'tax'"])


def working(home: Home) -> None:
    """A repository with a source file and a long log, known to contextd."""
    (home.project / "price.py").write_text("def total(lines):\n    return sum(lines) + tax\n" * 30)
    (home.project / "build.log").write_text(LOG)
    for command in (["init", "-q"], ["add", "price.py"]):
        subprocess.run(["git", *command], cwd=home.project, check=True)
    home.settle()


@pytest.mark.long
def test_an_agent_folds_and_a_killed_daemon_forgets_nothing(home: Home) -> None:
    working(home)

    async def agent() -> None:
        async with (
            Client(home.shim("--profile", "standard"), mode="legacy") as one,
            Client(home.shim(), mode="legacy") as two,
        ):
            names = {tool.name for tool in (await one.list_tools()).tools}
            assert {"branch", "return", "digest", "expand", "agent_invoke"} <= names
            folded = await call(one, "digest", paths=["build.log"])
            assert "undefined name 'tax'" in folded["digest"]
            assert folded["tokens"] < 200 < 10_000 < folded["raw_tokens"]
            opened = await call(one, "branch", description="tax", prompt="Where is it?", budget=800)
            await until_refused(one)
            # The other window is in no subtask.
            assert await call(two, "read_file", path="price.py")
            daemon = home.about()["pid"]
            os.kill(daemon, signal.SIGKILL)
            wait_for(lambda: has_ended(daemon), "the daemon is dead")
            refused = await one.call_tool("read_file", {"path": "price.py"})
            assert refused.is_error
            nested = await one.call_tool("branch", {"description": "d", "prompt": "p"})
            assert nested.is_error
            ended = await call(one, "return", message="tax is imported nowhere")
            assert ended["subtask_id"] == opened["subtask_id"]
            assert ended["used"] >= 800
            assert await call(one, "read_file", path="price.py")
            trace = await call(one, "expand", handle=opened["subtask_id"])
            assert "read_file price.py" in trace["text"]
            part = await call(one, "expand", handle=folded["handle"], range="build.log:4001")
            assert part["text"] == "error: undefined name 'tax'"
            saved = await call(one, "tool_call", name="savings")
            levels = saved["result"]["levels"]
            assert levels["digest"] > 10_000
            assert levels["bookkeeping"] == 0

    asyncio.run(agent())


async def until_refused(client: Client) -> None:
    """Read until the budget is used up: first a warning rides along, then calls are refused."""
    warned: list[Any] = []
    for _ in range(20):
        read = await client.call_tool("read_file", {"path": "price.py", "budget": 300})
        text = " ".join(part.text for part in read.content if part.type == "text")
        if read.is_error:
            assert "return now" in text
            assert warned
            return
        warned += read.content[1:]
    raise AssertionError("it was never refused")


async def call(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """What a tool answered, as data."""
    found = await client.call_tool(tool, arguments, meta={"contextd/complete": True})
    assert not found.is_error, found.content
    assert found.structured_content is not None
    return dict(found.structured_content)


@pytest.mark.long
def test_the_digest_command_folds_piped_text_and_expand_gives_its_lines_back(home: Home) -> None:
    working(home)
    piped = home.run("digest", "--text", "-", stdin=LOG)
    assert piped.returncode == 0, piped.stderr
    assert "undefined name 'tax'" in piped.stdout
    assert len(piped.stdout) < 3_000
    handle = piped.stdout.split("expand('")[1].split("'")[0]
    shown = home.run("expand", handle, "--range", "4001")
    assert shown.stdout.strip() == "```\nerror: undefined name 'tax'\n```"
