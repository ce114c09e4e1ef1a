"""Boosts that move a hit, and removal of near-duplicates.

Boosts are added to a fused score between 0 and 1 and recorded, so that a score can be explained. They are
small: they order equally good matches and never outweigh a match. Recency is added, not multiplied: as a
factor it cost a third of the recall.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property

from contextd.domain.confidence import confidence_at
from contextd.domain.kinds import KINDS
from contextd.domain.query import EVENT
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.search.hits import Candidate, Hit, LeftOut, ScorePart, Texted
from contextd.search.near_duplicates import NEAR, Told, is_said_by, repeats, told_by
from contextd_common.dataclass import dataclass

CONFIDENCE, NEUTRAL_CONFIDENCE = 0.1, 0.6
USEFULNESS = 0.2
NEARNESS = 0.03
SAME_FILE = 0.05
RECENCY, RECENCY_DAYS = 0.02, 30
DUPLICATE = 0.8
"""Hits whose word triples overlap this much (Jaccard) are duplicates."""

_COMPARED = 4_000
_WORD = re.compile(r"\w+(?:'\w+)?")
_NUMBER = re.compile(r"\d[\d.]*")
_NEGATION = re.compile(r"(?:not|never|no|without|avoid|cannot)\b")
"""Without lookbehind, which would run at each character instead of at five letters."""

_SHORTENED = re.compile(r"\b\w+n't\b")


@dataclass(frozen=True, slots=True)
class Standpoint:
    """The context of the query: scopes nearest first, files at hand, the time."""

    cascade: tuple[Scope, ...] = ()
    files: frozenset[str] = frozenset()
    now: datetime | None = None


def ranked(candidate: Candidate, content: Texted, standing: Standpoint) -> Hit:
    """The hit of a candidate, with its boosts. Only records have boosts."""
    hit = Hit(candidate.id, candidate.kind, candidate.parts, content)
    if not isinstance(content, Record):
        return hit
    boosts = (
        _kind(candidate, content),
        _confidence(content, standing),
        _usefulness(content),
        _nearness(content, standing),
        _files(content, standing),
        _recency(content, standing),
    )
    return hit.plus([boost for boost in boosts if boost.amount])


def _kind(candidate: Candidate, record: Record) -> ScorePart:
    weight = KINDS[record.kind].weight if record.kind in KINDS else 1.0
    article = "an" if record.kind[0] in "aeio" else "a"
    return ScorePart("kind", candidate.score * (weight - 1), why=f"{article} {record.kind}")


def _confidence(record: Record, standing: Standpoint) -> ScorePart:
    sure = record.confidence if standing.now is None else confidence_at(record, standing.now)
    off = sure - NEUTRAL_CONFIDENCE
    return ScorePart("confidence", CONFIDENCE * off, why=f"confidence {sure:.2g}")


def _usefulness(record: Record) -> ScorePart:
    """The share of helpful reports, with one of each added (Laplace's rule)."""
    reports = record.helpful + record.unhelpful
    share = (record.helpful + 1) / (reports + 2) - 0.5
    why = f"helpful {record.helpful} of {reports} times"
    return ScorePart("usefulness", USEFULNESS * share, why=why)


def _nearness(record: Record, standing: Standpoint) -> ScorePart:
    if record.scope not in standing.cascade:
        return ScorePart("nearness", 0.0)
    steps = len(standing.cascade)
    near = 1 - standing.cascade.index(record.scope) / steps
    return ScorePart("nearness", NEARNESS * near, why=f"from this {record.scope.level}")


def _files(record: Record, standing: Standpoint) -> ScorePart:
    if not standing.files:
        return ScorePart("files", 0.0)
    shared = sorted(standing.files & set(files_of(record)))
    return ScorePart("files", SAME_FILE if shared else 0.0, why=f"about {', '.join(shared[:2])}")


def files_of(record: Record) -> Iterable[str]:
    """The files that a record is about; may contain duplicates."""
    yield from record.anchor.paths
    for name in ("file", "files", "affected_files"):
        value = record.data.get(name)
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | tuple):
            yield from (item for item in value if isinstance(item, str))


def _recency(record: Record, standing: Standpoint) -> ScorePart:
    if standing.now is None:
        return ScorePart("recency", 0.0)
    days = max(0.0, (standing.now - record.updated_at).total_seconds() / 86_400)
    return ScorePart("recency", RECENCY * max(0.0, 1 - days / RECENCY_DAYS), why="recent")


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    """Best first; equal scores by id."""
    return sorted(hits, key=lambda hit: (-round(hit.score, 9), hit.id))


def distinct(hits: Sequence[Hit], limit: int) -> tuple[list[Hit], list[Hit | LeftOut]]:
    """The first `limit` distinct hits, and the excluded ones with reasons, except those merely beyond the
    limit.

    Texts that differ in a number or a negation are never duplicates: they may contradict each other. A
    message and the record learned from it are one hit: the record, if it ranks nearly as high.
    """
    picks: list[_Kept] = []
    left: list[Hit | LeftOut] = []
    for at, hit in enumerate(hits):
        if len(picks) == limit:
            left += hits[at:]
            break
        one = _looked_at(hit)
        same = next((other for other in picks if _is_twin(one, other)), None)
        if same is not None and not _stands_for(one, same):
            left.append(LeftOut(hit.id, hit.kind, hit.score, f"repeats {same.hit.id}"))
            continue
        same = next((other for other in picks if repeats(one.statement, other.statement)), None)
        if same is None or _says_more(one, same):
            picks.append(one)
        elif same.hit.kind == EVENT and hit.record is not None:
            lift = ScorePart("message", same.hit.score - hit.score, why="repeats a closer message")
            picks[picks.index(same)] = replace(one, hit=hit.plus([lift]))
            left.append(_told_as_well(same.hit, hit))
        else:
            left.append(_told_as_well(hit, same.hit))
    return [one.hit for one in picks], left


@dataclass(frozen=True, eq=False)
class _Kept:
    """A hit, and what it is compared by. Numbers and negations separate most, so triples are only built
    for equal ones.
    """

    hit: Hit
    text: str
    decisive: list[str]
    statement: Told

    @cached_property
    def triples(self) -> frozenset[tuple[str, ...]]:
        """All runs of three words."""
        return _triples(self.text)


def _looked_at(hit: Hit) -> _Kept:
    text = hit.text[:_COMPARED].casefold()
    decisive = _NUMBER.findall(text)
    decisive += [one[0] for one in _NEGATION.finditer(text) if _begins_a_word(text, one.start())]
    if "n't" in text:
        decisive += _SHORTENED.findall(text)
    return _Kept(hit, text, sorted(decisive), told_by(hit))


def _begins_a_word(text: str, at: int) -> bool:
    return not at or not (text[at - 1].isalnum() or text[at - 1] == "_")


def _is_twin(one: _Kept, other: _Kept) -> bool:
    return one.decisive == other.decisive and _alike(one.triples, other.triples)


def _stands_for(record: _Kept, message: _Kept) -> bool:
    """Whether a record may be shown instead of its source message."""
    if message.hit.kind != EVENT or record.hit.record is None:
        return False
    return not _says_more(record, message)


def _says_more(record: _Kept, message: _Kept) -> bool:
    """Whether a record stays beside a message that contains part of it: the record says more, or the
    message is the better match.
    """
    if message.hit.kind != EVENT or record.hit.record is None:
        return False
    near = record.hit.score >= NEAR * message.hit.score
    return not near or not is_said_by(record.statement, message.statement)


def _told_as_well(hit: Hit, other: Hit) -> LeftOut:
    return LeftOut(hit.id, hit.kind, hit.score, f"{other.id} of its session says so as well")


def _triples(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text)
    if len(words) < 3:
        return frozenset({tuple(words)})
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def _alike(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    # The smaller set bounds the overlap, which decides most pairs without a comparison.
    small, large = sorted((len(one), len(other)))
    if small < DUPLICATE * large:
        return False
    shared = len(one & other)
    return shared >= DUPLICATE * (len(one) + len(other) - shared)
