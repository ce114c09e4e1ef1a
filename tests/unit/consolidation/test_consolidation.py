"""Consolidation as people and agents meet it: what is merged, what never is, and how it is taken back."""

from __future__ import annotations

import pytest

from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.documents import record_document
from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record, new_id
from contextd.runtime.operation import find_operation
from contextd.thin.home import LOCAL
from contextd_common.errors import ContextdError
from support.desks import Desk, Unlost, embedder
from support.repositories import committed

RELEASE = "Add defer conn.Release() after Acquire()"


def remedy(desk: Desk, symptom: str, solution: str, **fields) -> Record:
    """A remediation of the project, as learning keeps it."""
    record = Record(
        id=new_id(),
        kind="remediation",
        scope=fields.pop("scope", desk.scope),
        title=f"Fix: {symptom}",
        content=f"{symptom} when the service is busy",
        data={
            "problem": symptom,
            "symptoms": [symptom],
            "solution": solution,
            "occurrence_count": 1,
            **fields.pop("data", {}),
        },
        session=fields.pop("session", ""),
        **fields,
    )
    desk.put(record, "create")
    return desk.record(record.id)


@pytest.fixture
def pools(desk: Desk) -> list[Record]:
    """Three remediations with one solution, and one with the opposite."""
    desk.as_owner("init")
    found = [
        remedy(desk, "pgx pool exhausted", RELEASE, session="s-1"),
        remedy(desk, "503 responses under load", f"{RELEASE}.", session="s-2"),
        remedy(desk, "timeout while acquiring", "After Acquire(), add defer conn.Release()"),
        remedy(
            desk, "double free of a connection", "Never add defer conn.Release() after Acquire()"
        ),
    ]
    desk.host.work_off()
    return found


def trigger(desk: Desk, collection: str = "remediations", **arguments):
    return desk.as_owner("consolidation_trigger", collection=collection, **arguments)


def statuses(desk: Desk, records: list[Record]) -> list[str]:
    return [desk.record(record.id).status for record in records]


def test_a_dry_run_shows_both_sides_and_changes_nothing(desk, pools):
    before = [desk.record(one.id) for one in pools]
    shown = trigger(desk, dry_run=True)
    [merge] = shown["proposed_merges"]
    assert len(merge["merged"]) == 2
    assert all(side["why"] and side["cosine"] >= 0.85 for side in merge["merged"])
    assert merge["why"].startswith("kept because")
    assert [desk.record(one.id) for one in pools] == before
    assert (shown["items_before"], shown["items_after"]) == (4, 2)


def test_a_merge_unites_symptoms_and_never_takes_in_the_opposite(desk, pools):
    done = trigger(desk)
    assert done["clusters"] == 1
    assert sorted(statuses(desk, pools)) == ["active", "active", "merged", "merged"]
    assert desk.record(pools[3].id).data == pools[3].data
    [stays] = [r for r in map(desk.record, [p.id for p in pools[:3]]) if r.status == "active"]
    merged = [one for one in pools[:3] if one.id != stays.id]
    assert set(stays.data["merged_from"]) == {one.id for one in merged}
    assert {symptom for one in merged for symptom in one.data["symptoms"]} <= {
        stays.data["problem"],
        *stays.data["symptoms"],
    }
    assert stays.data["occurrence_count"] == 3
    assert {"s-1", "s-2"} <= set(stays.data["source_sessions"])
    assert stays.confidence == pytest.approx(pools[0].confidence + 0.1)
    assert {desk.record(one.id).canonical_id for one in merged} == {stays.id}


def test_a_search_by_the_symptom_of_an_original_finds_what_stayed(desk, pools):
    trigger(desk)
    for one in pools[:3]:
        found = desk("memory_search", query=one.data["problem"])["memories"]
        assert found
        assert found[0]["status"] == "active"
        assert one.id == found[0]["id"] or one.id in found[0]["data"]["merged_from"]
        assert not {hit["id"] for hit in found} & set(found[0]["data"]["merged_from"])


@pytest.mark.parametrize("by", ["unmerge", "undo"])
@pytest.mark.parametrize("named", ["what stayed", "an original"])
def test_a_merge_is_taken_back_as_a_whole(desk, pools, by, named):
    before = {one.id: desk.record(one.id) for one in pools}
    trigger(desk)
    merged = [one.id for one in pools if desk.record(one.id).status == "merged"]
    id = merged[0] if named == "an original" else desk.record(merged[0]).canonical_id
    desk.as_owner(by, id=id)
    for one in pools:
        now = desk.record(one.id)
        assert now.with_(version=0) == before[one.id].with_(version=0)
    with pytest.raises(ContextdError):
        desk.as_owner("unmerge", id=id)


def test_an_undone_merge_is_not_repeated_by_the_next_run(desk, pools):
    trigger(desk)
    stays = next(one.id for one in pools[:3] if desk.record(one.id).status == "active")
    desk.as_owner("unmerge", id=stays)
    assert trigger(desk)["clusters"] == 0


def test_edits_of_what_stayed_survive_and_it_is_said(desk, pools):
    trigger(desk)
    stays = next(one.id for one in pools[:3] if desk.record(one.id).status == "active")
    desk.as_owner("edit_record", id=stays, title="Release what you acquire")
    done = desk.answer("unmerge", id=stays)
    assert "was edited since" in done.text
    now = desk.record(stays)
    assert now.title == "Release what you acquire"
    assert "merged_from" not in now.data
    assert now.data["occurrence_count"] == 1
    assert statuses(desk, pools) == ["active"] * 4
    with pytest.raises(ContextdError, match="parted"):
        desk.as_owner("undo", id=stays)


def test_taking_a_merge_back_brings_back_nothing_that_was_deleted_since(desk, pools):
    trigger(desk)
    merged = [one.id for one in pools if desk.record(one.id).status == "merged"]
    desk.as_owner("delete_record", id=merged[0])
    done = desk.answer("unmerge", id=desk.record(merged[1]).canonical_id)
    assert [desk.record(id).status for id in merged] == ["deleted", "active"]
    assert f"{merged[0][:8]} was edited since" in done.text


def test_the_same_knowledge_of_two_projects_stays_in_both(desk, pools, tmp_path):
    other = desk.at(committed(tmp_path / "other", {"a.py": "x = 1\n"}))
    other.as_owner("init")
    theirs = [remedy(other, "pool is empty", RELEASE), remedy(other, "pool is full", RELEASE)]
    desk.host.work_off()
    trigger(desk)
    assert statuses(other, theirs) == ["active", "active"]
    trigger(other)
    assert sorted(statuses(other, theirs)) == ["active", "merged"]
    for one in theirs:
        assert one.id not in {
            id for mine in pools for id in desk.record(mine.id).data.get("merged_from", ())
        }


def test_a_pinned_record_is_kept_over_newer_and_human_ones(desk):
    desk.as_owner("init")
    pinned = remedy(desk, "pool exhausted", RELEASE, tags=("pinned",))
    human = remedy(desk, "503 under load", RELEASE, trust="human")
    newest = remedy(desk, "timeouts", RELEASE)
    [merge] = trigger(desk)["proposed_merges"]
    assert merge["stays"]["id"] == pinned.id
    assert merge["why"] == "kept because it is pinned"
    assert {one["id"] for one in merge["merged"]} == {human.id, newest.id}


def test_memories_are_merged_from_three_on_and_keep_what_the_others_say(desk):
    desk.as_owner("init")
    texts = [
        "Run the migrations before starting the workers",
        "run migrations before starting the workers",
    ]
    ids = [memory(desk, text) for text in texts]
    desk.host.work_off()
    assert trigger(desk, "memories")["clusters"] == 0
    ids.append(memory(desk, "Run the database migrations before starting the workers"))
    memory(desk, "Run the migrations after starting the workers")
    memory(desk, "Run the migrations before starting the workers", outcome="failure")
    desk.host.work_off()
    [merge] = trigger(desk, "memories")["proposed_merges"]
    assert {merge["stays"]["id"], *(one["id"] for one in merge["merged"])} == set(ids)
    stays = desk.record(merge["stays"]["id"])
    assert any("database" in text for text in (stays.content, *stays.data["wordings"]))


def memory(desk: Desk, content: str, **data) -> str:
    record = Record(
        id=new_id(), kind="memory", scope=desk.scope, title="Migrations", content=content,
        data={"outcome": "success", **data},
    )  # fmt: skip
    document = record_document(record)
    vectors = {desk.scope: {document.digest: embedder().embed([document.text])[0]}}
    put = [Put(record, "create")]
    desk.view.commit(
        Changes(knowledge=KnowledgeChanges(records=put, vectors=vectors, model=embedder().model))
    )
    return record.id


def test_disputed_records_are_not_merged(desk):
    desk.as_owner("init")
    ids = [memory(desk, "Run the migrations before starting the workers") for _ in range(3)]
    desk("memory_record", title="Order", description="-", outcome="success",
         content="Run the migrations after starting the workers")  # fmt: skip
    desk.host.work_off()
    pairs = desk("list_contradictions")["contradictions"]
    disputed = {side["id"] for pair in pairs for side in (pair["a"], pair["b"])} & set(ids)
    assert disputed
    merges = trigger(desk, "memories")["proposed_merges"]
    for merge in merges:
        assert not {merge["stays"]["id"], *(o["id"] for o in merge["merged"])} & disputed


def test_the_status_tells_the_last_run(desk, pools):
    def status():
        return desk("consolidation_status", collection="remediations")

    assert status()["last_run"] == ""
    trigger(desk)
    told = status()
    assert (told["items_before"], told["items_after"], told["clusters_merged"]) == (4, 2, 1)
    assert told["schedule"] == "0 3 * * *"
    found = desk("context_search", query="remediations records merges", type="all")["results"]
    assert "consolidation" not in {hit["kind"] for hit in found if "kind" in hit}


def test_who_may_write_there_may_merge_there(desk, pools):
    member = desk.by("team_member")
    with pytest.raises(ContextdError, match="may not write"):
        member("consolidation_trigger", collection="remediations", scope="team")
    with pytest.raises(ContextdError, match="may not"):
        desk.by("viewer")("consolidation_trigger", collection="remediations")
    assert member("consolidation_trigger", collection="remediations")["clusters"] == 1
    with pytest.raises(ContextdError):
        desk("consolidation_trigger", collection="recipes")


def test_by_schedule_it_is_done_at_three_and_again_the_next_night(desk, home, pools):
    home.clock.move(hours=25)
    desk.host.work_off()
    assert sorted(statuses(desk, pools)) == ["active", "active", "merged", "merged"]
    more = [remedy(desk, "pool dry", RELEASE)]
    desk.host.work_off()
    assert statuses(desk, more) == ["active"]
    home.clock.move(hours=25)
    desk.host.work_off()
    assert statuses(desk, more + pools).count("active") == 2
    desk.as_owner("undo", id=more[0].id)


def test_a_collection_that_is_turned_off_is_left_alone(desk, home, pools):
    desk.configure("consolidation:\n  remediations:\n    enabled: false\n    schedule: nonsense\n")
    home.clock.move(hours=25)
    desk.host.work_off()
    assert statuses(desk, pools) == ["active"] * 4


def test_originals_may_stay_in_use(desk, pools):
    desk.configure("consolidation:\n  remediations:\n    archive_originals: false\n")
    assert trigger(desk)["clusters"] == 1
    assert statuses(desk, pools) == ["active"] * 4
    assert trigger(desk)["clusters"] == 0
    joined = next(one.id for one in pools if desk.record(one.id).canonical_id)
    desk("unmerge", id=joined)
    assert not desk.record(joined).canonical_id


def test_weak_records_are_archived_with_the_reason_and_can_be_restored(desk, home, pools):
    weak = remedy(desk, "flaky port", "Restart the runner", trust="extracted", confidence=0.4)
    human = remedy(desk, "flaky disk", "Replace the disk", trust="human", confidence=0.1)
    home.clock.move(hours=24 * 160)
    desk.host.work_off()
    assert desk.record(weak.id).status == "archived"
    assert desk.record(human.id).status == "active"
    told = desk.as_owner("history", id=weak.id)["changes"][-1]
    assert told["action"] == "archive"
    assert "0.40, 0.15" in told["reason"]
    desk.as_owner("undo", id=weak.id)
    assert desk.record(weak.id).status == "active"


def test_without_an_embedder_nothing_is_merged_and_it_is_said(words_only):
    words_only.as_owner("init")
    for symptom in ("one", "two"):
        remedy(words_only, symptom, RELEASE)
    done = trigger(words_only)
    assert done["clusters"] == 0
    assert "embedder" in done["note"]


def everything(desk: Desk) -> dict[str, Record]:
    view = desk.host.organisation(LOCAL).view(desk.caller, [desk.scope])
    query = Query(scopes=frozenset({desk.scope}), statuses=STATUSES, limit=1_000)
    return {record.id: record for record in view.records.find(query).records}


def test_the_hold_of_a_job_is_kept_before_each_commit(desk, pools):
    from contextd.consolidation.operations.consolidation import consolidate_remediations
    from contextd.jobs.table import Task

    hold = Unlost()
    runtime = desk.runtime()
    result = consolidate_remediations(runtime, Task(desk.scope, {}, {}, hold))
    assert result["clusters_merged"] == 1
    assert hold.state["before"] == 4
    again = consolidate_remediations(runtime, Task(desk.scope, {}, hold.state, hold))
    assert again["clusters_merged"] == 1, "counted once, though it was merged before"
    assert again["items_after"] == 2
    assert len(everything(desk)) >= 4


def test_taking_back_that_comes_twice_is_done_once(desk, pools):
    trigger(desk)
    stays = next(r.id for r in pools if desk.record(r.id).status == "active" and r is not pools[3])
    op = find_operation("unmerge")
    calls = [desk.request(key="k", repeated=again) for again in (False, True)]
    answers = [desk.host.call(op.name, call, {"id": stays}) for call in calls]
    assert answers[0] == answers[1]
    assert {desk.record(r.id).status for r in pools} == {"active"}


def test_only_what_was_named_is_merged_and_nothing_is_archived(desk, pools):
    [shown] = trigger(desk, dry_run=True)["proposed_merges"]
    ids = [shown["stays"]["id"], *(side["id"] for side in shown["merged"])]
    part = trigger(desk, ids=ids[:2])
    assert (part["clusters"], statuses(desk, pools)) == (0, ["active"] * 4)
    done = trigger(desk, ids=ids)
    assert (done["clusters"], done["archived"]) == (1, 0)
    assert sorted(statuses(desk, pools)) == ["active", "active", "merged", "merged"]


def test_a_large_collection_is_merged_in_the_background_and_never_only_in_part(
    desk, pools, monkeypatch
):
    monkeypatch.setattr("contextd.consolidation.operations.consolidation._AT_ONCE", 3)
    for arguments in ({"dry_run": True}, {"ids": [pools[0].id]}):
        with pytest.raises(ContextdError, match="more than 3 remediations"):
            trigger(desk, **arguments)
    done = desk.on("cli").answer("consolidation_trigger", collection="remediations")
    assert done.value["job_id"]
    assert "in the background" in done.text
    assert statuses(desk, pools) == ["active"] * 4
    desk.host.work_off()
    assert sorted(statuses(desk, pools)) == ["active", "active", "merged", "merged"]
