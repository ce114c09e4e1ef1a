"""Which records are a preference of the person: all of their layer, and nothing of a project."""

from __future__ import annotations

import pytest

from contextd.person.person import persons_records
from contextd_common.errors import NotFound


def test_of_a_person_with_many_preferences_each_is_listed(desk, monkeypatch):
    monkeypatch.setattr("contextd.person.person._PAGE", 2)
    texts = {f"I like tea number {number}" for number in ("one", "two", "three", "four", "five")}
    for text in sorted(texts):
        desk("save_context", content=text, scope="person")
    told = desk.answer("user_profile").text
    assert {text for text in texts if text in told} == texts


def test_no_record_of_a_project_is_accepted_for_the_person(desk):
    id = desk("save_context", content="I never want tabs in the shop.")["id"]
    before = desk.record(id)
    for status in ("active", "inbox"):
        desk.put(desk.record(id).with_(status=status))
        with pytest.raises(NotFound, match="not a proposal"):
            desk.as_owner("person_accept", id=id)
        assert (desk.record(id).status, desk.record(id).trust) == (status, before.trust)


def test_all_pages_of_a_persons_records_come_oldest_first(desk, monkeypatch):
    for number in range(5):
        desk("save_context", content=f"I bake bread of sort {number}", scope="person")
    monkeypatch.setattr("contextd.person.person._PAGE", 2)
    records = persons_records(desk.runtime())
    assert [one.content[-1] for one in records] == list("01234")
