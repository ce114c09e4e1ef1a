"""The owner says which projects are one; what became of an identity is said once, with what undoes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.runtime.doors import Surface
from contextd_common.errors import Conflict, ContextdError, Denied, NotFound
from support.desks import Desk, Home
from support.repositories import committed, git, written
from support.sightings import NEW, OLD, clone, knows, made, moved, names, repository, stranger

TERNS = "Terns are counted at dusk"


def terns(desk: Desk) -> bool:
    return TERNS in desk.answer("context_search", query="when are terns counted").text


def status(desk: Desk) -> str:
    return desk.on("cli").answer("status").text


@pytest.fixture
def boat(words_only: Desk, tmp_path: Path) -> Desk:
    return made(words_only, repository(tmp_path / "boat", OLD))


@pytest.fixture
def fork(boat: Desk, tmp_path: Path) -> Desk:
    """A trusted fork, that knows something else."""
    there = boat.at(clone(boat.root, tmp_path / "fork", NEW))
    git(there.root, "remote", "set-url", "origin", NEW)
    there.as_owner("init")
    there("save_context", content=TERNS)
    assert not knows(there)
    assert not terns(boat)
    return there


def test_projects_that_their_owner_joins_share_their_memory_until_he_parts_them(
    boat: Desk, fork: Desk
) -> None:
    before = [boat("list_contexts")["entries"], fork("list_contexts")["entries"]]
    joined = fork.on("cli").answer("join_project", into=str(boat.scope))
    assert (joined.value["project"], joined.value["joined"]) == (
        "local/default/boat",
        "local/default/boat-2",
    )
    assert "contextd projects part local/default/boat-2" in joined.text
    assert knows(fork)
    assert terns(boat)
    fork("save_context", content="Puffins are counted at noon")
    assert "Puffins" in boat.answer("context_search", query="when are puffins counted").text

    parted = boat.as_owner("part_project", name="local/default/boat-2")
    assert (parted["project"], parted["roots"]) == ("local/default/boat-2", [str(fork.root)])
    assert not knows(fork)
    assert not terns(boat)
    assert fork("list_contexts")["entries"] == before[1]
    assert before[0][0] in boat("list_contexts")["entries"]


def test_a_joined_project_is_parted_from_within_it_as_well(boat: Desk, fork: Desk) -> None:
    fork.as_owner("join_project", into=str(boat.root))
    fork.as_owner("part_project")
    assert not knows(fork)
    assert terns(fork)
    assert names(boat) == ["boat", "boat-2"]


def test_a_joined_project_stays_joined_in_a_new_clone_and_after_a_move(
    boat: Desk, fork: Desk, tmp_path: Path
) -> None:
    fork.as_owner("join_project", into=str(boat.scope))
    second = boat.at(clone(fork.root, tmp_path / "second", NEW))
    assert knows(second)
    assert terns(second)
    there = boat.at(moved(fork.root))
    assert knows(there)
    boat.as_owner("part_project", name="local/default/boat-2")
    assert not knows(there)
    assert not knows(second)
    assert terns(second)


def test_a_stranger_in_a_clone_of_a_joined_project_is_kept_apart_and_parts_nothing(
    boat: Desk, fork: Desk, tmp_path: Path
) -> None:
    fork.as_owner("join_project", into=str(boat.scope))
    theirs = stranger(boat, clone(fork.root, tmp_path / "theirs", NEW))
    theirs("save_context", content="Owls are never counted")
    for desk in (boat, fork):
        assert "Owls" not in desk.answer("context_search", query="when are owls counted").text
    assert terns(boat)
    fork.as_owner("trust", revoke=True)
    assert terns(boat)


def test_three_projects_are_joined_and_parted_in_any_order(boat: Desk, fork: Desk) -> None:
    third = boat.at(committed(boat.root.parent / "third", {"c.py": "c = 3\n"}))
    third.as_owner("init")
    fork.as_owner("join_project", into=str(boat.scope))
    boat.as_owner("join_project", into=str(third.scope))
    assert terns(third)
    assert knows(third)
    boat.as_owner("part_project", name="local/default/boat-2")
    assert knows(third)
    assert not terns(third)
    assert not terns(boat)
    boat.as_owner("part_project", name="boat")
    assert not knows(third)
    assert names(boat) == ["boat", "boat-2", "third"]


@pytest.mark.parametrize("surface", ["mcp", "hook", "job"])
@pytest.mark.parametrize("operation", ["join_project", "part_project"])
def test_no_agent_says_which_projects_are_one(
    boat: Desk, fork: Desk, surface: Surface, operation: str
) -> None:
    arguments = {"into": str(boat.scope)} if operation == "join_project" else {}
    with pytest.raises(Denied):
        fork.on(surface)(operation, **arguments)
    with pytest.raises(Denied):
        fork.by("org_admin").on("rest")(operation, **arguments)
    assert not knows(fork)


def test_untrusted_unknown_and_identical_projects_cannot_be_joined(
    boat: Desk, fork: Desk, tmp_path: Path
) -> None:
    theirs = stranger(boat, committed(tmp_path / "theirs", {"d.py": "d = 4\n"}))
    theirs("save_context", content="Owls are never counted")
    apart = stranger(boat, clone(boat.root, tmp_path / "apart", OLD))
    for desk, into, error in (
        (boat, str(theirs.scope), Conflict),
        (theirs, str(boat.scope), Conflict),
        (apart, str(fork.scope), Conflict),
        (boat, str(boat.scope), Conflict),
        (boat, "nothing", NotFound),
    ):
        with pytest.raises(error):
            desk.on("cli")("join_project", into=into)
    with pytest.raises(NotFound):
        boat.as_owner("part_project", name="local/default/boat-2")
    with pytest.raises(Conflict, match="only checkout"):
        fork.as_owner("part_project")


def test_a_second_clone_becomes_a_project_of_its_own_where_its_owner_says_so(
    boat: Desk, tmp_path: Path
) -> None:
    second = boat.at(clone(boat.root, tmp_path / "second", OLD))
    assert knows(second)
    second.as_owner("part_project")
    assert not knows(second)
    second("save_context", content=TERNS)
    assert not terns(boat)
    second.as_owner("join_project", into=str(boat.root))
    assert knows(second)
    assert terns(boat)


def test_a_folder_that_looks_like_a_project_is_told_so_once_with_the_command(
    boat: Desk, fork: Desk
) -> None:
    other = boat.at(clone(boat.root, boat.root.parent / "other"))
    hint = f"contextd projects join {boat.scope}"
    assert hint not in other.answer("briefing_get").text
    first = other.on("cli").answer("init").text
    assert hint in first
    assert hint not in status(other)
    assert hint not in status(boat)


@pytest.mark.parametrize("remote", ["", OLD])
@pytest.mark.parametrize("place", ["status", "briefing"])
def test_a_move_is_said_once_with_what_undoes_it_and_not_again_by_another_process(
    home: Home, words_only: Desk, tmp_path: Path, remote: str, place: str
) -> None:
    here = made(words_only, repository(tmp_path / "boat", remote))
    other = words_only.at(committed(tmp_path / "ship", {"s.py": "s = 1\n"}))
    other.as_owner("init")
    there = stranger(words_only, moved(here.root))
    assert knows(there)

    def said(desk: Desk) -> str:
        return status(desk) if place == "status" else desk.answer("briefing_get").text

    undo = "contextd projects part"
    assert undo not in said(other)
    first = said(there)
    assert str(here.root) in first
    assert undo in first
    assert undo not in said(there)
    again = Desk(home.host(embedder_name="none"), there.root, stranger=True)
    assert undo not in said(again)
    assert knows(again)


def test_a_move_that_was_said_is_not_said_again_when_its_owner_trusts_the_new_place(
    words_only: Desk, tmp_path: Path
) -> None:
    here = made(words_only, repository(tmp_path / "boat", OLD))
    there = stranger(words_only, moved(here.root))
    assert knows(there)
    assert "is gone" in status(there)
    trusted = there.on("cli").answer("trust").text
    assert "is gone" not in trusted
    assert "is gone" not in status(there)


def test_the_list_of_projects_says_which_are_joined_and_which_kept_apart(
    boat: Desk, fork: Desk, tmp_path: Path
) -> None:
    apart = stranger(boat, clone(boat.root, tmp_path / "clone", OLD))
    apart("save_context", content="Owls are never counted")
    fork.as_owner("join_project", into=str(boat.scope))
    lines = boat.on("cli").answer("list_projects").text.splitlines()
    assert f"{fork.root} (joined to local/default/boat)" in "\n".join(lines)
    assert f"{apart.root} (not trusted, kept apart from local/default/boat)" in "\n".join(lines)


def test_the_sessions_of_a_joined_project_are_listed_and_its_work_is_continued(
    boat: Desk, fork: Desk
) -> None:
    agent = fork.connected("fork-1")
    started = agent("session_start", task_description="Count the puffins on the north pier")
    agent("session_end", session_id=started["session_id"])
    task = "Count the puffins"
    assert task not in boat.on("cli").answer("list_sessions").text
    fork.as_owner("join_project", into=str(boat.scope))
    assert task in boat.on("cli").answer("list_sessions").text
    assert task in boat.answer("briefing_get").text
    fork.as_owner("part_project")
    assert task not in boat.on("cli").answer("list_sessions").text


def test_an_export_has_what_a_joined_project_recorded(boat: Desk, fork: Desk) -> None:
    assert TERNS not in boat.on("cli").answer("export", format="bundle").text
    fork.as_owner("join_project", into=str(boat.scope))
    assert TERNS in boat.on("cli").answer("export", format="bundle").text


def test_a_moved_folder_that_is_another_project_loses_the_memory_and_gets_it_back(
    words_only: Desk, tmp_path: Path
) -> None:
    here = made(words_only, written(tmp_path / "notes", {"a.md": "a\n"}))
    there = words_only.at(moved(here.root))
    there.as_owner("init")
    assert knows(there)
    there.as_owner("part_project")
    assert not knows(there)
    there.as_owner("join_project", into="local/default/notes")
    assert knows(there)


def test_a_part_that_joins_because_a_client_trusts_it_is_said_with_what_undoes_it(
    boat: Desk, tmp_path: Path
) -> None:
    apart = stranger(boat, clone(boat.root, tmp_path / "clone", OLD))
    apart("save_context", content=TERNS)
    boat.host.organisation("local").trusted_folders.grant(apart.root, "Claude Code")
    assert terns(apart)
    assert f"contextd trust --revoke {apart.root}" in status(boat)
    assert "--revoke" not in status(boat)
    assert "--revoke" not in status(apart)


def test_trust_says_that_what_was_apart_has_joined_and_that_it_is_apart_again(
    boat: Desk, tmp_path: Path
) -> None:
    apart = stranger(boat, clone(boat.root, tmp_path / "clone", OLD))
    apart("save_context", content=TERNS)
    owner = apart.on("cli")
    assert "stays in it" in status(apart)
    assert "stays in it" in owner.answer("doctor").text
    assert "contextd trust --revoke" in owner.answer("trust").text
    assert "stays in it" not in status(apart)
    assert "--revoke" not in status(apart)
    assert "stays in it" in owner.answer("trust", revoke=True).text


def test_an_unknown_word_of_the_owner_changes_nothing(boat: Desk, fork: Desk) -> None:
    with pytest.raises(ContextdError):
        fork.as_owner("part_project", name=str(boat.scope))
    assert terns(fork)


def test_a_clone_that_joined_once_it_was_trusted_is_parted_with_what_it_wrote(
    boat: Desk, tmp_path: Path
) -> None:
    apart = stranger(boat, clone(boat.root, tmp_path / "clone", OLD))
    apart("save_context", content=TERNS)
    apart.as_owner("trust")
    assert knows(apart)
    assert terns(boat)
    parted = apart.as_owner("part_project")
    assert parted["roots"] == [str(apart.root)]
    assert terns(apart)
    assert not knows(apart)
    assert not terns(boat)
