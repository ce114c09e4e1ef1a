"""The interface of formats that other programs keep knowledge in: every row of `FOREIGN` implements it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from contextd.domain.records import Trust
from contextd.imports.importers.importer import ImportBatch
from contextd_common.dataclass import dataclass

Belonging = Literal["project", "named", "asked", "person"]
"""Who owns the notes of a file: the `project` that contains the file, the project each note names
(`named`), the project of the caller (`asked`), or the `person`. A file belongs to a person by its
location.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One item of another program's knowledge, not yet redacted.

    `key` identifies it across imports. `said_by` is its author or file. If not `sure`, a program generated it
    and it awaits confirmation. `cwd` and `project` say where its program places it.
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
    """A part of a file that was not understood, and its location. Reading continues after it."""

    place: str
    why: str


Item = Note | ImportBatch | Unread
"""What a file yields: a note, a whole conversation, or an unreadable part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where to look: the person's home, environment variables, and the checkouts of the project."""

    home: Path
    environment: Mapping[str, str]
    roots: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignFormat:
    """One format. `detects` examines the first bytes of a file, and finds nothing for a format whose files only
    their place tells; `places` lists existing files. `read` gets the file and its displayed name and raises
    `Invalid` if the file does not match after all. Notes that disappear from a `followed` file are archived
    when it is read again.
    """

    name: str
    title: str
    read: Callable[[Path, str], Iterator[Item]]
    detects: Callable[[Path, bytes], bool] = lambda path, head: False
    places: Callable[[Surroundings], Iterable[Path]] = lambda around: ()
    belongs: Belonging = "asked"
    followed: bool = False
