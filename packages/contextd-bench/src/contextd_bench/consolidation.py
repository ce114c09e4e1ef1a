"""`contextd bench consolidation`: which pairs of similar statements are merged, and which must not
be.

The author of the rules wrote 100 duplicates, 100 refinements, 100 contradictions and 100
look-alikes of developers' sentences before any threshold was measured. Every second pair of each
type may be used for tuning; the others are held out. Of SICK (Marelli et al., SemEval-2014 task 1)
the even-numbered sentences may be used for tuning; a merge is right if the pair is labelled
ENTAILMENT. The baseline merges by the specification's cosine thresholds alone.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TextIO

from contextd.consolidation.collections import COLLECTIONS, consolidating
from contextd.consolidation.merge_run import MERGEABLE, judgement_of
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.embedders import open_embedder
from contextd.runtime.settings import Settings
from contextd.thin.home import home_directory
from contextd_bench.data import checksum, data_file, hardware, score

Label = Literal["S", "R", "C", "L"]
LABELS: dict[Label, str] = {
    "S": "the same once more",
    "R": "one says more",
    "C": "contradictory",
    "L": "alike, about something else",
}
RIGHT: tuple[Label, ...] = ("S", "R")
THRESHOLDS = (0.80, 0.85, 0.90)
"""The specification's thresholds, for anti-patterns, remediations and memories; contextd's are
0.85, 0.85 and 0.90.
"""

_SICK: dict[str, Label] = {"ENTAILMENT": "R", "CONTRADICTION": "C", "NEUTRAL": "L"}
_HERE = Scope("bench")


@dataclass(frozen=True, slots=True)
class LikePair:
    """Two statements, their relation, and their cosine. `half` is 0 for pairs used in tuning."""

    label: Label
    one: str
    other: str
    half: int
    cosine: float = 0.0
    mergeable: bool = False


@dataclass(frozen=True, slots=True)
class Merges:
    """(merged, total) of the pairs of each label."""

    merged: Mapping[Label, int]
    judged: Mapping[Label, int]

    @property
    def precision(self) -> float:
        """The share of merges that are right; 1 without merges."""
        total = sum(self.merged.values())
        return sum(self.merged.get(label, 0) for label in RIGHT) / total if total else 1.0

    @property
    def contradictions(self) -> float:
        """The share of contradictions that were merged."""
        return self.merged.get("C", 0) / max(1, self.judged.get("C", 0))

    @property
    def recall(self) -> float:
        """The share of mergeable pairs that are merged."""
        given = sum(self.judged.get(label, 0) for label in RIGHT)
        return sum(self.merged.get(label, 0) for label in RIGHT) / max(1, given)


def run(data: Path | None, out: TextIO = sys.stdout) -> dict[str, Merges]:
    """Print the merges at each threshold of the specification, beside cosine alone."""
    sets: dict[str, Sequence[LikePair]] = {
        "developers' sentences, tuned half": [p for p in own_pairs() if p.half == 0],
        "developers' sentences, held-out half": [p for p in own_pairs() if p.half == 1],
    }
    print(f"\n## consolidation\nhardware: {hardware()}", file=out)
    print("developers' sentences: 400 pairs, written for this by the author of the rules", file=out)
    if data is not None:
        path = data_file(data, "sick", "SICK_train.txt")
        print(f"SICK train, sha256 {checksum(path)[:16]}", file=out)
        sick = sick_pairs(path)
        sets["SICK train, tuned half"] = [p for p in sick if p.half == 0]
        sets["SICK train, held-out half"] = [p for p in sick if p.half == 1]
    print(
        "| data | cosine | system | merged | right | precision (95 %) | contradictions merged"
        " | look-alikes merged | recall |\n|---|---|---|---|---|---|---|---|---|",
        file=out,
    )
    figures: dict[str, Merges] = {}
    for name, given in sets.items():
        pairs = measured(given)
        for least in THRESHOLDS:
            for system in ("contextd", "cosine alone"):
                found = merges(pairs, least, judged=system == "contextd")
                figures[f"{name}, {least:.2f}, {system}"] = found
                print(_row(name, least, system, found, pairs), file=out, flush=True)
    return figures


def own_pairs() -> list[LikePair]:
    """The pairs written for this benchmark."""
    text = (files("contextd_bench") / "merge_pairs.txt").read_text(encoding="utf-8")
    found: list[LikePair] = []
    seen: Counter[str] = Counter()
    for line in text.splitlines():
        if not line.startswith("#"):
            label, one, other = line.split("|")
            found.append(LikePair(label, one, other, seen[label] % 2))  # type: ignore[arg-type]
            seen[label] += 1
    return found


def sick_pairs(path: Path) -> list[LikePair]:
    """The pairs of a SICK file, those with even numbers in half 0."""
    with path.open(encoding="utf-8") as stream:
        return [
            LikePair(
                _SICK[row["entailment_judgment"]],
                row["sentence_A"],
                row["sentence_B"],
                int(row["pair_ID"]) % 2,
            )
            for row in csv.DictReader(stream, delimiter="\t")
        ]


def measured(pairs: Sequence[LikePair]) -> list[LikePair]:
    """The pairs with their cosines, and contextd's judgement of each."""
    how = consolidating(COLLECTIONS["memories"], Settings(home_directory()))
    embedder = open_embedder("minilm", threads=1)
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.one, pair.other)))
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))

    def record(text: str) -> Record:
        return Record(kind="memory", scope=_HERE, content=text, data={"outcome": "success"})

    return [
        LikePair(
            pair.label,
            pair.one,
            pair.other,
            pair.half,
            float(vectors[pair.one] @ vectors[pair.other]),
            judgement_of(record(pair.one), record(pair.other), how).verdict in MERGEABLE,
        )
        for pair in pairs
    ]


def merges(pairs: Sequence[LikePair], least: float, *, judged: bool) -> Merges:
    """The merges of these pairs from a cosine on, with or without the judgement."""
    merged = Counter(p.label for p in pairs if p.cosine >= least and (p.mergeable or not judged))
    return Merges(merged, Counter(pair.label for pair in pairs))


def _row(name: str, least: float, system: str, found: Merges, pairs: Sequence[LikePair]) -> str:
    hits = [
        float(pair.label in RIGHT)
        for pair in pairs
        if pair.cosine >= least and (pair.mergeable or system != "contextd")
    ]
    interval = score(hits) if hits else "–"
    total, right = len(hits), round(sum(hits))
    shares = [
        f"{found.merged.get(label, 0)} of {found.judged.get(label, 0)}" for label in ("C", "L")
    ]
    cells: list[Any] = [name, f"{least:.2f}", system, total, right, interval, *shares]
    return "| " + " | ".join(map(str, cells)) + f" | {found.recall:.2f} |"
