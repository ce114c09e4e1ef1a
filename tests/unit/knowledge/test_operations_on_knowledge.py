"""ADD, UPDATE, INVALIDATE, SKIP: what a write did to what is known is told, and stands in its history."""

from __future__ import annotations

from datetime import timedelta

import pytest

from contextd.domain.confidence import confidence_at, decayed, is_sure
from contextd.domain.records import Record, new_id
from contextd.domain.scope import Scope
from support.desks import Desk

LESSON = {
    "title": "Pools",
    "description": "When the database is slow",
    "content": "Give the pool as many connections as there are workers in the service.",
    "outcome": "success",
}


def operations(desk: Desk, id: str) -> list[str]:
    return [one["operation"] for one in desk.as_owner("history", id=id)["changes"]]


def test_a_new_memory_is_added_and_a_known_one_is_skipped(desk):
    first = desk("memory_record", **LESSON)
    assert first["operation"] == "ADD"
    again = desk("memory_record", **LESSON)
    assert (again["id"], again["operation"]) == (first["id"], "SKIP")
    assert "already stored" in again["message"]
    tagged = desk("memory_record", **LESSON, tags=["pools"])
    assert (tagged["id"], tagged["operation"]) == (first["id"], "UPDATE")
    assert operations(desk, first["id"]) == ["ADD", "UPDATE"]


def test_the_next_lesson_on_a_topic_is_an_update(desk):
    first = desk("memory_record", **LESSON, topic="pools")
    newer = {**LESSON, "content": "Give the pool twice as many connections as there are workers."}
    then = desk("memory_record", **newer, topic="pools")
    assert (then["id"], then["operation"]) == (first["id"], "UPDATE")


def test_settling_a_contradiction_invalidates_the_other_record_and_keeps_its_history(desk):
    one = desk("memory_record", **LESSON)["id"]
    opposite = {
        **LESSON,
        "content": "Never give the pool as many connections as there are workers in the service.",
    }
    other = desk("memory_record", **opposite)
    assert other["operation"] == "ADD"
    assert "contradicts" in other["message"]
    desk.host.work_off()
    [pair] = desk("list_contradictions")["contradictions"]
    keep = "a" if pair["a"]["id"] == other["id"] else "b"
    desk("resolve_contradiction", id=pair["id"], keep=keep, note="measured")
    assert operations(desk, one) == ["ADD", "INVALIDATE"]
    assert desk.record(one).valid_to is not None
    assert "measured" in desk.as_owner("history", id=one)["changes"][-1]["reason"]


def test_confidence_sinks_with_rest_and_comes_back_with_use(desk, home):
    id = desk("memory_record", **LESSON)["id"]
    stored = desk.record(id)

    def shown() -> float:
        [found] = desk("memory_search", query="connections of the pool")["memories"]
        return found["confidence"]

    assert shown() == 0.6
    desk.host.flush()
    home.clock.move(hours=24 * 91)
    now = desk.host.organisation("local").runtime(desk.request(), upkeep=False).clock.now()
    assert confidence_at(desk.record(id), now) == pytest.approx(0.45)
    assert (
        desk("memory_search", query="connections of the pool", min_confidence=0.5)["memories"] == []
    )
    assert shown() == pytest.approx(0.45)
    assert desk.record(id).confidence == stored.confidence, "nothing drifts in the store"
    desk.host.flush()
    assert shown() == 0.6, "it was used just now"


def test_a_list_shows_the_confidence_of_today(desk, home):
    desk("memory_record", **LESSON)
    home.clock.move(hours=24 * 91)
    [row] = desk.as_owner("list_records", kind="memory")["records"]
    assert row["confidence"] == pytest.approx(0.45)


def test_decay_is_a_twentieth_for_each_full_month(desk):
    record = Record(kind="memory", scope=Scope("acme"), content="x", id=new_id())
    at = record.created_at
    for days, left in ((0, 0.6), (29, 0.6), (30, 0.55), (59, 0.55), (60, 0.5), (3_000, 0.0)):
        assert decayed(0.6, at, at + timedelta(days=days)) == pytest.approx(left)
    assert decayed(0.6, at, at - timedelta(days=60)) == 0.6


def test_a_record_unused_for_a_year_is_too_uncertain_to_be_injected():
    record = Record(kind="memory", scope=Scope("acme"), content="x", id=new_id(), confidence=0.6)
    at = record.created_at
    assert is_sure(record, at + timedelta(days=60))
    assert not is_sure(record, at + timedelta(days=365))
    assert is_sure(record.with_(trust="human"), at + timedelta(days=365))
