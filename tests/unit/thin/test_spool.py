"""The spool: every event at least once, whoever writes and reads at the same time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree

import pytest

from contextd.thin import hook, spool
from contextd.thin.home import second_places, spool_path


def write_many(home: str, writer: int, count: int) -> None:
    for number in range(count):
        spool.leave(Path(home), {"key": f"{writer}-{number}", "text": "x" * 5000})


def test_spooled_events_are_taken_in_order_and_once(tmp_path: Path) -> None:
    for number in range(3):
        spool.leave(tmp_path, {"n": number})
    (batch,) = spool.take(tmp_path)
    assert [entry["n"] for entry in spool.read(batch)] == [0, 1, 2]
    batch.unlink()
    assert spool.take(tmp_path) == []


def test_a_batch_that_was_not_finished_comes_again_before_newer_ones(tmp_path: Path) -> None:
    spool.leave(tmp_path, {"n": 1})
    (first,) = spool.take(tmp_path)
    spool.leave(tmp_path, {"n": 2})
    again = spool.take(tmp_path)
    assert again[0] == first
    assert [entry["n"] for batch in again for entry in spool.read(batch)] == [1, 2]


def test_damaged_lines_are_left_out(tmp_path: Path) -> None:
    spool.leave(tmp_path, {"n": 1})
    with spool_path(tmp_path).open("ab") as file:
        file.write(b'{"n":\n[1]\n\xff\xfe\n')
    spool.leave(tmp_path, {"n": 2})
    (batch,) = spool.take(tmp_path)
    assert [entry["n"] for entry in spool.read(batch)] == [1, 2]


LIMITED = """
import resource, sys
from pathlib import Path
from contextd.thin import spool

home = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
spool.leave(home, {"n": 2, "text": "x" * 500})
"""
"""An event that is left while the file of the spool can grow by some bytes only, as on a disk that fills up."""


@pytest.fixture
def crowded(tmp_path: Path) -> Iterator[Path]:
    """A home whose events may go to other places."""
    yield tmp_path
    for place in second_places(tmp_path):
        rmtree(place, ignore_errors=True)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_an_event_that_a_full_disk_cuts_off_spoils_no_other(crowded: Path) -> None:
    spool.leave(crowded, {"n": 1, "text": "x" * 600})
    before = spool_path(crowded).read_bytes()
    command = [sys.executable, "-c", LIMITED, str(crowded), str(len(before) + 100)]
    subprocess.run(command, check=True, timeout=60)
    assert spool_path(crowded).read_bytes() == before
    spool.leave(crowded, {"n": 3})
    assert sorted(events(crowded), key=str) == [1, 2, 3]


def test_writers_and_a_reader_at_once_lose_and_tear_nothing(tmp_path: Path) -> None:
    spawn = get_context("spawn")
    writers = [spawn.Process(target=write_many, args=(str(tmp_path), n, 60)) for n in range(3)]
    for writer in writers:
        writer.start()
    seen: list[str] = []

    def collect() -> None:
        for batch in spool.take(tmp_path):
            seen.extend(entry["key"] for entry in spool.read(batch))
            batch.unlink()

    while any(writer.is_alive() for writer in writers):
        collect()
    for writer in writers:
        writer.join()
        writer.close()
    collect()
    assert sorted(seen) == sorted(f"{w}-{n}" for w in range(3) for n in range(60))


def test_an_event_never_goes_into_a_batch_that_was_moved_while_it_came(
    tmp_path: Path, monkeypatch
) -> None:
    spool.leave(tmp_path, {"n": 1})
    lock = spool._lock
    moved: list[Path] = []

    def lock_after_a_reader(fd: int) -> None:
        if not moved:
            moved.extend([tmp_path / "read already"])
            spool_path(tmp_path).rename(moved[0])
        lock(fd)

    monkeypatch.setattr(spool, "_lock", lock_after_a_reader)
    spool.leave(tmp_path, {"n": 2})
    assert [entry["n"] for entry in spool.read(moved[0])] == [1]
    assert [entry["n"] for entry in spool.read(spool_path(tmp_path))] == [2]


def test_it_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    spool.leave(tmp_path / "home", {})
    assert spool_path(tmp_path / "home").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700


def test_events_before_a_tool_runs_are_not_spooled(tmp_path: Path) -> None:
    from contextd.thin.hook import _leave

    _leave(tmp_path, "/somewhere", {"event": "PreToolUse", "payload": {"tool_input": {}}})
    assert list(tmp_path.iterdir()) == []
    _leave(tmp_path, "/somewhere", {"event": "Stop", "payload": {}})
    assert list(tmp_path.iterdir()) != []


@pytest.fixture
def unwritable(tmp_path: Path) -> Iterator[Path]:
    """A home that nobody can write, not even root: there is a file above it."""
    (tmp_path / "file").write_text("", "utf-8")
    home = tmp_path / "file" / "home"
    yield home
    for place in second_places(home):
        place.unlink() if place.is_symlink() else rmtree(place, ignore_errors=True)


def events(home: Path) -> list[object]:
    return [entry["n"] for batch in spool.take(home) for entry in spool.read(batch)]


def test_an_event_that_the_home_cannot_take_waits_in_a_private_directory(unwritable: Path) -> None:
    spool.leave(unwritable, {"n": 1})
    spool.leave(unwritable, {"n": 2})
    place = next(place for place in second_places(unwritable) if place.exists())
    assert place.stat().st_mode & 0o777 == 0o700
    assert spool.is_waiting(unwritable)
    assert events(unwritable) == [1, 2]


def test_a_directory_that_somebody_else_prepared_is_neither_written_nor_believed(
    unwritable: Path, tmp_path: Path
) -> None:
    (tmp_path / "theirs").mkdir()
    spool_path(tmp_path / "theirs").write_text('{"n": 1}\n', "utf-8")
    places = second_places(unwritable)
    for place in places:
        place.symlink_to(tmp_path / "theirs")
    assert events(unwritable) == []
    with pytest.raises(NotADirectoryError):
        spool.leave(unwritable, {"n": 2})
    assert spool_path(tmp_path / "theirs").read_text("utf-8") == '{"n": 1}\n'


def test_an_event_that_no_place_can_store_is_reported_to_the_user(
    unwritable: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for place in second_places(unwritable):
        place.symlink_to(tmp_path)
    monkeypatch.setenv("CONTEXTD_HOME", str(unwritable))
    monkeypatch.setattr(hook, "_payload", lambda _: {"hook_event_name": "UserPromptSubmit"})
    assert hook.main() == 0
    shown = capsys.readouterr()
    assert "contextd: UserPromptSubmit was not recorded" in json.loads(shown.out)["systemMessage"]
    assert "event lost" in shown.err


def test_unknown_events_are_kept_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "MOST_UNKNOWN", 100)
    for number in range(9):
        spool.keep_unknown(tmp_path, {"number": number, "text": "x" * 20})
    spool.take_unknown(tmp_path)
    [batch] = spool.take(tmp_path)
    assert [entry["number"] for entry in spool.read(batch)] == [0, 1]
    assert batch.stat().st_size <= 100
