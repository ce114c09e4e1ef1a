"""A layout one can read: what needs stands above what is needed, and nothing lies on anything."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextd.projects.layers import HEIGHT, Layout, layered

FIVE = ["api", "auth", "billing", "mail", "store"]
EDGES = [("api", "auth"), ("api", "billing"), ("auth", "store"), ("billing", "store")]


def placed(names: list[str], edges: list[tuple[str, str]], **options: bool | int) -> Layout:
    return layered(dict.fromkeys(names, 110.0), edges, **options)  # type: ignore[arg-type]


def grown(count: int, seed: int) -> tuple[list[str], list[tuple[str, str]]]:
    """A project as they grow: each module needs a few that are more basic, some close a circle."""
    rng = random.Random(seed)
    names = [f"module{number}" for number in range(count)]
    edges = []
    for place, name in enumerate(names):
        rest = names[place + 1 :]
        edges += [(name, other) for other in rng.sample(rest, min(len(rest), rng.randrange(4)))]
        if place % 17 == 5:
            edges.append((name, names[place - 3]))
    return names, edges


def overlaps(found: Layout) -> list[tuple[str, str]]:
    return [
        (one.name, other.name)
        for one, other in combinations(found.nodes, 2)
        if abs(one.x - other.x) < (one.width + other.width) / 2 and abs(one.y - other.y) < HEIGHT
    ]


def test_a_module_is_placed_above_the_modules_that_it_needs() -> None:
    found = placed(FIVE, EDGES)
    y = {node.name: node.y for node in found.nodes}
    assert all(y[a] < y[b] for a, b in EDGES)
    assert y["mail"] > y["store"], "what stands alone comes last"
    assert overlaps(found) == []


def test_implied_dependencies_are_left_out_of_the_graph_and_listed() -> None:
    found = placed(FIVE, [*EDGES, ("api", "store")])
    assert found.implied == (("api", "store"),)
    assert ("api", "store") not in {(line.start, line.end) for line in found.lines}
    whole = placed(FIVE, [*EDGES, ("api", "store")], reduce=False)
    assert whole.implied == ()
    assert len(whole.lines) == 5


def test_a_circle_is_drawn_as_one_line_back() -> None:
    found = placed(FIVE, [*EDGES, ("store", "api")])
    assert [(line.start, line.end) for line in found.lines if line.back] == [("store", "api")]
    assert overlaps(found) == []


def test_lines_to_nowhere_and_to_oneself_are_left_out() -> None:
    found = placed(FIVE, [("api", "api"), ("api", "ghost"), ("ghost", "api")])
    assert found.lines == ()
    assert len(found.nodes) == 5


def test_nothing_at_all_has_no_size() -> None:
    found = placed([], [])
    assert (found.nodes, found.lines, found.height) == ((), (), 0.0)


def test_a_line_that_passes_a_layer_goes_around_its_nodes() -> None:
    chain = [("a", "b"), ("b", "c"), ("a", "c")]
    found = placed(["a", "b", "c"], chain, reduce=False)
    [long] = [line for line in found.lines if (line.start, line.end) == ("a", "c")]
    [middle] = [node for node in found.nodes if node.name == "b"]
    passing = long.points[1]
    assert passing[1] == middle.y
    assert abs(passing[0] - middle.x) > middle.width / 2


def test_few_lines_cross_where_none_need_to() -> None:
    # Two trees whose leaves come mixed.
    names = ["x", "y", "x1", "y1", "x2", "y2", "x3", "y3"]
    edges = [(root, f"{root}{n}") for n in (1, 2, 3) for root in ("x", "y")]
    found = placed(names, edges)
    x = {node.name: node.x for node in found.nodes}
    left, right = ("x", "y") if x["x"] < x["y"] else ("y", "x")
    assert max(x[f"{left}{n}"] for n in (1, 2, 3)) < min(x[f"{right}{n}"] for n in (1, 2, 3))


@pytest.mark.parametrize("seed", range(4))
def test_sixty_modules_fit_a_page_and_nothing_overlaps(seed: int) -> None:
    names, edges = grown(60, seed)
    found = placed(names, edges)
    assert overlaps(found) == []
    rows: dict[float, int] = {}
    for node in found.nodes:
        rows[node.y] = rows.get(node.y, 0) + 1
    assert max(rows.values()) <= 7
    # At half its size a name of 13 pixels can still be made out.
    assert found.width <= 2 * 1_080


def test_the_same_graph_looks_the_same() -> None:
    names, edges = grown(40, 1)
    shuffled = list(edges)
    random.Random(2).shuffle(shuffled)
    assert placed(names, edges) == placed(names, shuffled)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 14).flatmap(
        lambda count: st.tuples(
            st.just([f"n{number}" for number in range(count)]),
            st.lists(
                st.tuples(st.integers(0, max(0, count - 1)), st.integers(0, max(0, count - 1))),
                max_size=40,
            ),
        )
    ),
    st.booleans(),
)
def test_any_graph_is_drawn_whole(
    graph: tuple[list[str], list[tuple[int, int]]], reduce: bool
) -> None:
    names, pairs = graph
    edges = [(f"n{a}", f"n{b}") for a, b in pairs]
    found = placed(names, edges, reduce=reduce)
    assert {node.name for node in found.nodes} == set(names)
    assert overlaps(found) == []
    told = {(line.start, line.end) for line in found.lines} | set(found.implied)
    assert told == {(a, b) for a, b in edges if a != b and a in names and b in names}
    for node in found.nodes:
        assert node.x - node.width / 2 >= 0
        assert node.x + node.width / 2 <= found.width
        assert node.y + HEIGHT / 2 <= found.height
    y = {node.name: node.y for node in found.nodes}
    assert all(y[line.start] < y[line.end] for line in found.lines if not line.back)
