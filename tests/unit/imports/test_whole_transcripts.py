"""All that is read of a session, by the client that wrote it down: facts, counts and every event."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from contextd.imports.importers import ImportBatch, importer_for
from support.transcripts import SESSION, WRITERS, cline_task

EVERY = {**WRITERS, "cline-task": cline_task}
READ: dict[str, list[str]] = yaml.safe_load(
    (Path(__file__).parents[2] / "fixtures" / "transcripts" / "read.yaml").read_text("utf-8")
)
_WRITTEN = 1_775_548_800
"""When a file was written that names no times."""


def plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def lines(batch: ImportBatch, folder: Path) -> list[str]:
    """A line of facts, one of counts, and one for each event."""
    assert batch.started is not None
    assert batch.ended is not None
    facts = [batch.cwd, batch.branch, batch.entrypoint, batch.title, batch.parent]
    found = [
        f"{batch.external_id} {batch.started:%H:%M:%S}-{batch.ended:%H:%M:%S} {plain(facts)}",
        f"{plain(batch.counts)} {plain(batch.usage)}",
        *(f"{e.at:%H:%M:%S} {e.type} {e.role} {e.text!r} {plain(e.data)}" for e in batch.events),
    ]
    return [line.replace(str(folder), "HERE") for line in found]


def read(name: str, folder: Path) -> list[str]:
    path = EVERY[name](folder)
    if path.is_file():
        os.utime(path, (_WRITTEN, _WRITTEN))
    reader = importer_for(path)
    ids = [one.id for one in reader.sessions(path)]
    return lines(reader.read(path, session=SESSION if SESSION in ids else ids[-1]), folder)


@pytest.mark.parametrize("name", EVERY)
def test_a_session_is_read_whole(name: str, tmp_path: Path) -> None:
    assert read(name, tmp_path) == READ[name]
