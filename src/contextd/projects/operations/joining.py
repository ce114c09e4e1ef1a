"""Join two projects, part them again, or give one to a team: a person's decision, never an agent's."""

from __future__ import annotations

from dataclasses import replace

from contextd.domain.limits import OptionalSlug, Slug
from contextd.domain.projects import Project
from contextd.domain.scope import Scope
from contextd.projects.joining import join, part_checkout, part_joined
from contextd.projects.membership import BY_OWNER
from contextd.projects.teams import give_to_team
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd_code.git.identity import identify
from contextd_common.dataclass import dataclass
from contextd_common.errors import Denied, NotFound

_AFTERWARDS = ("places", "policy files", "skill files", "schema files")
"""Caches that say which project a folder belongs to, or what applies there."""


@dataclass(frozen=True, slots=True)
class JoinedProjects:
    """Two projects that share one memory. `project` is the scope that both write to, `joined` the other one."""

    project: str
    joined: str
    names: tuple[str, str]

    def as_text(self) -> str:
        """What is shared now, and how to undo it."""
        into, name = self.names
        return (
            f"✓ {name} and {into} share one memory now: {self.project}. No record was moved.\n"
            f"  To undo: contextd projects part {self.joined}"
        )


@dataclass(frozen=True, slots=True)
class PartedProject:
    """A project that is one of its own again, with its checkouts."""

    project: str
    name: str
    roots: tuple[str, ...]

    def as_text(self) -> str:
        """What it is now."""
        place = self.roots[-1] if self.roots else self.name
        return f"✓ {place} is a project of its own now: {self.project}. No record was moved."


@operation("POST /api/projects/join", effect="write", audience="person")
def join_project(runtime: Runtime, into: str) -> JoinedProjects:
    """Say that this project and another one are the same: they share one memory from now on.

    Args:
        into: The other project, by name, scope or folder.
    """
    _require_owner(runtime)
    project = _project(runtime)
    # Names are labels: a fork may have that of its origin.
    other = replace(runtime, project=None).at(into)
    joined, whole = join(runtime, project, _project(other))
    _forget(runtime)
    return JoinedProjects(str(whole.scope), str(joined.scope), (whole.name, joined.name))


@operation("POST /api/projects/part", effect="write", audience="person")
def part_project(runtime: Runtime, name: str = "") -> PartedProject:
    """Undo `join_project`, or say that this folder is a project of its own.

    Args:
        name: The project that was joined, by name or scope; the current folder when empty.
    """
    _require_owner(runtime)
    parted = part_joined(runtime, _joined(runtime, name)) if name else _here(runtime)
    _forget(runtime)
    return PartedProject(str(parted.scope), parted.name, parted.roots)


@dataclass(frozen=True, slots=True)
class ProjectOfTeam:
    """A project of a team; `team_before` and `org_before` are those that it had."""

    project: str
    name: str
    team_before: str
    org_before: str

    def as_text(self) -> str:
        """Whose knowledge it shares now, and how to undo it."""
        return (
            f"✓ {self.name} is {self.project} now and shares what its team knows. No record was moved.\n"
            f"  To undo: contextd projects team {self.team_before} --org {self.org_before}"
        )


@operation("POST /api/projects/team", effect="write", audience="person")
def project_team(runtime: Runtime, name: Slug, org: OptionalSlug = "") -> ProjectOfTeam:
    """Give this project to a team, whose knowledge it shares from now on.

    Args:
        name: The team: lower-case letters, digits and hyphens.
        org: Its organisation; that of the project when empty.
    """
    _require_owner(runtime)
    project = _project(runtime)
    there, before = give_to_team(runtime, project, Scope(org or project.scope.org, name))
    _forget(runtime)
    return ProjectOfTeam(str(there.scope), there.name, before.scope.team, before.scope.org)


def _here(runtime: Runtime) -> Project:
    folders = runtime.organisation.trusted_folders
    return part_checkout(runtime, identify(runtime.root, lambda one: folders.of(one).trusted))


def _joined(runtime: Runtime, name: str) -> Project:
    """The project that its owner joined to another one."""
    joined = [one for one in runtime.projects() if BY_OWNER in one.sightings]
    called = [one for one in joined if name in (str(one.scope), one.scope.project, one.name)]
    if len(called) != 1:
        names = ", ".join(str(one.scope) for one in joined) or "none"
        raise NotFound(f"no joined project {name!r}", f"joined projects: {names}")
    return called[0]


def _project(runtime: Runtime) -> Project:
    _ = runtime.scope  # A call outside of all projects says how to name one.
    assert runtime.project is not None
    return runtime.project


def _require_owner(runtime: Runtime) -> None:
    if runtime.surface in ("mcp", "hook", "job") or not runtime.has_person:
        raise Denied(
            "only the owner of this machine can say which projects are one, and whose",
            "run `contextd projects join`, `part` or `team` in a terminal",
        )


def _forget(runtime: Runtime) -> None:
    for name in _AFTERWARDS:
        runtime.organisation.caches.forget(name)
