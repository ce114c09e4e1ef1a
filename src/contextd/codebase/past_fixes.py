"""Commits that fixed some files or wrote lines of them, and the tests that changed with them, cached until they
change.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from contextd.runtime.caches import Cache
from contextd.runtime.runtime import Runtime
from contextd_code.git import diffs
from contextd_code.git import git_queries as git
from contextd_code.symbols.symbol_graph import Definition
from contextd_code.values.source import is_test

_REMEMBERED = 500
"""Cached answers of git: each walks the history of its files, which takes a quarter of a second for 10,000
commits.
"""


def fixes_of(runtime: Runtime, paths: Sequence[str], limit: int) -> list[git.Commit]:
    """See `diffs.fixes`."""
    known: Cache[tuple[Path, str, tuple[str, ...], int], list[git.Commit] | None]
    known = runtime.organisation.caches.of("past fixes", _REMEMBERED)
    key = runtime.root, git.here(runtime.root)[0], tuple(paths), limit
    return known.made(key, lambda: diffs.fixes(runtime.root, paths, limit=limit)) or []


def writers_of(runtime: Runtime, one: Definition) -> set[str]:
    """The commits that wrote the current lines of a definition."""
    try:
        about = os.stat(runtime.root / one.path)  # noqa: PTH116 - half the time of Path.stat
    except OSError:
        return set()
    lines = one.symbol.start_line, one.symbol.end_line
    known: Cache[tuple[object, ...], set[str] | None]
    known = runtime.organisation.caches.of("writers of lines", _REMEMBERED)
    head = git.here(runtime.root)[0]
    key = runtime.root, head, one.path, about.st_size, about.st_mtime_ns, lines
    return known.made(key, lambda: diffs.touching(runtime.root, one.path, *lines)) or set()


def changed_along(runtime: Runtime, paths: Sequence[str]) -> Counter[str]:
    """How often other files changed together with some source files: tests that run over HTTP or a command line
    have no calls to follow.
    """
    sources = tuple(path for path in paths if not is_test(path))
    if not sources:
        return Counter()
    known: Cache[tuple[Path, str, tuple[str, ...]], Counter[str] | None]
    known = runtime.organisation.caches.of("changed along", _REMEMBERED)
    key = runtime.root, git.here(runtime.root)[0], sources
    return known.made(key, lambda: diffs.changed_along(runtime.root, sources)) or Counter()
