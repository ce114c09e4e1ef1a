"""Storage of members: who may call a server in an organisation, and with what."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from contextd.domain.access import Assignment
from contextd.domain.members import AccessToken, Member, SignedIn


class MemberTable(Protocol):
    """The members of one organisation. Times come from the store."""

    def all(self) -> list[Member]:
        """Every member with their roles, by name."""
        ...

    def add(self, member: Member) -> None:
        """Add a member with their roles. Raises `Conflict` if the name is taken."""
        ...

    def erase(self, member_id: str) -> bool:
        """Delete a member with their name, roles and tokens; False if there is none. Histories keep the id."""
        ...

    def assign(self, member_id: str, assignment: Assignment) -> None:
        """Give a role. Raises `NotFound` for an unknown member."""
        ...

    def withdraw(self, member_id: str, assignment: Assignment) -> bool:
        """Take a role back; False if the member does not have it."""
        ...

    def tokens(self, member_id: str = "") -> list[AccessToken]:
        """The tokens and codes of a member, or of all, latest first."""
        ...

    def add_token(self, token: AccessToken) -> None:
        """Store a token or code. Raises `NotFound` for an unknown member."""
        ...

    def revoke(self, token_id: str) -> bool:
        """End a token at once; False if it does not exist or was revoked before."""
        ...

    def exchange(self, digest: str, token: AccessToken) -> AccessToken | None:
        """Use a code once: store `token` for the code's member, and return it so; None for a code that is unknown, used or
        expired.
        """
        ...

    def revoke_issued(self, token_id: str, until: datetime) -> None:
        """End a token of the issuer, by its `jti`, until it would have expired anyway; forget those that have."""
        ...

    def now(self) -> datetime:
        """The time of the store."""
        ...


class Credentials(Protocol):
    """Whom what a caller presents signs in, in a database of many organisations."""

    def signed_in(self, organisation: str, digest: str) -> SignedIn | None:
        """Whom the token with this digest signs in now; None if it is unknown, expired or revoked, or if there is no such
        organisation.
        """
        ...

    def admits(self, organisation: str, token_id: str) -> bool:
        """Whether a token of the issuer may come in: the organisation exists, and it was not revoked there."""
        ...

    def has_organisation(self, name: str) -> bool:
        """Whether the database has it."""
        ...
