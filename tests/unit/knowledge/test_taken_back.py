"""What a person decided is taken back, and what was looked for is found: answers and effects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.desks import Desk
from support.repositories import committed

TABS = (
    "Always use tabs for indentation in the frontend",
    "Never use tabs for indentation in the frontend",
)


def disputed(desk: Desk) -> Any:
    """Save two notes that say opposite things; their contradiction."""
    for content in TABS:
        desk("save_context", content=content)
    desk.host.work_off()
    [dispute] = desk("list_contradictions")["contradictions"]
    return dispute


@pytest.mark.parametrize("keep", ["a", "b", "both", "neither"])
def test_a_settled_contradiction_is_listed_again_and_both_records_hold(
    desk: Desk, keep: str
) -> None:
    dispute = disputed(desk)
    desk("resolve_contradiction", id=dispute["id"], keep=keep)
    assert desk("list_contradictions")["contradictions"] == []
    done = desk.as_owner("reopen_contradiction", id=dispute["id"])
    assert done["message"] == "reopened; both records are in use"
    [again] = desk("list_contradictions")["contradictions"]
    assert again["id"] == dispute["id"]
    pair = [desk.record(side) for side in done["kept"]]
    assert [record.status for record in pair] == ["active", "active"]
    assert {record.content for record in pair} == set(TABS)
    assert [record.valid_to for record in pair] == [None, None]


def test_comparing_all_records_is_one_job_that_a_person_can_look_up(desk: Desk) -> None:
    disputed(desk)
    queued = desk.as_owner("compare_records")["job_id"]
    [job] = [one for one in desk.as_owner("jobs")["jobs"] if one["id"] == queued]
    assert job["state"] == "ready"
    desk.host.work_off()
    [job] = [one for one in desk.as_owner("jobs")["jobs"] if one["id"] == queued]
    assert job["state"] == "done"


def test_an_opened_gap_is_answered_with_its_dismissal_and_listed_again(desk: Desk) -> None:
    desk.host.work_off()
    desk("recall_context", query="bake a sourdough bread")
    [gap] = [one for one in desk("get_gaps")["gaps"] if one["kind"] == "missed"]
    closed = desk("dismiss_gap", id=gap["id"])
    assert gap["id"] not in [one["id"] for one in desk("get_gaps")["gaps"]]
    opened = desk.as_owner("reopen_gap", id=closed["id"])
    assert opened == {"id": closed["id"], "message": "reopened"}
    assert gap["id"] in [one["id"] for one in desk("get_gaps")["gaps"]]


def test_a_restored_record_is_found_again_and_says_so(desk: Desk) -> None:
    note = desk("save_context", content="The depot opens at six.")["id"]
    desk("delete_context", id=note)
    assert desk("list_contexts")["entries"] == []
    moved = desk.as_owner("restore_record", id=note)
    assert (moved["id"], moved["status"]) == (note, "active")
    assert moved["message"].endswith("is in use again")
    assert [one["id"] for one in desk("list_contexts")["entries"]] == [note]


def test_a_preference_of_two_projects_is_proposed_once_and_accepted_by_the_person(
    desk: Desk, tmp_path: Path
) -> None:
    wiki = desk.at(committed(tmp_path / "wiki", {"a.py": "x = 1\n"}))
    for one in (desk, wiki):
        one("save_context", content="Never commit generated files")
    assert desk.as_owner("person_propose") == {"proposed": 1}
    assert desk.as_owner("person_propose") == {"proposed": 0}
    [proposal] = desk.as_owner("user_profile")["proposals"]
    accepted = desk.as_owner("person_accept", id=proposal["record"]["id"])
    assert desk.record(accepted["id"]).status == "active"
    assert desk.record(accepted["id"]).trust == "human"
    assert desk.as_owner("user_profile")["proposals"] == []


def test_a_rejected_proposal_does_not_keep_others_from_being_proposed(
    desk: Desk, tmp_path: Path
) -> None:
    wiki = desk.at(committed(tmp_path / "wiki", {"a.py": "x = 1\n"}))

    def both(content: str) -> list[dict[str, Any]]:
        for one in (desk, wiki):
            one("save_context", content=content)
        desk.work_on("propose_for_person")
        return list(desk.as_owner("user_profile")["proposals"])

    [proposal] = both("Never commit generated files")
    desk.as_owner("delete_record", id=proposal["record"]["id"])
    assert [one["text"] for one in both("Prefer small pull requests")] == [
        "Prefer small pull requests"
    ]
    assert desk.as_owner("person_propose") == {"proposed": 0}


def test_the_names_of_a_project_and_its_modules_are_those_of_its_model(desk: Desk) -> None:
    assert desk.as_owner("project_names")["modules"] == []
    desk.as_owner("init")
    names = desk.as_owner("project_names")
    modules = desk.as_owner("list_modules")["modules"]
    assert names["scope"] == str(desk.scope)
    assert [one["name"] for one in names["modules"]] == [one["name"] for one in modules] != []


def test_a_trusted_folder_is_listed_with_who_said_so_until_it_is_revoked(
    desk: Desk, tmp_path: Path
) -> None:
    root = committed(tmp_path / "wiki", {"a.py": "x = 1\n"})
    desk.as_owner("trust", path=str(root))
    listed = {one["path"]: one for one in desk.as_owner("trusted_folders")["folders"]}
    assert listed[str(root)]["trusted"]
    assert listed[str(root)]["by"] == "you"
    desk.as_owner("trust", path=str(root), revoke=True)
    listed = {one["path"]: one for one in desk.as_owner("trusted_folders")["folders"]}
    assert not listed[str(root)]["trusted"]
