"""The team of a project: whose knowledge it shares. No record moves when it changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from contextd.domain.projects import Project
from contextd.domain.scope import Scope
from contextd.projects.joining import join, part_joined
from contextd.projects.membership import BY_OWNER, chain_of
from contextd.runtime.runtime import Runtime
from contextd_common.errors import Conflict


def give_to_team(runtime: Runtime, project: Project, team: Scope) -> tuple[Project, Project]:
    """Join a project to one of `team`, which its checkouts write to from now on; return that one and the one that was joined.
    If it was in that team before, it returns to its earlier project there; otherwise a new one is made. Raises `Conflict`
    if it is in that team already, and what `join` raises.
    """
    directory = runtime.organisation.directory
    by_scope = {one.scope: one for one in directory.all()}
    whole = chain_of(by_scope, project).whole
    if team.contains(whole.scope):
        raise Conflict(f"{whole.name} belongs to {team} already", "see `contextd projects list`")
    there = _before(by_scope, whole, team)
    if there is not None:
        there = part_joined(runtime, there)
    else:
        there = directory.register(
            Project(
                # No checkout has this identity: checkouts are still recognised by the joined project.
                identity=f"team:{team}/{whole.identity}",
                scope=replace(team, project=whole.scope.project),
                name=whole.name,
                created_at=runtime.clock.now(),
            )
        )
    joined, there = join(runtime, whole, there)
    return there, joined


def _before(by_scope: Mapping[Scope, Project], whole: Project, team: Scope) -> Project | None:
    """The project of a team that was joined to this one, by an earlier change of team or by its owner."""
    joined = (by_scope[scope] for scope in whole.parts if scope in by_scope)
    return next((o for o in joined if team.contains(o.scope) and BY_OWNER in o.sightings), None)
