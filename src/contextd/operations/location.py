"""Which project a call stands in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from contextd.code.git.identity import Identity, identify, match
from contextd.domain.errors import Conflict, NotFound, nearest
from contextd.domain.scope import Scope, slug
from contextd.domain.sessions import Project
from contextd.ports import Clock, Store

ORGANISATION, TEAM = "local", "default"


def locate(store: Store, clock: Clock, directory: Path) -> tuple[Project, Path]:
    """The project `directory` stands in and its checkout's root; registered when it is new.

    Raises `NotFound` for a directory that cannot be a project.
    """
    identity = identify(directory)
    return register(store, clock, identity), identity.root


def register(store: Store, clock: Clock, identity: Identity) -> Project:
    """The project with this identity, with this root among its roots. Names are labels: a name that
    is taken by another project gets a number.
    """
    there = _registered(store, identity)
    if there is not None and str(identity.root) in there.roots:
        return there
    # Two processes may meet a project at once: look again where nobody else can write.
    with store.transaction():
        there = _registered(store, identity) or _new_project(store, clock, identity)
        if str(identity.root) not in there.roots:
            there = replace(there, roots=(*there.roots, str(identity.root)))
        if identity.kind == "git":
            # What a shallow clone or a repository without remote could not know.
            there = replace(there, identity=identity.identity)
        store.projects.save(there)
    return there


def _registered(store: Store, identity: Identity) -> Project | None:
    projects = store.projects.all()
    same = match(identity, [project.identity for project in projects])
    return next((project for project in projects if project.identity == same), None)


def _new_project(store: Store, clock: Clock, identity: Identity) -> Project:
    taken = {project.scope.project for project in store.projects.all()}
    name = base = slug(identity.name)[:60].rstrip("-")
    number = 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    scope = Scope(ORGANISATION, TEAM, name)
    return Project(
        identity=identity.identity, scope=scope, name=identity.name, created_at=clock.now()
    )


def project_named(store: Store, name: str) -> Project:
    """The project called `name`: its scope, slug, label or alias.

    Raises `NotFound` with the nearest names: nothing is ever written to a guessed project.
    """
    projects = store.projects.all()
    matching = [
        p for p in projects if name in (str(p.scope), p.scope.project, p.name) or name in p.aliases
    ]
    if len(matching) > 1:
        options = ", ".join(str(p.scope) for p in matching)
        raise Conflict(f"{name!r} names {len(matching)} projects", f"say which: {options}")
    if not matching:
        names = [p.scope.project for p in projects]
        hint = nearest(name, names) or "known projects: " + (", ".join(names[:10]) or "none yet")
        raise NotFound(f"no project {name!r}", hint)
    return matching[0]
