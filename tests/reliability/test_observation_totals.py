"""The usage log's totals stay exact with several processes writing, and when one of them is killed."""

from __future__ import annotations

import subprocess
import sys

from contextd.stores import open_store

WRITER = """
import sys
from datetime import UTC, datetime, timedelta
from contextd.domain.sessions import Observation
from contextd.stores import open_store
store, name, batches = open_store(sys.argv[1]), sys.argv[2], int(sys.argv[3])
start = datetime(2026, 5, 1, tzinfo=UTC)
for batch in range(batches):
    store.observations.append([
        Observation(at=start + timedelta(seconds=batch * 30 + n), action="miss" if n % 3 == 0 else "read",
                    operation="recall_context", type=name, query=f"{name} {n}", agent=name)
        for n in range(30)
    ])
    print(batch, flush=True)
"""


def writer(url: str, name: str, batches: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, url, name, str(batches)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_totals_count_every_batch_of_every_process_and_a_killed_one_leaves_whole_batches(tmp_path):
    url = f"sqlite://{tmp_path}/contextd.db"
    open_store(url).close()
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
    store = open_store(url)
    summary = store.observations.summary()
    events = store.observations.recent(5_000)
    store.close()
    by_victim = summary.read_frequency["victim"]
    assert (summary.read_frequency["one"], summary.read_frequency["two"]) == (800, 800)
    # The batch in flight is there whole or not at all.
    assert by_victim in (20 * acknowledged, 20 * (acknowledged + 1))
    assert summary.reads == 1_600 + by_victim
    assert summary.misses == (1_600 + by_victim) // 2
    assert sum(summary.missed_queries.values()) == summary.misses
    assert 500 <= len(events) <= 1_000
