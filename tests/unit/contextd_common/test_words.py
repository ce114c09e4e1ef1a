"""What is indexed is what is asked for: identifiers, folding, stems, CJK."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextd_common.text.words import STOP_WORDS, content_words, query_words, words

ANY = st.text(max_size=80)


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "parseHTTPHeader": ["parsehttpheader", "pars", "http", "header"],
        "read_file_v2": ["read_file_v2", "read", "file", "v", "2"],
        "__init__": ["init"],
        "os.path.join": ["os", "path", "join"],
        "utf8": ["utf8", "utf", "8"],
        "Connections": ["connect"],
        "Straße": words("strasse"),
        "ﬁle": ["file"],
        "ＡＰＩ": ["api"],
        "数据库": ["数据", "据库"],
        "水": ["水"],
        "データa数据": ["デー", "ータ", "a", "数据"],
        "한국어 text": ["한국", "국어", "text"],
        "": [],
        "?! … \x00": [],
    }.items(),
)
def test_words_of(text: str, expected: list[str]):
    assert words(text) == expected


def test_an_identifier_is_found_whole_and_by_its_parts():
    indexed = set(words("def openEmbedder(name): ..."))
    assert set(query_words("openEmbedder")) <= indexed
    assert set(query_words("open an embedder")) - {"an"} <= indexed


def test_inflections_share_a_stem():
    assert words("connection connected connecting") == ["connect"] * 3


def test_stop_words_are_dropped_from_a_question_but_not_from_the_index():
    assert query_words("what is the cache") == ["cach"]
    assert "the" in words("the cache")


def test_a_question_of_stop_words_only_still_asks_something():
    assert query_words("what was it") == ["what", "was", "it"]
    assert content_words("what was it") == []


def test_a_run_longer_than_any_name_is_left_out():
    assert words("a" * 65 + " base64") == ["base64", "base", "64"]


@given(ANY)
def test_a_question_asks_only_for_words_its_text_would_be_indexed_under(text: str):
    assert set(query_words(text)) <= set(words(text))


@given(ANY)
def test_a_question_repeats_no_word(text: str):
    assert len(query_words(text)) == len(set(query_words(text)))


@given(ANY)
def test_words_are_folded_and_never_empty(text: str):
    assert all(word and word == word.casefold() for word in words(text))


@given(ANY)
def test_compatibility_forms_are_one_word(text: str):
    assert words(unicodedata.normalize("NFKC", text)) == words(text)


@given(ANY, ANY)
def test_a_line_break_parts_words(one: str, other: str):
    assert words(f"{one}\n{other}") == words(one) + words(other)


def test_no_stop_word_is_missing_from_its_own_folding():
    assert all(word == word.casefold() for word in STOP_WORDS)
