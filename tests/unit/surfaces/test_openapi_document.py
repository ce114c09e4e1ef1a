"""The description of the REST routes says what answers and failures look like."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import TypeAdapter

from contextd.app import load_operations
from contextd.runtime.operation import OPERATIONS
from contextd.surfaces.openapi import openapi
from contextd_common.errors import ERRORS


@cache
def document() -> dict[str, Any]:
    """The description, made in a test: made while tests are collected, each worker would pay for it."""
    load_operations()
    return openapi(list(OPERATIONS.values()))


def entries() -> dict[str, dict[str, Any]]:
    return {
        entry["operationId"]: entry
        for methods in document()["paths"].values()
        for entry in methods.values()
    }


def nulls(schema: Any) -> int:
    """How often a schema allows null."""
    if isinstance(schema, list):
        return sum(map(nulls, schema))
    if not isinstance(schema, dict):
        return 0
    return (schema.get("type") == "null") + sum(map(nulls, schema.values()))


def test_each_status_of_a_failure_is_a_problem_of_its_own() -> None:
    statuses = {400, 401, 412, 421, *(kind.status for kind in ERRORS.values())}
    assert len(entries()) > 100
    for name, entry in entries().items():
        answers = entry["responses"]
        assert "default" not in answers
        for status in statuses:
            described = answers[str(status)]
            assert described["description"], (name, status)
            assert list(described["content"]) == ["application/problem+json"]


def test_a_result_that_may_be_null_is_described_so() -> None:
    components = document()["components"]["schemas"]
    shapes = {
        name: part
        for op in OPERATIONS.values()
        for name, part in op.result.json_schema(mode="serialization").get("$defs", {}).items()
    }
    nullable = {name for name, part in shapes.items() if nulls(part) and name in components}
    assert len(nullable) > 3
    assert {name for name in nullable if not nulls(components[name])} == set()


def test_an_argument_that_may_be_null_is_described_so() -> None:
    assert nulls(TypeAdapter(OPERATIONS["read_file"].arguments).json_schema()) > 0
    read = entries()["read_file"]
    assert nulls(read["parameters"]) > 0
