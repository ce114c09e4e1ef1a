"""`contextd bench awareness`: the cost of gaps, coverage and health reports with 1,000 and 100,000
entries.
"""

from __future__ import annotations

import ast
import random
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np

from contextd.awareness import export
from contextd.awareness.export import LARGEST
from contextd.awareness.operations.export import awareness_body
from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.kinds import kinds_that
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.usage import ByProducts, Observation
from contextd.invocation.invoke import invoke
from contextd.runtime.operation import find_operation
from contextd.runtime.runtime import Runtime
from contextd_bench.scratch import Bench, StoppedClock, opened
from contextd_bench.speed import SEED, Figure, figure, temporary_home, timed

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
    """Measure every figure, with a home of its own for each size; then print the list of
    requirements.
    """
    bodies: dict[int, int] = {}
    figures = [found for size in SIZES for found in _of_size(size, bodies)]
    print("\n".join(seed_list({one.name: one for one in figures}, bodies)), flush=True)
    return figures


def seed_list(figures: Mapping[str, Figure], bodies: Mapping[int, int]) -> list[str]:
    """The non-functional requirements as a Markdown table: target, measurement, result.

    `bodies` are the bytes of awareness.json by number of entries.
    """
    few, many = (f"{size:,} entries" for size in SIZES)
    at_few, at_many = figures[f"introspect, {few}"], figures[f"introspect, {many}"]
    seen = figures[f"recall_context with observation, {few}"]
    blind = figures[f"baseline: recall_context without observation, {few}"]
    added = seen.p50 - blind.p50
    largest = max(bodies.values())
    foreign = sorted(_foreign())
    rows = [
        ("introspect < 100 ms at 1,000 entries", _wall(at_few), at_few.p95 < 100),
        ("our goal: the same at 100,000", _wall(at_many), at_many.p95 < 100),
        ("observation adds < 1 ms (ours: 0.2)", f"{added:+.3f} ms at the median", added < 0.2),
        ("awareness.json < 200 KB", f"{largest:,} bytes", largest <= LARGEST),
        ("no new dependency", f"awareness uses {', '.join(foreign)}", set(foreign) <= _EVERYWHERE),
    ]
    return [
        "| the seed asks | measured | met |",
        "|---|---|---|",
        *(f"| {asked} | {found} | {'yes' if met else 'NO'} |" for asked, found, met in rows),
    ]


def _wall(one: Figure) -> str:
    # On a busy machine wall time mostly measures other processes.
    return f"p95 {one.p95:.1f} ms, {one.cpu or 0:.1f} ms of CPU"


_EVERYWHERE = {"numpy", "pydantic"}


def _foreign() -> set[str]:
    """The third-party packages that the awareness engine imports."""
    found: set[str] = set()
    for file in Path(export.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"contextd"}


def _of_size(size: int, bodies: dict[int, int]) -> list[Figure]:
    with temporary_home() as home:
        root = home.parent / "project"
        root.mkdir()
        # Filling takes longer than the delay before a new project's daily comparison.
        with opened(root, embedder_name="none", clock=StoppedClock()) as bench:
            bench.call("init")
            runtime = bench.runtime
            texts = fill(runtime, size)
            found = _measured(bench, runtime, texts, f"{size:,} entries")
            bodies[size] = len(awareness_body(runtime))
            return found


def _measured(bench: Bench, runtime: Runtime, texts: list[str], label: str) -> list[Figure]:
    words = random.Random(SEED + 1)
    asked = [" ".join(words.choice(texts).split()[:5]) for _ in range(_QUERIES)]
    before = [_found(bench, query) for query in asked]
    found = [_compared(bench, runtime, label)]
    bench.call("introspect")
    found.append(timed(f"introspect, {label}", 20, lambda _: bench.call("introspect")))
    found.append(timed(f"get_gaps, {label}", 20, lambda _: bench.call("get_gaps")))
    scopes = runtime.query(*kinds_that("compared")).scopes
    found.append(
        timed(
            f"baseline: load and count every record, {label}",
            2,
            lambda _: _counted(runtime, Query(scopes=scopes, limit=2_000)),
        )
    )
    found += _observing(bench, runtime, label)
    after = [_found(bench, query) for query in asked]
    same = sum(one == other for one, other in zip(before, after, strict=True))
    print(f"answers to {_QUERIES} questions, same before and after: {same} ({label})", flush=True)
    return found


def _compared(bench: Bench, runtime: Runtime, label: str) -> Figure:
    """Run the job that compares all records to its end."""
    bench.call("compare_records")
    began, cpu = time.perf_counter(), time.process_time()
    bench.host.work_off()
    wall, spent = time.perf_counter() - began, time.process_time() - cpu
    [job] = [j for j in runtime.view.jobs.list(limit=20) if j.name == "find_contradictions"]
    print(f"contradictions found in {label}: {job.result.get('contradictions')}", flush=True)
    return figure(f"compare all records for contradictions, {label}", [wall * 1e3], spent * 1e3)


def _observing(bench: Bench, runtime: Runtime, label: str) -> list[Figure]:
    """The cost of an observation within a call, and of writing it afterwards."""
    at = runtime.clock.now()
    seen = Observation(
        at=at, action="miss", operation="recall_context", type="context", query="x", agent="bench",
        scope=runtime.scope,
    )  # fmt: skip
    taking = timed(f"take one observation, {label}", 5_000, lambda _: runtime.sinks.observe(seen))
    bench.host.flush()
    upkeep = bench.upkeep

    def write(i: int) -> None:
        read = Observation(
            at=at + timedelta(seconds=i), action="read", operation="memory_search", type="memory",
            record_ids=tuple(f"{i:036}" for _ in range(5)), query=f"how is {i} done", agent="bench",
            scope=runtime.scope,
        )  # fmt: skip
        upkeep.note(ByProducts(observations=[read] * 20))

    writing = timed(f"write 20 observations down, {label}", 100, write)
    body = len(awareness_body(runtime))
    print(f"awareness.json: {body:,} bytes of at most {LARGEST:,} ({label})", flush=True)
    return [taking, writing, *_with_and_without(runtime, label)]


def _with_and_without(runtime: Runtime, label: str) -> list[Figure]:
    """One call with its observation and one without, alternating."""
    recall = find_operation("recall_context")
    blind = replace(runtime, sinks=replace(runtime.sinks, observe=lambda _: None))
    walls: dict[bool, list[float]] = {True: [], False: []}
    for i in range(400):
        chosen = runtime if i % 2 else blind
        began = time.perf_counter()
        invoke(recall, chosen, {"query": f"timeout of the service {i // 2}"})
        walls[bool(i % 2)].append((time.perf_counter() - began) * 1e3)
    return [
        figure(f"recall_context with observation, {label}", walls[True], None),
        figure(f"baseline: recall_context without observation, {label}", walls[False], None),
    ]


def _found(bench: Bench, query: str) -> list[str]:
    value = bench.call("recall_context", query=query, limit=10).value
    return [entry["id"] for entry in value["entries"]]


def _counted(runtime: Runtime, query: Query) -> int:
    count = 0
    while True:
        page = runtime.view.records.find(query)
        count += len(page.records)
        if not page.cursor:
            return count
        query = replace(query, cursor=page.cursor)


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
        puts = [Put(record, "create") for record in records]
        runtime.view.commit(Changes(actor="bench", knowledge=KnowledgeChanges(records=puts)))
    return texts
