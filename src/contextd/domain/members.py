"""Members of an organisation that a server knows, and what they sign in with."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import field
from datetime import UTC, datetime

from contextd.domain.access import Assignment, Role
from contextd.domain.scope import Level, Scope
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid

TOKEN_PREFIX = "ctxd_"
"""How tokens and codes begin: redaction knows them by it (`redaction/providers.py`)."""

_SECRET_BYTES = 32

_LEVELS: dict[Role, tuple[Level, ...]] = {
    "org_admin": ("org",),
    "team_admin": ("team",),
    "team_member": ("team",),
    "project_dev": ("project",),
    "viewer": ("org", "team", "project"),
}
"""Where each role can be given. A role has what its row grants in wider scopes too: `org_admin` of a team would write for
the whole organisation.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A person or program that may call. `id` is what histories and audits show; `name` is erased with the member."""

    id: str
    name: str
    roles: frozenset[Assignment] = frozenset()
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """What a member signs in with, without its secret. It reaches what its member may, but only in the scopes of `limits`
    if there are any, and without writing if it `reads_only`. A code can be used `once`, for a token.
    """

    id: str
    member: str
    label: str
    digest: str
    once: bool = False
    limits: frozenset[Scope] = frozenset()
    reads_only: bool = False
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Whom a token signs in, with the roles of now."""

    member: str
    roles: frozenset[Assignment]
    limits: frozenset[Scope] = frozenset()
    reads_only: bool = False


def new_member_id() -> str:
    """An id that says nothing about a person."""
    return f"member-{secrets.token_hex(6)}"


def new_token_id() -> str:
    """An id of a token, which is no secret."""
    return secrets.token_hex(6)


def new_secret(organisation: str) -> str:
    """A token or code of an organisation: `ctxd_NAME_SECRET`. The name says where to look it up."""
    return f"{TOKEN_PREFIX}{organisation}_{secrets.token_urlsafe(_SECRET_BYTES)}"


def organisation_of(secret: str) -> str:
    """The organisation that a token names; empty for text that is no token. Nothing is proved by it."""
    # A slug has no underscore; a secret may.
    name = (
        secret.removeprefix(TOKEN_PREFIX).partition("_")[0]
        if secret.startswith(TOKEN_PREFIX)
        else ""
    )
    try:
        return Scope(name).org if name else ""
    except Invalid:
        return ""


def digest_of(secret: str) -> str:
    """What is stored of a token. A plain hash is enough for 256 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def assignment(role: Role, scope: Scope) -> Assignment:
    """A role in a scope. Raises `Invalid` where that role cannot be given."""
    levels = _LEVELS[role]
    if scope.level not in levels:
        wanted = {"org": "the organisation", "team": "a team (org/team)", "project": "a project"}
        raise Invalid(
            f"{role} is not a role in {scope}",
            f"give it in {' or '.join(wanted[level] for level in levels)}",
        )
    return Assignment(scope, role)
