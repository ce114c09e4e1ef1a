"""Which files a rule is for is kept with it, and followed in its file."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.domain.applies_to import FIELD
from contextd.knowledge.disagreements import disagreement
from support.desks import Desk
from support.imported import everything, written

CSS, SQL = ".claude/rules/css.md", ".github/instructions/sql.instructions.md"


@pytest.fixture
def ruled(words_only: Desk, person: Any) -> Desk:
    """A project with two rules for some files."""
    written(words_only, CSS, "---\npaths: web/**/*.css\n---\n", "Colours come from tokens only")
    written(words_only, SQL, "---\napplyTo: **/*.sql\n---\n", "Keywords are upper case")
    words_only.as_owner("init")
    words_only.as_owner("import_found")
    return words_only


def limits(desk: Desk) -> dict[str, Any]:
    return {one.source.agent: one.data.get(FIELD) for one in everything(desk)}


def test_the_limit_of_a_file_is_that_of_its_records(ruled):
    assert limits(ruled) == {CSS: ["web/**/*.css"], SQL: ["**/*.sql"]}
    assert ruled.as_owner("import_found")["updated"] == 0


def test_a_changed_or_removed_limit_is_taken_over(ruled):
    rule = "Colours come from tokens only"
    for front, globs in (
        ("---\npaths: site/**\n---\n", ["site/**"]),
        ("", None),
        ("---\npaths: [web/**]\n---\n", ["web/**"]),
    ):
        written(ruled, CSS, front, rule)
        assert ruled.as_owner("import_found")["updated"] == 1
        assert limits(ruled)[CSS] == globs


def test_every_view_says_which_files_a_rule_is_for(ruled):
    said = "for web/**/*.css"
    assert said in ruled.answer("context_search", query="colours come from tokens").text
    [row] = ruled.as_owner("list_records", source=CSS)["records"]
    assert row["validity"] == said
    assert said in ruled.answer("standards_get").text


def test_the_same_rule_for_other_files_is_another_rule(words_only, person):
    for name in ("one", "two"):
        front = f"---\npaths: {name}/**\n---\n"
        written(words_only, f".claude/rules/{name}.md", front, "Names are nouns")
    words_only.as_owner("init")
    report = words_only.as_owner("import_found")
    assert (report["new"], report["duplicate"]) == (2, 0)
    words_only.host.work_off()
    assert {one.status for one in everything(words_only)} == {"active"}


def test_rules_for_different_files_do_not_contradict_each_other(words_only):
    desk = words_only
    for globs, rule in (
        (["go/**"], "Always indent with tabs"),
        (["py/**"], "Never indent with tabs"),
    ):
        desk.as_owner("remember", text=rule, kind="rule", fields={FIELD: globs})
    one, other = everything(desk)
    assert disagreement(one, other, {}) is None
    assert disagreement(one, other.with_(data=one.data), {}) is not None


def test_a_rule_for_some_files_stands_beside_the_same_one_for_all(words_only):
    said = "Always keep functions below forty lines"
    for limits in ({}, {FIELD: ["web/**"]}, {FIELD: ["api/**"]}, {FIELD: ["api/**"]}):
        words_only.as_owner("remember", text=said, kind="rule", fields=limits)
    kept = [one.data.get(FIELD) for one in everything(words_only)]
    assert sorted(kept, key=str) == [None, ["api/**"], ["web/**"]]
