"""awareness.json stays under its limit whatever was observed."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from contextd.awareness.export import LARGEST, OTHERS, awareness_json
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.usage import Observation, ObservationSummary
from support.examples import drawn

NOW = datetime(2026, 5, 1, tzinfo=UTC)
_piece = st.sampled_from(["a", "é", "日", '"', "\\", "\x00", "\u2028", "😀", " "])
# Ten thousand names of twenty thousand characters each would be half a gigabyte.
_sizes = st.sampled_from([(0, 0), (1, 10_000), (70, 10_000), (20_000, 3), (20_000, 100)])


def event(text: str, ids: int) -> Observation:
    return Observation(
        at=NOW, action="miss", operation=text, type=text, record_ids=("x" * 36,) * ids,
        query=text, agent=text,
    )  # fmt: skip


@given(piece=_piece, size=_sizes, ids=st.sampled_from([0, 5, 5_000]), events=st.sampled_from([0, 1, 1_000]))  # fmt: skip
@settings(max_examples=drawn(40), deadline=None)
def test_whatever_was_observed_the_file_stays_under_its_limit_and_its_totals_exact(
    piece, size, ids, events
):
    text, names = piece * size[0], size[1]
    counts = {f"{n} {text}": n + 1 for n in range(names)}
    summary = ObservationSummary(
        reads=sum(counts.values()),
        misses=names,
        missed_queries=dict(list(counts.items())[:500]),
        read_frequency=counts,
        write_frequency=counts,
    )
    rated = [Record(kind="context", scope=Scope("acme"), content="x", helpful=1, unhelpful=1)] * 900
    body = awareness_json([event(text, ids)] * events, summary, rated)
    assert len(body) <= LARGEST
    told = json.loads(body)["summary"]
    assert told["totalReads"] == sum(told["typeReadFrequency"].values()) == sum(counts.values())


def test_the_types_met_most_are_named_and_the_others_summed():
    counts = {f"type {n:05}": n for n in range(5_000)}
    body = awareness_json([], ObservationSummary(read_frequency=counts), [])
    told = json.loads(body)["summary"]["typeReadFrequency"]
    assert told["type 04999"] == 4_999
    assert told[OTHERS] > 0
    assert "type 00001" not in told
