"""Import OpenContext's contexts.json, versions 1 and 2, without loss.

A version 1 file has no types and possibly no bubbles; otherwise it is valid as version 2.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from contextd.domain.imported_records import FILE_DIFFERENCES
from contextd.domain.records import Record, Source
from contextd.domain.scope import Scope
from contextd.domain.time import parse_instant
from contextd.imports.exporters.opencontext import kept_differences, plain_bubble, plain_entry
from contextd.imports.importers.importer import RedactItem
from contextd.redaction.cutting import beginning, quoted
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid
from contextd_common.text.syntax_errors import json_problem

NAME = "opencontext"
DEEPEST = 60

_NAMESPACE = uuid.UUID("0d0a5a2f-6b0f-5d5e-9a54-6f7f3c2a1b90")
_ID = re.compile(r"[^\s#\x00-\x1f]{4,200}")


@dataclass(frozen=True, slots=True)
class ContextsFile:
    """The content of a contexts.json. `junk` has the reason for each skipped item; `rest` are additional
    keys.
    """

    version: int
    entries: tuple[Mapping[str, Any], ...]
    bubbles: tuple[Mapping[str, Any], ...]
    rest: Mapping[str, Any]
    junk: tuple[str, ...]
    redacted: int

    @property
    def read(self) -> int:
        """How many entries and bubbles the file has, including junk."""
        return len(self.entries) + len(self.bubbles) + len(self.junk)


def detects(path: Path, lines: Sequence[str]) -> bool:
    """Whether a file with these first lines is a contexts.json."""
    head = "\n".join(lines).lstrip("\ufeff \t\r\n")
    return head.startswith("{") and (path.name == "contexts.json" or '"entries"' in head)


def read(text: str, redact: RedactItem) -> ContextsFile:
    """The redacted entries and bubbles of a contexts.json. Raises `Invalid`."""
    document = _document(text)
    version = document.get("version", 1)
    if isinstance(version, bool) or not isinstance(version, int):
        raise Invalid(
            f"version {quoted(version, 40)} is not a number", "supported versions: 1 and 2"
        )
    secrets = 0
    junk: list[str] = []
    valid_items: dict[str, list[Mapping[str, Any]]] = {"entries": [], "bubbles": []}
    for key, found in valid_items.items():
        items = document.get(key) or []
        if not isinstance(items, list):
            raise Invalid(f"`{key}` is not a list", "choose a contexts.json of OpenContext")
        for number, item in enumerate(items):
            why = _junk(item, key)
            if why:
                junk.append(f"{key}[{number}]: {why}")
            else:
                cleaned, count = redact(item)
                found.append(cleaned)
                secrets += count
    rest = {k: v for k, v in document.items() if k not in ("version", "entries", "bubbles")}
    for key, value in rest.items():
        if "entries" not in document and _looks_like_entries(value):
            raise Invalid(
                f"`{beginning(str(key), 40)}` is a list of {len(value)} objects that would be ignored",
                "OpenContext calls its list `entries`; rename it",
            )
    if rest and _unfit(rest):
        raise Invalid("additional keys of the file are not valid text", "export it again")
    rest, count = redact(rest)
    return ContextsFile(
        version,
        tuple(valid_items["entries"]),
        tuple(valid_items["bubbles"]),
        rest,
        tuple(junk),
        secrets + count,
    )


def _looks_like_entries(value: Any) -> bool:
    return isinstance(value, list) and any(
        isinstance(one, Mapping) and isinstance(one.get("content"), str) for one in value
    )


def _document(text: str) -> Mapping[str, Any]:
    try:
        document = json.loads(text.removeprefix("\ufeff"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Invalid(
            f"not JSON: {json_problem(error)}", "choose a contexts.json of OpenContext"
        ) from None
    if not isinstance(document, Mapping) or not {"entries", "bubbles"} & document.keys():
        raise Invalid("the file has no entries", "choose a contexts.json of OpenContext")
    return document


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _junk(item: Any, key: str) -> str:
    """Why an item is not a valid entry or bubble."""
    if not isinstance(item, Mapping):
        return "not an object"
    if key == "entries":
        content = item.get("content")
        if not isinstance(content, str):
            return "no content"
        if not content.strip() and not item.get("structuredData"):
            return "empty content"
    return _unfit(item)


def _unfit(item: Any) -> str:
    level: list[Any] = [item]
    for _ in range(DEEPEST):
        level = [part for value in level for part in _parts(value)]
    if level:
        return f"nested more than {DEEPEST} levels deep"
    try:
        json.dumps(item, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "not valid Unicode"
    return ""


def _parts(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list) else []


Taken = Callable[[str, str], bool]
"""Whether another record already has this id; takes the id and the kind."""


def records_of(file: ContextsFile, scope: Scope, now: datetime, taken: Taken) -> list[Record]:
    """One record per bubble and entry, bubbles first. Reading the same file again gives the same ids.

    Ids are kept; an invalid or taken one is replaced by a UUID derived from it. What a record cannot
    represent is stored for the export.
    """
    ids = _Ids(scope, taken)
    bubbles: dict[str, str] = {}
    records = []
    for bubble in file.bubbles:
        id = ids.of(bubble, "bubble")
        if isinstance(bubble.get("id"), str):
            bubbles.setdefault(bubble["id"], id)
        records.append(_with_kept(_bubble(bubble, id, scope, now), bubble, plain_bubble))
    for entry in file.entries:
        id = ids.of(entry, "context")
        record = _entry(entry, id, scope, now, bubbles)
        records.append(_with_kept(record, entry, plain_entry))
    return records


def rest_record(file: ContextsFile, scope: Scope, now: datetime) -> Record | None:
    """Other content of the file, as an archived record that no search finds."""
    if not file.rest:
        return None
    return Record(
        id=rest_id(scope),
        kind="context",
        scope=scope,
        content="Further keys of an imported contexts.json",
        data={FILE_DIFFERENCES: dict(file.rest)},
        source=Source(operation="import", ref=NAME),
        trust="imported",
        status="archived",
        created_at=now,
        updated_at=now,
    )


def rest_id(scope: Scope) -> str:
    """The id of that record."""
    return str(uuid.uuid5(_NAMESPACE, f"{scope}:rest"))


class _Ids:
    """Record ids for the items of one file."""

    def __init__(self, scope: Scope, taken: Taken) -> None:
        self._scope, self._taken = scope, taken
        self._contents: dict[str, str] = {}

    def of(self, item: Mapping[str, Any], kind: str) -> str:
        """The id of an item; equal for equal items."""
        item_json = json.dumps(item, sort_keys=True)
        wanted = item.get("id")
        if isinstance(wanted, str) and _ID.fullmatch(wanted) and not self._taken(wanted, kind):
            if self._contents.setdefault(wanted, kind + item_json) == kind + item_json:
                return wanted
            wanted = None
        named = wanted if isinstance(wanted, str) else item_json
        id = str(uuid.uuid5(_NAMESPACE, f"{self._scope}:{kind}:{named}"))
        if self._contents.setdefault(id, item_json) != item_json:
            id = str(uuid.uuid5(_NAMESPACE, f"{self._scope}:{kind}:{item_json}"))
        return id


def _with_kept(
    record: Record, item: Mapping[str, Any], plain: Callable[[Record], dict[str, Any]]
) -> Record:
    differences = kept_differences(plain(record), item)
    return (
        record.with_(data={**record.data, FILE_DIFFERENCES: differences}) if differences else record
    )


def _entry(
    item: Mapping[str, Any], id: str, scope: Scope, now: datetime, bubbles: Mapping[str, str]
) -> Record:
    data: dict[str, Any] = {}
    bubble, kind, typed = (item.get(k) for k in ("bubbleId", "contextType", "structuredData"))
    if isinstance(bubble, str) and bubble:
        data["bubbleId"] = bubbles.get(bubble, bubble)
    if isinstance(kind, str) and kind:
        data["contextType"] = kind
    if isinstance(typed, Mapping):
        data["structuredData"] = dict(typed)
    return _record(item, "context", id, scope, now, content=item["content"], data=data)


def _bubble(item: Mapping[str, Any], id: str, scope: Scope, now: datetime) -> Record:
    name, about = item.get("name"), item.get("description")
    name = name if isinstance(name, str) and name.strip() else "unnamed"
    about = about if isinstance(about, str) else ""
    data = {"name": name, "description": about}
    return _record(item, "bubble", id, scope, now, title=name, content=about or name, data=data)


def _record(
    item: Mapping[str, Any], kind: str, id: str, scope: Scope, now: datetime, **fields: Any
) -> Record:
    source = item.get("source")
    created = _instant(item.get("createdAt")) or now
    return Record(
        id=id,
        kind=kind,
        scope=scope,
        tags=_tags(item.get("tags")),
        source=Source(source if isinstance(source, str) else "", operation="import", ref=NAME),
        trust="imported",
        created_at=created,
        updated_at=_instant(item.get("updatedAt")) or created,
        arrived_at=now,
        **fields,
    )


def _tags(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else []
    cleaned = (" ".join(tag.split()).lower() for tag in listed if isinstance(tag, str))
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))


def _instant(text: Any) -> datetime | None:
    try:
        return parse_instant(text) if isinstance(text, str) else None
    except (ValueError, OverflowError):
        return None
