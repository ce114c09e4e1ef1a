"""Doors: the one place that decides on whose behalf a call runs."""

from __future__ import annotations

from typing import Literal, Protocol

from contextd.domain.access import OWNER, Caller

Surface = Literal["mcp", "rest", "cli", "web", "hook", "job", "python"]

_WORKER = Caller("contextd", owner=True)
"""The caller of background work in a home."""


class Door(Protocol):
    """Identifies callers."""

    def caller(self, surface: Surface, credential: str = "") -> Caller:
        """The caller behind a request of `surface` that presented `credential`, a bearer token. Asked again for
        every call, so that a revoked credential ends at once. Raises `Denied`; there is no default caller.
        """
        ...


class HomeDoor:
    """The door of a home. Its socket and folder are private to their user, its port admits only the home's token and
    browsers that this user signed in: every client is the owner.
    """

    def caller(self, surface: Surface, credential: str = "") -> Caller:
        """See `Door.caller`."""
        return _WORKER if surface == "job" else OWNER
