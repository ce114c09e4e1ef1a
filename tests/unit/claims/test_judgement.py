"""One judgement of two statements: the same, more, the opposite, newer, or other."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pytest

from contextd.claims.judgement import Said, judge, outlined, repeats, stated, statement_of
from contextd.claims.write_gate import Draft, GateLookup, admit
from contextd.schema.load import parsed_file
from contextd.schema.text import content_of
from contextd_bench.contradiction_pairs import developers
from contextd_bench.contradictions import judged, ours_says
from contextd_bench.unrelated_entries import MADE, entries, schemas


def typed(type: str, fields: Mapping[str, Any], schema: str = "") -> Said:
    types = parsed_file(schema, "", "home").types if schema else {}
    data = {"contextType": type, "structuredData": fields}
    return stated("context", "", content_of(type, fields), data, types)


def text(said: str) -> Said:
    return Said(text=said, kind="context")


@pytest.mark.parametrize("name", schemas())
def test_twenty_unrelated_entries_of_every_type_never_contradict_each_other(name):
    types = schemas()[name]
    said = [statement_of(record, types) for record in entries(types)]
    assert len(said) == MADE * len(types)
    alarms = [(a, b) for a, b in combinations(said, 2) if judge(a, b).verdict != "other"]
    assert alarms == []


@pytest.mark.parametrize(
    ("one", "other", "verdict", "reason"),
    [
        ({"key": "timeout", "value": "5"}, {"key": "Timeout", "value": "6"}, "opposite", "value: 5 / 6"),
        ({"setting": "cache", "on": True}, {"setting": "cache", "on": False}, "opposite", "on: true / false"),
        ({"key": "timeout", "value": "5"}, {"key": "retries", "value": "6"}, "other", ""),
        ({"domain": "style", "rule": "tabs"}, {"domain": "style", "rule": "short lines"}, "other", ""),
        ({"domain": "package manager", "rule": "pnpm"}, {"domain": "package manager", "rule": "npm"}, "opposite", "pnpm / npm"),
        ({"what": "use Redis", "why": "fast"}, {"what": "Use Redis.", "why": "known"}, "refinement", ""),
        ({"key": "port", "value": 1, "project": "shop"}, {"key": "port", "value": 2, "project": "blog"}, "other", "project"),
        ({"symptom": "Flaky login", "occurrences": 3}, {"symptom": "flaky login", "occurrences": 4}, "update", "occurrences: 3 / 4"),
        ({"symptom": "Flaky login", "occurrences": 3}, {"symptom": "Slow login", "occurrences": 4}, "other", ""),
        ({"name": "search", "owner": "Ana"}, {"name": "search", "owner": "Bo"}, "update", "owner: Ana / Bo"),
        ({"what": "Adopt gRPC", "status": "proposed"}, {"what": "Adopt gRPC", "status": "accepted"}, "update", "status"),
        ({"rule": "Never retry uploads", "area": "web"}, {"rule": "Always retry uploads", "area": "web"}, "opposite", "Never"),
        ({"rule": "Never retry uploads", "area": "web"}, {"rule": "Always retry uploads", "area": "billing"}, "other", "area"),
        ({"rule": "Indent with tabs", "applies_to": "Makefiles"}, {"rule": "Indent with spaces"}, "other", ""),
        ({"rule": "Indent with tabs", "strength": "mild"}, {"rule": "Sort imports", "strength": "strong"}, "other", ""),
    ],
)  # fmt: skip
def test_fields_of_entries_are_compared_only_if_the_entries_have_the_same_subject(
    one, other, verdict, reason
):
    for a, b in ((one, other), (other, one)):
        assert judge(typed("fact", a), typed("fact", b)).verdict == verdict
    assert reason in judge(typed("fact", one), typed("fact", other)).reason


def test_the_schema_may_say_what_identifies_an_entry():
    schema = """
types:
  limit:
    fields:
      spot: {type: string, identifies: true}
      rule: {type: string}
"""
    one, other, newer = (
        typed("limit", {"spot": spot, "rule": rule}, schema)
        for spot, rule in (
            ("/login", "Allow 5 requests per minute"),
            ("/search", "Do not allow 5 requests per minute"),
            ("/login", "Ask for a captcha"),
        )
    )
    assert judge(one, other).reason == "they name other things"
    assert judge(one, newer).verdict == "update"
    plain = schema.replace(", identifies: true", "")
    assert (
        judge(typed("limit", one.fields, plain), typed("limit", other.fields, plain)).verdict
        == "opposite"
    )


def test_an_entry_contradicts_free_text_by_what_it_states_not_by_its_field_names():
    entry = typed(
        "preference", {"domain": "css", "rule": "Use Tailwind for styling", "strength": "mild"}
    )
    assert judge(entry, text("We use Bootstrap for styling")).verdict == "opposite"
    assert judge(entry, text("The strength of our team is mild humour")).verdict == "other"
    port = typed("environment", {"name": "Postgres port", "value": "5433"})
    assert judge(port, text("The Postgres port is 5432")).verdict == "opposite"


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("Always install with pnpm, never npm", "always install with pnpm, never npm.", "same"),
        ("Always install with pnpm, never npm", "Always install with npm, never pnpm", "opposite"),
        ("Start the broker before the workers", "Start the workers before the broker", "opposite"),
        ("Merge into main, never into develop", "Merge into develop, never into main", "opposite"),
        ("Retry uploads", "Retry uploads 3 times with backoff", "refinement"),
        ("Retry failed uploads", "Retry failed uploads with jitter", "refinement"),
        ("Sort the imports", "Answer in German", "other"),
        ("Do not use any in TypeScript", "The frontend is written in TypeScript", "other"),
        ("Do not use any in TypeScript", "Indent TypeScript with two spaces", "other"),
        ("Do not use any in TypeScript", "Use any in TypeScript", "opposite"),
        ("Service number 9 owns the ledger", "Service number 12 owns the ledger", "other"),
    ],
)
def test_free_text_is_judged_by_what_it_is_about_and_by_the_roles_of_its_words(one, other, verdict):
    assert judge(text(one), text(other)).verdict == verdict


@pytest.mark.parametrize(
    ("new", "known", "told"),
    [
        ("We use JWT tokens in httpOnly cookies for auth, keep it so.", "Use JWT tokens in httpOnly cookies", True),
        ("Use JWT tokens in httpOnly cookies", "We use JWT tokens stored in httpOnly cookies.", True),
        ("Never use JWT tokens in httpOnly cookies", "Use JWT tokens in httpOnly cookies", False),
        ("The cache is write-through.", "The cache is write-behind.", False),
        ("JWT tokens in httpOnly cookies are refreshed every ten minutes by the gateway", "Use JWT tokens in httpOnly cookies", False),
    ],
)  # fmt: skip
def test_a_learning_that_says_a_known_line_again_needs_no_line_of_its_own(new, known, told):
    assert repeats(new, known) is told


def test_the_gate_offers_an_update_for_a_newer_counter_and_keeps_both():
    before = {"symptom": "Flaky login", "occurrences": 3}
    known = entries(schemas()["written"])[0].with_(
        id="12345678aa",
        content=content_of("bug_pattern", before),
        data={"contextType": "bug_pattern", "structuredData": before},
    )
    look = GateLookup(
        served=lambda _: set(), by_hash=lambda _: None, similar=lambda _: [(known, 0.99)]
    )
    after = {**before, "occurrences": 4}
    draft = Draft(
        kind="context",
        content=content_of("bug_pattern", after),
        data={"contextType": "bug_pattern", "structuredData": after},
    )
    told = admit(draft, look)
    assert (told.outcome, told.existing) == ("add", known)
    assert "occurrences: 4 / 3" in told.reason
    assert "update_context" in told.reason


def test_entries_that_contradict_each_other_are_worth_comparing_by_their_outlines():
    pairs = [
        ({"key": "timeout", "value": "5"}, {"key": "Timeout", "value": "6"}),
        ({"domain": "package manager", "rule": "pnpm"}, {"domain": "package manager", "rule": "npm"}),
        ({"rule": "Never retry uploads"}, {"rule": "Always retry uploads"}),
    ]  # fmt: skip
    for one, other in pairs:
        a, b = (outlined(typed("fact", fields)) for fields in (one, other))
        opposed = any((name, 1 - side) in b.poles for name, side in a.poles)
        assert (a.keys & b.keys) or (opposed and a.words & b.words)


def test_developers_sentences_are_judged_well_on_both_halves():
    for half in (0, 1):
        told = judged([pair for pair in developers() if pair.template == half], ours_says)
        assert (told.precision >= 0.95, told.recall >= 0.70) == (True, True), (half, told)
