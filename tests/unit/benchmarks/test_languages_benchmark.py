"""Every language reaches seven tenths of the English figures, without more false positives."""

from __future__ import annotations

import io

from contextd_bench import languages
from contextd_code.text.languages import LANGUAGES


def test_each_language_has_the_same_number_of_sentences_of_each_sort() -> None:
    counts = {
        (name, len(rows)) for one in LANGUAGES for name, rows in languages.sections(one).items()
    }
    assert {count for _, count in counts} == {60}


def test_every_language_reaches_its_share_of_english() -> None:
    out = io.StringIO()
    assert languages.run(out)
    assert out.getvalue().count("\n| ") == 1 + len(LANGUAGES)
