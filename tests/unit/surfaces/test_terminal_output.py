"""Nothing a stranger wrote steers the terminal of whoever reads it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from contextd.domain.invisible_characters import visible_json, visible_text
from contextd.surfaces.cli.output import Console
from contextd.surfaces.cli.show import log
from contextd.thin.client import Reply
from contextd_common.errors import Invalid
from support.forgeries import FORGERIES, escapes

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


@pytest.mark.parametrize("forgery", FORGERIES.values())
def test_an_entry_of_the_log_is_one_line_whatever_it_says(monkeypatch, forgery):
    row = {
        "title": forgery,
        "content": "",
        "status": "active",
        "updated_at": "2026-11-22T16:00:00Z",
    }
    row |= {"label": "note", "id": "1a2b3c4d", "source": forgery, "tags": []}
    session = {"status": "ended", "outcome": "", "minutes": 1, "files": 0, "learned": 0}
    session |= {"started_at": row["updated_at"], "id": "5e6f", "task": forgery, "client": forgery}
    listed = {"records": [row], "sessions": [session]}
    monkeypatch.setattr("contextd.surfaces.cli.show.ask", lambda *_, **__: Reply(listed, ""))

    printed = CliRunner().invoke(log, standalone_mode=False).output

    assert escapes(printed) == []
    assert len(printed.splitlines()) == 3


@pytest.mark.parametrize("terminal", [True, False])
def test_text_is_harmless_on_a_terminal_and_in_a_pipe(capsys, monkeypatch, terminal):
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    Console(as_json=False).show(Reply(None, f"one {STEERING}\ntwo"))
    out = capsys.readouterr().out
    assert unseen(out) == []
    assert out.splitlines()[-1] == "two"
