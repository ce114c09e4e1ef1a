"""Typed entries contradict and renew each other only where they are about the same thing."""

from __future__ import annotations

import pytest

SCHEMA = """version: 1
types:
  preference:
    fields:
      domain: {type: string, required: true}
      rule: {type: string, required: true}
      strength: {type: enum, values: [strong, mild, flexible]}
  bug_pattern:
    fields:
      symptom: {type: string, required: true}
      occurrences: {type: number}
  quota:
    fields:
      spot: {type: string, identifies: true}
      rule: {type: string, required: true}
"""
UNRELATED = [
    ("naming", "Name booleans with is or has", "strong"),
    ("commits", "Use conventional commits", "flexible"),
    ("testing", "Write the failing test first", "strong"),
    ("docs", "Explain why, not what, in comments", "mild"),
    ("communication", "Answer in German", "strong"),
    ("tooling", "Run the linter through make", "mild"),
]


@pytest.fixture
def typed(desk):
    (desk.root / ".context").mkdir(exist_ok=True)
    (desk.root / ".context" / "schema.yaml").write_text(SCHEMA)
    return desk


def kept(desk, type, **data):
    entry = desk("save_typed_context", type=type, data=data)
    desk.host.flush()
    return entry


def disputes(desk):
    desk.as_owner("compare_records")
    desk.host.work_off()
    return desk("list_contradictions")["contradictions"]


def test_unrelated_preferences_contradict_nothing_and_an_opposite_one_is_told(typed):
    for domain, rule, strength in UNRELATED:
        kept(typed, "preference", domain=domain, rule=rule, strength=strength)
    assert disputes(typed) == []
    told = kept(typed, "preference", domain="commits", rule="Never use conventional commits")
    assert "contradicts" in told["note"]
    [dispute] = disputes(typed)
    assert {dispute["a"]["id"], dispute["b"]["id"]} > {told["id"]}


def test_a_newer_counter_is_an_update_that_is_offered_and_no_dispute(typed):
    first = kept(typed, "bug_pattern", symptom="The login test is flaky", occurrences=3)
    other = kept(typed, "bug_pattern", symptom="The docs build hangs", occurrences=9)
    again = kept(typed, "bug_pattern", symptom="The login test is flaky", occurrences=4)
    assert not other["note"]
    assert f"update_context with id={first['id'][:8]}" in again["note"]
    assert "occurrences: 4 / 3" in again["note"]
    assert disputes(typed) == []


def test_entries_with_different_identifying_fields_do_not_contradict(typed):
    kept(typed, "quota", spot="login", rule="Allow bursts of requests")
    other = kept(typed, "quota", spot="search", rule="Never allow bursts of requests")
    assert (other["note"], disputes(typed)) == ("", [])
    shown = typed("describe_schema")["types"]
    [quota] = [one for one in shown if one["name"] == "quota"]
    assert quota["fields"]["spot"]["identifies"] is True
