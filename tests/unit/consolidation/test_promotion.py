"""Knowledge taken to a team: seen by its projects and by nobody else, and taken back."""

from __future__ import annotations

import pytest

from contextd.consolidation.promotion import copy_for, links_back
from contextd.consolidation.promotion_proposals import propose_wider
from contextd.domain.access import ROLES
from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record
from contextd.domain.scope import PERSON, Scope
from contextd.thin.home import LOCAL
from contextd_common.errors import ContextdError
from support.desks import Desk
from support.repositories import committed

TEAM = Scope("local", "default")
LESSON = "Wrap errors with context before returning them from a handler."


@pytest.fixture
def wiki(desk: Desk, tmp_path) -> Desk:
    """Another project of the team."""
    found = desk.at(committed(tmp_path / "wiki", {"a.py": "x = 1\n"}))
    found.as_owner("init")
    return found


def lesson(desk: Desk, content: str = LESSON, title: str = "Errors", **more) -> str:
    """Record a memory; its id."""
    return desk(
        "memory_record", title=title, description="When a handler fails", content=content,
        outcome="success", **more,
    )["id"]  # fmt: skip


def promote(desk: Desk, id: str, target: str = "team", **arguments):
    return desk(
        "knowledge_promote", item_id=id, item_type="memory", target_scope=target, **arguments
    )


def found(desk: Desk, query: str = "wrap errors with context") -> list[str]:
    return [memory["id"] for memory in desk("memory_search", query=query)["memories"]]


def layer(desk: Desk, scope: Scope, *statuses: str) -> list[Record]:
    view = desk.host.organisation(LOCAL).view(desk.caller, [scope])
    query = Query(scopes=frozenset({scope}), statuses=statuses or STATUSES, limit=1_000)
    return view.records.find(query).records


def test_a_promoted_memory_is_found_by_the_team_and_nowhere_else(desk, wiki):
    desk.as_owner("init")
    id = lesson(desk)
    assert found(wiki) == []
    new = promote(desk, id)
    assert new["status"] == "promoted"
    assert found(wiki) == [new["new_id"]]
    copy = wiki.record(new["new_id"])
    assert (copy.scope, copy.data["promoted_from"]) == (TEAM, [id])
    assert desk.record(id).data["promoted_to"] == [copy.id]
    assert layer(desk, PERSON) == []
    with pytest.raises(ContextdError):
        wiki.as_owner("get_record", id=id)
    # One fact is told once where both are seen.
    assert len(found(desk)) == 1


def test_asked_twice_it_is_there_once(desk, wiki):
    desk.as_owner("init")
    id = lesson(desk)
    first = promote(desk, id)
    again = promote(desk, id)
    assert (again["new_id"], again["status"]) == (first["new_id"], "known")
    assert lesson(wiki) == first["new_id"], "the team knows it, so the project need not"
    assert [one.id for one in layer(desk, TEAM)] == [first["new_id"]]


def test_a_generalised_text_is_proposed_once(desk):
    desk.as_owner("init")
    id = lesson(desk)
    token = promote(desk, id, generalize=True)["confirm"]
    kept = promote(desk, id, generalize=True, confirm=token)
    again = promote(desk, id, generalize=True)
    assert (again["new_id"], again["status"]) == (kept["new_id"], "known")


def test_a_record_promoted_to_the_organisation_is_not_shown_as_a_word_of_the_person(desk, wiki):
    desk.as_owner("init")
    promote(desk, lesson(desk), "org")
    desk("memory_record", title="Tea", description="at four", content="I drink tea at four.",
         outcome="success", scope="person")  # fmt: skip
    told = wiki("session_start")["briefing"]
    _, _, person = told.partition("## The person")
    person, _, learned = person.partition("## Learned")
    assert "I drink tea" in person
    assert LESSON.rstrip(".") not in person
    assert LESSON.rstrip(".") in learned
    assert LESSON.rstrip(".") not in wiki("prompt_build")["prompt"]


def test_undo_takes_the_copy_and_both_links_away(desk, wiki):
    desk.as_owner("init")
    id = lesson(desk)
    before = desk.record(id)
    new = promote(desk, id)["new_id"]
    desk.as_owner("undo", id=new)
    assert found(wiki) == []
    assert desk.record(id).data == before.data
    assert promote(desk, id)["new_id"] == new
    assert found(wiki) == [new]


def test_the_generalised_text_is_shown_before_it_is_kept(desk, wiki):
    desk.as_owner("init")
    text = "In shop wrap errors with context in src/auth/guard.ts before returning them (PROJ-12)."
    id = lesson(desk, text, tags=["shop", "errors"])
    shown = promote(desk, id, generalize=True)
    assert (shown["new_id"], shown["status"]) == ("", "proposal")
    assert shown["content"] == (
        "In <project> wrap errors with context in <file> before returning them (<id>)."
    )
    assert any(line.startswith("- In shop") for line in shown["diff"])
    assert layer(desk, TEAM) == []
    with pytest.raises(ContextdError, match="differs from the confirmed one"):
        promote(desk, id, generalize=True, confirm="000000000000")
    new = promote(desk, id, generalize=True, confirm=shown["confirm"])["new_id"]
    copy = wiki.record(new)
    assert "shop" not in f"{copy.text} {copy.tags}"
    assert copy.tags == ("errors",)
    assert desk.record(id).content == text


def test_a_record_that_changed_meanwhile_must_be_confirmed_anew(desk):
    desk.as_owner("init")
    id = lesson(desk)
    token = promote(desk, id, generalize=True)["confirm"]
    desk.as_owner("edit_record", id=id, content="Wrap errors twice before they are returned.")
    with pytest.raises(ContextdError, match="confirmed"):
        promote(desk, id, generalize=True, confirm=token)


def test_the_team_is_not_told_the_opposite_of_what_it_knows(desk, wiki):
    desk.as_owner("init")
    promote(desk, lesson(desk, "Always use pnpm, never npm, in our repositories."))
    other = lesson(wiki, "Always use npm, never pnpm, in our repositories.", title="Installing")
    with pytest.raises(ContextdError, match="opposite"):
        promote(wiki, other)


@pytest.mark.parametrize(
    ("role", "target", "may"),
    [
        ("org_admin", "team", True),
        ("team_admin", "team", True),
        ("team_member", "team", False),
        ("project_dev", "team", False),
        ("viewer", "team", False),
        ("team_admin", "org", False),
        ("org_admin", "org", False),
    ],
)
def test_the_matrix_decides_who_may_promote(desk, role, target, may):
    desk.as_owner("init")
    id = lesson(desk)
    caller = desk.by(role, desk.scope.project)
    if may:
        assert promote(caller, id, target)["new_id"]
    else:
        with pytest.raises(ContextdError):
            promote(caller, id, target)
        assert layer(desk, TEAM) == []


def test_the_owner_may_take_it_to_all_their_projects(desk, wiki):
    desk.as_owner("init")
    new = promote(desk, lesson(desk), "org")
    assert new["scope"] == "local"
    assert "every project of yours" in new["message"]
    assert found(wiki) == [new["new_id"]]


def test_imported_records_are_promoted_by_people_only(desk):
    desk.as_owner("init")
    record = desk.record(lesson(desk))
    desk.put(record.with_(trust="imported"))
    with pytest.raises(ContextdError, match="outside"):
        promote(desk, record.id)
    assert promote(desk.on("cli"), record.id)["new_id"]


def test_promotion_refuses_a_candidate_and_a_wrong_item_type(desk):
    desk.as_owner("init")
    record = desk.record(lesson(desk))
    desk.put(record.with_(status="candidate"))
    with pytest.raises(ContextdError, match="active records"):
        promote(desk, record.id)
    with pytest.raises(ContextdError, match="not a remediation"):
        desk("knowledge_promote", item_id=record.id, item_type="remediation", target_scope="team")


def test_knowledge_shared_by_two_projects_is_proposed_to_their_team_and_not_promoted(desk, wiki):
    desk.as_owner("init")
    mine = lesson(desk, "In shop wrap errors with context before returning them from a handler.")
    assert desk.as_owner("promotions_propose")["proposed"] == 0
    theirs = lesson(wiki, "In wiki wrap errors with context before returning them from a handler.")
    lesson(wiki, "Never wrap errors with context before returning them.", title="Opposite")
    same = lesson(wiki), lesson(desk)
    done = desk.as_owner("promotions_propose")
    proposals = layer(desk, TEAM)
    assert done["proposed"] == len(proposals) > 0
    assert {one.status for one in proposals} == {"inbox"}
    linked = [set(one.data["promoted_from"]) for one in proposals]
    assert any(set(same) <= ids for ids in linked)
    assert all("shop" not in one.text and "wiki" not in one.text for one in proposals)
    assert not {one.id for one in proposals} & {*found(desk), *found(wiki)}
    assert mine != theirs
    [reason] = {desk.as_owner("history", id=one.id)["changes"][0]["reason"] for one in proposals}
    assert reason == "stands in shop and wiki"
    assert desk.as_owner("promotions_propose")["proposed"] == 0


def test_a_proposal_that_is_kept_holds_for_the_team_and_one_that_is_dropped_never_returns(
    desk, wiki, tmp_path
):
    desk.as_owner("init")
    for one in (desk, wiki):
        lesson(one)
    desk.as_owner("promotions_propose")
    [proposal] = layer(desk, TEAM)
    wiki.as_owner("settle_candidate", id=proposal.id, verdict="keep")
    third = desk.at(committed(tmp_path / "third", {"b.py": "y = 2\n"}))
    third.as_owner("init")
    assert found(third) == [proposal.id]
    for one in (desk, wiki):
        lesson(one, "Batch the inserts of invoices in groups of five hundred.", title="Batches")
    desk.as_owner("promotions_propose")
    [other] = layer(desk, TEAM, "inbox")
    desk.as_owner("settle_candidate", id=other.id, verdict="drop")
    assert desk.as_owner("promotions_propose")["proposed"] == 0


def test_the_job_proposes_once_a_day(desk, wiki, home):
    desk.as_owner("init")
    for one in (desk, wiki):
        lesson(one)
    home.clock.move(hours=26)
    desk.host.work_off()
    [proposal] = layer(desk, TEAM)
    assert proposal.status == "inbox"
    assert propose_wider(desk.runtime(), lambda: None) == []


ORIGINS = {
    "file": "notes/a.md", "module": "billing", "task": "Round invoices", "sentence": 3,
    "speaker": "Ada", "source_sessions": ["s-1"],
}  # fmt: skip


def test_a_copy_says_nothing_of_where_its_original_comes_from(desk):
    text = "Round once, at the total, with half-even."
    record = Record(
        kind="discovery", scope=desk.scope, content=text, data={"type": "rule", **ORIGINS}
    )
    copy = copy_for(desk.runtime(), record, Scope(LOCAL, "default"), None).copy
    assert dict(copy.data) == {"type": "rule", "promoted_from": [record.id]}


def test_who_may_not_write_an_original_takes_its_copy_back_and_leaves_it_alone(desk, monkeypatch):
    memory = desk(
        "memory_record",
        title="Round once",
        description="When totals differ",
        content="Round once, at the total, with half-even.",
        outcome="success",
    )["id"]
    target = {"item_id": memory, "item_type": "memory", "target_scope": "team"}
    copy = desk("knowledge_promote", **target)["new_id"]
    # No role of today writes a team and not its projects: a row of the matrix that did must not.
    monkeypatch.setitem(ROLES, "team_admin", {**ROLES["team_admin"], "project": "r"})
    admin = desk.by("team_admin", desk.scope.project)
    assert links_back(admin.runtime(), desk.record(copy)) == []
    monkeypatch.undo()
    assert [one.record.id for one in links_back(admin.runtime(), desk.record(copy))] == [memory]


@pytest.mark.parametrize("said", [LESSON, "Wrap errors with context, before returning them from a handler!"])  # fmt: skip
def test_what_two_projects_promote_is_in_the_team_once_and_linked_to_both(desk, wiki, said):
    desk.as_owner("init")
    mine, theirs = lesson(desk), lesson(wiki, said)
    first, second = promote(desk, mine), promote(wiki, theirs)
    assert (second["new_id"], second["status"]) == (first["new_id"], "known")
    [copy] = layer(desk, TEAM, "active")
    assert set(copy.data["promoted_from"]) == {mine, theirs}
    assert wiki.record(theirs).data["promoted_to"] == [copy.id]


def test_a_copy_that_was_deleted_comes_back_when_its_original_is_promoted_again(desk, wiki):
    desk.as_owner("init")
    id = lesson(desk)
    new = promote(desk, id)["new_id"]
    desk.as_owner("delete_record", id=new)
    assert found(wiki) == []
    again = promote(desk, id)
    assert (again["new_id"], again["status"]) == (new, "promoted")
    assert found(wiki) == [new]
