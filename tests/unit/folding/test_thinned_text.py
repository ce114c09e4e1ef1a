"""What is kept of a text that is too large, and that every line keeps its number."""

from __future__ import annotations

from contextd.folding.line_digest import digest_lines
from contextd.folding.thinning import runs, thinned, without_marks

LOG = [f"10:{n // 60:02d} GET /items/{n * 7919} 200" for n in range(20_000)]
AT = 12_345
BROKEN = [*LOG[:AT], "ERROR payment 8812 failed", "GatewayTimeout: after 30 s", *LOG[AT:]]


def test_a_text_that_fits_stays_as_it_is():
    assert thinned("a\nb", 100) == "a\nb"


def test_errors_in_the_middle_of_a_thinned_text_keep_their_line_numbers():
    text = thinned("\n".join(BROKEN), 60_000)
    lines = text.split("\n")
    assert len(lines) == len(BROKEN)
    assert lines[AT - 1 : AT + 3] == BROKEN[AT - 1 : AT + 3]
    assert (lines[0], lines[-1]) == (BROKEN[0], BROKEN[-1])
    assert len(without_marks(text)) <= 60_000
    told = digest_lines(text, 400)
    assert f"{AT - 1}| {BROKEN[AT - 2]}\n{BROKEN[AT - 1]}\n{BROKEN[AT]}\n{BROKEN[AT + 1]}" in told
    assert "20000× #:# GET …/… #" in told


def test_a_line_that_answers_is_kept_where_few_do():
    asked = [*LOG[:9_000], "10:11 gift voucher 77 redeemed", *LOG[9_000:]]
    text = thinned("\n".join(asked), 60_000, ["voucher", "get"])
    assert text.split("\n")[9_000] == asked[9_000]


def test_an_error_that_never_ends_leaves_room_for_another():
    flood = [f"ERROR retry {n} of upload" for n in range(9_000)]
    flood[8_000] = "FATAL disk full"
    lines = thinned("\n".join(flood), 30_000).split("\n")
    assert lines[8_000] == "FATAL disk full"
    assert lines[5_000] == "⋯1"


def test_a_text_of_few_long_lines_is_cut_in_each():
    text = thinned("x" * 90_000 + "\n" + "y" * 90_000, 20_000)
    first, second = text.split("\n")
    assert first.startswith("xxx")
    assert "80,001 characters were left out" in second


def test_lines_left_out_are_read_as_one_that_says_so():
    shown = list(runs(["a 1", "⋯1", "⋯1", "b", "⋯", "⋯7"], 1))
    assert shown == [
        (1, "a 1"),
        (3, "[lines 2 to 3 were left out: as line 1, but for numbers]"),
        (4, "b"),
        (6, "[lines 5 to 6 were left out: as line 7, but for numbers]"),
    ]
