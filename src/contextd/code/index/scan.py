"""Brings the stored code model up to date with the disk, at the cost of what changed."""

from __future__ import annotations

import os
import posixpath
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from contextd.code.index.chunk import owned
from contextd.code.index.languages.table import BY_NAME, changes_resolution
from contextd.code.index.resolve import Resolver
from contextd.code.index.scan_worker import analysed, analysed_by
from contextd.code.tree.walk import Walk, WalkedFile
from contextd.code.tree.walk import walk as walk_tree
from contextd.domain.code import Import, SourceFile
from contextd.domain.dataclass import dataclass
from contextd.domain.errors import Invalid, Unavailable
from contextd.domain.scope import Scope
from contextd.ports import Files

_WORTH_PROCESSES = 1_500
_HANDFUL = 64
"""So many files are read in a tenth of a second: a process of their own would start no faster."""

_BATCH = 250

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"\w+|\*")
_ANY = "*"
_OPTIONS = '"compilerOptions"'
_QUOTE = re.compile("[\"'`]")

Stamp = tuple[int, int, str]
"""Size, mtime_ns and digest: what is stored of a file."""

_UNKNOWN: Stamp = (-1, -1, "")

Progress = Callable[[str, int, int], None]
"""Told (what, done, of how many) as work goes on."""


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a scan found, and what the caller has to write.

    `changed` are the files to put; of those in `same_text` only their time or the targets of their
    imports differ. `removed` are the paths to remove. `added` and `modified` are paths with new
    content, `relinked` unchanged files whose imports lead elsewhere now, `skipped` pairs a path
    with the reason. `files` counts all files, `parsed` those analysed this time.
    """

    changed: tuple[SourceFile, ...] = ()
    removed: tuple[str, ...] = ()
    same_text: frozenset[str] = frozenset()
    added: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    relinked: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    files: int = 0
    parsed: int = 0
    source: str = ""
    note: str = ""
    seconds: float = 0.0

    @property
    def changed_count(self) -> int:
        """How many files have new content."""
        return len(self.added) + len(self.modified)

    @property
    def unchanged(self) -> int:
        """How many files are as they were."""
        return self.files - self.changed_count


def scan(
    root: Path,
    files: Files,
    scope: Scope,
    *,
    walked: Walk | None = None,
    below: str = "",
    incremental: bool = True,
    progress: Progress | None = None,
    workers: int | None = None,
    apart: bool = False,
    redact: Callable[[str], str] | None = None,
    stamps: Mapping[str, Stamp] | None = None,
    resolver: Resolver | None = None,
) -> ScanReport:
    """Compare `root` with what `files` knows under `scope`. Writes nothing.

    A file is read when its size or time differs from the stored ones, and analysed when its content
    does; not `incremental` analyses everything. `below` limits it to one folder. Past 1,500 files
    to read, `workers` processes share the work; `apart`, one does it from 65 files on, for a caller
    that has others to answer meanwhile. `redact` is applied to the text of chunks and to
    signatures. `stamps` are those of `files`, and `resolver` one for the walked files, where the
    caller has them.
    """
    began = time.monotonic()
    walked = walked if walked is not None else walk_tree(root)
    prefix = _prefix(below)
    stamps = stamps if stamps is not None else files.stamps(scope)
    present: Sequence[WalkedFile] = walked.files
    if prefix:
        stamps = {path: stamp for path, stamp in stamps.items() if path.startswith(prefix)}
        present = [file for file in present if file.path.startswith(prefix)]
    gate = stamps if incremental else {}
    wanted = [f for f in present if gate.get(f.path, _UNKNOWN)[:2] != (f.size, f.mtime_ns)]
    known = {f.path: gate[f.path][2] for f in wanted if f.path in gate}
    if resolver is None:
        resolver = Resolver(root, [file.path for file in walked.files])
    base = Path(os.path.realpath(root))
    job = _Scan(base, files, scope, resolver, redact, stamps)
    done = 0
    for batch in _batches(base, wanted, known, _processes(len(wanted), workers, apart)):
        job.take(batch, known)
        done += len(batch)
        if progress is not None:
            progress("scan", done, len(wanted))
    lost = set(stamps).difference(file.path for file in present) | set(job.unreadable)
    removed = sorted(path for path in lost if path in stamps)
    anywhere = removed or job.added or job.settings
    if anywhere or job.renamed:
        job.relink(lost, None if anywhere else job.renamed)
    return ScanReport(
        changed=tuple(job.changed.values()),
        removed=tuple(removed),
        same_text=frozenset(job.same_text),
        added=tuple(sorted(job.added)),
        modified=tuple(sorted(job.modified)),
        relinked=tuple(sorted(job.relinked)),
        skipped=tuple(sorted({**dict(walked.skipped), **job.unreadable}.items())),
        files=len(present),
        parsed=len(job.added) + len(job.modified),
        source=walked.source,
        note=walked.note,
        seconds=time.monotonic() - began,
    )


def _prefix(below: str) -> str:
    if not below or below == ".":
        return ""
    path = posixpath.normpath(below.replace("\\", "/"))
    if path.startswith(("/", "..")):
        raise Invalid(f"{below!r} is not a folder of the project", "give it relative to the root")
    return path + "/"


@dataclass(slots=True)
class _Scan:
    """One scan under way."""

    base: Path
    files: Files
    scope: Scope
    resolver: Resolver
    redact: Callable[[str], str] | None
    stored: Collection[str]
    changed: dict[str, SourceFile] = field(default_factory=dict)
    same_text: set[str] = field(default_factory=set)
    added: list[str] = field(default_factory=list)
    modified: list[str] = field(default_factory=list)
    relinked: list[str] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)
    renamed: set[str] = field(default_factory=set)
    settings: bool = False

    def take(self, batch: Sequence[SourceFile], digests: Mapping[str, str]) -> None:
        for fresh in batch:
            path = fresh.path
            if fresh.size < 0:
                self.unreadable[path] = fresh.error
                continue
            if digests.get(path) == fresh.digest:
                stored = self._stored(path)
                if stored is not None:
                    self.same_text.add(path)
                    stamp = replace(stored, size=fresh.size, mtime_ns=fresh.mtime_ns)
                    self.changed[path] = stamp
                continue
            self.changed[path] = self._finished(fresh)
            if path in self.stored:
                self.modified.append(path)
                stored = self._stored(path)
                if stored is not None:
                    self.renamed |= _moved(stored, fresh)
                    self.settings |= changes_resolution(path) or any(
                        map(_configures, (stored, fresh))
                    )
            else:
                self.added.append(path)

    def relink(self, lost: set[str], names: set[str] | None) -> None:
        """Resolve the imports of unchanged files again, of those only that say one of `names`."""
        for known in self.files.all(self.scope):
            path = known.path
            if path in lost or (path in self.changed and path not in self.same_text):
                continue
            if names is not None and not _says(known, names):
                continue
            imports = self.resolver.resolve(path, known.language, known.imports)
            if imports != known.imports:
                imports = self._afresh(known, imports)
                # `all` leaves out the text of chunks, so it must not be put back.
                whole = self.changed.get(path) or self._stored(path)
                if whole is not None:
                    self.changed[path] = replace(whole, imports=imports)
                    self.same_text.add(path)
                    self.relinked.append(path)

    def _afresh(self, known: SourceFile, imports: tuple[Import, ...]) -> tuple[Import, ...]:
        """The imports of a file as it writes them, resolved: what led somewhere is stored with the
        names it had there, and those may mean nothing where it leads now.
        """
        bare = WalkedFile(known.path, known.size, known.mtime_ns)
        written = analysed(self.base, [(bare, "")])[0]
        if written.digest != known.digest:
            return imports
        return self.resolver.resolve(known.path, known.language, written.imports)

    def _finished(self, file: SourceFile) -> SourceFile:
        imports = self.resolver.resolve(file.path, file.language, file.imports)
        file = replace(file, chunks=tuple(owned(piece, self.scope) for piece in file.chunks))
        if self.redact is None:
            return replace(file, imports=imports)
        hide = self.redact
        return replace(
            file,
            imports=imports,
            chunks=tuple(replace(piece, text=hide(piece.text)) for piece in file.chunks),
            # A signature shows the values of constants and defaults, and those are literals.
            symbols=tuple(
                replace(s, signature=hide(s.signature)) if _QUOTE.search(s.signature) else s
                for s in file.symbols
            ),
        )

    def _stored(self, path: str) -> SourceFile | None:
        found = self.files.get(self.scope, [path])
        return found[0] if found else None


def _configures(file: SourceFile) -> bool:
    """Whether a JSON file is one that configurations of TypeScript may extend, whatever its name."""
    return file.path.endswith(".json") and any(_OPTIONS in chunk.text for chunk in file.chunks)


def _moved(stored: SourceFile, fresh: SourceFile) -> set[str]:
    """The names that may lead to another file since this one changed; `*` stands for any."""
    row = BY_NAME.get(fresh.language)
    if row is None or row.defines is None:
        return set()
    if not stored.chunks or not fresh.chunks:
        # A file whose text is not kept says too little of what it was.
        return {_ANY}
    before, after = ({*row.defines("".join(c.text for c in f.chunks))} for f in (stored, fresh))
    return {name for one in before ^ after for name in _NAME.findall(one[-1])}


def _says(file: SourceFile, names: set[str]) -> bool:
    """Whether the imports of a file could lead elsewhere since these names moved."""
    row = BY_NAME.get(file.language)
    if row is None or row.defines is None:
        return False
    if _ANY in names:
        return True
    said = [one.specifier for one in file.imports]
    said += [name for one in file.imports for name, _ in one.names]
    return not names.isdisjoint(_WORD.findall(" ".join(said)))


def _processes(files: int, workers: int | None, apart: bool) -> int:
    """How many processes read so many files; 0 is this one itself."""
    cores = os.cpu_count() or 1
    if apart and files > _HANDFUL:
        return workers or max(1, min(cores - 1, files // _WORTH_PROCESSES + 1))
    count = workers or cores
    return count if count > 1 and files > _WORTH_PROCESSES else 0


def _batches(
    base: Path, read: Sequence[WalkedFile], known: Mapping[str, str], processes: int
) -> Iterator[list[SourceFile]]:
    """The files to read, analysed, some at a time."""
    pairs = [(file, known.get(file.path, "")) for file in read]
    groups = [pairs[start : start + _BATCH] for start in range(0, len(pairs), _BATCH)]
    done = 0
    if processes:
        try:
            for batch in analysed_by(min(processes, len(groups)), base, groups):
                done += 1
                yield batch
        except Unavailable:
            # Where processes cannot be started or are killed, the rest is done here.
            pass
    for group in groups[done:]:
        yield analysed(base, group)
