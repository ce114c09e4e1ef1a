"""Homes of released versions, recorded by `tools/record_home.py`: this version opens each with everything in it."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contextd.app import Host, load_operations
from contextd.domain.access import OWNER
from contextd.runtime.runtime import Request
from contextd.runtime.settings import load_settings

RECORDED = sorted((Path(__file__).parents[1] / "fixtures" / "homes").glob("*.zip"))
SAID = {
    "how are amounts stored?": "Amounts are stored in cents, as integers",
    "where do dead letters go?": "One table for dead letters: operators replay rows with plain SQL",
    "when is the warehouse slow?": "The warehouse API is slow between 02:00 and 03:00",
}


class Upgraded:
    """A home of an older version, opened by this one."""

    def __init__(self, home: Path) -> None:
        load_operations()
        self.home = home
        self.host = Host.open(load_settings(home=home), work=False)

    def __call__(self, operation: str, **arguments: Any) -> Any:
        request = Request(surface="cli", caller=OWNER, project="courier", client="cli")
        return self.host.call(operation, request, arguments).value


@pytest.fixture(params=RECORDED, ids=lambda path: path.stem)
def upgraded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Upgraded]:
    home = tmp_path / "home"
    with zipfile.ZipFile(request.param) as packed:
        packed.extractall(home)
    opened = Upgraded(home)
    yield opened
    opened.host.close()


def test_there_is_a_recorded_home() -> None:
    assert RECORDED
    assert all(path.stat().st_size < 400_000 for path in RECORDED)


def test_every_record_is_found_by_a_question_after_the_upgrade(upgraded: Upgraded) -> None:
    found = {
        question: [hit["text"] for hit in upgraded("context_search", query=question)["results"]]
        for question in SAID
    }
    missing = {question for question, text in SAID.items() if text not in found[question]}
    assert missing == set()


def test_sessions_and_what_they_taught_are_there_after_the_upgrade(upgraded: Upgraded) -> None:
    sessions = upgraded("list_sessions")["sessions"]
    briefing = upgraded("briefing_get")["briefing"]
    assert [session["status"] for session in sessions] == ["completed"]
    assert "must go to the dead letter table" in briefing
    assert "Retry slow records one by one" in briefing


def test_an_upgraded_home_takes_writes_and_keeps_history(upgraded: Upgraded) -> None:
    stored = upgraded("remember", content="Parcels weigh at most 30 kg", kind="fact")
    assert (
        upgraded("context_search", query="how heavy are parcels")["results"][0]["id"]
        == stored["id"]
    )
    rule = upgraded("context_search", query="how are amounts stored?")["results"][0]["id"]
    assert upgraded("history", id=rule)["changes"]
