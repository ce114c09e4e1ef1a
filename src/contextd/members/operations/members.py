"""Add members, give them roles, and erase them."""

from __future__ import annotations

from typing import Annotated

from contextd.domain.access import Role
from contextd.domain.limits import Grammar, Id, Text
from contextd.domain.members import Member, assignment
from contextd.domain.scope import Scope
from contextd.domain.time import iso
from contextd.members.invitations import invite, members_of
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, Denied, NotFound

Place = Annotated[str, Grammar("scope", "a scope: org, org/team or org/team/project")]


@dataclass(frozen=True, slots=True)
class RoleView:
    """A role in a scope."""

    role: Role
    scope: str


@dataclass(frozen=True, slots=True)
class MemberView:
    """A member, with their roles."""

    id: str
    name: str
    roles: list[RoleView]
    since: str


@dataclass(frozen=True, slots=True)
class MemberViews:
    """The members of the organisation."""

    organisation: str
    members: list[MemberView]

    def as_text(self) -> str:
        """One line per member."""
        return "\n".join(
            f"{one.name} ({one.id}): "
            + (", ".join(f"{role.role} in {role.scope}" for role in one.roles) or "no role")
            for one in self.members
        )


@dataclass(frozen=True, slots=True)
class Invited:
    """A new member, and the code that becomes their token. It is shown once."""

    member: MemberView
    code: str
    expires_at: str


@operation("GET /api/members", audience="owner", needs="server", where="anywhere")
def list_members(runtime: Runtime) -> MemberViews:
    """List who may call, with their roles."""
    return list_of(runtime)


@operation("POST /api/members", effect="write", audience="owner", needs="server", where="anywhere")
@in_steps
def add_member(runtime: Runtime, name: Text, role: Role, scope: Place = "") -> Invited:
    """Add a member with a role, and show once the code that they exchange for a token within a day.

    Args:
        name: Who it is, for people.
        role: What they may do.
        scope: Where: the organisation, a team or a project. The organisation when empty.
    """
    given = assignment(role, scope_in(runtime, scope))
    made = invite(members_of(runtime), runtime.organisation.name, name, given)
    return Invited(_view(made.member), made.code, iso(made.token.expires_at))


@operation(
    "DELETE /api/members/{id}",
    effect="destroy",
    audience="owner",
    needs="server",
    where="anywhere",
)
@in_steps
def erase_member(runtime: Runtime, id: Id) -> MemberViews:
    """Erase a member: name, roles and tokens. Histories keep the id, which says nothing about the person.

    Args:
        id: The member's id.
    """
    _require_another_administrator(runtime, _member(runtime, id))
    members_of(runtime).erase(id)
    return list_of(runtime)


@operation(
    "POST /api/members/{id}/roles",
    effect="write",
    audience="owner",
    idempotent=True,
    needs="server",
    where="anywhere",
)
@in_steps
def grant_role(runtime: Runtime, id: Id, role: Role, scope: Place = "") -> MemberViews:
    """Give a member a role in a scope, beside those they have.

    Args:
        id: The member's id.
        role: What they may do.
        scope: Where: the organisation, a team or a project. The organisation when empty.
    """
    members_of(runtime).assign(id, assignment(role, scope_in(runtime, scope)))
    return list_of(runtime)


@operation(
    "DELETE /api/members/{id}/roles",
    effect="write",
    audience="owner",
    idempotent=True,
    needs="server",
    where="anywhere",
)
@in_steps
def withdraw_role(runtime: Runtime, id: Id, role: Role, scope: Place = "") -> MemberViews:
    """Take a role in a scope back from a member. It ends with their next call.

    Args:
        id: The member's id.
        role: Which role.
        scope: Where they have it. The organisation when empty.
    """
    member = _member(runtime, id)
    if role == "org_admin":
        _require_another_administrator(runtime, member)
    if not members_of(runtime).withdraw(id, assignment(role, scope_in(runtime, scope))):
        raise NotFound(f"{member.name} is no {role} there", "`GET /api/members` lists the roles")
    return list_of(runtime)


def list_of(runtime: Runtime) -> MemberViews:
    """The members as they are now."""
    return MemberViews(runtime.organisation.name, [_view(one) for one in members_of(runtime).all()])


def scope_in(runtime: Runtime, text: str) -> Scope:
    """The scope of a text, the organisation if it is empty. Raises `Denied` for one of another organisation."""
    organisation = runtime.organisation.name
    scope = Scope.parse(text) if text else Scope(organisation)
    if scope.org != organisation:
        raise Denied(f"{scope} is not in {organisation}", "name a scope of your organisation")
    return scope


def _member(runtime: Runtime, id: str) -> Member:
    found = next((one for one in members_of(runtime).all() if one.id == id), None)
    if found is None:
        raise NotFound(f"no member {id!r}", "`GET /api/members` lists them")
    return found


def _require_another_administrator(runtime: Runtime, member: Member) -> None:
    """Raise `Conflict` for the last administrator, without whom no member could be added."""
    admins = {
        one.id
        for one in members_of(runtime).all()
        if any(given.role == "org_admin" for given in one.roles)
    }
    if admins == {member.id}:
        raise Conflict(
            f"{member.name} is the last administrator", "make another member org_admin first"
        )


def _view(member: Member) -> MemberView:
    roles = [RoleView(one.role, str(one.scope)) for one in sorted(member.roles)]
    return MemberView(member.id, member.name, roles, iso(member.created_at))
