"""Convert typed entries to readable, searchable text, and types to YAML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from contextd.schema.model import VERSION

_LEAD_CHARACTERS = 300


def content_of(type_name: str, data: Mapping[str, Any]) -> str:
    """The text of an entry: its type, and each field with its name."""
    parts = [
        f"{_spoken(n)}: {shown_value(value)}" for n, value in data.items() if value is not None
    ]
    separator = (
        "\n" if any("\n" in part or len(part) > _LEAD_CHARACTERS for part in parts) else "; "
    )
    return f"{_spoken(type_name)} — {separator.join(parts)}" if parts else _spoken(type_name)


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def shown_value(value: Any) -> str:
    """A field's value in the text of an entry."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(shown_value, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={shown_value(part)}" for name, part in value.items()) or "none"
    return str(value)


def to_yaml(types: Mapping[str, Any]) -> str:
    """A schema.yaml from plain data: `{name: {description, fields: {…}}}`."""
    tidied = {name: tidy(kind) for name, kind in types.items()}
    return yaml.safe_dump(
        {"version": VERSION, "types": tidied}, sort_keys=False, allow_unicode=True, width=100
    )


def tidy(kind: Any) -> Any:
    """A type without default values, as it is written."""
    if not isinstance(kind, Mapping):
        return kind
    fields = kind.get("fields")
    if isinstance(fields, Mapping):
        fields = {
            name: {
                k: v
                for k, v in field.items()
                if v not in (None, "", [], False) or (k == "default" and v is not None)
            }
            if isinstance(field, Mapping)
            else field
            for name, field in fields.items()
        }
    known = {"description": kind.get("description"), "fields": fields}
    return {k: v for k, v in {**kind, **known}.items() if v not in (None, "")}
