"""A home whose database is gone, with real processes: nobody is told that nothing is known."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from homes import Home, has_ended, temporary_home, wait_for

EVENT = {"hook_event_name": "SessionStart", "session_id": "s", "source": "startup"}
TITLE = "Renew tokens a minute early"


def store_of(home: Home) -> Path:
    return home.path / "orgs" / "local" / "contextd.db"


def stop(home: Home) -> None:
    home.run("daemon", "stop")
    wait_for(lambda: not home.daemons(), "the daemon ended")


def remembers(home: Home) -> bool:
    return TITLE in home.run("memory-search", "renew tokens").stdout


@pytest.fixture(scope="module")
def made() -> Iterator[Home]:
    """A home with one memory, a backup that has it, and no daemon."""
    with temporary_home() as home:
        home.environment["CONTEXTD_EMBEDDER_NAME"] = "none"
        home.settle()
        assert (
            home.run("memory-record", TITLE, "so that none expires", "x", "success").returncode == 0
        )
        assert home.run("backup", "--path", str(home.path / "backups" / "kept.db")).returncode == 0
        stop(home)
        yield home


@pytest.fixture
def backed_up(made: Home, tmp_path: Path) -> Iterator[Home]:
    """That home for one test, which may do with it what it likes."""
    kept = shutil.copytree(made.path, tmp_path / "kept")
    yield made
    made.clear()
    shutil.copytree(kept, made.path)


def remove(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    os.truncate(path, 0)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


DAMAGE = {remove: "is missing", empty: "is empty", cut: "is damaged"}


@pytest.mark.long
@pytest.mark.parametrize(
    "damage",
    [remove, empty, pytest.param(cut, marks=pytest.mark.slow)],
    ids=lambda damage: damage.__name__,
)
def test_every_command_says_what_is_lost_and_how_to_go_on(
    backed_up: Home, damage: Callable[[Path], None]
) -> None:
    damage(store_of(backed_up))
    for command in (
        ["doctor"], ["status"], ["memory-search", "tokens"], ["init"], ["daemon", "start"],
    ):  # fmt: skip
        done = backed_up.run(*command)
        assert done.returncode == 1, command
        assert f"corrupt: {store_of(backed_up)} {DAMAGE[damage]}" in done.stderr, command
        assert f"`contextd store restore {backed_up.path}/backups/kept.db`" in done.stderr, command
        assert "`contextd store restore --fresh`" in done.stderr, command
    assert DAMAGE[damage] in backed_up.run("daemon", "status").stdout
    assert store_of(backed_up).exists() is (damage is not remove)


def texts_of(log: str) -> list[str]:
    return [json.loads(line)["text"] for line in log.splitlines()]


@pytest.mark.long
@pytest.mark.parametrize(
    "damage",
    [remove, pytest.param(cut, marks=pytest.mark.slow)],
    ids=lambda damage: damage.__name__,
)
def test_hooks_fail_open_and_their_events_wait_until_the_store_is_back(
    backed_up: Home, damage: Callable[[Path], None]
) -> None:
    damage(store_of(backed_up))
    backed_up.run("daemon", "start")
    (daemon,) = backed_up.daemons()
    hook = backed_up.run("hook", "--client", "claude-code", stdin=json.dumps(EVENT))
    # What lay ready from before is better than nothing, and older than the loss.
    assert (hook.returncode, TITLE in hook.stdout) == (0, True)
    wait_for(lambda: "the spool waits" in backed_up.log(), "the daemon tried to take it in")
    before = texts_of(backed_up.log())
    # One round more, which comes after five seconds: it is tried again and not told again.
    time.sleep(6)
    assert backed_up.daemons() == [daemon]
    assert backed_up.log().count("the spool waits") == 1
    assert "Traceback" not in backed_up.log()
    repeated = set(texts_of(backed_up.log())[len(before) :]) & set(before)
    assert repeated == set()
    assert list(backed_up.path.glob("spool*"))
    assert backed_up.run("restore", str(backed_up.path / "backups" / "kept.db")).returncode == 0
    assert remembers(backed_up)
    wait_for(lambda: not list(backed_up.path.glob("spool*")), "the event was taken in")
    assert "claude-code" in backed_up.run("list-sessions").stdout


@pytest.mark.long
def test_it_is_begun_anew_on_request_and_what_was_there_is_kept(backed_up: Home) -> None:
    empty(store_of(backed_up))
    assert not remembers(backed_up)
    begun = backed_up.run("restore", "--fresh")
    assert begun.returncode == 0
    assert "created an empty store" in begun.stdout
    assert "no text has these words" in backed_up.run("memory-search", "renew tokens").stdout
    assert (backed_up.path / "backups" / "kept.db").exists()
    assert store_of(backed_up).with_suffix(".before-restore-1.db").stat().st_size == 0
    assert "✓ store" in backed_up.run("doctor").stdout
    # The canary of doctor was written and deleted since.
    backup = str(backed_up.path / "backups" / "kept.db")
    assert backed_up.run("restore", backup, "--yes").returncode == 0
    assert remembers(backed_up)


@pytest.mark.long
def test_a_whole_store_is_kept_when_one_begins_anew(backed_up: Home) -> None:
    refused = backed_up.run("restore", "--fresh")
    assert refused.returncode != 0
    assert "`--yes` sets them aside" in refused.stderr
    assert remembers(backed_up)
    begun = json.loads(backed_up.run("restore", "--fresh", "--yes", "--json").stdout)
    assert begun["changes_set_aside"] > 0
    assert not remembers(backed_up)
    assert backed_up.run("restore", begun["kept"]).returncode == 0
    assert remembers(backed_up)


def test_restoring_wants_a_backup_or_a_new_beginning_and_not_both(backed_up: Home) -> None:
    backup = str(backed_up.path / "backups" / "kept.db")
    assert backed_up.run("restore").returncode == 2
    assert backed_up.run("restore", backup, "--fresh").returncode == 2
    assert remembers(backed_up)


@pytest.mark.long
def test_the_log_of_a_lost_store_does_not_get_into_the_restored_one(backed_up: Home) -> None:
    backed_up.run("memory-record", "Later", "written after the backup", "x", "success")
    (daemon,) = backed_up.daemons()
    os.kill(daemon, signal.SIGKILL)
    wait_for(lambda: has_ended(daemon), "the daemon is dead")
    log = store_of(backed_up).with_name("contextd.db-wal")
    left = log.read_bytes()
    assert left
    remove(store_of(backed_up))
    assert backed_up.run("status").returncode == 1
    assert log.read_bytes() == left
    assert backed_up.run("restore", str(backed_up.path / "backups" / "kept.db")).returncode == 0
    assert remembers(backed_up)
    assert "✓ store" in backed_up.run("doctor").stdout
    assert store_of(backed_up).with_name("contextd.before-restore-1.db-wal").read_bytes() == left


def test_a_store_deleted_under_a_running_daemon_is_told_and_the_daemon_can_be_stopped(
    backed_up: Home,
) -> None:
    assert remembers(backed_up)
    remove(store_of(backed_up))
    lost = backed_up.run("memory-record", "Lost", "goes nowhere", "x", "success")
    assert lost.returncode == 1
    assert "deleted or replaced while it was open" in lost.stderr
    assert "contextd daemon stop" in lost.stderr
    assert "✗ store" in backed_up.run("doctor").stdout
    hook = backed_up.run("hook", "--client", "claude-code", stdin=json.dumps(EVENT))
    assert hook.returncode == 0
    shown = json.loads(hook.stdout)
    assert list(shown) == ["systemMessage"]
    assert "not recording for now" in shown["systemMessage"]
    assert "deleted or replaced while it was open" in shown["systemMessage"]
    assert list(backed_up.path.glob("spool*"))
    stop(backed_up)
    assert "Traceback" not in backed_up.log()
    assert "is missing" in backed_up.run("status").stderr
