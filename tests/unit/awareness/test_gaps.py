"""What is missing, and how it is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from contextd.awareness.gaps import Evidence, Wanted, find_gaps
from contextd.awareness.missed_queries import Missed, cluster
from contextd.domain.awareness import Tally
from contextd.domain.records import Record
from contextd.domain.scope import Scope

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def no_vectors(texts: object) -> dict[str, object]:
    return {}


def tally(type: str, count: int, stale: int = 0) -> Tally:
    return Tally(
        kind="context", type=type, count=count, oldest=NOW, newest=NOW, recent=0, stale=stale
    )


def gaps(**evidence: object) -> list[tuple[str, str]]:
    found = find_gaps(Evidence(now=NOW, **evidence), no_vectors)  # type: ignore[arg-type]
    return [(gap.kind, gap.severity) for gap in found]


def test_nothing_wanted_nothing_missed_nothing_old_is_no_gap():
    assert gaps() == []
    assert gaps(tallies=[tally("decision", 5)], wanted=[Wanted(name="decision")]) == []


def test_a_type_without_entries_says_what_to_ask_and_what_to_call():
    wanted = Wanted(name="runbook", description="How to deploy.", required=("steps",))
    [gap] = find_gaps(Evidence(now=NOW, wanted=[wanted]), no_vectors)
    assert gap.suggestion == (
        "ask the user about runbook (How to deploy), then remember it as kind runbook with steps"
    )


@pytest.mark.parametrize(("count", "severity"), [(1, "info"), (2, "info"), (3, "warning")])
def test_the_more_often_a_question_missed_the_more_it_matters(count, severity):
    assert gaps(missed=[Missed(question="deployment", count=count)]) == [("missed", severity)]


def test_only_a_few_questions_asked_once_are_told():
    missed = [Missed(question=f"{word} thing{word}", count=1) for word in "abcdefgh"]
    assert (
        len(gaps(missed=[Missed(question=w, count=1) for w in "red green blue pink".split()])) == 3
    )
    assert len(gaps(missed=missed)) <= 3


def test_questions_with_the_same_words_are_one_and_the_latest_time_counts():
    missed = [
        Missed(question="error handling", count=2, last=NOW - timedelta(days=3)),
        Missed(question="handle errors", count=1, last=NOW - timedelta(days=1)),
        Missed(question="release notes", count=1),
    ]
    first, second = find_gaps(Evidence(now=NOW, missed=missed), no_vectors)
    assert (first.count, first.last) == (3, "2026-04-30T00:00:00Z")
    assert (first.subjects, second.last) == (["error handling", "handle errors"], "")


def test_questions_that_mean_the_same_in_other_words_are_one():
    meaning = {
        "deployment": [1.0, 0.0],
        "shipping to production": [0.9, 0.44],
        "colours": [0.0, 1.0],
    }
    missed = [Missed(question=question, count=1) for question in meaning]
    groups = cluster(missed, lambda texts: {t: np.array(meaning[t], np.float32) for t in texts})
    assert sorted(len(group) for group in groups) == [1, 2]
    assert cluster(missed, no_vectors) == [
        [one] for one in sorted(missed, key=lambda m: m.question)
    ]


def test_questions_that_only_begin_alike_are_gaps_of_their_own():
    asked = "what is our policy and process to handle"
    missed = [Missed(question=f"{asked} {what}", count=1) for what in ("backups", "refunds")]
    apart = {one.question: [float(n == i) for i in range(2)] for n, one in enumerate(missed)}
    for embed in (
        no_vectors,
        lambda texts: {text: np.array(apart[text], np.float32) for text in texts},
    ):
        assert cluster(missed, embed) == [[one] for one in missed]


def test_outdated_records_that_are_read_often_are_a_warning():
    old = [tally("decision", 4, stale=3), tally("note", 4)]
    assert gaps(tallies=old, reads={"decision": 20, "note": 2}) == [
        ("stale_demand", "warning"),
        ("stale", "info"),
    ]
    assert gaps(tallies=old, reads={"decision": 2}) == [("stale", "info")]


def test_modules_changed_files_and_noise_are_told_as_information():
    noisy = Record(kind="context", scope=Scope("acme"), content="x")
    found = gaps(modules=["auth"], changed=[(noisy, ["a.py"])], unused=[noisy])
    assert found == [("changed_files", "info"), ("module", "info"), ("noise", "info")]


def test_every_suggestion_names_an_operation_to_call():
    evidence = Evidence(
        now=NOW,
        wanted=[Wanted(name="runbook")],
        tallies=[tally("decision", 4, stale=4)],
        reads={"decision": 50},
        missed=[Missed(question="deployment", count=4)],
        modules=["auth"],
        changed=[(Record(kind="context", scope=Scope("acme"), content="y"), ["a.py"])],
        unused=[Record(kind="context", scope=Scope("acme"), content="x")],
    )
    found = find_gaps(evidence, no_vectors)
    assert len(found) == 7
    calls = ("remember", "update_context", "report_usefulness", "delete_context")
    assert [g.kind for g in found if not any(call in g.suggestion for call in calls)] == []
