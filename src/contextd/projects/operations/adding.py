"""Add projects on a server, which has no checkout to find them in."""

from __future__ import annotations

from contextd.domain.limits import Slug, Text
from contextd.domain.projects import Project
from contextd.domain.scope import Scope, slug
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_binding import expect_rounds
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class AddedProject:
    """A project of a team."""

    name: str
    scope: str


@operation(
    "POST /api/projects",
    effect="write",
    audience="owner",
    idempotent=True,
    needs="server",
    where="anywhere",
)
@in_steps
def add_project(runtime: Runtime, name: Text, team: Slug = "default") -> AddedProject:
    """Add a project to a team, whose members then share its knowledge. One of this name there is kept.

    Args:
        name: Its name, such as the repository's.
        team: The team.
    """
    scope = Scope(runtime.organisation.name, team, slug(name))
    project = runtime.organisation.directory.register(
        Project(identity=f"added:{scope}", scope=scope, name=name, created_at=runtime.clock.now())
    )
    expect_rounds(runtime.standing_in(project))
    return AddedProject(project.name, str(project.scope))
