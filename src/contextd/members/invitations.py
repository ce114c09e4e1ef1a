"""Invite a member: a code that is shown once and exchanged once for a token."""

from __future__ import annotations

from datetime import timedelta

from contextd.domain.access import Assignment
from contextd.domain.members import (
    AccessToken,
    Member,
    digest_of,
    new_member_id,
    new_secret,
    new_token_id,
)
from contextd.ports.members import MemberTable
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import Denied, NotFound

CODE_HOURS = 24
"""How long the code of an invitation can be used: a working day in any time zone."""
TOKEN_DAYS = 90
"""How long the token for a code is valid."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """A new member, and the code that becomes their token."""

    member: Member
    code: str
    token: AccessToken


def members_of(runtime: Runtime) -> MemberTable:
    """The members of the call's organisation. Raises `NotFound` in a store of one person."""
    if runtime.organisation.members is None:
        raise NotFound("this store has no members", "a server keeps them in PostgreSQL")
    return runtime.organisation.members


def invite(members: MemberTable, organisation: str, name: str, role: Assignment) -> Invitation:
    """Add a member with a role. Raises `Conflict` if the name is taken."""
    now = members.now()
    member = Member(id=new_member_id(), name=name, roles=frozenset({role}), created_at=now)
    code = new_secret(organisation)
    waiting = AccessToken(
        id=new_token_id(),
        member=member.id,
        label="invitation",
        digest=digest_of(code),
        once=True,
        created_at=now,
        expires_at=now + timedelta(hours=CODE_HOURS),
    )
    members.add(member)
    members.add_token(waiting)
    return Invitation(member, code, waiting)


def exchange(members: MemberTable, organisation: str, code: str, label: str) -> str:
    """The token for a code. Raises `Denied` for one that is unknown, used or expired."""
    now, secret = members.now(), new_secret(organisation)
    wanted = AccessToken(
        id=new_token_id(),
        member="",
        label=label,
        digest=digest_of(secret),
        created_at=now,
        expires_at=now + timedelta(days=TOKEN_DAYS),
    )
    if members.exchange(digest_of(code), wanted) is None:
        raise unknown_code()
    return secret


def unknown_code() -> Denied:
    """The same words for every code that does not work."""
    return Denied("the code is unknown, used or expired", "ask an administrator for another")
