"""A text that is cut before it is redacted is never cut through a secret."""

from __future__ import annotations

import random

import pytest

from contextd.redaction.cutting import beginning, ending, quoted, redact_pieces
from contextd.redaction.redact import redact, redact_whole
from contextd_bench import secret_samples as samples

FILL = "The lorries of the north left as before. "


def _secret(shape: str = "gh¦p_{A36}", seed: int = 3) -> str:
    return samples.fill(shape, random.Random(seed))


@pytest.mark.parametrize("shape", ["gh¦p_{A36}", "sk¦-ant-api03-{W93}AA", "np¦m_{A36}"])
@pytest.mark.parametrize("frame", ["use {} now", '{{"value": "{}"}}', "password={} for now"])
def test_no_cut_leaves_a_part_of_a_secret(frame: str, shape: str) -> None:
    secret = _secret(shape)
    text = FILL * 3 + frame.format(secret) + FILL * 3
    at = text.index(secret)
    tail, head = secret[-12:], secret[:12]
    for cut in range(at - 20, at + len(secret) + 20):
        first, last = beginning(text, cut), ending(text, len(text) - cut)
        assert text.startswith(first)
        assert text.endswith(last)
        assert len(first) <= cut
        assert len(last) <= len(text) - cut
        assert head not in redact(first).text
        assert tail not in redact(last).text


def test_a_secret_goes_with_the_label_that_reveals_it() -> None:
    text = FILL * 60 + "the password is Stagecoach47x for now. " + FILL * 60
    at = text.index("Stagecoach47x")
    for cut in range(at - 30, at + 1):
        assert "Stagecoach47x" not in redact(ending(text, len(text) - cut)).text


def test_a_line_that_is_a_secret_in_whole_is_not_halved() -> None:
    secret = _secret("x{A9}3{A9}7{A9}2x")
    text = f"{FILL}\n{secret}\n{FILL}"
    at = text.index(secret)
    for cut in range(at, at + len(secret)):
        assert secret[:12] not in redact_whole(beginning(text, cut))


def test_a_text_without_secrets_is_cut_where_it_is_asked_for() -> None:
    text = FILL * 200
    for cut in (0, 1, 40, 3_999, 4_000, len(text), len(text) + 1):
        assert beginning(text, cut) == text[:cut]
        assert ending(text, cut) == (text[-cut:] if cut else "")


def test_a_quoted_value_shows_no_half_of_a_secret() -> None:
    secret = _secret()
    assert redact(quoted({"token": secret}, 30)).text == "{'token': '"
    assert quoted({"n": 1}, 30) == "{'n': 1}"


def test_a_secret_in_two_pieces_of_a_text_is_replaced_in_both() -> None:
    key = samples.pem(random.Random(4))
    text = f"before\n{key}\nafter {_secret()} and the end"
    whole = redact(text).text
    for size in (7, 100, 333, 10_000):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        clean = redact_pieces(pieces)
        assert len(clean) == len(pieces)
        found = "".join(clean)
        assert key[200:260] not in found
        assert _secret()[8:20] not in found
        assert found.startswith("before\n[REDACTED:private-key:")
        assert found.endswith(" and the end")
    assert "".join(redact_pieces([text])) == whole
