"""Find the repository around a folder, without git: git would read the configuration of what it finds."""

from __future__ import annotations

import os
import re
import stat
from functools import lru_cache
from pathlib import Path

from contextd_common.dataclass import dataclass
from contextd_common.errors import Unreadable
from contextd_common.files.guarded import read_file

NO_WORK_TREE = "this repository has no work tree"

_CLONE = "clone it, or go to one of its work trees"
_LONGEST = 8_192
_HEAD = re.compile(r"ref:\s*refs/|[0-9a-f]{40}")
_REMEMBERED = 512


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree. `common_dir` is shared by all work trees of one repository, which is `shallow` when its
    history is truncated.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    shallow: bool = False

    @property
    def is_linked(self) -> bool:
        """Whether this is a further work tree (`git worktree add`)."""
        return self.git_dir != self.common_dir


def repository_around(place: Path, *, past_bare: bool = False) -> Repository | None:
    """The repository around a folder, as git finds it; None outside of any. Raises `Unavailable` inside of a git
    directory, and where a `.git` is neither a folder nor names one.

    With `past_bare`, a repository without a work tree that lies inside of another one's is passed over: a clone may
    bring it.
    """
    start = os.path.realpath(place)
    ceilings, device = _ceilings(), _device(start)
    is_inside_bare = False
    # Strings, because making paths would cost more than asking the system, and every call asks.
    folder, above = start, ""
    while folder != above:
        if folder != start and (folder in ceilings or (device and _device(folder) != device)):
            break
        mode = _mode(f"{folder}/.git")
        if mode is None:
            if os.path.lexists(f"{folder}/HEAD") and is_bare(Path(folder)):
                is_inside_bare = True
                if not past_bare or folder.endswith("/.git"):
                    break
        elif stat.S_ISREG(mode):
            return _named_by(folder)
        elif stat.S_ISDIR(mode):
            found = _opened(folder, os.path.realpath(f"{folder}/.git"))
            # As git does, go on above a folder that only looks like one.
            if found is not None:
                return found
        else:
            raise Unreadable(f"{folder}/.git is not a file or folder", "remove it, or clone again")
        folder, above = os.path.dirname(folder), folder  # noqa: PTH120 - see above
    if is_inside_bare:
        raise Unreadable(NO_WORK_TREE, _CLONE)
    return None


def repository_at(git_dir: Path) -> Repository:
    """The repository of a git directory that the user named: its work tree is the directory itself, so that no
    configuration chooses one.
    """
    real = os.path.realpath(git_dir)
    return Repository(Path(real), Path(real), Path(_common_of(real, state_of(f"{real}/commondir"))))


def is_bare(folder: Path) -> bool:
    """Whether a folder is the inside of a repository: a bare one on a server, or one planted there."""
    # As git decides it: `.git` comes first. Only versions from 2.38 on know `safe.bareRepository`.
    return (
        not os.path.lexists(folder / ".git")
        and os.path.lexists(folder / "HEAD")
        and all((folder / name).is_dir() for name in ("objects", "refs"))
    )


def _named_by(folder: str) -> Repository | None:
    """The repository whose git directory a `.git` file names; None if it is missing."""
    file = f"{folder}/.git"
    line = first_line(file, state_of(file))
    if not line.startswith("gitdir:") or "\0" in line:
        raise Unreadable(f"{file} does not name a git directory", "run `git status` there")
    named = line.removeprefix("gitdir:").strip()
    return _opened(folder, os.path.realpath(f"{folder}/{named}" if named[:1] != "/" else named))


def _opened(root: str, git_dir: str) -> Repository | None:
    """The repository in a git directory, if it is one."""
    common = _common_of(git_dir, state_of(f"{git_dir}/commondir"))
    if not all(stat.S_ISDIR(_mode(f"{common}/{name}") or 0) for name in ("objects", "refs")):
        return None
    head = f"{git_dir}/HEAD"
    state = state_of(head)
    if state is not None and not stat.S_ISREG(_mode(head) or 0):
        raise Unreadable(f"{head} is not an ordinary file", "remove it, or clone again")
    link = os.readlink(head) if os.path.islink(head) else ""  # noqa: PTH114, PTH115 - strings
    if not link.startswith("refs/") and not _HEAD.match(first_line(head, state)):
        return None
    return Repository(
        Path(root), Path(git_dir), Path(common), _mode(f"{common}/shallow") is not None
    )


def _common_of(git_dir: str, state: object) -> str:
    line = first_line(f"{git_dir}/commondir", state) if state is not None else ""
    return os.path.realpath(line if line[:1] == "/" else f"{git_dir}/{line}") if line else git_dir


# Every call asks for the place of its repository several times.
@lru_cache(maxsize=_REMEMBERED)
def first_line(path: str, state: object) -> str:
    """What a file of one line says in this `state_of`, such as a reference; empty if it cannot be read."""
    del state
    try:
        return line_in(Path(path))
    except (OSError, ValueError):
        return ""


def line_in(file: Path) -> str:
    """The beginning of a file of git that has one line. Raises `OSError`."""
    return read_file(file, _LONGEST, cut=True).decode("utf-8", "surrogateescape").strip()


def state_of(path: str) -> tuple[int, ...] | None:
    """What changes when a file does; None for a missing one."""
    try:
        about = os.stat(path)  # noqa: PTH116 - strings
    except (OSError, ValueError):
        return None
    # The time of the last change as well: an archive that is unpacked sets the others as it likes.
    return about.st_ino, about.st_mtime_ns, about.st_ctime_ns, about.st_size


def _ceilings() -> frozenset[str]:
    """The user's folders above which git does not look (`GIT_CEILING_DIRECTORIES`)."""
    value = os.environ.get("GIT_CEILING_DIRECTORIES", "")
    names = value.split(os.pathsep) if value else []
    return frozenset(os.path.realpath(name) for name in names if Path(name).is_absolute())


def _device(folder: str) -> int:
    """The file system of a folder, whose border git does not cross; 0 where it does."""
    wanted = os.environ.get("GIT_DISCOVERY_ACROSS_FILESYSTEM", "").lower()
    if os.name == "nt" or wanted in ("1", "true", "yes", "on"):
        return 0
    try:
        return os.stat(folder).st_dev  # noqa: PTH116 - strings
    except OSError:
        return 0


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode  # noqa: PTH116 - strings
    except (OSError, ValueError):
        return None
