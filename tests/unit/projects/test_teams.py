"""A project is given to a team: it shares what that team knows, keeps what it knew, and leaves its old team behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contextd.domain.scope import Scope
from contextd.runtime.doors import Surface
from contextd_common.errors import Conflict, Denied, Invalid
from support.desks import Desk
from support.repositories import committed
from support.sightings import OLD, clone, knows, made, names, repository, stranger

DARK = "Deploys wait for the tide table"


@pytest.fixture
def boat(words_only: Desk, tmp_path: Path) -> Desk:
    return made(words_only, repository(tmp_path / "boat", OLD))


@pytest.fixture
def ferry(boat: Desk) -> Desk:
    """A second project of the person."""
    there = boat.at(committed(boat.root.parent / "ferry", {"f.py": "f = 6\n"}))
    there.as_owner("init")
    return there


def hears(desk: Desk, text: str) -> bool:
    return text in desk.answer("context_search", query=text).text


def lesson(desk: Desk, text: str) -> str:
    said = {"title": text, "description": text, "text": text, "outcome": "success"}
    return str(desk("memory_record", **said)["id"])


def widened(desk: Desk, text: str, scope: str) -> None:
    desk("knowledge_promote", item_id=lesson(desk, text), item_type="memory", target_scope=scope)


def given(desk: Desk, team: str, **more: str) -> str:
    return str(desk.as_owner("project_team", name=team, **more)["project"])


def test_a_project_of_a_team_keeps_its_memory_and_shares_that_of_the_team(
    boat: Desk, ferry: Desk
) -> None:
    answer = boat.on("cli").answer("project_team", name="harbour", org="acme")
    assert answer.value["project"] == "acme/harbour/boat"
    assert "contextd projects team default --org local" in answer.text
    assert boat.scope == Scope("acme", "harbour", "boat")
    assert knows(boat)

    widened(boat, DARK, "team")
    assert not hears(ferry, DARK)
    given(ferry, "harbour", org="acme")
    assert hears(ferry, DARK)
    assert not knows(ferry)


def test_what_another_team_or_organisation_knows_is_not_shared(boat: Desk, ferry: Desk) -> None:
    given(boat, "harbour", org="acme")
    given(ferry, "harbour", org="other")
    widened(boat, DARK, "org")
    widened(ferry, "Whistles are blown twice", "team")
    assert not hears(ferry, DARK)
    assert not hears(boat, "Whistles are blown twice")


def test_what_the_person_prefers_is_heard_in_every_organisation(boat: Desk, ferry: Desk) -> None:
    given(boat, "harbour", org="acme")
    ferry("save_context", content="Answers are short", scope="person")
    assert hears(boat, "Answers are short")
    boat("save_context", content="Tables beat prose", scope="person")
    assert hears(ferry, "Tables beat prose")


def test_a_project_that_comes_back_is_the_one_that_it_was(boat: Desk) -> None:
    assert given(boat, "harbour") == "local/harbour/boat"
    boat("save_context", content=DARK)
    assert given(boat, "default") == "local/default/boat"
    assert knows(boat)
    assert hears(boat, DARK)
    assert given(boat, "harbour") == "local/harbour/boat"
    assert given(boat, "quay") == "local/quay/boat"
    assert given(boat, "default") == "local/default/boat"
    for team in ("default", "harbour", "quay"):
        named = boat("project_overview", project=f"local/{team}/boat")
        assert named["scope"] == "local/default/boat"
    assert knows(boat)
    assert hears(boat, DARK)
    assert names(boat) == ["boat"]


def test_every_checkout_of_the_project_comes_along(boat: Desk, tmp_path: Path) -> None:
    second = boat.at(clone(boat.root, tmp_path / "second", OLD))
    second.as_owner("trust")
    given(boat, "harbour")
    third = boat.at(clone(boat.root, tmp_path / "third", OLD))
    third.as_owner("trust")
    for desk in (second, third):
        assert desk.scope == Scope("local", "harbour", "boat")
        assert knows(desk)


def test_a_stranger_in_a_clone_is_kept_apart_as_before(boat: Desk, tmp_path: Path) -> None:
    given(boat, "harbour", org="acme")
    theirs = stranger(boat, clone(boat.root, tmp_path / "theirs", OLD))
    theirs("save_context", content="Owls are never counted")
    assert not hears(boat, "Owls are never counted")


def test_two_projects_of_one_name_are_told_apart_in_a_team(boat: Desk, tmp_path: Path) -> None:
    other = boat.at(committed(tmp_path / "elsewhere" / "boat", {"o.py": "o = 1\n"}))
    other.as_owner("init")
    assert given(boat, "harbour") == "local/harbour/boat"
    assert given(other, "harbour") == "local/harbour/boat-2"
    assert not knows(other)


def test_what_a_project_knew_before_is_promoted_to_the_team_that_it_is_in(boat: Desk) -> None:
    known = lesson(boat, DARK)
    given(boat, "harbour", org="acme")
    wider = boat("knowledge_promote", item_id=known, item_type="memory", target_scope="team")
    assert wider["scope"] == "acme/harbour"


def test_a_new_project_is_of_the_team_of_the_home(
    open_desk: Callable[..., Desk], tmp_path: Path
) -> None:
    desk = open_desk(embedder_name="none", project_team="harbour", project_organisation="acme")
    there = made(desk, repository(tmp_path / "boat", OLD))
    assert there.scope == Scope("acme", "harbour", "boat")
    assert knows(there)


@pytest.mark.parametrize("name", ["", "Acme Corp", "a/b", "-x"])
def test_a_team_has_the_name_of_a_scope(boat: Desk, name: str) -> None:
    with pytest.raises(Invalid, match="name"):
        given(boat, name)
    assert boat.scope == Scope("local", "default", "boat")


def test_a_project_is_given_to_another_team_only(boat: Desk) -> None:
    with pytest.raises(Conflict, match="already"):
        given(boat, "default")


@pytest.mark.parametrize("surface", ["mcp", "hook", "job"])
def test_no_agent_gives_a_project_to_a_team(boat: Desk, surface: Surface) -> None:
    with pytest.raises(Denied):
        boat.on(surface)("project_team", name="harbour")
    assert boat.scope == Scope("local", "default", "boat")


def test_derived_data_is_rebuilt_in_every_team_and_organisation(boat: Desk) -> None:
    given(boat, "harbour", org="acme")
    boat("save_context", content=DARK)
    rebuilt = boat.as_owner("reindex")
    assert rebuilt["records"] >= 2
    assert knows(boat)
    assert hears(boat, DARK)
