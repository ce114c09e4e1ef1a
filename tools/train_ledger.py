"""Train the model that values an agent's sentences in a recap, and compare it with the worth of their sorts.

    python tools/train_ledger.py --labels FILE ... [--write]

FILE has a line of JSON per sentence: `project`, `text`, `label` (`keep`, `drop` or `unsure`). A sentence is labelled
`keep` if an agent that lost its window needs it to go on: a decision with its reason or choice, a cause that was
found, a measured result, a way that failed or was refused, a step that is left, a limit that bit. Lists of changes,
narration, code, questions, offers and tables are `drop`. How something works in general is `unsure`, and left out.
The planted statements of agents in the benchmark are further examples of `keep`. Every figure is of projects left
out of training; `--write` then trains on all and writes the weights of the package.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from contextd.sessions.ledger_sorts import SORTS, agents_sort, certainty
from contextd.sessions.statement_form import FEATURES, features
from contextd_bench.learning.planted_facts import FACTS

WEIGHTS = Path(__file__).parents[1] / "src" / "contextd" / "data" / "ledger.json"
PENALTY = 6.0
"""Of the squared weights of standardised features; 2 to 12 give the same area within .003."""

_LEAST_SCALE = 0.05
"""A feature that hardly ever occurs must not get a large value where it does."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence of an agent with its judgement."""

    project: str
    text: str
    keep: bool


@dataclass(frozen=True, slots=True)
class FormModel:
    """The weights of standardised features, with their means and deviations."""

    bias: float
    weight: Array
    center: Array
    scale: Array

    def scores(self, texts: Sequence[str]) -> Array:
        """The log-odds of each text."""
        found = (_matrix(texts) - self.center) / self.scale
        return np.asarray(found @ self.weight + self.bias)


def labelled(paths: Sequence[Path]) -> list[LabelledSentence]:
    """The sentences of these files that are labelled `keep` or `drop`."""
    rows = [
        json.loads(line)
        for path in paths
        for line in path.read_text("utf-8").splitlines()
        if line.strip()
    ]
    return [
        LabelledSentence(row["project"], row["text"], row["label"] == "keep")
        for row in rows
        if row["label"] != "unsure"
    ]


def fit(rows: Sequence[LabelledSentence]) -> FormModel:
    """A ridge logistic regression by Newton's method."""
    own = _matrix([row.text for row in rows])
    center, scale = own.mean(0), np.maximum(own.std(0), _LEAST_SCALE)
    planted = [fact.sentence for fact in FACTS if fact.speaker == "agent"]
    found = (np.vstack([own, _matrix(planted)]) - center) / scale
    x = np.hstack([np.ones((len(found), 1)), found])
    y = np.array([*(row.keep for row in rows), *(True for _ in planted)], float)
    penalty = np.concatenate([[1e-6], np.full(found.shape[1], PENALTY)])
    w = np.zeros(x.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        slope = x.T @ (chance - y) + penalty * w
        curve = (x * (chance * (1 - chance))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        w -= step
        if np.abs(step).max() < 1e-6:
            break
    return FormModel(float(w[0]), w[1:], center, scale)


def report(rows: Sequence[LabelledSentence]) -> None:
    """Print the areas under the curve of the model and of the worth of sorts, by project left out."""
    ours, sorts = np.zeros(len(rows)), np.array([_by_sort(row.text) for row in rows])
    keep = np.array([row.keep for row in rows])
    projects = np.array([row.project for row in rows])
    for project in sorted(set(projects)):
        held = projects == project
        model = fit([row for row, out in zip(rows, held, strict=True) if not out])
        ours[held] = model.scores([row.text for row, out in zip(rows, held, strict=True) if out])
        print(
            f"{project}: n={held.sum()}, model {area(ours[held], keep[held]):.3f}, sorts {area(sorts[held], keep[held]):.3f}"
        )
    print(f"all: n={len(rows)}, model {area(ours, keep):.3f}, sorts {area(sorts, keep):.3f}")


def area(scores: Array, keep: Array) -> float:
    """The chance that a kept sentence scores above a dropped one."""
    above = scores[keep][:, None] - scores[~keep][None, :]
    return float(((above > 0) + 0.5 * (above == 0)).mean())


def write(model: FormModel, labels: int) -> None:
    """Write the weights, with four digits, which change no decision."""
    lists = {
        name: [round(float(value), 4) for value in getattr(model, name)]
        for name in ("weight", "center", "scale")
    }
    package = {"labels": labels, "features": list(FEATURES), "bias": round(model.bias, 4), **lists}
    WEIGHTS.write_text(json.dumps(package) + "\n", "utf-8")


def _matrix(texts: Sequence[str]) -> Array:
    return np.array([features(text, agents_sort(text)) for text in texts])


def _by_sort(text: str) -> float:
    return SORTS[agents_sort(text)].worth * certainty(text)


def main() -> None:
    """Train and compare; write with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=Path, nargs="+", required=True)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    rows = labelled(arguments.labels)
    report(rows)
    if arguments.write:
        write(fit(rows), len(rows))


if __name__ == "__main__":
    main()
