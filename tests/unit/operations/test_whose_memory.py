"""A project keeps its memory when it moves, and shares it with nothing that only looks like it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from contextd.projects.project_lookup import find_project
from contextd.thin.home import LOCAL
from support.desks import Desk
from support.repositories import committed, git, written

GULLS = "Gulls are counted at dawn, from the northern pier"
OLD, NEW = "https://example.org/old/boat.git", "https://example.org/new/boat.git"


def repository(place: Path, remote: str = "") -> Path:
    """A repository with one commit, the same at every place."""
    committed(place, {"a.py": "a = 1\n"})
    if remote:
        git(place, "remote", "add", "origin", remote)
    return place


def clone(of: Path, place: Path, remote: str = "") -> Path:
    """A clone of a repository, from another place or from nowhere."""
    git(of.parent, "clone", "-q", str(of), str(place))
    git(place, *(("remote", "set-url", "origin", remote) if remote else ("remote", "rm", "origin")))
    return place


def made(desk: Desk, place: Path) -> Desk:
    """An initialised project that knows something."""
    here = desk.at(place)
    here.as_owner("init")
    here("save_context", content=GULLS)
    return here


def stranger(desk: Desk, place: Path) -> Desk:
    """An agent in a folder that nobody trusts."""
    return replace(desk, root=place, stranger=True)


def knows(desk: Desk) -> bool:
    return GULLS in desk.answer("context_search", query="when are gulls counted").text


def names(desk: Desk) -> list[str]:
    """The projects, but for the neighbour's."""
    known = desk.host.organisation(LOCAL).directory.all()
    return [one.scope.project for one in known if one.scope.project != "blog"]


def moved(place: Path) -> Path:
    to = place.with_name(f"{place.name}-moved")
    shutil.move(place, to)
    return to


@pytest.mark.parametrize("remote", ["", OLD])
def test_a_repository_that_moved_keeps_its_memory(
    words_only: Desk, tmp_path: Path, remote: str
) -> None:
    here = made(words_only, repository(tmp_path / "boat", remote))
    there = stranger(words_only, moved(here.root))
    assert knows(there)
    assert names(words_only) == ["boat"]


def test_a_folder_without_git_that_moved_keeps_its_memory(words_only: Desk, tmp_path: Path) -> None:
    here = made(words_only, written(tmp_path / "notes", {"a.md": "a\n"}))
    there = words_only.at(moved(here.root))
    there.as_owner("init")
    assert knows(there)
    assert names(words_only) == ["notes"]


def test_a_folder_that_became_a_repository_keeps_its_memory_where_it_moves(
    words_only: Desk, tmp_path: Path
) -> None:
    here = made(words_only, written(tmp_path / "notes", {"a.md": "a\n"}))
    repository(here.root)
    assert knows(here)
    assert knows(stranger(words_only, moved(here.root)))
    assert names(words_only) == ["notes"]


def test_a_renamed_remote_is_known_in_place_in_clones_and_after_a_move(
    words_only: Desk, tmp_path: Path
) -> None:
    here = made(words_only, repository(tmp_path / "boat", OLD))
    late = clone(here.root, tmp_path / "late", OLD)
    git(here.root, "remote", "set-url", "origin", NEW)
    assert knows(here)
    assert knows(words_only.at(clone(here.root, tmp_path / "second", NEW)))
    assert knows(words_only.at(late))
    assert knows(stranger(words_only, moved(here.root)))
    assert names(words_only) == ["boat"]


def test_a_work_tree_and_a_local_clone_of_an_unpublished_repository_share_its_memory(
    words_only: Desk, tmp_path: Path
) -> None:
    here = made(words_only, repository(tmp_path / "boat"))
    git(here.root, "worktree", "add", "-q", "-b", "task", str(tmp_path / "task"))
    git(tmp_path, "clone", "-q", str(here.root), str(tmp_path / "clone"))
    assert knows(words_only.at(tmp_path / "task"))
    assert knows(words_only.at(tmp_path / "clone"))


@pytest.mark.parametrize(("remote", "others"), [(OLD, NEW), (OLD, ""), ("", NEW), ("", "")])
def test_the_first_commit_alone_shares_nothing(
    words_only: Desk, tmp_path: Path, remote: str, others: str
) -> None:
    template = repository(tmp_path / "template")
    mine = made(words_only, clone(template, tmp_path / "mine", remote))
    other = words_only.at(clone(template, tmp_path / "other", others))
    other.as_owner("init")
    assert not knows(other)
    other("save_context", content="Terns are counted at dusk")
    assert "Terns" not in mine.answer("context_search", query="when are terns counted").text


def test_a_copied_folder_is_another_project_and_gets_an_id_of_its_own(
    words_only: Desk, tmp_path: Path
) -> None:
    here = made(words_only, written(tmp_path / "notes", {"a.md": "a\n"}))
    shutil.copytree(here.root, tmp_path / "copy")
    copy = words_only.at(tmp_path / "copy")
    copy.as_owner("init")
    assert not knows(copy)
    ids = [(desk.root / ".context" / "project.yaml").read_text() for desk in (here, copy)]
    assert ids[0] != ids[1]
    copy("save_context", content="Terns are counted at dusk")
    there = words_only.at(moved(copy.root))
    there.as_owner("init")
    assert "Terns" in there.answer("context_search", query="when are terns counted").text
    assert knows(here)


def test_a_stranger_with_the_id_of_a_project_does_not_get_its_memory(
    words_only: Desk, tmp_path: Path
) -> None:
    here = made(words_only, written(tmp_path / "notes", {"a.md": "a\n"}))
    taken = (here.root / ".context" / "project.yaml").read_text()
    theirs = committed(tmp_path / "theirs", {"b.py": "b\n", ".context/project.yaml": taken})
    assert not knows(stranger(words_only, theirs))
    trusting = words_only.at(theirs)
    assert not knows(trusting)
    shutil.rmtree(here.root)
    assert not knows(stranger(words_only, theirs))


def test_another_repository_in_the_place_of_a_project_is_another_project(
    words_only: Desk, tmp_path: Path
) -> None:
    here = made(words_only, repository(tmp_path / "boat", OLD))
    shutil.rmtree(here.root)
    committed(here.root, {"b.py": "b = 2\n"})
    assert not knows(here)
    assert len(names(words_only)) == 2
    again = clone(here.root, tmp_path / "again")
    assert find_project(words_only.host.organisation(LOCAL), again)[0] is None


def test_a_shallow_clone_is_the_project_of_its_remote(words_only: Desk, tmp_path: Path) -> None:
    here = made(words_only, repository(tmp_path / "boat", OLD))
    url = f"file://{here.root}"
    git(tmp_path, "clone", "-q", "--depth", "1", url, str(tmp_path / "shallow"))
    git(tmp_path / "shallow", "remote", "set-url", "origin", OLD)
    assert knows(words_only.at(tmp_path / "shallow"))
