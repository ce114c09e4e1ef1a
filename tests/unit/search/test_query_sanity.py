"""A question without any known word is told from one that has an answer somewhere."""

from __future__ import annotations

import pytest

from contextd.search.query_sanity import makes_sense


@pytest.mark.parametrize(
    "question",
    [
        "tax",
        "cue of the ray",
        "why do the invoices drift",
        "k8s ingress",
        "qzxv tax",
        "caching strategies",
        "税は最後に丸める",
    ],
)
def test_one_known_word_makes_sense(question: str) -> None:
    assert makes_sense(question)


@pytest.mark.parametrize("question", ["qzxv bnmpt", "xy", "zz hq", "1234 5678"])
def test_letters_that_are_no_word_make_none(question: str) -> None:
    assert not makes_sense(question)


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert not makes_sense("qzxv " * 10_000 + "tax")
