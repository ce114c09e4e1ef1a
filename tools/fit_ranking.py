"""Fit the weights of the rankers, and say how well they rank what they were not fitted on.

    python tools/fit_ranking.py --data DIR [--write]

DIR holds the public data sets as `contextd bench` takes them. Every figure is of conversations left out
of the fit; `--write` then fits on all and writes the weights of the package. A weight is against 1
for the score by words and meaning, so that the ranking of `search` is where all weights are 0.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contextd.benchmarks import locomo
from contextd.benchmarks.data import score
from contextd.benchmarks.scratch import scratch_store
from contextd.domain.access import OWNER
from contextd.domain.query import EVENT, Query
from contextd.domain.scope import Scope
from contextd.embedders import open_embedder
from contextd.retrieval.hits import Hit
from contextd.retrieval.messages import SIGNALS
from contextd.retrieval.messages import signals as signals_of
from contextd.retrieval.search import DEPTH, search

WEIGHTS = Path(__file__).parents[1] / "src" / "contextd" / "data" / "ranking.json"
STEPS, RATE, PENALTY = 400, 0.1, 0.005
"""Plain descent with momentum; the loss is convex, so neither moves the second decimal."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """A question with its candidates: their signals, the score by words and meaning first, and which
    of them are right. `group` is what is left out as one.
    """

    group: str
    signals: Numbers
    right: Numbers
    wanted: int


def main() -> None:
    """Fit, print and perhaps write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    questions = messages(chosen.data / "locomo" / "locomo-dev.json")
    compare("messages", questions, SIGNALS)
    if chosen.write:
        found = {"messages": named(fit(questions), SIGNALS)}
        WEIGHTS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def messages(path: Path) -> list[Asked]:
    """The questions of a LoCoMo file, each with what a search proposes."""
    embedder, found = open_embedder("minilm"), list[Asked]()
    with scratch_store() as store:
        for conversation in locomo.load(path):
            scope = Scope("local", "locomo", conversation.name)
            view = store.view(OWNER.grant([scope]))
            spoken = locomo.keep(view, embedder, scope, conversation)
            query = Query(scopes=frozenset({scope}), kinds=(EVENT,))
            for question in conversation.questions:
                proposed = search(view.index, embedder, question.text, query, limit=2 * DEPTH)
                hits = [Hit(c.id, c.kind, c.parts, spoken[c.id][1]) for c in proposed.candidates]
                told = signals_of(hits, question.text)
                rows = [
                    [hit.score, *(own[name] for name in SIGNALS)]
                    for hit, own in zip(hits, told, strict=True)
                ]
                right = [float(spoken[hit.id][0] in question.evidence) for hit in hits]
                found.append(
                    Asked(
                        conversation.name, np.array(rows), np.array(right), len(question.evidence)
                    )
                )
    return found


def fit(questions: Sequence[Asked]) -> Numbers:
    """The weights under which the right candidates of each question are likeliest (softmax over its
    candidates), with a penalty on large ones.
    """
    fair = [one for one in questions if one.right.any()]
    rows = np.vstack([one.signals for one in fair])
    wanted = np.concatenate([one.right / one.right.sum() for one in fair])
    sizes = np.array([len(one.right) for one in fair])
    starts = np.cumsum(sizes) - sizes
    counts, first, second = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        sums = rows @ counts
        raised = np.exp(sums - np.repeat(np.maximum.reduceat(sums, starts), sizes))
        likely = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
        slope = rows.T @ (likely - wanted) / len(fair) + PENALTY * counts
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        pace = np.sqrt(second / (1 - 0.99**step)) + 1e-8
        counts = counts - RATE * first / (1 - 0.9**step) / pace
    return counts


def named(counts: Numbers, names: Sequence[str]) -> dict[str, float]:
    """The weights by name, against 1 for the first."""
    return {name: round(float(w / counts[0]), 3) for name, w in zip(names, counts[1:], strict=True)}


def compare(family: str, questions: Sequence[Asked], names: Sequence[str]) -> None:
    """Print what the ranking without weights and the fitted one find of groups left out."""
    groups = sorted({one.group for one in questions})
    values: dict[str, dict[str, list[float]]] = {"words and meaning": {}, "fitted": {}}
    for group in groups:
        counts = fit([one for one in questions if one.group != group])
        print(f"without {group}: {named(counts, names)}")
        for one in (one for one in questions if one.group == group):
            note(values["words and meaning"], one, one.signals[:, 0])
            note(values["fitted"], one, one.signals @ counts)
    for system, measures in values.items():
        shown = ", ".join(f"{name} {score(each)}" for name, each in measures.items())
        print(f"{family}, {system}: {shown}")
    for name, before in values["words and meaning"].items():
        after = values["fitted"][name]
        print(f"gain {name}: {score([b - a for a, b in zip(before, after, strict=True)])}")


def note(values: dict[str, list[Any]], asked: Asked, scores: Numbers) -> None:
    """Note what a ranking finds of one question."""
    right = asked.right[np.argsort(-scores, kind="stable")]
    places = np.flatnonzero(right)
    values.setdefault("recall@10", []).append(float(right[:10].sum()) / asked.wanted)
    values.setdefault("MRR", []).append(1 / (1 + float(places[0])) if len(places) else 0.0)


if __name__ == "__main__":
    main()
