"""What outlives a process is tested on the disk, where a home is, and not in memory as other tests."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.files_in_memory import folder_on_disk


@pytest.fixture(autouse=True)
def tmp_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the disk, where homes are made too."""
    with folder_on_disk() as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield Path(folder)
