"""A cache keeps what was used last, and closes what it gives up."""

from __future__ import annotations

from contextd.runtime.caches import Cache


def test_what_is_looked_up_counts_as_used() -> None:
    cache = Cache[str, int](2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)


def test_a_value_that_is_replaced_or_makes_room_is_closed_once() -> None:
    closed: list[str] = []
    cache = Cache[str, str](1, close=closed.append)
    first = "first"
    cache.put("a", first)
    cache.put("a", first)
    assert closed == []
    cache.put("a", "second")
    cache.put("b", "third")
    assert closed == ["first", "second"]
