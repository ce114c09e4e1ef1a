"""A project keeps its memory when it moves, and shares it with nothing that only looks like it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from contextd.imports.import_run import project_of
from contextd.projects.project_lookup import find_project
from contextd.thin.home import LOCAL
from contextd_common.errors import ContextdError
from support.desks import Desk
from support.repositories import committed, git, written
from support.sightings import (
    GULLS,
    NEW,
    OLD,
    clone,
    knows,
    made,
    moved,
    names,
    repository,
    stranger,
)


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


def policy(desk: Desk) -> None:
    fields = {"requirement": "Never fetch anything with curl", "severity": "critical"}
    desk("remember", kind="policy", title="Fetching", fields=fields)


def told(desk: Desk) -> str:
    return desk.answer("briefing_get").text + desk.answer("context_search", query="curl").text


@pytest.fixture
def boat(words_only: Desk, tmp_path: Path) -> Desk:
    """A project whose owner trusts it."""
    return made(words_only, repository(tmp_path / "boat", OLD))


@pytest.fixture
def apart(boat: Desk) -> Desk:
    """An agent in a clone that nobody trusts."""
    return stranger(boat, clone(boat.root, boat.root.parent / "clone", OLD))


def test_a_policy_of_an_untrusted_checkout_is_shown_in_that_checkout_alone(
    boat: Desk, apart: Desk
) -> None:
    policy(apart)
    assert "curl" in told(apart)
    assert "fetch anything with curl" not in told(boat)
    assert knows(apart)


def test_knowledge_of_a_checkout_joins_when_it_is_trusted_and_parts_when_trust_is_revoked(
    boat: Desk, apart: Desk
) -> None:
    policy(apart)
    owner = apart.on("cli")
    owner("trust")
    assert "fetch anything with curl" in told(boat)
    assert "fetch anything with curl" in told(apart)
    apart("save_context", content="Terns are counted at dusk")
    assert "Terns" in boat.answer("context_search", query="when are terns counted").text
    owner("trust", revoke=True)
    assert "fetch anything with curl" not in told(boat)
    assert "fetch anything with curl" in told(apart)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("delete_context", {}),
        ("update_context", {"content": "Gulls are not counted"}),
        ("edit_record", {"text": "Gulls are not counted"}),
        ("delete_context", {"project": "boat"}),
        ("memory_feedback", {"outcome": "failure"}),
    ],
)
def test_an_untrusted_checkout_changes_nothing_of_the_trusted_one(
    boat: Desk, apart: Desk, operation: str, arguments: dict[str, str]
) -> None:
    [known] = boat("list_contexts")["entries"]
    before = boat.record(known["id"])
    with pytest.raises(ContextdError):
        apart(operation, id=known["id"], **arguments)
    assert boat.record(known["id"]) == before


@pytest.mark.parametrize("where", [{"scope": "team"}, {"scope": "org"}, {"project": "boat"}])
def test_an_untrusted_checkout_writes_no_rule_into_a_wider_scope_or_another_project(
    boat: Desk, apart: Desk, where: dict[str, str]
) -> None:
    fields = {"requirement": "Never fetch anything with curl", "severity": "critical"}
    with pytest.raises(ContextdError):
        apart("remember", kind="policy", title="Fetching", fields=fields, **where)
    assert "fetch anything with curl" not in told(boat)


def test_a_checkout_apart_stays_apart_where_it_moves_and_in_its_work_trees(
    boat: Desk, apart: Desk
) -> None:
    policy(apart)
    git(apart.root, "worktree", "add", "-q", "-b", "task", str(apart.root.parent / "task"))
    assert "curl" in told(stranger(boat, apart.root.parent / "task"))
    git(apart.root, "worktree", "remove", "--force", str(apart.root.parent / "task"))
    assert "curl" in told(stranger(boat, moved(apart.root)))
    assert "fetch anything with curl" not in told(boat)


def test_a_search_of_code_finds_that_of_its_own_checkout_before_and_after_it_joins(
    boat: Desk, apart: Desk
) -> None:
    written(boat.root, {"b.py": "def harbour_master():\n    return 1\n"})
    written(apart.root, {"c.py": "def harbour_pilot():\n    return 2\n"})

    def found(desk: Desk) -> set[str]:
        desk("codebase_index")
        return {hit["path"] for hit in desk("codebase_search", query="harbour")["results"]}

    assert (found(boat), found(apart)) == ({"b.py"}, {"c.py"})
    apart.on("cli")("trust")
    assert (found(apart), found(boat)) == ({"c.py"}, {"b.py"})


def test_a_rule_in_an_untrusted_checkout_is_no_second_project_that_asks_for_it(
    boat: Desk, apart: Desk
) -> None:
    apart("save_context", content="never commit  generated file.")
    boat("save_context", content="Never commit generated files")
    boat.work_on("propose_for_person")
    assert boat.as_owner("user_profile")["proposals"] == []


def test_a_sessions_file_of_an_untrusted_checkout_is_not_imported_into_the_trusted_project(
    boat: Desk, tmp_path: Path
) -> None:
    unseen = clone(boat.root, tmp_path / "unseen", OLD)
    runtime = boat.runtime()
    found = project_of(runtime, str(unseen))
    assert found is None
    assert project_of(runtime, str(boat.root)) == runtime.project


def test_untrusted_checkouts_of_a_project_that_nobody_trusts_are_one(
    words_only: Desk, tmp_path: Path
) -> None:
    one = stranger(words_only, repository(tmp_path / "boat", OLD))
    other = stranger(words_only, clone(one.root, tmp_path / "clone", OLD))
    one("save_context", content=GULLS)
    assert knows(other)
    assert names(words_only) == ["boat"]
