"""What other programs keep knowledge in: the promise every row of `FOREIGN` keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from contextd.domain.dataclass import dataclass
from contextd.domain.records import Trust
from contextd.imports.importers.batch import ImportBatch

Belonging = Literal["project", "named", "asked", "person"]
"""Whose the notes of a file are: of the `project` the file lies in, of the one each note is `named` after
or came from, of the one whoever `asked` for the import stands in, or of the `person`, whatever project.
A file is a person's by where it lies.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One thing another program knows, as it says it: nobody took secrets out yet.

    `key` makes it the same one whenever it is read again. `said_by` is who or which file it comes from.
    One that is not `sure` was made by a program and waits for a second witness. `cwd` and `project`
    are where its program says it belongs.
    """

    key: str
    content: str
    title: str = ""
    kind: str = "context"
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tags: tuple[str, ...] = ()
    said_by: str = ""
    trust: Trust = "imported"
    sure: bool = True
    created: datetime | None = None
    updated: datetime | None = None
    cwd: str = ""
    project: str = ""


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of a file that was not understood, and where it stands. The rest goes on."""

    place: str
    why: str


Item = Note | ImportBatch | Unread
"""What a file gives: knowledge, a whole conversation, or what was not understood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where to look: the person's home, what the environment names, and the checkouts of the project."""

    home: Path
    environment: Mapping[str, str]
    roots: tuple[Path, ...] = ()


def nowhere(around: Surroundings) -> Iterable[Path]:
    """The places of a format whose files are only read when somebody names one."""
    del around
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignFormat:
    """One format. `detects` says whether a file that begins with these bytes is one, `places` lists the
    files that are there. `read` is given the file and what it is called, and raises `Invalid` for a
    file that is none after all. What a file that is `followed` says no more is archived when it is
    read again.
    """

    name: str
    title: str
    detects: Callable[[Path, bytes], bool]
    read: Callable[[Path, str], Iterator[Item]]
    places: Callable[[Surroundings], Iterable[Path]] = nowhere
    belongs: Belonging = "asked"
    followed: bool = False
