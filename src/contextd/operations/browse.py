"""Looking through everything that is stored, as its owner: any kind and status, with history."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import ndiff
from typing import Any

from contextd.domain.errors import Conflict, Invalid, nearest
from contextd.domain.kinds import KINDS, kind_named
from contextd.domain.records import STATUSES, TRUSTS, Change, Record, Status
from contextd.domain.time import age, iso
from contextd.operations.core import operation
from contextd.operations.finding import contents_of, resolve
from contextd.operations.views import label
from contextd.operations.writing import change, cleaned, within_limits
from contextd.retrieval.hits import LeftOut, Part
from contextd.retrieval.search import find
from contextd.runtime import Runtime

_EXCERPT = 280
_MOST = 200
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Row:
    """A record in a list. `content` is its beginning."""

    id: str
    kind: str
    label: str
    title: str
    content: str
    status: str
    tags: list[str]
    source: str
    trust: str
    confidence: float
    usage_count: int
    scope: str
    age: str
    created_at: str
    updated_at: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """A page of records, newest first, how many match in all, and where the next page starts."""

    records: list[Row]
    total: int
    counts: dict[str, int]
    cursor: str = ""

    def as_text(self) -> str:
        """A line per record."""
        lines = [
            f"{r.id[:8]} {r.label}: {r.title or r.content[:80]} ({r.age})" for r in self.records
        ]
        return "\n".join(lines) or "nothing matches"


@operation("GET /api/records", audience="owner")
def list_records(
    runtime: Runtime,
    kind: str = "",
    status: str = "active",
    tag: str = "",
    type: str = "",
    session: str = "",
    source: str = "",
    trust: str = "",
    limit: int = 50,
    cursor: str = "",
) -> Rows:
    """List records of any kind and status, newest first.

    Args:
        kind: Only this kind.
        status: Only this status; `any` for all of them.
        tag: Only records with this tag.
        type: Only this context type, or this type of discovery.
        session: Only what this session left.
        source: Only what comes from there: the name of an agent or a client.
        trust: Only what is trusted so: human, agent, extracted, imported or external.
        limit: The most records of a page.
        cursor: Where the page starts; given by the page before.
    """
    if not 1 <= limit <= _MOST:
        raise Invalid(f"limit is {limit}", f"choose 1 to {_MOST}")
    query = runtime.query(
        *((kind_named(kind).name,) if kind else ()),
        statuses=_statuses(status),
        tags=(tag.strip().lower(),) if tag.strip() else (),
        where=_where(kind, type),
        session=session,
        source=source.strip(),
        trust=_trust(trust),
        limit=limit,
        cursor=cursor,
    )
    page = runtime.store.records.find(query)
    counts = runtime.store.records.count(query)
    now = runtime.clock.now()
    return Rows([_row(r, now) for r in page.records], sum(counts.values()), counts, page.cursor)


def _statuses(status: str) -> tuple[str, ...]:
    if status in ("any", ""):
        return STATUSES
    if status not in STATUSES:
        known = "statuses: " + ", ".join((*STATUSES, "any"))
        raise Invalid(f"no status {status!r}", nearest(status, STATUSES) or known)
    return (status,)


def _trust(trust: str) -> str:
    if trust and trust not in TRUSTS:
        raise Invalid(
            f"no trust {trust!r}", nearest(trust, TRUSTS) or "one of " + ", ".join(TRUSTS)
        )
    return trust


def _where(kind: str, type_: str) -> dict[str, Any]:
    if not type_.strip():
        return {}
    return {"type" if kind == "discovery" else "contextType": type_.strip()}


def _row(record: Record, now: Any) -> Row:
    data = dict(record.data)
    return Row(
        id=record.id,
        kind=record.kind,
        label=label(record.kind, data),
        title=record.title,
        content=record.content[:_EXCERPT],
        status=record.status,
        tags=list(record.tags),
        source=str(record.source),
        trust=record.trust,
        confidence=round(record.confidence, 2),
        usage_count=record.usage_count,
        scope=str(record.scope),
        age=age(record.updated_at, now),
        created_at=iso(record.created_at),
        updated_at=iso(record.updated_at),
        type=str(data.get("contextType") or data.get("type") or ""),
    )


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One typed field of a record's kind, as an editor needs it."""

    name: str
    type: str
    required: bool
    description: str
    values: list[str]


@dataclass(frozen=True, slots=True)
class Difference:
    """What one field was and is. `lines` are marked `+ `, `- ` or two blanks."""

    field: str
    lines: list[str]


@dataclass(frozen=True, slots=True)
class Step:
    """One change of a record."""

    seq: int
    at: str
    age: str
    actor: str
    action: str
    reason: str
    differences: list[Difference]


@dataclass(frozen=True, slots=True)
class Whole:
    """Everything kept of one record. `fields` are the kind's; `version` guards an edit."""

    record: Row
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
    history: list[Step] = field(default_factory=list[Step])

    def as_text(self) -> str:
        """The record, then a line per change."""
        head = f"{self.record.id} {self.record.label} ({self.record.status}): {self.record.title}"
        steps = [f"{s.at} {s.action} by {s.actor}" for s in self.history]
        return "\n".join([head, self.content, *steps])


@operation("GET /api/records/{id}", audience="owner")
def get_record(runtime: Runtime, id: str) -> Whole:
    """Show one record with its typed fields, provenance and every change.

    Args:
        id: The record's id, or its first characters.
    """
    record = resolve(runtime, id)
    now = runtime.clock.now()
    steps = [_step(c, now) for c in reversed(runtime.store.records.history(record.id))]
    return _whole(record, now, steps)


def _whole(record: Record, now: Any, steps: list[Step]) -> Whole:
    kind = KINDS.get(record.kind)
    shapes = [
        FieldShape(name, spec.type, spec.required, spec.description, list(spec.values))
        for name, spec in (kind.fields if kind else {}).items()
    ]
    anchor = record.anchor
    return Whole(
        record=_row(record, now),
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
        version=record.updated_at.isoformat(),
        history=steps,
    )


def _step(entry: Change, now: Any) -> Step:
    return Step(
        seq=entry.seq,
        at=iso(entry.at),
        age=age(entry.at, now),
        actor=entry.actor,
        action=entry.action,
        reason=entry.reason,
        differences=_differences(entry.before, entry.after),
    )


def _differences(before: Record | None, after: Record | None) -> list[Difference]:
    if before is None or after is None:
        return []
    old, new = _shown(before), _shown(after)
    names = dict.fromkeys((*old, *new))
    return [
        Difference(name, _changed_lines(old.get(name, ""), new.get(name, "")))
        for name in names
        if old.get(name, "") != new.get(name, "")
    ]


def _shown(record: Record) -> dict[str, str]:
    shown = {
        "title": record.title,
        "content": record.content,
        "tags": ", ".join(record.tags),
        "status": record.status,
        "confidence": f"{record.confidence:.2f}",
        "canonical_id": record.canonical_id,
    }
    for name, value in record.data.items():
        listed = isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)
        shown[name] = "\n".join(value) if listed else str(value)
    return shown


def _changed_lines(old: str, new: str) -> list[str]:
    return [line for line in ndiff(old.splitlines(), new.splitlines()) if line[:1] != "?"]


@dataclass(frozen=True, slots=True)
class Edited:
    """What an edit changes, or changed when `saved`. `redacted` secrets were taken out of it."""

    id: str
    saved: bool
    differences: list[Difference]
    version: str
    redacted: int = 0

    def as_text(self) -> str:
        """The fields that differ."""
        names = ", ".join(d.field for d in self.differences) or "nothing"
        done = f"{'changed' if self.saved else 'would change'} {names} of {self.id[:8]}"
        return f"{done}; {self.redacted} secrets taken out" if self.redacted else done


@operation("PATCH /api/records/{id}", effect="write", audience="owner", idempotent=True)
def edit_record(
    runtime: Runtime,
    id: str,
    title: str | None = None,
    content: str | None = None,
    tags: list[str] | None = None,
    data: dict[str, Any] | None = None,
    version: str = "",
    dry_run: bool = False,
) -> Edited:
    """Change a record by hand; what is not given stays. The state before is kept and undo restores it.

    Args:
        id: The record's id, or its first characters.
        title: The new title.
        content: The new text.
        tags: The new tags, replacing the old ones.
        data: The new typed fields, replacing all old ones.
        version: The version the edit started from; another one in the store is a conflict.
        dry_run: Check it and show the difference, without saving.
    """
    before = resolve(runtime, id)
    if version and version != before.updated_at.isoformat():
        raise Conflict(
            "the record changed since it was opened", "open it again and repeat the edit"
        )
    after = before.with_(
        title=before.title if title is None else title.strip(),
        content=before.content if content is None else content.replace("\r\n", "\n").strip(),
        tags=before.tags if tags is None else tuple(tags),
        data=before.data if data is None else data,
    )
    if not after.content:
        raise Invalid(
            "content: required", "say what is worth knowing", {"fields": {"content": "required"}}
        )
    after, redacted = cleaned(runtime, within_limits(after))
    differences = _differences(before, after)
    if not dry_run and differences:
        after = change(runtime, after, action="update", reason="edited by hand")
        runtime.trace.wrote([after.id], type=after.kind, action="update")
    return Edited(before.id, not dry_run, differences, after.updated_at.isoformat(), redacted)


@dataclass(frozen=True, slots=True)
class Moved:
    """A record's new status."""

    id: str
    status: str
    message: str

    def as_text(self) -> str:
        """The message."""
        return self.message


@operation("DELETE /api/records/{id}", effect="destroy", audience="owner", idempotent=True)
def delete_record(runtime: Runtime, id: str) -> Moved:
    """Take a record of any kind out of use. It can be restored.

    Args:
        id: The record's id, or its first characters.
    """
    return _move(runtime, id, "deleted", "delete", "deleted; restore brings it back")


@operation("POST /api/records/{id}/restore", effect="write", audience="owner", idempotent=True)
def restore_record(runtime: Runtime, id: str) -> Moved:
    """Put a deleted, archived or waiting record back into use.

    Args:
        id: The record's id, or its first characters.
    """
    return _move(runtime, id, "active", "restore", "in use again")


def _move(runtime: Runtime, id: str, status: Status, action: str, told: str) -> Moved:
    record = resolve(runtime, id)
    if record.status != status:
        moved = record.with_(status=status)
        if status == "active" and record.status in ("superseded", "merged"):
            # What ended it no longer holds.
            moved = moved.with_(canonical_id="", valid_to=None)
        change(runtime, moved, action=action, reason="by hand")
        done = runtime.trace
        done.wrote(
            [record.id], type=record.kind, action="delete" if status == "deleted" else "update"
        )
    return Moved(record.id, status, f"{record.id[:8]} is {told}")


@dataclass(frozen=True, slots=True)
class Explained:
    """A hit and what each component and boost gave it."""

    record: Row
    score: float
    why: str
    parts: list[Part]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Hits, best first, what was found but left out, and what the search wants to say."""

    hits: list[Explained]
    left_out: list[LeftOut]
    notice: str = ""

    def as_text(self) -> str:
        """A line per hit, then what lost."""
        lines = [
            f"{h.score:.3f} {h.record.title or h.record.content[:80]} ({h.why})" for h in self.hits
        ]
        lost = [f"left out: {x.id[:8]} {x.score:.3f} {x.reason}" for x in self.left_out]
        return "\n".join([*lines, *lost, *([self.notice] if self.notice else [])])


@operation("GET /api/search/explain", audience="owner")
def explain_search(
    runtime: Runtime,
    query: str,
    kind: str = "",
    status: str = "active",
    tag: str = "",
    type: str = "",
    source: str = "",
    trust: str = "",
    limit: int = 20,
) -> Explanation:
    """Search records and show how every hit got its rank. Leaves no trace: no use, no miss is counted.

    Args:
        query: What to look for.
        kind: Only this kind.
        status: Only this status; `any` for all of them.
        tag: Only records with this tag.
        type: Only this context type, or this type of discovery.
        source: Only what comes from there, among the first 100 hits.
        trust: Only what is trusted so, among the first 100 hits.
        limit: The most hits.
    """
    if not query.strip():
        raise Invalid("the query is empty", "say in a few words what you look for")
    if not 1 <= limit <= _DEEPEST:
        raise Invalid(f"limit is {limit}", f"choose 1 to {_DEEPEST}")
    now = runtime.clock.now()
    kinds = (kind_named(kind).name,) if kind else tuple(KINDS)
    wanted = runtime.query(
        *kinds,
        statuses=_statuses(status),
        tags=(tag.strip().lower(),) if tag.strip() else (),
        where=_where(kind, type),
    )
    result = find(
        runtime.store.index,
        runtime.embedder,
        query,
        wanted,
        hydrate=lambda ids: contents_of(runtime, ids),
        limit=_DEEPEST if source.strip() or _trust(trust) else limit,
        now=now,
        cascade=runtime.scope.cascade,
    )
    # The index knows neither source nor trust: they are looked up in what it found.
    hits = [
        Explained(_row(hit.record, now), round(hit.score, 4), hit.why, list(hit.parts))
        for hit in result.hits
        if hit.record is not None
        and source.strip() in ("", str(hit.record.source))
        and trust in ("", hit.record.trust)
    ]
    return Explanation(hits[:limit], list(result.left_out), result.notice)
