"""Diffs between commits and the work tree, and commits that fixed something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from contextd_code.git import git_queries as git
from contextd_common.errors import Invalid, NotFound, Unavailable, Unreadable, nearest

_REVISION = re.compile(r"(?!-)[\w./@^~{}+-]+(?:\.\.\.?[\w./@^~{}+-]*)?")
_TRUNKS = ("origin/HEAD", "origin/main", "origin/master", "main", "master", "trunk", "develop")
_SECONDS = 5.0
_FLAGS = "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "-l400"
_LONG_FILE = 20_000
"""Changed lines of one file: larger changes are generated, and take as long to read as all the rest."""
_TRIFLES = re.compile(
    r"\b(typos?|spelling|grammar|wording|docs?|readme|lint(ing)?|format(ting)?|whitespace|comments?)\b",
    re.IGNORECASE,
)
"""Subjects of fixes that do not concern code."""
_FIX = r"\b(fix(e[sd]|ing)?|bug|regression|hotfix|repair(s|ed)?|broken|crash(es|ed)?)\b"
_LOOKED_AT = 400
"""The most commits searched for fixes of a few files; older ones say little of the current code."""


_LATEST, _MOST_AT_ONCE = 50, 30
"""The most commits read for joint changes, and the most files of a commit that counts."""


def checked_revision(revision: str) -> str:
    """Validate a revision or a range of two. Raises `NotFound`: anything else could be an option."""
    if not _REVISION.fullmatch(revision):
        raise NotFound(f"{revision!r} is no revision", "give a commit, a branch, or a range A..B")
    return revision


def diff(root: Path, revision: str = "HEAD") -> str:
    """The unified diff from a revision to the work tree, or of a range, with renames detected.

    For files with more than 20,000 changed lines it has the heads only. Raises `NotFound` for a revision this
    repository does not have.
    """
    wanted = checked_revision(revision)
    patience = git.seconds_for_all_files(root, _SECONDS)
    counted = git.ask(root, "diff", *_FLAGS, "--numstat", "-z", wanted, "--", timeout=patience)
    if counted is None:
        raise NotFound(f"no revision {revision!r} here", "`git branch -a` lists the branches")
    long = dict(_long_files(counted))
    found = git.ask(
        root,
        *("diff", *_FLAGS, "--unified=0", wanted, "--", "."),
        *(f":(exclude,top,literal){path}" for path in long),
        timeout=patience,
    )
    if found is None:
        raise Unreadable(
            "git did not tell the difference in time", "ask for a path, or a smaller range"
        )
    return found + "".join(
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n" for path in long
    )


def untracked(root: Path) -> list[str]:
    """The untracked files that are not ignored. Raises `Unavailable`."""
    listing = "ls-files", "-o", "--exclude-standard", "-z"
    found = git.ask(root, *listing, timeout=git.seconds_for_all_files(root, _SECONDS))
    return [path for path in (found or "").split("\0") if path]


def _long_files(counted: str) -> Iterator[tuple[str, int]]:
    """The files of a `--numstat -z` with too many changed lines."""
    for row in counted.split("\0"):
        added, _, rest = row.partition("\t")
        removed, _, path = rest.partition("\t")
        if path and added.isdigit() and removed.isdigit():
            lines = int(added) + int(removed)
            if lines > _LONG_FILE:
                yield path, lines


_MOVED = re.compile(r"^rename from (.+)\nrename to (.+)$", re.MULTILINE)


def moves_in(text: str) -> dict[str, str]:
    """New path → old path of each renamed file in a unified diff."""
    return {new.strip('"'): old.strip('"') for old, new in _MOVED.findall(text)}


def texts_at(root: Path, revision: str, paths: Sequence[str]) -> dict[str, bytes]:
    """Files as of a revision; of a range, at its beginning. Missing files are left out."""
    if not paths:
        return {}
    start = re.split(r"\.\.\.?", checked_revision(revision))[0] or "HEAD"
    names = {f"{start}:{path}": path for path in paths}
    found = git.contents(root, list(names), timeout=git.seconds_for_all_files(root, _SECONDS))
    return {names[name]: data for name, data in found.items()}


def fork(root: Path, base: str = "") -> tuple[str, str]:
    """Where the current branch left `base`, or the main branch of the repository: (name of that branch,
    commit). On that branch itself it is the latest commit. Raises `NotFound`.
    """
    if base and ".." in base:
        raise Invalid(f"{base!r} is a range", "give one branch; impact takes a range as its diff")
    names = [checked_revision(base), f"origin/{base}"] if base else list(_TRUNKS)
    # Repositories with many files have long histories.
    patience = git.seconds_for_all_files(root, _SECONDS)
    for name in names:
        commit = git.ask(root, "merge-base", "HEAD", name, timeout=patience)
        if commit:
            return name, commit.strip()
    if not git.head(root):
        raise NotFound("there is no commit here yet", "commit something first")
    if not base:
        return "HEAD", "HEAD"
    for name in names:
        if git.ask(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", "--"):
            raise NotFound(f"HEAD and {name} have no commit in common here", _no_fork(root))
    listed = git.ask(
        root, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes"
    )
    hint = nearest(base, (listed or "").split())
    raise NotFound(
        f"no branch or commit {base!r} here",
        hint or "`git branch -a` lists the branches; `git fetch` brings those of a remote",
    )


def _no_fork(root: Path) -> str:
    shallow = git.ask(root, "rev-parse", "--is-shallow-repository")
    if shallow and shallow.strip() == "true":
        return "the clone is shallow: run `git fetch --unshallow`, or give a commit that is here"
    return "give another base, or impact a range A..B as its diff"


def fixes(root: Path, paths: Sequence[str], *, limit: int = 10) -> list[git.Commit] | None:
    """The latest commits on some files whose subject announces a fix; None when git is too slow or there is no
    history.
    """
    if not paths:
        return []
    flags = "-z", "--name-only", "--no-renames", "--no-merges", "--no-show-signature"
    wanted = "--format=%x1e%H%x1f%an%x1f%ct%x1f%s%x1f", f"--max-count={_LOOKED_AT}"
    with suppress(Invalid, Unavailable):
        printed = git.ask(root, "log", *flags, *wanted, "--", *paths, timeout=_SECONDS)
        if printed is not None:
            fix_pattern = re.compile(_FIX, re.IGNORECASE)
            found = [
                one
                for one in git.read_log(printed)
                if fix_pattern.search(one.subject) and not _TRIFLES.search(one.subject)
            ]
            return found[:limit]
    return None


def touching(root: Path, path: str, first: int, last: int) -> set[str] | None:
    """The commits that wrote the current lines of a file; None when git fails."""
    with suppress(Invalid, Unavailable):
        lines = f"{first},{max(first, last)}"
        blame = git.ask(root, "blame", "-s", "-l", "-L", lines, "--", path, timeout=1.5)
        if blame is not None:
            return {row.split(" ", 1)[0].lstrip("^") for row in blame.splitlines()}
    return None


def changed_along(root: Path, paths: Sequence[str], revision: str = "HEAD") -> Counter[str] | None:
    """How often other files changed in the latest commits of some files; None when git did not answer in time."""
    flags = ("--no-merges", "--full-diff", "--name-only", "--no-renames", "--no-show-signature")
    wanted = "--format=%x1e", f"--max-count={_LATEST}", "-z", checked_revision(revision)
    found: Counter[str] = Counter()
    with suppress(Invalid, Unavailable):
        printed = git.ask(root, "log", *flags, *wanted, "--", *paths, timeout=_SECONDS)
        if printed is None:
            return None
        for commit in printed.split("\x1e"):
            names = {name.strip() for name in commit.split("\0")} - {"", *paths}
            # A commit that moves or formats many files says nothing about related
            # files.
            if len(names) <= _MOST_AT_ONCE:
                found.update(names)
        return found
    return None
