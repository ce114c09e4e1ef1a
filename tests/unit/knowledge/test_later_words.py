"""A later word of the user takes the place of an earlier one on the same subject."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.records import Record, Trust, new_id
from contextd.knowledge.superseding import supersede_older
from support.desks import Desk

FIRST = "Remember: the session timeout of the shop is 45 minutes."
LATER = "Remember: the session timeout of the shop is 20 minutes."
DENIED = ("Remember: always run the linter before a commit.",
          "Remember: never run the linter before a commit.")  # fmt: skip


def said(desk: Desk, *texts: str) -> None:
    """A session of its own in which the user says so."""
    session = desk("session_start")["session_id"]
    for text in texts:
        desk("session_log", session_id=session, role="user", text=text)
    desk("session_end", session_id=session)
    desk.host.work_off()


def learned(desk: Desk) -> dict[str, dict[str, Any]]:
    listed = desk.as_owner("list_records", kind="discovery", status="any", limit=50)["records"]
    return {record["content"]: record for record in listed}


@pytest.mark.parametrize(("first", "later"), [(FIRST, LATER), DENIED])
def test_the_later_word_holds_and_the_earlier_one_is_kept_with_the_reason(
    desk: Desk, first: str, later: str
) -> None:
    said(desk, first)
    said(desk, later)
    known = learned(desk)
    assert (known[first]["status"], known[later]["status"]) == ("superseded", "active")
    old = desk.record(known[first]["id"])
    assert (old.canonical_id, old.valid_to is not None) == (known[later]["id"], True)
    [*_, last] = desk.view.records.history(old.id)
    assert "said" in last.reason
    assert "later" in last.reason
    briefed = desk("session_start")["injected"]
    assert known[later]["id"] in briefed
    assert known[first]["id"] not in briefed
    assert desk.as_owner("undo", id=old.id)
    assert desk.record(old.id).status == "active"


def test_of_one_session_the_last_word_holds(desk: Desk) -> None:
    said(desk, LATER, FIRST)
    known = learned(desk)
    assert (known[LATER]["status"], known[FIRST]["status"]) == ("superseded", "active")


def test_the_mind_may_be_changed_back(desk: Desk) -> None:
    for text in (FIRST, LATER, FIRST):
        said(desk, text)
    listed = desk.as_owner("list_records", kind="discovery", status="active")["records"]
    assert [record["content"] for record in listed] == [FIRST]


@pytest.mark.parametrize(
    "other",
    [
        "Remember: the session timeout of the admin page is 20 minutes.",
        "Remember: sessions of the shop are kept in Redis.",
        "Remember: the session timeout of the shop is 45 minutes, as the bank demands.",
    ],
)
def test_a_statement_merely_on_the_same_subject_supersedes_nothing(desk: Desk, other: str) -> None:
    said(desk, FIRST)
    said(desk, other)
    assert learned(desk)[FIRST]["status"] == "active"


def test_a_statement_in_passing_supersedes_nothing(desk: Desk) -> None:
    said(desk, FIRST)
    said(desk, "The session timeout of the shop must be 20 minutes.")
    assert learned(desk)[FIRST]["status"] == "active"


def test_records_saved_by_a_person_or_an_agent_are_not_superseded_by_later_words(
    desk: Desk,
) -> None:
    plain = FIRST.removeprefix("Remember: ")
    mine = desk.as_owner("save_context", content=plain)["id"]
    agents = desk("save_context", content="The colour of the button is teal, always.")["id"]
    said(desk, LATER)
    said(desk, "Remember: the colour of the button is never teal.")
    assert desk.record(mine).status == "active"
    assert desk.record(agents).status == "active"


@pytest.mark.parametrize(
    ("trust", "ends"), [("human", False), ("agent", False), ("extracted", True)]
)
def test_a_sentence_of_a_session_ends_nothing_that_is_trusted_more(
    desk: Desk, trust: Trust, ends: bool
) -> None:
    plain = FIRST.removeprefix("Remember: ")
    data = {"type": "fact"}
    older = Record(kind="discovery", scope=desk.scope, content=plain, data=data, trust=trust)
    later = Record(
        kind="discovery",
        scope=desk.scope,
        content=LATER.removeprefix("Remember: "),
        trust="extracted",
        data={"type": "rule", "speaker": "user"},
    )
    for record in (older, later):
        desk.put(record, "create")
    desk.host.work_off()
    at = desk.record(older.id).created_at + timedelta(days=1)
    ended = supersede_older(desk.runtime(), [(desk.record(later.id), at)])
    assert ended == [older.id] * ends
    assert desk.record(older.id).status == ("superseded" if ends else "active")


def test_a_statement_in_one_project_supersedes_nothing_in_another(
    desk: Desk, tmp_path: Path
) -> None:
    elsewhere = desk.at(tmp_path / "elsewhere")
    shutil.copytree(desk.root, elsewhere.root)
    shutil.rmtree(elsewhere.root / ".git")
    (elsewhere.root / ".context").mkdir(exist_ok=True)
    elsewhere.as_owner("init")
    assert elsewhere.scope != desk.scope
    said(elsewhere, FIRST)
    said(desk, LATER)
    assert learned(elsewhere)[FIRST]["status"] == "active"
    assert learned(desk)[LATER]["status"] == "active"


@pytest.mark.parametrize(("speaker", "ends"), [("user", True), ("assistant", False)])
def test_only_the_user_ends_a_rule_of_the_user(desk: Desk, speaker: str, ends: bool) -> None:
    said(desk, DENIED[0])
    [row] = learned(desk).values()
    older = desk.record(row["id"])
    assert older.data["speaker"] == "user"
    data = {**older.data, "speaker": speaker}
    later = older.with_(id=new_id(), content=DENIED[1], data=data, version=0)
    desk.put(later, "create")
    at = older.created_at + timedelta(days=1)
    assert supersede_older(desk.runtime(), [(desk.record(later.id), at)]) == [older.id] * ends
