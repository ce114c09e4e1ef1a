"""Make, list and revoke tokens."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from contextd.domain.access import Caller
from contextd.domain.claims import LONGEST_LIFE
from contextd.domain.limits import Id, OptionalId, Range, Text
from contextd.domain.members import AccessToken, digest_of, new_secret, new_token_id
from contextd.domain.scope import Scope
from contextd.domain.time import iso
from contextd.members.invitations import members_of
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import Denied, NotFound

LONGEST_DAYS = 366
"""A token that outlives a year is one that was forgotten."""


@dataclass(frozen=True, slots=True)
class TokenView:
    """A token, without its secret."""

    id: str
    member: str
    label: str
    scopes: list[str]
    reads_only: bool
    created_at: str
    expires_at: str
    state: str


@dataclass(frozen=True, slots=True)
class TokenViews:
    """Tokens, latest first."""

    tokens: list[TokenView]

    def as_text(self) -> str:
        """One line per token."""
        return "\n".join(
            f"{one.id}: {one.label}, {one.state}, until {one.expires_at}" for one in self.tokens
        )


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token with its secret, which is shown once."""

    token: str
    about: TokenView


@dataclass(frozen=True, slots=True)
class RevokedToken:
    """A token of the issuer that is refused until it would have expired."""

    id: str
    until: str


@operation("POST /api/tokens", effect="write", audience="member", needs="server", where="anywhere")
@in_steps
def create_token(
    runtime: Runtime,
    title: Text,
    days: Annotated[int, Range(1, LONGEST_DAYS)] = 90,
    scopes: list[str] | None = None,
    reads_only: bool = False,
    member_id: OptionalId = "",
) -> NewToken:
    """Make a token for yourself, and show it once. It may reach less than you, never more.

    Args:
        title: What it is for, such as the name of a laptop.
        days: How many days it is valid.
        scopes: The scopes it reaches, with what is read around them; all of yours when empty.
        reads_only: Whether it may write nothing.
        member_id: Whose it is, if not yours: administrators make tokens for others, such as a build server.
    """
    caller, members = runtime.caller, members_of(runtime)
    member = member_id or caller.name
    if member != caller.name and not caller.may_administer():
        raise Denied("you may make tokens for yourself", "ask an administrator")
    limits = frozenset(map(Scope.parse, scopes or ()))
    now, secret = members.now(), new_secret(runtime.organisation.name)
    made = AccessToken(
        id=new_token_id(),
        member=member,
        label=title,
        digest=digest_of(secret),
        limits=_narrowed(caller, limits) if member == caller.name else limits,
        reads_only=reads_only or (member == caller.name and caller.reads_only),
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    members.add_token(made)
    return NewToken(secret, _view(made, runtime))


@operation("GET /api/tokens", audience="member", needs="server", where="anywhere")
def list_tokens(runtime: Runtime, everywhere: bool = False) -> TokenViews:
    """List your tokens, without their secrets.

    Args:
        everywhere: Those of all members; for administrators.
    """
    if everywhere and not runtime.caller.may_administer():
        raise Denied("you may list your own tokens", "ask an administrator")
    found = members_of(runtime).tokens("" if everywhere else runtime.caller.name)
    return TokenViews([_view(one, runtime) for one in found])


@operation(
    "DELETE /api/tokens/{id}",
    effect="destroy",
    audience="member",
    needs="server",
    where="anywhere",
)
@in_steps
def revoke_token(runtime: Runtime, id: Id) -> TokenViews:
    """Revoke a token of yours; administrators may revoke any. It ends with its next call.

    Args:
        id: The token's id.
    """
    members, caller = members_of(runtime), runtime.caller
    mine = {one.id for one in members.tokens(caller.name)}
    if (id not in mine and not caller.may_administer()) or not members.revoke(id):
        raise NotFound(f"no token {id!r} to revoke", "`GET /api/tokens` lists them")
    return TokenViews([_view(one, runtime) for one in members.tokens(caller.name)])


@operation(
    "POST /api/tokens/issued/{id}/revoke",
    effect="destroy",
    audience="owner",
    idempotent=True,
    needs="server",
    where="anywhere",
)
@in_steps
def revoke_issued_token(runtime: Runtime, id: Id) -> RevokedToken:
    """Revoke a token of the identity provider before it expires. It ends with its next call.

    Args:
        id: The token's id, its claim `jti`.
    """
    members = members_of(runtime)
    # No token that is accepted lasts longer.
    until = members.now() + timedelta(seconds=LONGEST_LIFE)
    members.revoke_issued(id, until)
    return RevokedToken(id, iso(until))


def _narrowed(caller: Caller, limits: frozenset[Scope]) -> frozenset[Scope]:
    """The limits of a token that a caller makes for itself: never wider than those of the token it called with."""
    if not caller.limits:
        return limits
    outside = [one for one in limits if not any(own.contains(one) for own in caller.limits)]
    if outside:
        raise Denied(f"your token does not reach {outside[0]}", "make it with a token that does")
    return limits or caller.limits


def _view(token: AccessToken, runtime: Runtime) -> TokenView:
    now = members_of(runtime).now()
    state = "valid" if token.expires_at > now else "expired"
    if token.revoked_at is not None:
        state = "used" if token.once else "revoked"
    elif token.once and state == "valid":
        state = "a code that waits to be exchanged"
    return TokenView(
        id=token.id,
        member=token.member,
        label=token.label,
        scopes=sorted(map(str, token.limits)),
        reads_only=token.reads_only,
        created_at=iso(token.created_at),
        expires_at=iso(token.expires_at),
        state=state,
    )
