"""The log holds a line per kind of defect and minute, whoever causes it how often."""

from __future__ import annotations

import io
import json
import logging
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contextd.launch import without_secrets
from contextd.runtime.daemon_log import BoundedLog, OncePerMinute, _Lines
from contextd_bench.secret_samples import fill


class Written:
    """A logger of its own, its lines, and a clock that stands still until it is moved."""

    def __init__(self, folder: Path) -> None:
        self.now = 0.0
        self._stream = io.StringIO()
        handler = BoundedLog(self._stream, folder / "log")
        handler.setFormatter(_Lines())
        handler.addFilter(OncePerMinute(lambda: self.now))
        self.logger = logging.Logger("test", logging.INFO)
        self.logger.addHandler(handler)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._stream.getvalue().splitlines()]


@pytest.fixture
def log(tmp_path: Path) -> Written:
    return Written(tmp_path)


def fail(log: Written, what: Callable[[], object], text: str = "%s failed") -> None:
    try:
        what()
    except Exception:
        log.logger.exception(text, "a call")


def divide() -> float:
    return 1 / 0


def test_one_traceback_a_minute_and_the_next_one_says_how_many_it_stands_for(log: Written) -> None:
    for number in range(1_000):
        log.now = number * 0.05
        fail(log, divide)
    log.now = 61.0
    fail(log, divide)
    first, second = log.lines()
    assert "repeated" not in first
    assert second["repeated"] == 999
    assert "ZeroDivisionError" in second["traceback"]


def test_another_defect_is_told_at_once(log: Written) -> None:
    fail(log, lambda: 1 // 0)
    fail(log, lambda: [][1])
    fail(log, lambda: 1 // 0, "%s failed elsewhere")
    assert len(log.lines()) == 3


def test_a_warning_passes_once_and_ten_different_ones_of_a_template_do(log: Written) -> None:
    for number in range(300):
        log.logger.warning("job %d failed", number % 30)
    assert [line["text"] for line in log.lines()] == [f"job {n} failed" for n in range(10)]


def test_log_lines_that_report_no_defect_always_pass(log: Written) -> None:
    for _ in range(20):
        log.logger.info("a call took long")
    assert len(log.lines()) == 20


def test_a_thousand_kinds_are_not_remembered_for_ever(log: Written) -> None:
    kept = OncePerMinute(lambda: 0.0)
    for number in range(1_000):
        record = logging.LogRecord("test", logging.ERROR, "", 0, f"text {number}", (), None)
        assert kept.filter(record)
    assert len(kept._kinds) <= 256


def test_no_line_of_the_log_holds_a_secret(tmp_path: Path) -> None:
    secret = fill("gh¦p_{A36}", random.Random(3))
    stream = io.StringIO()
    handler = BoundedLog(stream, tmp_path / "log")
    handler.setFormatter(_Lines(without_secrets))
    logger = logging.Logger("test", logging.INFO)
    logger.addHandler(handler)
    logger.warning("the password is hunter2-Stag1ng, the token %s", secret)
    try:
        raise ValueError(f"no branch {secret}")
    except ValueError:
        logger.exception("failed")
    logger.info("called with %s", secret)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert len(lines) == 3
    assert secret not in stream.getvalue()
    assert "hunter2" not in stream.getvalue()
    assert "[REDACTED:github-token:" in lines[1]["traceback"]
