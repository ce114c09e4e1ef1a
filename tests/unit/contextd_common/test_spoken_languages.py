"""Which languages a text may be written in, and which of its words name a subject."""

from __future__ import annotations

import pytest

from contextd_common.text.languages import LANGUAGES, ByLanguage, function_words, languages_of
from contextd_common.text.words import comparable_words, content_words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("please run the tests again", "en"),
        ("lass die tests nochmal laufen", "de"),
        ("nie direkt auf main pushen", "de"),
        ("relance les tests stp", "fr"),
        ("pas de default exports", "fr"),
        ("ejecuta los tests otra vez", "es"),
        ("nunca hagas push a main", "es"),
        ("もう一度テストを実行して", "ja"),
        ("再跑一遍测试", "zh"),
        ("테스트를 다시 실행해 줘", "ko"),
    ],
)
def test_a_sentence_shows_its_language(text: str, language: str) -> None:
    assert languages_of(text) == (language,)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Проверь логи бота", "ru"),
        ("Добавь поле price в таблицу orders и покажи его", "ru"),
        ("یک ستون جدید به نام price از فایل orders.csv اضافه کن", "ar"),
        ("أضف حقلا جديدا إلى الجدول", "ar"),
        ("एक नया फ़ील्ड जोड़ें", "hi"),
        ("Πρόσθεσε ένα πεδίο", "el"),
    ],
)
def test_a_script_without_rows_is_not_taken_for_english(text: str, language: str) -> None:
    assert languages_of(text) == (language,)


def test_a_foreign_sign_or_name_leaves_a_sentence_in_its_language() -> None:
    assert languages_of("Wait 20 µs before the next try, as Δt says.") == ("en",)
    assert languages_of("Show the title “Отчёт” in the header of the page.") == ("en",)


def test_a_word_that_english_shares_makes_no_sentence_foreign() -> None:
    assert languages_of("No, it is fine as it is.") == ("en",)


def test_a_text_without_such_words_may_be_in_any_language_of_its_script() -> None:
    assert set(LANGUAGES) - set(languages_of("fetch retries")) == {"ja", "zh"}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("wo wird das Upload-Limit eingestellt", ["upload", "limit", "eingestellt"]),
        ("où est configurée la limite", ["configurée", "limit"]),
        ("金額はどこ", ["金額", "額は"]),
        ("怎么部署", ["么部", "部署"]),
    ],
)
def test_words_without_a_subject_are_dropped_in_every_language(
    question: str, words: list[str]
) -> None:
    assert content_words(question) == words


def test_one_ambiguous_word_drops_nothing() -> None:
    assert function_words("MIT licence") == frozenset()
    assert content_words("MIT licence") == ["mit", "licenc"]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "Geldbeträge", "Geldbetrag"),
        ("es", "migración", "migracion"),
        ("fr", "stocker", "stockés"),
    ],
)
def test_forms_of_a_word_are_compared_as_one(language: str, one: str, other: str) -> None:
    assert comparable_words(one, language) == comparable_words(other, language)


def test_only_the_rows_of_a_texts_languages_run() -> None:
    table = ByLanguage({"en": "cache", "de": "nie"})
    assert table.search("clear the cache")
    assert table.search("nie auf main pushen")
    assert not table.search("das ist der cache")
