"""Train the classifier of statements, and say how well it chooses on projects it has not seen.

    python tools/train_worth.py --data DIR [--labels FILE ...] [--write]

DIR holds `sentences-dev.jsonl` (keep or drop), `records-dev.jsonl` (grades U, P, T, W, J) and
`transcripts/PROJECT/*.jsonl.gz`; further files are labelled as the first is. Every figure is of
projects left out of training; `--write` then trains on all and writes the weights of the package.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from contextd.embedders.minilm import MiniLM
from contextd.imports.importers.claude_code import read
from contextd.learning.passages import Statement, self_contained, statements
from contextd.learning.statement_worth import FORM, form, prior
from contextd.sessions.markdown import Passage
from contextd_bench.learning.rules_of_0_1.extract import classify

WEIGHTS = Path(__file__).parents[1] / "src" / "contextd" / "data" / "worth.json"
SOURCES = {
    "turnend": "turn_end", "final": "turn_end", "user": "prompt", "reject": "refusal",
    "memfile": "instructions", "pr": "pull_request",
}  # fmt: skip
RATES = (0.05, 0.1, 0.2)
FORM_PENALTY, MEANING_PENALTY = 16.0, 2.0
"""Near the best of `--penalties`, which leaves sessions out; its optimum is flat."""

Scorer = Callable[[list["Labelled"], list["Labelled"]], np.ndarray[Any, Any]]


@dataclass
class Labelled:
    """A statement with its judgement."""

    project: str
    session: str
    statement: Statement
    keep: bool
    kind: str
    vector: np.ndarray[Any, Any] | None = None

    @cached_property
    def form(self) -> list[float]:
        """What can be told of it without its meaning."""
        return form(self.statement)


def labelled(data: Path, further: Sequence[Path]) -> list[Labelled]:
    """All judged statements, each text of a session once."""
    rows = [*_sentences(data / "sentences-dev.jsonl"), *_records(data / "records-dev.jsonl")]
    for path in further:
        rows += _sentences(path, kind=path.stem)
    once = {(row.session, row.statement.text): row for row in rows}
    return list(once.values())


def _sentences(path: Path, kind: str = "sentence") -> Iterator[Labelled]:
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["source"] == "user" and row["heading"]:
            continue  # a pasted document, which is material and no statement
        origin = SOURCES.get(row["source"], row["source"])
        passage = Passage(row["sentence"].replace("**", ""), row["heading"], row.get("context", ""))
        statement = _statement(self_contained(passage), origin, row["heading"])
        yield Labelled(row["project"], row["session"], statement, row["label"] == "keep", kind)


def _records(path: Path) -> Iterator[Labelled]:
    """What 0.1 took from one sentence; its other records joined several and were no statements."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] != "discovery":
            continue
        origin = "prompt" if row["speaker"] == "user" else "turn_end"
        statement = _statement(row["text"], origin, "")
        yield Labelled(row["project"], row["session"], statement, row["label"] in "UP", "record")


def _statement(text: str, origin: str, heading: str) -> Statement:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Statement(text=text, origin=origin, event_key="", at=at, heading=heading)


# --- the classifier


def fit(rows: Sequence[Labelled], form_penalty: float, meaning_penalty: float) -> dict[str, Any]:
    """A ridge logistic regression by Newton's method; form is standardised, vectors are passage."""
    forms = np.array([row.form for row in rows])
    center, scale = forms.mean(0), np.maximum(forms.std(0), 0.05)
    vectors = np.array([row.vector for row in rows])
    # Each set of labels was drawn and judged in its own way, which must not look like a feature.
    kinds = sorted({row.kind for row in rows})[:-1]
    drawn = np.array([[row.kind == kind for kind in kinds] for row in rows], float)
    x = np.hstack([np.ones((len(rows), 1)), (forms - center) / scale, vectors, drawn])
    y = np.array([row.keep for row in rows], float)
    sizes = (
        (1, 1e-6),
        (forms.shape[1], form_penalty),
        (vectors.shape[1], meaning_penalty),
        (len(kinds), 0.5),
    )
    penalty = np.concatenate([np.full(size, value) for size, value in sizes])
    before = np.array([prior(row.statement) for row in rows])
    w = np.zeros(x.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-x @ w - before))
        slope = x.T @ (chance - y) + penalty * w
        curve = (x * (chance * (1 - chance))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        w -= step
        if np.abs(step).max() < 1e-6:
            break
    split, end = 1 + forms.shape[1], 1 + forms.shape[1] + vectors.shape[1]
    return {
        "bias": w[0],
        "form": w[1:split],
        "meaning": w[split:end],
        "center": center,
        "scale": scale,
    }


def score(model: dict[str, Any], rows: Sequence[Labelled]) -> np.ndarray[Any, Any]:
    """The log-odds of each row."""
    forms = (np.array([row.form for row in rows]) - model["center"]) / model["scale"]
    vectors = np.array([row.vector for row in rows])
    before = np.array([prior(row.statement) for row in rows])
    return np.asarray(before + model["bias"] + forms @ model["form"] + vectors @ model["meaning"])


def classifier(form_penalty: float, meaning_penalty: float) -> Scorer:
    """A scorer that trains on the first rows and scores the second."""
    return lambda train, test: score(fit(train, form_penalty, meaning_penalty), test)


# --- what it is compared with


def by_rules(_: list[Labelled], test: list[Labelled]) -> np.ndarray[Any, Any]:
    """The rules of version 0.1."""
    found = []
    for row in test:
        speaker = (
            "user"
            if row.statement.origin in ("prompt", "queued", "refusal", "answer")
            else "assistant"
        )
        told = classify(re.sub(r"[`*]", "", row.statement.text), speaker)
        found.append(told[2] if told else 0.0)
    return np.array(found)


def by_length(_: list[Labelled], test: list[Labelled]) -> np.ndarray[Any, Any]:
    """Longer is better."""
    return np.array([float(len(row.statement.text)) for row in test])


def by_chance(_: list[Labelled], test: list[Labelled]) -> np.ndarray[Any, Any]:
    """A fixed lot."""
    chance = random.Random(7)
    return np.array([chance.random() for _ in test])


def by_origin(_: list[Labelled], test: list[Labelled]) -> np.ndarray[Any, Any]:
    """The share of the origin alone."""
    return np.array([prior(row.statement) for row in test])


def by_rank(sessions: dict[str, list[str]]) -> Scorer:
    """TextRank by shared words among all statements of the session (Mihalcea and Tarau 2004)."""

    def scorer(_: list[Labelled], test: list[Labelled]) -> np.ndarray[Any, Any]:
        found = np.zeros(len(test))
        by_session: dict[str, list[int]] = defaultdict(list)
        for place, row in enumerate(test):
            by_session[row.session].append(place)
        for session, places in by_session.items():
            own = [test[place].statement.text for place in places]
            others = [text for text in sessions.get(session, []) if text not in own][:1500]
            ranks = _text_rank([*own, *others])
            found[places] = ranks[: len(own)] * len(ranks)
        return found

    return scorer


def _text_rank(texts: list[str]) -> np.ndarray[Any, Any]:
    words = [set(re.findall(r"\w{3,}", text.casefold())) for text in texts]
    names = {word: place for place, word in enumerate(sorted(set().union(*words)))}
    table = np.zeros((len(texts), len(names)), np.float32)
    for place, own in enumerate(words):
        table[place, [names[word] for word in own]] = 1
    sizes = np.log(np.maximum(2, table.sum(1)))
    links = (table @ table.T) / (sizes[:, None] + sizes[None, :])
    np.fill_diagonal(links, 0)
    links /= np.maximum(links.sum(1, keepdims=True), 1e-9)
    rank = np.full(len(texts), 1 / len(texts))
    for _ in range(40):
        rank = 0.15 / len(texts) + 0.85 * links.T @ rank
    return rank


# --- the figures


def auc(scores: np.ndarray[Any, Any], keep: np.ndarray[Any, Any]) -> float:
    """The chance that a kept statement stands above a dropped one; ties count half."""
    good, bad = scores[keep], scores[~keep]
    above = (good[:, None] > bad[None, :]).mean()
    return float(above + 0.5 * (good[:, None] == bad[None, :]).mean())


def held_out(
    rows: list[Labelled], scorer: Scorer
) -> Iterator[tuple[str, list[Labelled], np.ndarray[Any, Any]]]:
    """Each project with the scores of a model that never saw it."""
    for project in sorted({row.project for row in rows}):
        test = [row for row in rows if row.project == project]
        train = [row for row in rows if row.project != project]
        yield project, test, scorer(train, test)


def report(name: str, rows: list[Labelled], scorer: Scorer, kinds: frozenset[str]) -> None:
    """AUC per project, and the precision of the best share and of the best five per session."""
    areas, best, fives = [], defaultdict(list), []
    for project, test, scores in held_out(rows, scorer):
        chosen = [place for place, row in enumerate(test) if row.kind in kinds]
        keep = np.array([test[place].keep for place in chosen])
        scored = scores[chosen] + 1e-9 * np.random.default_rng(1).random(len(chosen))
        areas.append((project, auc(scores[chosen], keep)))
        order = np.argsort(-scored)
        for rate in RATES:
            best[rate] += list(keep[order[: max(1, round(rate * len(order)))]])
        sessions = defaultdict(list)
        for place, value, good in zip(chosen, scored, keep, strict=True):
            sessions[test[place].session].append((value, good))
        for said in sessions.values():
            if len(said) >= 10:
                fives += [good for _, good in sorted(said, reverse=True)[:5]]
    shown = "  ".join(f"{project} {area:.2f}" for project, area in areas)
    top = "  ".join(f"top {rate:.0%} {np.mean(best[rate]):.2f}" for rate in RATES)
    mean = np.mean([area for _, area in areas])
    best_five = f"five/session {np.mean(fives):.2f} (n={len(fives)})" if fives else ""
    print(f"{name:14} AUC {mean:.3f} ({shown})  {top}  {best_five}")


def choose_penalties(rows: list[Labelled]) -> None:
    """The AUC of inner folds by session, for each pair of penalties."""
    sessions = sorted({row.session for row in rows})
    random.Random(3).shuffle(sessions)
    fold = {session: place % 5 for place, session in enumerate(sessions)}
    for form_penalty in (4.0, 16.0, 64.0):
        for meaning_penalty in (1.0, 2.0, 4.0):
            areas = []
            for out in range(5):
                train = [row for row in rows if fold[row.session] != out]
                test = [row for row in rows if fold[row.session] == out]
                scores = score(fit(train, form_penalty, meaning_penalty), test)
                areas.append(auc(scores, np.array([row.keep for row in test])))
            print(f"form {form_penalty:4} meaning {meaning_penalty:4}: {np.mean(areas):.3f}")


def session_texts(data: Path, wanted: set[str]) -> dict[str, list[str]]:
    """The texts of all statements of each session."""
    found = {}
    for path in sorted(data.glob("transcripts/*/*.jsonl.gz")):
        name = path.name.removesuffix(".jsonl.gz")
        if name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            plain = Path(folder) / f"{name}.jsonl"
            plain.write_bytes(gzip.decompress(path.read_bytes()))
            found[name] = [one.text for one in statements(read(plain).events)]
    return found


def write(rows: list[Labelled]) -> None:
    """Train on everything and write the weights, with four digits, which change no decision."""
    model = fit(rows, FORM_PENALTY, MEANING_PENALTY)
    told = {
        "model": MiniLM.model,
        "labels": len(rows),
        "features": list(FORM),
        "bias": round(float(model["bias"]), 4),
        **{
            name: [round(float(v), 4) for v in model[name]]
            for name in ("form", "center", "scale", "meaning")
        },
    }
    WEIGHTS.write_text(json.dumps(told, separators=(",", ":")) + "\n", "utf-8")
    print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size:,} bytes")
    for value, name in sorted(
        zip(model["form"], FORM, strict=True), key=lambda pair: -abs(pair[0])
    ):
        print(f"  {name:12} {value:+.2f}")


def main() -> None:
    """Read, embed, compare, and write when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--labels", type=Path, nargs="*", default=[])
    parser.add_argument("--penalties", action="store_true", help="try other penalties")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    rows = labelled(given.data, given.labels)
    embedder = MiniLM()
    vectors = embedder.embed([row.statement.text for row in rows])
    for row, vector in zip(rows, vectors, strict=True):
        row.vector = vector
    if given.penalties:
        choose_penalties(rows)
    sessions = session_texts(given.data, {row.session for row in rows})
    scorers: dict[str, Scorer] = {
        "classifier": classifier(FORM_PENALTY, MEANING_PENALTY),
        "form alone": classifier(FORM_PENALTY, 1e6),
        "vector alone": classifier(1e6, MEANING_PENALTY),
        "rules of 0.1": by_rules, "TextRank": by_rank(sessions), "origin": by_origin,
        "length": by_length, "chance": by_chance,
    }  # fmt: skip
    kinds = sorted({row.kind for row in rows})
    for chosen in (frozenset(kinds), *(frozenset({kind}) for kind in kinds)):
        own = [row for row in rows if row.kind in chosen]
        print(
            f"\n{', '.join(sorted(chosen))}: {len(own)} judged, {np.mean([r.keep for r in own]):.0%} kept"
        )
        for name, scorer in scorers.items():
            report(name, rows, scorer, chosen)
    if given.write:
        write(rows)


if __name__ == "__main__":
    main()
