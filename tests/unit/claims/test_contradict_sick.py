"""Contradictions between everyday sentences, on the public SICK pairs (SemEval 2014, task 1)."""

from __future__ import annotations

import csv
import os
from collections import Counter
from pathlib import Path

import pytest

from contextd.claims.contradiction_test import conflict

SHARED = Path(os.environ.get("CONTEXTD_BENCH_DATA", Path(__file__).parents[4] / "shared" / "data"))


@pytest.mark.long
def test_most_contradictions_are_seen_and_hardly_any_agreement_is_mistaken_for_one() -> None:
    path = SHARED / "sick" / "SICK_train.txt"
    if not path.is_file():
        pytest.skip("no SICK pairs: set CONTEXTD_BENCH_DATA to the folder of test data")
    with path.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    seen: Counter[tuple[str, bool]] = Counter()
    for row in rows:
        told = bool(conflict(row["sentence_A"], row["sentence_B"]))
        seen[row["entailment_judgment"], told] += 1
    recall = seen["CONTRADICTION", True] / (
        seen["CONTRADICTION", True] + seen["CONTRADICTION", False]
    )
    mistaken = seen["ENTAILMENT", True] / (seen["ENTAILMENT", True] + seen["ENTAILMENT", False])
    found = sum(count for (_, told), count in seen.items() if told)
    precision = seen["CONTRADICTION", True] / found
    print(f"precision {precision:.2f}, recall {recall:.2f}, entailments mistaken {mistaken:.3f}")
    assert precision >= 0.95
    assert recall >= 0.75
    assert mistaken <= 0.01
