"""What a rule applies to: globs of files, relative to the root of the project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from contextd.domain.records import Record

FIELD = "applies_to"
"""The field of a record with its globs. A record without them applies to every file."""

ON_REQUEST = ("!**",)
"""The globs of a rule that its author does not want told by itself: no file matches them."""

EXCEPT = "!"
"""How a glob begins that takes files out."""

_SHOWN = 3
"""Globs that are shown; more make a line longer than its rule."""


def applies_to(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The globs in the fields of a record; empty for a record that applies to every file."""
    globs = data.get(FIELD)
    if not isinstance(globs, list | tuple):
        return ()
    return tuple(glob for glob in globs if isinstance(glob, str) and glob.strip())


def is_limited(record: Record) -> bool:
    """Whether a record applies to some files only."""
    return bool(applies_to(record.data))


def in_words(globs: Sequence[str]) -> str:
    """What globs say, for a line: `for web/**/*.css, *.scss`, `on request`; empty for every file."""
    if not globs:
        return ""
    if tuple(globs) == ON_REQUEST:
        return "on request"
    wanted = [glob for glob in globs if not glob.startswith(EXCEPT)]
    unwanted = [glob.removeprefix(EXCEPT) for glob in globs if glob.startswith(EXCEPT)]
    text = f"for {_listed(wanted)}" if wanted else "for all files"
    return f"{text} except {_listed(unwanted)}" if unwanted else text


def _listed(globs: Sequence[str]) -> str:
    more = len(globs) - _SHOWN
    return ", ".join(globs[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
