"""The sample session that a demo imports, adapted to the repository."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from importlib import resources

from contextd.domain.time import iso

_PLACE = re.compile(r"\{\{(\w+)(?::(\d+))?\}\}")
_FILES = ("src/sync.py", "src/settings.py", "tests/test_sync.py")


def sample_session(
    *,
    cwd: str,
    session: str,
    start: datetime,
    files: Sequence[str] = (),
    branch: str = "main",
) -> str:
    """A Claude Code transcript of about eight minutes that began at `start`.

    `files` are up to three paths of the repository, relative to `cwd`; invented ones replace missing ones.
    """
    first, second, third = (*files[:3], *_FILES[len(files[:3]) :])
    values = {
        "cwd": cwd.rstrip("/\\"),
        "session": session,
        "branch": branch,
        "file1": first,
        "file2": second,
        "file3": third,
        "test": "pytest -q",
    }

    def fill(match: re.Match[str]) -> str:
        if match[2]:
            return iso(start + timedelta(seconds=int(match[2])))
        return json.dumps(values[match[1]])[1:-1]

    text = resources.files("contextd").joinpath("data/demo/sample-session.jsonl").read_text("utf-8")
    return _PLACE.sub(fill, text)
