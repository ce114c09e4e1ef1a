"""Start a session, log its messages, end it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from contextd.briefing.briefing import EarlierWork, brief, quoted_in, read_lately, told_by
from contextd.briefing.context_file import LATELY, changes_since, time_sense, with_work
from contextd.briefing.injection_tiers import tiers_of
from contextd.domain.changes import WorkChanges
from contextd.domain.details import RENDERED
from contextd.domain.kinds import kinds_that
from contextd.domain.limits import Id, OptionalId, Range
from contextd.domain.records import new_id, short_id
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.domain.time import iso
from contextd.redaction.redact import redact
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.sessions.briefing_lines import PackedBriefing
from contextd.sessions.handles import session_named
from contextd.sessions.session_binding import (
    BRIEFED,
    IMPLICIT,
    new_session,
    open_session,
    session_begun,
    session_of,
    task_of,
)
from contextd.sessions.session_end import close_session
from contextd.sessions.session_summary import STATED
from contextd.sessions.time_sense import gap_in_words
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound


@dataclass(frozen=True, slots=True)
class Started:
    """A new session and its briefing."""

    session_id: str
    injected: list[str]
    briefing: Annotated[str, RENDERED]
    tokens: int
    remaining_budget: int
    time: dict[str, Any]
    external_changes: list[str]
    note: str = ""

    def as_text(self) -> str:
        """The session id and the briefing, or the reason why there is none."""
        body = self.briefing or self.note
        return "\n".join(filter(None, (f"session {short_id(self.session_id)}", body)))


@operation("POST /api/sessions", effect="write", profile="core")
def session_start(
    runtime: Runtime,
    task: str = "",
    budget: Annotated[int, Range(0)] | None = None,
    all_branches: bool = False,
) -> Started:
    """Start a session: gives its id and a briefing. Pass the id to later calls.

    Args:
        task: Your task.
        budget: Most tokens of the briefing.
        all_branches: Unmerged branches too.
    """
    task = task_of(runtime, task)
    begun = session_begun(runtime)
    if begun is not None and (begun.data.get("hooked") or begun.data.get(IMPLICIT)):
        # Hooks already track this session, or an earlier call began it: it only gets its task.
        session = begun.with_(task=task or begun.task)
        if begun.data.get("hooked") and begun.data.get(BRIEFED):
            return _begun_already(runtime, session, task)
    else:
        _end_before(runtime, begun)
        begun = None
        session = new_session(runtime, task=task, external_id=new_id())
    total = runtime.settings.number("injection.tokens") if budget is None else budget
    room = min(total, runtime.settings.number("briefing.tokens")) if budget is None else total
    lately = read_lately(runtime)
    before = [
        other
        for other in with_work(lately.sessions[:LATELY], runtime.clock.now())
        if other.id != session.id
    ]
    changed = changes_since(runtime, before[0] if before else None)
    packed = brief(
        runtime,
        budget=room,
        task=session.task,
        session=session,
        earlier=EarlierWork(lately, changed),
        all_branches=all_branches,
        capped=budget is not None,
    )
    change = _briefed(runtime, session, packed, task if begun is not None else "")
    runtime.trace.session = session.id
    if begun is None:
        open_session(runtime, session, change)
    else:
        runtime.commit(work=WorkChanges(sessions=[change]))
    runtime.trace.gave += quoted_in(packed.ids, packed.tokens)
    runtime.trace.read(packed.ids, type="briefing")
    return _started(runtime, session, packed, max(0, total - packed.tokens), before, changed)


def _end_before(runtime: Runtime, session: Session | None) -> None:
    """End the previous session of the connection: an agent works in one at a time. Several agents may
    share a token, so only MCP connections count.
    """
    if session is not None and runtime.surface == "mcp":
        close_session(runtime.aside(), session)


_BEGUN = "Started by your client's hook, which gave you its briefing; briefing_get repeats it."


def _begun_already(runtime: Runtime, session: Session, task: str) -> Started:
    """The session of a client whose hooks started it. Its agent already has a briefing and gets no second
    one.
    """
    now = runtime.clock.now()
    change = SessionChange(id=session.id, seen_at=now, task=task or None, data={IMPLICIT: False})
    runtime.commit(work=WorkChanges(sessions=[change]))
    runtime.trace.session = session.id
    room = runtime.settings.number("injection.tokens")
    left = max(0, room - session.tokens_served)
    return Started(session.id, [], "", 0, left, {"now": iso(now)}, [], _BEGUN)


def _briefed(
    runtime: Runtime, session: Session, packed: PackedBriefing, task: str
) -> SessionChange:
    """What a briefing stores in its session."""
    event = Event(
        type="injection",
        key=new_id(),
        at=runtime.clock.now(),
        text=packed.text,
        data={"records": packed.ids, "why": tiers_of(packed.why)},
    )
    return SessionChange(
        id=session.id,
        seen_at=runtime.clock.now(),
        task=task or None,
        events=(event,),
        injected=tuple(packed.ids),
        data={IMPLICIT: False, BRIEFED: True, **told_by(packed)},
        tokens=packed.tokens,
    )


def _started(
    runtime: Runtime,
    session: Session,
    packed: PackedBriefing,
    left: int,
    before: list[Session],
    changed: Sequence[str],
) -> Started:
    last = before[0] if before else None
    sense = time_sense(runtime, session, before)
    return Started(
        session_id=session.id,
        injected=packed.ids,
        briefing=packed.text,
        tokens=packed.tokens,
        remaining_budget=left,
        time={
            "now": iso(runtime.clock.now()),
            "last_interaction": iso(last.ended_at or last.last_seen_at) if last else None,
            "gap": gap_in_words(sense.gap),
            "pattern": sense.pattern,
            "hint": sense.hint,
        },
        external_changes=list(changed),
    )


@dataclass(frozen=True, slots=True)
class Logged:
    """How many messages of a session are stored."""

    session_id: str
    events: int
    redacted: int = 0

    def as_text(self) -> str:
        """How many events there are."""
        secrets = f"; {self.redacted} secrets removed" if self.redacted else ""
        return f"session {short_id(self.session_id)} has {self.events} events{secrets}"


@operation("POST /api/sessions/{session_id}/log", effect="write", profile="standard")
@in_steps
def session_log(
    runtime: Runtime, session_id: Id, role: Literal["user", "assistant"], text: str
) -> Logged:
    """Add a message to the session's record, for clients without hooks. Learning reads it at the end.

    Args:
        session_id: The id session_start gave.
        role: Who said it.
        text: What was said.
    """
    session = session_named(runtime, session_id)
    clean = redact(text, runtime.redaction_key)
    now = runtime.clock.now()
    event = Event(type="message", key=new_id(), at=now, role=role, text=clean.text)
    change = SessionChange(id=session.id, seen_at=now, events=(event,))
    done = runtime.commit(work=WorkChanges(sessions=[change]))
    return Logged(session.id, done.events[session.id][-1].seq, len(clean.findings))


@dataclass(frozen=True, slots=True)
class Ended:
    """An ended session; learning from it runs in the background."""

    session_id: str
    memories_extracted: int = 0
    job_id: str = ""
    note: str = ""

    def as_text(self) -> str:
        """What happens next."""
        if self.note == _GOES_ON:
            return f"session {short_id(self.session_id)}: {self.note}"
        lesson_count = self.memories_extracted
        lessons = (
            f" {lesson_count} lesson{'s' * (lesson_count != 1)} stored." if lesson_count else ""
        )
        return f"session {short_id(self.session_id)} ended.{lessons} {self.note}".rstrip()


_GOES_ON = "The session ends when your client ends it; the outcome is stored."
_ASK = (
    "If it taught something that rules cannot see, record up to three lessons with remember: "
    "kind lesson, title, one to three sentences, when to use it and when not as the field description."
)


@operation("POST /api/sessions/end", effect="write", profile="core")
@in_steps
def session_end(
    runtime: Runtime,
    session_id: OptionalId = "",
    outcome: Literal["success", "failure", "partial"] | None = None,
    distill: bool = True,
) -> Ended:
    """End the session; contextd learns from it in the background.

    Args:
        session_id: From session_start; the connection's when empty.
        outcome: How the task went.
        distill: Learn from it.
    """
    if session_id:
        session = session_named(runtime, session_id)
    else:
        found = session_of(runtime)
        if found is None:
            raise NotFound("no session to end", "pass the session_id that session_start returned")
        session = found
    runtime.caller.require("write", session.scope)
    if session.data.get("hooked") and session.is_open:
        stated = {STATED: outcome} if outcome else {}
        now = runtime.clock.now()
        change = SessionChange(id=session.id, seen_at=now, outcome=outcome or "", data=stated)
        runtime.commit(work=WorkChanges(sessions=[change]))
        return Ended(session.id, note=_GOES_ON)
    job = close_session(runtime, session, outcome=outcome or "", learn=distill)
    learned = runtime.query(*kinds_that("learned"), session=session.id)
    count = sum(runtime.view.records.count(learned).values())
    return Ended(session.id, count, job, _ASK if distill and not count else "")
