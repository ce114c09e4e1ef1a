"""Every operation is whole: documented, addressed, affordable. Surfaces and docs rely on it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sources import ROOT

from contextd.app import load_operations
from contextd.app.tables import job_function
from contextd.jobs.table import JOBS
from contextd.runtime.operation import (
    OPERATIONS,
    PROFILES,
    PROJECT,
    Operation,
    schema_tokens,
    tools,
)
from support.verdicts import OPERATION, act, none_of, place

load_operations()

OPERATION_FILES = ROOT / "src" / "contextd"
ROOMS = [
    path for path in sorted(OPERATION_FILES.glob("*/operations/*.py")) if path.stem != "__init__"
]
PLACELESS = {
    *("tools_list", "tool_schema", "tool_call"),
    # Of the whole organisation.
    *("list_members", "add_member", "erase_member", "grant_role", "withdraw_role", "add_project"),
    *("create_token", "list_tokens", "revoke_token", "revoke_issued_token"),
}

CORE_TOOLS = 12
CORE_TOKENS = 1250

TWINS = """save_context memory_record save_typed_context memory_search recall_context
search_contexts""".split()
"""Tools of the first designs beside `remember` and `context_search`, which do the same."""

COMPATIBLE = """save_context recall_context list_contexts search_contexts update_context delete_context
create_bubble list_bubbles get_bubble update_bubble delete_bubble""".split()
"""The tools that programs written for the first design call by name."""


def every_operation() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("op", list(OPERATIONS.values()), ids=lambda op: op.name)


@act(OPERATION, "document {op.name} in its docstring")
@every_operation()
def test_an_operation_says_what_it_does_and_what_each_argument_means(op: Operation) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", op.name), "name the function in snake_case"
    assert len(op.summary) > 20, "say in the first paragraph of its docstring what it does"
    assert op.summary.rstrip().endswith((".", "?", ")")), "end the summary with a full stop"
    undescribed = [
        name
        for name, field in op.arguments.model_fields.items()
        if name != PROJECT and not (field.description or "").strip().endswith(".")
    ]
    none_of(undescribed, "describe it below `Args:` of the docstring, and end with a full stop")


@act(
    OPERATION,
    "correct the route of {op.name}: required arguments in braces, and a method that fits its effect",
)
@every_operation()
def test_the_route_names_arguments_the_operation_has(op: Operation) -> None:
    assert op.method in {"GET", "POST", "PUT", "PATCH", "DELETE"}
    assert op.path.startswith("/api/")
    for name in re.findall(r"{(\w+)}", op.path):
        assert op.arguments.model_fields[name].is_required()
    if op.method == "GET":
        assert op.effect == "read"
    if op.effect == "destroy":
        assert op.method in {"DELETE", "POST"}


@act(OPERATION, "an alias of {op.name} leads to no argument, or is one")
@every_operation()
def test_aliases_lead_to_arguments(op: Operation) -> None:
    assert set(op.aliases.values()) <= set(op.arguments.model_fields)
    assert not set(op.aliases) & set(op.arguments.model_fields)


@act(
    OPERATION,
    "give {op.name} argument and result types that have a JSON schema, without alternatives at the root",
)
@every_operation()
def test_the_schemas_can_be_shown(op: Operation) -> None:
    shown = op.arguments.model_json_schema()
    assert shown["type"] == "object"
    # Some clients rewrite or skip a tool whose schema has alternatives at its root.
    assert not {"anyOf", "oneOf", "allOf"} & set(shown)
    assert op.result.json_schema(mode="serialization")


def test_no_two_operations_share_a_route() -> None:
    by_route: dict[str, list[str]] = {}
    for op in OPERATIONS.values():
        by_route.setdefault(re.sub(r"{\w+}", "{}", op.route), []).append(place(op.run))
    shared = {route: places for route, places in by_route.items() if len(places) > 1}
    none_of(shared, "give one of them another route")


def test_the_core_profile_is_small() -> None:
    core = tools("core")
    assert 0 < len(core) <= CORE_TOOLS, (
        f"src/contextd/*/operations: {len(core)} tools have the profile core, at most {CORE_TOOLS}: "
        "move one to standard"
    )
    assert schema_tokens(core) <= CORE_TOKENS, (
        f"src/contextd/*/operations: the core tools take {schema_tokens(core)} tokens, at most {CORE_TOKENS}: "
        "shorten their docstrings"
    )


@act(
    "src/contextd/*/operations",
    "the core profile lacks a tool or has two for one task: set `profile`",
)
def test_the_core_profile_saves_searches_reads_and_follows_code_each_in_one_way() -> None:
    shown = {op.name for op in tools("core")}
    assert shown >= {"remember", "context_search", "get_record"}
    assert shown >= {"find_symbol", "find_references", "impact", "read_file"}
    assert not shown & set(TWINS)


@pytest.mark.parametrize("name", TWINS)
def test_an_older_name_for_saving_or_searching_stays_callable_and_is_shown_in_full_only(
    name: str,
) -> None:
    op = OPERATIONS[name]
    assert op.tool, f"{place(op.run)}: {name} stays a tool, older programs call it"
    assert op.profile == "full", f"{place(op.run)}: show {name} in the profile full only"


@act(
    "src/contextd/runtime/operation.py", "`tools` of a larger profile lacks a tool of a smaller one"
)
def test_each_profile_shows_everything_a_smaller_one_shows() -> None:
    shown = [{op.name for op in tools(profile)} for profile in PROFILES]
    assert shown[0] < shown[1] < shown[2]
    assert shown[2] == {op.name for op in OPERATIONS.values() if op.audience == "agent"}


def test_the_names_older_programs_call_are_all_tools() -> None:
    shown = {op.name for op in tools("full")}
    none_of(
        [name for name in COMPATIBLE if name not in shown],
        "older programs call it: keep it an operation for agents in src/contextd/knowledge/operations",
    )


@act(
    OPERATION,
    "{op.name} takes a project unless it is in PLACELESS of tests/rules/test_operations_table.py: see `where` of `@operation`",
)
@every_operation()
def test_a_project_can_be_named_wherever_one_matters(op: Operation) -> None:
    assert (PROJECT in op.arguments.model_fields) is (op.name not in PLACELESS)


@pytest.mark.parametrize("path", ROOMS, ids=str)
def test_a_room_of_operations_holds_rows_only(path: Path) -> None:
    functions = {row.run.partition(":")[2] for row in JOBS.values() if _file_of(row.run) == path}
    defined = {node.name for node in ast.parse(path.read_text("utf-8")).body if _is_def(node)}
    file = path.relative_to(ROOT)
    none_of(
        [f"{file}: {name}" for name in sorted(functions - defined)],
        "src/contextd/jobs/table.py runs this function, which is gone: correct its `run`",
    )
    assert functions or _defines(path), (
        f"{file}: it holds neither an operation nor the function of a job: move it out of the folder `operations`"
    )


def test_every_job_has_a_function() -> None:
    none_of(
        [name for name, row in JOBS.items() if not callable(job_function(row))],
        "its `run` in src/contextd/jobs/table.py names no function: correct it",
    )


def _file_of(run: str) -> Path:
    return OPERATION_FILES.joinpath(*run.partition(":")[0].split(".")).with_suffix(".py")


def _is_def(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef)


def test_the_reference_pages_say_what_the_tables_say() -> None:
    done = subprocess.run(
        [sys.executable, "tools/generate_docs.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    none_of(
        (done.stdout + done.stderr).splitlines() if done.returncode else [],
        "run `uv run python tools/generate_docs.py` and commit what it writes",
    )


def _defines(path: Path) -> bool:
    tree = ast.parse(path.read_text("utf-8"))
    decorators = [
        decorator.func if isinstance(decorator, ast.Call) else decorator
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
    ]
    return any(isinstance(name, ast.Name) and name.id == "operation" for name in decorators)
