"""Small arguments for any operation, made from its schema."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pydantic import BaseModel

from contextd.runtime.operation import Operation, slim_schema

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


HANDLES = frozenset({"session", "handle", "into"})
"""Arguments that hold an id, beside those whose name ends in `id` or `ids`."""

PLAIN = frozenset(
    """action agent_name arguments base category collection comment confirm content context cursor data
    description diff error event everywhere fields file_pattern filter focus format if_match item_type
    keep kind language marks message module name notes note org out outcome pattern path paths packs payload
    problem project prompt query range reword role root_cause code_diff affected_files scope scopes section solution
    source state status summary symptoms tag tags target_scope task task_description template text title
    team topic trust type types verdict client client_session depth into version""".split()
)
"""Arguments that hold a text, a path, a name or a choice. A new argument goes here or into `HANDLES`."""


def is_handle(op: Operation, name: str) -> bool:
    """Whether an argument names something by its id. `into` does where a candidate is merged."""
    if name == "into":
        return op.name == "settle_candidate"
    return name in HANDLES or re.search(r"(^|_)ids?$", name) is not None


def id_arguments(op: Operation) -> list[str]:
    """The arguments of an operation that name something by its id."""
    return [name for name in op.arguments.model_fields if is_handle(op, name)]


@cache
def _schema(model: type[BaseModel]) -> Any:
    return slim_schema(model.model_json_schema())


def _small(part: dict[str, Any]) -> Any:
    if "enum" in part:
        return part["enum"][0]
    if part["type"] == "array":
        return [_small(part["items"])]
    fits = re.search(part.get("pattern", ""), WORDS)
    return {
        "string": WORDS if fits else WORDS.replace(" ", "-"),
        "boolean": True,
        "integer": 1,
        "number": 1,
        "object": {"title": WORDS},
    }[part["type"]]
