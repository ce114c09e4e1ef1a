"""Which vectors are near: exactly where there are few, nearly all of them where there are many."""

from __future__ import annotations

import numpy as np
import pytest

from contextd.consolidation import neighbours
from contextd.consolidation.neighbours import components, groups, near


def nothing() -> None:
    """Nobody stops it."""


def planted(pairs: int, alone: int) -> np.ndarray:
    """Pairs of vectors with a cosine of 0.95, and others that are near nothing."""
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(pairs + alone, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    aside = rng.normal(size=(pairs, 64)).astype(np.float32)
    aside -= (aside * rows[:pairs]).sum(axis=1, keepdims=True) * rows[:pairs]
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    twins = 0.95 * rows[:pairs] + np.sqrt(1 - 0.95**2) * aside
    return np.vstack([rows, twins]).astype(np.float32)


def test_the_neighbours_are_those_of_a_full_comparison() -> None:
    rows = planted(60, 700)
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, -1)
    for place, found in enumerate(near(rows, 0.3, 1_000, nothing)):
        assert {other for other, _ in found} == set(np.flatnonzero(cosines[place] >= 0.3))
        assert [cosine for _, cosine in found] == sorted((c for _, c in found), reverse=True)
    assert max(map(len, near(rows, 0.0, 5, nothing))) == 5


def test_many_vectors_are_compared_in_groups_that_part_few_pairs(monkeypatch) -> None:
    monkeypatch.setattr(neighbours, "AT_ONCE", 300)
    monkeypatch.setattr(neighbours, "_GROUP", 60)
    pairs, alone = 200, 800
    rows = planted(pairs, alone)
    ids = [str(number) for number in range(len(rows))]
    asked: list[int] = []

    def read(wanted):
        asked.append(len(wanted))
        return list(wanted), rows[[int(id) for id in wanted]]

    together = [set(group) for group in groups(ids, read, nothing)]
    assert set().union(*together) == set(ids)
    assert max(map(len, together)) <= 300
    found = sum(
        any({str(n), str(pairs + alone + n)} <= group for group in together) for n in range(pairs)
    )
    assert found >= 0.95 * pairs


def test_equal_vectors_beyond_number_are_cut_anywhere(monkeypatch) -> None:
    monkeypatch.setattr(neighbours, "AT_ONCE", 50)
    rows = np.ones((200, 8), np.float32) / np.sqrt(8)
    ids = [str(number) for number in range(200)]
    found = list(groups(ids, lambda ids: (list(ids), rows[: len(ids)]), nothing))
    assert set().union(*found) == set(ids)
    assert max(map(len, found)) <= 50


def test_it_can_be_stopped_between_steps() -> None:
    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        near(planted(2, 2), 0.5, 5, stop)


@pytest.mark.parametrize("at_once", [10_000, 300])
def test_near_vectors_are_found_across_groups(monkeypatch, at_once) -> None:
    monkeypatch.setattr(neighbours, "AT_ONCE", at_once)
    monkeypatch.setattr(neighbours, "_GROUP", 20)
    pairs, alone = 100, 700
    rows = planted(pairs, alone)
    ids = [f"id-{number}" for number in range(len(rows))]

    def read(wanted):
        return list(wanted), rows[[int(id.removeprefix("id-")) for id in wanted]]

    found = {frozenset(them): row for them, row in components(ids, read, 0.9, 5, nothing)}
    wanted = {frozenset((f"id-{n}", f"id-{pairs + alone + n}")) for n in range(pairs)}
    assert set(found) <= wanted
    assert len(found) >= 0.98 * pairs
    for close in found.values():
        [[(one, cosine)], [(other, _)]] = close
        assert (one, other) == (1, 0)
        assert cosine == pytest.approx(0.95, abs=1e-3)


def test_a_chain_hangs_together_and_names_its_direct_neighbours_only() -> None:
    angles = np.array([0.0, 0.3, 0.6, 2.0])
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    [(members, close)] = components(
        ["a", "b", "c", "d"], lambda ids: (list(ids), rows), 0.95, 5, nothing
    )
    assert members == ["a", "b", "c"]
    assert [[other for other, _ in row] for row in close] == [[1], [0, 2], [1]]
