"""Fit what tells that code answers a question, and say how well it tells on repositories left out.

    python tools/fit_answered.py --data DIR --repository DIR ... --foreign DIR ... [--write]

A repository's own questions are the subjects of its newest commits, memory off. What cannot be answered there are
subjects of commits of each `--foreign` repository, and questions of LoCoMo's conversations, from DIR. The two sorts
count alike, and so do the repositories. `--write` fits on all and writes the weights of the package, against 1 for
the best cosine.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from contextd.codebase.scanning import scan_project
from contextd.domain.query import CODE
from contextd.search.answer_threshold import LEAST, SIGNALS, answer_signals
from contextd.search.find_records import contents_of
from contextd.search.query_words import Asked
from contextd.search.search import DEPTH, search
from contextd_bench import locomo
from contextd_bench.history import check_out, read_history
from contextd_bench.scratch import opened

WEIGHTS = Path(__file__).parents[1] / "src" / "contextd" / "data" / "ranking.json"
QUESTIONS, FOREIGN, TALK = 100, 15, 60
"""Asked of a repository of its own commits, of those of each other one, and of conversations."""

SILENT = 0.035
"""The share of a repository's own questions that the limit leaves without an answer: at this, questions about
something else get one no more often than by the limits set by hand before.
"""

STEPS, PENALTY = 12, 0.001
"""Newton's method is done after ten steps; the penalty only keeps it from running away."""

OWN, COMMITS, CONVERSATIONS = "own", "commits", "conversations"

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """The questions put to one repository: their signals, and of which sort each is."""

    repository: str
    signals: Numbers
    sorts: NDArray[np.str_]


def main() -> None:
    """Fit, print and perhaps write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repository", type=Path, action="append", required=True)
    parser.add_argument("--foreign", type=Path, action="append", required=True)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    drawn = random.Random(7)
    talk = [
        question.text
        for one in locomo.load(chosen.data / "locomo" / "locomo-dev.json")
        for question in one.questions
    ]
    others = {COMMITS: list[str](), CONVERSATIONS: drawn.sample(talk, min(TALK, len(talk)))}
    for place in chosen.foreign:
        history = read_history(place, questions=QUESTIONS, memories=0)
        subjects = list(dict.fromkeys(commit.subject for commit in history.asked))
        others[COMMITS] += drawn.sample(subjects, min(FOREIGN, len(subjects)))
    judged = [of_repository(place, others) for place in chosen.repository]
    compare(judged)
    if chosen.write:
        known = json.loads(WEIGHTS.read_text("utf-8"))
        known["answered"] = named(fit(judged), judged)
        WEIGHTS.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


def of_repository(repository: Path, others: Mapping[str, Sequence[str]]) -> Judged:
    """The questions to a repository as it was before the oldest of its own, each searched for."""
    history = read_history(repository, questions=QUESTIONS, memories=0)
    questions = [(OWN, commit.subject) for commit in history.asked]
    questions += [(sort, text) for sort, texts in others.items() for text in texts]
    rows = []
    with tempfile.TemporaryDirectory(prefix="contextd-fit-") as folder:
        root, home = Path(folder, "tree"), Path(folder, "home")
        root.mkdir()
        check_out(history, history.paths, root)
        with opened(root, home, embedder_name="minilm") as bench:
            runtime = bench.runtime
            scan_project(runtime)
            bench.host.work_off()
            query = runtime.query(CODE, level="project")
            for _, text in questions:
                proposed = search(
                    runtime.view.index, runtime.embedder, text, query, limit=2 * DEPTH
                ).candidates
                contents = contents_of(runtime, [one.id for one in proposed])
                pairs = [(one, contents[one.id]) for one in proposed if one.id in contents]
                values = answer_signals(pairs, Asked(text))
                rows.append([values[name] for name in SIGNALS])
    return Judged(str(repository), np.array(rows), np.array([sort for sort, _ in questions]))


def fit(judged: Sequence[Judged]) -> Numbers:
    """The weights of a logistic regression: own questions against the others."""
    rows = np.vstack([one.signals for one in judged])
    right = np.concatenate([one.sorts == OWN for one in judged]).astype(float)
    counted = np.concatenate([_shares(one.sorts) for one in judged]) / len(judged)
    mean, spread = rows.mean(0), rows.std(0)
    extended = np.c_[(rows - mean) / spread, np.ones(len(rows))]
    # The constant is not held down; a little keeps the matrix regular.
    penalty = np.diag([2 * PENALTY] * len(SIGNALS) + [1e-9])
    counts = np.zeros(extended.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-extended @ counts))
        slope = extended.T @ (counted * (likely - right)) + penalty @ counts
        bend = (extended * (counted * likely * (1 - likely))[:, None]).T @ extended + penalty
        counts = counts - np.linalg.solve(bend, slope)
    return counts[:-1] / spread


def _shares(sorts: NDArray[np.str_]) -> Numbers:
    """What each question counts: its own ones together as much as the others, of which both sorts alike."""
    found = np.zeros(len(sorts))
    for sort, share in ((OWN, 1.0), (COMMITS, 0.5), (CONVERSATIONS, 0.5)):
        found[sorts == sort] = share / max(1, int((sorts == sort).sum()))
    return found


def limit(counts: Numbers, judged: Sequence[Judged]) -> float:
    """What the sum must reach so that `SILENT` of the own questions stay below it."""
    sums = [one.signals[one.sorts == OWN] @ counts for one in judged]
    shares = np.concatenate([np.full(len(own), 1 / len(own)) for own in sums]) / len(judged)
    values = np.concatenate(sums)
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(shares[order]), SILENT)])


def named(counts: Numbers, judged: Sequence[Judged]) -> dict[str, float]:
    """The weights and the limit by name, against 1 for the first signal."""
    values = {name: round(float(w / counts[0]), 3) for name, w in zip(SIGNALS, counts, strict=True)}
    return values | {LEAST: round(limit(counts, judged) / float(counts[0]), 3)}


def compare(judged: Sequence[Judged]) -> None:
    """Print what share of each sort gets an answer in repositories left out of the fit."""
    found: dict[str, list[float]] = {OWN: [], COMMITS: [], CONVERSATIONS: []}
    for one in judged:
        rest = [other for other in judged if other is not one] or [one]
        counts = fit(rest)
        answers = one.signals @ counts >= limit(counts, rest)
        shares = {sort: 100 * float(answers[one.sorts == sort].mean()) for sort in found}
        print(f"without {one.repository}: {shares}")
        for sort, share in shares.items():
            found[sort].append(share)
    print("answered, %:", {sort: round(float(np.mean(each)), 1) for sort, each in found.items()})


if __name__ == "__main__":
    main()
