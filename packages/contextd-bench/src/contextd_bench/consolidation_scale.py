"""`contextd bench consolidation-scale`: consolidate 100,000 memories, killed half-way and resumed.

Texts and vectors are generated, so the right merges are known: clusters of four statements with the
same meaning, each with a contradicting fifth that is as similar. A child process consolidates; it
is killed with SIGKILL after a third of the merges, and another one finishes.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import apsw
import numpy as np

from contextd.app import Host, load_operations
from contextd.consolidation.collections import COLLECTIONS, consolidating
from contextd.consolidation.merge_run import Pacing, consolidate
from contextd.consolidation.merging import MERGED
from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.documents import record_document
from contextd.domain.query import Query, Vector
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.ports.store import View
from contextd.runtime.doors import HomeDoor
from contextd.runtime.runtime import Request
from contextd.runtime.settings import load_settings
from contextd.thin.home import LOCAL, database_path, home_directory, make_home
from contextd_bench.data import SEED, hardware
from contextd_bench.scratch import StoppedClock
from contextd_bench.speed import temporary_home
from contextd_common.errors import Unavailable

RECORDS = 100_000
CLUSTERS = RECORDS // 10
WAYS = 4
"""Statements per cluster with one meaning; one more contradicts them."""

LIMIT_SECONDS = 300.0
_DIMENSIONS, _NEAR = 384, 0.96
_WHERE = Scope(LOCAL, "default", "large")
_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Drawn:
    """An embedder that embeds nothing, because the benchmark generates all vectors."""

    model: str = "drawn-384"
    sends_to: str = ""

    def embed(self, texts: Sequence[str]) -> Vector:
        """Raises `Unavailable`."""
        raise Unavailable("nothing is embedded here", "the vectors were drawn")


def run(out: TextIO = sys.stdout, *, records: int = RECORDS) -> bool:
    """Print CPU, memory and the state of the clusters; return whether the run met its limits
    without losing or doubling records.
    """
    clusters = records // 10
    print(f"\n## consolidation of {records:,} memories\nhardware: {hardware()}", file=out)
    with temporary_home() as home:
        host = _host(home)
        view = host.organisation(LOCAL).view(OWNER, [_WHERE])
        _fill(view, records, clusters)
        path = database_path(home, LOCAL)
        host.close()
        killed, in_time = _killed(path, clusters // 3)
        before = _merged(path)
        went_on = _child()
        cpu = killed.cpu + went_on.cpu
        ended = "killed" if in_time else "WRONG: it ended before it was killed,"
        print(f"{ended} after {killed.cpu:.0f} s of CPU with {before:,} merged", file=out)
        print(
            f"CPU {cpu:.0f} s in both (limit {LIMIT_SECONDS:.0f}); peak memory {went_on.peak:.0f} MB,"
            f" {went_on.peak - went_on.began:.0f} MB more than with the store open",
            file=out,
        )
        problems = _problems(path, records, clusters)
        for problem in problems:
            print(f"WRONG: {problem}", file=out)
        found = Counter(_states(path))
        print(
            f"clusters merged whole: {found['whole']:,} of {clusters:,}, in part {found['part']:,};"
            f" opposites merged: {found['opposite']}",
            file=out,
            flush=True,
        )
        return cpu <= LIMIT_SECONDS and in_time and not problems and not found["opposite"]


def _host(home: Path) -> Host:
    load_operations()
    make_home(home)
    settings = load_settings(home=home)
    return Host(settings, Drawn(), door=HomeDoor(), clock=StoppedClock(), duties="none")


def _fill(view: View, records: int, clusters: int) -> None:
    """Clusters of four with a contradicting record, and unrelated records."""
    draw = np.random.default_rng(SEED)
    words = random.Random(SEED)
    waiting: list[tuple[Record, Vector]] = []
    for number in range(records - 4 * clusters):
        if number >= clusters:
            text = f"{_words(words, 5)} {number}"
            waiting.append((_record(f"single-{number}", text), _drawn(draw)))
        else:
            middle = _drawn(draw)
            texts = _said(words, number)
            for way, text in enumerate(texts):
                name = f"cluster-{number}-{'opposite' if way == WAYS else way}"
                waiting.append((_record(name, text), _beside(draw, middle)))
        if len(waiting) >= _PAGE:
            _commit(view, waiting)
            waiting = []
    _commit(view, waiting)


def _said(words: random.Random, number: int) -> list[str]:
    what, when = _words(words, 2), _words(words, 2)
    plain = f"Rebuild the {what} of tenant-{number} before the {when} starts"
    front = f"Before the {when} starts, rebuild the {what} of tenant-{number}"
    return [plain, plain.lower(), front, f"{plain}.", plain.replace("before", "after")]


_SYLLABLES = "ba co di fu ga he ki lo mu na pe ri so tu va we xi yo zu".split()


def _words(words: random.Random, count: int) -> str:
    return " ".join("".join(words.choices(_SYLLABLES, k=3)) for _ in range(count))


def _record(id: str, text: str) -> Record:
    return Record(id=id, kind="memory", scope=_WHERE, content=text, data={"outcome": "success"})


def _drawn(draw: np.random.Generator) -> Vector:
    row: Vector = draw.normal(size=_DIMENSIONS).astype(np.float32)
    return row / np.float32(np.linalg.norm(row))


def _beside(draw: np.random.Generator, middle: Vector) -> Vector:
    aside = _drawn(draw)
    aside = aside - middle * np.float32(aside @ middle)
    aside = aside / np.float32(np.linalg.norm(aside))
    row: Vector = np.float32(np.sqrt(_NEAR)) * middle + np.float32(np.sqrt(1 - _NEAR)) * aside
    return row


def _commit(view: View, waiting: Sequence[tuple[Record, Vector]]) -> None:
    if waiting:
        vectors = {record_document(record).digest: vector for record, vector in waiting}
        puts = [Put(record, "create") for record, _ in waiting]
        view.commit(
            Changes(
                knowledge=KnowledgeChanges(
                    records=puts, vectors={_WHERE: vectors}, model=Drawn().model
                )
            )
        )


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU seconds of a child, and megabytes it had at its peak and when the store was open."""

    cpu: float
    peak: float
    began: float


_COMMAND = (sys.executable, "-m", "contextd_bench.consolidation_scale")
_LOOKED_EVERY = 0.02


def _child() -> Spent:
    process = subprocess.Popen(_COMMAND, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        output = process.stdout.read()
    spent = _over(process, float(output or 0))
    assert spent is not None
    if process.returncode:
        raise Unavailable("the process that consolidates failed", "its output says why")
    return spent


def _killed(path: Path, enough: int) -> tuple[Spent, bool]:
    """The cost of a process until this many merges, and whether it was then killed or had ended."""
    process = subprocess.Popen(_COMMAND, stdout=subprocess.DEVNULL)
    try:
        while (spent := _over(process, block=False)) is None and _merged(path) < enough:
            time.sleep(_LOOKED_EVERY)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
            spent = _over(process)
    assert spent is not None
    return spent, process.returncode == -signal.SIGKILL


def _over(
    process: subprocess.Popen[Any], began: float = 0.0, *, block: bool = True
) -> Spent | None:
    """The cost of a process; None while it runs. `Popen.poll` would reap it and lose the figures."""
    found, status, used = os.wait4(process.pid, 0 if block else os.WNOHANG)
    if not found:
        return None
    process.returncode = os.waitstatus_to_exitcode(status)
    return Spent(used.ru_utime + used.ru_stime, used.ru_maxrss / 1_000, began)


def _rows(path: Path, sql: str, *values: object) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(10_000)
    try:
        return list(connection.execute(sql, values))
    finally:
        connection.close()


def _merged(path: Path) -> int:
    [(count,)] = _rows(path, "SELECT count(*) FROM records WHERE status = 'merged'")
    return int(str(count))


def _problems(path: Path, records: int, clusters: int) -> list[str]:
    """Lost and doubled records."""
    found: list[str] = []
    [(there,)] = _rows(path, "SELECT count(*) FROM records WHERE kind = 'memory'")
    if there != records:
        found.append(f"{there} of {records} memories are there")
    # What a change made of a record is packed. One that stays is changed by each merge into it.
    changed = _rows(
        path,
        "SELECT c.record_id, count(*) FROM changes c JOIN records r ON r.scope = c.scope AND"
        " r.id = c.record_id WHERE c.action = ? AND r.status = 'merged' GROUP BY c.record_id"
        " HAVING count(*) > 1",
        MERGED,
    )
    if changed:
        found.append(f"{len(changed)} were merged twice")
    loose = _rows(
        path,
        "SELECT r.id FROM records r WHERE r.status = 'merged' AND NOT EXISTS (SELECT 1 FROM records k,"
        " json_each(k.body, '$.data.merged_from') j WHERE k.scope = r.scope AND k.id ="
        " json_extract(r.body, '$.canonical_id') AND j.value = r.id AND k.status = 'active')",
    )
    if loose:
        found.append(f"{len(loose)} are merged into nothing that says so")
    return found


def _states(path: Path) -> list[str]:
    """The state of each cluster: `whole`, `part` or `left`, and `opposite` for each wrong merge."""
    states: list[str] = []
    counts: Counter[str] = Counter()
    for (id_,) in _rows(path, "SELECT id FROM records WHERE status = 'merged'"):
        sort, number, way = str(id_).rsplit("-", 2)
        states += ["opposite"] if way == "opposite" or not sort.startswith("cluster") else []
        counts[number] += 1
    states += ["whole" if count == WAYS - 1 else "part" for count in counts.values()]
    return states


def work() -> None:
    """Consolidate the store of the home in the environment: what the child does."""
    host = _host(home_directory())
    organisation = host.organisation(LOCAL)
    request = Request(surface="job", caller=OWNER, client="bench")
    runtime = organisation.runtime(request, upkeep=False)
    runtime.view.records.count(Query(scopes=frozenset({_WHERE})))
    began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000
    how = consolidating(COLLECTIONS["memories"], runtime.settings)
    consolidate(runtime, _WHERE, how, Pacing())
    print(began)
    host.close()


if __name__ == "__main__":
    work()
