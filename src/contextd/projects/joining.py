"""The owner's word about projects: two are one, or a checkout is a project of its own. No record moves."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from contextd.domain.projects import Project
from contextd.domain.scope import Scope
from contextd.projects.membership import (
    BY_OWNER,
    chain_of,
    fresh_project,
    places_of,
    standing_at,
    with_joined,
)
from contextd.runtime.runtime import Runtime
from contextd_code.git.identity import ProjectIdentity
from contextd_common.errors import Conflict


def join(runtime: Runtime, project: Project, into: Project) -> tuple[Project, Project]:
    """Join a project to another one, which its checkouts write to from now on; return both. Raises `Conflict` if they
    are one already, or if one is a part, or has no checkout that its owner trusts.
    """
    organisation = runtime.organisation
    by_scope = {one.scope: one for one in organisation.directory.all()}
    # As they are now: a project that was just parted from another one still names it among its parts in older values.
    mine, other = (chain_of(by_scope, by_scope[one.scope]) for one in (project, into))
    for chain in (mine, other):
        if chain.part is not None or not _is_trusted(runtime, chain.whole):
            raise Conflict(
                f"{chain.whole.name} has a checkout that is not trusted",
                "trust it with `contextd trust PATH`, then join the projects",
            )
    if mine.whole.scope == other.whole.scope:
        raise Conflict(
            f"{project.name} and {into.name} are one project already",
            "see `contextd projects list`",
        )
    joined = replace(
        mine.whole, part_of=other.whole.scope, sightings=(*mine.whole.sightings, BY_OWNER), news=()
    )
    whole = with_joined(other.whole, joined)
    # The hint that they are alike is answered.
    news = tuple(one for one in whole.news if one != f"alike:{joined.scope}")
    whole = replace(whole, news=news)
    for one in (joined, whole):
        organisation.directory.save(one)
    return joined, whole


def _is_trusted(runtime: Runtime, project: Project) -> bool:
    """Whether the owner trusts a checkout of a project, or none of them exists here."""
    trusts = runtime.organisation.trusted_folders.of
    here = list(filter(os.path.isdir, project.roots))
    return not here or any(trusts(Path(root)).is_owners for root in here)


def part_joined(runtime: Runtime, joined: Project) -> Project:
    """Undo a `join`; return the project, which is one of its own again."""
    directory = runtime.organisation.directory
    by_scope = {one.scope: one for one in directory.all()}
    inside = [one for one in by_scope.values() if joined.scope in _above(by_scope, one)]
    apart = {joined.scope, *joined.parts, *(one.scope for one in inside)}
    roots = {root for one in (joined, *inside) for root in one.roots}
    above = [by_scope[scope] for scope in _above(by_scope, joined)]
    theirs = [scope for scope in dict.fromkeys(above[0].parts if above else ()) if scope in apart]
    alone = replace(
        joined,
        part_of=None,
        parts=tuple(
            dict.fromkeys((*joined.parts, *(one for one in theirs if one != joined.scope)))
        ),
        sightings=tuple(one for one in joined.sightings if one != BY_OWNER),
    )
    for one in (alone, *(_cut(one, apart, roots) for one in above)):
        directory.save(one)
    return alone


def part_checkout(runtime: Runtime, identity: ProjectIdentity) -> Project:
    """Make a checkout a project of its own; return it. What a part wrote stays with it. Raises `Conflict` if the checkout is
    the only one of its project, or of none.
    """
    directory, root = runtime.organisation.directory, str(identity.root)
    chain = standing_at(runtime.organisation, identity)
    if chain is None:
        raise Conflict(f"{root} is not a project yet", f"`contextd init {root}` makes it one")
    if chain.part is None and chain.home.scope != chain.whole.scope:
        return part_joined(runtime, chain.home)
    wholes = [chain.home, *([chain.whole] if chain.whole.scope != chain.home.scope else [])]
    if chain.part is not None:
        places = places_of(chain.part)
        for whole in wholes:
            directory.save(_cut(whole, {chain.part.scope}, places))
        alone = replace(
            chain.part,
            part_of=None,
            roots=places,
            name=identity.name,
            sightings=tuple(one for one in chain.part.sightings if not one.startswith("place:")),
            news=(),
        )
        directory.save(alone)
        return alone
    if not set(chain.home.roots) - {root}:
        raise Conflict(
            f"{root} is the only checkout of {chain.home.name}",
            "it has its memory to itself already",
        )
    known = sorted(directory.all(), key=lambda one: one.created_at)
    directory.save(_cut(chain.home, (), (root,)))
    alone = fresh_project(runtime.organisation, known, identity, runtime.clock.now())
    return directory.register(alone)


def _above(by_scope: Mapping[Scope, Project], project: Project) -> Sequence[Scope]:
    """The projects that this one is a part of, the nearest first."""
    found: list[Scope] = []
    while project.part_of is not None and project.part_of in by_scope:
        project = by_scope[project.part_of]
        found.append(project.scope)
    return found


def _cut(whole: Project, apart: Collection[Scope], roots: Collection[str]) -> Project:
    """A project without these parts and checkouts, and without the news about them."""
    untold = {f"joined:{scope}" for scope in apart}
    return replace(
        whole,
        roots=tuple(root for root in whole.roots if root not in roots),
        parts=tuple(scope for scope in whole.parts if scope not in apart),
        news=tuple(one for one in whole.news if one not in untold and not one.startswith("moved:")),
    )
