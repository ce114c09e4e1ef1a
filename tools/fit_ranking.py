"""Fit the weights of the rankers, and say how well they rank what they were not fitted on.

    python tools/fit_ranking.py --data DIR [--family messages|code] [--repository DIR ...] [--write]

DIR holds the public data sets as `contextd bench` takes them. Messages are fitted on what people wrote each
other (LoCoMo) and on chats with an assistant (BEAM, where it is there), the one counting as much as the
other: by weights of LoCoMo alone such chats were ranked worse than by plain words. Code is fitted on CoSQA's
development questions and on the histories of repositories, as `contextd bench localise` asks about them with memory
off. Every figure is of conversations, repositories or thirds of CoSQA left out of the fit; `--write` then
fits on all and writes the weights of the package. A weight is against 1 for the score by words and meaning
of a message, and for the cosine of code.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contextd.benchmarks import beam, cosqa, locomo
from contextd.benchmarks.data import score
from contextd.benchmarks.history import check_out, read_history
from contextd.benchmarks.scratch import opened, scratch_store
from contextd.domain.access import OWNER
from contextd.domain.query import CODE, EVENT, Query
from contextd.domain.scope import Scope
from contextd.embedders import open_embedder
from contextd.retrieval import files, messages
from contextd.retrieval.hits import Hit
from contextd.retrieval.search import DEPTH, search
from contextd.steps.finding import contents_of
from contextd.steps.scanning import scan_project

WEIGHTS = Path(__file__).parents[1] / "src" / "contextd" / "data" / "ranking.json"
QUESTIONS = 100
"""Asked of a repository, so that none outweighs the others."""

STEPS, RATE = 400, 0.1
"""Plain descent with momentum; the loss is convex, so neither moves the second decimal."""

PENALTIES = {"messages": 0.005, "code": 0.001}
"""What large weights cost. The cosines of code lie so near to each other that theirs must be large."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """A question with its candidates: their signals, the score by words and meaning first, and which
    of them are right. `group` is what is left out as one, `source` what counts as much as any other.
    """

    source: str
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
    parser.add_argument("--family", choices=("messages", "code"), action="append")
    parser.add_argument("--repository", type=Path, action="append", default=[])
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    known = json.loads(WEIGHTS.read_text("utf-8"))
    for family in chosen.family or ("messages", "code"):
        if family == "messages":
            first, names = "words and meaning", messages.SIGNALS
            people = locomo.load(chosen.data / "locomo" / "locomo-dev.json")
            questions = of_messages("LoCoMo", people)
            if (chosen.data / "beam").is_dir():
                chats = beam.load(chosen.data / "beam" / beam.DEVELOPMENT)
                questions += of_messages("BEAM", chats)
        else:
            first, names = "meaning", files.SIGNALS
            questions = of_functions(chosen.data / "cosqa")
            questions += [one for place in chosen.repository for one in of_files(place)]
        compare(family, questions, first, names)
        known[family] = named(fit(family, questions), names)
    if chosen.write:
        WEIGHTS.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


def of_messages(source: str, conversations: Iterable[locomo.Conversation]) -> list[Asked]:
    """The questions about conversations, each with what a search proposes."""
    embedder, found = open_embedder("minilm"), list[Asked]()
    with scratch_store() as store:
        for conversation in conversations:
            scope = Scope("local", "locomo", conversation.name)
            view = store.view(OWNER.grant([scope]))
            spoken = locomo.keep(view, embedder, scope, conversation)
            query = Query(scopes=frozenset({scope}), kinds=(EVENT,))
            for question in conversation.questions:
                proposed = search(view.index, embedder, question.text, query, limit=2 * DEPTH)
                hits = [Hit(c.id, c.kind, c.parts, spoken[c.id][1]) for c in proposed.candidates]
                told = messages.signals(hits, question.text)
                rows = [
                    [hit.score, *(own[name] for name in messages.SIGNALS)]
                    for hit, own in zip(hits, told, strict=True)
                ]
                right = [float(spoken[hit.id][0] in question.evidence) for hit in hits]
                name, wanted = conversation.name, len(question.evidence)
                found.append(Asked(source, name, np.array(rows), np.array(right), wanted))
    return found


def of_functions(folder: Path) -> list[Asked]:
    """CoSQA's questions, each with the functions a search proposes, in thirds."""
    questions, functions = cosqa.load(folder / cosqa.QUESTIONS, folder / cosqa.FUNCTIONS)
    embedder, found = open_embedder("minilm"), list[Asked]()
    query = Query(scopes=frozenset({cosqa.SCOPE}), kinds=(CODE,))
    with scratch_store() as store:
        view = store.view(OWNER.grant([cosqa.SCOPE]))
        cosqa.keep(view, embedder, functions)
        for place, (text, right) in enumerate(questions):
            proposed = search(view.index, embedder, text, query, limit=2 * DEPTH).candidates
            hits = cosqa.function_hits(proposed, functions)
            found.append(of_code(f"CoSQA {place % 3}", text, hits, {str(right)}))
    return found


def of_files(repository: Path) -> list[Asked]:
    """The subjects of a repository's newest commits, each with the files a search proposes."""
    history = read_history(repository, questions=QUESTIONS, memories=0)
    found: list[Asked] = []
    with tempfile.TemporaryDirectory(prefix="contextd-fit-") as folder:
        root, home = Path(folder, "tree"), Path(folder, "home")
        root.mkdir()
        check_out(history, history.paths, root)
        with opened(root, home, embedder_name="minilm") as bench:
            runtime = bench.runtime
            scan_project(runtime)
            bench.host.work_off()
            query = runtime.query(CODE, reach="project")
            for commit in history.asked:
                proposed = search(
                    runtime.view.index, runtime.embedder, commit.subject, query, limit=2 * DEPTH
                ).candidates
                contents = contents_of(runtime, [one.id for one in proposed])
                hits = [Hit(c.id, c.kind, c.parts, contents[c.id]) for c in proposed]
                found.append(
                    of_code(str(repository), commit.subject, hits, frozenset(commit.files))
                )
    return found


def of_code(group: str, question: str, hits: Sequence[Hit], right: Set[str]) -> Asked:
    """A question with the files of these hits."""
    told = files.signals(hits, question)
    rows = [[own["meaning"], *(own[name] for name in files.SIGNALS)] for own in told.values()]
    return Asked(
        group,
        group,
        np.array(rows).reshape(len(told), 1 + len(files.SIGNALS)),
        np.array([float(path in right) for path in told]),
        len(right),
    )


def fit(family: str, questions: Sequence[Asked]) -> Numbers:
    """The weights under which the right candidates of each question are likeliest (softmax over its
    candidates), with a penalty on large ones. A source counts as much as any other.
    """
    fair = [one for one in questions if one.right.any()]
    shares = Counter(one.source for one in fair)
    own = [shares[one.source] for one in fair]
    counted = 1 / np.array(own) / len(shares)
    rows = np.vstack([one.signals for one in fair])
    wanted = np.concatenate([one.right / one.right.sum() for one in fair])
    sizes = np.array([len(one.right) for one in fair])
    starts = np.cumsum(sizes) - sizes
    counts, first, second = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        sums = rows @ counts
        raised = np.exp(sums - np.repeat(np.maximum.reduceat(sums, starts), sizes))
        likely = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
        slope = (
            rows.T @ ((likely - wanted) * np.repeat(counted, sizes)) + PENALTIES[family] * counts
        )
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        pace = np.sqrt(second / (1 - 0.99**step)) + 1e-8
        counts = counts - RATE * first / (1 - 0.9**step) / pace
    return counts


def named(counts: Numbers, names: Sequence[str]) -> dict[str, float]:
    """The weights by name, against 1 for the first."""
    return {name: round(float(w / counts[0]), 3) for name, w in zip(names, counts[1:], strict=True)}


def compare(family: str, questions: Sequence[Asked], first: str, names: Sequence[str]) -> None:
    """Print what the ranking by the first signal alone and the fitted one find of groups left out."""
    groups = sorted({one.group for one in questions})
    values: dict[str, dict[str, list[float]]] = {first: {}, "fitted": {}}
    for group in groups:
        counts = fit(family, [one for one in questions if one.group != group])
        print(f"without {group}: {named(counts, names)}")
        for one in (one for one in questions if one.group == group):
            about = f"{one.source} " if family == "messages" else ""
            note(values[first], one, one.signals[:, 0], about)
            note(values["fitted"], one, one.signals @ counts, about)
    for system, measures in values.items():
        shown = ", ".join(f"{name} {score(each)}" for name, each in measures.items())
        print(f"{family}, {system}: {shown}")
    for name, before in values[first].items():
        after = values["fitted"][name]
        print(f"gain {name}: {score([b - a for a, b in zip(before, after, strict=True)])}")


def note(values: dict[str, list[Any]], asked: Asked, scores: Numbers, about: str) -> None:
    """Note what a ranking finds of one question; `about` stands before the name of each measure."""
    right = asked.right[np.argsort(-scores, kind="stable")]
    places = np.flatnonzero(right)
    values.setdefault(f"{about}recall@10", []).append(float(right[:10].sum()) / asked.wanted)
    values.setdefault(f"{about}MRR", []).append(1 / (1 + float(places[0])) if len(places) else 0.0)


if __name__ == "__main__":
    main()
