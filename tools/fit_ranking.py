"""Fit the weights of the rankers, and say how well they rank what they were not fitted on.

    python tools/fit_ranking.py --data DIR [--family messages|records|code|files] [--repository DIR ...] [--write]

DIR holds the public data sets as `contextd bench` takes them. Messages are fitted on what was written for people
(LoCoMo), by people (REALTALK) and with an assistant (BEAM; both where they are there), each counting as much as
any other: by weights of LoCoMo alone chats with an assistant were ranked worse than by plain words. What code
says is fitted on CoSQA's development questions and on the histories of repositories, as `contextd bench localise`
asks about them; with that held, what is added to it for files is fitted on the histories alone: with memory off,
and once more with the past. Records are fitted on what developers wrote down in the repositories and asked later,
as `contextd bench records` asks about them. Every figure is of conversations, repositories or thirds of CoSQA left
out of the fit; `--write` then fits on all and writes the weights of the package. A weight is against 1 for the
score by words and meaning of a message, for that of a record so far, for the cosine of code, and for what code
says of a file.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from record_questions import record_questions

from contextd.codebase.scanning import scan_project
from contextd.domain import query as kinds
from contextd.domain.access import OWNER
from contextd.domain.query import EVENT, Query
from contextd.domain.scope import Scope
from contextd.embedders import open_embedder
from contextd.search import file_ranking as files
from contextd.search import message_ranking as messages
from contextd.search import record_ranking as records
from contextd.search.file_history import past_of
from contextd.search.find_records import contents_of
from contextd.search.hits import Hit
from contextd.search.ranking_weights import CODE, FILES, FILES_WITH_PAST, RECORDS
from contextd.search.search import DEPTH, search
from contextd_bench import beam, conversations, cosqa, locomo, realtalk
from contextd_bench.data import score
from contextd_bench.history import (
    CommitHistory,
    check_out,
    lend_history,
    read_history,
    stand_before,
)
from contextd_bench.localise import remember
from contextd_bench.scratch import Bench, opened, scratch_store

WEIGHTS = Path(__file__).parents[1] / "src" / "contextd" / "data" / "ranking.json"
MESSAGES = "messages"
QUESTIONS, MEMORIES = 100, 2_000
"""Commits of a repository that are asked about, so that none outweighs the others; and that are remembered."""

STEPS, RATE = 400, 0.1
"""Plain descent with momentum; neither moves the second decimal."""

WHOLE_STEPS = 100
"""How long the fit for files wants all right ones, before it wants any of them: one is enough to begin with."""

PENALTIES = {MESSAGES: 0.005, RECORDS: 0.005, CODE: 0.001, FILES: 0.001, FILES_WITH_PAST: 0.001}
"""What large weights cost. The cosines of code lie so near to each other that theirs must be large."""

FOLDS = 10
"""Groups that are left out at once are every tenth, where there are more."""

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

    def first(self, count: int) -> Asked:
        """The same with the first `count` signals alone."""
        return replace(self, signals=self.signals[:, :count])

    def without(self, place: int) -> Asked:
        """The same without one signal."""
        return replace(self, signals=np.delete(self.signals, place, axis=1))

    def with_code_held(self, counts: Mapping[str, float]) -> Asked:
        """The same with one signal for all that code says."""
        said = 1 + len(files.SIGNALS)
        held = self.signals[:, :said] @ np.array([1.0, *(counts[name] for name in files.SIGNALS)])
        rows = np.column_stack([held, self.signals[:, said:]])
        return replace(self, signals=rows)


def main() -> None:
    """Fit, print and perhaps write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--family", choices=(MESSAGES, RECORDS, CODE, FILES), action="append")
    parser.add_argument("--repository", type=Path, action="append", default=[])
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    known = json.loads(WEIGHTS.read_text("utf-8"))
    families = chosen.family or (MESSAGES, RECORDS, CODE, FILES)
    if MESSAGES in families:
        people = locomo.load(chosen.data / "locomo" / locomo.DEVELOPMENT)
        questions = of_messages("LoCoMo", people)
        for source, chats in (("REALTALK", realtalk), ("BEAM", beam)):
            folder = chosen.data / source.lower()
            if folder.is_dir():
                questions += of_messages(source, chats.load(folder / chats.DEVELOPMENT))
        known[MESSAGES] = fitted(MESSAGES, questions, "words and meaning", messages.SIGNALS)
    if RECORDS in families:
        written = [Asked(*one) for one in record_questions(chosen.repository)]
        known[RECORDS] = fitted(RECORDS, written, "score so far", records.SIGNALS)
    places = chosen.repository if {CODE, FILES}.intersection(families) else ()
    histories = [one for place in places for one in of_files(place)]
    if CODE in families:
        asked = of_functions(chosen.data / "cosqa")
        asked += [one.first(1 + len(files.SIGNALS)) for one in histories]
        known[CODE] = fitted(CODE, asked, "meaning", files.SIGNALS)
    if FILES in families:
        told = [one.with_code_held(known[CODE]) for one in histories]
        names = files.FILE_SIGNALS
        alone = [one.first(1 + len(names)) for one in told]
        known[FILES] = fitted(FILES, alone, "code", names)
        length = 1 + names.index("length")
        past = (*(name for name in names if name != "length"), *files.PAST_SIGNALS)
        known[FILES_WITH_PAST] = fitted(
            FILES_WITH_PAST, [one.without(length) for one in told], "code", past
        )
    if chosen.write:
        WEIGHTS.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


def fitted(
    family: str, questions: Sequence[Asked], first: str, names: Sequence[str]
) -> dict[str, float]:
    """The weights fitted on all questions, after what they were worth on those left out was printed."""
    compare(family, questions, first, names)
    return named(fit(family, questions), names)


def of_messages(source: str, chats: Iterable[conversations.Conversation]) -> list[Asked]:
    """The questions about conversations, each with what a search proposes."""
    embedder, found = open_embedder("minilm"), list[Asked]()
    with scratch_store() as store:
        for conversation in chats:
            scope = Scope("local", "conversations", conversation.name)
            view = store.view(OWNER.grant([scope]))
            spoken = conversations.keep(view, embedder, scope, conversation)
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
    query = Query(scopes=frozenset({cosqa.SCOPE}), kinds=(kinds.CODE,))
    with scratch_store() as store:
        view = store.view(OWNER.grant([cosqa.SCOPE]))
        cosqa.keep(view, embedder, functions)
        for place, (text, right) in enumerate(questions):
            proposed = search(view.index, embedder, text, query, limit=2 * DEPTH).candidates
            hits = cosqa.function_hits(proposed, functions)
            asked = of_code(f"CoSQA {place % 3}", text, hits, {str(right)}, files.Past())
            found.append(asked.first(1 + len(files.SIGNALS)))
    return found


def of_files(repository: Path) -> list[Asked]:
    """The subjects of a repository's newest commits, each with the files a search proposes."""
    history = read_history(repository, questions=QUESTIONS, memories=MEMORIES)
    with tempfile.TemporaryDirectory(prefix="contextd-fit-") as folder:
        root, home = Path(folder, "tree"), Path(folder, "home")
        root.mkdir()
        check_out(history, history.paths, root)
        with opened(root, home, embedder_name="minilm") as bench:
            scan_project(bench.runtime)
            bench.host.work_off()
            return of_history(str(repository), bench, history)


def of_history(group: str, bench: Bench, history: CommitHistory) -> list[Asked]:
    """The same where the files are indexed and nothing is remembered: what was done before each question
    is remembered as it is asked about, oldest first.
    """
    remember(bench.runtime, history.older)
    lend_history(history, bench.root)
    query = bench.runtime.query(kinds.CODE, level="project")
    place = {commit.sha: at for at, commit in enumerate(history.commits)}
    reached = place[history.asked[-1].sha] + 1
    found: list[Asked] = []
    for commit in reversed(history.asked):
        done = history.commits[place[commit.sha] + 1 : reached]
        reached = place[commit.sha] + 1
        remember(bench.runtime, [one for one in reversed(done) if one.files])
        stand_before(history, commit, bench.root)
        if not found:
            # A long history is read behind the back of the first call that asks for it.
            past_of(bench.runtime, commit.subject)
            bench.host.work_off()
        runtime = bench.runtime
        proposed = search(
            runtime.view.index, runtime.embedder, commit.subject, query, limit=2 * DEPTH
        ).candidates
        contents = contents_of(runtime, [one.id for one in proposed])
        hits = [Hit(c.id, c.kind, c.parts, contents[c.id]) for c in proposed]
        past = past_of(runtime, commit.subject)
        found.append(of_code(group, commit.subject, hits, frozenset(commit.files), past))
    return found


def of_code(
    group: str, question: str, hits: Sequence[Hit], right: Set[str], past: files.Past
) -> Asked:
    """A question with the files of these hits: what the code says of each, and what is added to it."""
    told, added = files.signals(hits, question), files.added_signals(hits, question, past)
    names, more = ("meaning", *files.SIGNALS), (*files.FILE_SIGNALS, *files.PAST_SIGNALS)
    rows = [
        [*(own[name] for name in names), *(added[path][name] for name in more)]
        for path, own in told.items()
    ]
    return Asked(
        group,
        group,
        np.array(rows).reshape(len(told), len(names) + len(more)),
        np.array([float(path in right) for path in told]),
        len(right),
    )


def fit(family: str, questions: Sequence[Asked]) -> Numbers:
    """The weights under which the right candidates of each question are likeliest (softmax over its
    candidates), with a penalty on large ones. A source counts as much as any other.
    """
    any_is_enough = family in (FILES, FILES_WITH_PAST)
    fair = [one for one in questions if one.right.any()]
    shares = Counter(one.source for one in fair)
    own = [shares[one.source] for one in fair]
    counted = 1 / np.array(own) / len(shares)
    rows = np.vstack([one.signals for one in fair])
    scale = rows.std(axis=0) + 1e-9 if any_is_enough else np.ones(rows.shape[1])
    rows = rows / scale
    right = np.concatenate([one.right for one in fair])
    wanted = np.concatenate([one.right / one.right.sum() for one in fair])
    sizes = np.array([len(one.right) for one in fair])
    starts = np.cumsum(sizes) - sizes
    counts, first, second = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        sums = rows @ counts
        raised = np.exp(sums - np.repeat(np.maximum.reduceat(sums, starts), sizes))
        likely = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
        if any_is_enough and step > WHOLE_STEPS:
            wanted = likely * right
            wanted /= np.repeat(np.add.reduceat(wanted, starts), sizes) + 1e-12
        slope = (
            rows.T @ ((likely - wanted) * np.repeat(counted, sizes)) + PENALTIES[family] * counts
        )
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        pace = np.sqrt(second / (1 - 0.99**step)) + 1e-8
        counts = counts - RATE * first / (1 - 0.9**step) / pace
    return np.asarray(counts / scale)


def named(counts: Numbers, names: Sequence[str]) -> dict[str, float]:
    """The weights by name, against 1 for the first."""
    return {name: round(float(w / counts[0]), 3) for name, w in zip(names, counts[1:], strict=True)}


def compare(family: str, questions: Sequence[Asked], first: str, names: Sequence[str]) -> None:
    """Print what the ranking by the first signal alone and the fitted one find of groups left out."""
    groups = sorted({one.group for one in questions})
    values: dict[str, dict[str, list[float]]] = {first: {}, "fitted": {}}
    for place in range(min(FOLDS, len(groups))):
        left_out = groups[place::FOLDS]
        counts = fit(family, [one for one in questions if one.group not in left_out])
        print(f"without {', '.join(left_out)}: {named(counts, names)}")
        for one in (one for one in questions if one.group in left_out):
            about = f"{one.source} " if family in (MESSAGES, RECORDS) else ""
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
    values.setdefault(f"{about}any@5", []).append(float(right[:5].any()))
    values.setdefault(f"{about}recall@10", []).append(float(right[:10].sum()) / asked.wanted)
    values.setdefault(f"{about}MRR", []).append(1 / (1 + float(places[0])) if len(places) else 0.0)


if __name__ == "__main__":
    main()
