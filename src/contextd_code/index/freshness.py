"""Check cheaply whether the code model still describes a checkout.

A check lists and stats the files. A watcher's hint makes it cheaper; without one, checks are spaced by their
own duration, and slow ones by more: they never take more than half of the time.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from contextd_code.index.resolve import Resolver
from contextd_code.tree.content import content_digest, outdated
from contextd_code.tree.paths import read_listed
from contextd_code.tree.walk import Walk, WalkedFile, changed_ns, walk
from contextd_code.tree.watch import Watcher, folders_of, watch
from contextd_code.values.source import FileStamp
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError

CHEAP = 0.25
REST_PER_COST = 4.0
"""Without a watcher, checks that take up to `CHEAP` seconds are spaced by their own duration, others by four
times that.
"""

TRUST = 10.0
"""Seconds for which a watcher's silence is trusted: hints can be lost."""

COMPARED = 60.0
"""Seconds after which all files are compared with the model again, which other processes change too."""

_MOST_HINTS = 200
_RACY_NS = 20_000_000
"""Seconds; a younger file may change again without a new time stamp."""

Stamp = tuple[int, int, str]
"""Size, mtime_ns and digest."""


@dataclass(frozen=True, slots=True)
class CheckoutDifference:
    """The differences between a checkout and the code model. `walked` is what to scan: a file with known
    content is listed with the model's stamp, so that a scan skips it. `stamps` are those of the model.
    `stamped` are new stamps of files with known content.
    """

    walked: Walk
    stamps: Mapping[str, Stamp]
    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    stamped: tuple[FileStamp, ...] = ()

    @property
    def count(self) -> int:
        """The number of differing files."""
        return len(self.changed) + len(self.added) + len(self.removed)

    @property
    def paths(self) -> frozenset[str]:
        """The differing files."""
        return frozenset((*self.changed, *self.added, *self.removed))

    def only(self, paths: Collection[str]) -> CheckoutDifference:
        """A difference limited to these existing files: to a scan of it the others neither exist nor are known,
        so it leaves them alone.
        """
        others = {*self.changed, *self.added, *self.removed}.difference(paths)
        return CheckoutDifference(
            replace(self.walked, files=tuple(f for f in self.walked.files if f.path not in others)),
            {path: stamp for path, stamp in self.stamps.items() if path not in others},
            tuple(path for path in self.changed if path not in others),
            tuple(path for path in self.added if path not in others),
        )


@dataclass(slots=True)
class Tree:
    """The cached state of one checkout between checks. Not thread-safe.

    `digests` holds digests for stamps that the model does not have yet. `resolver` tracks the files from scan
    to scan. `limit` removes files from a walk that are not to be indexed. `touched` are the files that the
    latest check found changed since the check before it, added and removed ones included, or None without a
    recent check to compare with: then all are to be compared with the model.
    """

    root: Path
    clock: Callable[[], float] = time.monotonic
    walked: Walk | None = None
    looked_at: float = 0.0
    cost: float = 0.0
    watcher: Watcher | None = None
    refused: bool = False
    resolver: Resolver | None = None
    limit: Callable[[Walk], Walk] | None = None
    touched: frozenset[str] | None = None
    compared_at: float = float("-inf")
    digests: dict[str, Stamp] = field(default_factory=dict[str, Stamp])
    unlisted: set[str] = field(default_factory=set[str])

    def look(self, *, settled: bool, certain: bool = False) -> Walk | None:
        """The current files; None when none can have changed, or it is too soon to check.

        When not `settled`, the model describes another tree, and the files are always returned. With `certain`,
        a watcher's silence is not trusted: on a busy machine a hint comes late.
        """
        watcher = self.watcher
        hints = watcher.changes() if watcher is not None else None
        rested = self.clock() - self.looked_at
        due = certain or rested > (self._rest if hints is None else TRUST)
        if self.walked is None or due:
            return self._look_at_all()
        if hints:
            touched = self._touched(self.walked, hints - self.unlisted)
            if touched is None:
                return self._look_at_all(hints)
            changed = touched is not self.walked
            self.touched = frozenset(hints) if self._recent else None
            self.walked = touched
            return touched if changed or not settled else None
        return None if settled else self.walked

    @property
    def _rest(self) -> float:
        return self.cost if self.cost <= CHEAP else REST_PER_COST * self.cost

    @property
    def _recent(self) -> bool:
        return self.clock() - self.compared_at < COMPARED

    def keep_within(self, limit: Callable[[Walk], Walk] | None) -> None:
        """Leave files that `limit` excludes out of comparisons. All files are compared again when a limit was
        added or removed: an excluded file is not a deleted one.
        """
        if (limit is None) != (self.limit is None):
            self.walked = None
        self.limit = limit

    def watch(self) -> bool:
        """Watch the folders that hold files; start again when the folders changed. Return whether it works; a
        refusal of the system is remembered and not retried.
        """
        if self.walked is None or self.refused:
            return False
        folders = folders_of(file.path for file in self.walked.files)
        if self.watcher is None or self.watcher.folders != folders:
            self.close()
            self.watcher = watch(self.root, folders)
            self.refused = self.watcher is None
            # Changes during the setup of the watches were not reported.
            self.looked_at = 0.0
        return self.watcher is not None

    def linked(self) -> Resolver:
        """A resolver for the files of the latest check."""
        assert self.walked is not None
        return self._following(self.walked.files, {})

    def linked_beside(self, difference: CheckoutDifference, some: CheckoutDifference) -> Resolver:
        """A resolver for `some` files of a difference, which takes the other files from the model: a later scan
        resolves imports again that those files change.
        """
        assert self.walked is not None
        left = {
            path: difference.stamps[path][:2]
            for path in difference.changed
            if path not in some.stamps
        }
        ahead = {*difference.changed, *difference.added}.difference(some.changed, some.added)
        return self._following([f for f in self.walked.files if f.path not in ahead], left)

    def _following(
        self, files: Sequence[WalkedFile], left: Mapping[str, tuple[int, int]]
    ) -> Resolver:
        # An interrupted resolver is discarded.
        resolver, self.resolver = self.resolver or Resolver(self.root, ()), None
        resolver.follow(files, left)
        self.resolver = resolver
        return resolver

    def close(self) -> None:
        """Stop watching."""
        watcher, self.watcher = self.watcher, None
        if watcher is not None:
            watcher.close()

    def compare_all(self, walked: Walk, stamps: Mapping[str, Stamp]) -> CheckoutDifference:
        """As `compare`, for all files and the whole model."""
        self.touched = None
        self.compared_at = self.clock()
        return self.compare(walked, stamps)

    def compare(self, walked: Walk, stamps: Mapping[str, Stamp]) -> CheckoutDifference:
        """How this checkout differs from the model with these `stamps`, in the files of `walked` and those with
        a stamp.

        A file of the same size with another time is read once and compared. A file with a known earlier version
        counts as changed.
        """
        files: list[WalkedFile] = []
        changed, added, stamped = [], [], []
        present = set()
        for file in walked.files:
            path = file.path
            present.add(path)
            stored = stamps.get(path)
            if stored is None:
                added.append(path)
            elif outdated(stored[2]):
                changed.append(path)
            elif (file.size, file.mtime_ns) != stored[:2]:
                if file.size == stored[0] and self._digest(file) == stored[2]:
                    if path in self.digests:
                        stamped.append(FileStamp(path, file.size, file.mtime_ns))
                    file = WalkedFile(path, stored[0], stored[1])
                else:
                    changed.append(path)
            files.append(file)
        removed = sorted(set(stamps) - present)
        same = replace(walked, files=tuple(files))
        return CheckoutDifference(
            same, stamps, tuple(changed), tuple(added), tuple(removed), tuple(stamped)
        )

    def _digest(self, file: WalkedFile) -> str:
        known = self.digests.get(file.path)
        if known is not None and known[:2] == (file.size, file.mtime_ns):
            return known[2]
        try:
            digest = content_digest(read_listed(self.root, file.path))
        except ContextdError:
            return ""
        if time.time_ns() - file.mtime_ns > _RACY_NS:
            self.digests[file.path] = (file.size, file.mtime_ns, digest)
        return digest

    def _look_at_all(self, hints: set[str] | None = None) -> Walk:
        began, before = self.clock(), self.walked
        found = walk(self.root)
        self.walked = self.limit(found) if self.limit is not None else found
        self.touched = _touched_since(before, self.walked) if before and self._recent else None
        self.looked_at = self.clock()
        self.cost = self.looked_at - began
        listed = {file.path for file in self.walked.files}
        self.unlisted = (hints or set()) - listed
        return self.walked

    def _touched(self, walked: Walk, hints: set[str]) -> Walk | None:
        """The files, with hinted ones checked again; None when a full check is needed."""
        if len(hints) > _MOST_HINTS:
            return None
        known = {file.path: file for file in walked.files}
        changed = False
        for path in hints:
            if path not in known or path.rsplit("/", 1)[-1] == ".gitignore":
                return None
            try:
                about = os.lstat(self.root / path)
            except OSError:
                del known[path]
                changed = True
                continue
            if not stat.S_ISREG(about.st_mode):
                return None
            now = WalkedFile(path, about.st_size, changed_ns(about))
            changed = changed or now != known[path]
            known[path] = now
        return replace(walked, files=tuple(known.values())) if changed else walked


def _touched_since(before: Walk, now: Walk) -> frozenset[str]:
    """The files that differ between two walks, by path or stamp. Both are in order."""
    touched: list[str] = []
    news = iter(now.files)
    new = next(news, None)
    for old in before.files:
        while new is not None and new.path < old.path:
            touched.append(new.path)
            new = next(news, None)
        if new is None or new.path != old.path:
            touched.append(old.path)
            continue
        if new != old:
            touched.append(old.path)
        new = next(news, None)
    if new is not None:
        touched.append(new.path)
    return frozenset((*touched, *(file.path for file in news)))
