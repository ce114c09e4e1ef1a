"""Keeping the code index true to the checkout a call stands in, before the call looks into it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from contextd.code.index.freshness import Difference, Tree
from contextd.code.index.languages.table import language_name
from contextd.code.index.resolve import Resolver
from contextd.domain.scope import Scope
from contextd.operations.background import Task, job
from contextd.operations.scanning import scan_project
from contextd.ports import Store
from contextd.runtime import Runtime

INLINE = 64
"""So many changed files are indexed before the call goes on; more follow in the background."""

_TREES_KEPT, _RESOLVERS_KEPT = 16, 4
_RECOUNT_SHARE = 0.02
"""When so much of the files has changed a few at a time, the index counts its common words anew."""


@dataclass(slots=True)
class Checkouts:
    """The checkouts seen by this process, and which of them each scope's index describes. Whoever
    looks at one holds its project's lock.
    """

    trees: dict[Path, Tree] = field(default_factory=dict[Path, Tree])
    described: dict[Scope, Path] = field(default_factory=dict[Scope, Path])
    uncounted: dict[Scope, int] = field(default_factory=dict[Scope, int])
    roots: dict[Scope, set[Path]] = field(default_factory=dict[Scope, set[Path]])
    locks: dict[Scope, threading.RLock] = field(default_factory=dict[Scope, threading.RLock])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def alone(self, scope: Scope, root: Path) -> bool:
        """Whether calls of this project came from this checkout only, so far."""
        with self.lock:
            roots = self.roots.setdefault(scope, set())
            roots.add(root)
            return len(roots) == 1

    def held(self, scope: Scope) -> threading.RLock:
        """The lock of a project's checkouts."""
        with self.lock:
            return self.locks.setdefault(scope, threading.RLock())

    def tree(self, root: Path) -> Tree:
        """What is remembered of a checkout; the one not asked for longest is given up."""
        with self.lock:
            found = self.trees.pop(root, None) or Tree(root)
            self.trees[root] = found
            while len(self.trees) > _TREES_KEPT:
                self.trees.pop(next(iter(self.trees))).close()
            for tree in list(self.trees.values())[:-_RESOLVERS_KEPT]:
                tree.resolver = None
            return found


_SEEN: WeakKeyDictionary[Store, Checkouts] = WeakKeyDictionary()
_SEEN_LOCK = threading.Lock()


def checkouts(store: Store) -> Checkouts:
    """What this process remembers for a store. Nothing of it is needed: it saves work."""
    with _SEEN_LOCK:
        return _SEEN.setdefault(store, Checkouts())


def fresh(runtime: Runtime) -> str:
    """Make the code index say what the caller's checkout says. Returns what it could not yet do.

    A few changed files are indexed at once, many by a job. Two work trees of one project share an
    index: a call from the other one first brings over the files that differ between them.
    """
    if runtime.project is None or runtime.root is None:
        return ""
    seen = checkouts(runtime.store)
    with seen.held(runtime.scope):
        tree = seen.tree(runtime.root)
        difference = _difference(runtime, seen, tree)
        if difference is None:
            return ""
        if difference.count > INLINE:
            seen.described.pop(runtime.scope, None)
            _queue(runtime)
            return f"{difference.count} files changed; their index follows in the background, grep sees them now"
        _bring(runtime, seen, tree, difference)
        if tree.watcher is None or difference.added or difference.removed:
            runtime.sinks.later(lambda: _watch(runtime))
        return ""


@contextmanager
def steady(runtime: Runtime) -> Iterator[str]:
    """As `fresh`, for a call that looks into the index inside: of a project with several work trees,
    no other one's call changes the index meanwhile.
    """
    if runtime.project is None or runtime.root is None:
        yield ""
        return
    seen = checkouts(runtime.store)
    if seen.alone(runtime.scope, runtime.root):
        yield fresh(runtime)
        return
    with seen.held(runtime.scope):
        yield fresh(runtime)


def _difference(runtime: Runtime, seen: Checkouts, tree: Tree) -> Difference | None:
    scope, files = runtime.scope, runtime.store.files
    settled = seen.described.get(scope) == tree.root
    walked = tree.look(settled=settled)
    if walked is None:
        return None
    # Until all of it is brought over, the index describes no tree.
    seen.described.pop(scope, None)
    touched = tree.touched
    if not settled or touched is None or len(touched) > INLINE:
        return tree.compare_all(walked, files.stamps(scope))
    known = (files.get(scope, path) for path in touched)
    stamps = {file.path: (file.size, file.mtime_ns, file.digest) for file in known if file}
    some = tuple(file for file in walked.files if file.path in touched)
    return tree.compare(replace(walked, files=some), stamps)


def _bring(runtime: Runtime, seen: Checkouts, tree: Tree, difference: Difference) -> None:
    if difference.count:
        behind = seen.uncounted.get(runtime.scope, 0) + difference.count
        recount = behind > max(
            INLINE, _RECOUNT_SHARE * len(tree.walked.files if tree.walked else ())
        )
        scan_project(
            runtime,
            walked=difference.walked,
            stamps=difference.stamps,
            resolver=tree.linked(difference),
            recount=recount,
        )
        seen.uncounted[runtime.scope] = 0 if recount else behind
    seen.described[runtime.scope] = runtime.checkout


def _queue(runtime: Runtime) -> None:
    arguments = {"project": str(runtime.scope), "root": str(runtime.root)}
    runtime.store.jobs.enqueue(
        "refresh_index", arguments, unique_key=f"refresh:{runtime.scope}:{runtime.root}"
    )
    runtime.sinks.wake()


@job
def refresh_index(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Bring the code index up to date with a checkout in which many files changed."""
    root = Path(str(task.arguments.get("root", "")))
    if runtime.project is None or str(root) not in runtime.project.roots or not root.is_dir():
        return {"skipped": "the checkout is gone"}
    there = replace(runtime, root=root)
    seen = checkouts(runtime.store)
    with seen.held(runtime.scope):
        seen.described.pop(runtime.scope, None)
        difference = _difference(there, seen, seen.tree(root))
        if difference is None:
            return {"changed": 0}
    # Scanning is long: other calls go on, and compare again before they trust the index.
    report = scan_project(there, walked=difference.walked)
    return {"changed": report.changed_count, "removed": len(report.removed)}


def _watch(runtime: Runtime) -> None:
    """Ask the system for hints; where a session is open, have a resolver at hand as well."""
    store = runtime.store
    if runtime.root is None:
        return
    seen = checkouts(store)
    with seen.held(runtime.scope):
        tree = seen.tree(runtime.root)
        tree.watch()
        walked = tree.walked if tree.resolver is None else None
    if walked is None or not store.sessions.find(
        frozenset({runtime.scope}), statuses=("active",), limit=1
    ):
        return
    # Whoever changes the first file should not wait for it, nor should a search meanwhile.
    paths = [file.path for file in walked.files]
    resolver = Resolver(runtime.root, paths)
    resolver.ready({language_name(path) for path in paths})
    with seen.held(runtime.scope):
        tree.resolver = tree.resolver or resolver


def rest(runtime: Runtime) -> int:
    """Stop watching the checkouts of projects without an active session; says how many."""
    store = runtime.store
    busy = {
        root
        for project in store.projects.all()
        if store.sessions.find(frozenset({project.scope}), statuses=("active",), limit=1)
        for root in project.roots
    }
    seen = checkouts(store)
    with seen.lock:
        idle = [t for r, t in seen.trees.items() if t.watcher is not None and str(r) not in busy]
    for tree in idle:
        tree.close()
    return len(idle)


def forget(store: Store) -> None:
    """Give back everything held for a store that closes."""
    with _SEEN_LOCK:
        seen = _SEEN.pop(store, None)
    if seen is not None:
        with seen.lock:
            for tree in seen.trees.values():
                tree.close()
