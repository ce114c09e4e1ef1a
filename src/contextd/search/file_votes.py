"""Votes of records and commits for files: records similar to a query vote for the files they are about.

Votes are limited in three ways, because unconditional memory does not help: a record must be similar to the
query, a record about many files gives little to each, and a vote only moves files that the code search found
too, so deleted files get none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import sqrt

from contextd.domain.records import Record
from contextd.search.boosts import files_of
from contextd.search.hits import ScorePart
from contextd.search.ranking_weights import FILES_WITH_PAST, MEANING, weights

RECORDS, COMMITS = "records", "commits"
"""The names of the parts that votes add to a score."""

FLOOR = 0.4
"""The cosine from which a record counts; at 1 it counts fully. Equals the threshold for injection."""

VOTERS, MOST_FILES = 20, 20

BY_WORDS = 0.4
"""Weight of a commit's vote relative to a record's: commit subjects are compared by words only."""

_QUOTED = 60


def file_votes(near: Iterable[tuple[Record, float]]) -> dict[str, ScorePart]:
    """Path → what records add to the file's score, from (record, cosine), nearest first. The part's `raw` is
    the total vote, 0 to 1; its amount is weighted.

    A record's vote is (cosine − 0.4)/0.6, divided by the square root of its number of files; the 20 nearest
    with files vote. Votes for a file add up to at most 1.
    """
    sums: dict[str, float] = {}
    first: dict[str, Record] = {}
    voters = 0
    for record, cosine in near:
        files = sorted(set(files_of(record)))
        if cosine <= FLOOR or voters == VOTERS:
            break
        if not 1 <= len(files) <= MOST_FILES or record.trust == "external":
            continue
        voters += 1
        for path in files:
            sums[path] = sums.get(path, 0.0) + (cosine - FLOOR) / (1 - FLOOR) / sqrt(len(files))
            first.setdefault(path, record)
    return {
        path: _vote(RECORDS, min(1.0, voice), _reason(first[path])) for path, voice in sums.items()
    }


def commit_votes(alike: Mapping[str, tuple[float, str]]) -> dict[str, ScorePart]:
    """Path → what similar commits add to the file's score, from (similarity 0 to 1, a subject)."""
    return {
        path: _vote(COMMITS, BY_WORDS * voice, f"changed for “{_short(subject)}” before")
        for path, (voice, subject) in alike.items()
    }


def _vote(name: str, voice: float, why: str) -> ScorePart:
    return ScorePart(name, MEANING * weights(FILES_WITH_PAST)[name] * voice, raw=voice, why=why)


def _reason(record: Record) -> str:
    excerpt = _short(record.title or record.content)
    changed = record.anchor.commit or record.data.get("affected_files")
    return f"changed for “{excerpt}” before" if changed else f"“{excerpt}” is about it"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED else line[: _QUOTED - 1] + "…"
