"""The benchmark of replicas, in small."""

from __future__ import annotations

import io

import pytest

from contextd_bench import replicas
from contextd_bench.replica_isolation import right_guesses
from contextd_bench.replica_rows import Sizes
from support import postgres_server


@pytest.mark.long
def test_replicas_are_measured_beside_their_baselines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTEXTD_STORE_URL", postgres_server.url())
    out = io.StringIO()
    # No kills: the tests' server acknowledges before it has written.
    sizes = Sizes(
        records=20,
        searches=2,
        writes=2,
        kills=0,
        steps=60,
        rounds=3,
        timings=4,
        markers=10,
        organisations=1,
        loaded=20,
        agents=3,
        seconds=1,
    )
    replicas.run(sizes, out=out)
    table = out.getvalue()
    assert table.count("same hits: True") == 2
    assert "0 acknowledged lost, 0 done twice, 0 jobs stuck, 0 inconsistent" in table
    assert "| 60 | 0 leaks or wrong answers |" in table
    assert "0 changes missing in its history" in table
    assert "| 0 found | 10 before the deletion |" in table
    assert "| 0 errors | p50" in table


def test_times_that_are_alike_tell_nothing_and_others_everything() -> None:
    assert right_guesses([1, 3, 5, 7], [2, 4, 6]) == 0.5
    assert right_guesses([1, 2], [3, 4]) == 1.0
