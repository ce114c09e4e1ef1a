"""Output schemas: what an operation gives, as an object every MCP client can validate."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from contextd.runtime.operation import OPERATIONS, Operation

_DROPPED = ("title", "description", "default", "examples", "required")
"""What is no constraint, and which fields there are: what holds nothing is left out of an answer."""


def output_schema(op: Operation) -> dict[str, Any]:
    """The schema of `structured`'s value. Always of type object: 2025 clients insist on it."""
    schema = _slim(op.result.json_schema(mode="serialization"))
    definitions = schema.pop("$defs", None)
    root = str(schema.get("$ref", "")).rpartition("/")[2]
    schema = _inlined(schema, definitions or {})
    if schema.get("type") != "object":
        schema = {"type": "object", "properties": {"items": schema}, "required": ["items"]}
    if "additionalProperties" in schema:
        # What else comes with a result must not be taken for one of its entries.
        schema = {
            **schema,
            "properties": {**schema.get("properties", {}), "notices": {"type": "array"}},
        }
    # What stands inside a lean answer may say itself in a line.
    for name, part in (definitions or {}).items():
        if part.get("type") == "object" and name != root:
            part["type"] = ["object", "string"]
    return {**schema, "$defs": definitions} if definitions else schema


def structured(op: Operation, value: Any) -> dict[str, Any]:
    """An answer's value as the object `output_schema` describes."""
    if isinstance(value, Mapping) and _is_object(op.name):
        return dict(value)
    return {"items": value}


@cache
def _is_object(name: str) -> bool:
    schema = OPERATIONS[name].result.json_schema(mode="serialization")
    return _inlined(schema, schema.get("$defs", {})).get("type") == "object"


def _inlined(schema: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The root itself instead of a reference to it."""
    reference = str(schema.get("$ref", ""))
    return dict(definitions[reference.rpartition("/")[2]]) if reference else schema


def _slim(schema: Any) -> Any:
    """Without prose; unlike in an input schema, null stays allowed where it can occur."""
    if isinstance(schema, list):
        return [_slim(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    slim = {
        key: (
            {name: _slim(part) for name, part in value.items()}
            if key in ("properties", "$defs")
            else _slim(value)
        )
        for key, value in schema.items()
        if key not in _DROPPED
    }
    options = slim.get("anyOf", ())
    if len(options) == 2 and {"type": "null"} in options:
        real = next(option for option in options if option != {"type": "null"})
        if isinstance(real.get("type"), str) and "enum" not in real and "const" not in real:
            return {**real, "type": [real["type"], "null"]}
    return slim
