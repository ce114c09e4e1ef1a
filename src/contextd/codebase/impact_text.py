"""Show within a budget what a change may break."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from contextd.domain.quoting import document, indented, inline
from contextd_code.queries.impact import DependentPlace
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens

_LINES_SHOWN = 6
"""Lines of a symbol that its row of the text lists; the rest is counted."""


@dataclass(frozen=True, slots=True)
class TextSection:
    """A heading with lines below it, and its share of the budget when that is short."""

    heading: str
    lines: Sequence[str]
    share: float


def packed(title: str, sections: Sequence[TextSection], budget: int) -> str:
    """Fit the sections into `budget` tokens. Sections share unused budget; omitted lines are counted."""
    some = [one for one in sections if one.lines]
    costs = {one.heading: [count_tokens(line) + 1 for line in one.lines] for one in some}
    left = budget - count_tokens(title) - sum(count_tokens(one.heading) + 12 for one in some)
    room = {one.heading: int(left * one.share) for one in some}
    spare = left - sum(min(room[one.heading], sum(costs[one.heading])) for one in some)
    parts = [inline(title)]
    for one in some:
        need = sum(costs[one.heading])
        most = min(need, room[one.heading] + max(0, spare))
        spare -= max(0, most - room[one.heading])
        parts.append(one.heading)
        shown = 0
        for line, cost in zip(one.lines, costs[one.heading], strict=True):
            if cost > most:
                break
            most -= cost
            shown += 1
            parts.append(indented(line))
        if shown < len(one.lines):
            parts.append(f"  … {len(one.lines) - shown} more")
    return document(parts)


def by_file(broken: Sequence[DependentPlace]) -> list[str]:
    """A line per file and symbol, in the given order."""
    grouped: dict[tuple[str, bool], list[DependentPlace]] = {}
    for one in broken:
        grouped.setdefault((one.path, one.certain), []).append(one)
    lines = []
    for (path, certain), some in grouped.items():
        lines.append(f"  {path}{'' if certain else ' (perhaps)'}")
        symbols: dict[str, list[DependentPlace]] = {}
        for one in some:
            symbols.setdefault(one.symbol, []).append(one)
        for symbol, places in symbols.items():
            numbers = ", ".join(str(one.line) for one in places[:_LINES_SHOWN])
            rest = len(places) - _LINES_SHOWN
            numbers += f" and {rest} more" if rest > 0 else ""
            far = "" if places[0].level == 1 else f" · {places[0].level} calls away"
            why = "" if places[0].why == "call" else f" · {places[0].why}"
            lines.append(f"    {numbers}: {symbol or '(top of the file)'}{why}{far}")
    return lines


def without(broken: Sequence[DependentPlace], paths: Iterable[str]) -> list[DependentPlace]:
    """The places outside of some files."""
    inside = set(paths)
    return [replace(one) for one in broken if one.path not in inside]
