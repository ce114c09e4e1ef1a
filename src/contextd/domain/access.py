"""Roles, the permission matrix of the specification as one table, and the grants computed from it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from contextd.domain.kind import AREAS, Area
from contextd.domain.scope import PERSON, Level, Scope
from contextd_common.dataclass import dataclass
from contextd_common.errors import Denied

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
    """The smallest unit of permission: one area of knowledge in one scope."""

    scope: Scope
    area: Area


@dataclass(frozen=True)
class Grant:
    """The cells a caller may read and write. A view of a store is made from a grant and cannot reach
    anything outside its cells.
    """

    read: frozenset[Cell] = frozenset()
    write: frozenset[Cell] = frozenset()

    def scopes(self, area: Area = "knowledge") -> frozenset[Scope]:
        """The scopes in which this area is readable."""
        return frozenset(cell.scope for cell in self.read if cell.area == area)

    def may(self, verb: Verb, scope: Scope, area: Area = "knowledge") -> bool:
        """Whether the grant includes this cell."""
        return Cell(scope, area) in (self.read if verb == "read" else self.write)


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of an operation. For the owner and org_admin, empty `teams` or `projects` mean all. For
    other team roles, empty `projects` means all projects of their teams. A project_dev has only the
    named projects. A caller `within` a scope writes only there, besides knowledge about the person: it calls from a
    checkout that is not trusted, of a project that is.
    """

    name: str
    role: Role = "viewer"
    org: str = "local"
    teams: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()
    within: Scope | None = None

    def may(self, verb: Verb, scope: Scope, area: Area = "knowledge") -> bool:
        """Whether this caller may `verb` records of `area` in `scope`."""
        if not self._inside(scope):
            return False
        about_person = scope == PERSON and area == "knowledge"
        if verb == "write" and self.within not in (None, scope) and not about_person:
            return False
        row = area if area != "knowledge" else scope.level
        return verb[0] in ROLES[self.role][row]

    def require(self, verb: Verb, scope: Scope, area: Area = "knowledge") -> None:
        """Raise `Denied` if `may` returns false."""
        if not self.may(verb, scope, area):
            raise Denied(
                f"{self.name} ({self.role}) may not {verb} {area} in {scope}",
                "trust this folder with `contextd trust`"
                if self.within
                else "ask an administrator of that scope",
            )

    def grant(self, scopes: Iterable[Scope]) -> Grant:
        """The cells of these scopes that the caller may reach. Permissions are decided here only."""
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
            # Access to a home does not include the personal layer of its owner.
            return False
        if self.role == "org_admin":
            return True
        level: Level = scope.level
        if level == "org":
            return True
        if self.role == "project_dev":
            # Two teams may each have a project with the same name, so the team is compared too.
            here = not self.teams or scope.team in self.teams
            return here and (level == "team" or scope.project in self.projects)
        if scope.team not in self.teams:
            return False
        return level == "team" or not self.projects or scope.project in self.projects


OWNER = Caller("owner", "owner")
"""The local user."""
