"""What developers wrote and asked later, read from a history of our own making."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest

from contextd_bench import project_notes
from contextd_bench.project_notes import (
    CHANGES,
    COMMITS,
    HEADINGS,
    MESSAGES,
    ProjectNotes,
    read_notes,
)
from contextd_bench.records import run
from contextd_bench.run import main
from contextd_common.errors import NotFound
from support.repositories import git

PARTS = ("parser", "mailer", "invoice", "cache", "session")

LOG = """# Changes

## 2.0

{entries}
- A line about nothing that has a number
"""

GUIDE = """# Guide

What this is about is told here, in as many words as a section needs to be one at all.

## Working with it

### Why does the {0} wait before it starts?

Because the {0} was once started by two processes that then wrote the same file, one after the other.

### Notes

The {0} has notes of its own which nobody asks about, and they are long enough to be kept as well.
"""


BEGUN, STEP = 1_700_000_000, 86_400
"""When the first commit was made, and the seconds from one to the next."""


def commit(root: Path, at: int, *paragraphs: str) -> str:
    messages = [word for each in paragraphs for word in ("-m", each)]
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", *messages, at=BEGUN + at * STEP)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    git(root, "init", "-q", "-b", "main")
    (root / "docs").mkdir()
    for part in PARTS:
        (root / "docs" / f"{part}.md").write_text(GUIDE.format(part))
    entries = [
        f"- Nobody waits for the {part} any more ([#{n}](x/{n}))"
        for n, part in enumerate(PARTS, 70)
    ]
    (root / "CHANGELOG.md").write_text(LOG.format(entries="\n".join(entries)))
    commit(root, 0, "Begin the project")
    first = {
        part: commit(
            root,
            at,
            f"{part}: start it later",
            f"Two {part} processes wrote one file.",
            "Signed-off-by: t",
        )
        for at, part in enumerate(PARTS, 1)
    }
    for at, part in enumerate(PARTS, 40):
        why = f'Since {first[part][:10]} ("{part}: start it later") nothing waited for the lock of the {part}.'
        commit(root, at, f"Wait for the lock of the {part}", why, f"Fixes: {first[part][:12]}")
        commit(root, at, f"Start the {part} without delay (#{30 + at})")
    return root


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A history as short as this one counts."""
    monkeypatch.setattr(project_notes, "FEWEST", 2)


def by_sort(repository: Path) -> dict[str, ProjectNotes]:
    return {one.sort: one for one in read_notes(repository)}


@pytest.mark.usefixtures("few")
def test_a_commit_that_names_another_asks_for_it_without_its_hash_or_subject(repository: Path):
    found = by_sort(repository)[COMMITS]
    asked = [one for one in found.questions if one.sort == COMMITS]
    at_length = [one for one in found.questions if one.sort == MESSAGES]
    assert [one.text for one in asked] == [f"Wait for the lock of the {part}" for part in PARTS]
    assert [one.text.partition("\n")[2] for one in at_length] == [
        f"Since nothing waited for the lock of the {part}." for part in PARTS
    ]
    notes = {one.id: one for one in found.notes}
    for part, one in zip(PARTS, asked, strict=True):
        assert [notes[id].title for id in one.right] == [f"{part}: start it later"]
        assert [notes[id].text for id in one.right] == [f"Two {part} processes wrote one file."]


@pytest.mark.usefixtures("few")
def test_only_what_was_written_before_a_question_is_known(repository: Path):
    found = by_sort(repository)[COMMITS]
    for question in found.questions:
        known = found.notes[: question.known]
        assert question.right <= {one.id for one in known}
        assert all(one.at <= question.at for one in known)
        assert question.text.partition("\n")[0] not in {one.title for one in known}


@pytest.mark.usefixtures("few")
def test_an_entry_of_a_change_log_is_asked_for_by_the_commit_about_the_same_number(
    repository: Path,
):
    found = by_sort(repository)[CHANGES]
    notes = {one.id: one for one in found.notes}
    assert {one.text for one in found.questions} == {
        f"Start the {part} without delay" for part in PARTS
    }
    for one in found.questions:
        part = one.text.split()[2]
        assert [notes[id].text for id in one.right] == [f"Nobody waits for the {part} any more"]
        assert [notes[id].at.day for id in one.right] == [24 + PARTS.index(part)]


@pytest.mark.usefixtures("few")
def test_a_log_that_repeats_the_subjects_asks_nothing(repository: Path, tmp_path: Path):
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "-q", str(repository), str(copy)], check=True)
    entries = [f"- Start the {part} without delay (#{n})" for n, part in enumerate(PARTS, 70)]
    (copy / "CHANGELOG.md").write_text(LOG.format(entries="\n".join(entries)))
    commit(copy, 60, "Write the log anew")
    assert CHANGES not in by_sort(copy)


@pytest.mark.usefixtures("few")
def test_a_heading_that_asks_is_no_part_of_what_answers_it(repository: Path):
    found = by_sort(repository)[HEADINGS]
    notes = {one.id: one for one in found.notes}
    assert {one.text for one in found.questions} == {
        f"Why does the {part} wait before it starts?" for part in PARTS
    }
    for one in found.questions:
        [answer] = [notes[id] for id in one.right]
        assert answer.text.startswith("Because the ")
        assert "Why does" not in f"{answer.title} {answer.text}"
        assert answer.title.endswith(": Guide: Working with it")


@pytest.mark.usefixtures("few")
def test_every_way_to_rank_is_told_for_each_sort_of_question(repository: Path):
    out = io.StringIO()
    told = run([repository, repository], out=out)
    assert set(told) == {COMMITS, MESSAGES, CHANGES, HEADINGS}
    for each in told.values():
        assert each["repositories"] == 2
        assert each["questions"] == 2 * len(PARTS)
        for system in ("plain BM25", "words alone", "meaning alone", "contextd"):
            assert set(each[system]) == {"recall@5", "recall@10", "MRR"}
    assert told[COMMITS]["contextd"]["recall@5"]["mean"] == 1.0
    assert "| contextd |" in out.getvalue()


def test_a_history_that_asks_nothing_is_said_to(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(project_notes, "FEWEST", 1 + 2 * len(PARTS))
    with pytest.raises(NotFound, match="nothing in"):
        read_notes(repository)
    assert main(["records", str(repository)]) == 1
    assert "name others" in capsys.readouterr().err
