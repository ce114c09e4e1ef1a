"""The interface of transcript readers: every row of `IMPORTERS` implements it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from contextd.domain.sessions import Event
from contextd_common.dataclass import dataclass

Redact = Callable[[str], tuple[str, int]]
"""Redacts a text; returns it and the number of secrets."""

RedactItem = Callable[[Mapping[str, Any]], tuple[dict[str, Any], int]]
"""Redacts all texts of one item together; returns it and the number of secrets."""


def unredacted(text: str) -> tuple[str, int]:
    """The unchanged text, for callers with clean input."""
    return text, 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportBatch:
    """A section of a transcript as redacted events.

    `next_offset` is the byte to continue from; `done` says that no complete entry is left. `counts` has
    `read` (lines), `events`, `duplicate`, `redacted`, `junk`, `bad`, `oversize`, and `type:<name>` for every
    type of line without conversation. `usage` sums the tokens reported by the client. `entrypoint` is how the
    client says it was started: `cli`, `sdk-py`, … `parent` is the parent session of a sub-agent, if
    sub-agents have sessions of their own. `onward`, if given, reads the next batch with the
    state of this one, without looking back; it may be called once.
    """

    external_id: str = ""
    parent: str = ""
    cwd: str = ""
    branch: str = ""
    entrypoint: str = ""
    title: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    events: tuple[Event, ...] = ()
    next_offset: int = 0
    done: bool = True
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    usage: Mapping[str, int] = field(default_factory=dict[str, int])
    onward: Callable[[Redact], ImportBatch] | None = field(default=None, compare=False)

    @property
    def headless(self) -> bool:
        """Whether a program ran the session, not a person: `claude -p`, the SDKs and `codex exec` report
        it, and a sub-agent is run by another agent.
        """
        return bool(self.parent) or self.entrypoint.startswith(("sdk", "exec"))


class Read(Protocol):
    """Reads one session of a file from an offset on."""

    def __call__(
        self, path: Path, offset: int = 0, *, redact: Redact = ..., session: str = ""
    ) -> ImportBatch:
        """Return a batch of events. An entry always has the same keys, so reading it again creates no
        duplicates.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Whereabouts:
    """Where a client stores transcripts: patterns below a directory of the user's home, or below the
    directory in an environment variable.
    """

    directory: str
    patterns: tuple[str, ...]
    variable: str = ""

    def files(self, home: Path, environment: Mapping[str, str]) -> Iterator[Path]:
        """The existing files."""
        chosen = environment.get(self.variable, "") if self.variable else ""
        root = Path(chosen) if chosen else home / self.directory
        for pattern in self.patterns:
            yield from sorted(path for path in root.glob(pattern) if path.is_file())


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A session in a file, as far as a quick look shows. `id` selects it when the file is read; it is
    empty for the only session of a file.
    """

    id: str = ""
    cwd: str = ""
    title: str = ""
    started: datetime | None = None


def the_only_session(path: Path) -> Sequence[Listed]:
    """The session list of a file with one session."""
    del path
    return (Listed(),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """One transcript format.

    `detects` examines a file's first lines; for a binary file these are its decoded first bytes. `places` are
    where the client stores transcripts for a user, `in_project` patterns of files in a repository. `sessions`
    lists the sessions of a file, and `read` takes one by id. `of_session` are paths below the home with
    `{session}` in them, for clients that do not report a transcript's path. `beside` finds the transcripts of
    a session's sub-agents. `client` is the owner of the sessions if it differs from the row's name. `grows`
    says that the file is append-only, so an offset is a number of bytes. `late` says that the client keeps
    writing after its last hook.
    """

    name: str
    title: str
    detects: Callable[[Path, Sequence[str]], bool]
    read: Read
    places: tuple[Whereabouts, ...] = ()
    in_project: tuple[str, ...] = ()
    sessions: Callable[[Path], Iterable[Listed]] = the_only_session
    of_session: tuple[str, ...] = ()
    beside: Callable[[Path], Iterable[Path]] = lambda path: ()
    client: str = ""
    grows: bool = True
    late: bool = False

    def found(self, home: Path, environment: Mapping[str, str] | None = None) -> Iterator[Path]:
        """The transcripts that the client stored for the user of this home."""
        for place in self.places:
            yield from place.files(home, environment or {})

    def located(self, home: Path, session: str) -> Path | None:
        """The transcript of a session, if its path follows from the session's id."""
        return next((path for path in self._places_of(home, session) if path.is_file()), None)

    def expected(self, home: Path, session: str) -> str:
        """The first possible path of a session's transcript; empty if it does not follow from the id."""
        return next(map(str, self._places_of(home, session)), "")

    def _places_of(self, home: Path, session: str) -> list[Path]:
        if not session or not session.replace("-", "").replace("_", "").isalnum():
            return []
        return [home / pattern.format(session=session) for pattern in self.of_session]
