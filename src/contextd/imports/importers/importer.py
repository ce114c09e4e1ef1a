"""What a reader of transcripts is: the promise every row of `IMPORTERS` keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from contextd.domain.dataclass import dataclass
from contextd.imports.importers.batch import ImportBatch, Redact


class Read(Protocol):
    """Reads one session of a file from an offset on."""

    def __call__(
        self, path: Path, offset: int = 0, *, redact: Redact = ..., session: str = ""
    ) -> ImportBatch:
        """A batch of events. The same entry gives the same keys, however often and from wherever it is
        read, so that reading again doubles nothing.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Whereabouts:
    """Where a client keeps transcripts: patterns below a directory of the user's home, or below the
    directory that an environment variable names instead.
    """

    directory: str
    patterns: tuple[str, ...]
    variable: str = ""

    def files(self, home: Path, environment: Mapping[str, str]) -> Iterator[Path]:
        """The files that are there now."""
        chosen = environment.get(self.variable, "") if self.variable else ""
        root = Path(chosen) if chosen else home / self.directory
        for pattern in self.patterns:
            yield from sorted(path for path in root.glob(pattern) if path.is_file())


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A session that stands in a file, as far as a look tells. `id` chooses it when the file is read; it
    is empty for the only session of a file.
    """

    id: str = ""
    cwd: str = ""
    title: str = ""
    started: datetime | None = None


def the_only_session(path: Path) -> Sequence[Listed]:
    """What a file lists that is one session."""
    del path
    return (Listed(),)


def nothing_beside(path: Path) -> Sequence[Path]:
    """What lies beside a transcript of a client that keeps sub-agents elsewhere, or keeps none."""
    del path
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """One format of transcripts.

    `detects` says whether a file with these first lines is one; of a binary file the lines are what its
    first bytes decode to. `places` are where the client keeps them for a user, `in_project` patterns of
    files it keeps in a repository. `sessions` lists what stands in one file, which `read` takes by its
    id. `of_session` are paths below the home, with `{session}` in them, where the transcript of a
    session lies whose client does not say so. `beside` finds the transcripts of a session's
    sub-agents. `client` is whose sessions they are, where that is not the row's own name. `grows` says that entries are only ever appended: then an
    offset is a number of bytes. `late` says that the client goes on writing after its last hook.
    """

    name: str
    title: str
    detects: Callable[[Path, Sequence[str]], bool]
    read: Read
    places: tuple[Whereabouts, ...] = ()
    in_project: tuple[str, ...] = ()
    sessions: Callable[[Path], Iterable[Listed]] = the_only_session
    of_session: tuple[str, ...] = ()
    beside: Callable[[Path], Iterable[Path]] = nothing_beside
    client: str = ""
    grows: bool = True
    late: bool = False

    def found(self, home: Path, environment: Mapping[str, str] | None = None) -> Iterator[Path]:
        """The transcripts that the client keeps for the user of this home."""
        for place in self.places:
            yield from place.files(home, environment or {})

    def located(self, home: Path, session: str) -> Path | None:
        """The transcript of a session, where its place follows from the session's id."""
        return next((path for path in self._places_of(home, session) if path.is_file()), None)

    def expected(self, home: Path, session: str) -> str:
        """The first place at which the transcript of a session may be; empty where none follows from its id."""
        return next(map(str, self._places_of(home, session)), "")

    def _places_of(self, home: Path, session: str) -> list[Path]:
        if not session or not session.replace("-", "").replace("_", "").isalnum():
            return []
        return [home / pattern.format(session=session) for pattern in self.of_session]
