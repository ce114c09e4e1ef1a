"""Roles, the permission matrix of the specification as one table, and the grants computed from it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from contextd.domain.kind import AREAS, Area
from contextd.domain.scope import PERSON, Scope
from contextd_common.dataclass import dataclass
from contextd_common.errors import Denied

Verb = Literal["read", "write"]
Role = Literal["org_admin", "team_admin", "team_member", "project_dev", "viewer"]

ROLES: dict[Role, dict[str, str]] = {
    "org_admin": dict(org="rw", team="rw", project="rw", policies="rw", skills="rw", admin="rw"),
    "team_admin": dict(org="r", team="rw", project="rw", policies="r", skills="rw", admin=""),
    "team_member": dict(org="r", team="r", project="rw", policies="r", skills="r", admin=""),
    "project_dev": dict(org="", team="", project="rw", policies="r", skills="r", admin=""),
    "viewer": dict(org="r", team="r", project="r", policies="r", skills="r", admin=""),
}
"""Role → row of the matrix → `r`, `rw` or nothing. The owner of a home needs none."""


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


class Assignment(NamedTuple):
    """A role in a scope and in all that it contains. In the wider scopes around it, the role has what its row grants there."""

    scope: Scope
    role: Role

    def allows(self, verb: Verb, scope: Scope, area: Area) -> bool:
        """Whether it permits to `verb` records of `area` in `scope`."""
        row = area if area != "knowledge" else scope.level
        reached = self.scope.contains(scope) or scope.contains(self.scope)
        # Access to a home does not include the personal layer of its owner.
        return reached and scope != PERSON and verb[0] in ROLES[self.role][row]


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of an operation: their name, the organisation whose store is opened, and their roles there; one may be
    administrator of one team and viewer of another. The `owner` of a home may do everything in it. A caller `within` a
    scope writes only there, besides knowledge about the person: it calls from a checkout that is not trusted, of a
    project that is. A token narrows its member: to the scopes of `limits` and what is read around them, if there are any,
    and to reading if it `reads_only`.
    """

    name: str
    org: str = "local"
    roles: frozenset[Assignment] = frozenset()
    owner: bool = False
    within: Scope | None = None
    limits: frozenset[Scope] = frozenset()
    reads_only: bool = False

    def may(self, verb: Verb, scope: Scope, area: Area = "knowledge") -> bool:
        """Whether this caller may `verb` records of `area` in `scope`."""
        about_person = scope == PERSON and area == "knowledge"
        if verb == "write" and self.within not in (None, scope) and not about_person:
            return False
        if not self._reaches(verb, scope):
            return False
        return self.owner or any(one.allows(verb, scope, area) for one in self.roles)

    def _reaches(self, verb: Verb, scope: Scope) -> bool:
        """Whether the token that the caller presented permits it."""
        if verb == "write" and self.reads_only:
            return False
        within = not self.limits or any(one.contains(scope) for one in self.limits)
        return within or (verb == "read" and any(scope.contains(one) for one in self.limits))

    def require(self, verb: Verb, scope: Scope, area: Area = "knowledge") -> None:
        """Raise `Denied` if `may` returns false."""
        if not self.may(verb, scope, area):
            raise Denied(
                f"{self.name} ({self.shown_roles}) may not {verb} {area} in {scope}",
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
        whole = Scope(self.org)
        if not self.owner and not self._reaches("write", whole):
            return False
        mine = (one for one in self.roles if one.scope == whole)
        return self.owner or any("w" in ROLES[one.role]["admin"] for one in mine)

    @property
    def shown_roles(self) -> str:
        """The roles, as an error names them."""
        return ", ".join(sorted({one.role for one in self.roles})) or (
            "owner" if self.owner else "no role"
        )


OWNER = Caller("owner", owner=True)
"""The local user."""
