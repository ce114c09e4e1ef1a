"""Groups of files that import one another more than the others do, for folders without folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

_LEAST_FILES, _LEAST_GROUP, _MOST_FILES = 12, 3, 400
_WORTH = 0.25


def clusters(paths: Sequence[str], weighted: Mapping[tuple[str, str], int]) -> list[list[str]]:
    """Groups of three files and more, largest first; none when the files hang together evenly.

    Greedy joining by modularity (Clauset, Newman, Moore 2004). A file that more than a third of the
    others import belongs to no group: it would tie all of them together.
    """
    if not _LEAST_FILES <= len(paths) <= _MOST_FILES:
        return []
    known = set(paths)
    users: dict[str, set[str]] = defaultdict(set)
    for start, end in weighted:
        if start in known and end in known and start != end:
            users[end].add(start)
            users[start].add(end)
    hubs = {path for path in known if len(users[path]) > max(4, len(paths) / 3)}
    links: dict[str, dict[str, float]] = {path: {} for path in sorted(known - hubs)}
    for (start, end), weight in sorted(weighted.items()):
        if start != end and start in links and end in links:
            links[start][end] = links[start].get(end, 0.0) + weight
            links[end][start] = links[end].get(start, 0.0) + weight
    total = sum(sum(row.values()) for row in links.values())
    if not total:
        return []
    groups, quality = _joined(links, total)
    large = [sorted(group) for group in groups if len(group) >= _LEAST_GROUP]
    if quality < _WORTH or len(large) < 2:
        return []
    return sorted(large, key=lambda group: (-len(group), group))


def _joined(
    links: Mapping[str, Mapping[str, float]], total: float
) -> tuple[list[list[str]], float]:
    """Join the two groups that gain most until none gains; with the modularity reached."""
    members = {path: [path] for path in links}
    between = {path: dict(row) for path, row in links.items()}
    degree = {path: sum(row.values()) for path, row in links.items()}
    quality = -sum((d / total) ** 2 for d in degree.values())
    while True:
        best, pair = 1e-9, ("", "")
        for one, row in between.items():
            for other, weight in row.items():
                if one < other:
                    gain = 2 * (weight / total - degree[one] * degree[other] / total**2)
                    if gain > best:
                        best, pair = gain, (one, other)
        one, other = pair
        if not one:
            return list(members.values()), quality
        quality += best
        members[one] += members.pop(other)
        degree[one] += degree.pop(other)
        for third, weight in between.pop(other).items():
            del between[third][other]
            if third != one:
                between[one][third] = between[one].get(third, 0.0) + weight
                between[third][one] = between[one][third]
