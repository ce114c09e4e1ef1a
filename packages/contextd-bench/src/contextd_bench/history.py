"""Turn a repository's history into queries: the files changed by the commit with this subject."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from contextd_code.git import git_queries as git
from contextd_code.git.external_history import ask_named, log_named, named_git_dir
from contextd_code.index.languages.table import DATA, language_name
from contextd_code.values.source import DOCUMENTS
from contextd_common.errors import Invalid, NotFound

MOST_FILES = 10
"""A commit with more code files is not about one place."""

_SEARCHED = 20_000
_FEWEST_WORDS = 3
_DULL = re.compile(
    r"^(?:merge|revert|release|bump|version|v?\d+\.\d+|update (?:changelog|dependenc|lock)"
    r"|(?:chore|build|ci)\(deps)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_BYTES = re.compile("[\udc80-\udcff]")
_NO_CODE = DATA | DOCUMENTS | {"", "dockerfile", "make", "cmake"}


@dataclass(frozen=True, slots=True)
class CommitHistory:
    """Questions from the newest commits, the state of the files before all of them, and the commits
    that led there. All are newest first; their files are code files only. `paths` are the code files
    of the commit `frozen`; `commits` are all from the newest on, `older` those before all questions.
    """

    git_dir: Path
    head: str
    frozen: str
    paths: tuple[str, ...]
    asked: tuple[git.Commit, ...]
    commits: tuple[git.Commit, ...]
    older: tuple[git.Commit, ...]


def is_code(path: str) -> bool:
    """Whether a name is that of source code: not data, not prose, and valid text."""
    return language_name(path) not in _NO_CODE and not _BYTES.search(path)


def read_history(repository: Path, *, questions: int, memories: int) -> CommitHistory:
    """The newest commits that can be asked about, at most `questions`, each touching 1 to 10 code
    files that were there before the oldest of them. At most `memories` older commits come along.

    `repository` is a work tree or a git directory. Raises `NotFound` without enough history.
    """
    git_dir = named_git_dir(repository)
    if git_dir is None:
        raise NotFound(f"{repository} is no git repository", "give the path of one with history")
    commits = [_code_only(one) for one in log_named(git_dir, limit=_SEARCHED, timeout=120.0)]
    fair = [place for place, one in enumerate(commits) if _can_be_asked(one)][:questions]
    # The oldest commit has no earlier state to search.
    fair = [place for place in fair if place < len(commits) - 1]
    if not fair:
        raise NotFound("no commit of this history can be asked about", "take one with more commits")
    start = fair[-1] + 1
    frozen = ask_named(git_dir, "rev-parse", commits[fair[-1]].sha + "^1")
    if frozen is None:
        raise NotFound("the history is cut off", "fetch it whole: `git fetch --unshallow`")
    listed = ask_named(git_dir, "ls-tree", "-r", "-z", "--name-only", frozen.strip(), timeout=60)
    paths = tuple(path for path in (listed or "").split("\0") if path and is_code(path))
    known = set(paths)
    asked = [_kept(commits[place], known) for place in fair]
    older = [one for one in commits[start:] if one.files][:memories]
    return CommitHistory(
        git_dir=git_dir,
        head=commits[0].sha,
        frozen=frozen.strip(),
        paths=paths,
        asked=tuple(one for one in asked if one.files),
        commits=tuple(commits),
        older=tuple(older),
    )


def _can_be_asked(commit: git.Commit) -> bool:
    wordy = len(_WORD.findall(commit.subject)) >= _FEWEST_WORDS
    return wordy and not _DULL.match(commit.subject) and 1 <= len(commit.files) <= MOST_FILES


def _code_only(commit: git.Commit) -> git.Commit:
    files = tuple(path for path in commit.files if is_code(path))
    return git.Commit(commit.sha, commit.author, commit.at, commit.subject, files)


def _kept(commit: git.Commit, known: set[str]) -> git.Commit:
    files = tuple(path for path in commit.files if path in known)
    return git.Commit(commit.sha, commit.author, commit.at, commit.subject, files)


def check_out(history: CommitHistory, paths: Sequence[str], folder: Path) -> None:
    """Write these files, as they were when frozen, into `folder`, as a repository of its own.

    Only reads the history: the index used is a file beside them.
    """
    index = folder.parent / f"{folder.name}.index"
    there = dict(GIT_DIR=str(history.git_dir), GIT_WORK_TREE=str(folder), GIT_INDEX_FILE=str(index))
    _run(folder, ["read-tree", history.frozen], there)
    given = "\0".join(paths).encode("utf-8", "surrogateescape")
    _run(
        folder, ["-c", "core.symlinks=false", "checkout-index", "-f", "-z", "--stdin"], there, given
    )
    index.unlink()
    own = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    _run(folder, ["init", "-q"])
    _run(folder, ["add", "-A", "-f"])
    _run(folder, [*own, "commit", "-q", "--no-verify", "--no-gpg-sign", "-m", "frozen"])
    # The first commit identifies a project: the branch moves into another history later.
    _run(folder, ["update-ref", "refs/remotes/origin/HEAD", "HEAD"])


def lend_history(history: CommitHistory, folder: Path) -> None:
    """Let the repository that `check_out` made read the commits of the history it came from."""
    objects = ask_named(history.git_dir, "rev-parse", "--git-path", "objects") or ""
    place = (history.git_dir / objects.strip()).resolve()
    (folder / ".git" / "objects" / "info" / "alternates").write_text(f"{place}\n")


def stand_before(history: CommitHistory, commit: git.Commit, folder: Path) -> None:
    """Put the branch of `folder` on the parent of `commit`; its files stay as they are."""
    parent = ask_named(history.git_dir, "rev-parse", commit.sha + "^1") or history.frozen
    _run(folder, ["update-ref", "HEAD", parent.strip()])


def _run(
    folder: Path, arguments: list[str], extra: dict[str, str] | None = None, stdin: bytes = b""
) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    quiet = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=environment | quiet | (extra or {}),
        input=stdin,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        message = git.printable(done.stderr.decode("utf-8", "replace"), 200)
        raise Invalid(f"git {arguments[0]} failed: {message}", "check the repository: `git fsck`")
