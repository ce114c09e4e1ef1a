"""OpenContext's contexts.json: entries and bubbles in that program's format.

Imported data that has not changed since is exported exactly as it was imported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from contextd.domain.imported_records import FILE_DIFFERENCES
from contextd.domain.records import Record

VERSION = 2

_OWN = ("bubbleId", "contextType", "savedAs", "structuredData", FILE_DIFFERENCES)
_MISSING = object()


def write(records: Sequence[Record], rest: Mapping[str, Any]) -> str:
    """A contexts.json with these entries and bubbles, and the additional keys of `rest`."""
    document = {
        **{
            key: value
            for key, value in rest.items()
            if key not in ("version", "entries", "bubbles")
        },
        "version": VERSION,
        "entries": [entry_of(record) for record in records if record.kind == "context"],
        "bubbles": [bubble_of(record) for record in records if record.kind == "bubble"],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def entry_of(record: Record) -> dict[str, Any]:
    """A context entry in OpenContext's format."""
    return restored(plain_entry(record), record.data.get(FILE_DIFFERENCES))


def bubble_of(record: Record) -> dict[str, Any]:
    """A bubble in OpenContext's format."""
    return restored(plain_bubble(record), record.data.get(FILE_DIFFERENCES))


def plain_entry(record: Record) -> dict[str, Any]:
    """An entry in contextd's canonical form."""
    data = record.data
    typed = data.get("structuredData")
    further = {name: value for name, value in data.items() if name not in _OWN}
    found: dict[str, Any] = {
        "id": record.id,
        "content": record.content,
        "tags": list(record.tags),
        "source": str(record.source),
    }
    named = data.get("contextType") or data.get("savedAs")
    for name, value in (("bubbleId", data.get("bubbleId")), ("contextType", named)):
        if value:
            found[name] = value
    if isinstance(typed, Mapping) or further:
        found["structuredData"] = {**further, **(typed or {})}
    return found | _times(record)


def plain_bubble(record: Record) -> dict[str, Any]:
    """A bubble in contextd's canonical form."""
    found: dict[str, Any] = {"id": record.id, "name": record.title}
    if record.data.get("description"):
        found["description"] = record.data["description"]
    return found | _times(record)


def kept_differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """The differences to store so that `restored` returns `theirs` as long as the canonical form is `ours`."""
    differences: dict[str, Any] = {}
    for key in {**ours, **theirs}:
        pair = {
            side: values[key]
            for side, values in (("ours", ours), ("theirs", theirs))
            if key in values
        }
        if len(pair) < 2 or not same_json(pair["ours"], pair["theirs"]):
            differences[key] = pair
    return differences


def restored(ours: Mapping[str, Any], differences: Any) -> dict[str, Any]:
    """`ours` with the stored differences restored where it has not changed since."""
    found = dict(ours)
    for key, pair in (differences if isinstance(differences, Mapping) else {}).items():
        present, before = ours.get(key, _MISSING), pair.get("ours", _MISSING)
        unchanged = present is before or (
            _MISSING not in (present, before) and same_json(present, before)
        )
        if not unchanged:
            continue
        if "theirs" in pair:
            found[key] = pair["theirs"]
        else:
            found.pop(key, None)
    return found


def same_json(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal, ignoring the order of keys; 1 is not true or 1.0."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def instant_text(moment: datetime) -> str:
    """An instant in JavaScript's format: UTC, with milliseconds."""
    text = moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
    return f"{text}Z"


def _times(record: Record) -> dict[str, Any]:
    return {
        "createdAt": instant_text(record.created_at),
        "updatedAt": instant_text(record.updated_at),
    }
