"""A cache keeps what was used last, and closes what it gives up."""

from __future__ import annotations

from contextd.runtime.caches import Cache, as_of


def test_a_lookup_in_a_cache_counts_as_use() -> None:
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


def test_a_value_is_made_again_when_what_it_was_made_from_changed() -> None:
    cache = Cache[str, tuple[int, str]](2)
    made = [as_of(cache, "a", state, lambda: f"read {len(cache)}") for state in (1, 1)]
    assert made == ["read 0", "read 0"]
    assert as_of(cache, "a", 2, lambda: "read anew") == "read anew"
