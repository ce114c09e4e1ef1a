"""How an agent is served: what differs from one command line to another, and never between two connections
of one.
"""

from __future__ import annotations

from contextd.clients import client_named
from contextd.clients.client import PREFIX
from contextd.domain.dataclass import dataclass
from contextd.domain.errors import NotFound
from contextd.runtime.operation import OPERATIONS, Operation, Profile


@dataclass(frozen=True, slots=True)
class Manner:
    """Which tools an agent sees and by which names. With `hooked` its client has our hooks, which start
    its sessions, bring their briefings, and end them.
    """

    profile: Profile = "core"
    prefix: str = ""
    hooked: bool = False

    def name(self, op: Operation) -> str:
        """What a tool is called here."""
        return self.prefix + op.name

    def tool(self, name: str) -> Operation | None:
        """The operation behind a tool, by its own name or with our prefix."""
        op = OPERATIONS.get(name) or OPERATIONS.get(name.removeprefix(PREFIX))
        return op if op is not None and op.tool else None


def manner_of(profile: Profile, client: str, *, hooked: bool = False) -> Manner:
    """How the client of a command line is served; one that nobody knows like most."""
    try:
        bare = bool(client) and client_named(client).bare
    except NotFound:
        bare = False
    return Manner(profile, PREFIX if bare else "", hooked)
