"""Validity of cached git answers, checked by the files git reads.

For ordinary repositories, linked work trees, submodules, and folders outside of any repository. For a bare
repository, and for a `.git` that is a symbolic link, every stamp is new and git is queried each time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Hashable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from contextd_code.errors import ContextdError
from contextd_code.files.guarded import read_file

PERIOD = 600.0
"""Seconds after which git is queried again in any case: its settings can include files from anywhere."""

_LONGEST_REFERENCE = 4_096
_MOST_LINKS = 5
"""The longest chain of references, as in git itself."""

_REMEMBERED = 512
"""Files of references: a dozen a repository."""

_OF_A_WORK_TREE = ("refs/bisect/", "refs/rewritten/", "refs/worktree/")
"""References that each work tree has for itself, as `HEAD`; the others are shared by all of a repository."""

Stamp = tuple[Hashable, ...]


class _Folders(NamedTuple):
    """Where git keeps a work tree's data: its own, and what all work trees of the repository share."""

    own: Path
    shared: Path


def place_stamp(place: Path) -> Stamp:
    """The stamp for finding the work tree around a directory."""
    for folder in (place, *place.parents):
        if os.path.lexists(f"{folder}/.git"):
            git = _folders(folder)
            if git is None:
                break
            # Changing the owner of a repository makes git refuse it.
            owners = tuple(_owner(path) for path in (folder, folder / ".git", *git))
            files = _states(git.own, ("HEAD", "config.worktree", "commondir"))
            shared = _states(git.shared, ("config", "shallow"))
            return (folder, owners, _state(f"{folder}/.git"), files, shared, *_settings())
        if os.path.lexists(f"{folder}/HEAD"):
            # Perhaps a bare repository.
            break
    else:
        return (place, _owner(place), *_settings())
    return (object(),)


def reference_stamp(root: Path, references: Iterable[str]) -> Stamp:
    """The stamp for the commits of `HEAD` and these references."""
    git = _folders(root)
    if git is None:
        return (object(),)
    loose = [link for name in ("HEAD", *references) for link in _links(git, name)]
    packed = ("packed-refs", "reftable/tables.list")
    return (_states(git.own, packed[1:]), _states(git.shared, packed), *loose, _period())


def remote_stamp(root: Path) -> Stamp:
    """The stamp for a repository's remotes."""
    git = _folders(root)
    if git is None:
        return (object(),)
    return (_states(git.shared, ("config",)), _states(git.own, ("config.worktree",)), *_settings())


def _folders(root: Path) -> _Folders | None:
    """Git's folders of a work tree; None for a `.git` that is neither a directory nor names one."""
    entry = root / ".git"
    if entry.is_symlink():
        return None
    if entry.is_dir():
        return _Folders(entry, entry)
    own = _named(root, entry, "gitdir: ")
    if own is None:
        return None
    return _Folders(own, _named(own, own / "commondir") or own)


def _named(folder: Path, file: Path, marker: str = "") -> Path | None:
    """The directory that a file of git names, relative to `folder`; None without one."""
    state = _state(str(file))
    name = _line(str(file), state) if state is not None else ""
    if not name.startswith(marker) or name == marker or "\0" in name:
        return None
    found = folder / name.removeprefix(marker)
    return found if found.is_dir() else None


def _links(git: _Folders, name: str) -> list[Hashable]:
    """The states of a reference and of those it refers to: `HEAD` refers to the current branch."""
    states: list[Hashable] = []
    while name and len(states) <= _MOST_LINKS:
        shared = name.startswith("refs/") and not name.startswith(_OF_A_WORK_TREE)
        path = f"{git.shared if shared else git.own}/{name}"
        state = _state(path)
        states.append((name, state))
        line = _line(path, state) if state is not None else ""
        name = line.removeprefix("ref: ") if line.startswith("ref: ") else ""
    return states


# A call asks for a repository's references several times: reading their files again took a third of it.
@lru_cache(maxsize=_REMEMBERED)
def _line(path: str, state: Hashable) -> str:
    """What a file of one line says in this state, such as a reference; empty if it cannot be read."""
    del state
    try:
        found = read_file(Path(path), _LONGEST_REFERENCE, cut=True)
    except (OSError, ValueError, ContextdError):
        return ""
    return found.decode("utf-8", "surrogateescape").strip()


def _settings() -> Stamp:
    """The user's global git settings, and when to read them again."""
    home = os.environ.get("HOME", "")
    other = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    return (_state(f"{home}/.gitconfig"), _state(f"{other}/git/config"), _period())


def _period() -> int:
    return int(time.monotonic() // PERIOD)


def _states(folder: Path, names: Iterable[str]) -> Stamp:
    # Strings, because making paths would cost more than asking the system.
    return tuple([_state(f"{folder}/{name}") for name in names])


def _state(path: str) -> Hashable:
    # Git replaces these files by new ones, so a change shows even within a tick of the clock.
    try:
        found = os.stat(path)  # noqa: PTH116 - see `_states`
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _owner(path: Path) -> Hashable:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_uid
