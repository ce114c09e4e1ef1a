"""An event of a coding client, and the session it belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from contextd.clients.client import Client
from contextd.clients.hook_event import Occurrence
from contextd.domain.changes import WorkChanges
from contextd.domain.sessions import Session, SessionChange
from contextd.imports.transcripts import read_so_far
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_binding import BRIEFED, new_session, open_session, resumed_here
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Arrival:
    """An event, its client and its time. `spooled` means that its answer was never seen, because the hook
    has ended. `ready_briefing` is the prepared briefing that the hook showed the agent.
    """

    occurrence: Occurrence
    client: Client
    at: datetime
    spooled: bool
    ready_briefing: Mapping[str, Any]
    marks: Sequence[str] = ()


def was_before_the_end(arrival: Arrival, session: Session) -> bool:
    """Whether a spooled event happened before its session ended. Its last contact decides, because the end
    is dated by the last transcript entry.
    """
    return arrival.spooled and session.ended_at is not None and arrival.at <= session.last_seen_at


@dataclass(frozen=True, slots=True)
class Sitting:
    """The client's session before the event, `opened` if new, and the changes that the event makes."""

    session: Session
    opened: bool
    change: SessionChange

    @property
    def begins(self) -> bool:
        """Whether the event begins the session, or resumes one that was learned from."""
        return self.opened or self.session.status != "active"

    def commit(self, runtime: Runtime, **changes: Any) -> None:
        """Commit all changes at once, with further changes of the session."""
        change = replace(self.change, **changes)
        if self.opened:
            open_session(runtime, self.session, change)
        else:
            runtime.commit(work=WorkChanges(sessions=[change]))


def sitting_of(runtime: Runtime, arrival: Arrival) -> Sitting:
    """The client's session; a new one if it has none.

    A resumed session continues, however long ago it ended. A session withdrawn with its import stays
    withdrawn: a new one continues it from its last read position.
    """
    occurrence, name = arrival.occurrence, arrival.client.name
    external = occurrence.session
    found = runtime.view.sessions.by_external(name, external) if external else None
    ancestors = list(runtime.ancestors)
    if found is not None and found.status != "withdrawn":
        # Some clients name the transcript only at the end of a turn, possibly before it is written.
        data = {"transcript": found.data.get("transcript") or occurrence.transcript}
        change = SessionChange(id=found.id, seen_at=arrival.at, data=data)
        if found.ended_at is not None and not was_before_the_end(arrival, found):
            resumed = resumed_here(runtime, found, arrival.at)
            data |= {"hooked": True, "ancestors": ancestors, **resumed}
            return Sitting(found, False, replace(change, resumed=True, data=data))
        return Sitting(found, False, change)
    session_data: dict[str, Any] = {
        "ancestors": ancestors,
        "transcript": occurrence.transcript,
        "hooked": True,
        # A client that resumes still shows its agent the earlier context.
        BRIEFED: found is not None and bool(found.data.get(BRIEFED)),
    }
    if found is not None:
        session_data["continues"] = found.id
        session_data |= read_so_far(found)
    session = new_session(runtime, external_id=external, client=name, data=session_data)
    return Sitting(session, True, SessionChange(id=session.id, seen_at=arrival.at))
