"""Validity of cached git answers, checked by the files git reads.

Only for ordinary repositories, with a `.git` directory at their root: for a linked work tree, a submodule or a
bare repository every stamp is new, and git is queried each time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Hashable, Iterable
from pathlib import Path

from contextd_code.files.guarded import read_file

PERIOD = 600.0
"""Seconds after which git is queried again in any case: its settings can include files from anywhere."""

_LONGEST_REFERENCE = 4_096
_MOST_LINKS = 5
"""The longest chain of references, as in git itself."""

Stamp = tuple[Hashable, ...]


def place_stamp(place: Path) -> Stamp:
    """The stamp for finding the work tree around a directory."""
    for folder in (place, *place.parents):
        if not os.path.lexists(folder / ".git"):
            continue
        git_dir = _git_dir(folder)
        if git_dir is None:
            break
        # Changing the owner of a repository makes git refuse it.
        owners = tuple(_owner(path) for path in (folder, git_dir))
        files = _states(git_dir / name for name in ("HEAD", "config", "config.worktree", "shallow"))
        return (folder, owners, files, *_settings())
    return (object(),)


def reference_stamp(root: Path, references: Iterable[str]) -> Stamp:
    """The stamp for the commits of `HEAD` and these references."""
    git_dir = _git_dir(root)
    if git_dir is None:
        return (object(),)
    loose = [link for name in ("HEAD", *references) for link in _links(git_dir, name)]
    packed = ("packed-refs", "reftable/tables.list")
    return (_states(git_dir / name for name in (*loose, *packed)), _period())


def remote_stamp(root: Path) -> Stamp:
    """The stamp for a repository's remotes."""
    git_dir = _git_dir(root)
    if git_dir is None:
        return (object(),)
    return (_states(git_dir / name for name in ("config", "config.worktree")), *_settings())


def _git_dir(root: Path) -> Path | None:
    """The git directory of an ordinary repository; None for another kind."""
    git_dir = root / ".git"
    return git_dir if git_dir.is_dir() and not git_dir.is_symlink() else None


def _links(git_dir: Path, name: str) -> list[str]:
    """A reference and those it refers to: `HEAD` refers to the current branch."""
    names = [name]
    while len(names) <= _MOST_LINKS:
        try:
            found = read_file(git_dir / names[-1], _LONGEST_REFERENCE, cut=True)
            text = found.decode("utf-8", "surrogateescape")
        except (OSError, ValueError):
            break
        if not text.startswith("ref: "):
            break
        names.append(text.removeprefix("ref: ").strip())
    return names


def _settings() -> Stamp:
    """The user's global git settings, and when to read them again."""
    home = os.environ.get("HOME", "")
    other = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    return (_states((Path(home, ".gitconfig"), Path(other, "git", "config"))), _period())


def _period() -> int:
    return int(time.monotonic() // PERIOD)


def _states(paths: Iterable[Path]) -> Stamp:
    return tuple(_state(path) for path in paths)


def _state(path: Path) -> Hashable:
    # Git replaces these files by new ones, so a change shows even within a tick of the clock.
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _owner(path: Path) -> Hashable:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_uid
