"""An agent records a fix and asks for a skill over MCP; a hook of the next session brings the fix."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from homes import Home
from mcp import Client

FIX = {
    "title": "yaml is not installed",
    "problem": "ModuleNotFoundError: No module named 'yaml'",
    "root_cause": "The tools are not among the dependencies.",
    "solution": "Install the group tools: uv sync --group tools",
}
TRACE = (
    'Exit code 1\nTraceback (most recent call last):\n  File "/srv/shop/tools/export.py", line 3, in <module>\n'
    "    import yaml\nModuleNotFoundError: No module named 'yaml'\n"
)


def failing(home: Home, output: str, session: str) -> str:
    """What the hook prints for a command that failed."""
    event = {
        "hook_event_name": "PostToolUseFailure",
        "session_id": session,
        "cwd": str(home.project),
        "tool_name": "Bash",
        "tool_input": {"command": "python tools/export.py"},
        "tool_use_id": "t",
        "error": output,
        "is_interrupt": False,
    }
    result = home.run("hook", "--client", "claude-code", stdin=json.dumps(event))
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def test_a_recorded_fix_comes_with_its_error_and_a_skill_is_given_whole(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = home.path / "user"
    skill = user / ".claude" / "skills" / "diary" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: diary\ndescription: Write the diary of the day\n---\n1. Sum up.\n")
    monkeypatch.setenv("HOME", str(user))
    home.environment["HOME"] = str(user)
    home.settle()
    home.start()

    async def records() -> Any:
        async with Client(home.shim("--profile", "standard"), mode="legacy") as client:
            await client.call_tool("remediation_record", FIX)
            found = await client.call_tool("remediation_search", {"error": TRACE})
            given = await client.call_tool("skill_get", {"name": "diary"})
            assert not given.is_error, given.content
            return found.content[0].text, given.content[0].text

    found, given = asyncio.run(records())
    assert f"what worked: {FIX['solution']}" in found
    assert found.count("(the same error · ") == 1
    assert "1. Sum up." in given
    assert "~/.claude/skills/diary" in given
    printed = failing(home, TRACE, "s-1")
    told = json.loads(printed)["hookSpecificOutput"]
    assert told["hookEventName"] == "PostToolUseFailure"
    assert FIX["solution"] in told["additionalContext"]
    assert failing(home, TRACE, "s-1") == ""
    assert failing(home, TRACE.replace("yaml", "requests"), "s-1") == ""
    assert FIX["solution"] in failing(home, "  at a frame\n" * 15_000 + TRACE, "s-2")
