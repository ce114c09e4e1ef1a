"""What is left of a long text, and that every line of it can be found again."""

from __future__ import annotations

import random

import pytest

from contextd.folding.line_digest import digest_lines, plain_text, template, tokens_of
from contextd.folding.section_digest import NamedText, digest_parts, joined, parts_of, piece
from contextd_common.errors import Invalid, NotFound
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import content_words

NOISE = [f"12:00:{n % 60:02} GET /api/items/{n} 200 in {n % 7} ms" for n in range(400)]
ERROR = [
    "Traceback (most recent call last):",
    '  File "shop/price.py", line 31, in total',
    "    return sum(lines)",
    "TypeError: unsupported operand type(s) for +: 'int' and 'str'",
]
LOG = "\n".join([*NOISE[:250], *ERROR, *NOISE[250:], "3 failed, 117 passed in 8.21s"])


def test_errors_with_what_stands_around_them_and_the_end_are_kept():
    told = digest_lines(LOG, 300)
    assert count_tokens(told) <= 300
    for line in (*ERROR, "3 failed, 117 passed in 8.21s", NOISE[0]):
        assert line.strip() in told
    assert "249| 12:00" in told


def test_lines_that_repeat_are_counted():
    told = digest_lines(LOG, 300)
    assert told.count("GET /api/items") < 12
    assert "400× #:#:# GET …/… # in # ms" in told


def test_a_digest_includes_the_lines_that_the_question_asks_for():
    lines = [f"step {n}: compiled module {n} of the tree" for n in range(300)]
    lines[123] = "step 123: wrote checksum of the release archive"
    text = "\n".join(lines)
    assert "release archive" in digest_lines(text, 120, content_words("where is the archive"))


def test_a_short_text_is_left_as_it_is():
    assert digest_lines("one\ntwo", 100) == "one\ntwo"


@pytest.mark.parametrize("budget", [20, 60, 200, 900])
@pytest.mark.parametrize("seed", range(3))
def test_a_digest_keeps_to_its_budget_and_its_lines_stand_where_it_says(budget, seed):
    rng = random.Random(seed)
    alphabet = [
        "error: x",
        "ok 12",
        "",
        "日本語のログ",
        "x" * 900,
        "warning: y",
        *NOISE[:5],
        "{}",
        "§",
    ]
    lines = [rng.choice(alphabet) for _ in range(700)]
    told = digest_lines("\n".join(lines), budget)
    assert count_tokens(told) <= budget
    for line in told.split("\n"):
        number, bar, text = line.partition("| ")
        if bar and number.isdecimal():
            assert lines[int(number) - 1].startswith(text.rstrip("…"))


def test_a_line_of_a_megabyte_is_cut_where_it_matters():
    text = "x" * 500_000 + "\n" + "a" * 9_000 + " AssertionError: 3 != 4 " + "b" * 9_000
    assert "AssertionError: 3 != 4" in digest_lines(text, 200)


def test_colours_and_lines_that_were_written_over_are_taken_out():
    assert plain_text("\x1b[31mred\x1b[0m\r\n10%\r50%\r100%\nend\x00") == "red\n100%\nend"
    assert plain_text("half \ud800") == "half ?"


def test_lines_alike_have_one_template():
    assert template("GET /a/b 200 in 3 ms") == template("GET /c 404 in 17 ms")
    assert template("read 'x'") != template("wrote 'x'")


def test_tokens_of_a_huge_text_are_close():
    text = "\n".join(NOISE) * 60
    assert abs(tokens_of(text) - count_tokens(text)) < 0.02 * count_tokens(text)


PARTS = [
    NamedText(
        "a.py", "\n".join(f"a = {n}" for n in range(500)), lambda budget, asked: "1-9 def first()"
    ),
    NamedText("b/notes.md", "where the archive is\n" * 3),
    *(NamedText(f"c{n}.py", "filler = 1\n" * 200) for n in range(30)),
]


def test_of_several_parts_those_that_answer_come_first_and_the_rest_is_named():
    told = digest_parts(PARTS, 300, content_words("archive"))
    assert count_tokens(told) <= 300
    assert told.startswith("=== b/notes.md (3 lines) ===")
    assert "also: " in told


def test_a_file_is_shown_by_its_definitions():
    assert "1-9 def first()" in digest_parts(PARTS[:1], 200)


def test_parts_are_found_again_and_so_are_their_lines():
    whole = joined(PARTS)
    assert [(p.name, p.text) for p in parts_of(whole)] == [(p.name, p.text) for p in PARTS]
    assert piece(whole, "b/notes.md").text == PARTS[1].text
    assert piece(whole, "a.py:11-12").text == "a = 10\na = 11"
    assert piece(whole, "a.py:500-").text == "a = 499"
    assert piece(whole, "1-2").text == "=== a.py ===\na = 0"
    assert piece("one\ntwo\nthree", "2").text == "two"
    assert piece("one\ntwo", "").text == "one\ntwo"


@pytest.mark.parametrize(
    ("range", "error"),
    [("a.pi", NotFound), ("a.py:0-3", Invalid), ("a.py:9-3", Invalid), ("a.py:501-", Invalid)],
)
def test_a_range_that_is_none_is_refused(range, error):
    with pytest.raises(error) as refused:
        piece(joined(PARTS), range)
    assert refused.value.hint
