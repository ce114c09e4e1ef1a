"""The arithmetic of `graph.page_rank` with numpy, for large graphs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def ranks(
    base: Sequence[float],
    pairs: Sequence[tuple[int, int, int]],
    *,
    damping: float,
    rounds: int,
    enough: float,
) -> list[float]:
    """The PageRank of the nodes 0 … n - 1, restarting at `base`, along (start, end, weight)."""
    table = np.array(pairs, dtype=np.float64).reshape(-1, 3)
    start, end, weight = table[:, 0].astype(np.intp), table[:, 1].astype(np.intp), table[:, 2]
    again = np.array(base, dtype=np.float64)
    out = np.bincount(start, weights=weight, minlength=len(base))
    share = weight / out[start]
    lost = out == 0
    rank = again.copy()
    for _ in range(rounds):
        flow = np.bincount(end, weights=rank[start] * share, minlength=len(base))
        new = (1 - damping) * again + damping * (flow + rank[lost].sum() * again)
        moved = float(np.abs(new - rank).sum())
        rank = new
        if moved < enough:
            break
    found: list[float] = rank.tolist()
    return found
