"""Policies through a real daemon: the command for CI, an MCP client, a client's hook."""

from __future__ import annotations

import json

import anyio
from homes import Home
from mcp.client.session import ClientSession
from mcp.client.stdio import stdio_client

from support.repositories import committed, git

POLICY = """\
requirement: Nothing is printed
patterns: ['\\bprint\\(']
way_out: use the logger
enforce: deny
"""


def test_a_policy_holds_for_ci_for_an_agent_and_for_its_hook(home: Home) -> None:
    root = committed(home.project, {"app.py": "x = 1\n", ".context/policies/no-print.yaml": POLICY})
    (home.path / "config.yaml").write_text("policies:\n  hook: true\n")
    home.trust(root)
    clean = home.run("policy", "check", "--diff")
    assert (clean.returncode, clean.stdout) == (0, "✓ there is nothing to check\n"), clean.stderr
    (root / "app.py").write_text("x = 1\nprint(x)\n")

    found = home.run("policy", "check", "--diff")
    assert found.returncode == 1, found.stderr
    assert "app.py:2" in found.stdout
    assert "use the logger" in found.stdout
    sarif = json.loads(home.run("policy", "check", "--diff", "HEAD", "--sarif").stdout)
    assert sarif["runs"][0]["results"][0]["level"] == "error"
    assert home.run("policy", "check", "--staged").returncode == 0
    git(root, "add", "-A")
    staged = home.run("policy", "check", "--staged", "--json")
    assert staged.returncode == 1
    assert json.loads(staged.stdout)["violations"][0]["line"] == 2
    given = home.run("policy", "check", stdin=git(root, "diff", "--cached"))
    assert given.returncode == 1
    assert home.run("policy", "check", "--diff", "nowhere").returncode == 2

    payload = {
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(root), "tool_name": "Write",
        "tool_input": {"file_path": str(root / "b.py"), "content": "print(1)\n"},
    }  # fmt: skip
    hooked = home.run("hook", "--client", "claude-code", stdin=json.dumps(payload))
    said = json.loads(hooked.stdout)["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert "use the logger" in said["permissionDecisionReason"]

    async def by_an_agent() -> None:
        shim = home.shim("--profile", "standard")
        async with stdio_client(shim) as streams, ClientSession(*streams) as session:
            await session.initialize()
            arguments = {"action": "write b.py", "context": "print(1)"}
            told = await session.call_tool("policy_check", arguments)
            assert "✗ b.py:" in told.content[0].text

    anyio.run(by_an_agent)
