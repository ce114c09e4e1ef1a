"""Propose promotions for knowledge shared by two projects or two teams."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from contextd.claims.contradiction_search import precedence
from contextd.claims.judgement import judge, statement_of
from contextd.consolidation.clusters import Judging, clusters
from contextd.consolidation.generalise import Particulars
from contextd.consolidation.merge_run import MERGEABLE
from contextd.consolidation.neighbours import near
from contextd.consolidation.promotion import copy_for, particulars
from contextd.domain.changes import Put
from contextd.domain.confidence import START
from contextd.domain.projects import Project
from contextd.domain.query import Query, Vector
from contextd.domain.records import STATUSES, Record, Source
from contextd.domain.scope import PERSON, Scope
from contextd.knowledge.embedding import with_vectors
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

PROPOSED = "propose_promotions"
"""The operation in a proposal's source."""

KINDS_PROPOSED = ("memory", "remediation", "anti_pattern", "coding_standard", "repo_standard")

NEAR = 0.85
"""Cosine above which records of two scopes are compared; paraphrases rarely exceed it."""

_MOST_PER_SCOPE, _PAGE, _NEAREST = 2_000, 500, 50
_NAMESPACE = uuid.UUID("c2a3c7c0-5b0e-5f7b-8a53-0b8f1d4e9a10")
_DISTRUSTED = frozenset({"external", "imported"})


@dataclass(frozen=True, slots=True)
class WidelyKnown:
    """Knowledge shared by several scopes, in order, and the scope that contains them."""

    target: Scope
    best: Record
    records: tuple[Record, ...]
    scopes: list[Scope]


def propose_wider(runtime: Runtime, check: Callable[[], None]) -> list[Record]:
    """Propose to each team what two of its projects share, and to each organisation what two of its teams
    share, as records in the inbox there; return the proposals. Skips records already there or was
    proposed before. `check` raises when nothing more may be written.
    """
    everywhere = runtime.everywhere().aside()
    proposals: list[Record] = []
    projects = [one for one in everywhere.projects() if one.part_of is None]
    wholes = {part: one.scope for one in projects for part in one.parts}
    for target, scopes in _around(everywhere, projects):
        for kind in KINDS_PROPOSED:
            check()
            proposals += [
                _proposed(everywhere, found)
                for found in _shared(everywhere, target, scopes, wholes, kind, check)
            ]
    return proposals


def _around(runtime: Runtime, projects: Iterable[Project]) -> Iterator[tuple[Scope, list[Scope]]]:
    """Each wider scope with its two or more direct child scopes."""
    teams: dict[Scope, set[Scope]] = defaultdict(set)
    for project in projects:
        teams[Scope(project.scope.org, project.scope.team)].add(project.scope)
    organisations: dict[Scope, set[Scope]] = defaultdict(set)
    for team in teams:
        organisations[Scope(team.org)].add(team)
    # Knowledge shared by a person's projects is proposed elsewhere.
    organisations.pop(PERSON, None)
    for around in (teams, organisations):
        for target in sorted(around):
            if len(around[target]) > 1 and runtime.caller.may("write", target):
                yield target, sorted(around[target])


def _shared(
    runtime: Runtime,
    target: Scope,
    scopes: Sequence[Scope],
    wholes: Mapping[Scope, Scope],
    kind: str,
    check: Callable[[], None],
) -> Iterator[WidelyKnown]:
    """Knowledge that two of the scopes share and their parent lacks. What a part says counts for the project that it is a
    part of, by `wholes`.
    """
    records: list[Record] = []
    rows: list[Vector] = []
    parts = [part for part, its_whole in wholes.items() if its_whole in scopes]

    def whole(record: Record) -> Scope:
        return wholes.get(record.scope, record.scope)

    for scope in (target, *scopes, *parts):
        statuses = STATUSES if scope == target else ("active",)
        for page in _pages(runtime, scope, kind, statuses, check):
            there, vectors = runtime.view.index.vectors(
                scope, [record.id for record in page], runtime.embedder.model
            )
            by_id = {record.id: record for record in page}
            records += [by_id[id] for id in there]
            rows += [*vectors]
    if len(set(map(whole, records))) < 2:
        return
    close = [
        [(j, cosine) for j, cosine in found if whole(records[j]) != whole(records[i])]
        for i, found in enumerate(near(np.vstack(rows), NEAR, _NEAREST, check))
    ]
    for cluster in clusters(records, close, _judging()):
        standing = tuple(cluster.records)
        having = sorted(set(map(whole, standing)))
        found = WidelyKnown(target, max(standing, key=precedence), standing, having)
        if target not in found.scopes and len(found.scopes) > 1:
            yield found


def _pages(
    runtime: Runtime, scope: Scope, kind: str, statuses: Sequence[str], check: Callable[[], None]
) -> Iterator[list[Record]]:
    query = Query(scopes=frozenset({scope}), kinds=(kind,), statuses=tuple(statuses), limit=_PAGE)
    for page in islice(runtime.pages(query), _MOST_PER_SCOPE // _PAGE):
        check()
        yield [one for one in page if one.trust not in _DISTRUSTED]


def _judging() -> Judging:
    def same(one: Record, other: Record) -> str:
        if one.data.get("outcome") != other.data.get("outcome"):
            return ""
        judged = judge(statement_of(one), statement_of(other))
        if judged.verdict not in MERGEABLE:
            return ""
        return judged.reason or "the same words"

    def against(one: Record, other: Record) -> bool:
        return judge(statement_of(one), statement_of(other)).verdict in ("opposite", "update")

    return Judging(precedence, same, against)


def _proposed(runtime: Runtime, found: WidelyKnown) -> Record:
    """The stored proposal in the inbox of the wider scope, with its origins."""
    own = [particulars(runtime, scope) for scope in found.scopes]
    names = frozenset(name for one in own for name in one.names)
    mine = particulars(runtime, found.best.scope)
    copy = copy_for(runtime, found.best, found.target, Particulars(names, mine.files, mine.symbols))
    ids = [record.id for record in found.records]
    content_hash = found.best.content_hash
    proposal = copy.copy.with_(
        id=str(uuid.uuid5(_NAMESPACE, f"{found.target} {found.best.kind} {content_hash}")),
        data={**copy.copy.data, "promoted_from": ids},
        source=Source(agent="contextd", operation=PROPOSED),
        trust="extracted",
        status="inbox",
        confidence=START["extracted"],
    )
    where = " and ".join(scope.project or scope.team for scope in found.scopes)
    known = runtime.view.records.get([proposal.id])
    if known:
        return known[0]
    put = Put(proposal, "create", f"stands in {where}")
    runtime.commit(knowledge=with_vectors(runtime, [put]))
    return proposal
