"""Programs on SDKs that are not ours: every tool of the full profile answers one of them rightly, and two
Python libraries and the Inspector read what went wrong in our words.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packages import FASTMCP, INSPECTOR, PYDANTIC_AI, TYPESCRIPT_SDK, modules, python_with
from stage import CONTEXTD, Stage, raised_stage
from talks import HINT, MISTAKE

from contextd.thin.client import call

PROGRAMS = Path(__file__).parent
MISSING = {"path": "no/such.py"}
CODE = {"repo_map", "find_symbol", "find_references", "codebase_search", "grep_codebase"}


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with raised_stage(INSPECTOR) as raised:
        raised.know()
        yield raised


def rightly(stage: Stage) -> dict[str, list[dict[str, Any]]]:
    """Arguments with which tools succeed, in an order in which they can."""

    def made(operation: str, **arguments: Any) -> dict[str, Any]:
        found: dict[str, Any] = call(
            operation, arguments, home=stage.home, cwd=str(stage.shop)
        ).value
        return found

    bubble = made("create_bubble", name="Billing")["id"]
    gone = made("create_bubble", name="Old")["id"]
    note = made("save_context", content="Invoices are sent on Mondays")["id"]
    other = made("save_context", content="The fax machine stands in the cellar")["id"]
    return {
        "session_start": [{"task_description": "Look at everything"}],
        "memory_record": [
            {"title": "Tax", "description": "When tax is off", "content": "Tax is rounded per line",
             "outcome": "success"}
        ],
        "remediation_record": [
            {"title": "Port taken", "problem": "OSError: address already in use",
             "root_cause": "an old worker", "solution": "Stop the old worker"}
        ],
        "remember": [{"content": "Parcels leave at noon"}],
        "save_context": [{"content": "Labels are printed in the basement"}],
        "update_context": [{"id": note, "tags": ["billing"]}],
        "delete_context": [{"id": other}],
        "get_bubble": [{"id": bubble}],
        "update_bubble": [{"id": bubble, "description": "Money"}],
        "delete_bubble": [{"id": gone}],
        "memory_search": [{"query": "tax"}],
        "recall_context": [{"query": "invoices"}],
        "search_contexts": [{"query": "invoices"}],
        "context_search": [{"query": "invoices"}],
        "remediation_search": [{"error": "OSError: address already in use"}],
        "skill_search": [{"task": "release"}],
        "read_file": [{"path": "prices.py"}],
        "grep_codebase": [{"pattern": "def total"}],
        "codebase_search": [{"query": "sum of cents"}],
        "find_symbol": [{"name": "total"}],
        "find_references": [{"name": "total"}],
        "policy_check": [{"action": "delete the logs"}],
        "digest": [{"text": "line\n" * 400}],
        "tool_schema": [{"name": "remember"}],
        "tool_call": [{"name": "list_bubbles"}],
        "session_checkpoint": [{"summary": "Half done"}],
        **{
            name: [{}]
            for name in (
                "repo_map", "codebase_index", "introspect", "get_gaps", "list_noise",
                "list_contradictions", "list_bubbles", "list_contexts", "describe_schema",
                "standards_get", "briefing_get", "project_overview", "prompt_build", "memory_file",
                "explain_injection", "context_window", "savings", "tools_list", "session_end",
            )
        },
    }  # fmt: skip


def way(stage: Stage) -> dict[str, Any]:
    arguments = ["mcp", "--profile", "full"]
    place = {"cwd": str(stage.shop), "env": stage.environment}
    return {"command": str(CONTEXTD), "args": arguments, **place}


def test_results_of_every_tool_fit_their_schemas_on_the_typescript_sdk(stage: Stage) -> None:
    folder = modules(TYPESCRIPT_SDK)
    program = folder / "every_tool.mjs"
    shutil.copy(PROGRAMS / "every_tool.mjs", program)
    calls = {**rightly(stage), "project_module": [{"name": "nothing"}]}
    calls["read_file"] = [*calls["read_file"], MISSING]
    done = stage.run("node", str(program), json.dumps(way(stage)), json.dumps(calls))
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert len(seen["offered"]) > 60
    wrong = {
        name: answers[0]
        for name, answers in seen.items()
        if name not in ("offered", "project_module") and answers[0].get("isError") is not False
    }
    assert not wrong
    for name, answer in (
        ("read_file", seen["read_file"][1]),
        ("project_module", seen["project_module"][0]),
    ):
        assert answer["isError"], name
        assert answer["text"].startswith("not_found: ")
    assert HINT in seen["read_file"][1]["text"]


def test_the_inspector_calls_a_tool_and_shows_the_error_of_another_call(stage: Stage) -> None:
    base = ("mcp-inspector", "--cli", str(CONTEXTD), "mcp", "--method", "tools/call")
    fine = stage.run(*base, "--tool-name", "read_file", "--tool-arg", "path=prices.py")
    assert fine.returncode == 0, fine.stderr
    assert "def total" in fine.stdout
    failed = stage.run(*base, "--tool-name", "read_file", "--tool-arg", "path=no/such.py")
    said = failed.stdout + failed.stderr
    assert MISTAKE in said
    assert HINT in said


@pytest.mark.parametrize("package", [FASTMCP, PYDANTIC_AI], ids=["fastmcp", "pydantic-ai"])
def test_python_libraries_list_call_and_read_errors(stage: Stage, package: str) -> None:
    python = python_with(package)
    program = PROGRAMS / f"with_{'fastmcp' if package == FASTMCP else 'pydantic_ai'}.py"
    done = stage.run(str(python), str(program), json.dumps(way(stage)), json.dumps(MISSING))
    assert done.returncode == 0, done.stderr[-2_000:]
    seen = json.loads(done.stdout)
    assert len(seen["offered"]) > 60
    assert "def total" in seen["fine"]
    assert MISTAKE in seen["failed"]
    assert HINT in seen["failed"]
