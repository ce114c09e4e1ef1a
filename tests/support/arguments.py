"""Small arguments for any operation, made from its schema."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pydantic import BaseModel

from contextd.operations.core import Operation, slim_schema

WORDS = "vault door"
"""What every text says."""


def arguments(op: Operation, **known: Any) -> dict[str, Any]:
    """The arguments that an operation requires and those that are `known` by name; what is not known
    is small. An id is put in a list where the operation takes several.
    """
    schema = _schema(op.arguments)
    parts = schema["properties"]
    required = {name: _small(parts[name]) for name in schema.get("required", [])}
    several = {name for name, part in parts.items() if part.get("type") == "array"}
    return required | {
        name: [value] if name in several and isinstance(value, str) else value
        for name, value in known.items()
    }


def id_arguments(op: Operation) -> list[str]:
    """The arguments of an operation that name something by its id."""
    names = op.arguments.model_fields
    return [name for name in names if re.search(r"(^|_)ids?$", name) or name == "session"]


@cache
def _schema(model: type[BaseModel]) -> Any:
    return slim_schema(model.model_json_schema())


def _small(part: dict[str, Any]) -> Any:
    if "enum" in part:
        return part["enum"][0]
    if part["type"] == "array":
        return [_small(part["items"])]
    return {"string": WORDS, "boolean": True, "integer": 1, "number": 1, "object": {}}[part["type"]]
