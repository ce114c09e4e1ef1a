"""Update the stored code model to the files on disk, at a cost proportional to the changes."""

from __future__ import annotations

import os
import posixpath
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from zlib import compress

from contextd_code.index.affected import Affected, decides
from contextd_code.index.analyse import PARSED
from contextd_code.index.chunk import owned_id
from contextd_code.index.languages.table import language_name
from contextd_code.index.resolve import Resolver
from contextd_code.index.scan_worker import CPU_SECONDS, analysed, analysed_by
from contextd_code.tree.content import outdated
from contextd_code.tree.paths import read_listed
from contextd_code.tree.walk import Walk, WalkedFile
from contextd_code.tree.walk import walk as walk_tree
from contextd_code.values.code_index import CodeIndex
from contextd_code.values.source import (
    NOT_UNDERSTOOD,
    OVER_LIMIT,
    Chunk,
    FileStamp,
    Import,
    KeptReading,
    SourceFile,
)
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError, Invalid, Unavailable

_WORTH_PROCESSES = 1_500
_HANDFUL = 64
"""Up to this many files are read in a tenth of a second, as long as starting a process takes."""

_BATCH = 100
"""Files per batch of a process: each batch's result is held in memory on both sides."""

_RELINKED_AT_ONCE = 2_000

_SMALL = 32_000
"""Bytes that take at most a second, even if parsing time grows with the square of the size."""

_IN_PROCESS = 0.5
"""Seconds of CPU for a parser in a process that serves others; beyond it a separate process parses
the file.

Half a megabyte of code takes 0.3.
"""

_SHORT = 1_000
_LARGEST_JUDGED = 1_000_000
_REPEATED = 25
"""The factor of fast compression: code shrinks 3 to 5 times, data tables up to 12."""

_QUOTE = re.compile("[\"'`]")

Stamp = tuple[int, int, str]
"""Size, mtime_ns and digest: the stored state of a file."""

Progress = Callable[[str, int, int], None]
"""Called as (step, done, total) during the work."""

Redact = Callable[[Sequence[str]], list[str]]
"""Redacts the consecutive pieces of one text."""

Keep = Callable[[Sequence[SourceFile], frozenset[str], frozenset[str]], None]
"""Called with files to write as soon as they are read, those of them with a new stamp or import
targets only, and the ids of unchanged chunks of the others.
"""


@dataclass(frozen=True, slots=True)
class ScanReport:
    """The result of a scan, which the caller has to write.

    `changed` are files to write that `keep` did not get; those in `same_text` differ only in time
    or import targets. `put` counts them all. `removed` are the paths to remove. `added` and
    `modified` are paths with new content, `relinked` unchanged files with other import targets,
    `skipped` pairs a path with the reason. `stamps` belong to files that were read and are
    unchanged. `files` counts all files, `parsed` those analysed this time. `readings` are parsed
    data, worth storing, of unchanged or written files.
    """

    changed: tuple[SourceFile, ...] = ()
    removed: tuple[str, ...] = ()
    same_text: frozenset[str] = frozenset()
    same_chunks: frozenset[str] = frozenset()
    added: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    relinked: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    files: int = 0
    put: int = 0
    parsed: int = 0
    readings: tuple[KeptReading, ...] = ()
    stamps: tuple[FileStamp, ...] = ()
    source: str = ""
    note: str = ""
    seconds: float = 0.0

    @property
    def changed_count(self) -> int:
        """How many files have new content."""
        return len(self.added) + len(self.modified)

    @property
    def unchanged(self) -> int:
        """The number of unchanged files."""
        return self.files - self.changed_count


def scan(
    root: Path,
    files: CodeIndex,
    *,
    walked: Walk | None = None,
    below: str = "",
    incremental: bool = True,
    progress: Progress | None = None,
    workers: int | None = None,
    apart: bool = False,
    redact: Redact | None = None,
    stamps: Mapping[str, Stamp] | None = None,
    resolver: Resolver | None = None,
    keep: Keep | None = None,
) -> ScanReport:
    """Compare `root` with what `files` knows. Writes nothing itself.

    A file is read if its size or time differs from the stored ones, and analysed if its content
    does; without `incremental` all are analysed. `below` limits the scan to one folder. Above 1,500
    files to read, `workers` processes share the work; `apart`, one process does it from 65 files
    on, for a caller that must stay responsive. `redact` is applied to the chunks of a file and to
    its signatures. `stamps` are those of `files`, and `resolver` one for the walked files, if the
    caller has them. `keep` gets files as they come, so that not all are held in memory. Files that
    change the imports of unchanged files come last, so that a scan after a crash checks these
    imports again.
    """
    began = time.monotonic()
    walked = walked if walked is not None else walk_tree(root)
    stamps = stamps if stamps is not None else files.stamps()
    known_before = bool(stamps) or bool(files.count())
    stamps, present = _only_below(_prefix(below), stamps, walked.files)
    gate = stamps if incremental else {}
    wanted = [f for f in present if _differs(f, gate.get(f.path))]
    known = _digests(files, wanted, gate)
    resolver = (resolver or Resolver.of(root, walked.files)).kept_in(files)
    job = _Scan(Path(os.path.realpath(root)), files, resolver, redact, stamps, keep)
    went = set(stamps).difference(file.path for file in present)
    if known_before:
        job.moved((file.path for file in present if file.path not in stamps), went)
    done = 0
    for batch in _batches(job.base, wanted, known, _processes(len(wanted), workers, apart)):
        job.take(batch, known)
        done += len(batch)
        if progress is not None:
            progress("scan", done, len(wanted))
    went |= set(job.unreadable)
    job.relink(went)
    job.put(job.behind)
    return ScanReport(
        changed=tuple(job.changed.values()),
        removed=tuple(sorted(path for path in went if path in stamps)),
        same_text=frozenset(job.same_text),
        same_chunks=frozenset(job.same_chunks),
        added=tuple(sorted(job.added)),
        modified=tuple(sorted(job.modified)),
        relinked=tuple(sorted(job.relinked)),
        skipped=tuple(sorted({**dict(walked.skipped), **job.unreadable}.items())),
        files=len(present),
        put=len(job.put_paths.union(job.changed)),
        parsed=len(job.added) + len(job.modified),
        readings=tuple(resolver.unkept()),
        stamps=tuple(job.stamps),
        source=walked.source,
        note=walked.note,
        seconds=time.monotonic() - began,
    )


def _digests(
    files: CodeIndex, wanted: Sequence[WalkedFile], gate: Mapping[str, Stamp]
) -> dict[str, str]:
    """The stored state of the read files, without those that exceeded the parser's limits."""
    known = {file.path: gate[file.path][2] for file in wanted if file.path in gate}
    large = [file.path for file in wanted if file.size > _SMALL and file.path in known]
    for stored in files.all(large) if large else ():
        if stored.error in NOT_UNDERSTOOD:
            del known[stored.path]
    return known


def _differs(file: WalkedFile, stored: Stamp | None) -> bool:
    if stored is None:
        return True
    return stored[:2] != (file.size, file.mtime_ns) or outdated(stored[2])


def _only_below(
    prefix: str, stamps: Mapping[str, Stamp], present: Sequence[WalkedFile]
) -> tuple[Mapping[str, Stamp], Sequence[WalkedFile]]:
    if not prefix:
        return stamps, present
    return (
        {path: stamp for path, stamp in stamps.items() if path.startswith(prefix)},
        [file for file in present if file.path.startswith(prefix)],
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
    """One scan in progress.

    `behind` are files to write after the unchanged files whose imports they affect, `put_paths` the
    paths that `keep` got.
    """

    base: Path
    files: CodeIndex
    resolver: Resolver
    redact: Redact | None
    stored: Collection[str]
    keep: Keep | None
    changed: dict[str, SourceFile] = field(default_factory=dict)
    behind: list[SourceFile] = field(default_factory=list)
    put_paths: set[str] = field(default_factory=set)
    fresh: set[str] = field(default_factory=set)
    same_text: set[str] = field(default_factory=set)
    same_chunks: set[str] = field(default_factory=set)
    added: list[str] = field(default_factory=list)
    modified: list[str] = field(default_factory=list)
    relinked: list[str] = field(default_factory=list)
    stamps: list[FileStamp] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)
    affected: Affected = field(init=False)

    def __post_init__(self) -> None:
        self.affected = Affected(self.resolver)

    def put(self, files: Sequence[SourceFile]) -> None:
        """Pass files to `keep`, or collect them for the report."""
        if self.keep is None:
            self.changed.update((file.path, file) for file in files)
        elif files:
            paths = {file.path for file in files}
            same = frozenset(c.id for file in files for c in file.chunks) & self.same_chunks
            self.keep(files, frozenset(paths & self.same_text), same)
            self.same_chunks -= same
            self.put_paths |= paths

    def moved(self, came: Iterable[str], went: Collection[str]) -> None:
        """Record added and removed files. If there are many, resolve the imports of unchanged files again at
        once.
        """
        for path in (*came, *went):
            self.affected.move(path)
        removed_paths = sorted(path for path in went if not self.affected.all and decides(path))
        for stored in self.files.get(removed_paths) if removed_paths else ():
            self.affected.change(stored, None)
        if self.affected.all:
            self.relink(went)
            self.affected = Affected(self.resolver)

    def take(self, batch: Sequence[SourceFile], digests: Mapping[str, str]) -> None:
        """Process a batch of read files."""
        ready: list[SourceFile] = []
        known = self._known(batch, digests)
        for fresh in batch:
            path = fresh.path
            if fresh.size < 0:
                self.unreadable[path] = fresh.error
                continue
            stored = known.get(path)
            if digests.get(path) == fresh.digest:
                self.stamps.append(FileStamp(path, fresh.size, fresh.mtime_ns))
                continue
            # A file read again on request, or with another analysis version, is
            # indexed completely.
            before = stored if path in digests and not outdated(digests[path]) else None
            finished = self._finished(fresh, before)
            self.fresh.add(path)
            self.same_text.discard(path)
            (self.modified if path in self.stored else self.added).append(path)
            moves = path in self.affected.moved
            other = stored is not None and stored.digest != fresh.digest
            if (moves or other) and decides(path):
                moves |= self.affected.change(stored, fresh)
            (self.behind if moves else ready).append(finished)
        self.put(ready)

    def _known(
        self, batch: Sequence[SourceFile], digests: Mapping[str, str]
    ) -> dict[str, SourceFile]:
        """The stored state of the files of a batch."""
        paths = [
            f.path
            for f in batch
            if f.path in self.stored and (f.path in digests or decides(f.path))
        ]
        found = {file.path: file for file in self.files.get(paths)} if paths else {}
        return found | {path: self.changed[path] for path in paths if path in self.changed}

    def relink(self, lost: Collection[str]) -> None:
        """Resolve imports of unchanged files again if they may have other targets."""
        if not self.affected:
            return
        concerned = self.affected.concerned(self.files)
        paths = [p for p in concerned if p not in lost and p not in self.fresh]
        for start in range(0, len(paths), _RELINKED_AT_ONCE):
            some = paths[start : start + _RELINKED_AT_ONCE]
            elsewhere = [
                path
                for path, language, imports in self.files.imports(some)
                if self.affected.has(path, language, imports)
                and self.resolver.resolve(path, language, imports) != imports
            ]
            found: list[SourceFile] = []
            for known in self.files.get(elsewhere) if elsewhere else ():
                whole = self.changed.get(known.path, known)
                imports = self._afresh(known)
                if imports != whole.imports:
                    self.same_text.add(known.path)
                    self.relinked.append(known.path)
                    found.append(replace(whole, imports=imports))
            self.put(found)

    def _afresh(self, known: SourceFile) -> tuple[Import, ...]:
        """The imports of a file as written, for resolving again: stored ones have the names of
        their old targets, which may be wrong for new ones.
        """
        bare = WalkedFile(known.path, known.size, known.mtime_ns)
        written = analysed(self.base, [(bare, "")])[0]
        source_file = written if written.digest == known.digest else known
        return self.resolver.resolve(known.path, known.language, source_file.imports)

    def _finished(self, file: SourceFile, before: SourceFile | None) -> SourceFile:
        imports = self.resolver.resolve(file.path, file.language, file.imports)
        file = replace(file, imports=imports, chunks=tuple(self._pieces(file, before)))
        hide = self.redact
        if hide is None:
            return file
        return replace(
            file,
            # A signature contains the values of constants and defaults, and those are
            # literals.
            symbols=tuple(
                replace(s, signature=hide([s.signature])[0]) if _QUOTE.search(s.signature) else s
                for s in file.symbols
            ),
        )

    def _pieces(self, file: SourceFile, before: SourceFile | None) -> Iterator[Chunk]:
        """The chunks of a file, redacted; an unchanged one keeps its stored text."""
        known = {piece.id: piece for piece in before.chunks} if before is not None else {}
        ids = [owned_id(piece, self.files.owner) for piece in file.chunks]
        # The text of an unchanged chunk was redacted when it came.
        stored = [
            known[id].text if id in known and known[id].symbol == piece.symbol else None
            for piece, id in zip(file.chunks, ids, strict=True)
        ]
        self.same_chunks.update(
            id for id, text in zip(ids, stored, strict=True) if text is not None
        )
        texts = self._redacted([piece.text for piece in file.chunks], stored)
        for piece, id, text in zip(file.chunks, ids, texts, strict=True):
            yield replace(piece, id=id, text=text)

    def _redacted(self, texts: Sequence[str], stored: Sequence[str | None]) -> list[str]:
        """The stored text of each chunk, or else its text redacted together with its neighbours': a secret may
        begin in one chunk and end in the next.
        """
        done = [text if old is None else old for text, old in zip(texts, stored, strict=True)]
        place = 0
        while self.redact is not None and place < len(texts):
            if stored[place] is not None:
                place += 1
                continue
            end = next((n for n in range(place, len(texts)) if stored[n] is not None), len(texts))
            low = max(0, place - 1)
            clean = self.redact(texts[low : end + 1])
            done[place:end] = clean[place - low : end - low]
            place = end
        return done


def _processes(files: int, workers: int | None, apart: bool) -> int:
    """How many processes read this many files; 0 is the current process."""
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
    here = 0
    if not processes:
        # Files read before were within the limits, and most small ones are.
        risky = {pair[0].path for pair in pairs if _untried(pair) or _monotonous(base, pair[0])}
        pairs.sort(key=lambda pair: pair[0].path in risky)
        here = len(pairs) - len(risky)
        for start in range(0, here, _BATCH):
            some = pairs[start : min(here, start + _BATCH)]
            batch = analysed(base, some, _IN_PROCESS)
            pairs += [p for p, f in zip(some, batch, strict=True) if f.error == OVER_LIMIT]
            yield [file for file in batch if file.error != OVER_LIMIT]
    groups = [pairs[start : start + _BATCH] for start in range(here, len(pairs), _BATCH)]
    done = 0
    if groups:
        try:
            for batch in analysed_by(min(max(1, processes), len(groups)), base, groups):
                done += 1
                yield batch
        except Unavailable:
            # If processes cannot be started or are killed, this process does the
            # rest.
            pass
    for group in groups[done:]:
        yield analysed(base, group, CPU_SECONDS)


def _untried(pair: tuple[WalkedFile, str]) -> bool:
    file, known = pair
    return file.size > _SMALL and not known and language_name(file.path) in PARSED


def _monotonous(base: Path, file: WalkedFile) -> bool:
    """Whether a file repeats itself in a way no program does.

    Errors in such a text cost a parser time with the square of its size: 12 s of CPU for 8 kB of
    `/*` in Python.
    """
    if file.size < _SHORT or language_name(file.path) not in PARSED:
        return False
    try:
        data = read_listed(base, file.path, limit=_LARGEST_JUDGED)
    except ContextdError:
        return False
    some = data if len(data) <= _SMALL else data[: _SMALL // 2] + data[-_SMALL // 2 :]
    return len(compress(some, 1)) * _REPEATED < len(some)
