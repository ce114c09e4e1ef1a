"""A full disk is named as such, also where SQLite calls it an I/O error."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

from contextd.stores.connection import translated
from contextd_common.errors import Unavailable


@pytest.mark.parametrize(("free", "said"), [(0, "the disk is full"), (1 << 30, "cannot be read")])
def test_an_io_error_without_space_is_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, said: str
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(Unavailable, match=said), translated(tmp_path / "contextd.db"):
        raise apsw.IOError("disk I/O error")
