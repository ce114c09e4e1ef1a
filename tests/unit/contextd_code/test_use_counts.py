"""Which of several definitions of one name a query by name alone means."""

from __future__ import annotations

from contextd_code.queries.use_counts import COMPARED, UseCount, most_used_first
from contextd_code.symbols.symbol_graph import Definition
from contextd_code.values.source import Symbol


def definition(path: str, start: int = 0, parent: str = "") -> Definition:
    return Definition(
        path,
        Symbol(
            name="run", kind="function", start=start, end=start + 1, start_line=1, end_line=1,
            parent=parent,
        ),
    )  # fmt: skip


def ordered(found: list[Definition], *lines: int) -> list[tuple[str, int]]:
    counts = {one: UseCount(1, count) for one, count in zip(found, lines, strict=False)}
    return [(one.path, one.symbol.start) for one in most_used_first(found, counts)]


A, B, C = (definition(f"src/{name}.py") for name in "abc")


def test_the_most_used_comes_first_and_the_others_keep_their_order() -> None:
    assert ordered([A, B, C], 1, 2, 9) == [("src/c.py", 0), ("src/a.py", 0), ("src/b.py", 0)]
    assert ordered([A, B], 2, 2) == [("src/a.py", 0), ("src/b.py", 0)]


def test_a_test_never_precedes_other_code_however_much_it_is_used() -> None:
    test = definition("tests/test_a.py")
    assert ordered([A, test], 1, 9) == [("src/a.py", 0), ("tests/test_a.py", 0)]
    assert ordered([test, definition("tests/test_b.py")], 1, 9) == [
        ("tests/test_b.py", 0),
        ("tests/test_a.py", 0),
    ]


def test_without_all_counts_the_order_stays() -> None:
    assert ordered([A, B, C], 1, 9) == [("src/a.py", 0), ("src/b.py", 0), ("src/c.py", 0)]
    assert ordered([]) == []


def test_overloads_move_together_and_count_as_one() -> None:
    overload = definition("src/b.py", 5)
    found = [A, B, overload]
    counts = {A: UseCount(1, 1), B: UseCount(1, 3)}
    assert most_used_first(found, counts) == [B, overload, A]
    assert most_used_first([A, definition("src/a.py", 3, "Cart")], {A: UseCount(1, 1)})[0] is A


def test_only_the_first_ones_are_compared() -> None:
    found = [definition(f"src/{n:02}.py") for n in range(COMPARED + 1)]
    lines = [1] * COMPARED + [9]
    assert ordered(found, *lines)[0] == ("src/00.py", 0)
    assert ordered(found, *lines[:COMPARED])[0] == ("src/00.py", 0)
    assert ordered(found, *([1] * (COMPARED - 1)), 5)[0] == (f"src/{COMPARED - 1:02}.py", 0)
