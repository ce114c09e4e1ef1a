"""A daemon that is stopped or killed while a job runs: the job is done later, and none is used up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))

from homes import Home, has_ended, temporary_home, wait_for

from contextd.thin import client
from support.databases import open_database

STOPS = 6
"""More often than a job has attempts."""


def rows(home: Home, sql: str) -> list[Any]:
    """What stands in the database of a home."""
    connection = open_database(home.path / "orgs" / "local" / "contextd.db")
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def settle(home: Home, files: int) -> None:
    """Make the project of the home a repository with that many files, and a neighbour of it."""
    for root, count in ((home.project, files), (home.path / "blog", 3)):
        root.mkdir(exist_ok=True)
        for number in range(count):
            text = (
                f"def export_{number}(tenant):\n    '''Export number {number} of {root.name}.'''\n"
            )
            (root / f"export_{number}.py").write_text(text * 4)
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    client.call("init", home=home.path, cwd=str(home.path / "blog"))
    client.call("init", home=home.path, cwd=str(home.project))


def embedding(home: Home) -> bool:
    """Whether a job gives vectors at this moment."""
    found = rows(home, "SELECT 1 FROM jobs WHERE name = 'embed_pending' AND state = 'running'")
    return bool(found)


@pytest.mark.slow
def test_a_job_stopped_with_its_daemon_goes_on_later_and_no_attempt_is_used_up():
    with temporary_home() as home:
        home.start()
        settle(home, 300)
        for _ in range(STOPS):
            daemon = home.start()
            wait_for(lambda: embedding(home), "vectors are being made")
            os.kill(daemon, signal.SIGTERM)
            wait_for(partial(has_ended, daemon), "the daemon has ended")
            assert rows(home, "SELECT id FROM jobs WHERE state IN ('running', 'failed')") == []
            assert rows(home, "SELECT max(attempts) FROM jobs WHERE state = 'ready'") == [(0,)]
        assert home.log().count("was released") >= STOPS / 2
        assert home.log().count("Traceback") == 0


@pytest.mark.long
def test_a_job_whose_daemon_was_killed_is_done_by_the_next_one():
    with temporary_home() as home:
        daemon = home.start()
        settle(home, 60)
        wait_for(lambda: embedding(home), "vectors are being made")
        os.kill(daemon, signal.SIGKILL)
        wait_for(lambda: has_ended(daemon), "the daemon is dead")
        time.sleep(0.5)
        home.start()
        undone = "SELECT 1 FROM jobs WHERE state <> 'done'"
        wait_for(lambda: not rows(home, undone), "every job is done", 60)
        stats = client.call("status", home=home.path, cwd=str(home.project)).value
        assert (stats["pending"], stats["files"]) == (0, 60)
