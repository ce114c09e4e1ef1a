"""A dependency graph as inline SVG whose nodes are links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from markupsafe import Markup, escape

from contextd.domain.invisible_characters import visible_text
from contextd.domain.records import digest
from contextd.projects.layers import HEIGHT, Edge, Spot, Stroke, layered
from contextd_common.dataclass import dataclass

_LETTER, _AROUND = 7.6, 24.0
"""Average maximum width of a letter of a name, and the padding around a name."""

_LONGEST = 24
_NARROWEST = 104.0


@dataclass(frozen=True, slots=True)
class Node:
    """A node: its name, a subtitle, its colour class, its link, and a description for screen readers."""

    name: str
    spoken: str
    state: str
    href: str
    about: str
    here: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """The image, its size in pixels, and the number of omitted transitive dependencies."""

    svg: Markup
    width: float
    height: float
    implied: int
    circles: int


def graph(
    nodes: Iterable[Node],
    edges: Iterable[Edge],
    label: str,
    *,
    zoom: float = 1.0,
    reduce: bool = True,
) -> Graph:
    """Draw nodes above their dependencies. `label` is the text alternative, `zoom` the scale in pixels."""
    known = {node.name: node for node in nodes}
    widths = {name: _width(node) for name, node in known.items()}
    placed = layered(widths, edges, reduce=reduce)
    lines = "".join(_line(line) for line in placed.lines)
    boxes = "".join(_box(one, known[one.name]) for one in placed.nodes)
    wide, high = placed.width + 2, placed.height + 2
    svg = (
        f'<svg class="graph" viewBox="-1 -1 {wide:.0f} {high:.0f}" width="{wide * zoom:.0f}" '
        f'height="{high * zoom:.0f}" data-width="{wide:.0f}" data-height="{high:.0f}" '
        f'role="group" aria-label="{escape(visible_text(label))}">{_ARROWS}{lines}{boxes}</svg>'
    )
    circles = sum(line.back for line in placed.lines)
    return Graph(Markup(svg), wide, high, len(placed.implied), circles)


_ARROWS = (
    "<defs>"
    + "".join(
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        f'orient="auto-start-reverse"><path class="{name}" d="M0 .8 7.2 4 0 7.2z"/></marker>'
        for name in ("arrow", "arrow-back")
    )
    + "</defs>"
)


def _width(node: Node) -> float:
    letters = max(len(_shown(node.name)), len(node.spoken) * 0.85)
    return max(_NARROWEST, letters * _LETTER + _AROUND)


def _shown(name: str) -> str:
    """A name that fits, shortened in the middle: modules of one folder differ at the end."""
    label = visible_text(name)
    if len(label) <= _LONGEST:
        return label
    half = (_LONGEST - 1) // 2
    return f"{label[:half]}…{label[-half:]}"


def _line(line: Stroke) -> str:
    if line.back:
        (x, y), one, other, end = line.points
        path = f"M{x:.1f} {y:.1f}C{_at(one)} {_at(other)} {_at(end)}"
    else:
        x, y = line.points[0]
        path = f"M{x:.1f} {y:.1f}"
        for before, after in pairwise(line.points):
            half = (before[1] + after[1]) / 2
            path += f"C{before[0]:.1f} {half:.1f} {after[0]:.1f} {half:.1f} {_at(after)}"
    name, arrow = ("back", "arrow-back") if line.back else ("line", "arrow")
    ends = f"{digest(line.start)[:8]} {digest(line.end)[:8]}"
    about = f"{line.start} → {line.end}" + (" (closes a circle)" if line.back else "")
    return (
        f'<path class="{name}" d="{path}" marker-end="url(#{arrow})" data-ends="{escape(ends)}">'
        f"<title>{escape(visible_text(about))}</title></path>"
    )


def _at(point: tuple[float, float]) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _box(place: Spot, node: Node) -> str:
    left, top = place.x - place.width / 2, place.y - HEIGHT / 2
    state = f"node {node.state}" + (" here" if node.here else "")
    current = ' aria-current="true"' if node.here else ""
    return (
        f'<a class="{escape(state)}" href="{escape(node.href)}"{current} '
        f'data-node="{digest(node.name)[:8]}" aria-description="{escape(visible_text(node.about))}">'
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{place.width:.1f}" height="{HEIGHT:.0f}" rx="8"/>'
        f'<text x="{place.x:.1f}" y="{place.y - 4:.1f}">{escape(_shown(node.name))}</text> '
        f'<text class="told" x="{place.x:.1f}" y="{place.y + 13:.1f}">{escape(node.spoken)}</text></a>'
    )


def around(name: str, edges: Iterable[Edge]) -> tuple[list[str], list[Edge]]:
    """A node with its neighbours, and the edges between it and them."""
    near = [edge for edge in edges if name in edge]
    nodes: Mapping[str, None] = dict.fromkeys([name, *(end for edge in near for end in edge)])
    return list(nodes), near
