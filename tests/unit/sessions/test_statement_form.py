"""Which sentences of an agent the trained model values."""

from __future__ import annotations

import pytest

from contextd.briefing.recap import recap
from contextd.sessions.ledger_sorts import agents_sort
from contextd.sessions.statement_form import FEATURES, features, likely_kept
from contextd.sessions.turns import turns_of
from support.talks import Talk

STATEMENTS = [
    "Parsing stays in the worker so the UI thread never blocks on large files.",
    "The tests pass locally only thanks to a stale cache of the old module.",
    "Two cron entries fire at 03:00 and both grab the same lock file.",
    "Search over 50k notes: 340 ms before, 45 ms with the trigram index.",
    "Running the suite in parallel deadlocks on the shared database file; back to one process.",
    "I have not touched the iOS target, it needs the same entitlement.",
]
NOISE = [
    "Added a border to the second column",
    "Would you like me to run the tests again?",
    "Let me check the importer.",
    "✅ Better error handling for uploads",
    "Name | Before | After",
]


def chance(text: str) -> float:
    found = likely_kept(text, agents_sort(text))
    assert found is not None
    return found


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_is_likelier_kept_than_any_noise(statement: str) -> None:
    assert chance(statement) > max(map(chance, NOISE))


@pytest.mark.parametrize(
    "text", ["Der Test schlug fehl, weil der Index fehlte.", "原因是索引缺失导致扫描整张表。"]
)
def test_the_model_has_no_opinion_on_other_languages(text: str) -> None:
    assert likely_kept(text, agents_sort(text)) is None


def test_each_feature_has_a_number() -> None:
    assert len(features("", "remark")) == len(features(STATEMENTS[0], "cause")) == len(FEATURES)


def test_a_recap_keeps_a_cause_without_a_word_of_causes() -> None:
    cause = "Two cron entries fire at 03:00 and both grab the same lock file."
    talk = Talk().asks("Why does the backup stop at night").answers(cause)
    for n in range(30):
        talk.asks(f"Please move the field number {n} of the invoice over")
        talk.answers(f"Moved field {n} to `src/invoice_{n}.py`, `load_{n}` and `save_{n}`.")
    assert f"Agent: {cause}" in recap(turns_of(talk.events), None, 600)
