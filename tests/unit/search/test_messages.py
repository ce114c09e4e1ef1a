"""What a message is and where it stands moves it, and every move is told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from contextd.domain.documents import event_id
from contextd.domain.sessions import Event
from contextd.search.hits import DENSE, LEXICAL, Hit, ScorePart
from contextd.search.message_ranking import SIGNALS, by_message, signals
from contextd.search.ranking_weights import weights

AT = datetime(2026, 1, 1, tzinfo=UTC)
ASKED = "Where did Ana leave the keys of the boat?"


def hit(session: str, seq: int, text: str, score: float, role: str = "user") -> Hit:
    event = Event(type="message", key=str(seq), at=AT, role=role, text=text, seq=seq)
    parts = (ScorePart(LEXICAL, score / 2, 1, 3.0), ScorePart(DENSE, score / 2, 1, 0.5))
    return Hit(event_id(session, seq), "event", parts, event)


def order(*hits: Hit, asked: str = ASKED) -> list[str]:
    return [one.id for one in by_message(hits, asked)]


def test_the_reply_comes_before_the_question_that_is_asked_again():
    asks = hit("s", 4, "Where are the keys of the boat?", 0.9, role="Ben")
    where = "They hang behind the door of the shed, I put them there on Monday."
    reply = hit("s", 5, where, 0.75, role="Ana")
    assert order(asks, reply) == [reply.id, asks.id]
    # The same words anywhere else answer nothing.
    elsewhere = hit("s", 9, reply.text, 0.6, role="Ben")
    assert order(asks, elsewhere) == [asks.id, elsewhere.id]


def test_a_session_about_it_and_who_is_named_count():
    about = [hit("s", n, "We sailed and came home late.", 0.6) for n in (1, 9, 20)]
    other = hit("t", 1, "We sailed and came home late.", 0.6)
    assert order(other, *about)[-1] == other.id
    named = hit("t", 5, "We sailed and came home late.", 0.6, role="Ana")
    assert order(other, named) == [named.id, other.id]
    [told] = signals([hit("t", 1, "x", 0.5, role="user")], "which user was it?")
    assert told["speaker"] == 0.0


def test_the_best_by_words_and_meaning_keeps_its_score_and_parts_add_up():
    told = hit("s", 2, "The keys of the boat hang there.", 0.5, role="Ana")
    hits = [hit("s", 1, "ok", 0.8, role="Ben"), told]
    found = {one.id: one for one in by_message(hits, ASKED)}
    assert found[hits[0].id] == hits[0]
    moved = found[hits[1].id]
    assert moved.score == pytest.approx(sum(part.amount for part in moved.parts))
    assert "says much" in moved.why


def test_hits_other_than_messages_and_a_message_alone_keep_their_score():
    alone = [hit("s", 1, "The keys.", 0.5), Hit("r", "memory", (ScorePart("words", 0.4),), AT)]  # type: ignore[arg-type]
    assert by_message(alone, ASKED) == alone
    assert by_message([], ASKED) == []


@pytest.mark.parametrize("text", ["i sold the boat", "We sold the boat", "That was my boat"])
def test_of_people_what_one_says_of_oneself_comes_before_what_is_said_of_anything(text: str):
    told = hit("s", 1, text, 0.5, role="Ana")
    other = hit("s", 9, "That is such a boat", 0.51, role="Ana")
    assert order(other, told, asked="Whose boat?") == [told.id, other.id]
    assert "says something of oneself" in by_message([other, told], "Whose boat?")[0].why
    # With an assistant everybody does.
    told, other = (
        hit("s", one.content.seq, one.text, one.score, role="assistant")  # type: ignore[attr-defined]
        for one in (told, other)
    )
    assert order(other, told, asked="Whose boat?") == [other.id, told.id]


def test_a_session_is_told_of_people_and_of_an_assistants_by_its_own_name():
    people, assisted = (
        signals([hit("s", 1, "The boat.", 0.5, role)], "boat") for role in ("Ana", "assistant")
    )
    assert (people[0]["session"], people[0]["assisted"]) == (1.0, 0.0)
    assert (assisted[0]["session"], assisted[0]["assisted"]) == (0.0, 1.0)


def test_every_signal_has_a_weight():
    assert set(weights("messages")) == set(SIGNALS)


@pytest.mark.parametrize(
    "asked", ["Which database did I choose?", "what is our retry limit", "Why did that bother me?"]
)
def test_asked_of_oneself_what_the_user_said_comes_before_what_was_answered(asked: str):
    said = hit("s", 1, "We go with SQLite.", 0.6)
    answered = hit("s", 2, "SQLite it is, here is how to set it up in ten steps.", 0.7, "assistant")
    assert order(said, answered, asked=asked) == [said.id, answered.id]


@pytest.mark.parametrize(
    "asked", ["Which database is used?", "I/O limits", "buckets in us-east-1", "the US market"]
)
def test_other_questions_leave_user_and_assistant_as_they_match(asked: str):
    said = hit("s", 1, "We go with SQLite.", 0.6)
    answered = hit("s", 2, "SQLite it is.", 0.7, "assistant")
    assert order(said, answered, asked=asked) == [answered.id, said.id]


def test_an_assistants_long_answer_to_a_question_is_not_lifted_for_that():
    asks = hit("s", 1, "Can you set the retries to 5 for the upload?", 0.7)
    answer = hit(
        "s", 2, "Certainly! " + "Here is how retries work in general. " * 20, 0.65, "assistant"
    )
    assert order(asks, answer, asked="How many retries does the upload make?") == [
        asks.id,
        answer.id,
    ]
