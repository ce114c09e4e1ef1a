"""BEAM: which messages of a long conversation with an assistant answer a question about it.

Tavakoli et al. 2025, https://github.com/mohammadtavakoli78/BEAM: folders of chats as that repository lays
them out (`chat.json` and `probing_questions/`), under `beam/` in the data folder. Many are about code. Only
questions whose answer stands in messages that are named are asked.

Asked twice: of the messages, as a session without a transcript has them, and of the episodes that a session
with one leaves, which stand for all messages of their turn.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

from contextd.domain.changes import Changes, WorkChanges
from contextd.domain.kinds import EPISODE
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.learning.episodes import keep_turns
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import find_documents
from contextd_bench.bm25 import PlainBM25
from contextd_bench.conversations import Conversation, Question, Utterance, Values, measured
from contextd_bench.scratch import opened
from contextd_common.errors import NotFound

DEVELOPMENT = "dev"
"""The folder that weights may be fitted on."""

ASKED = (
    "contradiction_resolution",
    "information_extraction",
    "knowledge_update",
    "multi_session_reasoning",
    "temporal_reasoning",
)
"""Types of questions that single messages answer.

Summaries and orders of events need most of a chat; questions about instructions and preferences
test something else.
"""

_BEGAN = datetime(2026, 3, 1, 9, tzinfo=UTC)
_NUMBER = re.compile(r"\d+")
_PLAN = re.compile(r"\s*->->[\s\d,]*$")
"""The position of a message in the plan of a chat, which is not part of its text."""


def run(data: Path, *, out: TextIO, file: str = "", store: str = "sqlite") -> dict[str, Any]:
    """Measure recall over messages and over episodes; `file` selects another folder than the
    development split.
    """
    folder = data / "beam" / (file or DEVELOPMENT)
    title = "BEAM: what was said to an assistant, and found again"
    conversations = load(folder)
    return measured(
        title, folder.name, conversations, out=out, file=file, store=store, further=_of_episodes
    )


def load(folder: Path) -> list[Conversation]:
    """The chats of a folder, by number. Raises `NotFound` when it has none."""
    chats = sorted(folder.glob("*/chat.json"), key=lambda path: (len(path.parent.name), path))
    if not chats:
        raise NotFound(
            f"there are no chats in {folder}",
            "put folders of BEAM's chats there, each with chat.json and probing_questions/",
        )
    return [_conversation(path.parent) for path in chats]


def _conversation(folder: Path) -> Conversation:
    turns: list[Utterance] = []
    ids: dict[int, str] = {}
    for number, batch in enumerate(json.loads((folder / "chat.json").read_text("utf-8")), 1):
        began = _BEGAN + timedelta(days=number)
        messages = [message for turn in batch["turns"] for message in turn]
        for place, message in enumerate(messages, 1):
            # Without a colon: text before a colon marks a line of a transcript, and
            # one line is one prompt.
            ids[int(message["id"])] = own = f"D{number}-{place}"
            at = began + timedelta(minutes=place)
            text = _PLAN.sub("", message["content"])
            turns.append(Utterance(own, number, at, message["role"], text))
    asked = next((folder / "probing_questions").glob("*.json"))
    questions = tuple(_questions(json.loads(asked.read_text("utf-8")), ids))
    return Conversation(f"{folder.parent.name}-{folder.name}".lower(), tuple(turns), questions)


def _questions(asked: Mapping[str, Any], ids: Mapping[int, str]) -> Iterator[Question]:
    for sort in ASKED:
        for one in asked.get(sort, ()):
            named = _NUMBER.findall(str(one.get("source_chat_ids", "")))
            evidence = frozenset(ids[int(id)] for id in named if int(id) in ids)
            if evidence:
                yield Question(one["question"], evidence)


def _of_episodes(conversations: Sequence[Conversation]) -> Values:
    """Turns are ranked."""
    values: Values = {"plain BM25, turns": {}, "contextd, episodes": {}}
    for conversation in conversations:
        with tempfile.TemporaryDirectory(prefix="contextd-beam-") as scratch:
            root, home = Path(scratch, "project"), Path(scratch, "home")
            root.mkdir()
            with opened(root, home, embedder_name="minilm") as bench:
                bench.call("init")
                _ask_episodes(bench.runtime, conversation, values["contextd, episodes"])
        turns = _turns(conversation)
        baseline = PlainBM25(["\n".join(one.text for one in turn) for turn in turns])
        for question in conversation.questions:
            places = baseline.ranking(question.text, 50)
            ranked = [frozenset(one.id for one in turns[place]) for place in places]
            _note(values["plain BM25, turns"], ranked, question)
    return values


def _ask_episodes(
    runtime: Runtime, conversation: Conversation, values: dict[str, list[float]]
) -> None:
    """Store the conversation's sessions as an agent with a transcript would, and run the questions."""
    spoken: dict[tuple[str, str], frozenset[str]] = {}
    for number in sorted({turn.session for turn in conversation.turns}):
        session = Session(
            scope=runtime.scope,
            client="beam",
            external_id=f"{conversation.name}-{number}",
            data={"transcript": "-"},
        )
        messages = tuple(
            Event(type="message", key=turn.id, at=turn.at, role=turn.speaker, text=turn.text)
            for turn in conversation.turns
            if turn.session == number
        )
        change = SessionChange(id=session.id, events=messages)
        events = runtime.view.commit(
            Changes(work=WorkChanges(open=[session], sessions=[change]))
        ).events[session.id]
        for turn in keep_turns(runtime, session, events):
            within = [event.key for event in events if turn.began <= event.at <= turn.ended]
            spoken[session.id, turn.key] = frozenset(within)
    for question in conversation.questions:
        found = find_documents(runtime, question.text, (EPISODE,), limit=50)
        records = [hit.record for hit in found.hits if hit.record is not None]
        ranked = [spoken[record.session, str(record.data["turn"])] for record in records]
        _note(values, ranked, question)


def _turns(conversation: Conversation) -> list[list[Utterance]]:
    """The messages between two messages of the user."""
    turns: list[list[Utterance]] = []
    for one in conversation.turns:
        if one.speaker == "user" or not turns:
            turns.append([])
        turns[-1].append(one)
    return turns


def _note(
    values: dict[str, list[float]], ranked: Sequence[frozenset[str]], question: Question
) -> None:
    found = frozenset[str]().union(*ranked[:10]) & question.evidence
    places = [place for place, ids in enumerate(ranked, 1) if ids & question.evidence]
    values.setdefault("turn recall@10", []).append(len(found) / len(question.evidence))
    values.setdefault("MRR", []).append(1 / places[0] if places else 0.0)
