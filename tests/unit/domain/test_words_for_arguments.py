"""The argument that a caller's word for it means, and the one a misspelled word is nearest to."""

from __future__ import annotations

import pytest

from contextd.domain.argument_names import (
    NAMES,
    argument_meant,
    arguments_meant,
    nearest_argument,
    snake,
)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("filePattern", "file_pattern"),
        ("file-pattern", "file_pattern"),
        ("HTTPServer", "http_server"),
        ("ID", "id"),
        ("a1B", "a1_b"),
    ],
)
def test_a_name_is_read_in_any_spelling(name: str, written: str) -> None:
    assert snake(name) == written


def test_an_arguments_own_name_goes_before_words_for_others() -> None:
    for known, words in NAMES.items():
        assert argument_meant(known, [known]) == known
        for word in words:
            assert argument_meant(word, [known]) == known
            assert argument_meant(word, [word, known]) == word
            assert argument_meant(word, []) is None


def test_an_operations_own_words_go_first() -> None:
    assert arguments_meant("revision", ["version"], {"revision": "version"}) == ["version"]
    assert arguments_meant("revision", ["text"], {"revision": "version"}) == []
    assert arguments_meant("organisation", ["org", "mine"], {"organisation": "mine"}) == ["mine"]


def test_the_nearest_argument_is_named_by_its_own_name() -> None:
    assert nearest_argument("verson", ["version", "text"]) == "version"
    assert nearest_argument("orgnisation", ["org", "text"]) == "org"
    assert nearest_argument("zzzzz", ["org", "text"]) == ""
    # Words of three letters are like too many others.
    assert nearest_argument("whyy", ["note"]) == ""
    assert nearest_argument("maxx", ["limit"]) == ""
