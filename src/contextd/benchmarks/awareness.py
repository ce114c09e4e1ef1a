"""`contextd bench awareness`: what knowing itself costs a store of 1,000 and of 100,000 entries."""

from __future__ import annotations

import random
import time
from datetime import timedelta

import numpy as np

from contextd.app import App
from contextd.awareness.export import LARGEST
from contextd.benchmarks.speed import SEED, Figure, figure, temporary_home, timed
from contextd.domain.documents import record_document
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.sessions import Observation
from contextd.operations.awareness import awareness_body
from contextd.operations.contradicting import COMPARED
from contextd.runtime import Runtime
from contextd.settings import load_settings

SIZES = (1_000, 100_000)
_PARTS = "ka lo mi ren tas vo qui ber dol san fe gar hun jep nor pil ruk sta ter wim".split()
_SENTENCES = (
    "The timeout of the {name} service is {number} seconds",
    "The {name} module lives in src/{name}/{other}",
    "Use {tool} for the {name} queue",
    "Never call the {name} gateway from the {other} worker",
    "The {name} cache is cleared when {other} is deployed",
    "Errors of the {name} parser are reported to {other}",
    "The {name} table has an index on {other}",
)
_TOOLS = ("Redis", "RabbitMQ", "Kafka", "SQS", "NATS")
_TYPES = ("", "decision", "preference", "bug_pattern")
_QUERIES = 50


def run() -> list[Figure]:
    """Every figure, for each size in a home of its own."""
    return [found for size in SIZES for found in _of_size(size)]


def _of_size(size: int) -> list[Figure]:
    with temporary_home() as home:
        app = App.open(load_settings(flags={"embedder.name": "none"}), work=False)
        try:
            (home.parent / "project" / ".context").mkdir(parents=True)
            runtime = app.runtime("python", cwd=str(home.parent / "project"), client="bench")
            texts = fill(runtime, size)
            return _measured(app, runtime, texts, f"{size:,} entries")
        finally:
            app.close()


def _measured(app: App, runtime: Runtime, texts: list[str], label: str) -> list[Figure]:
    words = random.Random(SEED + 1)
    asked = [" ".join(words.choice(texts).split()[:5]) for _ in range(_QUERIES)]
    before = [_found(app, runtime, query) for query in asked]
    found = [_compared(app, runtime, label)]
    app.call("introspect", runtime, {})
    found.append(timed(f"introspect, {label}", 20, lambda _: app.call("introspect", runtime, {})))
    found.append(timed(f"get_gaps, {label}", 20, lambda _: app.call("get_gaps", runtime, {})))
    find = Query(scopes=runtime.query(*COMPARED).scopes, limit=100_000)
    found.append(
        timed(
            f"baseline: load and count every record, {label}", 2, lambda _: _counted(runtime, find)
        )
    )
    found += _observing(app, runtime, label)
    after = [_found(app, runtime, query) for query in asked]
    same = sum(one == other for one, other in zip(before, after, strict=True))
    print(f"answers to {_QUERIES} questions, same before and after: {same} ({label})", flush=True)
    return found


def _compared(app: App, runtime: Runtime, label: str) -> Figure:
    """The job that compares all records, to its end."""
    app.call("compare_records", runtime, {})
    began, cpu = time.perf_counter(), time.process_time()
    app.work_off()
    wall, spent = time.perf_counter() - began, time.process_time() - cpu
    [job] = [j for j in runtime.store.jobs.list(limit=20) if j.name == "find_contradictions"]
    print(f"contradictions found in {label}: {job.result.get('contradictions')}", flush=True)
    return figure(f"compare all records for contradictions, {label}", [wall * 1e3], spent * 1e3)


def _observing(app: App, runtime: Runtime, label: str) -> list[Figure]:
    """What an observation adds to a call, and what writing it down costs later."""
    at = runtime.clock.now()
    seen = Observation(
        at=at, action="miss", operation="recall_context", type="context", query="x", agent="bench"
    )
    taking = timed(f"take one observation, {label}", 5_000, lambda _: runtime.sinks.observe(seen))
    app.flush()

    def write(i: int) -> None:
        told = Observation(
            at=at + timedelta(seconds=i), action="read", operation="memory_search", type="memory",
            record_ids=tuple(f"{i:036}" for _ in range(5)), query=f"how is {i} done", agent="bench",
        )  # fmt: skip
        runtime.store.observations.append([told] * 20)

    writing = timed(f"write 20 observations down, {label}", 100, write)
    body = len(awareness_body(runtime))
    print(f"awareness.json: {body:,} bytes of at most {LARGEST:,} ({label})", flush=True)
    return [taking, writing]


def _found(app: App, runtime: Runtime, query: str) -> list[str]:
    value = app.call("recall_context", runtime, {"query": query, "limit": 10}).value
    return [entry["id"] for entry in value["entries"]]


def _counted(runtime: Runtime, query: Query) -> int:
    cursor, count = "", 0
    while True:
        page = runtime.store.records.find(Query(scopes=query.scopes, limit=2_000, cursor=cursor))
        count += len(page.records)
        cursor = page.cursor
        if not cursor:
            return count


def fill(runtime: Runtime, size: int) -> list[str]:
    """Entries as people write them about made-up parts of a project; returns their texts."""
    words = random.Random(SEED)
    numbers = np.random.default_rng(SEED)
    names = sorted({"".join(words.choices(_PARTS, k=3)) for _ in range(size // 4 + 50)})
    now = runtime.clock.now()
    texts = [
        words.choice(_SENTENCES).format(
            name=words.choice(names),
            other=words.choice(names),
            number=words.choice((5, 10, 30, 60)),
            tool=words.choice(_TOOLS),
        )
        for _ in range(size)
    ]
    days = numbers.integers(0, 200, size)
    for start in range(0, size, 2_000):
        records = [
            Record(
                kind="context",
                scope=runtime.scope,
                content=text,
                data={"contextType": kind} if (kind := _TYPES[i % 4]) else {},
                usage_count=int(i % 13),
                created_at=now - timedelta(days=int(days[i])),
                updated_at=now - timedelta(days=int(days[i])),
            )
            for i, text in enumerate(texts[start : start + 2_000], start)
        ]
        with runtime.store.transaction():
            for record in records:
                runtime.store.records.put(record, actor="bench", action="create")
            runtime.store.index.put([record_document(r) for r in records], {}, "")
    runtime.store.index.refresh()
    return texts
