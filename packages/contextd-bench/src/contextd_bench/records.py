"""Measure whether texts that developers wrote are found by their later questions.

All data comes from repositories (`project_notes.py`); nothing is generated or judged. Each type of
question runs in its own project, with only earlier texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.documents import record_document
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.embedders import open_embedder
from contextd.ports.knowledge import Embedder
from contextd.ports.store import Store, View
from contextd.search.boosts import Standpoint
from contextd.search.hits import DENSE, LEXICAL
from contextd.search.search import DEPTH, SearchSource, find, search
from contextd_bench.bm25 import PlainBM25
from contextd_bench.data import as_dicts, hardware, report, scored
from contextd_bench.project_notes import (
    CHANGES,
    LaterQuestion,
    ProjectNote,
    ProjectNotes,
    read_notes,
)
from contextd_bench.scratch import scratch_store

_AT_ONCE, _LIMIT = 200, 10

Values = dict[str, dict[str, list[float]]]
"""System → measure → one value per question."""


def run(repositories: Sequence[Path], *, out: TextIO, store: str = "sqlite") -> dict[str, Any]:
    """Measure recall@5, recall@10 and MRR of four ways to rank the records of each repository, by sort of
    question. Raises `NotFound` for a repository where nothing can be asked.
    """
    embedder, figures = open_embedder("minilm"), dict[str, Any]()
    values: dict[str, Values] = {}
    counts: dict[str, list[int]] = {}
    with scratch_store(store) as empty:
        for number, repository in enumerate(repositories, 1):
            for notes in read_notes(repository):
                for sort, own in measure(empty, embedder, f"project-{number}", notes).items():
                    _add(values.setdefault(sort, {}), own)
                    count = counts.setdefault(sort, [0, 0])
                    count[0] += 1
                    count[1] += len(notes.notes)
    for sort, each in values.items():
        rows = scored(each)
        facts = {
            "repositories": counts[sort][0],
            "records": counts[sort][1],
            "questions": len(each["contextd"]["MRR"]),
            "hardware": hardware(),
            "store": store,
        }
        report(out, f"Records: {sort}", facts, rows)
        figures[sort] = {**facts, **as_dicts(rows)}
    return figures


def measure(store: Store, embedder: Embedder, name: str, notes: ProjectNotes) -> dict[str, Values]:
    """The values of each sort of question that these notes have."""
    found: dict[str, Values] = {}
    texts = [f"{note.title}\n{note.text}" for note in notes.notes]
    known, baseline = -1, PlainBM25([])
    for view, scope, question in asked_in_time(store, embedder, name, notes):
        if question.known != known:
            known, baseline = question.known, PlainBM25(texts[: question.known])
        rankings = {
            "plain BM25": [notes.notes[at].id for at in baseline.ranking(question.text, 50)]
        }
        query = Query(scopes=frozenset({scope}), kinds=(kind_of(notes),))
        proposed = search(view.index, embedder, question.text, query, limit=2 * DEPTH).candidates
        for part in (LEXICAL, DENSE):
            ranks = {one.part(part).rank: one.id for one in proposed if one.part(part).rank}
            rankings[f"{part} alone"] = [ranks[rank] for rank in sorted(ranks)]
        result = find(
            SearchSource(
                view.index,
                embedder,
                lambda ids, view=view: {r.id: r for r in view.records.get(ids)},  # type: ignore[misc]
            ),
            question.text,
            query,
            limit=_LIMIT,
            standing=Standpoint((scope,), now=question.at),
        )
        rankings["contextd"] = [hit.id for hit in result.hits]
        for system, ranking in rankings.items():
            _note(found.setdefault(question.sort, {}).setdefault(system, {}), ranking, question)
    return found


def asked_in_time(
    store: Store, embedder: Embedder, name: str, notes: ProjectNotes
) -> Iterator[tuple[View, Scope, LaterQuestion]]:
    """Each question with its project, after the earlier texts are stored there as records."""
    scope = Scope("local", name, notes.sort)
    view, known = store.view(OWNER.grant([scope])), 0
    for question in notes.questions:
        _keep(view, embedder, scope, notes, notes.notes[known : question.known])
        known = max(known, question.known)
        yield view, scope, question


def kind_of(notes: ProjectNotes) -> str:
    """The kind of record for notes of a type: an entry of a change log is a statement."""
    return "discovery" if notes.sort == CHANGES else "context"


def _keep(
    view: View, embedder: Embedder, scope: Scope, notes: ProjectNotes, some: Sequence[ProjectNote]
) -> None:
    for start in range(0, len(some), _AT_ONCE):
        records = [_record(scope, notes, note) for note in some[start : start + _AT_ONCE]]
        documents = {one.digest: one for one in map(record_document, records)}
        rows = embedder.embed([one.text for one in documents.values()])
        vectors = {scope: dict(zip(documents, rows, strict=True))}
        puts = [Put(record, "import") for record in records]
        view.commit(
            Changes(
                actor="bench",
                knowledge=KnowledgeChanges(records=puts, vectors=vectors, model=embedder.model),
            )
        )


def _record(scope: Scope, notes: ProjectNotes, note: ProjectNote) -> Record:
    data = {"type": "fact"} if notes.sort == CHANGES else {}
    return Record(
        id=note.id, kind=kind_of(notes), scope=scope, title=note.title, content=note.text,
        data=data, created_at=note.at, updated_at=note.at,
    )  # fmt: skip


def _add(values: Values, more: Values) -> None:
    for system, measures in more.items():
        for name, each in measures.items():
            values.setdefault(system, {}).setdefault(name, []).extend(each)


def _note(values: dict[str, list[float]], ranking: Sequence[str], question: LaterQuestion) -> None:
    places = [place for place, id in enumerate(ranking, 1) if id in question.right]
    for depth in (5, 10):
        found = sum(place <= depth for place in places) / len(question.right)
        values.setdefault(f"recall@{depth}", []).append(found)
    values.setdefault("MRR", []).append(1 / places[0] if places else 0.0)
