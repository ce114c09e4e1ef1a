"""The import graph, and the rank of its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contextd_code.values.source import SourceFile

DAMPING = 0.85
ROUNDS = 50
ENOUGH = 1e-9

_FEW = 5_000
"""Up to this many nodes and edges, plain Python is faster than importing numpy."""


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

    A file passes its rank on to its imports. `restart` weighs the files where a reader starts, such
    as the files of a task; by default all are equal.
    """
    if not paths:
        return {}
    at = {path: position for position, path in enumerate(paths)}
    pairs = [(at[a], at[b], w) for (a, b), w in weighted.items() if a in at and b in at]
    given = [(restart or {}).get(path, 0.0) for path in paths]
    total = sum(given)
    base = [part / total for part in given] if total > 0 else [1.0 / len(paths)] * len(paths)
    if len(paths) + len(pairs) <= _FEW:
        rank = _ranks(base, pairs)
    else:
        from contextd_code.symbols.graph_arrays import ranks  # noqa: PLC0415 - numpy: 0.13 s

        rank = ranks(base, pairs, damping=DAMPING, rounds=ROUNDS, enough=ENOUGH)
    return dict(zip(paths, rank, strict=True))


def _ranks(base: Sequence[float], pairs: Sequence[tuple[int, int, int]]) -> list[float]:
    out = [0] * len(base)
    for start, _, weight in pairs:
        out[start] += weight
    shares = [(start, end, weight / out[start]) for start, end, weight in pairs]
    lost = [node for node, weight in enumerate(out) if not weight]
    rank = list(base)
    for _ in range(ROUNDS):
        flow = [0.0] * len(base)
        for start, end, share in shares:
            flow[end] += rank[start] * share
        spilt = sum(rank[node] for node in lost)
        new = [
            (1 - DAMPING) * own + DAMPING * (got + spilt * own)
            for own, got in zip(base, flow, strict=True)
        ]
        moved = sum(abs(a - b) for a, b in zip(new, rank, strict=True))
        rank = new
        if moved < ENOUGH:
            break
    return rank
