"""The history of a repository that the user named, with or without a work tree.

`git_queries.py` refuses a repository without a work tree: one that contextd discovers may be inside a
stranger's clone. Here its git directory is given to each command, and no configuration chooses the work tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from contextd_code.git.git_queries import LOG, Commit, ask, contents, read_log
from contextd_code.git.repository import is_bare, repository_around, repository_at


def named_git_dir(repository: Path) -> Path | None:
    """The git directory of a work tree, or the folder itself if it is one. None where there is none. Raises
    `Unavailable`.
    """
    if is_bare(repository):
        return repository.resolve()
    found = repository_around(repository)
    return None if found is None else found.git_dir


def ask_named(git_dir: Path, *arguments: str, timeout: float = 10.0) -> str | None:
    """The output of a git command; None where git refuses. Raises `Unavailable`."""
    return ask(git_dir, *arguments, timeout=timeout, of=repository_at(git_dir))


def log_named(git_dir: Path, *, limit: int, timeout: float) -> list[Commit]:
    """Commits of the current branch, newest first, at most `limit`. Raises `Unavailable`."""
    found = ask_named(git_dir, *LOG, f"--max-count={limit}", "HEAD", "--", timeout=timeout)
    return read_log(found or "")


def contents_named(git_dir: Path, names: Sequence[str], timeout: float) -> dict[str, bytes]:
    """See `git_queries.contents`."""
    return contents(git_dir, names, timeout, of=repository_at(git_dir))
