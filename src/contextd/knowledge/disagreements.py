"""Find records that contradict each other: at each write among neighbours, daily among all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from contextd.claims.judgement import Types, judge, statement_of
from contextd.domain.applies_to import same_limits
from contextd.domain.awareness import STANDING, Contradiction, ordered
from contextd.domain.changes import KnowledgeChanges
from contextd.domain.kinds import kinds_that
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.jobs.table import new_job
from contextd.knowledge.embedding import vector_of
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd_common.errors import Unavailable
from contextd_common.text.words import query_words

_NEIGHBOURS = 10
_MOST_WORDS = 64
_MOST_PAIRS = 1_000


def disagreement(one: Record, other: Record, types: Types) -> tuple[str, str] | None:
    """(kind, reason) when two records contradict each other; the smaller id comes first. Rules for different files
    do not.
    """
    if not same_limits(one.data, other.data):
        return None
    one, other = sorted((one, other), key=lambda record: record.id)
    judged = judge(statement_of(one, types), statement_of(other, types))
    return (judged.how, judged.reason) if judged.verdict == "opposite" else None


def note_disagreements(runtime: Runtime, record_id: str) -> None:
    """Compare a record with its nearest neighbours and store the pairs that disagree.

    Its earlier pairs are dropped unless the comparison still finds them.
    """
    there = runtime.view.records.get([record_id])
    if not there or there[0].kind not in kinds_that("compared"):
        return
    record = there[0]
    if record.status not in STANDING:
        return
    types = schema_of(runtime).types
    known = runtime.view.contradictions.of(record.id)
    paired = {pair.b if pair.a == record.id else pair.a for pair in known}
    near = _nearest(runtime, record)
    others = runtime.view.records.get(list(dict.fromkeys([*paired, *near])))
    found: list[Contradiction] = []
    for other in others:
        reason = disagreement(record, other, types) if other.id != record.id else None
        if reason is not None:
            found.append(pair_of(runtime, record.id, other.id, *reason))
    still = {(pair.a, pair.b) for pair in found}
    over = [(p.a, p.b) for p in known if p.state == "open" and (p.a, p.b) not in still]
    if found or over:
        runtime.commit(knowledge=KnowledgeChanges(disagree=found, agree=over))


def conflicting(runtime: Runtime, records: Iterable[Record]) -> dict[str, list[str]]:
    """Ids of the records that contradict these, by record id; only open pairs count."""
    compared = [record for record in records if record.kind in kinds_that("compared")]
    if not compared:
        return {}
    scopes = frozenset(scope for record in compared for scope in record.scope.cascade)
    found: dict[str, list[str]] = {record.id: [] for record in compared}
    for pair in runtime.view.contradictions.find(scopes, limit=_MOST_PAIRS):
        for one, other in ((pair.a, pair.b), (pair.b, pair.a)):
            if one in found:
                found[one].append(other)
    return {id: others for id, others in found.items() if others}


def _nearest(runtime: Runtime, record: Record) -> list[str]:
    index, embedder = runtime.view.index, runtime.embedder
    scopes = frozenset(record.scope.cascade)
    query = Query(scopes=scopes, kinds=kinds_that("compared"), statuses=STANDING)
    near = index.lexical(query_words(record.text)[:_MOST_WORDS], query, _NEIGHBOURS)
    stored, rows = index.vectors(record.scope, [record.id], embedder.model)
    try:
        vector = rows[0] if stored else vector_of(runtime, record.scope, record.text)
    except Unavailable:
        return [match.id for match in near]
    near += index.dense(vector, embedder.model, query, _NEIGHBOURS)
    return [match.id for match in near]


def queue_comparison(runtime: Runtime) -> str:
    """Queue a comparison of all records of the project; return the job's id."""
    job = new_job("find_contradictions", runtime.scope, runtime.place, once="")
    return runtime.queue(job)[0]


def pair_of(runtime: Runtime, one: str, other: str, kind: str, reason: str) -> Contradiction:
    """The pair in its stored form."""
    a, b = ordered(one, other)
    return Contradiction(a=a, b=b, kind=kind, reason=reason, found_at=runtime.clock.now())


def records_of(runtime: Runtime, pairs: Sequence[Contradiction]) -> Mapping[str, Record]:
    """The records of these pairs, by id."""
    ids = list(dict.fromkeys(id for pair in pairs for id in (pair.a, pair.b)))
    return {record.id: record for record in runtime.view.records.get(ids)}
