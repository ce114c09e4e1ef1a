"""Find the files of a task, on a repository's own history.

The query is the subject of a commit, the answers are the code files it changed. The searched code
is that of before the oldest query. Memory contains the past only: the checkout is on the query's
parent, and each older commit is a record. Every system ranks the same files.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from contextd.codebase.scanning import scan_project
from contextd.domain.changes import Changes, Put
from contextd.domain.records import Anchor, Record, Source
from contextd.knowledge.embedding import with_vectors
from contextd.runtime.runtime import Runtime
from contextd_bench.bm25 import PlainBM25
from contextd_bench.data import MeanScore, as_dicts, hardware, report, score, scored
from contextd_bench.history import (
    CommitHistory,
    check_out,
    lend_history,
    read_history,
    stand_before,
)
from contextd_bench.scratch import Bench, opened
from contextd_code.git.git_queries import Commit

QUESTIONS, MEMORIES = 150, 2_000
LINES = 60
"""Lines of a chunk of the baseline; a file's best chunk gives its score."""

_DEPTH = 100
_AT_ONCE = 200

Rankings = list[list[str]]


def run(
    repository: Path,
    *,
    out: TextIO,
    questions: int = QUESTIONS,
    memories: int = MEMORIES,
    embedder: str = "minilm",
) -> dict[str, Any]:
    """Measure any@1, any@5, any@10 and MRR of four ways to find the files of a task.

    `repository` is a work tree or git directory with history, and is only read. Takes about a
    minute for every 3,000 chunks of code. Raises `NotFound` without enough history.
    """
    history = read_history(repository, questions=questions, memories=memories)
    asked = [one.subject for one in history.asked]
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="contextd-bench-")))
        root = place / "tree"
        root.mkdir()
        check_out(history, history.paths, root)
        systems: dict[str, Rankings] = {
            "largest files": [_largest(root, history.paths)] * len(asked),
            f"BM25, best {LINES} lines": _bm25(root, history.paths, asked),
        }
        bench = stack.enter_context(opened(root, place / "home", embedder_name=embedder))
        runtime = bench.runtime
        began = time.monotonic()
        scan_project(runtime)
        bench.host.work_off()
        indexing = time.monotonic() - began
        began = time.monotonic()
        systems["contextd, memory off"] = [_search(bench, subject) for subject in asked]
        took = time.monotonic() - began
        remember(runtime, history.older)
        lend_history(history, root)
        systems["contextd, memory on"] = _remembering(bench, runtime, history)
    rows = {name: _measured(found, history.asked) for name, found in systems.items()}
    changes = _gain(rows["contextd, memory on"], rows["contextd, memory off"])
    facts = {
        "repository": repository.resolve().name,
        "head": history.head,
        "frozen at": history.frozen,
        "questions": f"{len(asked)}, {history.asked[-1].at:%Y-%m-%d} to {history.asked[0].at:%Y-%m-%d}",
        "code files": len(history.paths),
        "commits remembered": len(history.older),
        "hardware": hardware(),
        "time": f"{indexing:.0f} s to index, {1e3 * took / len(asked):.0f} ms a question",
        "memory on − off": ", ".join(f"{name} {change}" for name, change in changes.items()),
    }
    table = scored(rows)
    report(out, "Localisation: the files that a commit with this subject changed", facts, table)
    return {
        **facts,
        **as_dicts(table),
        "gain": {name: each.as_dict() for name, each in changes.items()},
    }


def remember(runtime: Runtime, commits: Iterable[Commit]) -> None:
    """Store commits as records: their message and files."""
    every = [_record(runtime, commit) for commit in commits]
    for start in range(0, len(every), _AT_ONCE):
        puts = [Put(record, "import") for record in every[start : start + _AT_ONCE]]
        runtime.view.commit(Changes(actor="bench", knowledge=with_vectors(runtime, puts)))


def _remembering(bench: Bench, runtime: Runtime, history: CommitHistory) -> Rankings:
    """Run the queries, oldest first, each with the memory of its past."""
    found: Rankings = []
    place = {commit.sha: at for at, commit in enumerate(history.commits)}
    reached = place[history.asked[-1].sha] + 1
    for commit in reversed(history.asked):
        done = history.commits[place[commit.sha] + 1 : reached]
        reached = place[commit.sha] + 1
        remember(runtime, [one for one in reversed(done) if one.files])
        stand_before(history, commit, bench.root)
        if not found:
            # The first call that needs a long history starts reading it in the
            # background.
            _search(bench, commit.subject)
            bench.host.work_off()
        found.append(_search(bench, commit.subject))
    return found[::-1]


def _record(runtime: Runtime, commit: Commit) -> Record:
    return Record(
        kind="remediation",
        scope=runtime.scope,
        title=commit.subject,
        content=commit.subject,
        data={"problem": "", "solution": "", "affected_files": list(commit.files)},
        source=Source(operation="import", ref=commit.sha),
        trust="imported",
        anchor=Anchor(commit=commit.sha),
        created_at=commit.at,
        updated_at=commit.at,
    )


def _search(bench: Bench, subject: str) -> list[str]:
    found = bench.call("codebase_search", query=subject, limit=_DEPTH).value
    return list(dict.fromkeys(hit["path"] for hit in found["results"]))


def _largest(root: Path, paths: Sequence[str]) -> list[str]:
    sizes = {path: (root / path).stat().st_size for path in paths}
    return sorted(paths, key=lambda path: (-sizes[path], path))


def _bm25(root: Path, paths: Sequence[str], asked: Sequence[str]) -> Rankings:
    owners: list[str] = []
    texts: list[str] = []
    for path in paths:
        lines = (root / path).read_text("utf-8", errors="replace").splitlines()
        for start in range(0, max(1, len(lines)), LINES):
            owners.append(path)
            texts.append("\n".join(lines[start : start + LINES]))
    index = PlainBM25(texts)
    rankings = (index.ranking(subject, len(texts)) for subject in asked)
    return [list(dict.fromkeys(owners[place] for place in found)) for found in rankings]


def _measured(rankings: Rankings, asked: Sequence[Commit]) -> dict[str, list[float]]:
    ranks = []
    for found, commit in zip(rankings, asked, strict=True):
        right = set(commit.files)
        ranks.append(next((rank for rank, path in enumerate(found, 1) if path in right), 0))
    row = {f"any@{k}": [float(0 < rank <= k) for rank in ranks] for k in (1, 5, 10)}
    return {**row, "MRR": [1 / rank if rank else 0.0 for rank in ranks]}


def _gain(on: dict[str, list[float]], off: dict[str, list[float]]) -> dict[str, MeanScore]:
    """Paired differences: both systems ran the same queries."""
    return {name: score([a - b for a, b in zip(on[name], off[name], strict=True)]) for name in on}
