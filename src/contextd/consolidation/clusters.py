"""Build clusters from neighbours: each has one record to keep, and those that may be merged into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from contextd.domain.records import Record
from contextd_common.dataclass import dataclass

MOST_LOOKED_AT = 20
"""A record is compared with at most this many kept records and this many of their members."""

Near = Sequence[Sequence[tuple[int, float]]]


@dataclass(frozen=True, slots=True)
class Join:
    """A record that may be merged: its similarity to the kept one, and why they are the same."""

    record: Record
    cosine: float
    why: str


@dataclass(slots=True)
class Cluster:
    """The record to keep, and its duplicates."""

    keeper: Record
    joins: list[Join] = field(default_factory=list[Join])

    @property
    def records(self) -> list[Record]:
        """All of them, the kept one first."""
        return [self.keeper, *(join.record for join in self.joins)]


@dataclass(frozen=True, slots=True)
class Judging:
    """How records are compared. The one with the greatest `rank` should be kept. `same` returns why two
    may be merged, empty if they may not; `against` says that two must not be merged.
    """

    rank: Callable[[Record], Any]
    same: Callable[[Record, Record], str]
    against: Callable[[Record, Record], bool]


def clusters(records: Sequence[Record], near: Near, judging: Judging) -> list[Cluster]:
    """The clusters of two or more records; `near` has the neighbours of each by index.

    The best record is kept, and each member must be the same as it; similarity is not transitive. No member
    may contradict another.
    """
    order = sorted(
        (place for place in range(len(records)) if near[place]),
        key=lambda place: (judging.rank(records[place]), records[place].id),
        reverse=True,
    )
    led: dict[int, Cluster] = {}
    for place in order:
        record = records[place]
        leaders = [(other, cosine) for other, cosine in near[place] if other in led]
        for other, cosine in leaders[:MOST_LOOKED_AT]:
            why = judging.same(led[other].keeper, record)
            if why and not _is_against(record, led[other], judging):
                led[other].joins.append(Join(record, cosine, why))
                break
        else:
            led[place] = Cluster(record)
    return [cluster for cluster in led.values() if cluster.joins]


def _is_against(record: Record, cluster: Cluster, judging: Judging) -> bool:
    others = {join.record.content_hash: join.record for join in cluster.joins}
    others.pop(record.content_hash, None)
    if len(others) > MOST_LOOKED_AT:
        # Too many texts to check against all: later ones form their own cluster.
        return True
    return any(judging.against(other, record) for other in others.values())
