"""The usage log's totals stay exact with several processes writing, and when one of them is killed."""

from __future__ import annotations

import subprocess
import sys

from shop_notes import SHOP, at, view_of

from support.stores import opened

WRITER = """
import sys
from datetime import UTC, datetime, timedelta
from contextd.domain.scope import Scope
from contextd.domain.usage import ByProducts, Observation
from contextd.stores import open_store
store, name, batches = open_store(sys.argv[1], "local", scrub=str), sys.argv[2], int(sys.argv[3])
shop = Scope("acme", "web", "shop")
start = datetime(2026, 5, 1, tzinfo=UTC)
for batch in range(batches):
    store.upkeep.note(ByProducts(observations=[
        Observation(at=start + timedelta(seconds=batch * 30 + n), action="miss" if n % 3 == 0 else "read",
                    operation="recall_context", type=name, query=f"{name} {n}", agent=name, scope=shop)
        for n in range(30)
    ]))
    print(batch, flush=True)
"""


def writer(url: str, name: str, batches: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, url, name, str(batches)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_totals_count_every_batch_of_every_process_and_a_killed_one_leaves_whole_batches(tmp_path):
    url = at(tmp_path)
    opened(url).close()
    writers = [writer(url, name, 40) for name in ("one", "two")]
    victim = writer(url, "victim", 10_000)
    assert victim.stdout is not None
    for _ in range(15):
        victim.stdout.readline()
    victim.kill()
    acknowledged = 15 + len(victim.stdout.readlines())
    victim.wait()
    assert [process.wait() for process in writers] == [0, 0]
    for process in writers:
        assert process.stdout is not None
        process.stdout.close()
    victim.stdout.close()
    store = opened(url)
    log = view_of(store).observations
    summary = log.summary(frozenset({SHOP}))
    events = log.recent(frozenset({SHOP}), 5_000)
    store.close()
    by_victim = summary.read_frequency["victim"]
    assert (summary.read_frequency["one"], summary.read_frequency["two"]) == (800, 800)
    # The batch in flight is there whole or not at all.
    assert by_victim in (20 * acknowledged, 20 * (acknowledged + 1))
    assert summary.reads == 1_600 + by_victim
    assert summary.misses == (1_600 + by_victim) // 2
    assert sum(summary.missed_queries.values()) == summary.misses
    assert 500 <= len(events) <= 1_000
