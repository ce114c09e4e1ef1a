"""Layered layout of a dependency graph, with nodes above their dependencies.

After Sugiyama, Tagawa and Toda (1981): remove cycles, assign nodes to layers of limited width, order each
layer to reduce crossings, then compute positions. Deterministic.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise

from contextd_common.dataclass import dataclass

Edge = tuple[str, str]
Point = tuple[float, float]

GAP, ROW = 18.0, 104.0
"""Distance between two nodes of a layer, and between layers."""

HEIGHT = 46.0
_LINE = 10.0
"""The width of a line that passes through a layer."""

_ROUNDS, _FEWEST, _WORTH = 12, 3, 6_000
"""Iterations of the layout: fewer for many nodes and passages, which make an iteration slow."""

_PULL = 0.95
"""Contraction towards the middle per step: it pulls together what drifts apart row by row."""

_ACROSS = 7
"""Maximum nodes per layer: as many names fit side by side on a wide page."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A node's centre and width."""

    name: str
    x: float
    y: float
    width: float


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line between two nodes through its points. A line `back` closes a cycle; its points form one curve."""

    start: str
    end: str
    points: tuple[Point, ...]
    back: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of all nodes and lines, in an area of this size. `implied` are omitted dependencies
    that follow from the drawn ones.
    """

    nodes: tuple[Spot, ...]
    lines: tuple[Stroke, ...]
    implied: tuple[Edge, ...]
    width: float
    height: float


@dataclass(slots=True)
class _Work:
    """The layers during the layout. A line's passage through a layer is a node with a three-part name."""

    rows: list[list[str]]
    above: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    below: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


def layered(
    widths: Mapping[str, float],
    edges: Iterable[Edge],
    *,
    across: int = _ACROSS,
    reduce: bool = True,
) -> Layout:
    """Place nodes of these widths, each above its dependencies. Edges to themselves or to unknown nodes
    are omitted; with `reduce` also transitive ones.
    """
    names = list(widths)
    known = sorted({(a, b) for a, b in edges if a != b and a in widths and b in widths})
    down, back = _without_circles(names, known)
    drawn = _reduced(names, down) if reduce else down
    rows = _rows(names, drawn, across)
    work, through = _with_passages(rows, drawn)
    _order(work)
    left = _places(work, lambda node: widths.get(node, _LINE))
    width = max((left[n] + widths.get(n, _LINE) / 2 for row in work.rows for n in row), default=0.0)
    level = {node: place for place, row in enumerate(work.rows) for node in row}

    def at(node: str) -> Point:
        return left[node], HEIGHT / 2 + ROW * level[node] + 1

    nodes = tuple(Spot(name, *at(name), widths[name]) for name in names)
    lines = list(_drawn(through, at, widths))
    lines += [Stroke(a, b, _around(at(a), at(b), widths[a], widths[b]), back=True) for a, b in back]
    reach = max((x for line in lines for x, _ in line.points), default=0.0)
    height = ROW * (len(work.rows) - 1) + HEIGHT + 2 if work.rows else 0.0
    implied = tuple(edge for edge in down if edge not in set(drawn))
    return Layout(nodes, tuple(lines), implied, max(width, reach) + 1, height)


def _without_circles(names: Sequence[str], edges: Sequence[Edge]) -> tuple[list[Edge], list[Edge]]:
    """The edges that point down, and those that close a cycle."""
    following: dict[str, list[str]] = {name: [] for name in names}
    users = dict.fromkeys(names, 0)
    for a, b in edges:
        following[a].append(b)
        users[b] += 1
    done: dict[str, bool] = {}
    back: set[Edge] = set()
    # Starts at nodes that nothing depends on, so that the entry of a cycle stays on top.
    for start in sorted(names, key=lambda name: (users[name], names.index(name))):
        stack = [(start, iter(following[start]))] if start not in done else []
        done.setdefault(start, False)
        while stack:
            node, rest = stack[-1]
            for other in rest:
                if other not in done:
                    done[other] = False
                    stack.append((other, iter(following[other])))
                    break
                if not done[other]:
                    back.add((node, other))
            else:
                done[node] = True
                stack.pop()
    return [edge for edge in edges if edge not in back], sorted(back)


def _sorted_up(names: Sequence[str], edges: Sequence[Edge]) -> list[str]:
    """The nodes sorted so that each follows its dependencies."""
    needed: dict[str, list[str]] = {name: [] for name in names}
    for a, b in edges:
        needed[a].append(b)
    found: dict[str, None] = {}
    for start in names:
        stack = [start]
        while stack:
            node = stack[-1]
            left = [other for other in needed[node] if other not in found]
            if left:
                stack.append(left[0])
            else:
                found.setdefault(node)
                stack.pop()
    return list(found)


def _reduced(names: Sequence[str], edges: Sequence[Edge]) -> list[Edge]:
    """The edges without transitive ones."""
    reached: dict[str, set[str]] = {}
    needed: dict[str, list[str]] = {name: [] for name in names}
    for a, b in edges:
        needed[a].append(b)
    for node in _sorted_up(names, edges):
        reached[node] = set(needed[node]).union(*(reached[other] for other in needed[node]))
    return [
        (a, b)
        for a, b in edges
        if not any(b in reached[other] for other in needed[a] if other != b)
    ]


def _rows(names: Sequence[str], edges: Sequence[Edge], across: int) -> list[list[str]]:
    """Rows from the top with at most `across` nodes each. Isolated nodes come last."""
    joined = {name for edge in edges for name in edge}
    needed: dict[str, list[str]] = {name: [] for name in names}
    for a, b in edges:
        needed[a].append(b)
    level: dict[str, int] = {}
    filled: dict[int, int] = {}
    for node in _sorted_up(names, edges):
        if node not in joined:
            continue
        lowest = max((level[other] + 1 for other in needed[node]), default=0)
        while filled.get(lowest, 0) >= across:
            lowest += 1
        level[node] = lowest
        filled[lowest] = filled.get(lowest, 0) + 1
    _raise_up(level, filled, edges, across)
    rows: list[list[str]] = [[] for _ in range(max(filled, default=-1) + 1)]
    for node, place in level.items():
        rows[len(rows) - 1 - place].append(node)
    alone = [name for name in names if name not in joined]
    return rows + [alone[at : at + across] for at in range(0, len(alone), across)]


def _raise_up(
    level: dict[str, int], filled: dict[int, int], edges: Sequence[Edge], across: int
) -> None:
    """Move a node with more dependents than dependencies up to them if there is room, to shorten its lines."""
    users: dict[str, list[str]] = {}
    needs = dict.fromkeys(level, 0)
    for a, b in edges:
        users.setdefault(b, []).append(a)
        needs[a] += 1
    for node in sorted(level, key=lambda node: -level[node]):
        above = users.get(node, ())
        if len(above) <= needs[node]:
            continue
        highest = min(level[one] for one in above) - 1
        for place in range(highest, level[node], -1):
            if filled.get(place, 0) < across:
                filled[level[node]] -= 1
                filled[place] = filled.get(place, 0) + 1
                level[node] = place
                break


def _with_passages(
    rows: Sequence[Sequence[str]], edges: Sequence[Edge]
) -> tuple[_Work, dict[Edge, list[str]]]:
    """The layers with a placeholder for each passing line, and the nodes each line goes through."""
    work = _Work([list(row) for row in rows])
    level = {node: place for place, row in enumerate(rows) for node in row}
    through: dict[Edge, list[str]] = {}
    for a, b in edges:
        path = [a]
        for place in range(level[a] + 1, level[b]):
            passage = f"{a}\0{b}\0{place}"
            work.rows[place].append(passage)
            path.append(passage)
        path.append(b)
        through[a, b] = path
        for upper, lower in pairwise(path):
            work.below.setdefault(upper, []).append(lower)
            work.above.setdefault(lower, []).append(upper)
    return work, through


def _order(work: _Work) -> None:
    """Order each layer by the median of its neighbours, down and up repeatedly; keep the order with the
    fewest crossings.
    """
    best, fewest = [list(row) for row in work.rows], _crossings(work)
    for turn in range(_rounds(work)):
        downward = turn % 2 == 0
        places = range(1, len(work.rows)) if downward else range(len(work.rows) - 2, -1, -1)
        for place in places:
            beside = work.rows[place - 1 if downward else place + 1]
            at = {node: float(position) for position, node in enumerate(beside)}
            near = work.above if downward else work.below
            row = work.rows[place]
            own = {node: float(position) for position, node in enumerate(row)}
            row.sort(key=lambda node: (_middle(near.get(node, ()), at, own[node]), own[node]))
        crossed = _crossings(work)
        if crossed < fewest:
            best, fewest = [list(row) for row in work.rows], crossed
    work.rows = best


def _rounds(work: _Work) -> int:
    return max(_FEWEST, min(_ROUNDS, _WORTH // max(1, sum(map(len, work.rows)))))


def _middle(nodes: Sequence[str], at: Mapping[str, float], otherwise: float) -> float:
    known = [at[node] for node in nodes if node in at]
    return sum(known) / len(known) if known else otherwise


def _crossings(work: _Work) -> int:
    """The number of crossings between neighbouring layers."""
    count = 0
    for upper, lower in pairwise(work.rows):
        at = {node: position for position, node in enumerate(lower)}
        ends = [end for node in upper for end in sorted(at[n] for n in work.below.get(node, ()))]
        seen: list[int] = []
        for end in ends:
            count += len(seen) - bisect_right(seen, end)
            insort(seen, end)
    return count


def _places(work: _Work, wide: Callable[[str], float]) -> dict[str, float]:
    """The centre of every node, as close to its neighbours as the order of its layer allows."""
    x: dict[str, float] = {}
    for row in work.rows:
        packed = _apart(row, [0.0] * len(row), wide)
        x |= dict(zip(row, packed, strict=True))
    rounds = _rounds(work)
    for turn in range(rounds):
        rows = work.rows if turn % 2 == 0 else work.rows[::-1]
        near = work.above if turn % 2 == 0 else work.below
        if turn >= rounds - 2:
            near = {n: [*work.above.get(n, ()), *work.below.get(n, ())] for n in x}
        for row in rows:
            wished = [_PULL * _middle(near.get(node, ()), x, x[node]) for node in row]
            x |= dict(zip(row, _apart(row, wished, wide), strict=True))
    leftmost = min((at - wide(node) / 2 for node, at in x.items()), default=0.0)
    return {node: at - leftmost + 1 for node, at in x.items()}


def _apart(
    row: Sequence[str], wished: Sequence[float], wide: Callable[[str], float]
) -> list[float]:
    """The positions closest to the desired ones, by least squares, that keep order and gaps: pool adjacent
    violators (Ayer et al. 1955).
    """
    offsets, at = [], 0.0
    for place, node in enumerate(row):
        if place:
            both = "\0" in node and "\0" in row[place - 1]
            at += (wide(row[place - 1]) + wide(node)) / 2 + (0.0 if both else GAP)
        offsets.append(at)
    pools: list[tuple[float, int]] = []
    for wish, offset in zip(wished, offsets, strict=True):
        pools.append((wish - offset, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (one, n), (other, m) = pools[-2:]
            pools[-2:] = [((one * n + other * m) / (n + m), n + m)]
    spread = [mean for mean, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(spread, offsets, strict=True)]


def _drawn(
    through: Mapping[Edge, Sequence[str]],
    at: Callable[[str], Point],
    widths: Mapping[str, float],
) -> Iterator[Stroke]:
    """The lines from the bottom of one node to the top of another. Lines of a node are spread side by
    side, in order.
    """
    leaving: dict[str, list[tuple[float, Edge]]] = {}
    coming: dict[str, list[tuple[float, Edge]]] = {}
    for edge, path in through.items():
        leaving.setdefault(edge[0], []).append((at(path[1])[0], edge))
        coming.setdefault(edge[1], []).append((at(path[-2])[0], edge))
    feet = {
        edge: x
        for node, ends in leaving.items()
        for edge, x in _ports(at(node), widths[node], ends)
    }
    heads = {
        edge: x for node, ends in coming.items() for edge, x in _ports(at(node), widths[node], ends)
    }
    for edge, path in through.items():
        start, end = at(path[0]), at(path[-1])
        points = [(feet[edge], start[1] + HEIGHT / 2)]
        points += [at(passage) for passage in path[1:-1]]
        points.append((heads[edge], end[1] - HEIGHT / 2))
        yield Stroke(*edge, tuple(points))


def _ports(
    middle: Point, width: float, ends: Sequence[tuple[float, Edge]]
) -> Iterator[tuple[Edge, float]]:
    """Where each line ends on a node's side, within its middle half."""
    step = min(_LINE, width / 2 / max(1, len(ends) - 1))
    for place, (_, edge) in enumerate(sorted(ends)):
        yield edge, middle[0] + step * (place - (len(ends) - 1) / 2)


def _around(start: Point, end: Point, left: float, right: float) -> tuple[Point, ...]:
    """The four points of a curve up the right side, from a node to one above it."""
    begin, finish = (start[0] + left / 2, start[1]), (end[0] + right / 2, end[1])
    out = max(begin[0], finish[0]) + 36
    return begin, (out, begin[1]), (out, finish[1]), finish
