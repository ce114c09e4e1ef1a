"""How similarities are read in languages that the embedder hardly knows."""

from __future__ import annotations

import pytest

from contextd.domain.language_bias import bias_of

MODEL = "minilm-l6-v2-int8"
ORDINARY = 0.72
"""A cosine that any two sentences in these scripts reach."""


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Добавь тёмную тему на экран настроек", "В суп нужно добавить соль и перец"),
        ("یک پوسته تیره به صفحه تنظیمات اضافه کن", "قطار شمال ساعت نه حرکت می‌کند"),
        ("أضف سمة داكنة إلى شاشة الإعدادات", "يغادر القطار إلى الشمال في التاسعة"),
        ("सेटिंग स्क्रीन में गहरा थीम जोड़ें", "मेरी बहन ऑर्केस्ट्रा में वायलिन बजाती है"),
    ],
)
def test_two_sentences_of_a_foreign_script_are_not_relevant_without_a_shared_word(
    question: str, text: str
) -> None:
    bias = bias_of(MODEL, question)
    assert bias is not None
    assert bias.relevance(text, ORDINARY, 0.0, 0.3) == 0.0
    assert bias.relevance(text, ORDINARY, 0.1, 0.3) < 0.58
    assert bias.relevance(text, ORDINARY, 0.7, 0.3) > 0.58


def test_a_model_of_many_languages_needs_no_correction() -> None:
    assert bias_of("another", "Добавь тёмную тему") is None
