"""What an owner sees and changes when looking through the store."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.thin.home import LOCAL, database_path
from contextd_common.errors import Conflict, ContextdError, Invalid, NotFound, TooLarge
from support.databases import open_database
from support.desks import Desk


def test_records_of_any_kind_and_status_are_listed_and_counted(desk: Desk) -> None:
    note = desk("save_context", content="Parcels are labelled by the depot.", tags=["Depot"])["id"]
    desk(
        "memory_record",
        title="T",
        description="d",
        content="Label before weighing.",
        outcome="success",
    )
    listed = desk.as_owner("list_records")
    assert listed["total"] == 2
    assert listed["counts"] == {"context": 1, "memory": 1}
    assert [r["id"] for r in desk.as_owner("list_records", tag="depot")["records"]] == [note]
    desk.as_owner("delete_record", id=note)
    assert desk.as_owner("list_records", kind="context")["total"] == 0
    assert desk.as_owner("list_records", kind="context", status="deleted")["total"] == 1
    assert desk.as_owner("list_records", kind="context", status="any")["total"] == 1
    lines = desk.by("owner").answer("list_records", status="any").text.splitlines()
    assert ["(deleted, " in line for line in lines] == [note[:8] in line for line in lines]


def test_pages_of_records_go_on_where_the_last_one_ended(desk: Desk) -> None:
    for number in range(5):
        desk("save_context", content=f"Shelf number {number} holds spare parts.")
    seen, cursor = [], ""
    while True:
        page = desk.as_owner("list_records", limit=2, cursor=cursor)
        seen += [r["id"] for r in page["records"]]
        cursor = page["cursor"]
        if not cursor:
            break
    assert len(seen) == len(set(seen)) == 5


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"status": "actve"}, Invalid),
        ({"kind": "memroy"}, NotFound),
        ({"limit": 0}, Invalid),
        ({"limit": 10_000}, Invalid),
    ],
)
def test_a_wrong_filter_is_refused_with_a_hint(
    desk: Desk, wrong: dict[str, Any], error: type[ContextdError]
) -> None:
    with pytest.raises(error) as refused:
        desk.as_owner("list_records", **wrong)
    assert refused.value.hint


def test_a_trial_edit_shows_the_difference_and_saves_nothing(desk: Desk) -> None:
    note = desk("save_context", content="The depot opens at six.")["id"]
    tried = desk.as_owner("edit_record", id=note, content="The depot opens at seven.", dry_run=True)
    assert [d["field"] for d in tried["differences"]] == ["content"]
    assert tried["differences"][0]["lines"] == [
        "- The depot opens at six.",
        "+ The depot opens at seven.",
    ]
    whole = desk.as_owner("get_record", id=note)
    assert "six" in whole["content"]
    assert len(whole["history"]) == 1


def test_an_edit_of_an_old_version_is_a_conflict(desk: Desk) -> None:
    note = desk("save_context", content="The depot opens at six.")["id"]
    version = desk.as_owner("get_record", id=note)["version"]
    desk.as_owner("edit_record", id=note, content="The depot opens at seven.", version=version)
    with pytest.raises(Conflict):
        desk.as_owner("edit_record", id=note, content="The depot opens at eight.", version=version)
    assert "seven" in desk.as_owner("get_record", id=note)["content"]


def test_an_edit_without_a_difference_leaves_no_history(desk: Desk) -> None:
    note = desk("save_context", content="The depot opens at six.")["id"]
    done = desk.as_owner("edit_record", id=note, content="The depot opens at six.\r\n")
    assert done["differences"] == []
    assert len(desk.as_owner("get_record", id=note)["history"]) == 1


def test_a_deleted_record_is_restored_and_every_step_is_in_its_history(desk: Desk) -> None:
    note = desk("save_context", content="The depot opens at six.")["id"]
    desk.as_owner("delete_record", id=note)
    desk.as_owner("delete_record", id=note)
    desk.as_owner("restore_record", id=note)
    whole = desk.as_owner("get_record", id=note)
    assert whole["record"]["status"] == "active"
    assert [step["action"] for step in whole["history"]] == ["restore", "delete", "create"]


def test_an_explained_search_that_finds_nothing_says_so_and_what_to_do(desk: Desk) -> None:
    nothing = desk.answer("explain_search", query="zzyzx quux").text
    assert nothing.startswith("no results: ask in other words")
    desk("save_context", content="Parcels are labelled by the depot in Ghent.")
    beside = desk.answer("explain_search", query="parcels eat green cheese on the moon").text
    said, _, lost = beside.partition("\n")
    assert said.startswith("no results: what came nearest is below")
    assert lost.startswith("left out: ")
    found = desk.answer("explain_search", query="who labels parcels at the depot").text
    assert "no results" not in found


@pytest.mark.parametrize("search", ["context_search", "recall_context"])
def test_a_record_that_a_search_returns_to_an_agent_counts_as_used(desk: Desk, search: str) -> None:
    note = desk("save_context", content="Parcels are labelled by the depot in Ghent.")["id"]
    other = desk("save_context", content="Invoices are rounded once, at the end.")["id"]
    desk(search, query="who labels parcels at the depot", limit=1)
    desk.host.flush()
    assert desk.as_owner("get_record", id=note)["record"]["usage_count"] == 1
    assert desk.as_owner("get_record", id=other)["record"]["usage_count"] == 0


def test_an_explained_search_adds_up_and_counts_no_use_and_no_miss(desk: Desk) -> None:
    note = desk("save_context", content="Parcels are labelled by the depot in Ghent.")["id"]
    found = desk.as_owner("explain_search", query="who labels parcels at the depot")
    hit = found["hits"][0]
    assert hit["record"]["id"] == note
    assert hit["score"] == pytest.approx(sum(p["amount"] for p in hit["parts"]), abs=1e-3)
    assert desk.as_owner("explain_search", query="zzyzx quux")["hits"] == []
    desk.host.flush()
    assert desk.as_owner("get_record", id=note)["record"]["usage_count"] == 0
    activity = desk.as_owner("activity", days=1)["days"][-1]
    assert activity["misses"] == 0
    assert activity["writes"] == 1


def test_activity_says_whether_the_log_still_covers_all_of_its_days(desk: Desk) -> None:
    for number in range(3):
        desk("save_context", content=f"Shelf number {number} holds spare parts.")
    desk.host.flush()
    assert desk.as_owner("activity")["complete"]
    # As when newer observations have pushed the older ones out.
    with open_database(database_path(desk.host.settings.home, LOCAL)) as connection:
        connection.execute(
            "DELETE FROM observations WHERE seq < (SELECT max(seq) FROM observations)"
        )
    assert not desk.as_owner("activity")["complete"]


def test_ages_put_every_record_into_one_span(desk: Desk) -> None:
    for number in range(3):
        desk("save_context", content=f"Shelf number {number} holds spare parts.")
    spans = desk.as_owner("record_ages")["spans"]
    assert [span["count"] for span in spans] == [3, 0, 0, 0, 0, 0, 0]
    assert [span["fresh"] for span in spans] == [True] * 4 + [False] * 3


def test_a_sessions_timeline_has_its_messages_and_what_it_learned(desk: Desk) -> None:
    session = desk("session_start", task_description="Label the parcels")["session_id"]
    desk("session_log", session_id=session, role="user", text="Please label them.")
    desk("session_log", session_id=session, role="assistant", text="Done.")
    row = desk.as_owner("list_sessions")["sessions"][0]
    assert (row["id"], row["task"], row["status"]) == (session, "Label the parcels", "active")
    line = desk.as_owner("session_timeline", session_id=session[:8])
    said = [m["text"] for m in line["moments"] if m["type"] == "message"]
    assert said == ["Please label them.", "Done."]
    assert line["counts"]["message"] == 2
    first = next(m["seq"] for m in line["moments"] if m["text"] == "Please label them.")
    later = desk.as_owner("session_timeline", session_id=session, after=first)
    assert [m["text"] for m in later["moments"] if m["type"] == "message"] == ["Done."]


def test_the_same_call_in_a_row_is_one_moment(desk: Desk) -> None:
    agent = desk.connected("one")
    session = agent("session_start", task_description="Read")["session_id"]
    for _ in range(3):
        agent("read_file", path="package.json")
    desk.host.flush()
    line = desk.as_owner("session_timeline", session_id=session)
    reads = [m for m in line["moments"] if m["operation"] == "read_file"]
    assert [m["count"] for m in reads] == [3]
    assert line["files"][0]["count"] == 3


def test_an_unknown_session_is_not_found(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.as_owner("session_timeline", session_id="ffffffff")


def test_projects_are_listed_with_the_current_one(desk: Desk) -> None:
    desk("list_contexts")
    found = desk.as_owner("list_projects")
    assert found["current"] == "local/default/shop"
    assert [p["slug"] for p in found["projects"]] == ["blog", "shop"]


SECRET = "AKIA" + "Q3EGRTX5YV2LWJ7N"


def test_a_secret_typed_by_hand_is_taken_out_before_anything_is_kept(desk: Desk) -> None:
    note = desk("save_context", content="The bucket is read with a role.")
    given = {
        "title": f"key {SECRET}",
        "content": f"The bucket is read with {SECRET}.",
        "tags": [f"aws {SECRET}"],
        "data": {"hint": {"where": [f"use {SECRET}"]}},
    }
    trial = desk.as_owner("edit_record", id=note["id"], dry_run=True, **given)
    assert trial["redacted"] == 4
    assert SECRET not in str(trial), "what is shown is what would be stored"
    saved = desk.as_owner("edit_record", id=note["id"], **given)
    assert (saved["saved"], saved["redacted"]) == (True, 4)
    desk("update_context", id=note["id"], content=f"Now it is {SECRET}, really.")
    desk("report_usefulness", context_ids=[note["id"]], useful=True, notes=f"with {SECRET}")
    desk("recall_context", query=f"who has {SECRET}")
    desk.host.close()
    for path in desk.host.settings.home.rglob("*"):
        kept = path.read_bytes() if path.is_file() else b""
        assert SECRET.lower().encode() not in kept.lower(), path.name


def test_an_edit_may_not_hold_what_a_new_record_may_not(desk: Desk) -> None:
    note = desk("save_context", content="The bucket is read with a role.")
    for operation in ("edit_record", "update_context"):
        with pytest.raises(TooLarge):
            desk(operation, id=note["id"], content="x" * 50_001)
    assert (
        desk.as_owner("get_record", id=note["id"])["content"] == "The bucket is read with a role."
    )


def test_records_are_listed_and_found_by_source_and_by_trust(desk: Desk) -> None:
    desk("save_context", content="The parcel label is printed twice.", source="ada")
    desk("save_context", content="The parcel label is never stored.", source="bob")
    mine = desk.as_owner("list_records", source="ada")
    assert [r["source"] for r in mine["records"]] == ["ada"]
    assert mine["total"] == 1
    assert desk.as_owner("list_records", trust="human")["total"] == 0
    hits = desk.as_owner("explain_search", query="parcel label", source="bob", trust="agent")[
        "hits"
    ]
    assert [hit["record"]["source"] for hit in hits] == ["bob"]
    with pytest.raises(ContextdError) as refusal:
        desk.as_owner("list_records", trust="nobody")
    assert refusal.value.hint


def test_a_failed_job_is_tried_again_and_no_other(desk: Desk) -> None:
    failed = desk.failed_job("find_contradictions", "the disk is full")
    [row] = desk.as_owner("jobs", state="failed")["jobs"]
    assert (row["error"], row["about"] != "") == ("the disk is full", True)
    assert desk.as_owner("retry_job", id=failed[:8])["state"] == "ready"
    for id in (failed, "ffffffff"):
        with pytest.raises(ContextdError) as refusal:
            desk.as_owner("retry_job", id=id)
        assert refusal.value.hint


def test_looking_through_the_pages_counts_as_no_demand(desk: Desk) -> None:
    web = desk.on("web")
    before = desk.usage()
    web("list_contradictions")
    web("recall_context", query="what nobody wrote down")
    web("save_context", content="Somebody wrote this in the browser.")
    desk("list_contradictions")
    after = desk.usage()
    assert (after.reads - before.reads, after.misses) == (1, before.misses)
    assert after.writes == before.writes + 1
