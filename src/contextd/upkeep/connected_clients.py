"""The state of this machine's coding clients: connected, seen, captured."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from contextd.clients.client import Client
from contextd.clients.client_versions import installed_versions, too_old
from contextd.clients.detection import (
    Connection,
    connection_of,
    present_clients,
    unfit_entries,
)
from contextd.domain.sessions import Session
from contextd.domain.time import age
from contextd.runtime.runtime import Runtime
from contextd.thin.home import directory_from, user_directory
from contextd_common.dataclass import dataclass

_LATEST = 500
"""Sessions that are examined: some weeks on a busy machine."""

_LOOKED_INTO = 5
_FIRST = 20
"""Events of a session that are searched for its first prompt."""


@dataclass(frozen=True, slots=True)
class ClientStanding:
    """One client on this machine. `sign` is the evidence for it, `detail` what is missing or wrong.
    `trusted` is None if the client does not require trust in hooks, or it cannot be determined. `version` is
    empty when it is not known; `unfit` says what that version does not understand of contextd's entries.
    """

    client: Client
    sign: str
    connection: Connection
    detail: str = ""
    trusted: bool | None = None
    seen_at: datetime | None = None
    captured_at: datetime | None = None
    version: str = ""
    unfit: str = ""

    @property
    def sound(self) -> bool:
        """Whether the installed connection is intact, as far as its files show."""
        faults = self.unfit or self._too_old
        return self.connection != "unreadable" and self.trusted is not False and not faults

    @property
    def _too_old(self) -> str:
        return too_old(self.client, self.version) if self._configured else ""

    @property
    def _configured(self) -> bool:
        return self.connection in ("connected", "partly")

    def told(self, now: datetime) -> str:
        """A one-line description."""
        title = self.client.title
        if self.connection == "unreadable":
            return f"{title}: {self.detail}"
        if self.connection == "not connected":
            way = f"`contextd install {self.client.name}` connects it"
            return f"{title}: found ({self.sign}), not connected; {way}"
        parts = [f"{title}: connected"]
        if self.connection == "partly":
            parts.append(f"no contextd entries in {self.detail}")
        if self._too_old:
            parts.append(self._too_old)
        if self.unfit:
            parts.append(f"{self.unfit}; `contextd install {self.client.name}` updates it")
        if self.trusted is False:
            parts.append("its hooks are not active yet. " + self.client.configuration.afterwards)
        parts.append(f"last seen {age(self.seen_at, now)}" if self.seen_at else "not seen yet")
        if self.seen_at:
            when = f"last {age(self.captured_at, now)}" if self.captured_at else "nothing yet"
            parts.append(f"captured {when}")
        if self.client.limits:
            parts.append(self.client.limits)
        return "; ".join(parts)


def client_standings(runtime: Runtime) -> list[ClientStanding]:
    """Every client on this machine, judged by the files of its user and checkout, and by the sessions."""
    home = user_directory()
    root = runtime.checkout.root if runtime.checkout else None
    whole = runtime.everywhere()
    scopes = frozenset(project.scope for project in runtime.projects())
    sessions = whole.view.sessions.find(scopes, limit=_LATEST) if scopes else []
    standings: list[ClientStanding] = []
    found = present_clients(home)
    versions = installed_versions((one.client for one in found), home)
    for present in found:
        client = present.client
        version, place = versions[client.name], None
        connection, detail = connection_of(client, home, None)
        if connection == "not connected" and root is not None:
            connection, detail = connection_of(client, home, root)
            place = root
        trusts = client.configuration.trusts
        chosen = directory_from(client.configuration.variable)
        theirs = [one for one in sessions if one.client in (client.name, *client.names)]
        standings.append(
            ClientStanding(
                client,
                present.sign,
                connection,
                detail,
                trusts(home, chosen) if trusts and connection == "connected" else None,
                max((one.last_seen_at for one in theirs), default=None),
                _captured_at(whole, theirs),
                version,
                unfit_entries(client, home, place, version),
            )
        )
    return standings


def _captured_at(runtime: Runtime, sessions: Sequence[Session]) -> datetime | None:
    """The last contact of the latest of these sessions with captured content."""
    latest = sorted(sessions, key=lambda one: one.last_seen_at, reverse=True)
    for session in latest[:_LOOKED_INTO]:
        if is_captured(runtime, session):
            return session.last_seen_at
    return None


def is_captured(runtime: Runtime, session: Session) -> bool:
    """Whether any conversation of a session was captured, by hooks or transcript. Calls to contextd do not
    count.
    """
    events = runtime.view.sessions.events(session.id, types=("message", "query"), limit=_FIRST)
    return any(event.role for event in events)
