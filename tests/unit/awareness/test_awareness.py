"""The store about itself, through the operations that agents call."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from contextd.awareness.export import LARGEST
from contextd.domain.awareness import Contradiction
from contextd.domain.changes import Changes, KnowledgeChanges
from contextd.domain.usage import ByProducts, RecordUse
from contextd_common.errors import ContextdError
from support.repositories import git

SCHEMA = """version: 1
types:
  decision:
    description: "Architectural decisions"
    fields:
      what: {type: string, required: true}
      why: {type: string}
  runbook:
    description: "How to deploy"
    fields:
      steps: {type: string, required: true}
"""
SEED_KEYS = {
    "identity": [
        "owner", "contextCount", "typeBreakdown", "bubbleCount", "oldestEntry", "newestEntry",
    ],
    "coverage": ["typesWithEntries", "typesEmpty", "untyped"],
    "freshness": ["recentlyUpdated", "stale", "stalestEntries"],
    "health": ["coverageScore", "freshnessScore", "overallHealth", "reasons"],
}  # fmt: skip
NOTES = [
    "Deploy the shop from the release branch only",
    "Invoices are rounded half up to whole cents",
    "The search index is rebuilt every night",
    "Images are served from the edge cache",
    "Feature flags live in the billing database",
    "Support tickets are closed after two weeks of silence",
]


@pytest.fixture
def shop(desk):
    (desk.root / ".context").mkdir(exist_ok=True)
    (desk.root / ".context" / "schema.yaml").write_text(SCHEMA)
    return desk


def saved(desk, *texts):
    ids = [desk("save_context", content=text)["id"] for text in texts]
    desk.host.flush()
    return ids


def aged(desk, id, days):
    """As if the record had not been changed for so long."""
    record = desk.record(id)
    then = record.updated_at - timedelta(days=days)
    desk.put(record.with_(updated_at=then, created_at=then), "age")


def test_an_empty_store_says_so_in_the_shape_of_the_seed(shop):
    answer = shop.answer("introspect")
    model = answer.value
    assert list(model) == [
        "identity", "coverage", "freshness", "gaps", "contradictions", "health",
    ]  # fmt: skip
    assert {name: list(model[name]) for name in SEED_KEYS} == SEED_KEYS
    assert model["identity"]["contextCount"] == 0
    assert model["coverage"]["typesEmpty"] == ["decision", "runbook"]
    assert model["health"] == {
        "coverageScore": 0.0, "freshnessScore": 0.0, "overallHealth": "sparse",
        "reasons": [
            "no entries; below 5 there is too little to judge", "no entries of decision, runbook",
        ],
    }  # fmt: skip
    assert all(list(gap) == ["description", "severity", "suggestion"] for gap in model["gaps"])
    assert answer.text.startswith("I am the context store for this workspace.")
    assert "Type 'runbook' is defined in your schema but has 0 entries." in answer.text


def test_a_healthy_store_counts_types_and_has_nothing_to_complain_about(shop):
    shop("save_typed_context", type="decision", data={"what": "Use Redis for the job queue"})
    shop("save_typed_context", type="runbook", data={"steps": "tag the commit and push it"})
    saved(shop, *NOTES)
    model = shop("introspect")
    assert model["identity"]["contextCount"] == 8
    assert model["identity"]["typeBreakdown"] == {"context": 6, "decision": 1, "runbook": 1}
    assert model["coverage"]["untyped"] == 6
    assert model["freshness"] == {"recentlyUpdated": 8, "stale": 0, "stalestEntries": []}
    assert model["health"]["overallHealth"] == "healthy"


def test_a_sparse_store_is_called_sparse_however_fresh(desk):
    saved(desk, NOTES[0])
    assert desk("introspect")["health"]["overallHealth"] == "sparse"


def test_a_stale_store_needs_attention_and_names_its_oldest_entries(desk):
    ids = saved(desk, *NOTES)
    for place, id in enumerate(ids[:4]):
        aged(desk, id, 100 + place)
    model = desk("introspect")
    assert model["freshness"]["stale"] == 4
    assert model["freshness"]["stalestEntries"][0]["id"] == ids[3]
    assert model["health"]["overallHealth"] == "needs-attention"
    assert any("4 entries are older than 90 days" in gap["description"] for gap in model["gaps"])


def test_a_contradiction_is_noted_at_the_write_and_settled_by_whoever_knows(desk):
    one, other = saved(
        desk,
        "Always use tabs for indentation in the frontend",
        "Never use tabs for indentation in the frontend",
    )
    model = desk("introspect")
    assert {model["contradictions"][0]["entryA"], model["contradictions"][0]["entryB"]} == {
        one, other,
    }  # fmt: skip
    found = desk("context_search", query="tabs for indentation in the frontend")["results"]
    said = {hit["id"]: hit["contradicts"] for hit in found}
    assert said == {one: other[:8], other: one[:8]}
    [dispute] = desk("list_contradictions")["contradictions"]
    keep = "a" if dispute["a"]["id"] == other else "b"
    assert (dispute["proposal"], dispute["why"]) == (keep, "it is newer")
    done = desk("resolve_contradiction", id=dispute["id"], keep=keep, note="the team agreed")
    assert (done["kept"], done["superseded"]) == ([other], [one])
    loser = desk.record(one)
    assert (loser.status, loser.canonical_id) == ("superseded", other)
    assert loser.valid_to is not None
    assert desk("list_contradictions")["contradictions"] == []
    assert desk("introspect")["contradictions"] == []
    [hit] = desk("context_search", query="tabs for indentation in the frontend")["results"]
    assert hit["contradicts"] == ""
    desk.as_owner("undo", id=one)
    assert len(desk("list_contradictions")["contradictions"]) == 1


def test_a_record_that_lost_a_contradiction_holds_again_once_it_is_restored(desk):
    one, other = saved(
        desk,
        "Always use tabs for indentation in the frontend",
        "Never use tabs for indentation in the frontend",
    )
    [dispute] = desk("list_contradictions")["contradictions"]
    keep = "a" if dispute["a"]["id"] == other else "b"
    desk("resolve_contradiction", id=dispute["id"], keep=keep)
    desk.as_owner("restore_record", id=one)
    restored = desk.record(one)
    assert (restored.status, restored.canonical_id, restored.valid_to) == ("active", "", None)
    found = desk("context_search", query="tabs for indentation in the frontend")["results"]
    assert {hit["id"]: hit["contradicts"] for hit in found} == {one: other[:8], other: one[:8]}


def test_keeping_both_dismisses_a_contradiction_for_good(desk):
    saved(
        desk,
        "Always use tabs for indentation in the frontend",
        "Never use tabs for indentation in the frontend",
    )
    [dispute] = desk("list_contradictions")["contradictions"]
    desk("resolve_contradiction", id=dispute["id"], keep="both", note="two frontends")
    desk.as_owner("compare_records")
    desk.host.work_off()
    assert desk("list_contradictions")["contradictions"] == []
    [kept] = desk("list_contradictions", state="dismissed")["contradictions"]
    assert kept["note"] == "two frontends"


def test_a_dismissal_outlasts_a_change_of_one_side(desk):
    one, _ = saved(
        desk,
        "Always use tabs for indentation in the frontend",
        "Never use tabs for indentation in the frontend",
    )
    [dispute] = desk("list_contradictions")["contradictions"]
    desk("resolve_contradiction", id=dispute["id"], keep="both", note="two frontends")
    for content in ("The frontend has a dark theme.", "Always use tabs for indentation in there"):
        desk("update_context", id=one, content=content)
        desk.host.flush()
        [kept] = desk("list_contradictions", state="dismissed")["contradictions"]
        assert kept["note"] == "two frontends"
    assert desk("list_contradictions")["contradictions"] == []


def test_a_memory_that_another_contradicts_says_so_where_it_is_recalled(desk):
    def record(content):
        told = {"title": "Tabs", "description": "When writing code", "outcome": "success"}
        return desk("memory_record", content=content, **told)["id"]

    one = record("Always use tabs for indentation in the frontend.")
    other = record("Never use tabs for indentation in the frontend.")
    assert len(desk("list_contradictions")["contradictions"]) == 1
    found = desk("memory_search", query="tabs for indentation in the frontend")["memories"]
    said = {memory["id"]: memory["contradicts"] for memory in found}
    assert said == {one: other[:8], other: one[:8]}


def test_keeping_neither_supersedes_both(desk):
    ids = saved(
        desk,
        "The session timeout is 15 minutes",
        "The session timeout is 30 minutes",
    )
    [dispute] = desk("list_contradictions")["contradictions"]
    assert sorted(
        desk("resolve_contradiction", id=dispute["id"], keep="neither")["superseded"]
    ) == (sorted(ids))


def test_correcting_a_record_ends_its_contradiction(desk):
    _, other = saved(desk, "The session timeout is 15 minutes", "The session timeout is 30 minutes")
    desk("update_context", id=other, content="The session timeout is 15 minutes, as agreed")
    desk.host.flush()
    assert desk("list_contradictions")["contradictions"] == []


def test_the_job_finds_what_was_never_compared_at_a_write(desk):
    one, other = saved(
        desk, "The session timeout is 15 minutes", "The session timeout is 30 minutes"
    )
    a, b = min(one, other), max(one, other)
    desk.view.commit(Changes(knowledge=KnowledgeChanges(agree=[(a, b)])))
    assert desk.view.contradictions.of(one) == []
    desk.as_owner("compare_records")
    desk.host.work_off()
    assert [(p.a, p.b) for p in desk.view.contradictions.of(one)] == [(a, b)]


@pytest.mark.parametrize("id", ["nonsense", "abcd1234+efgh5678"])
def test_a_contradiction_that_is_none_is_refused_with_a_hint(desk, id):
    with pytest.raises(ContextdError) as refusal:
        desk("resolve_contradiction", id=id, keep="a")
    assert refusal.value.hint


def test_one_question_asked_five_ways_is_one_gap_and_closes_when_answered(desk):
    for query in (
        "error handling", "error handling strategy", "how are errors handled",
        "handling of errors", "error handling",
    ):  # fmt: skip
        desk("recall_context", query=query)
    desk.host.flush()
    missed = [gap for gap in desk("get_gaps")["gaps"] if gap["kind"] == "missed"]
    assert [(gap["count"], gap["severity"]) for gap in missed] == [(5, "warning")]
    assert missed[0]["last"]
    assert "remember the answer" in missed[0]["suggestion"]
    saved(desk, "Errors: the error handling strategy is one handler that handled every error")
    assert [gap for gap in desk("get_gaps")["gaps"] if gap["kind"] == "missed"] == []


def test_a_cited_file_that_changed_is_a_gap(desk):
    [id] = saved(desk, "Tokens live 900 seconds")
    record = desk.record(id)
    anchor = replace(record.anchor, paths={"src/auth/token.ts": "0" * 40})
    desk.put(record.with_(anchor=anchor), "anchor")
    [gap] = [gap for gap in desk("get_gaps")["gaps"] if gap["kind"] == "changed_files"]
    assert gap["subjects"] == [id]
    assert "src/auth/token.ts" in gap["description"]


def test_reports_change_scores_and_the_order_of_answers(desk):
    one, other = saved(
        desk,
        "Upload retries use exponential backoff with jitter in the worker",
        "Upload retries use a circuit breaker around the gateway client",
    )
    before = [e["id"] for e in desk("recall_context", query="upload retries")["entries"]]
    answer = desk("report_usefulness", context_ids=[before[-1]], useful=True, notes="saved an hour")
    assert answer["acknowledged"] is True
    assert answer["scores"] == [
        {"id": before[-1], "confidence": 0.9, "helpful": 1, "unhelpful": 0},
    ]
    desk("report_usefulness", context_ids=[before[0][:8]], useful=False)
    after = [e["id"] for e in desk("recall_context", query="upload retries")["entries"]]
    assert (sorted(before), after) == (sorted([one, other]), before[::-1])
    reasons = [change["reason"] for change in desk.as_owner("history", id=before[-1])["changes"]]
    assert reasons[-1] == "helpful: saved an hour"


def test_a_report_about_nobody_changes_nothing(desk):
    [id] = saved(desk, NOTES[0])
    with pytest.raises(ContextdError):
        desk("report_usefulness", context_ids=[id, "ffffffff"], useful=True)
    with pytest.raises(ContextdError):
        desk("report_usefulness", context_ids=[], useful=True)
    assert desk.record(id).helpful == 0


def test_only_what_was_reported_as_no_help_is_noise_until_it_helps(desk):
    shown, refused, once = saved(desk, *NOTES[:3])
    desk.upkeep.note(ByProducts(uses=[RecordUse(desk.scope, shown)] * 50))
    assert desk("list_noise")["entries"] == []
    for id in (refused, refused, once):
        desk("report_usefulness", context_ids=[id], useful=False)
    assert [e["id"] for e in desk("list_noise")["entries"]] == [refused]
    desk.upkeep.note(ByProducts(uses=[RecordUse(desk.scope, once)] * 10))
    assert {e["id"] for e in desk("list_noise")["entries"]} == {refused, once}
    assert any(gap["kind"] == "noise" for gap in desk("get_gaps")["gaps"])
    desk("report_usefulness", context_ids=[refused, once], useful=True)
    assert desk("list_noise")["entries"] == []


def test_briefings_and_injections_do_not_count_as_reads_of_a_record(desk):
    [id] = saved(desk, NOTES[0])
    for _ in range(3):
        desk.connected("one")("session_start", task_description="Deploy the shop")
        desk("briefing_get", task="Deploy the shop")
    desk.host.flush()
    assert desk.record(id).usage_count == 0
    desk("recall_context", query="deploy the shop")
    desk("recall_context", query="release branch")
    desk.host.flush()
    assert desk.record(id).usage_count == 2


def test_the_export_has_the_seeds_shape_and_stays_under_its_limit(desk, tmp_path):
    [id] = saved(desk, NOTES[0])
    desk("report_usefulness", context_ids=[id], useful=True)
    desk("recall_context", query=f"nothing is known about {'x' * 300}")
    [miss] = desk.observed(1)
    assert miss.action == "miss"
    for number in range(1_099):
        desk.runtime().sinks.observe(replace(miss, query=f"{miss.query} {number}"))
    desk.host.flush()
    target = tmp_path / "awareness.json"
    told = desk.as_owner("export_awareness", path=str(target))
    body = json.loads(target.read_bytes())
    assert told["bytes"] == target.stat().st_size <= LARGEST
    assert list(body) == ["events", "summary", "usefulness"]
    assert list(body["summary"]) == [
        "totalReads", "totalWrites", "totalMisses", "missedQueries", "typeReadFrequency",
        "typeWriteFrequency", "lastActivity",
    ]  # fmt: skip
    assert body["summary"]["totalMisses"] == 1_100
    assert body["usefulness"] == {"helpful": {id: 1}, "unhelpful": {}}
    assert {e["action"] for e in body["events"]} <= {
        "read", "write", "update", "delete", "query_miss",
    }  # fmt: skip
    assert len(body["events"]) >= 500


def test_a_contradiction_is_told_in_the_form_of_the_seed(shop):
    one = shop(
        "save_typed_context", type="decision", data={"what": "prefer composition over inheritance"}
    )
    other = shop(
        "save_typed_context", type="decision", data={"what": "chose class-based inheritance"}
    )
    first, second = sorted((one, other), key=lambda entry: entry["id"])
    said = {e["id"]: e["structuredData"]["what"] for e in (one, other)}
    lines = shop.answer("introspect").text.splitlines()
    at = lines.index("Contradictions:")
    assert lines[at + 1] == f"  ⚠ Entry {first['id'][:8]} says '{said[first['id']]}'"
    assert lines[at + 2].startswith(
        f"    but entry {second['id'][:8]} says '{said[second['id']]}' ("
    )
    assert lines[at + 3].startswith("    Consider resolving with ")


@pytest.fixture
def blog(shop, tmp_path):
    """Another project of the same home."""
    root = tmp_path / "blog"
    root.mkdir()
    git(root, "init", "-q")
    return shop.at(root)


def test_unanswered_queries_of_one_project_are_no_gap_of_another(shop, blog):
    for _ in range(3):
        shop("recall_context", query="how do we rotate the signing keys")
    blog("recall_context", query="who approves guest posts")
    shop.host.flush()
    asked = {
        name: [gap["subjects"] for gap in desk("get_gaps")["gaps"] if gap["kind"] == "missed"]
        for name, desk in (("shop", shop), ("blog", blog))
    }
    assert asked == {
        "shop": [["how do we rotate the signing keys"]],
        "blog": [["who approves guest posts"]],
    }
    assert "signing keys" not in str(blog("introspect"))
    assert "signing keys" not in blog.answer("briefing_get").text
    bodies = {}
    for name, desk in (("shop", shop), ("blog", blog)):
        path = desk.root / "awareness.json"
        desk.as_owner("export_awareness", path=str(path))
        bodies[name] = json.loads(path.read_text())
    assert bodies["blog"]["summary"]["missedQueries"] == ["who approves guest posts"]
    assert bodies["shop"]["summary"]["totalMisses"] == 3
    assert sum(day["misses"] for day in blog.as_owner("activity")["days"]) == 1


def test_a_call_outside_of_any_project_sees_the_whole_home(shop, blog, neighbour):
    saved(shop, NOTES[0])
    saved(blog, NOTES[1])
    shop("recall_context", query="how do we rotate the signing keys")
    blog("recall_context", query="who approves guest posts")
    shop.host.flush()
    nowhere = shop.nowhere()
    gaps = nowhere("get_gaps")["gaps"]
    assert {q for gap in gaps if gap["kind"] == "missed" for q in gap["subjects"]} == {
        "how do we rotate the signing keys",
        "who approves guest posts",
        "quantum flux",
    }
    theirs = neighbour.desk(shop.host).on("web")("introspect")["identity"]["contextCount"]
    assert theirs > 0
    assert nowhere("introspect")["identity"]["contextCount"] == 2 + theirs
    assert shop("introspect")["identity"]["contextCount"] == 1


def test_a_comparison_of_all_records_lists_what_disagrees_and_drops_what_no_longer_does(desk):
    one, other, third = saved(
        desk,
        "The upload timeout of the shop is 30 seconds",
        "Deploys of the shop run on Fridays",
        "The cart of the shop keeps ten items",
    )
    # As if both were noted by a version that compared otherwise, or before one was edited.
    now = desk.runtime().clock.now()
    pairs = [
        Contradiction(a=min(one, it), b=max(one, it), kind="value", reason="x", found_at=now)
        for it in (other, third)
    ]
    desk.runtime().commit(knowledge=KnowledgeChanges(disagree=pairs))
    desk.put(
        desk.record(other).with_(content="The upload timeout of the shop is 60 seconds"), "edit"
    )
    desk.as_owner("compare_records")
    desk.host.work_off()
    [dispute] = desk("list_contradictions")["contradictions"]
    assert {dispute["a"]["id"], dispute["b"]["id"]} == {one, other}
    assert dispute["reason"] != "x"
