"""Every operation is whole: documented, addressed, affordable. Surfaces and docs rely on it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sources import ROOT

from contextd.app import MODULES, load_operations
from contextd.operations.core import OPERATIONS, PROFILES, Operation, schema_tokens, tools

load_operations()

CORE_TOOLS = 10
CORE_TOKENS = 1200

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


def test_each_profile_shows_everything_a_smaller_one_shows() -> None:
    shown = [{op.name for op in tools(profile)} for profile in PROFILES]
    assert shown[0] < shown[1] < shown[2]
    assert shown[2] == {op.name for op in OPERATIONS.values() if op.audience == "agent"}


def test_the_names_older_programs_call_are_all_tools() -> None:
    assert [name for name in COMPATIBLE if name not in {op.name for op in tools("full")}] == []


def test_every_module_that_defines_an_operation_is_loaded() -> None:
    defining = {
        path.stem
        for path in (ROOT / "src" / "contextd" / "operations").glob("*.py")
        if path.stem != "core" and _defines(path)
    }
    assert defining <= set(MODULES)


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
    return any(
        isinstance(name, ast.Name) and name.id in {"operation", "job"} for name in decorators
    )
