"""Sample values for the examples in help. Each example runs unchanged in a project that has these names."""

from __future__ import annotations

from contextd.surfaces.cli.signatures import Parameter, Signature

ID = "5b46e3d4"
"""The prefix of an id in examples."""

_SAMPLES = {
    "agent_invoke.name": "reviewer",
    "description": '"find who renews tokens"',
    "remediation_search.query": "\"ModuleNotFoundError: No module named 'yaml'\"",
    "kind": "memory",
    "memory_record.text": '"Back off with jitter"',
    "return.text": '"token.ts renews them"',
    "name": "auth",
    "find_references.name": "refreshToken",
    "find_symbol.name": "refreshToken",
    "join_project.into": "local/default/shop",
    "part_project.name": "local/default/shop",
    "project_team.name": "payments",
    "skill_get.name": "release",
    "tool_call.name": "get_gaps",
    "tool_schema.name": "context_search",
    "path": "src/auth/token.ts",
    "import.path": "contexts.json",
    "policy_init.packs": "secrets",
    "pattern": '"function .*token"',
    "problem": '"two workers take one job"',
    "branch.task": '"Read src/auth and list the callers of refreshToken"',
    "query": '"token refresh"',
    "root_cause": '"no lease"',
    "solution": '"take the lease first"',
    "session_checkpoint.text": '"renewal works, tests are missing"',
    "target_scope": "team",
    "task": '"review the token renewal"',
    "text": '"Deploy on Fridays is fine"',
    "title": '"Retry"',
    "type": "decision",
    "fields": """'{"what": "Queue jobs in Redis"}'""",
    "action": '"git push --force origin main"',
    "remember.content": '"Mail is queued, never sent inside a request"',
    "save_context.content": '"Mail is queued, never sent inside a request"',
}
"""Samples by operation and argument, or by argument alone, as typed in a shell."""

OPTIONS = {
    "digest": '--query "token refresh"',
    "place_in_model": "--module auth",
    "return": f"--subtask-id {ID}",
    "schema_put": "--template solo-dev",
    "session_end": f"--session-id {ID}",
}
"""Further options in an example besides required arguments, by operation."""


def sample(op: Signature, one: Parameter) -> str:
    """The sample value of an argument."""
    if known := _SAMPLES.get(f"{op.name}.{one.name}"):
        return known
    if one.choices:
        return _SAMPLES[one.name] if _SAMPLES.get(one.name) in one.choices else one.choices[0]
    if one.name in ("id", "ids") or one.name.endswith(("_id", "_ids")):
        return ID
    return _SAMPLES.get(one.name, f'"{one.name.replace("_", " ")}"')
