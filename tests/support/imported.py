"""A person with files of other programs, and what an import of them brought."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record
from support.desks import Desk


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of somebody who used Claude Code before."""
    home = tmp_path / "person"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("CLAUDE_CONFIG_DIR", "MEMORY_FILE_PATH"):
        monkeypatch.delenv(name, raising=False)
    return home


def everything(desk: Desk) -> list[Record]:
    """The records of a project, without those of its imports."""
    query = Query(scopes=frozenset({desk.scope}), statuses=STATUSES, limit=500)
    return [one for one in desk.view.records.find(query).records if one.kind != "import"]


def counts(report: Mapping[str, Any]) -> tuple[int, ...]:
    """How many were read, new, updated, duplicates and junk."""
    return tuple(report[name] for name in ("read", "new", "updated", "duplicate", "junk"))


def written(desk: Desk, name: str, front: str, rule: str) -> None:
    """Write an instruction file with its front matter and one rule."""
    path = desk.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{front}\n- {rule}.\n")
