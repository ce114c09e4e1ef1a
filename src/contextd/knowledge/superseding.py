"""Supersede older records by what a session established."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from contextd.claims.judgement import judge, statement_of
from contextd.claims.write_gate import RANK, RELATED_COSINE
from contextd.domain.applies_to import same_limits
from contextd.domain.directives import is_directive, is_users
from contextd.domain.kinds import kinds_that
from contextd.domain.query import Query
from contextd.domain.records import FOUND, Record, said_at, short_id
from contextd.knowledge.embedding import vector_of
from contextd.knowledge.writing import Changed, change_all
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd_common.errors import Conflict, Unavailable

_NEAREST = 8
_OVERRULES = ("opposite", "update")


def supersede_older(runtime: Runtime, statements: Sequence[tuple[Record, datetime]]) -> list[str]:
    """Let each of these records, said at its moment, supersede earlier records of the project on the same
    subject that say the opposite or are outdated, and be superseded by what a session said later, whichever was
    read first. Return the ids of the superseded records, which keep the reason and can be restored with undo.

    Records with more trust are left alone, and so are those that apply beyond the project.
    """
    moments = {record.id: at for record, at in statements}
    superseded_ids: list[str] = []
    for record, at in sorted(statements, key=lambda pair: pair[1]):
        changes = [
            _superseded(older, by, moment, reason)
            for older, by, moment, reason in _overruled(runtime, record, at, moments)
        ]
        if changes:
            # A concurrent change of one of them takes precedence.
            with suppress(Conflict):
                change_all(runtime, changes)
                superseded_ids += [one.before.id for one in changes]
    return superseded_ids


def _overruled(
    runtime: Runtime, record: Record, at: datetime, moments: Mapping[str, datetime]
) -> list[tuple[Record, Record, datetime, str]]:
    """The earlier records that `record` overrules, or `record` itself if a later one overrules it: each with the one
    that does, when that was said, and the reason.
    """
    if not runtime.embedder.model:
        return []
    query = Query(scopes=frozenset({record.scope}), kinds=kinds_that("compared"), statuses=FOUND)
    try:
        vector = vector_of(runtime, record.scope, record.text)
    except Unavailable:
        return []
    types = schema_of(runtime).types
    mine = statement_of(record, types)
    found: list[tuple[Record, Record, datetime, str]] = []
    for other, cosine in runtime.view.near(vector, runtime.embedder.model, query, _NEAREST):
        moment = moments.get(other.id, said_at(other))
        if other.id == record.id or cosine < RELATED_COSINE or moment == at:
            continue
        if not same_limits(record.data, other.data):
            continue
        theirs = statement_of(other, types)
        if moment < at and _may_end(record, other):
            judged = judge(mine, theirs)
            if judged.verdict in _OVERRULES:
                found.append((other, record, at, judged.reason))
        elif moment > at and _came_first(other, moments) and _may_end(other, record):
            judged = judge(theirs, mine)
            if judged.verdict in _OVERRULES:
                return [*found, (record, other, moment, judged.reason)]
    return found


def _came_first(later: Record, moments: Mapping[str, datetime]) -> bool:
    """Whether a session that is later than the one being learned from was read before it."""
    known = later.trust == "extracted" and later.status == "active"
    return known and later.id not in moments


def _may_end(record: Record, other: Record) -> bool:
    """Whether a record may supersede another: none with less trust does, only a directive supersedes a directive,
    and only the user supersedes the user's own.
    """
    if RANK[other.trust] > RANK[record.trust]:
        return False
    if not is_directive(other):
        return True
    return is_directive(record) and (is_users(record) or not is_users(other))


def _superseded(older: Record, by: Record, at: datetime, reason: str) -> Changed:
    after = older.with_(status="superseded", canonical_id=by.id, valid_to=at)
    explanation = f"session {short_id(by.session)} said {short_id(by.id)} later: {reason}"
    return Changed(older, after, "resolve", explanation)
