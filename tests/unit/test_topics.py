"""Topics: words of software that name one thing."""

from __future__ import annotations

import pytest

from contextd.domain.topics import topics
from contextd_code.text.words import content_words


def of(text: str) -> frozenset[int]:
    return topics(content_words(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("add a price column", "store money in cents"),
        ("yarn add lodash", "dependencies are pinned"),
        ("what if the insert throws", "handle every exception"),
        ("send the German wording", "translations are extracted"),
        ("print the request", "use the logger"),
    ],
)
def test_two_wordings_of_one_thing_share_a_topic(one: str, other: str) -> None:
    assert of(one) & of(other)


def test_words_of_no_topic_have_none() -> None:
    assert of("make the banner a little larger") == frozenset()


def test_unrelated_wordings_share_no_topic() -> None:
    assert not of("store money in cents") & of("send a mail to the crew")
