from __future__ import annotations

import pytest

from contextd.search.abbreviations import other_forms, spelled_out, with_other_forms
from contextd.search.query_words import Asked
from contextd_common.text.words import query_words


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("k8s?", "Clusters run on Kubernetes"),
        ("GHA", "GitHub Actions keeps the secrets"),
        ("i18n", "Internationalization strings are in locales"),
        ("GitHub Actions", "The GHA workflow"),
    ],
)
def test_an_abbreviation_and_its_words_find_each_other(question: str, text: str) -> None:
    asked = Asked(question)
    assert asked.words & asked.shared_with(text)
    assert set(with_other_forms(query_words(question))) & set(query_words(text))


def test_a_part_of_a_long_form_is_not_the_abbreviation() -> None:
    assert other_forms(query_words("which actions does the user have")) == {}


def test_pieces_of_an_abbreviation_do_not_count_as_words_of_the_question() -> None:
    assert Asked("k8s version").count == 2


def test_a_question_without_abbreviations_is_embedded_as_it_is() -> None:
    assert spelled_out("where is the cache") == "where is the cache"
    assert spelled_out("a11y checks") == "a11y checks (accessibility)"
