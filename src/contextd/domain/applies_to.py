"""What a rule applies to: globs of files, relative to the root of the project, and branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from contextd.domain.records import Record

FIELD = "applies_to"
"""The field of a record with its globs. A record without them applies to every file."""

BRANCHES = "branches"
"""The field of a record with the branches it holds on. A record without them holds on each."""

ON_REQUEST = ("!**",)
"""The globs of a rule that its author does not want told by itself: no file matches them."""

EXCEPT = "!"
"""How a glob begins that takes files out."""

LONGEST_GLOB, MOST_GLOBS = 200, 50
"""Characters of a glob and globs of a rule that count: no person writes more, and each is compiled."""

_SHOWN = 3
"""Globs that are shown; more make a line longer than its rule."""


def applies_to(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The globs in the fields of a record; empty for a record that applies to every file."""
    return _texts(data.get(FIELD))


def branches_of(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The branches in the fields of a record; empty for a record that holds on each."""
    return _texts(data.get(BRANCHES))


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list | tuple):
        return ()
    return tuple(one for one in values if isinstance(one, str) and one.strip())


def is_limited(record: Record) -> bool:
    """Whether a record applies to some files only."""
    return bool(applies_to(record.data))


def same_limits(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether records with these fields apply to the same files on the same branches: an exception for some neither
    repeats nor contradicts the rule for all.
    """
    return applies_to(one) == applies_to(other) and branches_of(one) == branches_of(other)


def parted(globs: Sequence[str]) -> tuple[list[str], list[str]]:
    """The globs of the files that are meant, and of those that `!` takes out, without it."""
    wanted = [glob for glob in globs if not glob.startswith(EXCEPT)]
    return wanted, [glob.removeprefix(EXCEPT) for glob in globs if glob.startswith(EXCEPT)]


def limit_in_words(record: Record) -> str:
    """Which files and branches a record applies to, for a line; empty for all of them."""
    branches = branches_of(record.data)
    on = f"on the branch {_listed(branches)}" if branches else ""
    return " ".join(filter(None, (in_words(applies_to(record.data)), on)))


def in_words(globs: Sequence[str]) -> str:
    """What globs say, for a line: `for web/**/*.css, *.scss`, `on request`; empty for every file."""
    if not globs:
        return ""
    if tuple(globs) == ON_REQUEST:
        return "on request"
    wanted, unwanted = parted(globs)
    text = f"for {_listed(wanted)}" if wanted else "for all files"
    return f"{text} except {_listed(unwanted)}" if unwanted else text


def _listed(globs: Sequence[str]) -> str:
    more = len(globs) - _SHOWN
    return ", ".join(globs[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
