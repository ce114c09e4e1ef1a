"""A home that was made for all to read is closed when it is opened; what is not ours stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contextd.app import Host
from contextd.runtime.settings import load_settings
from contextd.thin.home import close_to_others

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_opening_a_home_that_others_could_read_closes_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    Host.open(load_settings(home=home, flags={"embedder.name": "none"}), work=False).close()
    assert mode(home) == 0o700


def test_a_directory_that_holds_something_else_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "Documents").mkdir()
    tmp_path.chmod(0o755)
    close_to_others(tmp_path)
    assert mode(tmp_path) == 0o755


def test_a_link_to_a_home_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs").chmod(0o755)
    (tmp_path / "home").symlink_to(tmp_path / "theirs")
    close_to_others(tmp_path / "home")
    assert mode(tmp_path / "theirs") == 0o755
