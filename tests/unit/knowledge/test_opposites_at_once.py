"""Two statements that contradict each other, one right after the other: searches name both, the later one first."""

from __future__ import annotations

import pytest

from support.desks import Desk

OLD = "The stack is FastAPI with PostgreSQL and Redis in Docker"
NEW = "The stack is FastAPI with MySQL and Redis in Docker, PostgreSQL is no longer used"


@pytest.mark.parametrize("query", ["which database does the stack use", "stack", "postgresql"])
def test_a_search_right_after_it_names_a_contradiction_and_the_later_comes_first(
    desk: Desk, query: str
) -> None:
    old = desk("save_context", content=OLD)["id"]
    new = desk("save_context", content=NEW)["id"]
    # Nothing runs in the background before the search.
    found = desk("context_search", query=query)["results"]
    assert [hit["id"] for hit in found] == [new, old]
    assert [hit["contradicts"] for hit in found] == [old[:8], new[:8]]


def test_of_what_was_imported_at_once_neither_is_called_the_newer(desk: Desk) -> None:
    ids = [desk("save_context", content=text)["id"] for text in (OLD, NEW)]
    for record in desk.view.records.get(ids):
        desk.put(record.with_(trust="imported"))
    found = desk("context_search", query="stack")["results"]
    assert {hit["id"] for hit in found} == set(ids)
    assert not any("newer" in hit["validity"] for hit in found)
