"""Which project a checkout belongs to, and what that changes in the list of projects.

A checkout that is not trusted, of a project whose owner trusts another checkout, gets a part of that project: it reads the
whole and writes only its part, which joins when the checkout is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Sequence
from dataclasses import field, replace
from datetime import datetime
from itertools import chain, count
from pathlib import Path

from contextd.domain.projects import Project
from contextd.domain.scope import Scope, slug
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Organisation
from contextd_code.dataclass import dataclass
from contextd_code.git.identity import ProjectIdentity, path_identity
from contextd_code.git.same_project import Decision, KnownProject, choose, decide, known_project

TEAM = "default"

_PLACE = "place:"
"""Before a checkout, in the sightings of a part that has joined."""


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
        fresh = _fresh(organisation.name, projects, identity, now)
        return Membership(None, fresh, _left(projects, identity, ()), found)
    by_scope = {one.scope: one for one in projects}
    whole = by_scope.get(found.part_of, found) if found.part_of is not None else found
    part = found if found is not whole else None
    # What is apart stays so until it is trusted, whatever becomes of the other checkouts.
    waits = part is not None and part.scope not in whole.parts
    trusted = organisation.trusted_folders.of(identity.root).trusted
    if trusted or not (waits or _is_apart(organisation, by_scope, whole, identity.root)):
        return _in_whole(projects, identity, whole, part)
    if part is not None:
        wanted = _seen(projects, part, identity)
        alone = _without(whole, part, identity.root)
        changed = tuple(new for new, old in ((wanted, part), (alone, whole)) if new != old)
        return Membership(wanted, None, changed)
    fresh = _fresh(organisation.name, projects, identity, now)
    fresh = replace(fresh, scope=whole.scope, part_of=whole.scope)
    fresh = replace(fresh, name=f"{identity.root.name} (apart)")
    return Membership(whole, fresh, _left(projects, identity, ()))


def _in_whole(
    projects: Sequence[Project], identity: ProjectIdentity, whole: Project, part: Project | None
) -> Membership:
    """The checkout writes to the whole project; its part joins."""
    wanted = _seen(projects, whole, identity)
    joined = part
    if part is not None:
        parts = dict.fromkeys((*wanted.parts, part.scope, *part.parts))
        roots = dict.fromkeys((*wanted.roots, *part.roots))
        wanted = replace(wanted, parts=tuple(parts), roots=tuple(roots))
        joined = replace(part, roots=(), sightings=_with_places(part))
    known = ((wanted, whole), (joined, part))
    changed = [new for new, old in known if new is not None and new != old]
    staying = [one.scope for one in (whole, part) if one is not None]
    return Membership(wanted, None, (*changed, *_left(projects, identity, staying)))


def _with_places(part: Project) -> tuple[str, ...]:
    """The sightings of a part with its checkouts: the whole has them now, and the part again if trust is taken back."""
    return tuple(dict.fromkeys((*part.sightings, *(f"{_PLACE}{root}" for root in part.roots))))


def _places(project: Project) -> tuple[str, ...]:
    own = [one.removeprefix(_PLACE) for one in project.sightings if one.startswith(_PLACE)]
    return (*project.roots, *own) if project.part_of is not None else project.roots


def _found(
    organisation: Organisation, projects: Sequence[Project], identity: ProjectIdentity
) -> tuple[Project | None, Decision]:
    trusted = organisation.trusted_folders.of(identity.root).trusted
    parts = [one for one in projects if one.part_of is not None]
    wholes = [one for one in projects if one.part_of is None]
    decisions = [(one, decide(identity, _known(organisation, one))) for one in parts]
    place, decision = choose(identity, [_known(organisation, one) for one in wholes])
    found = wholes[place] if place is not None else None
    for part, near in decisions:
        # A work tree or a clone of an untrusted checkout, or the place to which it moved.
        follows = decision != "here" and not trusted and near in ("same", "moved")
        is_akin = follows and (set(identity.sources) & set(_places(part)) or _is_gone(part))
        if near == "here" or is_akin:
            return part, near
    return found, decision


def _known(organisation: Organisation, project: Project) -> KnownProject:
    # In a database of several machines, a checkout that is not here may exist elsewhere.
    evidence = (project.identity, *project.sightings)
    return known_project(
        evidence,
        _places(project),
        is_gone=lambda: not organisation.shares and _is_gone(project),
    )


def _is_gone(project: Project) -> bool:
    return not any(map(os.path.isdir, _places(project)))


def _is_apart(
    organisation: Organisation, by_scope: dict[Scope, Project], whole: Project, root: Path
) -> bool:
    """Whether the owner trusts another checkout of the project."""
    trusts = organisation.trusted_folders.of
    joined = (by_scope[scope].roots for scope in whole.parts if scope in by_scope)
    others = dict.fromkeys(chain(whole.roots, *joined))
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


def _fresh(
    organisation: str, projects: Sequence[Project], identity: ProjectIdentity, now: datetime
) -> Project:
    """A new project of this checkout. Names are labels: a name that is taken gets a number when it is registered."""
    plain = Project(
        identity=_free_identity(identity, _taken(projects)),
        scope=scope_of_new(organisation, identity),
        name=identity.name,
        created_at=now,
    )
    return _seen(projects, plain, identity)


def scope_of_new(organisation: str, identity: ProjectIdentity) -> Scope:
    """The scope that a directory would get as a project, if it is free."""
    return Scope(organisation, TEAM, slug(redact(identity.name).text)[:60].rstrip("-"))


def _free_identity(identity: ProjectIdentity, taken: Container[str]) -> str:
    """What a new project is known by: another one may have the same first commit, or the same id in a copied file."""
    by_path = path_identity(identity.root)
    usual = (identity.identity, by_path)
    numbered = (f"{by_path}#{number}" for number in count(2))
    return next(one for one in chain(usual, numbered) if one not in taken)


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
    )
