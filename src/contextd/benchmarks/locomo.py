"""LoCoMo: which turns of a long conversation hold the evidence for a question.

Maharana et al. 2024, https://github.com/snap-research/locomo, CC BY-NC 4.0: `locomo/*.json` under
the data folder. Questions without evidence are left out. Nothing is generated and nothing judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from contextd.benchmarks.bm25 import PlainBM25
from contextd.benchmarks.data import (
    as_dicts,
    checksum,
    data_file,
    fitted_on,
    hardware,
    report,
    rows_of,
    scored,
)
from contextd.benchmarks.scratch import scratch_store
from contextd.domain.access import OWNER
from contextd.domain.changes import Changes
from contextd.domain.documents import event_id, message_documents
from contextd.domain.query import EVENT, Query
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.embedders import open_embedder
from contextd.ports import Embedder, Store, View
from contextd.retrieval.hits import Hit, ScorePart
from contextd.retrieval.pack import pack
from contextd.retrieval.search import find

BUDGET = 500
"""Tokens that the evidence has to fit into."""

_LIMIT = 50
_EVIDENCE = re.compile(r"D\d+:\d+")


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of a conversation."""

    id: str
    session: int
    at: datetime
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that answer it."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """All sessions of two people, and questions about them."""

    name: str
    turns: tuple[Utterance, ...]
    questions: tuple[Question, ...]


def run(data: Path, *, out: TextIO, file: str = "", store: str = "sqlite") -> dict[str, Any]:
    """Measure turn recall@10 and evidence within 500 tokens, beside plain BM25; on another `file` than
    the development split when one is named.
    """
    path = data_file(data, "locomo", file or "locomo-dev.json")
    conversations = list(load(path))
    embedder = open_embedder("minilm")
    with scratch_store(store) as opened:
        values = measure(opened, embedder, conversations)
    rows = scored(values)
    facts = {
        "data": path.name,
        "questions": sum(len(each.questions) for each in conversations),
        "turns": sum(len(each.turns) for each in conversations),
        "data sha256": checksum(path),
        **fitted_on(file),
        "hardware": hardware(),
        "store": store,
    }
    report(out, "LoCoMo: turns that hold the evidence", facts, rows)
    return {**facts, **as_dicts(rows)}


def load(path: Path) -> Iterator[Conversation]:
    """The conversations of a LoCoMo file."""
    for number, sample in enumerate(rows_of(path, "conversation", "qa")):
        spoken = sample["conversation"]
        sessions = sorted(
            (key for key in spoken if isinstance(spoken[key], list)),
            key=lambda key: int(key.split("_")[1]),
        )
        turns = tuple(
            Utterance(
                turn["dia_id"],
                int(key.split("_")[1]),
                datetime.strptime(
                    spoken[f"{key}_date_time"] + " +0000", "%I:%M %p on %d %B, %Y %z"
                ),
                turn["speaker"],
                turn["text"],
            )
            for key in sessions
            for turn in spoken[key]
        )
        known = frozenset(turn.id for turn in turns)
        questions = (
            Question(
                qa["question"], known.intersection(_EVIDENCE.findall(" ".join(qa["evidence"])))
            )
            for qa in sample["qa"]
        )
        yield Conversation(
            f"conversation-{number}", turns, tuple(q for q in questions if q.evidence)
        )


def measure(
    store: Store, embedder: Embedder, conversations: list[Conversation]
) -> dict[str, dict[str, list[float]]]:
    """System → measure → one value per question."""
    values: dict[str, dict[str, list[float]]] = {"plain BM25": {}, "contextd": {}}
    for conversation in conversations:
        scope = Scope("local", "locomo", conversation.name)
        view = store.view(OWNER.grant([scope]))
        spoken = keep(view, embedder, scope, conversation)
        baseline = PlainBM25([f"{turn.speaker}: {turn.text}" for turn in conversation.turns])
        for question in conversation.questions:
            places = baseline.ranking(question.text, _LIMIT)
            plain = [_hit(conversation.turns[place]) for place in places]
            _add(values["plain BM25"], plain, question)
            query = Query(scopes=frozenset({scope}), kinds=(EVENT,))
            found = find(
                view.index, embedder, question.text, query,
                hydrate=lambda ids, spoken=spoken: {id_: spoken[id_][1] for id_ in ids},  # type: ignore[misc]
                limit=_LIMIT,
            )  # fmt: skip
            hits = [Hit(spoken[hit.id][0], hit.kind, hit.parts, hit.content) for hit in found.hits]
            _add(values["contextd"], hits, question)
    return values


def keep(
    view: View, embedder: Embedder, scope: Scope, conversation: Conversation
) -> dict[str, tuple[str, Event]]:
    """Keep and index a conversation as sessions; index id → (turn id, event)."""
    spoken: dict[str, tuple[str, Event]] = {}
    for number in sorted({turn.session for turn in conversation.turns}):
        turns = [turn for turn in conversation.turns if turn.session == number]
        session = Session(scope=scope, client="locomo", external_id=f"{conversation.name}-{number}")
        messages = tuple(
            Event(type="message", key=turn.id, at=turn.at, role=turn.speaker, text=turn.text)
            for turn in turns
        )
        change = SessionChange(id=session.id, events=messages)
        events = view.commit(Changes(open=[session], sessions=[change])).events[session.id]
        documents = message_documents(scope, session.id, events)
        rows = embedder.embed([document.text for document in documents])
        vectors = {scope: {doc.digest: row for doc, row in zip(documents, rows, strict=True)}}
        view.commit(Changes(documents=documents, vectors=vectors, model=embedder.model))
        for event in events:
            spoken[event_id(session.id, event.seq)] = (event.key, event)
    return spoken


def _hit(turn: Utterance) -> Hit:
    content = Event(type="message", key=turn.id, at=turn.at, role=turn.speaker, text=turn.text)
    return Hit(turn.id, EVENT, (ScorePart("words", 0.0),), content)


def _add(values: dict[str, list[float]], hits: list[Hit], question: Question) -> None:
    """Note how much of the question's evidence these hits hold."""

    def share(ids: list[str]) -> float:
        return len(question.evidence.intersection(ids)) / len(question.evidence)

    packed = pack(hits, BUDGET, show=_spoken)
    whole = [item.id for item in packed.items if not item.shortened]
    ranks = [rank for rank, hit in enumerate(hits, 1) if hit.id in question.evidence]
    values.setdefault("turn recall@10", []).append(share([hit.id for hit in hits[:10]]))
    values.setdefault(f"evidence in {BUDGET} tokens", []).append(share(whole))
    values.setdefault("MRR", []).append(1 / ranks[0] if ranks else 0.0)


def _spoken(hit: Hit) -> str:
    content = hit.content
    return f"{content.role}: {content.text}" if isinstance(content, Event) else content.text
