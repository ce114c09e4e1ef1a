"""Merge duplicates in a collection of one scope, and archive records with too little confidence.

Records are never merged across scopes or kinds. Similar records are judged for contradictions first: similar
texts are opposites as often as duplicates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any

import numpy as np

from contextd.claims.contradiction_search import is_pinned, precedence, propose
from contextd.claims.judgement import Judgement, Said, judge
from contextd.consolidation.clusters import Cluster, Judging, clusters
from contextd.consolidation.collections import Consolidating
from contextd.consolidation.merging import MERGED, into, united
from contextd.consolidation.neighbours import components
from contextd.domain.applies_to import same_limits
from contextd.domain.confidence import confidence_at
from contextd.domain.directives import is_directive
from contextd.domain.query import Query
from contextd.domain.records import Record, digest
from contextd.domain.scope import Scope
from contextd.knowledge.writing import Changed, change_all
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import Stale

_PAGE = 2_000
_READ = 500
"""Records read at once."""

_NEAREST = 20
"""Neighbours per record; of more copies, the others find it."""

_TOGETHER = 25
"""Clusters merged per commit: an fsync costs as much as merging ten."""

_EMBEDDED = 64
_DISPUTES = 10_000

MERGEABLE = ("same", "refinement")
"""Only duplicates and refinements are merged; similarity alone is not enough."""


@dataclass(slots=True)
class Consolidated:
    """The result of a run: record counts before and after, what was merged (or would be), and what was
    archived.
    """

    before: int = 0
    joined: int = 0
    merged: int = 0
    archived: int = 0
    missed: int = 0
    clusters: list[Cluster] = field(default_factory=list[Cluster])
    note: str = ""

    @property
    def after(self) -> int:
        """The number of live records afterwards."""
        return self.before - self.joined - self.archived

    @property
    def counts(self) -> dict[str, int]:
        """The counts as they are stored and shown."""
        return {
            "items_before": self.before,
            "items_after": self.after,
            "clusters_merged": self.merged,
            "archived": self.archived,
        }


@dataclass(frozen=True, slots=True)
class Pacing:
    """Controls a run: `check` may raise between steps, `keep` stores its progress, `reached` is that
    of an earlier attempt. At most this many clusters are `shown`. With `only`, clusters with
    any other record are skipped and nothing is archived.
    """

    check: Callable[[], None] = lambda: None
    keep: Callable[[Mapping[str, Any]], None] = lambda _: None
    reached: Mapping[str, Any] = field(default_factory=dict[str, Any])
    shown: int = 0
    only: frozenset[str] = frozenset()

    def means(self, cluster: Cluster) -> bool:
        """Whether a cluster is one that is to be merged."""
        return not self.only or all(record.id in self.only for record in cluster.records)


def consolidate(
    runtime: Runtime, scope: Scope, how: Consolidating, pacing: Pacing, *, dry_run: bool = False
) -> Consolidated:
    """Merge what says the same among the records of a collection in a scope, and archive weak ones; with
    `dry_run`, only say what would be merged.

    Every cluster is merged in one commit. What is done stays done when this is broken off: the next run
    finds what is left. A record that changed meanwhile is left for the next time.
    """
    here = replace(runtime, view=runtime.organisation.view(runtime.caller, [scope]))
    reached = pacing.reached
    done = Consolidated(archived=int(reached.get("archived", 0)))
    done.joined, done.merged = _done_before(here, reached)
    ids = _in_use(here, scope, how, done, pacing, dry_run=dry_run)
    done.before = int(reached.get("before", 0)) or len(ids) + done.archived
    if not here.embedder.model:
        done.note = "comparing needs an embedder"
        return done
    waiting: list[Cluster] = []
    for cluster in _clusters(runtime, here, scope, how, ids, pacing.check):
        if not pacing.means(cluster):
            continue
        if len(done.clusters) < pacing.shown:
            done.clusters.append(cluster)
        if dry_run:
            done.merged += 1
            done.joined += len(cluster.joins)
            continue
        waiting.append(cluster)
        if len(waiting) == _TOGETHER:
            _merge(here, how, waiting, done, pacing)
            waiting = []
    if waiting:
        _merge(here, how, waiting, done, pacing)
    return done


def _done_before(runtime: Runtime, reached: Mapping[str, Any]) -> tuple[int, int]:
    """How much an earlier attempt merged: its count, plus the merges it was about to commit and did."""
    joined, merged = int(reached.get("joined", 0)), int(reached.get("merged", 0))
    meant: Mapping[str, Sequence[str]] = reached.get("next", {})
    for keeper in runtime.view.records.get(list(meant)):
        if set(meant[keeper.id]) <= set(keeper.data.get("merged_from") or ()):
            joined, merged = joined + len(meant[keeper.id]), merged + 1
    return joined, merged


def _in_use(
    runtime: Runtime,
    scope: Scope,
    how: Consolidating,
    done: Consolidated,
    pacing: Pacing,
    *,
    dry_run: bool,
) -> list[str]:
    """The ids of records that may be merged; archives weak ones on the way."""
    below = runtime.settings.fraction("consolidation.archive_below")
    now = runtime.clock.now()
    ids: list[str] = []
    query = Query(
        scopes=frozenset({scope}),
        kinds=how.row.archives,
        statuses=("active", "candidate"),
        limit=_PAGE,
    )
    looking = dry_run or bool(pacing.only)
    for page in runtime.pages(query):
        pacing.check()
        weak = [record for record in page if _is_weak(record, below, now)]
        weak_ids = {record.id for record in weak}
        if weak and not looking:
            done.archived += _archive(runtime, weak, now)
        ids += [
            record.id
            for record in page
            if record.kind == how.row.kind
            and record.status == "active"
            and not record.canonical_id
            and (record.valid_to is None or record.valid_to > now)
            and (looking or record.id not in weak_ids)
        ]
    return ids


def _is_weak(record: Record, below: float, now: Any) -> bool:
    spared = record.trust == "human" or is_pinned(record) or is_directive(record)
    return not spared and confidence_at(record, now) < below


def _archive(runtime: Runtime, weak: Sequence[Record], now: Any) -> int:
    changes = [
        Changed(
            record,
            record.with_(status="archived"),
            "archive",
            f"confidence {record.confidence:.2f}, {confidence_at(record, now):.2f} after decay; undo "
            "restores it",
        )
        for record in weak
    ]
    with suppress(Stale):
        change_all(runtime, changes)
        return len(changes)
    return 0


def _clusters(
    runtime: Runtime,
    here: Runtime,
    scope: Scope,
    how: Consolidating,
    ids: Sequence[str],
    check: Callable[[], None],
) -> Iterator[Cluster]:
    read = _reader(here, scope, how, check)
    judging = judging_of(runtime, here, scope, how)
    for members, close in components(ids, read, how.threshold, _NEAREST, check):
        if len(members) < how.least:
            continue
        known = _records(here, members, check)
        order = {place: i for i, place in enumerate(p for p, m in enumerate(members) if m in known)}
        near = [[(order[j], c) for j, c in close[i] if j in order] for i in order]
        for cluster in clusters([known[members[i]] for i in order], near, judging):
            check()
            if len(cluster.records) >= how.least:
                yield cluster


def _records(here: Runtime, ids: Sequence[str], check: Callable[[], None]) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for start in range(0, len(ids), _READ):
        check()
        found |= {one.id: one for one in here.view.records.get(ids[start : start + _READ])}
    return {id: one for id, one in found.items() if one.status == "active" and not one.canonical_id}


def _reader(here: Runtime, scope: Scope, how: Consolidating, check: Callable[[], None]) -> Any:
    """Reads the vectors to compare. Those of whole records are stored; a resolution has none, so it is
    embedded, equal ones once.
    """
    if how.strategy != "resolution_match":
        return lambda ids: here.view.index.vectors(scope, ids, here.embedder.model)
    known: dict[str, Any] = {}

    def read(ids: Sequence[str]) -> tuple[list[str], Any]:
        records = _records(here, ids, check)
        texts = {id: resolution(record) for id, record in records.items()}
        new = list({digest(text): text for text in texts.values()}.items())
        new = [(key, text) for key, text in new if key not in known]
        for start in range(0, len(new), _EMBEDDED):
            check()
            some = new[start : start + _EMBEDDED]
            rows = here.embedder.embed([text for _, text in some])
            known.update(
                (key, row.astype(np.float16)) for (key, _), row in zip(some, rows, strict=True)
            )
        there = [id for id in ids if id in texts]
        if not there:
            return [], np.zeros((0, 0), np.float32)
        return there, np.vstack([known[digest(texts[id])] for id in there]).astype(np.float32)

    return read


def resolution(record: Record) -> str:
    """The solution of an error, by which remediations are compared."""
    parts = (record.data.get("solution") or record.content, record.data.get("code_diff"))
    return "\n".join(str(part) for part in parts if part)


def judging_of(runtime: Runtime, here: Runtime, scope: Scope, how: Consolidating) -> Judging:
    """How a collection's records are compared. Disputed ones, also with a wider scope, are skipped until
    that is settled.
    """
    pairs = runtime.view.contradictions.find(
        frozenset(scope.cascade), states=("open",), limit=_DISPUTES
    )
    disputed = {id for pair in pairs for id in (pair.a, pair.b)}
    parted: dict[str, frozenset[str]] = {}

    def apart(record: Record) -> frozenset[str]:
        if record.id not in parted:
            parted[record.id] = merged_before(here, record)
        return parted[record.id]

    def same(one: Record, other: Record) -> str:
        if one.id in disputed or other.id in disputed or not _alike(one, other, how):
            return ""
        mine, theirs = apart(one), apart(other)
        if one.id in theirs or other.id in mine or mine & theirs:
            return ""
        judged = judgement_of(one, other, how)
        if judged.verdict not in MERGEABLE or is_directive(one) != is_directive(other):
            return ""
        return judged.reason or "the same words"

    def against(one: Record, other: Record) -> bool:
        return judgement_of(one, other, how).verdict in ("opposite", "update")

    return Judging(precedence, same, against)


def merged_before(runtime: Runtime, record: Record) -> frozenset[str]:
    """The records it was merged into before the merge was undone: a person decided that they differ."""
    # Created, merged, unmerged: that takes at least this many states.
    if record.version < 3:
        return frozenset()
    history = runtime.view.records.history(record.id)
    return frozenset(
        change.after.canonical_id
        for change in history
        if change.action == MERGED and change.after is not None and change.after.canonical_id
    )


def _alike(one: Record, other: Record, how: Consolidating) -> bool:
    """Whether all distinguishing fields agree, and both are for the same files."""
    if not same_limits(one.data, other.data):
        return False
    pairs = [(one.data.get(name), other.data.get(name)) for name in how.row.alike]
    return all(mine == theirs for mine, theirs in pairs if mine and theirs)


def judgement_of(one: Record, other: Record, how: Consolidating) -> Judgement:
    """Compare two records by the collection's compared field."""
    for name in how.row.agreeing:
        mine, theirs = one.data.get(name), other.data.get(name)
        if mine and theirs:
            judged = judge(Said(text=str(mine)), Said(text=str(theirs)))
            if judged.verdict == "opposite":
                return judged
    kind = how.row.kind
    return judge(Said(text=how.compared(one), kind=kind), Said(text=how.compared(other), kind=kind))


def _merge(
    here: Runtime,
    how: Consolidating,
    waiting: Sequence[Cluster],
    done: Consolidated,
    pacing: Pacing,
) -> None:
    pacing.keep(
        {
            "before": done.before,
            "joined": done.joined,
            "merged": done.merged,
            "archived": done.archived,
            "next": {c.keeper.id: [join.record.id for join in c.joins] for c in waiting},
        }
    )
    try:
        change_all(here, [change for cluster in waiting for change in _unit(cluster, how)])
        merged = list(waiting)
    except Stale:
        merged = []
        for cluster in waiting:
            with suppress(Stale):
                change_all(here, _unit(cluster, how))
                merged.append(cluster)
    done.merged += len(merged)
    done.joined += sum(len(cluster.joins) for cluster in merged)
    done.missed += len(waiting) - len(merged)


def _unit(cluster: Cluster, how: Consolidating) -> list[Changed]:
    """The changes that merge a cluster."""
    keeper, others = cluster.keeper, [join.record for join in cluster.joins]
    why = kept_because(cluster)
    changes = [
        Changed(
            keeper,
            united(keeper, others, how.boost),
            MERGED,
            f"{len(others)} merged into it; {why}",
        )
    ]
    for join in cluster.joins:
        reason = f"into {keeper.id[:8]}: {join.why} (cosine {join.cosine:.2f})"
        changes.append(
            Changed(join.record, into(join.record, keeper, archived=how.archived), MERGED, reason)
        )
    return changes


def kept_because(cluster: Cluster) -> str:
    """Why the kept record is better than the best of the others."""
    second = max((join.record for join in cluster.joins), key=precedence)
    return f"kept because {propose(cluster.keeper, second).reason}"
