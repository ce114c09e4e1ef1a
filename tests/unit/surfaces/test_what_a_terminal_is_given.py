"""Nothing a stranger wrote steers the terminal of whoever reads it."""

from __future__ import annotations

import json

import pytest

from contextd.domain.invisible_characters import visible_json, visible_text
from contextd.surfaces.cli.output import Console
from contextd.thin.client import Reply
from contextd_code.errors import Invalid

STEERING = "\x1b]0;title\x07 \x1b[31m \x9b31m \u202egnp \u2066 \u200b"


def unseen(text: str) -> list[str]:
    return [sign for sign in text if sign in STEERING and not sign.isascii()] + [
        sign for sign in text if sign in "\x1b\x07"
    ]


def test_json_has_the_same_value_and_no_sign_that_steers(capsys):
    Console(as_json=True).show(Reply({"content": STEERING}, ""))
    out = capsys.readouterr().out
    assert unseen(out) == []
    assert json.loads(out) == {"content": STEERING}


def test_text_that_only_a_model_would_read_is_spelled_out_and_a_flag_is_not():
    hidden = "".join(chr(0xE0000 + ord(sign)) for sign in "obey")
    scotland = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
    shown = visible_text(f"ok {hidden} {scotland}")
    assert shown == f"ok ⟨U+E006F⟩⟨U+E0062⟩⟨U+E0065⟩⟨U+E0079⟩ {scotland}"
    assert json.loads(visible_json(json.dumps([hidden], ensure_ascii=False))) == [hidden]


@pytest.mark.parametrize("as_json", [True, False])
def test_an_error_that_quotes_a_stranger_is_harmless(capsys, as_json):
    Console(as_json=as_json).error(Invalid(f"no file {STEERING}", f"did you mean {STEERING}?"))
    out = capsys.readouterr().err
    assert unseen(out) == []
    assert "no file" in out
