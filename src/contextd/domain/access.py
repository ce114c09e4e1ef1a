"""Who may do what, where: the seed's roles and permission matrix as one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from contextd.domain.errors import Denied
from contextd.domain.kinds import Area
from contextd.domain.scope import Level, Scope

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


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is asking. Empty `teams` or `projects` of the owner and of org_admin mean all."""

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

    def may_administer(self) -> bool:
        """Whether this caller may use administrative operations."""
        return "w" in ROLES[self.role]["admin"]

    def _inside(self, scope: Scope) -> bool:
        if self.role == "owner":
            return True
        if scope.org != self.org:
            return False
        if self.role == "org_admin":
            return True
        level: Level = scope.level
        if level == "org":
            return True
        if scope.team not in self.teams and self.role != "project_dev":
            return False
        if level == "team":
            return scope.team in self.teams
        return not self.projects or scope.project in self.projects


OWNER = Caller("owner", "owner")
"""The local user."""
