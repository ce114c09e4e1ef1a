from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from contextd_code.git import history
from contextd_code.git.history import FADING, NOTHING, CommitLog, past, unknowable


def commit(root: Path, subject: str, *names: str) -> None:
    for name in names:
        file = root / name
        file.write_text((file.read_text() if file.exists() else "") + subject + "\n")
    run(root, "add", "-A")
    run(root, "commit", "-q", "--allow-empty", "-m", subject)


def run(root: Path, *arguments: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    subprocess.run(["git", "-C", str(root), *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    run(folder, "init", "-q", "-b", "main")
    commit(folder, "Start", "a.py", "b.py", "c.py")
    commit(folder, "Retry the upload when the line drops", "a.py")
    commit(folder, "Count the stock at night", "b.py")
    return folder


def read(root: Path, known: CommitLog = NOTHING) -> CommitLog:
    found = past(root, known, patience=10.0)
    assert found is not None
    return found


def test_a_commit_like_the_question_speaks_for_its_files(root: Path) -> None:
    amount, subject = read(root).alike("upload: retry once more")["a.py"]
    assert 0 < amount <= 1
    assert subject == "Retry the upload when the line drops"
    assert "b.py" not in read(root).alike("upload: retry once more")
    assert read(root).alike("something else entirely") == {}


def test_later_changes_count_more(root: Path) -> None:
    recent = read(root).recent
    assert recent["b.py"] == pytest.approx(1 + FADING**2 / 3**0.5)
    assert recent["b.py"] > recent["a.py"] > recent["c.py"]


def test_new_commits_are_added_to_what_is_known(root: Path) -> None:
    before = read(root)
    commit(root, "Name the parcel", "c.py")
    after = read(root, before)
    assert [one.subject for one in after.commits] == [
        "Name the parcel",
        *(one.subject for one in before.commits),
    ]


def test_another_branch_has_its_own_past(root: Path) -> None:
    main = read(root)
    run(root, "checkout", "-q", "-b", "side", "HEAD~1")
    commit(root, "Paint the door", "c.py")
    assert [one.subject for one in read(root, main).commits] == [
        "Paint the door", "Retry the upload when the line drops", "Start",
    ]  # fmt: skip


def test_a_commit_about_everything_says_nothing(root: Path) -> None:
    commit(root, "Format the world", *(f"{n}.py" for n in range(history.MOST_FILES + 1)))
    assert read(root).alike("format the world") == {}


def test_without_commits_or_without_git_there_is_no_past(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    run(empty, "init", "-q")
    assert read(empty).commits == ()
    plain = tmp_path / "plain"
    plain.mkdir()
    assert read(plain).commits == ()


def test_a_history_that_cannot_be_read_is_empty_until_the_next_commit(root: Path) -> None:
    assert past(root, NOTHING, patience=0.0) is None
    unread = unknowable(root)
    assert read(root, unread).commits == ()
    commit(root, "Name the parcel", "c.py")
    assert len(read(root, unread).commits) == 4
