"""The graph of imports, and which files matter most in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from contextd.domain.code import SourceFile

_DAMPING = 0.85
_ROUNDS = 50
_ENOUGH = 1e-9


def edges(files: Sequence[SourceFile]) -> dict[tuple[str, str], int]:
    """(importing path, imported path) → how many names are imported, at least 1."""
    known = {file.path for file in files}
    found: dict[tuple[str, str], int] = {}
    for file in files:
        for one in file.imports:
            if one.target in known and one.target != file.path:
                key = file.path, one.target
                found[key] = found.get(key, 0) + max(1, len(one.names))
    return found


def page_rank(
    paths: Sequence[str],
    weighted: Mapping[tuple[str, str], int],
    restart: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """The PageRank of each path (Brin and Page 1998, damping 0.85), summing to 1.

    A file passes its rank on to what it imports. `restart` weighs where a reader begins, such as
    the files of a task; without it, everywhere alike.
    """
    if not paths:
        return {}
    count = len(paths)
    at = {path: position for position, path in enumerate(paths)}
    pairs = [(at[a], at[b], w) for (a, b), w in weighted.items() if a in at and b in at]
    table = np.array(pairs, dtype=np.float64).reshape(-1, 3)
    start, end, weight = table[:, 0].astype(np.intp), table[:, 1].astype(np.intp), table[:, 2]
    out = np.bincount(start, weights=weight, minlength=count)
    base = np.array([(restart or {}).get(path, 0.0) for path in paths], dtype=np.float64)
    base = base / base.sum() if base.sum() > 0 else np.full(count, 1.0 / count)
    share = weight / out[start]
    lost = out == 0
    rank = base.copy()
    for _ in range(_ROUNDS):
        flow = np.bincount(end, weights=rank[start] * share, minlength=count)
        new = (1 - _DAMPING) * base + _DAMPING * (flow + rank[lost].sum() * base)
        moved = float(np.abs(new - rank).sum())
        rank = new
        if moved < _ENOUGH:
            break
    return {path: float(rank[position]) for path, position in at.items()}
