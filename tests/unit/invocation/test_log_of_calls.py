"""What stands in the log, and how large it grows."""

from __future__ import annotations

import io
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from contextd.runtime import daemon_log
from contextd.runtime.daemon_log import BoundedLog
from contextd.surfaces.cli.daemon import told_by_log
from contextd_common.errors import ContextdError
from support.desks import Desk

WORDS = "Refunds are written before the provider is asked"


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.INFO, "contextd"):
        yield caplog


def test_each_call_says_what_whose_and_how_long_and_never_what_was_said(
    desk: Desk, told: pytest.LogCaptureFixture
) -> None:
    desk("save_context", content=WORDS)
    with pytest.raises(ContextdError):
        desk("memory_feedback", id=WORDS, success=True)
    said, failed = [one for one in told.messages if " from mcp test-client" in one]
    assert said.startswith(f"save_context from mcp test-client in {desk.scope}: done in ")
    assert failed.startswith(f"memory_feedback from mcp test-client in {desk.scope}: failed (")
    assert WORDS not in told.text


def test_an_import_says_its_counts_and_a_session_that_it_was_learned_from(
    desk: Desk, told: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    notes = tmp_path / "CLAUDE.md"
    notes.write_text(f"# Rules\n\n- {WORDS}\n")
    desk.as_owner("import", path=str(notes))
    agent = desk.connected("window")
    agent("session_start", task_description="Write refunds")
    agent("session_end", outcome="success")
    desk.host.work_off()
    (imported,) = [one for one in told.messages if one.startswith("import ") and " into " in one]
    assert f"into {desk.scope}: 1 read, 1 new" in imported
    learned = [one for one in told.messages if one.startswith("job learn_session done in ")]
    assert any(f" in {desk.scope}, session " in one for one in learned)
    assert WORDS not in told.text


def test_a_full_log_is_set_aside_once_and_a_new_one_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon_log, "LOG_LIMIT", 1_000)
    path = tmp_path / "daemon.log"
    with path.open("a") as stream:
        log = BoundedLog(stream, path)
        for number in range(100):
            log.emit(logging.makeLogRecord({"msg": f"{number:03d} " + "x" * 95}))
        # What Python writes by itself, such as a crash, goes where the lines go.
        os.write(stream.fileno(), b"the end\n")
    kept = sorted(tmp_path.iterdir())
    assert [one.name for one in kept] == ["daemon.log", "daemon.log.1"]
    assert all(one.stat().st_size <= 1_200 for one in kept)
    assert path.read_text().endswith("the end\n")
    whole = (kept[1].read_text() + kept[0].read_text()).splitlines()
    numbers = [int(line[:3]) for line in whole[:-1]]
    assert numbers == list(range(numbers[0], 100))


def test_a_stream_that_is_not_the_log_is_never_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon_log, "LOG_LIMIT", 10)
    path = tmp_path / "daemon.log"
    path.write_text("x" * 50)
    with (tmp_path / "other").open("a") as other:
        BoundedLog(other, path).emit(logging.makeLogRecord({"msg": "x" * 50}))
    shown = io.StringIO()
    BoundedLog(shown, path).emit(logging.makeLogRecord({"msg": "y" * 50}))
    assert shown.getvalue() == "y" * 50 + "\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["daemon.log", "other"]


def test_a_person_reads_lines_without_the_braces() -> None:
    entry = {"at": "2026-11-22 16:00:00", "level": "INFO", "from": "x", "text": "stopped"}
    assert told_by_log(json.dumps(entry)) == "2026-11-22 16:00:00 stopped"
    worse = {**entry, "level": "ERROR", "traceback": "Traceback\n  in f"}
    assert told_by_log(json.dumps(worse)) == "2026-11-22 16:00:00 error: stopped\nTraceback\n  in f"
    forged = told_by_log(json.dumps({**entry, "text": "call from x\n2026-11-22 16:00:01 stopped"}))
    assert forged.splitlines()[1] == "> 2026-11-22 16:00:01 stopped"
    for odd in ("Fatal Python error: Segmentation fault", "[1]", '"x"', '{"at": 1}'):
        assert told_by_log(odd) == odd
