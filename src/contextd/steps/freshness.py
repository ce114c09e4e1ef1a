"""Keeping the code index true to the checkout a call stands in, before the call looks into it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path

from contextd.caches import Cache
from contextd.code.index.freshness import CheckoutDifference, Tree
from contextd.code.index.languages.table import language_name
from contextd.code.index.resolve import Resolver
from contextd.code.index.scan import ScanReport
from contextd.code.tree.mentions import mentioning
from contextd.domain.dataclass import dataclass
from contextd.domain.scope import Scope
from contextd.domain.words import content_words
from contextd.jobs.table import new_job
from contextd.runtime import Runtime
from contextd.steps.scanning import scan_project
from contextd.steps.weighing import keep_weights

INLINE = 64
"""So many changed files are indexed before the call goes on; more follow in the background."""

_AT_ONCE = 16
"""So many of more changed files, those that mention what is asked, are indexed before it is answered: a
tenth of a second.
"""

_MOST_SWITCHED = 2_000
"""Where more differ, none is indexed before the answer: a project that is scanned for the first time has to
follow the imports of all its files for each, 12 s beside the scan of 60,000.
"""

_TREES_KEPT, _RESOLVERS_KEPT = 16, 4
_PROJECTS_KEPT = 1_000


@dataclass(slots=True)
class Described:
    """What is remembered of a project's index: whose tree it describes, or in which files at most it differs
    from one that is brought over; from which checkouts calls came, and how many of them look into it without
    its lock, which is those of the only checkout.
    """

    root: Path | None = None
    behind: tuple[Path, frozenset[str]] | None = None
    roots: set[Path] = field(default_factory=set[Path])
    readers: int = 0
    lock: threading.Condition = field(default_factory=threading.Condition)

    def enter(self, root: Path) -> None:
        """Count a checkout in; whoever looks as the only one ends first. Under the lock."""
        self.roots.add(root)
        if len(self.roots) > 1:
            self.lock.wait_for(lambda: not self.readers)


@dataclass(frozen=True, slots=True)
class Lag:
    """Where the code index is behind a checkout: a `notice` of it, and the `paths` of which it still says
    what no longer holds. It is `certain` when all files were looked at just now.
    """

    notice: str = ""
    paths: frozenset[str] = frozenset()
    certain: bool = False


@contextmanager
def steady(
    runtime: Runtime, *, certain: bool = False, asked: str = "", wanted: Sequence[str] = ()
) -> Iterator[Lag]:
    """Make the code index say what the caller's checkout says, for a call that looks into it inside.
    Gives where it is behind.

    A few changed files are indexed at once, many by a job: of them only such as mention what is `asked`
    and those that are `wanted` at once. Two work trees of one project share an
    index: a call from the other one first brings over the files that differ between them, and none
    changes the index while another looks. For a caller who may only read, the index stays as it is.
    With `certain` all files are looked at, whatever the system told of them.
    """
    if runtime.project is None or runtime.checkout is None:
        yield Lag()
        return
    index = _described(runtime)
    with index.lock:
        index.enter(runtime.root)
        if len(index.roots) > 1:
            yield _compared(runtime, index, certain, asked, wanted)
            return
        index.readers += 1
    try:
        yield _compared(runtime, index, certain, asked, wanted)
    finally:
        with index.lock:
            index.readers -= 1
            index.lock.notify_all()


def _compared(
    runtime: Runtime, index: Described, certain: bool, asked: str, wanted: Sequence[str]
) -> Lag:
    with index.lock:
        tree = _tree(runtime)
        before = tree.looked_at
        difference = _difference(runtime, index, tree, certain)
        looked = tree.looked_at != before
        if difference is None:
            return Lag(certain=looked)
        stale = frozenset((*difference.changed, *difference.removed))
        if difference.count and not runtime.caller.may("write", runtime.scope):
            notice = f"{difference.count} files changed since they were indexed, grep sees them now"
            return Lag(notice, stale, looked)
        if difference.count > INLINE:
            index.root = None
            index.behind = tree.root, difference.paths
            brought: frozenset[str] = frozenset()
            if (asked or wanted) and difference.count <= _MOST_SWITCHED:
                brought = _bring_some(runtime, tree, difference, asked, wanted)
            root = str(runtime.root)
            job = new_job("refresh_index", runtime.scope, runtime.place, {"root": root}, once=root)
            runtime.queue(job)
            return Lag(
                f"{difference.count} files changed; their index follows in the background, "
                "grep sees them now",
                stale - brought,
                looked,
            )
        _bring(runtime, index, tree, difference)
        if tree.watcher is None or difference.added or difference.removed:
            runtime.sinks.prepare("watch", runtime.root, lambda: _watch(runtime))
        return Lag(certain=looked)


def refreshed(runtime: Runtime, check: Callable[[], None]) -> ScanReport:
    """Bring the whole index up to date with the caller's checkout. Other calls go on meanwhile, and
    compare again before they trust the index. `check` may raise to end it between two commits.
    """
    index = _described(runtime)
    with index.lock:
        # The scan takes the difference for one of all files.
        index.root = index.behind = None
        tree = _tree(runtime)
        difference = _difference(runtime, index, tree)
        if difference is None:
            return ScanReport()
        index.behind = tree.root, difference.paths
        known, walked = tree.resolver, tree.walked
        assert walked is not None
        # Its own one: calls go on with that of the tree, and find what was read for both.
        resolver = (known or Resolver(runtime.root, ())).apart(walked.files)
    report = scan_project(runtime, walked=difference.walked, resolver=resolver, check=check)
    check()
    keep_weights(runtime)
    return report


def rest(runtime: Runtime, busy: frozenset[Path]) -> int:
    """Stop watching the checkouts that are not `busy`; says how many."""
    idle = [tree for tree in _trees(runtime).values() if tree.watcher and tree.root not in busy]
    for tree in idle:
        tree.close()
    return len(idle)


def _described(runtime: Runtime) -> Described:
    cache: Cache[Scope, Described] = runtime.organisation.caches.of(
        "described trees", _PROJECTS_KEPT
    )
    return cache.made(runtime.scope, Described)


def _trees(runtime: Runtime) -> Cache[Path, Tree]:
    return runtime.organisation.caches.of("checkouts", _TREES_KEPT, close=Tree.close)


def _tree(runtime: Runtime) -> Tree:
    """What is remembered of the caller's checkout. Resolvers are large: few trees keep one."""
    trees = _trees(runtime)
    found = trees.made(runtime.root, lambda: Tree(runtime.root))
    for tree in trees.values()[:-_RESOLVERS_KEPT]:
        tree.resolver = None
    return found


def _difference(
    runtime: Runtime, index: Described, tree: Tree, certain: bool = False
) -> CheckoutDifference | None:
    scope, files = runtime.scope, runtime.view.files
    settled = index.root == tree.root
    walked = tree.look(settled=settled, certain=certain)
    if walked is None:
        return None
    behind = frozenset[str]() if settled else _behind(index, tree)
    # Until all of it is brought over, the index describes no tree.
    index.root = index.behind = None
    if behind is None or tree.touched is None or len(behind | tree.touched) > _MOST_SWITCHED:
        return tree.compare_all(walked, files.stamps(scope))
    touched = behind | tree.touched
    stamps = files.stamps(scope, sorted(touched))
    some = tuple(file for file in walked.files if file.path in touched)
    return tree.compare(replace(walked, files=some), stamps)


def _behind(index: Described, tree: Tree) -> frozenset[str] | None:
    """The files in which the index may differ from what this tree was at its latest look but one; None when it may
    in any.
    """
    if index.behind is None or index.behind[0] != tree.root:
        return None
    return index.behind[1]


def _bring(runtime: Runtime, index: Described, tree: Tree, difference: CheckoutDifference) -> None:
    if difference.count:
        scan_project(
            runtime,
            walked=difference.walked,
            stamps=difference.stamps,
            resolver=tree.linked(),
        )
    index.root = tree.root


def _bring_some(
    runtime: Runtime,
    tree: Tree,
    difference: CheckoutDifference,
    asked: str,
    wanted: Sequence[str],
) -> frozenset[str]:
    """Index those of the files that differ which an answer is most likely in; returns their paths."""
    differing = (*difference.changed, *difference.added)
    paths = [path for path in dict.fromkeys(wanted) if path in differing][:INLINE]
    if asked:
        paths += mentioning(runtime.root, differing, content_words(asked), _AT_ONCE)
    if paths:
        some = difference.only(paths)
        resolver = tree.linked_beside(difference, some)
        scan_project(runtime, walked=some.walked, stamps=some.stamps, resolver=resolver)
    return frozenset(paths)


def _watch(runtime: Runtime) -> None:
    """Ask the system for hints; where a session is open, have a resolver at hand as well."""
    index = _described(runtime)
    with index.lock:
        tree = _tree(runtime)
        tree.watch()
        walked = tree.walked if tree.resolver is None else None
    here = frozenset({runtime.scope})
    if walked is None or not runtime.view.sessions.find(here, statuses=("active",), limit=1):
        return
    # Whoever changes the first file should not wait for it, nor should a search meanwhile.
    resolver = Resolver.of(runtime.root, walked.files)
    resolver.kept_in(runtime.view.files, runtime.scope)
    resolver.ready({language_name(file.path) for file in walked.files})
    with index.lock:
        tree.resolver = tree.resolver or resolver
