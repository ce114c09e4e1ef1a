"""The benchmark of replicas, in small."""

from __future__ import annotations

import io

import pytest

from contextd_bench import replicas
from support import postgres_server


@pytest.mark.long
def test_replicas_are_measured_beside_their_baselines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTEXTD_STORE_URL", postgres_server.url())
    out = io.StringIO()
    # No kills: the tests' server acknowledges before it has written.
    replicas.run(replicas.Sizes(records=20, searches=2, writes=2, kills=0, steps=60), out=out)
    table = out.getvalue()
    assert table.count("same hits: True") == 2
    assert "0 acknowledged lost, 0 done twice, 0 jobs stuck, 0 inconsistent" in table
    assert "| 60 | 0 leaks or wrong answers |" in table
