"""The key of redaction and the name of the machine, kept in small files."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from contextd.app import Host
from contextd.app.files import kept_bytes
from contextd.runtime.settings import load_settings


def test_a_kept_key_is_made_once_and_readable_only_by_its_owner(tmp_path: Path) -> None:
    first = kept_bytes(tmp_path / "key", 32)
    assert len(first) == 32
    assert kept_bytes(tmp_path / "key", 32) == first
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("left", [b"", b"short"])
def test_a_file_that_was_emptied_is_made_anew_and_the_log_says_so(
    tmp_path: Path, left: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "key").write_bytes(left)
    with caplog.at_level(logging.WARNING):
        made = kept_bytes(tmp_path / "key", 32)
    assert len(made) == 32
    assert kept_bytes(tmp_path / "key", 32) == made
    assert "was created again" in caplog.text
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_a_home_keeps_the_key_and_the_place_it_was_made_with(tmp_path: Path) -> None:
    kept = {"redaction.key": b"k" * 32, "place": b"p" * 8}
    for name, content in kept.items():
        (tmp_path / name).write_bytes(content)
    Host.open(load_settings(home=tmp_path, flags={"embedder.name": "none"}), work=False).close()
    assert {name: (tmp_path / name).read_bytes() for name in kept} == kept
