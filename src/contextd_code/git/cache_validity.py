"""Validity of cached git answers, checked by the files git reads."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable
from pathlib import Path

from contextd_code.git.repository import Repository, first_line, repository_around, state_of

PERIOD = 600.0
"""Seconds after which git is queried again in any case: its settings can include files from anywhere."""

_MOST_LINKS = 5
"""The longest chain of references, as in git itself."""

_OF_A_WORK_TREE = ("refs/bisect/", "refs/rewritten/", "refs/worktree/")
"""References that each work tree has for itself, as `HEAD`; the others are shared by all of a repository."""

Stamp = tuple[Hashable, ...]


def reference_stamp(root: Path, references: Iterable[str], of: Repository | None = None) -> Stamp:
    """The stamp for the commits of `HEAD` and these references. Outside of any repository there are none, as long as
    no repository is found; `of` is the one around `root`, if it is known. Raises `Unavailable`.
    """
    found = of or repository_around(root)
    if found is None:
        return ()
    loose = [link for name in ("HEAD", *references) for link in _links(found, name)]
    packed = ("packed-refs", "reftable/tables.list")
    states = (_states(found.git_dir, packed[1:]), _states(found.common_dir, packed))
    return (found, *states, *loose, _period())


def _links(repository: Repository, name: str) -> list[Hashable]:
    """The states of a reference and of those it refers to: `HEAD` refers to the current branch."""
    states: list[Hashable] = []
    while name and len(states) <= _MOST_LINKS:
        shared = name.startswith("refs/") and not name.startswith(_OF_A_WORK_TREE)
        path = f"{repository.common_dir if shared else repository.git_dir}/{name}"
        state = state_of(path)
        states.append((name, state))
        line = first_line(path, state) if state is not None else ""
        name = line.removeprefix("ref: ") if line.startswith("ref: ") else ""
    return states


def _period() -> int:
    return int(time.monotonic() // PERIOD)


def _states(folder: Path, names: Iterable[str]) -> Stamp:
    # Strings, because making paths would cost more than asking the system.
    return tuple([state_of(f"{folder}/{name}") for name in names])
