"""The description of the REST routes says what answers and failures look like."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from contextd.app import load_operations
from contextd.runtime.operation import OPERATIONS
from contextd.surfaces.openapi import openapi
from contextd_code.errors import ERRORS

load_operations()
DOCUMENT = openapi(list(OPERATIONS.values()))


def entries() -> list[tuple[str, dict[str, Any]]]:
    return [
        (entry["operationId"], entry)
        for methods in DOCUMENT["paths"].values()
        for entry in methods.values()
    ]


def nulls(schema: Any) -> int:
    """How often a schema allows null."""
    if isinstance(schema, list):
        return sum(map(nulls, schema))
    if not isinstance(schema, dict):
        return 0
    return (schema.get("type") == "null") + sum(map(nulls, schema.values()))


@pytest.mark.parametrize(("name", "entry"), entries(), ids=lambda given: str(given)[:40])
def test_each_status_of_a_failure_is_a_problem_of_its_own(name: str, entry: dict[str, Any]) -> None:
    answers = entry["responses"]
    assert "default" not in answers
    for status in {400, 401, 412, 421, *(kind.status for kind in ERRORS.values())}:
        described = answers[str(status)]
        assert described["description"], (name, status)
        assert list(described["content"]) == ["application/problem+json"]


def test_a_result_that_may_be_null_is_described_so() -> None:
    shapes = {
        name: part
        for op in OPERATIONS.values()
        for name, part in op.result.json_schema(mode="serialization").get("$defs", {}).items()
    }
    components = DOCUMENT["components"]["schemas"]
    nullable = {name for name, part in shapes.items() if nulls(part) and name in components}
    assert len(nullable) > 3
    assert {name for name in nullable if not nulls(components[name])} == set()


def test_an_argument_that_may_be_null_is_described_so() -> None:
    assert nulls(TypeAdapter(OPERATIONS["read_file"].arguments).json_schema()) > 0
    read = dict(entries())["read_file"]
    assert nulls(read["parameters"]) > 0
