"""Lines and places of code in the forms that agents know from other programs."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.domain.argument_forms import with_code_place, with_line_ends


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"lines": "10-40"}, (10, 40)),
        ({"lines": " L10 - L40 "}, (10, 40)),
        ({"line_range": "10:40"}, (10, 40)),
        ({"range": "10..40"}, (10, 40)),
        ({"range": "10...40"}, (10, 40)),
        ({"range": "10 to 40"}, (10, 40)),
        ({"viewRange": [10, 40]}, (10, 40)),
        ({"view_range": "[10, 40]"}, (10, 40)),
        ({"view_range": ["10", "40"]}, (10, 40)),
        ({"span": {"start": 10, "end": 40}}, (10, 40)),
        ({"rows": [7, 7]}, (7, 7)),
        ({"limit": 5}, (1, 5)),
        ({"limit": "5"}, (1, 5)),
        ({"range": 5}, (1, 5)),
        ({"offset": 10, "limit": 5}, None),
        ({"start_line": 10, "limit": 5}, (10, 14)),
        ({"start_line": "10", "num_lines": 1}, ("10", 10)),
        ({"start_line": 0, "limit": 3}, (1, 3)),
    ],
)
def test_a_range_or_a_count_becomes_two_ends(given: dict[str, Any], read: Any) -> None:
    found = with_line_ends(given)
    if read is None:
        # The start stands under the name that the caller gave it.
        assert (found["end_line"], "limit" in found) == (14, False)
    else:
        assert (found["start_line"], found["end_line"]) == read
        assert not found.keys() - {"start_line", "end_line"}


@pytest.mark.parametrize(
    "given",
    [
        {"lines": "40-10"},
        {"lines": "ten"},
        {"lines": "1-2-3"},
        {"lines": [1, 2, 3]},
        {"lines": [True, 2]},
        {"limit": 0},
        {"limit": -3},
        {"limit": True},
        {"limit": "many"},
        {"start_line": 3, "end_line": 9},
        {},
    ],
)
def test_what_is_neither_stays_as_it_is(given: dict[str, Any]) -> None:
    assert with_line_ends(given) == given


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"path": "a.py", "name": "run"}, {"path": "a.py:run"}),
        ({"filePath": "a.py", "symbol": "Cart/add"}, {"filePath": "a.py:Cart.add"}),
        ({"file": "a.py", "line": 12}, {"file": "a.py:12"}),
        ({"file": "a.py", "symbol": "/Cart.add/"}, {"file": "a.py:Cart.add"}),
        ({"paths": ["a.py"], "name": "run"}, {"paths": "a.py:run"}),
        ({"path": "a.py:run", "name": "run"}, {"path": "a.py:run"}),
        ({"path": "a.py", "name": " "}, {"path": "a.py"}),
        ({"path": "a.py", "name": "run", "line": 3}, {"path": "a.py:run", "line": 3}),
        ({"paths": ["a.py", "b.py"], "name": "run"}, None),
        ({"path": "", "name": "run"}, None),
        ({"path": "a.py", "name": ["run"]}, None),
        ({"path": "a.py"}, None),
        ({"name": "run"}, None),
    ],
)
def test_a_file_and_a_symbol_or_line_become_one_place(
    given: dict[str, Any], read: dict[str, Any] | None
) -> None:
    before = dict(given)
    assert with_code_place(given) == (before if read is None else read)
    assert given == before
