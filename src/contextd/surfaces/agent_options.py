"""Options for serving an agent: they differ between command lines, but not between connections of one."""

from __future__ import annotations

from contextd.clients import client_named
from contextd.clients.client import PREFIX
from contextd.runtime.operation import OPERATIONS, Operation, Profile
from contextd_code.dataclass import dataclass
from contextd_code.errors import NotFound


@dataclass(frozen=True, slots=True)
class Manner:
    """The tools an agent sees, and their names. With `hooked` its client has our hooks, which start its
    sessions, inject their briefings, and end them.
    """

    profile: Profile = "core"
    prefix: str = ""
    hooked: bool = False

    def name(self, op: Operation) -> str:
        """The name of a tool for this client."""
        return self.prefix + op.name

    def tool(self, name: str) -> Operation | None:
        """The operation behind a tool, by its own name or with our prefix."""
        op = OPERATIONS.get(name) or OPERATIONS.get(name.removeprefix(PREFIX))
        return op if op is not None and op.tool else None


def manner_of(profile: Profile, client: str, *, hooked: bool = False) -> Manner:
    """The options for the client of a command line; an unknown client gets the defaults."""
    try:
        bare = bool(client) and client_named(client).bare
    except NotFound:
        bare = False
    return Manner(profile, PREFIX if bare else "", hooked)
