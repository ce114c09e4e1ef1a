"""Placeholders in suggested calls, for values only the user knows. They must never be stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ANSWER, ONE = "<answer>", "<one>"
SAID, LEARNED = "<what the user says>", "<what you learned>"
_IN_TEXT = SAID, LEARNED


def placeholder(field: str) -> str:
    """The placeholder for the value of a field."""
    return f"<{field}>"


def left_open(content: str, data: Mapping[str, Any]) -> str:
    """The first placeholder that was not replaced; empty if there is none."""
    return next((mark for mark in _IN_TEXT if mark in content), "") or _in_fields(data)


def _in_fields(data: Mapping[str, Any]) -> str:
    for name, value in data.items():
        marks = (placeholder(name), ANSWER, ONE, *_IN_TEXT)
        if isinstance(value, Mapping):
            found = _in_fields(value)
        else:
            values = value if isinstance(value, list | tuple) else [value]
            found = next((one for one in values if one in marks), "")
        if found:
            return str(found)
    return ""
