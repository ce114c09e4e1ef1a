"""Doors: the one place that decides on whose behalf a call runs."""

from __future__ import annotations

from typing import Literal, Protocol

from contextd.domain.access import OWNER, Caller
from contextd.domain.members import digest_of, organisation_of
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


class ServerDoor:
    """The door of a server, to all organisations of a database: a caller presents a token. Each call asks the database
    again, so that a token that was revoked and a role that was withdrawn end at once, on every replica.
    """

    on_machine = False

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def caller(self, surface: Surface, credential: str = "") -> Caller:
        """See `Door.caller`. Raises `Unknown` with the same words whatever is wrong with a token."""
        if surface == "job":
            return _WORKER
        if not credential:
            raise Unknown("a token is needed", "send `Authorization: Bearer …`")
        organisation = organisation_of(credential)
        found = None
        # The person's organisation is above all others, and on no server.
        if organisation not in ("", PERSON.org):
            found = self._credentials.signed_in(organisation, digest_of(credential))
        if found is None:
            raise Unknown(
                "the token is unknown, expired or revoked",
                "make another, or ask an administrator",
            )
        return Caller(
            found.member,
            organisation,
            found.roles,
            limits=found.limits,
            reads_only=found.reads_only,
        )
