"""Who may do what, where: the seed's roles and permission matrix as one table, and what a caller is
granted by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from contextd.domain.dataclass import dataclass
from contextd.domain.errors import Denied
from contextd.domain.kind import AREAS, Area
from contextd.domain.scope import PERSON, Level, Scope

Verb = Literal["read", "write"]
Role = Literal["owner", "org_admin", "team_admin", "team_member", "project_dev", "viewer"]

ROLES: dict[Role, dict[str, str]] = {
    "owner": dict(org="rw", team="rw", project="rw", policies="rw", skills="rw", admin="rw"),
    "org_admin": dict(org="rw", team="rw", project="rw", policies="rw", skills="rw", admin="rw"),
    "team_admin": dict(org="r", team="rw", project="rw", policies="r", skills="rw", admin=""),
    "team_member": dict(org="r", team="r", project="rw", policies="r", skills="r", admin=""),
    "project_dev": dict(org="", team="", project="rw", policies="r", skills="r", admin=""),
    "viewer": dict(org="r", team="r", project="r", policies="r", skills="r", admin=""),
}
"""Role → row of the matrix → `r`, `rw` or nothing. `owner` is the user of a local store."""


class Cell(NamedTuple):
    """The smallest thing that can be granted: one area of knowledge in one scope."""

    scope: Scope
    area: Area


@dataclass(frozen=True)
class Grant:
    """The cells a caller may read and those it may write. A view of a store is made from one, and
    nothing outside its cells can be reached through that view.
    """

    read: frozenset[Cell] = frozenset()
    write: frozenset[Cell] = frozenset()

    def scopes(self, area: Area = "knowledge") -> frozenset[Scope]:
        """The scopes in which this area may be read."""
        return frozenset(cell.scope for cell in self.read if cell.area == area)

    def may(self, verb: Verb, scope: Scope, area: Area = "knowledge") -> bool:
        """Whether the cell is granted."""
        return Cell(scope, area) in (self.read if verb == "read" else self.write)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is asking. Empty `teams` or `projects` of the owner and of org_admin mean all, empty
    `projects` of other team roles all of their teams; a project_dev has those that are named.
    """

    name: str
    role: Role = "viewer"
    org: str = "local"
    teams: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()

    def may(self, verb: Verb, scope: Scope, area: Area = "knowledge") -> bool:
        """Whether this caller may `verb` records of `area` in `scope`."""
        if not self._inside(scope):
            return False
        row = area if area != "knowledge" else scope.level
        return verb[0] in ROLES[self.role][row]

    def require(self, verb: Verb, scope: Scope, area: Area = "knowledge") -> None:
        """Raise `Denied` unless `may` says yes."""
        if not self.may(verb, scope, area):
            raise Denied(
                f"{self.name} ({self.role}) may not {verb} {area} in {scope}",
                "ask an administrator of that scope",
            )

    def grant(self, scopes: Iterable[Scope]) -> Grant:
        """What this caller may reach of these scopes: the one place that decides."""
        cells = [Cell(scope, area) for scope in scopes for area in AREAS]
        return Grant(
            read=frozenset(cell for cell in cells if self.may("read", *cell)),
            write=frozenset(cell for cell in cells if self.may("write", *cell)),
        )

    def may_administer(self) -> bool:
        """Whether this caller may use administrative operations."""
        return "w" in ROLES[self.role]["admin"]

    def _inside(self, scope: Scope) -> bool:
        if self.role == "owner":
            return True
        if scope.org != self.org or scope == PERSON:
            # Who is let into a home is not let into the life of its person.
            return False
        if self.role == "org_admin":
            return True
        level: Level = scope.level
        if level == "org":
            return True
        if self.role == "project_dev":
            # Two teams may each have a project of the same name: the team counts as well.
            here = not self.teams or scope.team in self.teams
            return here and (level == "team" or scope.project in self.projects)
        if scope.team not in self.teams:
            return False
        return level == "team" or not self.projects or scope.project in self.projects


OWNER = Caller("owner", "owner")
"""The local user."""
