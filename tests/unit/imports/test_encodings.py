"""What a person's file says, whatever it was saved as."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from contextd.imports.foreign.safe_reading import text_of
from contextd_common.errors import Invalid
from contextd_common.text.encodings import takes_ascii, text_in

SAID = "# Über mich\n\n- Antworte knapp, ohne „Füllwörter“ – 10 € sind 10 €.\n" * 3


@pytest.mark.parametrize(
    "saved",
    [
        SAID.encode(),
        codecs.BOM_UTF8 + SAID.encode(),
        codecs.BOM_UTF16_LE + SAID.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + SAID.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + SAID.encode("utf-32-le"),
        SAID.encode("utf-16-le"),
        SAID.encode("utf-16-be"),
        SAID.encode("cp1252"),
    ],
)
def test_every_usual_encoding_is_read(saved, tmp_path):
    assert text_in(saved) == SAID
    (tmp_path / "CLAUDE.md").write_bytes(saved)
    assert text_of(tmp_path / "CLAUDE.md") == SAID


@pytest.mark.parametrize(
    "content",
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 40, b"\0" * 300, bytes(range(256)) * 4, b"\x01\x02"],
)
def test_binary_files_are_refused_as_text(content: bytes, tmp_path: Path) -> None:
    assert text_in(content) is None
    (tmp_path / "CLAUDE.md").write_bytes(content)
    with pytest.raises(Invalid, match="not a readable text file"):
        text_of(tmp_path / "CLAUDE.md")
    assert not takes_ascii(b"\0" + content)


def test_a_character_cut_in_two_and_a_broken_byte_leave_the_rest_readable() -> None:
    greeting = "Grüße an Zoë, Jürgen und André"
    assert text_in(greeting.encode() + "ß".encode()[:1]) == greeting
    assert text_in(greeting.encode() + b"\xff!") == f"{greeting}\ufffd!"
    assert text_in(b"") == ""
