"""Charts: numbers in, sound SVG out, whatever the names are."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from contextd.pages.charts import bar, columns, ring

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20)
AMOUNTS = st.floats(0, 1e9)


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


@given(st.lists(st.tuples(AMOUNTS, st.just("d1"), NAMES), max_size=5), AMOUNTS, NAMES)
def test_a_bar_is_well_formed_and_says_what_it_shows(
    parts: list[tuple[float, str, str]], total: float, label: str
) -> None:
    drawn = parsed(bar(parts, total, label))
    assert drawn.get("role") == "img"
    assert drawn.get("aria-label") == label.replace("\t", " ")
    assert "style" not in bar(parts, total, "x")


def test_a_bar_is_as_long_as_its_share() -> None:
    drawn = parsed(bar([(25, "d1", "a"), (50, "d2", "b")], 100, "share"))
    lengths = [(r.get("x"), r.get("width")) for r in drawn.findall("rect")[1:]]
    assert lengths == [("0.00%", "25.00%"), ("25.00%", "50.00%")]


@given(
    st.lists(st.tuples(NAMES, st.lists(st.tuples(AMOUNTS, st.just("d1")), max_size=3)), max_size=20)
)
def test_columns_stay_inside_and_each_says_its_caption(
    values: list[tuple[str, list[tuple[float, str]]]],
) -> None:
    drawn = parsed(columns(values, "columns", 100))
    for rect in drawn.findall("rect"):
        y, height = float(rect.get("y") or 0), float(rect.get("height") or 0)
        assert y + height <= 100.01
        assert y >= -8
    titles = [r.findtext("title") for r in drawn.findall("rect") if r.get("class") == "hover"]
    assert len(titles) == len(values)


def test_a_ring_says_its_share() -> None:
    assert "50%" in ring(0.5, "Coverage")
    assert "100%" in ring(1.0, "Coverage")
    nothing = ring(0.0, "Coverage")
    assert "0%" in nothing
    assert nothing.count("<circle") == 1, "no dot for nothing"
