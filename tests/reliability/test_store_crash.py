"""A writer killed at any moment: what it acknowledged is there, and nothing is there by half."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from shop_notes import HERE, at, view_of

from support.stores import opened
from support.strategies import vector

CHILD = """
import random, sys
import numpy as np
from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges, Put, Removal
from contextd.domain.documents import record_document
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.stores import open_store
url, start = sys.argv[1], int(sys.argv[2])
scope = Scope("acme", "web", "shop")
view = open_store(url, "local", scrub=str).view(OWNER.grant([scope]))
print("ready", flush=True)
for n in range(start, start + 1_000_000):
    record = Record(id=f"record-{n:08}", kind="memory", scope=scope, content=f"upload {n} " * 20)
    vectors = {scope: {record_document(record).digest: np.ones(8, np.float32)}} if n % 2 else {}
    records = [Put(record, "write")]
    done = view.commit(Changes(actor="w", knowledge=KnowledgeChanges(records=records, vectors=vectors, model="m")))
    print("put", record.id, flush=True)
    if n % 5 == 0:
        [written] = done.changes
        removal = Removal(record.with_(version=1), "undo", undoes=written.seq)
        view.commit(Changes(actor="w", knowledge=KnowledgeChanges(records=[removal])))
        print("gone", record.id, flush=True)
"""


def kill_and_verify(folder: Path, rounds: int) -> tuple[int, int]:
    """(acknowledged, found beyond that); at most one write per round may be unacknowledged."""
    url = at(folder)
    chance = random.Random(7)
    present: set[str] = set()
    gone: set[str] = set()
    for number in range(rounds):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, url, str(number * 1_000_000)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0.02, 0.25))
        child.kill()
        told, _ = child.communicate()
        # What was cut off within a line was not said.
        for line in told.split("\n")[:-1]:
            act, _, id_ = line.partition(" ")
            (present if act == "put" else gone).add(id_)
        verify(url, present, gone, number + 1)
    store = opened(url)
    beyond = len(view_of(store).records.find(HERE).records) - len(present - gone)
    store.close()
    return len(present), beyond


def verify(url: str, present: set[str], gone: set[str], rounds: int) -> None:
    store = opened(url)
    view = view_of(store)
    stored = {record.id for record in view.records.find(HERE).records}
    lost = (present - gone) - stored
    assert len(lost) <= rounds, "only a removal cut off before its word may be missing"
    for id_ in lost:
        assert [change.action for change in view.records.history(id_)] == ["write", "undo"]
    assert not gone & stored
    assert len(stored - present) <= rounds
    assert store.upkeep.check() == []
    assert view.index.stats("m").documents == len(stored)
    found = {match.id for match in view.index.lexical(["upload"], HERE, 1_000_000)}
    assert found == stored
    near = {match.id for match in view.index.dense(vector("q"), "m", HERE, 1_000_000)}
    waiting = {one.id for one in view.index.pending("m", 1_000_000)}
    assert near | waiting == stored
    assert not near & waiting
    store.close()


def test_five_killed_writers_lose_nothing_they_acknowledged(tmp_path):
    acknowledged, beyond = kill_and_verify(tmp_path, 5)
    assert acknowledged > 5
    assert beyond <= 5


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_fifty_killed_writers_lose_nothing_they_acknowledged(tmp_path):
    acknowledged, beyond = kill_and_verify(tmp_path, 50)
    print(f"{acknowledged} acknowledged, 0 lost, {beyond} complete but unacknowledged")
    assert acknowledged > 500
    assert beyond <= 50
