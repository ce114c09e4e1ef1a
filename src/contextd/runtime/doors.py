"""Doors: the one place that decides on whose behalf a call runs."""

from __future__ import annotations

from typing import Literal, Protocol

from contextd.domain.access import OWNER, Caller
from contextd.domain.claims import Claimed
from contextd.domain.members import TOKEN_PREFIX, digest_of, organisation_of
from contextd.domain.scope import PERSON
from contextd.ports.members import Credentials
from contextd_common.errors import Denied

Surface = Literal["mcp", "rest", "cli", "web", "hook", "job", "python"]

_WORKER = Caller("contextd", owner=True)
"""The caller of background work, in whatever organisation it runs."""


class Unknown(Denied):
    """The caller presented no token, or one that is not known."""

    status = 401


class Door(Protocol):
    """Identifies callers."""

    @property
    def on_machine(self) -> bool:
        """Whether its callers are on this machine, so that their folders and files are those of this process."""
        ...

    def caller(self, surface: Surface, credential: str = "") -> Caller:
        """The caller behind a request of `surface` that presented `credential`, a bearer token. Asked again for
        every call, so that a revoked credential ends at once. Raises `Denied`; there is no default caller.
        """
        ...


class HomeDoor:
    """The door of a home. Its socket and folder are private to their user, its port admits only the home's token and
    browsers that this user signed in: every client is the owner.
    """

    on_machine = True

    def caller(self, surface: Surface, credential: str = "") -> Caller:
        """See `Door.caller`."""
        return _WORKER if surface == "job" else OWNER


class Verifier(Protocol):
    """Verifies the tokens of an identity provider."""

    def verified(self, token: str) -> Claimed | None:
        """Whom a token names; None for anything that is not a valid token of the provider."""
        ...


class ServerDoor:
    """The door of a server, to all organisations of a database: a caller presents a token of ours, or of the issuer. Each call asks the database
    again, so that a token that was revoked and a role that was withdrawn end at once, on every replica.
    """

    on_machine = False

    def __init__(self, credentials: Credentials, issuer: Verifier | None = None) -> None:
        self._credentials, self._issuer = credentials, issuer

    def caller(self, surface: Surface, credential: str = "") -> Caller:
        """See `Door.caller`. Raises `Unknown` with the same words whatever is wrong with a token."""
        if surface == "job":
            return _WORKER
        if not credential:
            raise Unknown("a token is needed", "send `Authorization: Bearer …`")
        caller = self._member(credential) or self._subject(credential)
        # The person's organisation is above all others, and on no server.
        if caller is None or caller.org == PERSON.org:
            raise Unknown(
                "the token is unknown, expired or revoked",
                "make another, or ask an administrator",
            )
        return caller

    def _subject(self, credential: str) -> Caller | None:
        """Whom a token of the issuer names."""
        if self._issuer is None or credential.startswith(TOKEN_PREFIX):
            return None
        found = self._issuer.verified(credential)
        if found is None or not self._credentials.admits(found.organisation, found.token_id):
            return None
        return Caller(found.member, found.organisation, found.roles)

    def _member(self, credential: str) -> Caller | None:
        """Whom a token of ours signs in."""
        organisation = organisation_of(credential)
        if not organisation:
            return None
        found = self._credentials.signed_in(organisation, digest_of(credential))
        if found is None:
            return None
        return Caller(
            found.member,
            organisation,
            found.roles,
            limits=found.limits,
            reads_only=found.reads_only,
        )
