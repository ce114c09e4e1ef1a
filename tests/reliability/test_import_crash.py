"""An import killed again and again: what is imported in the end is what one undisturbed import brings."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from contextd.runtime.runtime import SystemClock
from support.desks import Desk, opened
from support.repositories import committed

KILLS = int(os.environ.get("CONTEXTD_KILLS", "50"))
"""How often it is killed."""

_FILES, _LINES = 40, 24
_SEED = 7

_IMPORT = """
import sys
from pathlib import Path
from contextd.runtime.runtime import SystemClock
from support.desks import Desk, opened
home, root, folder = sys.argv[1:]
host = opened(Path(home), SystemClock(), embedder_name="none")
print("begun", flush=True)
Desk(host, Path(root), surface="cli")("import", path=folder)
host.close()
"""


def write_transcripts(folder: Path, cwd: Path) -> None:
    folder.mkdir()
    for number in range(_FILES):
        session = str(uuid.UUID(int=number))
        lines = [
            {
                "type": "user" if turn % 2 == 0 else "assistant",
                "uuid": str(uuid.UUID(int=1_000 * (number + 1) + turn)),
                "sessionId": session,
                "cwd": str(cwd),
                "timestamp": f"2026-11-20T10:{turn:02}:00Z",
                "isSidechain": False,
                "message": {
                    "role": "user" if turn % 2 == 0 else "assistant",
                    "content": f"Turn {turn} of talk {number} is about invoice {number * 100 + turn}.",
                },
            }
            for turn in range(_LINES)
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{session}.jsonl").write_text(text)


def start(home: Path, root: Path, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _IMPORT, str(home), str(root), str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def finish(home: Path, root: Path, folder: Path) -> None:
    with start(home, root, folder) as child:
        assert child.wait(600) == 0


def brought(home: Path, root: Path) -> Counter[tuple[str, str, datetime, str]]:
    """Every event of every session, by what it says."""
    host = opened(home, SystemClock(), embedder_name="none")
    try:
        desk = Desk(host, root, surface="cli")
        runtime = desk.runtime()
        sessions = runtime.view.sessions.find(frozenset({runtime.scope}), limit=1_000)
        problems = [text for one in desk.upkeep.balance() for text in one.problems]
        assert problems == []
        return Counter(
            (session.external_id, event.key, event.at.astimezone(UTC), event.text)
            for session in sessions
            for event in runtime.view.sessions.events(session.id)
        )
    finally:
        host.close()


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_an_import_killed_again_and_again_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    root, neighbour = tmp_path / "shop", tmp_path / "bakery"
    chance = random.Random(_SEED)
    homes = {name: tmp_path / name for name in ("undisturbed", "killed")}
    write_transcripts(tmp_path / "transcripts", root)
    for folder in (root, neighbour):
        # Repositories that begin with the same commit are one project.
        committed(folder, {f"{folder.name}.py": "A = 1\n"})
    for home in homes.values():
        host = opened(home, SystemClock(), embedder_name="none")
        for folder in (root, neighbour):
            Desk(host, folder, surface="cli")("init")
        host.close()
    began = time.monotonic()
    finish(homes["undisturbed"], root, tmp_path / "transcripts")
    took = time.monotonic() - began
    ended = 0
    for _ in range(KILLS):
        child = start(homes["killed"], root, tmp_path / "transcripts")
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        # Most of an import is already there after the first few: it is killed early rather than late.
        time.sleep(took * chance.random() ** 2)
        child.send_signal(signal.SIGKILL)
        ended += child.wait(60) == 0
        child.stdout.close()
    assert ended < KILLS, "no import was killed under way"
    finish(homes["killed"], root, tmp_path / "transcripts")
    whole = brought(homes["undisturbed"], root)
    assert len(whole) == whole.total() >= _FILES * _LINES
    assert brought(homes["killed"], root) == whole
    assert not brought(homes["killed"], neighbour)
