"""Every suggestion of a gap is carried out: the calls it names work, and close it where they can."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from contextd.app import load_operations
from contextd.runtime.operation import OPERATIONS
from support.repositories import git

load_operations()

SCHEMA = """version: 1
types:
  runbook:
    description: "How to deploy"
    fields:
      steps: {type: string, required: true}
      risk: {type: enum, values: [low, high], required: true}
      minutes: {type: number, required: true}
      owners: {type: "string[]", required: true}
      safe: {type: boolean, required: true}
  idea:
    fields:
      text: {type: string}
"""
TOPICS = {
    "errors": ["error handling", "how do we handle errors", "errors strategy", "error rules", "handling errors"],
    "cache": ["caching", "how long are things cached", "cache policy", "cache config", "cached how"],
    "docker": ["docker setup", "docker image", "which docker", "docker conventions", "set up docker"],
    "branches": ["branch naming", "how to name branches", "branch names", "naming a branch", "branch name rule"],
}  # fmt: skip


def gap_of(desk, kind):
    desk.host.flush()
    found = [gap for gap in desk("get_gaps")["gaps"] if gap["kind"] == kind]
    return found[0] if found else None


def filled_in(value):
    """A suggested argument, with something in the place of what only the user knows."""
    if isinstance(value, dict):
        return {name: filled_in(part) for name, part in value.items()}
    if isinstance(value, list):
        return [filled_in(part) for part in value]
    return re.sub(r"<.*>", "we ask Ada", value) if isinstance(value, str) else value


def follow(desk, gap):
    assert gap["calls"]
    for call in gap["calls"]:
        assert call["operation"] in gap["suggestion"] or call["operation"] == "report_usefulness"
        caller = desk if OPERATIONS[call["operation"]].tool else desk.on("cli")
        caller(call["operation"], **filled_in(call["arguments"]))


def note(desk, text):
    return desk("save_context", content=text)["id"]


def aged(desk, id, days=120, **changed):
    record = desk.record(id)
    then = record.updated_at - timedelta(days=days)
    desk.put(record.with_(updated_at=then, created_at=then, **changed), "age")


def test_an_empty_type_is_filled_by_the_call_it_names(desk):
    (desk.root / ".context").mkdir(exist_ok=True)
    (desk.root / ".context" / "schema.yaml").write_text(SCHEMA)
    assert gap_of(desk, "empty_type")["subjects"] == ["runbook"]
    follow(desk, gap_of(desk, "empty_type"))
    assert gap_of(desk, "empty_type")["subjects"] == ["idea"]
    follow(desk, gap_of(desk, "empty_type"))
    assert gap_of(desk, "empty_type") is None


def test_a_missed_question_is_answered_by_the_call_it_names(desk):
    desk("recall_context", query="deployment of the shop")
    follow(desk, gap_of(desk, "missed"))
    assert gap_of(desk, "missed") is None


def test_an_answer_to_one_way_of_asking_closes_the_gap_of_all_of_them(desk):
    for query in TOPICS["errors"]:
        desk("recall_context", query=query)
    assert gap_of(desk, "missed")["count"] == 5
    note(desk, "Errors: one middleware is our strategy")
    assert gap_of(desk, "missed") is None


def test_without_an_embedder_questions_that_no_words_answer_are_gaps(open_desk):
    desk = open_desk(embedder_name="none")
    for queries in TOPICS.values():
        for query in queries:
            desk("recall_context", query=query)
    desk.host.flush()
    missed = [gap for gap in desk("get_gaps")["gaps"] if gap["kind"] == "missed"]
    assert {query for gap in missed for query in gap["subjects"]} == {
        query for queries in TOPICS.values() for query in queries
    }


def test_questions_of_one_topic_are_one_gap(open_desk):
    desk = open_desk(embedder_name="minilm")
    for queries in TOPICS.values():
        for query in queries:
            desk("recall_context", query=query)
    desk.host.flush()
    gaps = [gap for gap in desk("get_gaps")["gaps"] if gap["kind"] == "missed"]
    assert sorted(len(gap["subjects"]) for gap in gaps) == [5, 5, 5, 5]
    assert {frozenset(gap["subjects"]) for gap in gaps} == {frozenset(q) for q in TOPICS.values()}


def test_the_briefing_tells_questions_as_gaps_do(desk):
    for query in TOPICS["errors"]:
        desk("recall_context", query=query)
    gap = gap_of(desk, "missed")
    assert gap["description"] in desk("briefing_get")["briefing"]


def test_stale_notes_are_fresh_again_once_confirmed(desk):
    ids = [note(desk, f"Rule number {word} of the shop holds") for word in ("ruby", "gold", "jade")]
    for id in ids:
        aged(desk, id)
    assert sorted(gap_of(desk, "stale")["subjects"]) == sorted(ids)
    follow(desk, gap_of(desk, "stale"))
    assert gap_of(desk, "stale") is None


def test_a_type_in_demand_that_grew_old_can_be_gone_through(desk):
    aged(desk, note(desk, "Invoices are rounded to whole cents"))
    for _ in range(12):
        desk("recall_context", query="invoices rounded")
    follow(desk, gap_of(desk, "stale_demand"))


def test_a_note_about_changed_code_is_anchored_anew_once_confirmed(desk):
    id = note(desk, "Tokens live 900 seconds, see src/auth/token.ts")
    record = desk.record(id)
    anchor = replace(record.anchor, paths={"src/auth/token.ts": "0" * 40})
    desk.put(record.with_(anchor=anchor), "anchor")
    assert gap_of(desk, "changed_files")["subjects"] == [id]
    follow(desk, gap_of(desk, "changed_files"))
    assert gap_of(desk, "changed_files") is None


def test_a_silent_module_and_a_noisy_note_have_calls_that_work(desk):
    desk.as_owner("init")
    follow(desk, gap_of(desk, "module"))
    id = note(desk, "Images are served from the edge cache")
    for _ in range(2):
        desk("report_usefulness", context_ids=[id], useful=False)
    follow(desk, gap_of(desk, "noise"))
    assert gap_of(desk, "noise") is None
    assert desk.record(id).status == "deleted"


@pytest.mark.parametrize("operation", ["report_usefulness", "memory_feedback"])
def test_feedback_makes_no_record_look_fresh(desk, operation):
    id = note(desk, "Support tickets are closed after two weeks")
    aged(desk, id)
    before = desk("introspect")["freshness"]
    given = {"context_ids": [id], "useful": True}
    if operation == "memory_feedback":
        given = {"memory_id": id, "helpful": True}
    desk(operation, **given)
    after = desk("introspect")["freshness"]
    assert before["stale"] == 1
    assert (after["stale"], after["recentlyUpdated"]) == (1, before["recentlyUpdated"])


def test_the_owner_is_who_the_preferences_say_then_user_md_then_git_then_the_caller(desk, tmp_path):
    git(desk.root, "config", "user.name", "Ada L")
    assert desk("introspect")["identity"]["owner"] == "Ada L"
    viewer = desk.by("viewer", desk.scope.project)
    assert viewer("introspect")["identity"]["owner"] == "viewer"
    (tmp_path / "home" / "USER.md").write_text("# User\n\n- **Name:** Ada Lovelace\n")
    assert desk("introspect")["identity"]["owner"] == "Ada Lovelace"
    (desk.root / ".context").mkdir(exist_ok=True)
    (desk.root / ".context" / "schema.yaml").write_text(
        "version: 1\ntypes:\n  preference:\n    fields:\n      domain: {type: string}\n"
        "      rule: {type: string}\n"
    )
    for domain, rule in (
        ("naming", "Name booleans with is or has"),
        ("name", "Prefix interfaces with I"),
        ("identity", "Use Okta for every login"),
        ("code-owner", "Grace Hopper"),
    ):
        desk("save_typed_context", type="preference", data={"domain": domain, "rule": rule})
    assert desk("introspect")["identity"]["owner"] == "Ada Lovelace"
    grace = {"domain": "identity", "rule": "My name is Grace Hopper."}
    desk("save_typed_context", type="preference", data=grace)
    assert desk("introspect")["identity"]["owner"] == "Grace Hopper"
