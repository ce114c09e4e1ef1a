"""Write records: through the write gate, into store and index in one commit."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from math import sqrt
from typing import Any

from contextd.claims.write_gate import (
    Draft,
    GateLookup,
    Verdict,
    admit,
    check_limits,
    without_secrets,
)
from contextd.domain.changes import NO_WORK, Decision, Put, Removal, WorkChanges
from contextd.domain.confidence import START
from contextd.domain.directives import in_force
from contextd.domain.documents import record_document
from contextd.domain.imported_records import FILE_DIFFERENCES
from contextd.domain.kind import Kind
from contextd.domain.kinds import KINDS, area_of, kind_named
from contextd.domain.query import Query, Vector
from contextd.domain.records import (
    PRESENT,
    Anchor,
    Change,
    Operation,
    Record,
    Source,
    Status,
    Trust,
    digest,
    new_id,
)
from contextd.domain.scope import Scope
from contextd.knowledge.disagreements import note_disagreements
from contextd.knowledge.embedding import vector_of, with_vectors
from contextd.knowledge.git_anchors import anchor_for, texts_of
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, Invalid, Unavailable
from contextd_common.text.words import query_words, words

_SIMILAR = 5
_MOST_WORDS = 64
_ATTEMPTS = 3
"""How often a draft is checked again when the same record was stored meanwhile."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Saved:
    """The result of a draft. `outcome` is `added`, `updated`, `inbox`, `duplicate` or `rejected`; `record` is
    the new one, or the existing one; None when the draft was rejected. `changed` says that the existing
    one was updated.
    """

    outcome: str
    reason: str
    record_or_none: Record | None
    redacted: int = 0
    changed: bool = False

    @property
    def operation(self) -> Operation:
        """The draft's effect on the store."""
        if self.outcome in ("added", "inbox"):
            return "ADD"
        return "UPDATE" if self.changed else "SKIP"

    @property
    def record(self) -> Record:
        """The record. Raises `Invalid` with the gate's reason when the draft was rejected."""
        if self.record_or_none is None:
            raise Invalid(f"not stored: {self.reason}", "say it in your own words, as one fact")
        return self.record_or_none


@dataclass(frozen=True, slots=True)
class RecordText:
    """The kind, text, tags and typed fields of a record to save."""

    kind: str
    content: str
    title: str = ""
    tags: Sequence[str] = ()
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a record comes from. Without `trust` and `confidence` they follow from the caller; without an
    `anchor`, a record of the project is anchored at the caller's commit and branch and at the files it names.
    `ref` names the event or file within the `source`. `said_at` is when it was said, if not just now.
    """

    source: str = ""
    trust: Trust | None = None
    session: str = ""
    ref: str = ""
    confidence: float | None = None
    anchor: Anchor | None = None
    said_at: datetime | None = None


def save_new(
    runtime: Runtime,
    text: RecordText,
    provenance: Provenance | None = None,
    *,
    scope: Scope | None = None,
    id: str | None = None,
    gate: bool = True,
    candidate: bool = False,
) -> Saved:
    """Pass a draft through the write gate and store the result.

    When a record with this `id` exists, nothing is written and that record is the duplicate: work that may
    run twice gives its records fixed ids. A `candidate` is found by searches and never injected. Raises
    `Invalid` naming every wrong field, `Denied` when the caller may not write there.
    """
    came_from = provenance or Provenance()
    declared = kind_named(text.kind)
    where = scope or runtime.scope
    runtime.caller.require("write", where, declared.area)
    there = runtime.view.records.get([id]) if id else []
    if there:
        return Saved("duplicate", "already stored", there[0])
    trust = came_from.trust or trust_of(runtime)
    draft = _draft(declared, text, trust)
    for _ in range(_ATTEMPTS):
        look = _Look(runtime, where, text.kind, came_from.session)
        verdict = admit(draft, look.lookup()) if gate else _ungated(runtime, draft)
        redacted = len(verdict.findings)
        if verdict.outcome == "reject":
            return Saved("rejected", verdict.reason, None, redacted)
        if verdict.outcome == "duplicate" and verdict.existing is not None:
            return _known(runtime, verdict, verdict.existing)
        record = _record(
            runtime,
            where,
            verdict,
            replace(came_from, trust=trust),
            id=id,
            status="candidate" if candidate else "active",
        )
        try:
            alone = gate and not look.same_known
            _create(runtime, record, verdict.reason, alone=alone, vectors=look.vectors)
        except Conflict:
            # The same was recorded between the check and the commit: check again.
            continue
        outcome = "inbox" if record.status == "inbox" else "added"
        return Saved(outcome, verdict.reason, record.with_(version=1), redacted)
    raise Conflict("the same is being recorded by several at once", "search for it, then try again")


def _known(runtime: Runtime, verdict: Verdict, existing: Record) -> Saved:
    """Handle a draft that repeats an existing record."""
    seen, more = _seen_again(runtime, existing, verdict.draft)
    reason = "; ".join(filter(None, (verdict.reason, more)))
    changed = seen.version != existing.version
    return Saved("duplicate", reason, seen, len(verdict.findings), changed)


def _record(
    runtime: Runtime,
    scope: Scope,
    verdict: Verdict,
    came_from: Provenance,
    *,
    id: str | None = None,
    status: Status = "active",
) -> Record:
    now, trust = runtime.clock.now(), came_from.trust or trust_of(runtime)
    # A client's clock may be ahead of this one.
    moment = min(now, came_from.said_at or now)
    anchor = came_from.anchor
    if anchor is None:
        anchor = _anchor(runtime, scope, verdict.draft)
    agent = redact(came_from.source, runtime.redaction_key).text
    return Record(
        id=id or new_id(),
        kind=verdict.draft.kind,
        scope=scope,
        title=verdict.draft.title,
        content=verdict.draft.content,
        data=verdict.draft.data,
        tags=clean_tags(verdict.draft.tags),
        source=Source(
            agent=agent, client=runtime.client, operation=runtime.surface, ref=came_from.ref
        ),
        session=came_from.session,
        trust=trust,
        status="inbox" if verdict.outcome == "inbox" else status,
        confidence=START[trust] if came_from.confidence is None else came_from.confidence,
        valid_from=moment,
        anchor=anchor,
        created_at=moment,
        updated_at=moment,
        arrived_at=now if came_from.said_at is not None else None,
    )


def _create(
    runtime: Runtime,
    record: Record,
    reason: str,
    *,
    alone: bool,
    vectors: Mapping[str, Vector],
) -> None:
    document = record_document(record)
    put = Put(record, "create", redact(reason, runtime.redaction_key).text, alone=alone)
    changes = with_vectors(runtime, [put], () if document.digest in vectors else (record,))
    if document.digest in vectors:
        known = {record.scope: {document.digest: vectors[document.digest]}}
        changes = replace(changes, vectors=known)
    runtime.commit(knowledge=changes)
    runtime.later("contradictions", lambda: note_disagreements(runtime, record.id))


def _anchor(runtime: Runtime, scope: Scope, draft: Draft) -> Anchor:
    """Where in git a draft is written; None for a draft that applies beyond the project."""
    if runtime.project is None or scope != runtime.scope:
        return Anchor()
    return anchor_for(runtime, draft.title, draft.content, *texts_of(draft.data))


def _ungated(runtime: Runtime, draft: Draft) -> Verdict:
    clean, findings = without_secrets(draft, runtime.redaction_key)
    return Verdict("add", clean, findings=findings)


def _draft(kind: Kind, text: RecordText, trust: Trust) -> Draft:
    if not text.content.strip():
        raise Invalid(f"{kind.name}: content is empty", "say in a sentence what is worth knowing")
    return Draft(
        kind=kind.name,
        title=text.title.strip(),
        content=text.content.strip(),
        data=kind.check(text.data),
        # In lower case no key has the shape of one: `save_new` lowers them behind the gate.
        tags=tuple(text.tags),
        trust=trust,
    )


_NO_FRESHER = ("feedback", "retract", "signal")
"""Changes of a record's assessment, which do not make it newer."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A record before and after a change, with the name of the change for the history."""

    before: Record
    after: Record
    action: str
    reason: str = ""


def change(
    runtime: Runtime, before: Record, after: Record, *, action: str, reason: str = ""
) -> Record:
    """Store a changed record, redacted, and keep the previous state in the history.

    Raises `Conflict` when the record changed since it was read.
    """
    return change_all(runtime, [Changed(before, after, action, reason)])[0]


def change_all(
    runtime: Runtime,
    changes: Sequence[Changed],
    *,
    beside: Sequence[Record] = (),
    decide: Sequence[Decision] = (),
    work: WorkChanges | None = None,
) -> list[Record]:
    """Store changed records together, all or none, with new ones `beside` them, the decisions about
    contradictions and what belongs to the work. Only changed texts are embedded, before anything is written.
    """
    puts = [Put(record, "create") for record in beside]
    new_texts = list(beside)
    for one in changes:
        runtime.caller.require("write", one.after.scope, area_of(one.after.kind))
        after = in_force(one.before, one.after, one.action)
        record = cleaned(runtime, after)[0].with_(version=one.before.version)
        if one.action not in _NO_FRESHER:
            record = record.with_(updated_at=runtime.clock.now())
        puts.append(Put(record, one.action, redact(one.reason, runtime.redaction_key).text))
        if record.text != one.before.text:
            new_texts.append(record)
    knowledge = replace(with_vectors(runtime, puts, new_texts), decide=decide)
    runtime.commit(knowledge=knowledge, work=work or NO_WORK)
    for put in puts:
        if put.action == "update":
            id = put.record.id
            runtime.later("contradictions", partial(note_disagreements, runtime, id))
    changed = puts[len(beside) :]
    return [put.record.with_(version=put.record.version + 1) for put in changed]


def new_record(
    runtime: Runtime,
    kind: str,
    *,
    content: str,
    title: str = "",
    data: Mapping[str, Any] | None = None,
    session: str = "",
) -> Record:
    """Return a redacted record of the project that skips the write gate; the caller commits it.

    Raises as `save_new` does.
    """
    declared = kind_named(kind)
    runtime.caller.require("write", runtime.scope, declared.area)
    trust = trust_of(runtime)
    draft = _draft(declared, RecordText(kind, content, title, (), data or {}), trust)
    came_from = Provenance(trust=trust, session=session)
    return _record(runtime, runtime.scope, _ungated(runtime, draft), came_from)


def trust_of(runtime: Runtime) -> Trust:
    """The author of what a caller writes: the user, or an agent."""
    return "human" if runtime.surface in ("cli", "web") else "agent"


def within_limits(record: Record) -> Record:
    """Return the same record. Raises `TooLarge` and `Invalid` for texts that may no longer be stored."""
    check_limits(_as_draft(record))
    return record


def _as_draft(record: Record) -> Draft:
    return Draft(
        kind=record.kind,
        title=record.title,
        content=record.content,
        data=record.data,
        tags=record.tags,
    )


def cleaned(runtime: Runtime, record: Record) -> tuple[Record, int]:
    """The changed record in its stored form, and how many secrets were redacted from it.

    Raises `Invalid` naming every wrong field.
    """
    clean, findings = without_secrets(_as_draft(record), runtime.redaction_key)
    given = {name: value for name, value in clean.data.items() if name != FILE_DIFFERENCES}
    unread = (
        {FILE_DIFFERENCES: clean.data[FILE_DIFFERENCES]} if FILE_DIFFERENCES in clean.data else {}
    )
    data = {**kind_named(record.kind).check(given), **unread}
    stored = record.with_(
        title=clean.title, content=clean.content, data=data, tags=clean_tags(clean.tags)
    )
    return stored, len(findings)


def undo_of(record: Record | None, undone: Change) -> Put | Removal:
    """The change that undoes another one. `record` is the current state, None when the record is
    gone; `undone` an entry of its history.
    """
    reason = f"undo of {undone.action}"
    if undone.before is None:
        if record is None:
            raise Conflict("the record is gone already", "its history shows what was done")
        return Removal(record, "undo", reason, undone.seq)
    version = record.version if record is not None else 0
    return Put(undone.before.with_(version=version), "undo", reason, undoes=undone.seq)


def _seen_again(runtime: Runtime, existing: Record, draft: Draft) -> tuple[Record, str]:
    """Count a duplicate as an occurrence of the existing record, which gets the new tags and the
    bubble; return the updated record, and the additions in words.
    """
    mine = runtime.caller.may("write", existing.scope, area_of(existing.kind))
    if mine and "occurrence_count" in KINDS[existing.kind].fields:
        data = dict(existing.data)
        data["occurrence_count"] = int(data.get("occurrence_count", 1)) + 1
        after = existing.with_(data=data)
        return change(runtime, existing, after, action="update", reason="seen again"), ""
    runtime.sinks.used([existing])
    tags = [tag for tag in clean_tags(draft.tags) if tag not in existing.tags]
    bubble = str(draft.data.get("bubbleId", ""))
    moved = existing.kind == "context" and bubble not in ("", existing.data.get("bubbleId"))
    if not mine or not (tags or moved):
        return existing, ""
    effects = [f"took over the tags {', '.join(tags)}"] if tags else []
    effects += ["is in that bubble now"] if moved else []
    after = existing.with_(
        tags=(*existing.tags, *tags),
        data={**existing.data, "bubbleId": bubble} if moved else existing.data,
    )
    reason = f"said again: it {' and '.join(effects)}"
    return change(
        runtime, existing, after, action="update", reason=reason
    ), f"it {' and '.join(effects)}"


class _Look:
    """What the gate asks of the store. The draft's vector is cached, since the record needs it too, and
    so is whether the text was known: entries of one type may repeat their only free field.
    """

    def __init__(self, runtime: Runtime, scope: Scope, kind: str, session: str) -> None:
        self._runtime, self._scope, self._kind = runtime, scope, kind
        self._session = session
        self.vectors: dict[str, Vector] = {}
        self.same_known = False

    def lookup(self) -> GateLookup:
        """The callbacks of the gate."""
        view, session = self._runtime.view, self._session
        return GateLookup(
            served=lambda digests: view.sessions.handed_out(self._scope, session, digests),
            by_hash=self._by_hash,
            similar=self._similar,
            key=self._runtime.redaction_key,
            types=schema_of(self._runtime).types,
        )

    def _by_hash(self, content_hash: str) -> Record | None:
        found = self._runtime.view.records.by_hash(content_hash, self._scope)
        self.same_known = found is not None
        return found

    def _similar(self, text: str) -> list[tuple[Record, float]]:
        runtime = self._runtime
        view = runtime.view
        # A record of one project does not make a wider one a duplicate.
        scopes = frozenset(self._scope.cascade)
        query = Query(scopes=scopes, kinds=(self._kind,), statuses=PRESENT)
        try:
            vector = vector_of(runtime, self._scope, text)
        except Unavailable:
            # Without vectors, compare words, or contradictions would be missed.
            found = view.sharing([query_words(text)[:_MOST_WORDS]], query, _SIMILAR)
            return [(record, _word_cosine(text, record.text)) for record in found]
        self.vectors[digest(text)] = vector
        return view.near(vector, runtime.embedder.model, query, _SIMILAR)


def _word_cosine(one: str, other: str) -> float:
    a, b = Counter(words(one)), Counter(words(other))
    length = sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return sum(n * b[word] for word, n in a.items()) / length if length else 0.0


def clean_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Normalise tags: lower case, single spaces, no duplicates."""
    cleaned = (" ".join(tag.split()).lower() for tag in tags)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))
