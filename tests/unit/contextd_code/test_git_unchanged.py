"""What git said is remembered exactly as long as it would say the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contextd_code import processes
from contextd_code.git import git_queries
from contextd_code.git.identity import identify
from contextd_code.git.repository import NO_WORK_TREE
from support.repositories import git


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The command lines of all programs that are started."""
    started: list[Any] = []
    start = processes.start

    def counted(command: Any, *arguments: Any, **more: Any) -> Any:
        started.append(command)
        return start(command, *arguments, **more)

    monkeypatch.setattr(processes, "start", counted)
    return started


def test_a_second_look_at_the_same_repository_starts_no_git(make_repo, asked) -> None:
    shop, bakery = make_repo(), make_repo("bakery")
    for repository in (shop, bakery):
        repository.commit("start")
        repository.git("remote", "add", "origin", f"https://example.org/{repository.root.name}")
        (repository.root / "src").mkdir()
    first = [(identify(one.root / "src"), git_queries.here(one.root)) for one in (shop, bakery)]
    assert asked
    asked.clear()
    assert [
        (identify(one.root / "src"), git_queries.here(one.root)) for one in (shop, bakery)
    ] == first
    assert asked == []
    assert first[0][0].identity != first[1][0].identity


CHANGES: dict[str, Callable[[Any], object]] = {
    "a commit": lambda repo: repo.commit("more"),
    "another branch": lambda repo: repo.git("checkout", "-q", "-b", "task"),
    "no branch": lambda repo: repo.git("checkout", "-q", "--detach"),
    "packed references": lambda repo: (repo.commit("more"), repo.git("pack-refs", "--all")),
    "a reset": lambda repo: (repo.commit("more"), repo.git("reset", "-q", "--hard", "HEAD~1")),
}


@pytest.mark.parametrize("linked", [False, True], ids=["repository", "linked work tree"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_what_is_checked_out_is_seen(make_repo, asked, change, linked) -> None:
    repo = make_repo()
    repo.commit("start")
    if linked:
        repo.git("worktree", "add", "-q", "../beside", "-b", "beside")
        repo = type(repo)(repo.root.parent / "beside")
    git_queries.here(repo.root)
    git_queries.repository(repo.root)
    asked.clear()
    assert git_queries.repository(repo.root) is not None
    git_queries.here(repo.root)
    assert asked == []
    CHANGES[change](repo)
    commit, branch = git_queries.here(repo.root)
    assert commit == repo.git("rev-parse", "HEAD").strip()
    assert branch == repo.git("branch", "--show-current").strip()


def test_a_new_remote_a_new_history_and_a_repository_inside_are_seen(make_repo) -> None:
    repo = make_repo()
    before_any_commit = identify(repo.root)
    repo.commit("start")
    unpublished = identify(repo.root)
    repo.git("remote", "add", "origin", "https://example.org/shop")
    published = identify(repo.root)
    repo.git("remote", "set-url", "origin", "https://example.org/fork")
    fork = identify(repo.root)
    seen = {one.identity for one in (before_any_commit, unpublished, published, fork)}
    assert len(seen) == 4
    inside = repo.root / "vendor" / "library"
    inside.mkdir(parents=True)
    assert identify(inside).root == repo.root
    repo.git("init", "-q", str(inside))
    assert identify(inside).root == inside


def test_a_repository_that_is_no_more_is_not_remembered(make_repo) -> None:
    repo = make_repo()
    repo.commit("start")
    assert git_queries.repository(repo.root) is not None
    (repo.root / ".git").rename(repo.root / "old")
    assert git_queries.repository(repo.root) is None


def test_a_linked_work_tree_that_is_removed_moved_or_published_is_seen(make_repo) -> None:
    repo = make_repo()
    repo.commit("start")
    beside = repo.root.parent / "beside"
    repo.git("worktree", "add", "-q", str(beside), "-b", "task")
    assert git_queries.repository(beside).is_linked
    before = identify(beside).identity
    repo.git("remote", "add", "origin", "https://example.org/shop")
    assert identify(beside).identity == identify(repo.root).identity != before
    (repo.root / ".git" / "worktrees" / "beside").rename(repo.root / "elsewhere")
    assert git_queries.repository(beside) is None


def test_a_folder_outside_of_any_repository_starts_no_git(asked, tmp_path: Path) -> None:
    folder = tmp_path / "notes" / "2026"
    folder.mkdir(parents=True)
    assert git_queries.repository(folder) is None
    assert git_queries.find(folder) == (None, "not a git repository")
    assert git_queries.here(folder) == ("", "")
    assert git_queries.head(folder) == ""
    assert git_queries.blobs(folder, ["a.py"]) == {}
    assert asked == []
    git(tmp_path / "notes", "init", "-q")
    found = git_queries.repository(folder)
    assert found is not None
    assert found.root == tmp_path / "notes"


def test_a_folder_inside_a_bare_repository_starts_no_git(asked, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "shop.git")
    for place in ("shop.git", "shop.git/refs", "shop.git/objects/info"):
        assert git_queries.find(tmp_path / place) == (None, NO_WORK_TREE)
    assert asked == []
