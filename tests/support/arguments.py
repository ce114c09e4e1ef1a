"""Small arguments for any operation, made from its schema."""

from __future__ import annotations

from typing import Any

from contextd.operations.core import Operation, slim_schema

WORDS = "vault door"
"""What every text says."""


def arguments(op: Operation, **known: Any) -> dict[str, Any]:
    """The arguments that an operation requires: those that are `known` by name, the others small."""
    schema = slim_schema(op.arguments.model_json_schema())
    required = schema.get("required", [])
    return {name: known.get(name, _small(schema["properties"][name])) for name in required}


def _small(part: dict[str, Any]) -> Any:
    if "enum" in part:
        return part["enum"][0]
    if part["type"] == "array":
        return [_small(part["items"])]
    return {"string": WORDS, "boolean": True, "integer": 1, "number": 1, "object": {}}[part["type"]]
