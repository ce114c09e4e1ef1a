"""Sizes, texts, stores and table rows, used by all benchmarks of replicas."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.documents import record_document
from contextd.domain.query import Vector
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.ports.store import Store, View
from contextd.stores import open_store

SEED = 22
_DIMENSIONS = 384
_WORDS = [
    f"{a}{b}" for a in "retry upload cache token queue index pool batch".split() for b in range(400)
]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done. `agents`, `loaded` records and `organisations` are those of the load, for some `seconds`."""

    records: int
    searches: int
    writes: int
    kills: int
    steps: int
    rounds: int
    timings: int
    markers: int
    organisations: int
    loaded: int
    agents: int
    seconds: int


SHORT = Sizes(
    records=2_000,
    searches=60,
    writes=60,
    kills=6,
    steps=3_000,
    rounds=20,
    timings=300,
    markers=100,
    organisations=4,
    loaded=2_000,
    agents=12,
    seconds=5,
)
LARGE = Sizes(
    records=20_000,
    searches=200,
    writes=300,
    kills=50,
    steps=100_000,
    rounds=200,
    timings=2_000,
    markers=1_000,
    organisations=20,
    loaded=100_000,
    agents=100,
    seconds=60,
)


def open_plain(url: str, name: str) -> Store:
    """A store that redacts nothing."""
    return open_store(url, name, scrub=lambda text: text)


def print_row(out: TextIO, what: str, n: int, figure: str, baseline: str, goal: str) -> None:
    """Print a row of the table."""
    print(f"| {what} | {n:,} | {figure} | {baseline} | {goal} |", file=out, flush=True)


def put_of(scope: Scope, id_: str, text: str) -> Changes:
    """A change that writes one record."""
    put = Put(Record(id=id_, kind="memory", scope=scope, content=text), "write")
    return Changes(knowledge=KnowledgeChanges(records=[put]))


def text_of(chance: random.Random) -> str:
    """Sixty words: a few are common, most are rare."""
    places = (min(int(chance.paretovariate(0.6)), len(_WORDS)) - 1 for _ in range(60))
    return " ".join(_WORDS[place] for place in places)


def unit_of(chance: np.random.Generator) -> Vector:
    """A random unit vector."""
    found = chance.standard_normal(_DIMENSIONS).astype(np.float32)
    unit: Vector = found / np.linalg.norm(found)
    return unit


def fill(view: View, scope: Scope, count: int) -> None:
    """Commit records with words and vectors, 500 at a time."""
    chance, vectors = random.Random(SEED), np.random.default_rng(SEED)
    for start in range(0, count, 500):
        records = [
            Record(id=f"{number:08}", kind="memory", scope=scope, content=text_of(chance))
            for number in range(start, min(start + 500, count))
        ]
        made = {record_document(record).digest: unit_of(vectors) for record in records}
        puts = [Put(record, "write") for record in records]
        view.commit(
            Changes(knowledge=KnowledgeChanges(records=puts, vectors={scope: made}, model="m"))
        )
