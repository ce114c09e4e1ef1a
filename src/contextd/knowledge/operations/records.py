"""Browse all stored records as their owner: any kind and status."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from typing import Annotated, Any, Literal

from contextd.domain.imported_records import FILE_DIFFERENCES
from contextd.domain.kinds import KINDS, kind_named, kinds_that
from contextd.domain.limits import Cursor, Id, Range, Statement
from contextd.domain.quoting import unquoted
from contextd.domain.records import AskedStatus, AskedTrust, Change, Record, Status, short_id
from contextd.domain.time import age, iso
from contextd.domain.validity import Validity
from contextd.knowledge.record_lists import (
    FieldDifference,
    RecordRow,
    differences,
    row_of,
    statuses_of,
    typed_as,
)
from contextd.knowledge.typed_entries import in_step
from contextd.knowledge.writing import change, clean_tags, cleaned, within_limits
from contextd.policies.rule_file_sync import file_of, to_its_file
from contextd.runtime.operation import ExtraArguments, FieldsOf, operation, outline
from contextd.runtime.runtime import Runtime
from contextd.schema.model import SAVED_AS
from contextd.search.find_records import hand_out_whole, resolve
from contextd.search.validity import validities
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, Invalid
from contextd_common.text.remainder import cut_note

_MOST = 200
_UNSEEN = (FILE_DIFFERENCES, SAVED_AS)
"""Keys of a record's data that are internal to contextd."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A page of records, newest first, how many match in all, and where the next page starts."""

    records: list[RecordRow]
    total: int
    counts: dict[str, int]
    cursor: str = ""

    def as_text(self) -> str:
        """A line per record, with its status unless it is active."""
        lines = list(map(_line, self.records))
        if self.cursor:
            act = "raise the limit, or narrow the list"
            lines.append(f"({cut_note(len(self.records), self.total, 'records', act)})")
        return "\n".join(lines) or "nothing matches"


def _line(row: RecordRow) -> str:
    state = row.validity or ("" if row.status == "active" else row.status)
    marks = ", ".join(filter(None, (state, row.age)))
    return f"{short_id(row.id)} {row.label}: {unquoted(row.title or row.content)[:80]} ({marks})"


_LISTED = tuple(name for name in KINDS if name not in kinds_that("recalled"))
"""Kinds listed by default: a session leaves ten episodes for every other record."""


@operation("GET /api/records", audience="owner", where="person")
def list_records(
    runtime: Runtime,
    kind: str = "",
    status: AskedStatus = "active",
    tags: list[str] | None = None,
    type: str = "",
    session_id: str = "",
    source: str = "",
    trust: AskedTrust = "",
    limit: Annotated[int, Range(1, _MOST)] = 50,
    cursor: Cursor = "",
) -> Rows:
    """List records of any kind and status, newest first.

    Args:
        kind: Only this kind.
        status: Only this status; `waiting` for what may be settled, `any` for all of them.
        tags: Only records with all of these tags.
        type: Only this context type, or this type of discovery.
        session_id: Only records of this session.
        source: Only records from this agent or client.
        trust: Only records with this trust: human, agent, extracted, imported or external.
        limit: The most records of a page.
        cursor: Where the page starts; given by the page before.
    """
    query = runtime.query(
        *((kind_named(kind).name,) if kind else () if session_id else _LISTED),
        statuses=statuses_of(status),
        tags=clean_tags(tags or ()),
        where=typed_as(kind, type),
        session=session_id,
        source=source.strip(),
        trust=trust,
        limit=limit,
        cursor=cursor,
    )
    page = runtime.view.records.find(query)
    counts = runtime.view.records.count(query)
    now = runtime.clock.now()
    found = validities(runtime, page.records)
    rows = [row_of(r, now, found[r.id]) for r in page.records]
    return Rows(rows, sum(counts.values()), counts, page.cursor)


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One typed field of a record's kind, as an editor needs it."""

    name: str
    type: str
    required: bool
    description: str
    values: list[str]


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One change of a record."""

    seq: int
    at: str
    age: str
    actor: str
    action: str
    reason: str
    differences: list[FieldDifference]


@dataclass(frozen=True, slots=True)
class Whole:
    """Everything kept of one record. `fields` are the kind's; `version` guards an edit."""

    record: RecordRow
    content: str
    data: dict[str, Any]
    fields: list[FieldShape]
    open: bool
    anchor: dict[str, Any]
    session: str
    canonical_id: str
    helpful: int
    unhelpful: int
    valid_from: str
    valid_to: str
    last_used_at: str
    version: str
    history: list[ChangeRow] = field(default_factory=list[ChangeRow])

    def as_text(self) -> str:
        """The record, its fields, then a line per change."""
        state = self.record.validity or self.record.status
        head = f"{self.record.id} {self.record.label} ({state}): {self.record.title}"
        fields = {name: value for name, value in self.data.items() if name not in _UNSEEN}
        steps = [f"{s.at} {s.action} by {s.actor}" for s in self.history]
        return "\n".join([head, self.content, *([outline(fields)] if fields else []), *steps])


@operation("GET /api/records/{id}", profile="core", where="person")
def get_record(runtime: Runtime, id: Id) -> Whole:
    """Read a record that a search found in full: text, fields, status, changes.

    Args:
        id: Its id, or the first characters.
    """
    record = resolve(runtime, id)
    hand_out_whole(runtime, [record])
    runtime.trace.own_texts.append(record.content)
    now = runtime.clock.now()
    steps = [_step(c, now) for c in reversed(runtime.view.records.history(record.id))]
    return _whole(record, now, validities(runtime, [record])[record.id], steps)


def _whole(record: Record, now: datetime, validity: Validity, steps: list[ChangeRow]) -> Whole:
    kind = KINDS.get(record.kind)
    shapes = [
        FieldShape(name, spec.type, spec.required, spec.description, list(spec.values))
        for name, spec in (kind.fields if kind else {}).items()
    ]
    anchor = record.anchor
    return Whole(
        record=row_of(record, now, validity),
        content=record.content,
        data=dict(record.data),
        fields=shapes,
        open=kind.open if kind else True,
        anchor={"commit": anchor.commit, "branch": anchor.branch, "paths": list(anchor.paths)},
        session=record.session,
        canonical_id=record.canonical_id,
        helpful=record.helpful,
        unhelpful=record.unhelpful,
        valid_from=iso(record.valid_from) if record.valid_from else "",
        valid_to=iso(record.valid_to) if record.valid_to else "",
        last_used_at=iso(record.last_used_at) if record.last_used_at else "",
        version=str(record.version),
        history=steps,
    )


def _step(entry: Change, now: datetime) -> ChangeRow:
    return ChangeRow(
        seq=entry.seq,
        at=iso(entry.at),
        age=age(entry.at, now),
        actor=entry.actor,
        action=entry.action,
        reason=entry.reason,
        differences=differences(entry.before, entry.after),
    )


@dataclass(frozen=True, slots=True)
class Edited:
    """What an edit changes, or changed when `saved`. `redacted` secrets were taken out of it."""

    id: str
    saved: bool
    differences: list[FieldDifference]
    version: str
    redacted: int = 0

    def as_text(self) -> str:
        """The fields that differ."""
        names = ", ".join(d.field for d in self.differences) or "nothing"
        done = f"{'changed' if self.saved else 'would change'} {names} of {short_id(self.id)}"
        return f"{done}; {self.redacted} secrets taken out" if self.redacted else done


@operation(
    "PATCH /api/records/{id}",
    effect="write",
    audience="owner",
    idempotent=True,
    where="person",
    extra=ExtraArguments(aliases={"data": "fields"}),
)
def edit_record(
    runtime: Runtime,
    id: Id,
    title: str | None = None,
    text: Statement | None = None,
    tags: list[str] | None = None,
    fields: Annotated[dict[str, Any] | None, FieldsOf("id", replaces=True)] = None,
    version: str = "",
    dry_run: bool = False,
) -> Edited:
    """Edit a record; fields that are not given stay. undo restores the previous state.

    Args:
        id: The record's id, or its first characters.
        title: The new title.
        text: The new text.
        tags: The new tags, replacing the old ones.
        fields: The new typed fields, replacing all old ones.
        version: The version the edit started from; another one in the store is a conflict.
        dry_run: Check it and show the difference, without saving.
    """
    before = resolve(runtime, id)
    if version and version != str(before.version):
        raise Conflict(
            "the record changed since it was opened", "open it again and repeat the edit"
        )
    after = before.with_(
        title=before.title if title is None else title.strip(),
        content=before.content if text is None else text.replace("\r\n", "\n").strip(),
        tags=before.tags if tags is None else tuple(tags),
        data=before.data if fields is None else fields,
    )
    if not after.content:
        raise Invalid(
            "content: required", "say what is worth knowing", {"fields": {"content": "required"}}
        )
    if before.kind == "context":
        after = in_step(before, after)
    after, redacted = cleaned(runtime, within_limits(after))
    found = differences(before, after)
    if not dry_run and found:
        after = to_its_file(runtime, before, after)
        after = change(runtime, before, after, action="update", reason="edited by hand")
        runtime.trace.wrote([after.id], type=after.kind, action="update")
    return Edited(before.id, not dry_run, found, str(after.version), redacted)


@dataclass(frozen=True, slots=True)
class Moved:
    """A record's new status."""

    id: str
    status: str
    message: str

    def as_text(self) -> str:
        """The message."""
        return self.message


@operation(
    "DELETE /api/records/{id}", effect="destroy", audience="owner", idempotent=True, where="person"
)
def delete_record(runtime: Runtime, id: Id) -> Moved:
    """Archive a record of any kind. It can be restored.

    Args:
        id: The record's id, or its first characters.
    """
    return _move(runtime, id, "deleted", "delete", "deleted; restore brings it back")


@operation(
    "POST /api/records/{id}/restore",
    effect="write",
    audience="owner",
    idempotent=True,
    where="person",
)
def restore_record(runtime: Runtime, id: Id) -> Moved:
    """Put a deleted, archived or waiting record back into use.

    Args:
        id: The record's id, or its first characters.
    """
    return _move(runtime, id, "active", "restore", "in use again")


def _move(runtime: Runtime, id: str, status: Status, action: str, state: str) -> Moved:
    record = resolve(runtime, id)
    if record.status != status:
        moved = record.with_(status=status)
        if status == "active" and record.status in ("superseded", "merged"):
            # What ended it no longer holds.
            moved = moved.with_(canonical_id="", valid_to=None)
        change(runtime, record, moved, action=action, reason="by hand")
        noted: Literal["delete", "update"] = "delete" if status == "deleted" else "update"
        runtime.trace.wrote([record.id], type=record.kind, action=noted)
    if status == "deleted" and (file := file_of(record)):
        state += f"; {file} is in force as long as it is there"
    return Moved(record.id, status, f"{short_id(record.id)} is {state}")
