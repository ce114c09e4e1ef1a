"""`contextd bench contradictions`: on everyday sentences (SICK) and technical ones.

SICK: Marelli et al., SemEval-2014 task 1; pairs labelled CONTRADICTION against all others. Each set
has two halves. Rules were written for sentences of the first. Of the second, totals were used to
choose three thresholds, and one template was fixed; later the false alarms of both halves of SICK
were read. The last hand-written pairs are held out completely and predict results elsewhere.
Developers' sentences are by the author of their rules and flatter these; their second half was
never read.
"""

from __future__ import annotations

import csv
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, TextIO

from contextd.claims.contradiction_test import contradiction
from contextd.claims.judgement import judge, statement_of
from contextd.claims.write_gate import Draft, GateLookup, admit
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.schema.model import ContextType
from contextd_bench.contradiction_pairs import Pair, developers, half, pairs, repeats, written
from contextd_bench.data import checksum, data_file, hardware
from contextd_bench.unrelated_entries import entries, schemas
from contextd_common.errors import Invalid

_NEGATED = re.compile(r"\b(?:no|not|never|nobody|none|nothing|without|avoid)\b|n't\b", re.I)
_HERE = Scope("bench")
_REPEATS = {"S": "the same once more", "D": "alike but not the same", "C": "alike but the opposite"}
Judge = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The results of a judge on a set of pairs."""

    n: int
    contradictions: int
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    def row(self, data: str, system: str) -> str:
        """A line of a Markdown table."""
        return (
            f"| {data} | {system} | {self.n} | {self.contradictions} | {self.precision:.3f}"
            f" | {self.recall:.3f} | {self.f1:.3f} |"
        )


def run(data: Path, out: TextIO = sys.stdout, file: str = "") -> dict[str, Any]:
    """Print precision and recall beside the baseline, false merges, and the speed of a comparison. Rules
    were tuned on half of the file that is read when none is named.
    """
    path = data_file(data, "sick", file or "SICK_train.txt")
    sick = read_sick(path)
    made, own = pairs(), written()
    sets: dict[str, Sequence[Pair]] = {
        **_halves(sick, file),
        "technical templates, tuned half": [pair for pair in made if half(pair) == 0],
        "technical templates, held-out half": [pair for pair in made if half(pair) == 1],
        "written by hand, mistakes mended": [pair for pair in own if pair.template == 0],
        "written by hand, only counted": [pair for pair in own if pair.template == 1],
        "developers' sentences, mistakes mended": [p for p in developers() if p.template == 0],
        "developers' sentences, only counted": [p for p in developers() if p.template == 1],
    }
    print(f"\n## contradictions\nhardware: {hardware()}", file=out)
    print(
        f"data: {path.name}, sha256 {checksum(path)[:16]}; {len(made)} made pairs, {len(own)} written",
        file=out,
    )
    print("| data | system | pairs | contradictory | precision | recall | F1 |", file=out)
    print("|---|---|---|---|---|---|---|", file=out)
    figures: dict[str, Any] = {}
    for name, chosen in sets.items():
        ours, plain = judged(chosen, ours_says), judged(chosen, baseline_says)
        print(ours.row(name, "contextd"), file=out)
        print(plain.row(name, "baseline: negation mismatch, Jaccard ≥ 0.5"), file=out)
        figures[name] = {"precision": ours.precision, "recall": ours.recall, "f1": ours.f1}
        figures[f"{name}, baseline"] = {"precision": plain.precision, "recall": plain.recall}
    opposed = [pair for pair in (*sick, *made, *own) if pair.contradictory]
    merged = sum(merges(pair) for pair in opposed)
    print(f"false merges of contradictions: {merged} of {len(opposed)}", file=out)
    for label, name in _REPEATS.items():
        like = repeats()[label]
        taken = sum(merges(Pair(*texts, False, 0)) for texts in like)
        print(f"{name}, taken for the same: {taken} of {len(like)}", file=out)
    alarms = {name: false_alarms(types) for name, types in schemas().items()}
    for name, (compared, found) in alarms.items():
        print(f"unrelated entries, schema {name}: {found} alarms in {compared:,} pairs", file=out)
    began = time.process_time()
    for pair in sick:
        contradiction(pair.one, pair.other)
    spent = (time.process_time() - began) / len(sick) * 1e6
    print(f"one comparison of texts read before: {spent:.0f} µs of CPU", file=out, flush=True)
    return {
        **figures,
        "false_merges": merged / len(opposed),
        "false_alarms": sum(found for _, found in alarms.values()),
    }


def false_alarms(types: Mapping[str, ContextType]) -> tuple[int, int]:
    """The number of unrelated pairs, and of those judged as contradictions or updates."""
    statements = [statement_of(record, types) for record in entries(types)]
    verdicts = [judge(one, other).verdict for one, other in combinations(statements, 2)]
    return len(verdicts), sum(verdict in ("opposite", "update", "same") for verdict in verdicts)


def _halves(sick: Sequence[Pair], file: str) -> dict[str, Sequence[Pair]]:
    """The tuning half and the held-out half; another file as one set."""
    if file:
        return {f"SICK, {Path(file).name}": sick}
    return {
        "SICK train, tuned half": [pair for pair in sick if pair.template == 0],
        "SICK train, held-out half": [pair for pair in sick if pair.template == 1],
    }


_SICK_COLUMNS = frozenset(("pair_ID", "sentence_A", "sentence_B", "entailment_judgment"))


def read_sick(path: Path) -> list[Pair]:
    """The pairs of a SICK file; `template` is 0 for the tuning half (even numbers)."""
    with path.open(encoding="utf-8") as stream:
        table = csv.DictReader(stream, delimiter="\t")
        if missing := _SICK_COLUMNS - frozenset(table.fieldnames or ()):
            named = ", ".join(sorted(missing))
            raise Invalid(f"{path} has no columns {named}", "give a file of the form of SICK")
        return [
            Pair(
                row["sentence_A"],
                row["sentence_B"],
                row["entailment_judgment"] == "CONTRADICTION",
                int(row["pair_ID"]) % 2,
            )
            for row in table
        ]


def judged(chosen: Iterable[Pair], judge: Judge) -> Verdicts:
    """Precision and recall of a judge."""
    right = wrong = missed = total = 0
    for pair in chosen:
        verdict = judge(pair.one, pair.other)
        total += 1
        right += verdict and pair.contradictory
        wrong += verdict and not pair.contradictory
        missed += pair.contradictory and not verdict
    return Verdicts(
        total, right + missed, right / max(1, right + wrong), right / max(1, right + missed)
    )


def ours_says(one: str, other: str) -> bool:
    """The judgement of contextd."""
    return contradiction(one, other) is not None


def baseline_says(one: str, other: str) -> bool:
    """The baseline: one sentence is negated, and half of all words are in both."""
    if bool(_NEGATED.search(one)) == bool(_NEGATED.search(other)):
        return False
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return len(first & second) >= 0.5 * len(first | second)


def merges(pair: Pair) -> bool:
    """Whether the write gate would treat the second sentence as a duplicate of the first, at any
    cosine.
    """
    known = Record(kind="context", scope=_HERE, content=pair.one)
    look = GateLookup(
        served=lambda _: set(),
        by_hash=lambda found: known if found == known.content_hash else None,
        similar=lambda _: [(known, 1.0)],
    )
    return admit(Draft(kind="context", content=pair.other), look).outcome == "duplicate"
