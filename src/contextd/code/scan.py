"""Brings the stored code model up to date with the disk, at the cost of what changed."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from contextd.code.analyse import analyse
from contextd.code.content import content_digest
from contextd.code.languages.table import changes_resolution
from contextd.code.paths import read_listed
from contextd.code.resolve import Resolver
from contextd.code.walk import Walk, WalkedFile
from contextd.code.walk import walk as walk_tree
from contextd.domain.code import Chunk, SourceFile
from contextd.domain.errors import ContextdError
from contextd.domain.query import CODE, Document
from contextd.domain.scope import Scope
from contextd.ports import Files

_WORTH_PROCESSES = 1_500
_BATCH = 250
_RACY_NS = 20_000_000
_LARGEST_READ = 8_000_000

Keep = Callable[[Sequence[SourceFile], Sequence[str], Sequence[str]], None]
"""Called with (files to put, paths to remove, ids of chunks that are gone), batch by batch."""


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a scan found. `added`, `changed`, `removed` are paths; `relinked` are unchanged files
    whose imports lead elsewhere now; `skipped` pairs a path with the reason.

    `indexed` are the paths whose documents have to be put into the index, `stale_chunks` the ids
    to delete from it.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    relinked: tuple[str, ...] = ()
    unchanged: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    indexed: tuple[str, ...] = ()
    stale_chunks: tuple[str, ...] = ()
    source: str = ""
    note: str = ""
    seconds: float = 0.0


@dataclass(slots=True)
class _Plan:
    """What the gate of size and time leaves to look at."""

    read: list[WalkedFile] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    added: set[str] = field(default_factory=set)


def scan(
    root: Path,
    files: Files,
    scope: Scope,
    *,
    walk: Walk | None = None,
    progress: Callable[[int, int], None] | None = None,
    workers: int | None = None,
    full: bool = False,
    redact: Callable[[str], str] | None = None,
    keep: Keep | None = None,
) -> ScanReport:
    """Scan `root` and keep what it says under `scope`.

    A file is read when its size or time differs from the stored ones, and parsed when its content
    does; `full` parses everything. Past 1,500 files to read, `workers` processes share the work.
    `redact` is applied to the text of chunks before they are kept. `keep` replaces the writes to
    `files`, so that a caller can put files and their documents into one transaction per batch.
    """
    began = time.monotonic()
    walked = walk if walk is not None else walk_tree(root)
    stamps = files.stamps(scope)
    plan = _plan(walked, {} if full else stamps, stamps)
    resolver = Resolver(root, [file.path for file in walked.files])
    job = _Scan(root, files, scope, keep or _putter(files, scope), redact, resolver)
    job.remove(plan.removed)
    done = 0
    base = Path(os.path.realpath(root))
    known = {} if full else {path: stamp[2] for path, stamp in stamps.items()}
    for batch in _batches(base, plan.read, known, workers):
        job.take(batch, known, stamps)
        done += len(batch)
        if progress is not None:
            progress(done, len(plan.read))
    gone = {*job.unreadable} & set(stamps)
    job.remove(sorted(gone))
    moved = bool(plan.removed or plan.added or gone) or any(
        changes_resolution(path) for path in job.changed
    )
    relinked = job.relink(set(job.indexed)) if moved else []
    return ScanReport(
        added=tuple(sorted(path for path in job.indexed if path not in stamps)),
        changed=tuple(sorted(job.changed)),
        removed=tuple(sorted({*plan.removed, *gone})),
        relinked=tuple(relinked),
        unchanged=len(walked.files) - len(job.indexed) - len(job.unreadable),
        skipped=tuple(sorted({**dict(walked.skipped), **job.unreadable}.items())),
        indexed=tuple(sorted(job.indexed)),
        stale_chunks=tuple(job.stale),
        source=walked.source,
        note=walked.note,
        seconds=time.monotonic() - began,
    )


def documents(scope: Scope, source_file: SourceFile) -> list[Document]:
    """The documents of a file, one per chunk, under the chunk's id.

    The path and the symbol stand before the text, so that both are found by their words. Facets
    are `path`, `language` and one `tree` for each folder around the file.
    """
    path = source_file.path
    folders = [str(folder) for folder in PurePosixPath(path).parents if str(folder) != "."]
    facets = (
        f"path={path}",
        f"language={source_file.language}",
        *(f"tree={folder}" for folder in folders),
    )
    return [
        Document(
            id=chunk.id,
            kind=CODE,
            scope=scope,
            text=f"{path} {chunk.symbol}".rstrip() + f"\n{chunk.text}",
            facets=facets,
        )
        for chunk in source_file.chunks
    ]


def _putter(files: Files, scope: Scope) -> Keep:
    def keep(put: Sequence[SourceFile], gone: Sequence[str], _: Sequence[str]) -> None:
        if gone:
            files.remove(scope, gone)
        if put:
            files.put(scope, put)

    return keep


def _plan(walked: Walk, gate: dict[str, tuple[int, int, str]], stamps: Iterable[str]) -> _Plan:
    plan = _Plan()
    present = set()
    known = set(stamps)
    for file in walked.files:
        present.add(file.path)
        if gate.get(file.path, (-1, -1, ""))[:2] != (file.size, file.mtime_ns):
            plan.read.append(file)
    plan.added = present - known
    plan.removed = sorted(known - present)
    return plan


@dataclass(slots=True)
class _Scan:
    """One scan under way."""

    root: Path
    files: Files
    scope: Scope
    keep: Keep
    redact: Callable[[str], str] | None
    resolver: Resolver
    indexed: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)

    def remove(self, paths: Sequence[str]) -> None:
        gone = [chunk_id for path in paths for chunk_id in self._chunk_ids(path)]
        if paths:
            self.stale += gone
            self.keep((), paths, gone)

    def take(
        self, batch: Sequence[SourceFile], digests: Mapping[str, str], stamps: Container[str]
    ) -> None:
        put: list[SourceFile] = []
        gone: list[str] = []
        for fresh in batch:
            path = fresh.path
            if fresh.size < 0:
                self.unreadable[path] = fresh.error
                continue
            if digests.get(path) == fresh.digest:
                stored = self.files.get(self.scope, path)
                if stored is not None:
                    put.append(replace(stored, size=fresh.size, mtime_ns=fresh.mtime_ns))
                continue
            put.append(self._finished(fresh))
            self.indexed.append(path)
            if path in stamps:
                self.changed.append(path)
                kept = {chunk.id for chunk in fresh.chunks}
                gone += [old for old in self._chunk_ids(path) if old not in kept]
        self.stale += gone
        if put:
            self.keep(put, (), gone)

    def relink(self, done: set[str]) -> list[str]:
        """Resolve the imports of unchanged files again. Returns the paths of those that differ."""
        found: list[str] = []
        put: list[SourceFile] = []
        for file in self.files.all(self.scope):
            if file.path in done or not file.imports:
                continue
            imports = self.resolver.resolve(file.path, file.language, file.imports)
            if imports != file.imports:
                whole = self.files.get(self.scope, file.path)
                if whole is not None:
                    put.append(replace(whole, imports=imports))
                    found.append(file.path)
        for start in range(0, len(put), _BATCH):
            self.keep(put[start : start + _BATCH], (), ())
        return found

    def _finished(self, file: SourceFile) -> SourceFile:
        imports = self.resolver.resolve(file.path, file.language, file.imports)
        pieces: tuple[Chunk, ...] = file.chunks
        if self.redact is not None:
            pieces = tuple(replace(piece, text=self.redact(piece.text)) for piece in pieces)
        return replace(file, imports=imports, chunks=pieces)

    def _chunk_ids(self, path: str) -> list[str]:
        stored = self.files.get(self.scope, path)
        return [chunk.id for chunk in stored.chunks] if stored is not None else []


def _batches(
    base: Path, read: Sequence[WalkedFile], known: Mapping[str, str], workers: int | None
) -> Iterator[list[SourceFile]]:
    """The files to read, analysed, some at a time."""
    groups = [read[start : start + _BATCH] for start in range(0, len(read), _BATCH)]
    count = min(workers or os.cpu_count() or 1, len(groups))
    done = 0
    if count > 1 and len(read) > _WORTH_PROCESSES:
        try:
            for batch in _in_processes(base, groups, known, count):
                done += 1
                yield batch
        except (BrokenProcessPool, OSError):
            # Where processes cannot be started or are killed, the rest is done here.
            pass
    for group in groups[done:]:
        yield _analysed(base, group, [known.get(file.path, "") for file in group])


def _in_processes(
    base: Path, groups: Sequence[Sequence[WalkedFile]], known: Mapping[str, str], count: int
) -> Iterator[list[SourceFile]]:
    # A fork of a process with threads can hang; py-tree-sitter holds the GIL, so threads add
    # nothing.
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(count, mp_context=context) as pool:
        digests = [[known.get(file.path, "") for file in group] for group in groups]
        yield from pool.map(_analysed, [base] * len(groups), groups, digests)


def _analysed(base: Path, group: Sequence[WalkedFile], known: Sequence[str]) -> list[SourceFile]:
    return [_read(base, file, digest) for file, digest in zip(group, known, strict=True)]


def _read(base: Path, file: WalkedFile, known: str) -> SourceFile:
    """One file: analysed, bare when its digest is the known one, of size −1 when unreadable."""
    bare = SourceFile(path=file.path, size=file.size, mtime_ns=file.mtime_ns, digest="")
    if file.size > _LARGEST_READ:
        stamp = content_digest(f"{file.size} {file.mtime_ns}".encode())
        return replace(bare, digest=stamp, error=f"larger than {_LARGEST_READ:,} bytes")
    try:
        data = read_listed(base, file.path, limit=_LARGEST_READ)
    except ContextdError as error:
        return replace(bare, size=-1, error=error.message)
    # A write within the clock's tick of this read would leave the time as it is, and be missed by
    # the next scan: such a file gets a time that never matches.
    racy = time.time_ns() - file.mtime_ns < _RACY_NS
    mtime = file.mtime_ns - 1 if racy else file.mtime_ns
    digest = content_digest(data)
    if digest == known:
        return replace(bare, digest=digest, mtime_ns=mtime)
    return analyse(file.path, data, file.size, mtime)
