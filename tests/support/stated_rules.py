"""Rules of each origin for a project: a policy of an agent, one of a file, and the person's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

FROM_AGENT = "Ledger rows are never updated or deleted"
FROM_FILE = "Webhooks are verified before anything else is done with them"
FROM_PERSON = "Never put an emoji into a commit message."

Run = Callable[[str], Any]
"""Runs `contextd mcp` with these lines on its input; the finished process, with its output as text."""

_FILE = f"title: Webhooks\nseverity: critical\nrequirement: {FROM_FILE}\npatterns:\n  - unverified_hook\n"
_POLICY = {
    "kind": "policy",
    "title": "Ledger rows are immutable",
    "content": FROM_AGENT,
    "fields": {"severity": "critical", "requirement": FROM_AGENT, "patterns": ["UPDATE ledger"]},
}
_CLIENT = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "an-agent", "version": "1"},
}


def record_rules(root: Path, run: Run) -> None:
    """Write the policy file into a project, and record the others over MCP, as an agent does."""
    policies = root / ".context" / "policies"
    policies.mkdir(parents=True, exist_ok=True)
    (policies / "webhooks.yaml").write_text(_FILE)
    _called(run, "remember", _POLICY)
    _called(run, "save_context", {"content": FROM_PERSON, "scope": "person"})


def _called(run: Run, operation: str, arguments: Mapping[str, object]) -> None:
    messages = [
        {"id": 1, "method": "initialize", "params": _CLIENT},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": operation, "arguments": arguments}},
    ]
    done = run("".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in messages))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    answer = next(one for one in answers if one.get("id") == 2)
    assert not answer["result"].get("isError"), answer
