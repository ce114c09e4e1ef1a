"""Which project a checkout belongs to, and what that changes in the list of projects.

A checkout that is not trusted, of a project whose owner trusts another checkout, gets a part of that project: it reads the
whole and writes only its part, which joins when the checkout is trusted. A project that its owner joined to another one
keeps all that is seen of it, and its checkouts write to the other one.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from itertools import count
from pathlib import Path

from contextd.domain.projects import Project
from contextd.domain.scope import PERSON, Scope, slug
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Organisation
from contextd_code.git.identity import ProjectIdentity, path_identity
from contextd_code.git.same_project import Decision, KnownProject, choose, decide, known_project
from contextd_common.dataclass import dataclass

_PLACE = "place:"
"""Before a checkout, in the sightings of a part that has joined."""

BY_OWNER = "joined:owner"
"""In the sightings of a project that its owner joined to another one."""


@dataclass(frozen=True, slots=True)
class Membership:
    """Where a checkout belongs. `project` is the known one, with what it learned; `fresh` is one that is to be
    registered, a part of `project` if there is both; `changed` are known ones to be saved. `alike` looks like the same
    project, which only the owner can say.
    """

    project: Project | None = None
    fresh: Project | None = None
    changed: tuple[Project, ...] = field(default_factory=tuple[Project, ...])
    alike: Project | None = None

    @property
    def is_known(self) -> bool:
        """Whether this sighting tells nothing new."""
        return self.project is not None and self.fresh is None and not self.changed


def membership(organisation: Organisation, identity: ProjectIdentity, now: datetime) -> Membership:
    """Where a checkout belongs, by the table in `same_project.py` and by trust."""
    projects = sorted(organisation.directory.all(), key=lambda one: one.created_at)
    found, decision = _found(organisation, projects, identity)
    if found is None or decision == "alike":
        fresh = fresh_project(organisation, projects, identity, now)
        if found is not None and found.part_of is None:
            fresh = replace(fresh, news=(f"alike:{found.scope}",))
        return Membership(None, fresh, _left(projects, identity, ()), found)
    by_scope = {one.scope: one for one in projects}
    chain = chain_of(by_scope, found)
    home, whole, part = chain.home, chain.whole, chain.part
    # What is apart stays so until it is trusted, whatever becomes of the other checkouts.
    waits = part is not None and part.scope not in home.parts
    trusted = organisation.trusted_folders.of(identity.root).trusted
    if trusted or not (waits or _is_apart(organisation, by_scope, whole, identity.root)):
        return _in_whole(organisation, projects, identity, chain)
    if part is not None:
        wanted = _with_move(organisation, projects, part, _seen(projects, part, identity))
        alone = [_without(one, part, identity.root) for one in dict.fromkeys((home, whole))]
        return Membership(wanted, None, _changed((wanted, *alone), by_scope))
    fresh = fresh_project(organisation, projects, identity, now)
    fresh = replace(fresh, scope=home.scope, part_of=home.scope)
    fresh = replace(fresh, name=f"{identity.root.name} (apart)")
    fresh = _with_move(organisation, projects, home, fresh)
    return Membership(whole, fresh, _left(projects, identity, ()))


@dataclass(frozen=True, slots=True)
class Chain:
    """Where a project stands. `home` keeps what is seen of it: itself, or what it is a part of. `whole` is what its
    checkouts write to: the home, or the project that the owner joined it to. `part` is itself if it is a part, else None.
    """

    home: Project
    whole: Project
    part: Project | None = None


def chain_of(by_scope: Mapping[Scope, Project], found: Project) -> Chain:
    """Where a project stands among all, by their scopes."""
    home = found
    if _is_ordinary_part(found) and found.part_of is not None:
        home = by_scope.get(found.part_of, found)
    whole = home
    while whole.part_of is not None and whole.part_of in by_scope:
        whole = by_scope[whole.part_of]
    return Chain(home, whole, found if found is not home else None)


def _is_ordinary_part(project: Project) -> bool:
    """Whether a project is a part because a checkout is not trusted, not because its owner joined it."""
    return project.part_of is not None and BY_OWNER not in project.sightings


def _in_whole(
    organisation: Organisation,
    projects: Sequence[Project],
    identity: ProjectIdentity,
    chain: Chain,
) -> Membership:
    """The checkout writes to the whole project; its part joins."""
    by_scope = {one.scope: one for one in projects}
    home, part = chain.home, chain.part
    seen = _seen(projects, home, identity)
    changed = [_with_move(organisation, projects, home, seen)]
    if part is not None:
        # A move was reported in the part, or is still to be.
        seen = replace(seen, news=(*seen.news, *part.news))
        parts = dict.fromkeys((*seen.parts, part.scope, *part.parts))
        roots = dict.fromkeys((*seen.roots, *part.roots))
        news = seen.news if part.scope in seen.parts else (*seen.news, f"joined:{part.scope}")
        changed = [replace(seen, parts=tuple(parts), roots=tuple(roots), news=news)]
        changed.append(replace(part, roots=(), sightings=_with_places(part), news=()))
    whole = changed[0]
    if chain.whole is not home:
        # What the home is told of is for the project that its checkouts write to.
        seen, changed[0] = whole, replace(whole, news=())
        whole = with_joined(chain.whole, seen)
        changed.append(whole)
    staying = [one.scope for one in (home, chain.whole, part) if one is not None]
    left = _left(projects, identity, staying)
    return Membership(whole, None, (*_changed(changed, by_scope), *left))


def with_joined(whole: Project, joined: Project) -> Project:
    """A project with the checkouts, the parts and the news of one that its owner joined to it."""
    return replace(
        whole,
        roots=tuple(dict.fromkeys((*whole.roots, *joined.roots))),
        parts=tuple(dict.fromkeys((*whole.parts, joined.scope, *joined.parts))),
        news=tuple(dict.fromkeys((*whole.news, *joined.news))),
    )


def _changed(new: Iterable[Project], by_scope: Mapping[Scope, Project]) -> tuple[Project, ...]:
    return tuple(one for one in new if one != by_scope.get(one.scope))


def _with_move(
    organisation: Organisation, projects: Sequence[Project], known: Project, now: Project
) -> Project:
    """What is seen `now` of a `known` project, with the news if it has moved."""
    fresh = set(now.roots) - set(places_of(known))
    if not fresh or not known.roots or organisation.shares or not _is_gone(projects, known):
        return now
    return replace(now, news=(*now.news, f"moved:{known.roots[-1]}"))


def _with_places(part: Project) -> tuple[str, ...]:
    """The sightings of a part with its checkouts: the whole has them now, and the part again if trust is taken back."""
    return tuple(dict.fromkeys((*part.sightings, *(f"{_PLACE}{root}" for root in part.roots))))


def places_of(project: Project) -> tuple[str, ...]:
    """The checkouts of a project; of a part that has joined those that it brought along."""
    own = [one.removeprefix(_PLACE) for one in project.sightings if one.startswith(_PLACE)]
    return (*project.roots, *own) if project.part_of is not None else project.roots


def standing_at(organisation: Organisation, identity: ProjectIdentity) -> Chain | None:
    """Where the project of a checkout stands; None if the checkout belongs to no known one."""
    projects = sorted(organisation.directory.all(), key=lambda one: one.created_at)
    found, decision = _found(organisation, projects, identity)
    if found is None or decision == "alike":
        return None
    return chain_of({one.scope: one for one in projects}, found)


def _found(
    organisation: Organisation, projects: Sequence[Project], identity: ProjectIdentity
) -> tuple[Project | None, Decision]:
    trusted = organisation.trusted_folders.of(identity.root).trusted
    wholes = [one for one in projects if not _is_ordinary_part(one)]
    parts = [one for one in projects if _is_ordinary_part(one)]
    decisions = [(one, decide(identity, _known(organisation, projects, one))) for one in parts]
    place, decision = choose(identity, [_known(organisation, projects, one) for one in wholes])
    found = wholes[place] if place is not None else None
    for part, near in decisions:
        # A work tree or a clone of an untrusted checkout, or the place to which it moved.
        follows = decision != "here" and not trusted and near in ("same", "moved")
        is_akin = follows and (
            set(identity.sources) & set(places_of(part)) or _is_gone(projects, part)
        )
        if near == "here" or is_akin:
            return part, near
    return found, decision


def _known(
    organisation: Organisation, projects: Sequence[Project], project: Project
) -> KnownProject:
    # In a database of several machines, a checkout that is not here may exist elsewhere.
    evidence = (project.identity, *project.sightings)
    return known_project(
        evidence,
        _own_places(projects, project),
        is_gone=lambda: not organisation.shares and _is_gone(projects, project),
    )


def _own_places(projects: Sequence[Project], project: Project) -> list[str]:
    """The checkouts of a project, without those of the projects that its owner joined to it."""
    if not project.parts:
        return list(places_of(project))
    joined = (one for one in projects if BY_OWNER in one.sightings and one.scope in project.parts)
    theirs = {root for one in joined for root in one.roots}
    return [place for place in places_of(project) if place not in theirs]


def _is_gone(projects: Sequence[Project], project: Project) -> bool:
    return not any(map(os.path.isdir, _own_places(projects, project)))


def _is_apart(
    organisation: Organisation, by_scope: Mapping[Scope, Project], whole: Project, root: Path
) -> bool:
    """Whether the owner trusts another checkout of the project."""
    trusts = organisation.trusted_folders.of
    joined = (by_scope[scope].roots for scope in whole.parts if scope in by_scope)
    others = dict.fromkeys((*whole.roots, *(root for roots in joined for root in roots)))
    return any(trusts(Path(one)).is_owners for one in others if one != str(root))


def _seen(projects: Sequence[Project], project: Project, identity: ProjectIdentity) -> Project:
    """A project with what a checkout of it shows."""
    root = str(identity.root)
    # A copied file has the id of its original: an id belongs to one project.
    taken = _taken(one for one in projects if one.scope != project.scope)
    evidence = [one for one in identity.evidence if not (one.startswith("id:") and one in taken)]
    return replace(
        project,
        roots=project.roots if root in project.roots else (*project.roots, root),
        sightings=tuple(
            one for one in dict.fromkeys((*project.sightings, *evidence)) if one != project.identity
        ),
    )


def fresh_project(
    organisation: Organisation,
    projects: Sequence[Project],
    identity: ProjectIdentity,
    now: datetime,
) -> Project:
    """A new project of this checkout. Names are labels: a name that is taken gets a number when it is registered."""
    plain = Project(
        identity=_free_identity(identity, _taken(projects)),
        scope=scope_of_new(organisation, identity),
        name=identity.name,
        created_at=now,
    )
    return _seen(projects, plain, identity)


def scope_of_new(organisation: Organisation, identity: ProjectIdentity) -> Scope:
    """The scope that a directory would get as a project, if it is free."""
    name = slug(redact(identity.name).text)[:60].rstrip("-")
    return replace(team_of_new(organisation), project=name)


def team_of_new(organisation: Organisation) -> Scope:
    """The team of new projects. A home may name another organisation than its own; a server's has one name."""
    settings = organisation.settings(None)
    named = settings.text("project.organisation") if organisation.name == PERSON.org else ""
    return Scope(named or organisation.name, settings.text("project.team"))


def _free_identity(identity: ProjectIdentity, taken: Container[str]) -> str:
    """What a new project is known by: another one may have the same first commit, or the same id in a copied file."""
    by_path = path_identity(identity.root)
    usual = (identity.identity, by_path)
    numbered = (f"{by_path}#{number}" for number in count(2))
    return next(one for names in (usual, numbered) for one in names if one not in taken)


def _taken(projects: Iterable[Project]) -> set[str]:
    return {known for one in projects for known in (one.identity, *one.sightings)}


def _left(
    projects: Sequence[Project], identity: ProjectIdentity, staying: Container[Scope]
) -> tuple[Project, ...]:
    """The projects that lose a place, because another one is there now."""
    root = str(identity.root)
    return tuple(
        replace(one, roots=tuple(path for path in one.roots if path != root))
        for one in projects
        if root in one.roots and one.scope not in staying
    )


def _without(whole: Project, part: Project, root: Path) -> Project:
    """A project without a part that had joined, and without its checkout."""
    return replace(
        whole,
        roots=tuple(path for path in whole.roots if path != str(root)),
        parts=tuple(scope for scope in whole.parts if scope != part.scope),
        news=tuple(one for one in whole.news if one != f"joined:{part.scope}"),
    )
