"""Tokens are estimated per feature, and trimming keeps its promise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextd_common.text.tokens import _estimate, count_tokens, trim_to_tokens

PROSE = st.text(alphabet=st.sampled_from("ab cD_9.,!?\n\t(é漢字가—\U0001f600 "), max_size=300)

# What cl100k makes of each text.
REAL = {
    "The quick brown fox jumps over the lazy dog.": 10,
    "def read_file(path: str) -> bytes:\n    return Path(path).read_bytes()\n": 17,
    "Internationalization and accessibility requirements": 5,
    "数据库连接池已满": 8,
    "1234567890": 4,
}


@pytest.mark.parametrize(("text", "real"), REAL.items())
def test_the_estimate_is_near_the_real_count(text: str, real: int):
    assert abs(count_tokens(text) - real) <= max(2, 0.25 * real)


def test_only_the_empty_text_is_free():
    assert count_tokens("") == 0
    assert count_tokens(" ") == 1


def test_chinese_costs_about_a_token_a_character():
    assert count_tokens("上下文" * 100) == pytest.approx(300, rel=0.02)


def test_long_words_and_digits_cost_more_than_short_ones():
    assert count_tokens("internationalization " * 50) > count_tokens("nation " * 50)
    assert count_tokens("123456 " * 50) > count_tokens("123 " * 50)


@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_ascii_is_counted_as_it_is_beside_a_letter_of_another_alphabet(text: str):
    assert _estimate(f"{text}é") == pytest.approx(_estimate(text) + 0.426)


@given(PROSE, PROSE)
def test_a_text_never_costs_more_than_its_lines_apart(one: str, other: str):
    assert count_tokens(f"{one}\n{other}") <= count_tokens(one) + count_tokens(other) + 3


@given(PROSE | st.text(max_size=200), st.integers(0, 120))
def test_a_trimmed_text_fits_and_begins_like_the_whole(text: str, budget: int):
    trimmed = trim_to_tokens(text, budget)
    assert count_tokens(trimmed) <= budget
    assert text.startswith(trimmed)


def test_trimming_ends_at_a_line_or_a_sentence():
    text = "First sentence. Second sentence is here.\n    indented line\nlast line"
    ends = {trim_to_tokens(text, budget) for budget in range(count_tokens(text) + 1)}
    assert ends == {
        "",
        "First sentence.",
        "First sentence. Second sentence is here.",
        "First sentence. Second sentence is here.\n    indented line",
        text,
    }


def test_a_text_that_fits_is_left_alone():
    assert trim_to_tokens("short \n", 50) == "short \n"


def test_a_long_run_of_blanks_is_counted_in_one_pass() -> None:
    # Tried from each of its blanks this would take minutes.
    assert count_tokens(" " * 300_000) == 1
    assert count_tokens("a" + " \n " * 3 + "b") == count_tokens("a\nb")
