"""Find data to import: transcripts of clients, data of memory tools, files for agents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from contextd.domain.projects import Project
from contextd.domain.scope import PERSON
from contextd.imports.bundle import BUNDLE, BundleFormat
from contextd.imports.commit_messages import HISTORY
from contextd.imports.entry_import import ENTRY_FILES, EntryFile, entry_file_for
from contextd.imports.foreign import FOREIGN, ForeignFormat, Surroundings, foreign_format
from contextd.imports.import_run import project_of, shown_path
from contextd.imports.importers import IMPORTERS, Importer, importer_for
from contextd.imports.sessions import cwd_told
from contextd.person.person import kept_in
from contextd.projects.project_lookup import trusted_roots
from contextd.runtime.runtime import Runtime
from contextd.thin.home import user_directory
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError, Invalid, NotFound, TooLarge, nearest

Reader = Importer | ForeignFormat | EntryFile | BundleFormat

_MOST_FILES = 10_000
_PACKED = frozenset({".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar"})
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv"})


@dataclass(frozen=True, slots=True)
class FoundSource:
    """A file that can be imported, and its reader. `scope` is its project as far as a quick look shows,
    empty if unknown.
    """

    path: Path
    shown: str
    reader: Reader
    scope: str = ""
    size: int = 0


def surroundings(project: Project | None) -> Surroundings:
    """Where to look: the user's home and the project's checkouts."""
    roots = project.roots if project is not None else ()
    there = tuple(Path(root) for root in roots if Path(root).is_dir())
    return Surroundings(home=user_directory(), environment=os.environ, roots=there)


def found_sources(runtime: Runtime, *, everywhere: bool) -> Iterator[FoundSource]:
    """The sources for the call's project, or with `everywhere` for any project of this machine."""
    here = str(runtime.scope)
    yield from _transcripts(runtime, "" if everywhere else here)
    projects = runtime.projects() if everywhere else [runtime.project]
    for project in projects:
        if project is not None and project.scope.project:
            yield from _of_project(runtime, project)
    around = surroundings(None)
    for format in FOREIGN.values():
        if format.belongs == "named" or (format.belongs == "asked" and everywhere):
            for path in format.places(around):
                yield _source(path, around, format, "")
    yield from _of_person(runtime)


def followed_sources(runtime: Runtime) -> Iterator[FoundSource]:
    """The files for agents whose records follow them: those of the project's trusted checkouts, and the person's."""
    sources = _of_project(runtime, runtime.project) if runtime.project is not None else ()
    for source in (*sources, *_of_person(runtime)):
        if isinstance(source.reader, ForeignFormat) and source.reader.followed:
            yield source


def _of_person(runtime: Runtime) -> Iterator[FoundSource]:
    if not runtime.has_person:
        return
    around = surroundings(None)
    for format in FOREIGN.values():
        if format.belongs == "person":
            for path in format.places(around):
                yield _source(path, around, format, str(PERSON))


def _of_project(runtime: Runtime, project: Project) -> Iterator[FoundSource]:
    """The sources in or for the checkouts of a project. Untrusted checkouts are skipped: a stranger's
    instructions for agents are not knowledge of this project.
    """
    around, scope = surroundings(project), str(project.scope)
    around = replace(around, roots=tuple(trusted_roots(runtime, project)))
    patterns = [(one, pattern) for one in IMPORTERS.values() for pattern in one.in_project]
    for root in around.roots:
        for importer, pattern in patterns:
            for path in sorted(root.glob(pattern)):
                yield _source(path, around, importer, scope)
    for format in FOREIGN.values():
        if format.belongs == "project":
            for path in format.places(around):
                yield _source(path, around, format, scope)
    # All checkouts of a project share one history.
    with_git = (root for root in around.roots if (root / ".git").exists())
    for root in islice(with_git, 1):
        yield FoundSource(root, "git log", HISTORY, scope)


def _transcripts(runtime: Runtime, only: str) -> Iterator[FoundSource]:
    around = surroundings(runtime.project)
    known: dict[str, str] = {}
    for importer in IMPORTERS.values():
        for path in importer.found(around.home, around.environment):
            cwd = cwd_told(path)
            if cwd not in known:
                project = project_of(runtime, cwd)
                known[cwd] = str(project.scope) if project is not None else ""
            # A file without a directory at its beginning may belong to any project: it is examined when it is
            # read.
            if not only or known[cwd] == only or not cwd:
                yield _source(path, around, importer, known[cwd])


def named_sources(
    runtime: Runtime, path: Path, format: str = "", packed: list[Path] | None = None
) -> Iterator[FoundSource]:
    """The sources at a given path: the file, or every file below the folder in a known format. Unsupported
    archives are added to `packed`. Raises `NotFound`, and `Invalid` for an unsupported file.
    """
    around = surroundings(runtime.project)
    if path.is_dir():
        for one in _below(path):
            try:
                yield _named_source(runtime, one, around, format)
            except ContextdError:
                if packed is not None and one.suffix.lower() in _PACKED:
                    packed.append(one)
        return
    yield _named_source(runtime, path, around, format)


def _named_source(runtime: Runtime, path: Path, around: Surroundings, format: str) -> FoundSource:
    persons = (row for row in FOREIGN.values() if row.belongs == "person" and not format)
    own = next((row for row in persons if path in row.places(around)), None)
    if own is None:
        return _source(path, around, _reader_of(path, format), "")
    return _source(path, around, own, str(kept_in(runtime, "person")))


def _reader_of(path: Path, name: str) -> Reader:
    if name:
        known: dict[str, Reader] = {**IMPORTERS, **FOREIGN, BUNDLE.name: BUNDLE}
        row = known.get(name) or entry_file_for(path, name)
        if row is None:
            names = [*known, *ENTRY_FILES]
            hint = nearest(name, names) or "formats: " + ", ".join(names)
            raise NotFound(f"unknown import format {name!r}", hint)
        return row
    if BUNDLE.detects(path):
        return BUNDLE
    found = entry_file_for(path) or foreign_format(path)
    if found is not None:
        return found
    try:
        return importer_for(path)
    except Invalid as error:
        rows: list[Reader] = [*ENTRY_FILES.values(), *FOREIGN.values(), *IMPORTERS.values()]
        titles = [row.title for row in rows]
        raise Invalid(error.message, "it reads: " + ", ".join(titles)) from None


def _below(folder: Path) -> list[Path]:
    """The files below a folder. Raises `TooLarge` for more than a user could mean."""
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        found += [Path(place) / name for name in sorted(files)]
        if len(found) > _MOST_FILES:
            raise TooLarge(
                f"{folder} has more than {_MOST_FILES:,} files",
                "choose a folder with fewer files, or a file",
            )
    return [path for path in found if path.is_file() and not path.is_symlink()]


def _source(path: Path, around: Surroundings, reader: Reader, scope: str) -> FoundSource:
    try:
        size = path.stat().st_size
    except OSError:
        size = 0
    return FoundSource(path, shown_path(path, around.roots, around.home), reader, scope, size)
