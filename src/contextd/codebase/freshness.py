"""Bring the code index up to date with the caller's checkout before a call reads it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from functools import partial
from pathlib import Path

from contextd.codebase.index_limits import cut_by_limit, is_limited, limited
from contextd.codebase.scanning import begin_index, keep_stamps, scan_project
from contextd.codebase.symbol_weights import keep_weights
from contextd.domain.checkout_keys import CheckoutKey
from contextd.jobs.table import new_job
from contextd.runtime.caches import Cache
from contextd.runtime.runtime import Runtime
from contextd_code.index.freshness import CheckoutDifference, Tree
from contextd_code.index.languages.table import language_name
from contextd_code.index.resolve import Resolver
from contextd_code.index.scan import ScanReport
from contextd_code.tree.limits import exceeds
from contextd_code.tree.mentions import mentioning
from contextd_code.tree.unindexed_files import left_out
from contextd_code.tree.walk import Walk
from contextd_common.dataclass import dataclass
from contextd_common.text.words import content_words

INLINE = 64
"""Up to this many changed files are indexed before the call goes on; more follow in the background."""

_AT_ONCE = 16
"""Of more changed files, this many that match the query are indexed before it is answered: a tenth of a second."""

_MOST_SWITCHED = 2_000
"""With more differences, none is indexed before the answer: a first scan would have to resolve the imports of
all files for each, 12 s beside the scan of 60,000.
"""

_NAME = re.compile(r"\w{2,}")

_GROUPS = 5
"""The categories reported as not indexed."""

_TREES_KEPT, _RESOLVERS_KEPT = 16, 4
_CHECKOUTS_KEPT = 1_000


@dataclass(slots=True)
class Described:
    """The cached state of a checkout's index: whether it matches the tree as last seen, and if not, the files
    that may differ; None for any.
    """

    settled: bool = False
    behind: frozenset[str] | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)


@dataclass(frozen=True, slots=True)
class Lag:
    """How far the code index is behind a checkout: a `notice`, and the `paths` with outdated entries. It is
    `certain` when all files were compared just now. A `lasting` notice is about files that are never indexed here.
    """

    notice: str = ""
    paths: frozenset[str] = frozenset()
    certain: bool = False
    lasting: bool = False


@contextmanager
def steady(
    runtime: Runtime, *, certain: bool = False, asked: str = "", wanted: Sequence[str] = ()
) -> Iterator[Lag]:
    """Bring the code index up to date for a call that reads it inside the context; yield where it is behind.

    A few changed files are indexed at once, many by a job: of those, only files that match `asked` or are
    `wanted` are indexed at once. Each checkout has an index of its own. For a caller that may only read, the
    index stays as it is. With `certain` all files are compared, whatever file events arrived.
    """
    if runtime.project is None or runtime.checkout is None:
        yield Lag()
        return
    yield _compared(runtime, _described(runtime), certain, asked, wanted)


def _compared(
    runtime: Runtime, index: Described, certain: bool, asked: str, wanted: Sequence[str]
) -> Lag:
    with index.lock:
        tree = _tree(runtime)
        before = tree.looked_at
        difference = _difference(runtime, index, tree, certain)
        looked = tree.looked_at != before
        cut = cut_by_limit(tree.walked)
        if difference is None:
            return Lag(cut, certain=looked, lasting=True)
        stale = frozenset((*difference.changed, *difference.removed))
        if difference.count and not runtime.caller.may("write", runtime.scope):
            notice = f"{difference.count} files changed since they were indexed, grep sees them now"
            return Lag(_joined(notice, cut), stale, looked)
        if difference.count > INLINE:
            index.settled, index.behind = False, difference.paths
            brought: frozenset[str] = frozenset()
            if (asked or wanted) and difference.count <= _MOST_SWITCHED:
                brought = _bring_some(runtime, tree, difference, asked, wanted)
            root = str(runtime.root)
            job = new_job("refresh_index", runtime.scope, runtime.place, {"root": root}, once=root)
            runtime.queue(job)
            notice = (
                f"{difference.count} files changed; their index follows in the background, "
                "grep sees them now"
            )
            return Lag(_joined(notice, cut), stale - brought, looked)
        _bring(runtime, index, tree, difference)
        if tree.watcher is None or difference.added or difference.removed:
            runtime.sinks.prepare("watch", runtime.root, lambda: _watch(runtime))
        return Lag(cut, certain=looked, lasting=True)


def _joined(*notices: str) -> str:
    return "; ".join(filter(None, notices))


def not_indexed(runtime: Runtime, *, symbols: bool = False) -> str:
    """A clause that names the parts of the checkout missing from code search or `symbols`; empty when all is
    indexed.
    """
    tree = _trees(runtime).get(runtime.root) if runtime.checkout is not None else None
    skipped = tree.walked.skipped if tree is not None and tree.walked is not None else ()
    files = runtime.view.files
    errors = files.of(runtime.scope).errors() if files is not None else []
    groups = left_out(errors, skipped, symbols=symbols)
    more = f" and {len(groups) - _GROUPS} more" if len(groups) > _GROUPS else ""
    return f"not indexed: {', '.join(groups[:_GROUPS])}{more}" if groups else ""


def refreshed(runtime: Runtime, check: Callable[[], None]) -> ScanReport:
    """Bring the whole index up to date with the caller's checkout. Concurrent calls continue, and compare again
    before they use the index. `check` may raise to abort between two commits.
    """
    index = _described(runtime)
    with index.lock:
        # The scan takes the difference for one of all files.
        index.settled, index.behind = False, None
        tree = _tree(runtime)
        difference = _difference(runtime, index, tree)
        if difference is None:
            return ScanReport()
        index.behind = difference.paths
        known, walked = tree.resolver, tree.walked
        assert walked is not None
        # A separate graph: calls continue with that of the tree, and both share the parsed files.
        resolver = (known or Resolver(runtime.root, ())).apart(walked.files)
    report = scan_project(runtime, walked=difference.walked, resolver=resolver, check=check)
    check()
    keep_weights(runtime)
    return report


def rest(runtime: Runtime, busy: frozenset[Path]) -> int:
    """Stop watching the checkouts that are not `busy`; return how many."""
    idle = [tree for tree in _trees(runtime).values() if tree.watcher and tree.root not in busy]
    for tree in idle:
        tree.close()
    return len(idle)


def _described(runtime: Runtime) -> Described:
    cache: Cache[CheckoutKey | None, Described] = runtime.organisation.caches.of(
        "described trees", _CHECKOUTS_KEPT
    )
    return cache.made(runtime.checkout_key, Described)


def _trees(runtime: Runtime) -> Cache[Path, Tree]:
    return runtime.organisation.caches.of("checkouts", _TREES_KEPT, close=Tree.close)


def _tree(runtime: Runtime) -> Tree:
    """The cached state of the caller's checkout. Resolvers are large, so few trees keep one."""
    trees = _trees(runtime)
    found = trees.made(runtime.root, lambda: Tree(runtime.root))
    found.keep_within(partial(_within_limits, runtime) if is_limited(runtime) else None)
    for tree in trees.values()[:-_RESOLVERS_KEPT]:
        tree.resolver = None
    return found


def _within_limits(runtime: Runtime, walked: Walk) -> Walk:
    if exceeds(walked.files):
        # Contents that other checkouts of the project have need no analysis, so they come first.
        begin_index(runtime)
    return limited(runtime, walked)


def _difference(
    runtime: Runtime, index: Described, tree: Tree, certain: bool = False
) -> CheckoutDifference | None:
    files = runtime.code_index
    walked = tree.look(settled=index.settled, certain=certain)
    if walked is None:
        return None
    behind = frozenset[str]() if index.settled else index.behind
    # Until the copy is complete, the index matches no tree.
    index.settled, index.behind = False, None
    if behind is None or tree.touched is None or len(behind | tree.touched) > _MOST_SWITCHED:
        begin_index(runtime)
        difference = tree.compare_all(walked, files.stamps())
    else:
        touched = behind | tree.touched
        stamps = files.stamps(sorted(touched))
        some = tuple(file for file in walked.files if file.path in touched)
        difference = tree.compare(replace(walked, files=some), stamps)
    keep_stamps(runtime, difference.stamped)
    return difference


def _bring(runtime: Runtime, index: Described, tree: Tree, difference: CheckoutDifference) -> None:
    if difference.count:
        scan_project(
            runtime,
            walked=difference.walked,
            stamps=difference.stamps,
            resolver=tree.linked(),
        )
    index.settled = True


def _bring_some(
    runtime: Runtime,
    tree: Tree,
    difference: CheckoutDifference,
    asked: str,
    wanted: Sequence[str],
) -> frozenset[str]:
    """Index the changed files that most likely hold the answer; return their paths."""
    differing = (*difference.changed, *difference.added)
    paths = [path for path in dict.fromkeys(wanted) if path in differing][:INLINE]
    if asked:
        name = asked.rpartition(".")[2]
        words = content_words(asked)
        paths += mentioning(
            runtime.root, differing, words, _AT_ONCE, name if _NAME.fullmatch(name) else ""
        )
    if paths:
        some = difference.only(paths)
        resolver = tree.linked_beside(difference, some)
        scan_project(runtime, walked=some.walked, stamps=some.stamps, resolver=resolver)
    return frozenset(paths)


def _watch(runtime: Runtime) -> None:
    """Start watching for file events; with an open session also prepare a resolver."""
    index = _described(runtime)
    with index.lock:
        tree = _tree(runtime)
        tree.watch()
        walked = tree.walked if tree.resolver is None else None
    if walked is None or not runtime.sessions(statuses=("active",), limit=1):
        return
    # Neither the first change nor a concurrent search should wait for it.
    resolver = Resolver.of(runtime.root, walked.files)
    resolver.kept_in(runtime.code_index)
    resolver.ready({language_name(file.path) for file in walked.files})
    with index.lock:
        tree.resolver = tree.resolver or resolver
