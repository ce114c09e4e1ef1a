"""Putting knowledge into the store: through the write gate, into record and index at once."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from contextd.domain.confidence import START
from contextd.domain.documents import record_document
from contextd.domain.errors import Invalid, Unavailable
from contextd.domain.kinds import KINDS, Kind, kind_named
from contextd.domain.query import Document
from contextd.domain.records import Anchor, Record, Source, Trust, new_id
from contextd.domain.scope import Scope
from contextd.domain.words import query_words, words
from contextd.governance.gate import (
    Draft,
    GateLookup,
    Verdict,
    admit,
    check_limits,
    without_secrets,
)
from contextd.governance.redact import redact
from contextd.interop.kept import KEPT
from contextd.operations.anchors import anchor_for, texts_of
from contextd.operations.contradicting import note_disagreements
from contextd.ports import Vector
from contextd.runtime import Runtime

_SIMILAR = 5
_MOST_WORDS = 64

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a draft. `outcome` is `added`, `inbox`, `duplicate` or `rejected`; `record` is
    the new one, or the one that was there; None when the draft was rejected.
    """

    outcome: str
    reason: str
    record_or_none: Record | None
    redacted: int = 0

    @property
    def record(self) -> Record:
        """The record. Raises `Invalid` with the gate's reason when there is none."""
        if self.record_or_none is None:
            raise Invalid(f"not stored: {self.reason}", "say it in your own words, as one fact")
        return self.record_or_none


def save_new(
    runtime: Runtime,
    kind: str,
    *,
    content: str,
    title: str = "",
    tags: Sequence[str] | None = None,
    data: Mapping[str, Any] | None = None,
    source: str = "",
    trust: Trust | None = None,
    session: str = "",
    confidence: float | None = None,
    anchor: Anchor | None = None,
    scope: Scope | None = None,
    ref: str = "",
    id: str | None = None,
    gate: bool = True,
) -> Saved:
    """Pass a draft through the write gate and store what comes out.

    Without an `anchor`, a record of the project is anchored at the caller's commit and branch and at
    the files it names. With an `id` that is already there, nothing is written and that record is the duplicate: work
    that may run twice gives its records ids of their own. Raises `Invalid` naming every wrong field, `Denied` when the caller may not write there.
    """
    declared = kind_named(kind)
    where = scope or runtime.scope
    runtime.caller.require("write", where, declared.area)
    there = runtime.store.records.get([id]) if id else []
    if there:
        return Saved("duplicate", "already stored", there[0])
    trust = trust or ("human" if runtime.surface in ("cli", "web") else "agent")
    draft = _draft(declared, title, content, data or {}, tags or (), trust)
    verdict = admit(draft, _lookup(runtime, where, kind)) if gate else _ungated(runtime, draft)
    redacted = len(verdict.findings)
    if verdict.outcome == "reject":
        return Saved("rejected", verdict.reason, None, redacted)
    if verdict.outcome == "duplicate" and verdict.existing is not None:
        seen = _seen_again(runtime, verdict.existing)
        return Saved("duplicate", verdict.reason, seen, redacted)
    if anchor is None:
        anchor = _anchor(runtime, where, verdict.draft)
    now = runtime.clock.now()
    agent = redact(source, runtime.redaction_key).text
    record = Record(
        id=id or new_id(),
        kind=kind,
        scope=where,
        title=verdict.draft.title,
        content=verdict.draft.content,
        data=verdict.draft.data,
        tags=verdict.draft.tags,
        source=Source(agent=agent, client=runtime.client, operation=runtime.surface, ref=ref),
        session=session,
        trust=trust,
        status="inbox" if verdict.outcome == "inbox" else "active",
        confidence=START[trust] if confidence is None else confidence,
        valid_from=now,
        anchor=anchor,
        created_at=now,
        updated_at=now,
    )
    _write(runtime, record, action="create", reason=verdict.reason)
    outcome = "inbox" if record.status == "inbox" else "added"
    return Saved(outcome, verdict.reason, record, redacted)


def _anchor(runtime: Runtime, scope: Scope, draft: Draft) -> Anchor:
    """Where in git a draft is written; what holds beyond the project stands nowhere in it."""
    if runtime.project is None or scope != runtime.scope:
        return Anchor()
    return anchor_for(runtime, draft.title, draft.content, *texts_of(draft.data))


def _ungated(runtime: Runtime, draft: Draft) -> Verdict:
    clean, findings = without_secrets(draft, runtime.redaction_key)
    return Verdict("add", clean, findings=findings)


def _draft(
    kind: Kind,
    title: str,
    content: str,
    data: Mapping[str, Any],
    tags: Sequence[str],
    trust: Trust,
) -> Draft:
    if not content.strip():
        raise Invalid(f"{kind.name}: content is empty", "say in a sentence what is worth knowing")
    return Draft(
        kind=kind.name,
        title=title.strip(),
        content=content.strip(),
        data=kind.check(data),
        tags=clean_tags(tags),
        trust=trust,
    )


_SAYS_NOTHING_NEW = ("feedback", "signal")
"""Changes of what is thought of a record, which make it no fresher."""


def change(runtime: Runtime, record: Record, *, action: str, reason: str = "") -> Record:
    """Store a changed record, without secrets, keeping the state before it in the history.

    Only a new text is embedded: one that stays keeps its vector.
    """
    runtime.caller.require("write", record.scope, kind_named(record.kind).area)
    record = cleaned(runtime, record)[0]
    if action not in _SAYS_NOTHING_NEW:
        record = record.with_(updated_at=runtime.clock.now())
    _write(runtime, record, action=action, reason=reason)
    return record


def within_limits(record: Record) -> Record:
    """The same record. Raises `TooLarge` and `Invalid` for texts that nobody may store anew."""
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
    """A changed record as it would be stored, and how many secrets were taken out of it.

    Raises `Invalid` naming every wrong field.
    """
    clean, findings = without_secrets(_as_draft(record), runtime.redaction_key)
    given = {name: value for name, value in clean.data.items() if name != KEPT}
    kept = {KEPT: clean.data[KEPT]} if KEPT in clean.data else {}
    data = {**kind_named(record.kind).check(given), **kept}
    stored = record.with_(
        title=clean.title, content=clean.content, data=data, tags=clean_tags(clean.tags)
    )
    return stored, len(findings)


def index_documents(runtime: Runtime, documents: Sequence[Document], *, dense: bool) -> None:
    """Index documents, with vectors at once when `dense`; otherwise they stay pending."""
    vectors = embed_documents(runtime, documents) if dense else {}
    runtime.store.index.put(documents, vectors, runtime.embedder.model)


def embed_documents(runtime: Runtime, documents: Sequence[Document]) -> dict[str, Vector]:
    """A vector per distinct text, by digest; nothing when the embedder is missing or broken."""
    texts = {document.digest: document.text for document in documents}
    if not runtime.embedder.model or not texts:
        return {}
    try:
        rows = runtime.embedder.embed(list(texts.values()))
    except Unavailable as error:
        _log.warning("not embedded, lexical only: %s", error.message)
        return {}
    return dict(zip(texts, rows, strict=True))


def _write(runtime: Runtime, record: Record, *, action: str, reason: str) -> None:
    document = record_document(record)
    store = runtime.store
    stored = store.records.get([record.id])
    unchanged = bool(stored) and stored[0].text == record.text
    vectors = {} if unchanged else embed_documents(runtime, [document])
    told = redact(reason, runtime.redaction_key).text
    with store.transaction():
        store.records.put(record, actor=runtime.caller.name, action=action, reason=told)
        store.index.put([document], vectors, runtime.embedder.model)
    if action in ("create", "update"):
        runtime.sinks.later(lambda: note_disagreements(runtime, record))


def _seen_again(runtime: Runtime, existing: Record) -> Record:
    """A duplicate counts as an occurrence of what is there."""
    data = dict(existing.data)
    if "occurrence_count" in KINDS[existing.kind].fields:
        data["occurrence_count"] = int(data.get("occurrence_count", 1)) + 1
        return change(runtime, existing.with_(data=data), action="update", reason="seen again")
    runtime.sinks.used([existing.id])
    return existing


def _lookup(runtime: Runtime, scope: Scope, kind: str) -> GateLookup:
    records, index = runtime.store.records, runtime.store.index

    def similar(text: str) -> list[tuple[Record, float]]:
        query = runtime.query(kind)
        try:
            vector = runtime.embedder.embed([text])[0]
        except Unavailable:
            # Without vectors the words must do, or contradictions would pass unseen.
            shared = index.lexical(query_words(text)[:_MOST_WORDS], query, _SIMILAR)
            found = records.get([match.id for match in shared])
            return [(record, _word_cosine(text, record.text)) for record in found]
        near = index.dense(vector, runtime.embedder.model, query, _SIMILAR)
        by_id = {record.id: record for record in records.get([match.id for match in near])}
        return [(by_id[m.id], m.score) for m in near if m.id in by_id]

    return GateLookup(
        served=lambda digests: runtime.sinks.was_served(scope, digests),
        by_hash=lambda content_hash: records.by_hash(content_hash, scope),
        similar=similar,
        key=runtime.redaction_key,
    )


def _word_cosine(one: str, other: str) -> float:
    a, b = Counter(words(one)), Counter(words(other))
    length = sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return sum(n * b[word] for word, n in a.items()) / length if length else 0.0


def clean_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags as they are kept: lower case, single spaces, each once."""
    cleaned = (" ".join(tag.split()).lower() for tag in tags)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))
