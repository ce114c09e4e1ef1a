"""List sessions, and show the events of one."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

from contextd.domain.limits import Id, Range
from contextd.domain.quoting import unquoted
from contextd.domain.records import short_id
from contextd.domain.sessions import Event, Session
from contextd.domain.time import age, iso
from contextd.knowledge.record_views import Known, known
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.validity import validities
from contextd.sessions.handles import session_named
from contextd.sessions.session_binding import RESUMED
from contextd_common.dataclass import dataclass
from contextd_common.text.remainder import cut_note

_TEXT = 1_200
_EVENTS = 500
_MOST = 200


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session in a list. `minutes` is its length so far. It began on `branch` and was resumed on each of
    `resumed_on`, with the commit at that time.
    """

    id: str
    status: str
    outcome: str
    client: str
    task: str
    branch: str
    resumed_on: list[str]
    started_at: str
    age: str
    minutes: int
    files: int
    tool_calls: int
    tokens_served: int
    learned: int


@dataclass(frozen=True, slots=True)
class SessionRows:
    """Sessions, latest first. `notice` says if there are more."""

    sessions: list[SessionRow]
    notice: str = ""

    def as_text(self) -> str:
        """One line per session."""
        lines = [
            f"{short_id(s.id)} {s.status} {s.age} {s.client} {s.task[:60]}" for s in self.sessions
        ]
        lines += [f"({self.notice})"] if self.notice else []
        return "\n".join(lines) or "no sessions yet"


@operation("GET /api/sessions", audience="owner")
def list_sessions(
    runtime: Runtime,
    status: Literal["any", "active", "completed", "archived"] = "any",
    limit: Annotated[int, Range(1, _MOST)] = 50,
) -> SessionRows:
    """List the project's sessions, latest first.

    Args:
        status: Only sessions in this status.
        limit: The most sessions.
    """
    wanted = () if status == "any" else (status,)
    found = runtime.view.sessions.find(runtime.own_scopes, statuses=wanted, limit=limit + 1)
    more = len(found) > limit
    notice = cut_note(limit, limit, "sessions", "raise the limit", at_least=more)
    return SessionRows([_row(runtime, session) for session in found[:limit]], notice)


def _row(runtime: Runtime, session: Session) -> SessionRow:
    end = session.ended_at or session.last_seen_at
    return SessionRow(
        id=session.id,
        status=session.status,
        outcome=session.outcome,
        client=session.client,
        task=session.task or ", ".join(session.topics[:3]),
        branch=session.branch,
        resumed_on=[f"{one[2]} {one[1][:8]}".strip() for one in session.data.get(RESUMED, ())],
        started_at=iso(session.started_at),
        age=age(session.started_at, runtime.clock.now()),
        minutes=max(0, round((end - session.started_at).total_seconds() / 60)),
        files=len(session.files),
        tool_calls=session.tool_calls,
        tokens_served=session.tokens_served,
        learned=_count(session.data.get("learned", 0)),
    )


def _count(value: Any) -> int:
    return len(value) if isinstance(value, list | tuple) else int(value or 0)


@dataclass(frozen=True, slots=True)
class Moment:
    """One event. `count` is how many equal ones followed each other; `text` is the beginning of its text."""

    seq: int
    at: str
    type: str
    role: str
    text: str
    operation: str
    tokens: int
    count: int = 1
    ids: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Touched:
    """A file the session accessed."""

    path: str
    count: int
    last_at: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """One session: its events in order, files, injections and learnings.

    `next` is where the next page of events starts; 0 at the end.
    """

    session: SessionRow
    moments: list[Moment]
    files: list[Touched]
    learned: list[Known]
    injected: list[Known]
    topics: list[str]
    counts: dict[str, int]
    next: int = 0

    def as_text(self) -> str:
        """One line per event."""
        lines = [
            f"{m.at} {m.type} {m.role} {unquoted(m.text)[:100]}".rstrip() for m in self.moments
        ]
        return "\n".join([f"session {self.session.id} ({self.session.status})", *lines])


@operation("GET /api/sessions/{session_id}/timeline", audience="owner")
def session_timeline(
    runtime: Runtime, session_id: Id, after: Annotated[int, Range(0)] = 0
) -> Timeline:
    """Show what happened in one session: events, files, injections, learnings, tokens.

    Args:
        session_id: The session's id, or its first characters.
        after: Show the events after this number.
    """
    session = session_named(runtime, session_id)
    view = runtime.view
    events = view.sessions.events(session.id, after=after, limit=_EVENTS + 1)
    shown = events[:_EVENTS]
    now = runtime.clock.now()
    learned = view.records.find(runtime.query(session=session.id, limit=100)).records
    injected = view.records.get(session.injected[:100])
    valid = validities(runtime, [*learned, *injected])
    counts: dict[str, int] = {}
    for event in shown:
        counts[event.type] = counts.get(event.type, 0) + 1
    return Timeline(
        session=_row(runtime, session),
        moments=_moments(shown),
        files=[
            Touched(f.path, f.count, iso(f.last_at))
            for f in sorted(session.files, key=lambda f: (-f.count, f.path))
        ],
        learned=[
            known(record, now, valid[record.id])
            for record in learned
            if record.kind != "checkpoint"
        ],
        injected=[known(record, now, valid[record.id]) for record in injected],
        topics=list(session.topics),
        counts=counts,
        next=shown[-1].seq if len(events) > _EVENTS else 0,
    )


def _moments(events: list[Event]) -> list[Moment]:
    """Group events for display: the same tool called on the same thing repeatedly is one entry."""
    moments: list[Moment] = []
    for event in events:
        moment = _moment(event)
        last = moments[-1] if moments else None
        alike = (
            last is not None
            and moment.type != "message"
            and (
                (last.type, last.operation, last.text)
                == (moment.type, moment.operation, moment.text)
            )
        )
        if last is not None and alike:
            moments[-1] = Moment(
                last.seq, last.at, last.type, last.role, last.text, last.operation,
                last.tokens + moment.tokens, last.count + 1, last.ids,
            )  # fmt: skip
        else:
            moments.append(moment)
    return moments


def _moment(event: Event) -> Moment:
    data = event.data
    ids = data.get("records") or []
    tokens = data.get("tokens", 0)
    return Moment(
        seq=event.seq,
        at=iso(event.at),
        type=event.type,
        role=event.role,
        text=event.text[:_TEXT],
        operation=str(data.get("operation") or data.get("tool") or data.get("name") or ""),
        tokens=tokens if isinstance(tokens, int) else 0,
        ids=[str(id) for id in ids] if isinstance(ids, list | tuple) else [],
    )
