"""The state of a running import: target projects and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path, PurePath
from typing import Any

from contextd.domain.changes import KnowledgeChanges, Put
from contextd.domain.projects import Project
from contextd.domain.scope import PERSON, Scope
from contextd.imports.import_rows import ImportTally, begin_row, end_row, interrupted, new_import_id
from contextd.knowledge.embedding import queue_embedding
from contextd.projects.project_lookup import find_membership
from contextd.redaction.cutting import beginning
from contextd.redaction.redact import redact, redact_parts
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import (
    Busy,
    Conflict,
    ContextdError,
    Denied,
    Invalid,
    NotFound,
    Unavailable,
)

_SHOWN = 5

DEFECTS = (
    ContextdError, OSError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError,
    RecursionError,
)  # fmt: skip
"""Errors that reading another program's file may raise. None of them may stop the other files."""

STOPS = (Conflict, Unavailable, Busy, Denied)
"""Errors that are not a file's fault: the job was lost, contextd stops, the store is locked or read-only."""


@dataclass(slots=True)
class Intake:
    """A running import. `only_here` skips other projects, `here` assigns items of unknown directories to
    this one. `asked` describes the request, so that an interrupted import resumes when requested again.
    A `dry_run` writes nothing. `tried` are the sessions found, with what a dry run would write;
    `mine` is the importer's word that a bundle is their own backup, whose records keep their authority.
    `written` are hashes of the records' texts without punctuation. An `unasked` import, by a schedule, brings nothing
    back that a person took back.
    """

    runtime: Runtime
    asked: str
    dry_run: bool = False
    unasked: bool = False
    only_here: bool = False
    here: bool = False
    mine: bool = False
    check: Callable[[], None] = lambda: None
    id: str = ""
    tallies: dict[Scope, ImportTally] = field(default_factory=dict[Scope, ImportTally])
    formats: list[str] = field(default_factory=list[str])
    files: dict[Scope, list[str]] = field(default_factory=dict[Scope, list[str]])
    elsewhere: Counter[str] = field(default_factory=Counter[str])
    unknown: Counter[str] = field(default_factory=Counter[str])
    tried: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    written: dict[Scope, set[str]] = field(default_factory=dict[Scope, set[str]])
    _standing: dict[Scope, Runtime] = field(default_factory=dict[Scope, Runtime])
    _places: dict[str, Project | None] = field(default_factory=dict[str, Project | None])
    _begun: set[Scope] = field(default_factory=set[Scope])

    def __post_init__(self) -> None:
        before = interrupted(self.runtime, self.asked) if not self.dry_run else None
        self.id = before.id if before is not None else new_import_id()

    def tally(self, there: Runtime) -> ImportTally:
        """The counts of a project."""
        return self.tallies.setdefault(there.scope, ImportTally())

    @property
    def total(self) -> ImportTally:
        """The counts of all projects together."""
        total = ImportTally()
        for one in self.tallies.values():
            total.add(one)
        return total

    def begin(self, there: Runtime) -> None:
        """Store the import record in a project before its first item."""
        if not self.dry_run and there.scope not in self._begun:
            begin_row(there, self.id, self.asked)
            self._begun.add(there.scope)

    def end(self) -> None:
        """Store the counts in every project touched, and queue the embedding."""
        if self.dry_run:
            return
        self.begin(self.runtime)
        self.tally(self.runtime)
        for scope in self._begun:
            there = self.standing_in(scope)
            tally = self.tallies.get(scope, ImportTally())
            files = self.files.get(scope, [])
            end_row(there, self.id, self.asked, tally, formats=self.formats, files=files)
            queue_embedding(there)

    def standing_in(self, scope: Scope) -> Runtime:
        """The call in another project, or in the person's layer."""
        if scope == self.runtime.scope:
            return self.runtime
        if scope not in self._standing:
            personal = scope == PERSON
            self._standing[scope] = (
                self.runtime.at_person() if personal else self.runtime.at(str(scope))
            )
        return self._standing[scope]

    def place_of(self, cwd: str) -> Runtime | None:
        """The call in the project of a directory; None, and counted, if the project is unknown, not
        writable, or not the target.
        """
        if cwd not in self._places:
            self._places[cwd] = project_of(self.runtime, cwd)
        project = self._places[cwd]
        if project is None:
            if self.here:
                return self.runtime
            self.unknown[cwd or "no directory"] += 1
            return None
        return self._admitted(project.scope)

    def place_named(self, name: str) -> Runtime | None:
        """The same for a project's name."""
        try:
            return self._admitted(self.runtime.at(name).scope)
        except (NotFound, Conflict):
            if self.here:
                return self.runtime
            self.unknown[name] += 1
            return None

    def _admitted(self, scope: Scope) -> Runtime | None:
        mine = self.runtime.caller.may("write", scope, "knowledge")
        if not mine or (self.only_here and scope != self.runtime.scope):
            self.elsewhere[str(scope)] += 1
            return None
        return self.standing_in(scope)

    def clean(self, text: str) -> tuple[str, int]:
        """A redacted text, and the number of secrets."""
        found = redact(text, self.runtime.redaction_key)
        return found.text, len(found.findings)

    def clean_item(self, item: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
        """One item of a file with all texts redacted, and the number of secrets. A secret revealed by one
        of its texts is redacted from the others too.
        """
        cleaned, findings = redact_parts(item, self.runtime.redaction_key)
        return cleaned, len(findings)

    def left_out(self) -> list[str]:
        """What was skipped because of its project, in words."""
        sentences = []
        if self.elsewhere:
            sentences.append(
                f"{sum(self.elsewhere.values())} belong to other projects ({_shown(self.elsewhere)}); "
                "`contextd import --all` imports each into its own"
            )
        if self.unknown:
            sentences.append(
                f"{sum(self.unknown.values())} belong to no known project ({_shown(self.unknown)}); run "
                "`contextd init` there, or import them with --here"
            )
        return sentences


def _shown(counted: Counter[str]) -> str:
    names = [name for name, _ in counted.most_common(_SHOWN)]
    more = len(counted) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def project_of(runtime: Runtime, cwd: str) -> Project | None:
    """The known project of a directory: by git if it exists, else by the known checkouts."""
    if not cwd:
        return None
    place = Path(cwd)
    try:
        if place.is_dir():
            found = find_membership(runtime.organisation, place)[0]
            # A checkout that is to get a part must not write to the whole.
            return found.project if found.fresh is None else None
    except (Invalid, NotFound, OSError):
        return None
    known = runtime.organisation.directory.all()
    within = [
        (len(root), one)
        for one in known
        for root in one.roots
        if PurePath(cwd).is_relative_to(root)
    ]
    return max(within, key=lambda pair: pair[0])[1] if within else None


def shown_path(path: Path, roots: Sequence[Path], home: Path) -> str:
    """The displayed name of a file: its path in the checkout, below the home, or in full."""
    for root in roots:
        if path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


@contextmanager
def naming(tally: ImportTally, shown: str) -> Iterator[None]:
    """Count and name an item whose import fails, so that the rest is imported. Raises an error that is not a
    file's fault.
    """
    try:
        yield
    except DEFECTS as error:
        note_unread(tally, shown, error)


def write_each(
    runtime: Runtime, tally: ImportTally, some: Sequence[tuple[str, Put]]
) -> frozenset[str]:
    """Write records together, or one by one if that fails. Each has what messages call it; return those that cannot
    be written, which are counted and named.
    """
    try:
        runtime.commit(knowledge=KnowledgeChanges(records=[put for _, put in some]))
    except STOPS:
        raise
    except DEFECTS:
        if len(some) > 1:
            return frozenset().union(*(write_each(runtime, tally, [one]) for one in some))
        with naming(tally, some[0][0]):
            raise
        return frozenset({some[0][0]})
    return frozenset()


def note_unread(tally: ImportTally, shown: str, error: Exception) -> None:
    """Count an unreadable file and say why. Raises the error if it is not a file's fault."""
    if isinstance(error, STOPS):
        raise error
    tally.unread += 1
    why = error.message if isinstance(error, ContextdError) else f"{type(error).__name__}: {error}"
    tally.note(why if shown in why else f"{shown}: {beginning(why, 300)}")
