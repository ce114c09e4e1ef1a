"""How long a hook waits: what the user set, else the daemon's setting, and longer where clients wait longer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contextd.thin.home import PlainPath, endpoint_path
from contextd.thin.hook import time_limit

CLIENTS_WAIT = 5.0
"""Seconds that our installer allows a hook at the start of a session."""


@pytest.mark.parametrize(
    ("event", "published", "chosen", "seconds"),
    [
        ("UserPromptSubmit", None, "", 1.0),
        ("SessionStart", None, "", 4.5),
        ("Stop", None, "", 4.5),
        ("UserPromptSubmit", 2_000, "", 2.0),
        ("SessionStart", 2_000, "", 4.5),
        ("UserPromptSubmit", "soon", "", 1.0),
        ("UserPromptSubmit", True, "", 1.0),
        ("UserPromptSubmit", -1, "", 1.0),
        ("UserPromptSubmit", 2_000, "100", 0.1),
        ("SessionStart", None, "100", 0.1),
        ("SessionStart", None, "99999999999", 600.0),
        ("SessionStart", None, "never", 4.5),
    ],
)
def test_a_hook_waits_as_long_as_its_user_and_its_client_do(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    event: str,
    published: object,
    chosen: str,
    seconds: float,
) -> None:
    monkeypatch.setenv("CONTEXTD_HOOKS_DEADLINE_MS", chosen)
    facts = {"port": 1, "pid": 1, **({} if published is None else {"hooks_deadline_ms": published})}
    endpoint_path(tmp_path).write_text(json.dumps(facts))
    assert time_limit(PlainPath(str(tmp_path)), event) == seconds
    assert chosen or seconds < CLIENTS_WAIT
