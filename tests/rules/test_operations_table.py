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

load_operations()

OPERATION_FILES = ROOT / "src" / "contextd"
ROOMS = [
    path for path in sorted(OPERATION_FILES.glob("*/operations/*.py")) if path.stem != "__init__"
]
PLACELESS = {"tools_list", "tool_schema", "tool_call"}

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


@every_operation()
def test_an_operation_says_what_it_does_and_what_each_argument_means(op: Operation) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", op.name)
    assert len(op.summary) > 20
    assert op.summary.rstrip().endswith((".", "?", ")"))
    for name, field in op.arguments.model_fields.items():
        if name == PROJECT:
            continue
        assert field.description, name
        assert field.description.strip().endswith("."), name


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


@every_operation()
def test_aliases_lead_to_arguments(op: Operation) -> None:
    assert set(op.aliases.values()) <= set(op.arguments.model_fields)
    assert not set(op.aliases) & set(op.arguments.model_fields)


@every_operation()
def test_the_schemas_can_be_shown(op: Operation) -> None:
    shown = op.arguments.model_json_schema()
    assert shown["type"] == "object"
    # Some clients rewrite or skip a tool whose schema has alternatives at its root.
    assert not {"anyOf", "oneOf", "allOf"} & set(shown)
    assert op.result.json_schema(mode="serialization")


def test_no_two_operations_share_a_route() -> None:
    routes = [re.sub(r"{\w+}", "{}", op.route) for op in OPERATIONS.values()]
    assert [route for route in routes if routes.count(route) > 1] == []


def test_the_core_profile_is_small() -> None:
    core = tools("core")
    assert 0 < len(core) <= CORE_TOOLS
    assert schema_tokens(core) <= CORE_TOKENS


def test_the_core_profile_saves_searches_reads_and_follows_code_each_in_one_way() -> None:
    shown = {op.name for op in tools("core")}
    assert shown >= {"remember", "context_search", "get_record"}
    assert shown >= {"find_symbol", "find_references", "impact", "read_file"}
    assert not shown & set(TWINS)


@pytest.mark.parametrize("name", TWINS)
def test_an_older_name_for_saving_or_searching_stays_callable_and_is_shown_in_full_only(
    name: str,
) -> None:
    assert OPERATIONS[name].tool
    assert OPERATIONS[name].profile == "full"


def test_each_profile_shows_everything_a_smaller_one_shows() -> None:
    shown = [{op.name for op in tools(profile)} for profile in PROFILES]
    assert shown[0] < shown[1] < shown[2]
    assert shown[2] == {op.name for op in OPERATIONS.values() if op.audience == "agent"}


def test_the_names_older_programs_call_are_all_tools() -> None:
    assert [name for name in COMPATIBLE if name not in {op.name for op in tools("full")}] == []


@every_operation()
def test_a_project_can_be_named_wherever_one_matters(op: Operation) -> None:
    assert (PROJECT in op.arguments.model_fields) is (op.name not in PLACELESS)


@pytest.mark.parametrize("path", ROOMS, ids=str)
def test_a_room_of_operations_holds_rows_only(path: Path) -> None:
    functions = {row.run.partition(":")[2] for row in JOBS.values() if _file_of(row.run) == path}
    defined = {node.name for node in ast.parse(path.read_text("utf-8")).body if _is_def(node)}
    assert functions <= defined
    assert functions or _defines(path)


def test_every_job_has_a_function() -> None:
    assert all(callable(job_function(row)) for row in JOBS.values())


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
    assert done.returncode == 0, done.stdout + done.stderr


def _defines(path: Path) -> bool:
    tree = ast.parse(path.read_text("utf-8"))
    decorators = [
        decorator.func if isinstance(decorator, ast.Call) else decorator
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
    ]
    return any(isinstance(name, ast.Name) and name.id == "operation" for name in decorators)
