"""Measure which messages of a conversation are found for questions about it.

Each question names the messages that answer it; no answer is generated or judged. A data set is a
function that loads `Conversation`s and a row of the output.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, TextIO

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges, WorkChanges
from contextd.domain.documents import event_id, message_documents
from contextd.domain.query import EVENT, Query
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.embedders import open_embedder
from contextd.ports.knowledge import Embedder
from contextd.ports.store import Store, View
from contextd.search.hits import Hit, ScorePart
from contextd.search.operations.search import shown
from contextd.search.search import SearchSource, find
from contextd_bench.bm25 import PlainBM25
from contextd_bench.data import as_dicts, fitted_on, hardware, report, scored
from contextd_bench.pack import pack
from contextd_bench.scratch import scratch_store
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import content_words

BUDGET = 500
"""The token budget for the evidence."""

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

    def share(self, ids: Iterable[str]) -> float:
        """The share of the evidence in these turns."""
        return len(self.evidence.intersection(ids)) / len(self.evidence)


@dataclass(frozen=True, slots=True)
class Conversation:
    """All sessions of two people, and questions about them."""

    name: str
    turns: tuple[Utterance, ...]
    questions: tuple[Question, ...]


Values = dict[str, dict[str, list[float]]]
"""System → measure → one value per question."""


def measured(
    title: str,
    data: str,
    conversations: Sequence[Conversation],
    *,
    out: TextIO,
    file: str,
    store: str,
    facts: Mapping[str, Any] = MappingProxyType({}),
    further: Callable[[Sequence[Conversation]], Values] | None = None,
) -> dict[str, Any]:
    """Measure turn recall@10, MRR and evidence within 500 tokens, beside plain BM25; print and return them.
    `further` measures other systems on the same; `file` is empty for the development split.
    """
    embedder = open_embedder("minilm")
    with scratch_store(store) as opened:
        values = measure(opened, embedder, conversations)
    if further is not None:
        values |= further(conversations)
    rows = scored(values)
    known = {
        "data": f"{data}, {len(conversations)} conversations",
        "questions": sum(len(each.questions) for each in conversations),
        "messages": sum(len(each.turns) for each in conversations),
        **facts,
        **fitted_on(file),
        "hardware": hardware(),
        "store": store,
    }
    report(out, title, known, rows)
    return {**known, **as_dicts(rows)}


def with_evidence(
    asked: Sequence[Mapping[str, Any]], turns: Sequence[Utterance]
) -> tuple[Question, ...]:
    """The questions that some of these turns answer."""
    known = frozenset(turn.id for turn in turns)
    questions = (
        Question(one["question"], known.intersection(_EVIDENCE.findall(" ".join(one["evidence"]))))
        for one in asked
    )
    return tuple(one for one in questions if one.evidence)


def measure(store: Store, embedder: Embedder, conversations: Sequence[Conversation]) -> Values:
    """The results of BM25 and contextd on each conversation, in a scope of its own."""
    values: Values = {"plain BM25": {}, "contextd": {}}
    for conversation in conversations:
        scope = Scope("local", "conversations", conversation.name)
        view = store.view(OWNER.grant([scope]))
        spoken = keep(view, embedder, scope, conversation)
        baseline = PlainBM25([f"{turn.speaker}: {turn.text}" for turn in conversation.turns])
        for question in conversation.questions:
            places = baseline.ranking(question.text, _LIMIT)
            plain = [_hit(conversation.turns[place]) for place in places]
            _add(values["plain BM25"], plain, question)
            query = Query(scopes=frozenset({scope}), kinds=(EVENT,))
            source = SearchSource(
                view.index,
                embedder,
                lambda ids, spoken=spoken: {id_: spoken[id_][1] for id_ in ids},  # type: ignore[misc]
            )
            found = find(source, question.text, query, limit=_LIMIT)
            hits = [Hit(spoken[hit.id][0], hit.kind, hit.parts, hit.content) for hit in found.hits]
            _add(values["contextd"], hits, question)
            read = [spoken[hit.id][0] for hit in _read(found.hits, question)]
            values["contextd"].setdefault(f"evidence in {BUDGET} tokens as shown", []).append(
                question.share(read)
            )
    return values


def keep(
    view: View, embedder: Embedder, scope: Scope, conversation: Conversation
) -> dict[str, tuple[str, Event]]:
    """Store and index a conversation as sessions; return index id → (turn id, event)."""
    spoken: dict[str, tuple[str, Event]] = {}
    for number in sorted({turn.session for turn in conversation.turns}):
        turns = [turn for turn in conversation.turns if turn.session == number]
        session = Session(scope=scope, client="bench", external_id=f"{conversation.name}-{number}")
        messages = tuple(
            Event(type="message", key=turn.id, at=turn.at, role=turn.speaker, text=turn.text)
            for turn in turns
        )
        change = SessionChange(id=session.id, events=messages)
        events = view.commit(Changes(work=WorkChanges(open=[session], sessions=[change]))).events[
            session.id
        ]
        documents = message_documents(scope, session.id, events)
        rows = embedder.embed([document.text for document in documents])
        vectors = {scope: {doc.digest: row for doc, row in zip(documents, rows, strict=True)}}
        view.commit(
            Changes(
                knowledge=KnowledgeChanges(
                    documents=documents, vectors=vectors, model=embedder.model
                )
            )
        )
        for event in events:
            spoken[event_id(session.id, event.seq)] = (event.key, event)
    return spoken


def _hit(turn: Utterance) -> Hit:
    content = Event(type="message", key=turn.id, at=turn.at, role=turn.speaker, text=turn.text)
    return Hit(turn.id, EVENT, (ScorePart("words", 0.0),), content)


def _add(values: dict[str, list[float]], hits: list[Hit], question: Question) -> None:
    """Record the share of the question's evidence in these hits."""
    packed = pack(hits, BUDGET, show=_spoken)
    whole = [item.id for item in packed.items if not item.shortened]
    ranks = [rank for rank, hit in enumerate(hits, 1) if hit.id in question.evidence]
    values.setdefault("turn recall@10", []).append(question.share([hit.id for hit in hits[:10]]))
    values.setdefault(f"evidence in {BUDGET} tokens", []).append(question.share(whole))
    values.setdefault("MRR", []).append(1 / ranks[0] if ranks else 0.0)


def _read(hits: Sequence[Hit], question: Question) -> Iterator[Hit]:
    """The hits shown completely in the output of `context_search`, up to the budget."""
    asked, now, room = frozenset(content_words(question.text)), datetime.now(UTC), BUDGET
    for number, hit in enumerate(hits, 1):
        answer = shown(hit, asked, now, {})
        room -= count_tokens(f"{number}. {answer.as_text()}\n")
        if room < 0:
            return
        if hit.text.strip() in answer.text:
            yield hit


def _spoken(hit: Hit) -> str:
    content = hit.content
    return f"{content.role}: {content.text}" if isinstance(content, Event) else content.text
