"""Whether what an agent was told shows in what it did."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from contextd.domain.scope import Scope
from contextd.domain.sessions import Session
from contextd.sessions.injection_use import USED, texts_after, told_in_vain, was_used
from support.talks import Talk


@pytest.mark.parametrize(
    ("told", "did", "used"),
    [
        (
            "Totals are rounded in src/price.py by round_half_even.",
            "I call round_half_even in src/price.py for the receipt.",
            True,
        ),
        (
            "Deploys of the shop go through the blue pipeline on Fridays.",
            "It is Friday, so I started the deploys of the shop through the blue pipeline; Fridays only.",
            True,
        ),
        (
            "Deploys of the shop go through the blue pipeline on Fridays.",
            "I started the blue pipeline.",
            False,
        ),
        (
            "Deploys go through the blue pipeline on Fridays.",
            "The header is sticky now and has a shadow.",
            False,
        ),
        (
            "Totals are rounded in src/price.py by round_half_even.",
            "I renamed src/price.py, nothing else.",
            False,
        ),
        ("", "The header is sticky now.", False),
        ("Deploys go through the blue pipeline.", "", False),
    ],
)
def test_names_or_half_of_the_words_show_that_it_was_used(told: str, did: str, used: bool) -> None:
    assert was_used(told, [did]) is used


def test_only_what_the_agent_did_after_it_was_told_counts() -> None:
    talk = Talk().answers("I looked at the blue pipeline.")
    talk.add("injection", "", "Deploys …", records=["r1"])
    talk.asks("Deploy with the blue pipeline").answers("Deployed.")
    talk.add("injection", "", "Deploys … again", records=["r1", "r2"])
    talk.answers("A sub-agent said pipeline.", sidechain=True).writes("src/a.py")
    after = texts_after(talk.events)
    assert set(after) == {"r1", "r2"}
    assert after["r1"][0] == "Deployed."
    assert "pipeline" not in "".join(step for steps in after.values() for step in steps)


def test_words_scattered_over_a_session_are_no_use() -> None:
    told = "Deploys of the shop go through the blue pipeline on Fridays."
    scattered = ["I deploy the shop", "it goes through", "a blue button", "the pipeline, on Friday"]
    assert not was_used(told, scattered)
    assert was_used(told, [*scattered, "The shop deploys go through the blue pipeline on Friday"])


def test_only_the_sessions_since_a_record_was_last_used_were_in_vain() -> None:
    at = datetime(2026, 3, 1, 10, tzinfo=UTC)

    def told(*used: str) -> Session:
        return Session(
            scope=Scope("local"),
            started_at=at,
            last_seen_at=at,
            injected=("a", "b"),
            data={USED: list(used)},
        )

    latest_first = [told(), told("a"), told(), told()]

    assert told_in_vain(latest_first) == {"a": 1, "b": 4}
