"""Of a long text the part is shown that says most about the question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextd.search import passage as passages
from contextd_common.text.words import content_words


def passage(text: str, question: str, longest: int) -> str:
    return passages.passage(text, frozenset(content_words(question)), longest)


def covered(text: str, question: str) -> int:
    return passages.covered(text, frozenset(content_words(question)))


FILLER = "We looked at the weather and had tea. " * 30
LIMIT = "The upload retries five times before it gives up."


def test_a_short_text_is_shown_whole():
    assert passage(f" {LIMIT}\n", "upload", 100) == LIMIT


@pytest.mark.parametrize("question", ["how often does the upload retry", "upload retries?"])
def test_a_passage_far_down_in_a_long_text_is_shown_where_it_answers(question: str):
    shown = passage(f"{FILLER}\n{LIMIT}\n{FILLER}", question, 200)
    assert shown.startswith("… ")
    assert LIMIT in shown
    assert len(shown) <= 200


def test_the_beginning_is_shown_where_nothing_later_says_more():
    text = f"{LIMIT} {FILLER} The upload retries."
    assert passage(text, "how often does the upload retry", 120) == text[:120]
    assert passage(FILLER, "upload", 120) == FILLER.strip()[:120]
    assert passage(FILLER, "", 120) == FILLER.strip()[:120]


def test_rare_words_decide_between_parts():
    text = f"{'The upload is slow. ' * 40}\nIts backoff doubles.\n{'The upload is slow. ' * 40}"
    assert "backoff" in passage(text, "upload backoff", 150)


def test_words_of_a_question_are_counted_once():
    assert covered("Upload, uploads and the retry", "upload retry limit") == 2


@given(st.text(max_size=3_000), st.text(max_size=60), st.integers(20, 400))
def test_any_text_is_bounded(text: str, question: str, longest: int):
    assert len(passage(text, question, longest)) <= longest
