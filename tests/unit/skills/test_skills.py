"""Skills and agents that stand in files: found, given whole, counted, and gone with their files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record
from contextd.domain.scope import PERSON
from contextd_common.errors import Invalid, NotFound
from support.clients import CodingClient
from support.desks import Desk, Home, Neighbour

BODY = "1. Run the tests.\n2. Tag the commit and push the tag.\n"
ABOUT = "Cut a release: version, changelog and tag. Use when a version is to be published."


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's own directory."""
    folder = tmp_path / "user"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


def skill(
    below: Path, name: str = "release", about: str = ABOUT, body: str = BODY, at: str = ".claude"
) -> Path:
    path = below / at / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {name}\ndescription: {about}\n---\n{body}")
    return path


def touched(path: Path) -> None:
    """A later time for a file that was written within one tick of the clock."""
    stat = path.stat()
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1_000_000))


def names(desk: Desk, task: str = "publish a new version of the package") -> list[str]:
    return [one["name"] for one in desk("skill_search", task=task)["skills"]]


def records(desk: Desk, kind: str = "skill") -> list[Record]:
    query = Query(scopes=frozenset(desk.scope.cascade), kinds=(kind,), statuses=STATUSES)
    return list(desk.view.records.find(query).records)


def test_a_skill_is_found_by_its_task_given_whole_and_counted(desk: Desk) -> None:
    path = skill(desk.root)
    (path.parent / "tag.sh").write_text("git tag")
    assert names(desk) == ["release"]
    given = desk("skill_get", name="release")
    assert given["content"] == BODY.strip()
    assert (given["files"], given["folder"]) == (["tag.sh"], str(path.parent))
    desk.host.flush()
    desk("memory_feedback", memory_id=given["id"], helpful=True)
    [found] = desk("skill_search", task="publish a new version")["skills"]
    assert (found["used"], found["helped"]) == (1, 1)
    assert found["tokens"] == given["tokens"] > 5
    [record] = records(desk)
    assert (record.scope, record.trust, record.source.ref) == (
        desk.scope, "human", ".claude/skills/release/SKILL.md",
    )  # fmt: skip


def test_a_skill_that_does_not_fit_the_task_is_not_offered(desk: Desk) -> None:
    skill(desk.root)
    answer = desk("skill_search", task="translate the welcome page into Danish")
    assert answer["skills"] == []
    assert answer["note"].startswith("no matching skill")
    with pytest.raises(Invalid, match="empty"):
        desk("skill_search", task=" ")


def test_a_trigger_is_enough(desk: Desk) -> None:
    path = skill(desk.root, "hotfix", "Mend what is broken in production.")
    text = path.read_text().replace("---\n1.", "when_to_use: a customer is blocked\n---\n1.")
    path.write_text(text)
    assert names(desk, "our biggest customer is blocked since noon") == ["hotfix"]


def test_a_changed_file_changes_its_record_and_a_removed_one_archives_it(desk: Desk) -> None:
    path = skill(desk.root)
    names(desk)
    skill(desk.root, body="1. Ask Ada.\n")
    touched(path)
    assert desk("skill_get", name="release")["content"] == "1. Ask Ada."
    [record] = records(desk)
    assert record.version == 2
    shutil.rmtree(path.parent)
    assert names(desk) == []
    assert [one.status for one in records(desk)] == ["archived"]
    skill(desk.root)
    assert names(desk) == ["release"]
    assert [(one.id, one.status) for one in records(desk)] == [(record.id, "active")]


def test_looking_again_changes_nothing_and_what_was_put_away_stays_away(desk: Desk) -> None:
    path = skill(desk.root)
    names(desk)
    [before] = records(desk)
    names(desk)
    assert records(desk) == [before]
    desk.put(before.with_(status="archived"))
    skill(desk.root, body="1. Something else.\n")
    touched(path)
    assert names(desk) == []


def test_the_same_skill_for_several_clients_is_one(desk: Desk) -> None:
    skill(desk.root, at=".context", body="1. The project's own.\n")
    skill(desk.root)
    skill(desk.root, at=".agents")
    (desk.root / ".qwen").mkdir()
    (desk.root / ".qwen/skills").symlink_to(desk.root / ".claude/skills")
    assert names(desk) == ["release"]
    assert len(records(desk)) == 1
    assert desk("skill_get", name="release")["content"] == "1. The project's own."


def test_a_file_that_cannot_be_read_is_told_and_its_record_stays(desk: Desk) -> None:
    path = skill(desk.root)
    names(desk)
    path.write_text("---\nname: [release\ndescription: x\n---\n")
    touched(path)
    answer = desk("skill_search", task="publish a new version of the package")
    assert [one["name"] for one in answer["skills"]] == ["release"]
    [problem] = answer["problems"]
    assert problem.startswith(".claude/skills/release/SKILL.md:3: ")
    skill(desk.root, "other", "").write_text("nothing")
    with pytest.raises(NotFound) as refused:
        desk("skill_get", name="other")
    assert "no front matter" in refused.value.hint


def test_a_link_that_leads_out_of_the_project_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    skill(tmp_path / "outside")
    (desk.root / ".claude").mkdir()
    (desk.root / ".claude/skills").symlink_to(tmp_path / "outside/.claude/skills")
    assert names(desk) == []


def test_secrets_of_a_skill_are_not_kept(desk: Desk) -> None:
    skill(desk.root, body="Use ghp_" + "a1B2" * 9 + " to push.\n")
    assert "ghp_a1B2" not in desk("skill_get", name="release")["content"]


def test_a_persons_own_skill_is_theirs_in_every_project_and_a_projects_is_not(
    desk: Desk, tmp_path: Path, user: Path, home: Home
) -> None:
    mine = skill(user, "diary", "Write the diary of the day. Use when the day is over.")
    shared = skill(home.path, "greet", "Greet a new colleague with a letter.", at=".")
    skill(desk.root)
    assert names(desk, "the day is over, write the diary") == ["diary"]
    scopes = {record.data["name"]: record.scope for record in records(desk)}
    assert scopes == {"release": desk.scope, "diary": PERSON, "greet": PERSON}
    elsewhere = desk.at(tmp_path / "elsewhere")
    shutil.copytree(desk.root, elsewhere.root, ignore=shutil.ignore_patterns(".git", ".claude"))
    (elsewhere.root / ".context").mkdir(exist_ok=True)
    elsewhere.as_owner("init")
    assert elsewhere.scope != desk.scope
    assert names(elsewhere, "the day is over, write the diary") == ["diary"]
    assert names(elsewhere) == []
    skill(desk.root, "diary", "Write the diary of the day. Use when the day is over.", "Ours.\n")
    assert desk("skill_get", name="diary")["content"] == "Ours."
    assert elsewhere("skill_get", name="diary")["content"] == BODY.strip()
    mine.unlink()
    shared.unlink()
    with pytest.raises(NotFound):
        elsewhere("skill_get", name="diary")


def test_another_persons_home_knows_nothing_of_it(
    desk: Desk, user: Path, tmp_path: Path, neighbour: Neighbour, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill(user, "diary", "Write the diary of the day. Use when the day is over.")
    task = "the day is over, write the diary"
    assert names(desk, task) == ["diary"]
    monkeypatch.setenv("HOME", str(tmp_path / "somebody"))
    other = Home(tmp_path / "other", neighbour)
    theirs = Desk(other.host(), desk.root)
    assert names(theirs, task) == []
    assert "diary" not in {record.title for record in records(theirs)}
    other.close()
    monkeypatch.setenv("HOME", str(user))
    assert names(desk, task) == ["diary"]


def test_who_may_only_read_gets_what_is_known(desk: Desk) -> None:
    skill(desk.root)
    names(desk)
    skill(desk.root, "other", "Publish a new version of the package to the public.")
    reader = desk.by("viewer", desk.scope.project)
    assert names(reader) == ["release"]


def test_a_session_that_begins_reads_the_projects_skills(desk: Desk, tmp_path: Path) -> None:
    desk.as_owner("init")
    skill(desk.root)
    CodingClient(desk, tmp_path).starts()
    assert [record.title for record in records(desk)] == ["release"]


def test_agents_are_read_as_records_of_their_own(desk: Desk) -> None:
    path = desk.root / ".claude/agents/reviewer.md"
    path.parent.mkdir(parents=True)
    path.write_text(
        "---\nname: reviewer\ndescription: Reviews\nmodel: small\ncollections_access: [policies]\n"
        "skills: [release]\n---\nYou review.\n"
    )
    desk.as_owner("init")
    [agent] = records(desk, "agent")
    wanted: dict[str, Any] = {
        "name": "reviewer", "system_prompt": "You review.", "skills": ["release"],
        "collections_access": ["policies"], "model_preference": "small",
    }  # fmt: skip
    assert {name: agent.data[name] for name in wanted} == wanted
    path.unlink()
    desk.as_owner("scan")
    assert [one.status for one in records(desk, "agent")] == ["archived"]
