"""The picture of a graph: links one can reach, words for who cannot see it, and no script in names."""

from __future__ import annotations

from urllib.parse import urlencode
from xml.etree import ElementTree

from contextd.projects.graphs import Node, around, graph

EDGES = [("api", "auth"), ("auth", "store"), ("api", "store"), ("store", "auth")]


def node(name: str, state: str = "told") -> Node:
    return Node(name, "3 known", state, f"/project?{urlencode({'module': name})}", "3 files")


def test_nodes_are_links_that_say_what_they_are() -> None:
    drawn = graph([node("api"), node("auth"), node("store")], EDGES, "What needs what")
    picture = ElementTree.fromstring(str(drawn.svg))
    assert picture.get("aria-label") == "What needs what"
    links = picture.findall("a")
    assert [link.get("href") for link in links] == [
        f"/project?module={name}" for name in ("api", "auth", "store")
    ]
    assert "".join(links[0].itertext()) == "api 3 known"
    assert links[0].get("aria-description") == "3 files"
    assert drawn.circles == 1


def test_it_is_drawn_in_the_size_that_is_asked_for() -> None:
    plain = ElementTree.fromstring(str(graph([node("a")], [], "one").svg))
    large = ElementTree.fromstring(str(graph([node("a")], [], "one", zoom=2).svg))
    assert large.get("viewBox") == plain.get("viewBox")
    assert int(str(large.get("width"))) == 2 * int(str(plain.get("width")))


def test_a_name_is_text_whatever_is_in_it() -> None:
    hostile = '<script>x</script>"&\u202e'
    text = str(graph([node(hostile)], [(hostile, hostile)], hostile).svg)
    assert "<script>" not in text
    assert "\u202e" not in text
    ElementTree.fromstring(text)


def test_a_long_name_keeps_its_beginning_and_its_end() -> None:
    long = "packages/" + "very-" * 20 + "end"
    picture = ElementTree.fromstring(str(graph([node(long)], [], "one").svg))
    shown = str(picture.findall("a/text")[0].text)
    assert shown.startswith("packages")
    assert shown.endswith("end")
    assert len(shown) <= 24


def test_around_a_node_are_its_neighbours_only() -> None:
    edges = [("a", "b"), ("b", "c"), ("c", "d")]
    assert around("b", edges) == (["b", "a", "c"], [("a", "b"), ("b", "c")])
    assert around("x", edges) == (["x"], [])
