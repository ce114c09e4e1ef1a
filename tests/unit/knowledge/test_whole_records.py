"""A saved record holds all that was given, and each filter of a listing leaves out what it names and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from support.desks import Desk


@pytest.fixture
def agent(words_only: Desk) -> Desk:
    return words_only


SAVED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "save_context",
        {"content": " The oven is hot. ", "tags": ["Oven", " heat ", "oven"], "source": "Ana"},
        {"kind": "context", "content": "The oven is hot.", "title": "", "tags": ("oven", "heat")},
    ),
    (
        "memory_record",
        {
            "title": "  Proving ", "description": "Before baking", "content": "Rest the dough for an hour. ",
            "outcome": "failure", "tags": ["Dough"], "topic": "rest",
        },
        {
            "kind": "memory", "content": "Rest the dough for an hour.", "title": "Proving", "tags": ("dough",),
            "data": {"description": "Before baking", "outcome": "failure", "topic": "rest"},
        },
    ),
    (
        "memory_record",
        {"title": "A", "description": "b", "content": "Bake at noon sharp.", "outcome": "success"},
        {"data": {"description": "b", "outcome": "success"}, "tags": ()},
    ),
    (
        "remember",
        {"content": "Flour comes from the mill.", "title": " Mill ", "tags": ["Flour"]},
        {"kind": "context", "title": "Mill", "tags": ("flour",), "content": "Flour comes from the mill."},
    ),
    (
        "remember",
        {"content": "Never open the oven.", "kind": "rule", "fields": {"module": "bakery"}},
        {"kind": "discovery", "data": {"type": "rule", "module": "bakery"}},
    ),
]  # fmt: skip


def test_a_record_holds_what_was_given(agent: Desk) -> None:
    for operation, given, stored in SAVED:
        record = agent.record(agent(operation, **given)["id"])
        for name, value in stored.items():
            if name == "data":
                assert value.items() <= dict(record.data).items()
                assert "topic" in value or "topic" not in record.data
            else:
                assert getattr(record, name) == value, (operation, name)
        assert (record.status, record.scope) == ("active", agent.scope)
        if "source" in given:
            assert given["source"] == record.source.agent


@pytest.fixture
def shelf(agent: Desk) -> tuple[Desk, dict[str, str]]:
    """Records of several kinds, by a name for each, in the order in which they were made."""
    ids = {}
    for name, tags, source in (
        ("flour", ["mill", "dry"], "Ana"),
        ("milk", ["dry"], "Bo"),
        ("salt", [], "Ana"),
    ):
        text = f"The {name} stands on the shelf of the {name}."
        ids[name] = agent("save_context", content=text, tags=tags, source=source)["id"]
    ids["lesson"] = agent(
        "memory_record", title="Oven", description="d", content="Heat the oven first.", outcome="success",
        tags=["dry"],
    )["id"]  # fmt: skip
    ids["gone"] = agent("save_context", content="The yeast is in the cellar.", tags=["dry"])["id"]
    agent.as_owner("delete_record", id=ids["gone"])
    return agent, ids


FILTERS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["lesson", "salt", "milk", "flour"]),
    ({"kind": "context"}, ["salt", "milk", "flour"]),
    ({"kind": "memory"}, ["lesson"]),
    ({"tags": ["dry"]}, ["lesson", "milk", "flour"]),
    ({"tags": ["Dry", "mill"]}, ["flour"]),
    ({"tags": ["dry"], "kind": "context"}, ["milk", "flour"]),
    ({"status": "deleted"}, ["gone"]),
    ({"status": "any"}, ["gone", "lesson", "salt", "milk", "flour"]),
    ({"source": " Ana "}, ["salt", "flour"]),
    ({"source": "Cy"}, []),
    ({"trust": "human"}, []),
    ({"limit": 2}, ["lesson", "salt"]),
    ({"session_id": "none"}, []),
]


def test_a_listing_shows_newest_first_what_its_filters_leave(
    shelf: tuple[Desk, dict[str, str]],
) -> None:
    desk, ids = shelf
    called = {id: name for name, id in ids.items()}
    for asked, names in FILTERS:
        answer = desk.as_owner("list_records", **asked)
        assert [called[row["id"]] for row in answer["records"]] == names, asked
        total = 4 if "limit" in asked else len(names)
        assert (answer["total"], sum(answer["counts"].values())) == (total, total), asked
        assert bool(answer["cursor"]) is ("limit" in asked)


NOTES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("list_contexts", {}, ["salt", "milk", "flour"]),
    ("list_contexts", {"tags": ["dry"]}, ["milk", "flour"]),
    ("list_contexts", {"limit": 1}, ["salt"]),
    ("search_contexts", {"query": "shelf of the milk"}, ["milk"]),
    ("search_contexts", {"query": "shelf", "tags": ["mill"]}, ["flour"]),
    ("search_contexts", {"query": "shelf", "type": "runbook"}, []),
]


def test_notes_are_listed_and_searched_with_filters(
    shelf: tuple[Desk, dict[str, str]],
) -> None:
    desk, ids = shelf
    called = {id: name for name, id in ids.items()}
    for operation, asked, names in NOTES:
        found = [called[row["id"]] for row in desk(operation, **asked)["entries"]]
        assert found[: len(names)] == names, (operation, asked)
        assert names or not found, (operation, asked)


def test_a_bubble_holds_its_notes_and_gives_them_back_when_it_goes(agent: Desk) -> None:
    made = agent("create_bubble", name="  Bakery ", description="Bread")
    assert (made["name"], made["description"]) == ("Bakery", "Bread")
    inside = agent("save_context", content="Rye is baked on Mondays.", bubble_id=made["id"])["id"]
    outside = agent("save_context", content="Milk is bought on Tuesdays.")["id"]
    held = agent("get_bubble", id="Bakery")
    assert [one["id"] for one in held["entries"]] == [inside]
    assert [one["name"] for one in agent("list_bubbles")["bubbles"]] == ["Bakery"]
    renamed = agent("update_bubble", id="Bakery", name="Mill")
    assert (renamed["name"], renamed["description"]) == ("Mill", "Bread")
    assert [one["id"] for one in agent("list_contexts", bubble_id=made["id"])["entries"]] == [
        inside
    ]
    agent("delete_bubble", id="Mill")
    assert agent("list_bubbles")["bubbles"] == []
    assert {agent.record(id).status for id in (inside, outside)} == {"active"}
    other = agent("create_bubble", name="Barn")
    hay = agent("save_context", content="Hay is kept in the barn.", bubble_id=other["id"])["id"]
    agent("delete_bubble", id=other["id"], delete_contents=True)
    assert (agent.record(hay).status, agent.record(inside).status) == ("deleted", "active")
