"""Callers with the roles of the matrix, and the owner beside them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from contextd.domain.access import ROLES, Assignment, Caller, Role
from contextd.domain.scope import Scope

RoleOrOwner = Role | Literal["owner"]
"""Who calls in a test: somebody with a role, or the owner of the home."""

MATRIX: dict[RoleOrOwner, dict[str, str]] = {
    "owner": dict.fromkeys((*ROLES["org_admin"],), "rw"),
    **ROLES,
}
"""What each of them may do."""


def caller_with(
    role: RoleOrOwner,
    org: str = "local",
    teams: Collection[str] = ("default",),
    projects: Collection[str] = (),
    name: str = "",
) -> Caller:
    """Somebody with one role: in these projects of these teams, in all projects of the teams if none is named, or in the
    whole organisation for its administrators.
    """
    if role == "owner":
        return Caller(name or role, org, owner=True)
    if role == "org_admin":
        places = {Scope(org)}
    else:
        places = {Scope(org, team, project) for team in teams for project in projects or ("",)}
    return Caller(name or role, org, frozenset(Assignment(place, role) for place in places))
