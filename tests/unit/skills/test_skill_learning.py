"""What sessions say of skills: of what use one was, and what might be one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record
from support.clients import CodingClient
from support.desks import Desk

STEPS = ("npm run lint", "npm test", "npm run build")


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's own directory."""
    folder = tmp_path / "user"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


def worked(desk: Desk, folder: Path, *commands: str) -> None:
    """A session that runs these."""
    session = CodingClient(desk, folder)
    session.starts()
    session.asks("See that all of the shop is in order before the release")
    for command in commands:
        session.runs(command)
    session.answers("All of it is in order: the linter, the tests and the build went through.")
    session.ends()


def skills(desk: Desk) -> list[Record]:
    query = Query(scopes=frozenset({desk.scope}), kinds=("skill",), statuses=STATUSES)
    return list(desk.view.records.find(query).records)


def test_steps_of_three_sessions_wait_in_the_inbox_until_somebody_says_yes(
    desk: Desk, tmp_path: Path
) -> None:
    for _ in range(2):
        worked(desk, tmp_path, *STEPS)
    assert skills(desk) == []
    worked(desk, tmp_path, *STEPS)
    [proposal] = skills(desk)
    assert (proposal.status, proposal.trust) == ("inbox", "extracted")
    assert proposal.data["steps"] == [f"run `{step}`" for step in STEPS]
    task = "lint, test and build before the release"
    assert desk("skill_search", task=task)["skills"] == []
    worked(desk, tmp_path, *STEPS, "npm publish")
    assert len(skills(desk)) == 1
    desk("settle_candidate", id=proposal.id, verdict="keep")
    [found] = desk("skill_search", task=task)["skills"]
    assert "npm run lint" in desk("skill_get", name=found["name"])["content"]


def test_a_rejected_skill_is_not_proposed_again(desk: Desk, tmp_path: Path) -> None:
    for _ in range(3):
        worked(desk, tmp_path, *STEPS)
    desk("settle_candidate", id=skills(desk)[0].id, verdict="drop")
    worked(desk, tmp_path, *STEPS)
    assert [one.status for one in skills(desk)] == ["archived"]


def test_sessions_of_another_project_do_not_count(desk: Desk, tmp_path: Path) -> None:
    for _ in range(2):
        worked(desk, tmp_path, *STEPS)
    elsewhere = desk.at(tmp_path / "elsewhere")
    shutil.copytree(desk.root, elsewhere.root, ignore=shutil.ignore_patterns(".git"))
    (elsewhere.root / ".context").mkdir(exist_ok=True)
    elsewhere.as_owner("init")
    worked(elsewhere, tmp_path, *STEPS)
    assert skills(desk) == skills(elsewhere) == []


def test_a_skill_given_in_a_session_that_ended_well_helped_once(desk: Desk) -> None:
    path = desk.root / ".claude/skills/release/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: release\ndescription: Publish a version\n---\n1. Tag it.\n")
    for outcome in ("failure", "success"):
        agent = desk.connected(f"agent-{outcome}")
        agent("session_start", task_description="Publish a version")
        agent("skill_get", name="release")
        desk.host.flush()
        agent("session_end", outcome=outcome)
        desk.host.work_off()
        [record] = skills(desk)
        assert record.helpful == (outcome == "success")
    assert record.usage_count == 2
