"""Find similar vectors without comparing all pairs (SemDeDup, arXiv 2303.09540).

Few vectors are compared pairwise, a block of rows at a time. Many are first grouped around centres and
compared within groups; each vector is in the groups of its four nearest centres, so that few pairs are
separated. Vectors are read when needed and released; only nearest neighbours are kept.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Read = Callable[[Sequence[str]], tuple[list[str], Any]]
"""Returns unit vectors for these ids, one row for each id that has one."""

AT_ONCE = 10_000
"""Up to this many vectors are compared pairwise: 15 MB and half a second."""

_GROUP = 500
"""Target size of a group."""

_CENTRES = 4
"""Groups per vector. Of pairs with cosine 0.96 among 100,000 vectors without natural groups, two centres
separate 28 in 1,000 and four none in 2,000.
"""

_SAMPLE = 20_000
"""Sample size for finding centres."""

_ROUNDS = 8
_BLOCK = 512
_PAGE = 4_096
_SEED = 20260801


def groups(ids: Sequence[str], read: Read, check: Callable[[], None]) -> Iterator[list[str]]:
    """The ids in groups; only members of the same group are compared, and an id may be in several. `check`
    is called between steps and may raise.
    """
    if len(ids) <= AT_ONCE:
        if ids:
            yield list(ids)
        return
    centres = _centres(ids, read, check)
    members: dict[int, list[str]] = defaultdict(list)
    for start in range(0, len(ids), _PAGE):
        check()
        there, rows = read(ids[start : start + _PAGE])
        if not there:
            continue
        most = min(_CENTRES, len(centres))
        nearest = np.argpartition(-(rows @ centres.T), most - 1, axis=1)[:, :most].tolist()
        for id_, places in zip(there, nearest, strict=True):
            for place in places:
                members[place].append(id_)
    for place in sorted(members):
        yield from _small_enough(members[place], len(ids), read, check)


def _small_enough(
    ids: list[str], before: int, read: Read, check: Callable[[], None]
) -> Iterator[list[str]]:
    """A group, split further if too large; groups of equal vectors are split arbitrarily."""
    if len(ids) <= AT_ONCE:
        yield ids
    elif len(ids) < 0.8 * before:
        yield from groups(ids, read, check)
    else:
        for start in range(0, len(ids), AT_ONCE):
            yield ids[start : start + AT_ONCE]


def _centres(ids: Sequence[str], read: Read, check: Callable[[], None]) -> Matrix:
    """Group centres, by spherical k-means on a sample."""
    rng = np.random.default_rng(_SEED)
    chosen = sorted(rng.choice(len(ids), min(_SAMPLE, len(ids)), replace=False).tolist())
    _, sample = read([ids[place] for place in chosen])
    count = min(len(sample), max(2, math.ceil(len(ids) / _GROUP)))
    centres: Matrix = sample[np.sort(rng.choice(len(sample), count, replace=False))]
    for _ in range(_ROUNDS):
        check()
        nearest = np.argmax(sample @ centres.T, axis=1)
        order = np.argsort(nearest, kind="stable")
        places, starts = np.unique(nearest[order], return_index=True)
        moved = np.add.reduceat(sample[order], starts, axis=0)
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        # A group without members keeps its centre.
        centres[places] = np.where(lengths > 0, moved / np.maximum(lengths, 1e-12), centres[places])
    return centres


def near(
    rows: Matrix, least: float, most: int, check: Callable[[], None]
) -> list[list[tuple[int, float]]]:
    """For each row the indices and cosines of its nearest others, at most `most`, above the threshold."""
    found: list[list[tuple[int, float]]] = [[] for _ in range(len(rows))]
    for start in range(0, len(rows), _BLOCK):
        check()
        cosines = rows[start : start + _BLOCK] @ rows.T
        places = np.arange(len(cosines))
        cosines[places, places + start] = -1.0
        for offset in np.flatnonzero(cosines.max(axis=1) >= least).tolist():
            scores = cosines[offset]
            close = np.flatnonzero(scores >= least)
            best = close[np.argsort(-scores[close], kind="stable")][:most]
            found[start + offset] = [(int(i), float(scores[i])) for i in best]
    return found


def components(
    ids: Sequence[str], read: Read, least: float, most: int, check: Callable[[], None]
) -> Iterator[tuple[list[str], list[list[tuple[int, float]]]]]:
    """Connected components of similar vectors, two or more each: ids, and for each the indices and cosines
    of at most `most` neighbours.
    """
    table = _NearTable(len(ids), most)
    place_of = {id_: place for place, id_ in enumerate(ids)}
    for members in groups(ids, read, check):
        there, rows = read(members)
        if len(there) > 1:
            places = [place_of[id_] for id_ in there]
            for place, found in zip(places, near(rows, least, most, check), strict=True):
                if found:
                    table.add(place, [(places[other], cosine) for other, cosine in found])
    del place_of
    for hanging in table.components():
        within = {place: number for number, place in enumerate(hanging)}
        near_by = [
            [(within[other], cosine) for other, cosine in table.near(place) if other in within]
            for place in hanging
        ]
        yield [ids[place] for place in hanging], near_by


class _NearTable:
    """The nearest neighbours of each vector, and the connected components."""

    def __init__(self, count: int, most: int) -> None:
        self._others = np.full((count, most), -1, np.int32)
        self._cosines = np.full((count, most), -1.0, np.float32)
        self._root = np.arange(count, dtype=np.int32)

    def add(self, place: int, found: Sequence[tuple[int, float]]) -> None:
        """Merge new neighbours into the nearest known ones."""
        known = dict(self.near(place)) | dict(found)
        best = sorted(known.items(), key=lambda pair: (-pair[1], pair[0]))
        for slot, (other, cosine) in enumerate(best[: self._others.shape[1]]):
            self._others[place, slot], self._cosines[place, slot] = other, cosine
        for other, _ in found:
            self._root[self._find(other)] = self._find(place)

    def near(self, place: int) -> list[tuple[int, float]]:
        """The stored neighbours, nearest first."""
        row = zip(self._others[place].tolist(), self._cosines[place].tolist(), strict=True)
        return [(other, cosine) for other, cosine in row if other >= 0]

    def components(self) -> Iterator[list[int]]:
        """The connected components, in order; larger ones than `AT_ONCE` are split arbitrarily."""
        roots = np.array([self._find(int(place)) for place in self._root], np.int32)
        order = np.argsort(roots, kind="stable")
        _, starts = np.unique(roots[order], return_index=True)
        for members in np.split(order, starts[1:]):
            if len(members) > 1:
                for start in range(0, len(members), AT_ONCE):
                    yield members[start : start + AT_ONCE].tolist()

    def _find(self, place: int) -> int:
        root = place
        while self._root[root] != root:
            root = int(self._root[root])
        while self._root[place] != root:
            self._root[place], place = root, int(self._root[place])
        return root
