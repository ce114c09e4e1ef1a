"""Subtasks of a session: open one, enforce its budget, and accept its message."""

from __future__ import annotations

from dataclasses import replace

from contextd.domain.changes import WorkChanges
from contextd.domain.notices import Notice
from contextd.domain.records import new_id
from contextd.domain.sessions import Session, SessionChange
from contextd.domain.subtasks import (
    BRANCHED,
    Served,
    Subtask,
    left_in_parent,
    opening,
    returning,
    serving,
    session_and_number,
    subtasks_of,
)
from contextd.redaction.cutting import beginning
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime
from contextd.sessions.handles import session_named
from contextd.sessions.session_binding import (
    OPENERS,
    new_session,
    open_session,
    session_of,
    take_seat,
)
from contextd_common.errors import Conflict, NotFound, TooLarge
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import one_line

AFTER_THE_END = frozenset(
    {"return", "session_checkpoint", "session_end", "session_log", "savings", "context_window"}
)
"""Operations allowed after a subtask's budget is used up: end, save, or check status."""

SMALLEST = 200
"""Minimum budget: below it not even one answer fits."""

_WARNING = 24
"""Maximum tokens of a warning."""

_DESCRIPTION, _PROMPT, _ABOUT = 200, 8_000, 300
"""Characters stored of each."""

RETURN_NOW = "return now: return(message=…) with the outcome, the files changed and what is open"


def running(runtime: Runtime, session: Session | None = None) -> Subtask | None:
    """The open subtask of the call's session, which is looked up unless given."""
    session = session or session_of(runtime)
    if session is None or not session.data.get(BRANCHED):
        return None
    latest = all_of(runtime, session)[-1:]
    return latest[0] if latest and latest[0].is_open else None


def all_of(runtime: Runtime, session: Session) -> list[Subtask]:
    """Every subtask of a session, in order."""
    events = runtime.view.sessions.events(session.id, types=("subtask",))
    return subtasks_of(session.id, events)


def within(runtime: Runtime, subtask: Subtask | None, operation: str) -> Runtime:
    """The call limited by the open subtask: its searches only return what the subtask may see.

    Raises `TooLarge` if the budget is used up and the operation does not end the subtask, and `Conflict` for
    an operation that would leave it open.
    """
    if subtask is None:
        return runtime
    if operation in OPENERS:
        raise Conflict(f"the subtask {subtask.description!r} is open", RETURN_NOW)
    if subtask.is_spent and operation not in AFTER_THE_END:
        raise TooLarge(
            f"the subtask {subtask.description!r} has used {subtask.spent:,} of {subtask.budget:,} tokens",
            RETURN_NOW,
            {"subtask_id": subtask.id, "used": subtask.spent, "total": subtask.budget},
        )
    if subtask.kinds is None or operation in AFTER_THE_END:
        return runtime
    return replace(runtime, among=frozenset(subtask.kinds))


def _warning(used: int, total: int) -> Notice:
    """The notice added to an answer when a subtask should end."""
    what = "the next call is refused: return now" if used >= total else "return soon"
    text = f"this subtask has used {used:,} of {total:,} tokens; {what}"
    return Notice("budget_warning", text, {"used": used, "total": total})


def charge(
    runtime: Runtime, subtask: Subtask, operation: str, about: str, text: str
) -> Notice | None:
    """Charge an answer to a subtask before it is returned; returns a warning if one is due."""
    tokens = count_tokens(text)
    warning: Notice | None = None
    if replace(subtask, tokens_given=subtask.tokens_given + tokens).is_near_its_end:
        tokens += _WARNING
        warning = _warning(subtask.spent + tokens, subtask.budget)
    clean = redact(beginning(about, 4 * _ABOUT), runtime.redaction_key).text
    served = Served(
        at=runtime.clock.now(),
        operation=operation,
        tokens=tokens,
        about=one_line(clean, _ABOUT),
        ids=runtime.trace.record_ids,
    )
    change = SessionChange(id=subtask.session, events=(serving(subtask, served),))
    runtime.aside().commit(work=WorkChanges(sessions=[change]))
    return warning


def parent_session(runtime: Runtime, session_id: str) -> Session:
    """The session for a new subtask: the named one, the connection's, or a new one. Later calls of the
    connection belong to it.

    Raises `NotFound`, and `Conflict` for an ended session.
    """
    if not session_id:
        found = session_of(runtime)
        if found is not None:
            return found
        session = new_session(runtime, external_id=runtime.connection or new_id())
        open_session(runtime.aside(), session)
        return session
    session = session_named(runtime, session_id)
    if not session.is_open:
        raise Conflict(f"session {session.id!r} is over", "session_start begins another one")
    take_seat(runtime.aside(), session)
    return session


def room_for(runtime: Runtime, session: Session, budget: int | None) -> Subtask:
    """The next subtask of a session: its number and its budget.

    Raises `Conflict` while another one is open, `TooLarge` if the limit of subtasks or of their messages is
    reached, and `Invalid` for an invalid budget.
    """
    before = all_of(runtime, session)
    number = runtime.settings.number
    if before and before[-1].is_open:
        raise nested(before[-1])
    if len(before) >= number("folding.subtasks"):
        raise TooLarge(
            f"this session reached its limit of {len(before)} subtasks",
            "continue without one, or in a new session",
        )
    total = number("folding.parent_tokens")
    left = max(0, total - left_in_parent(before))
    if left < SMALLEST:
        raise TooLarge(
            f"the messages of this session's subtasks use {total - left:,} of {total:,} tokens",
            "continue without a subtask, or in a new session",
        )
    if budget is not None and budget > left:
        raise TooLarge(f"budget is {budget:,}", f"choose {SMALLEST} to {left:,} tokens")
    return Subtask(
        session=session.id,
        number=len(before) + 1,
        description="",
        prompt="",
        budget=budget if budget is not None else min(number("folding.tokens"), left),
        opened_at=runtime.clock.now(),
    )


def nested(subtask: Subtask) -> Conflict:
    """The error for a subtask inside another one."""
    return Conflict(
        f"the subtask {subtask.description!r} is open, and subtasks are one level deep",
        f"do this inside it, or end it first: return(message=…, subtask_id={subtask.id!r})",
    )


def open_subtask(runtime: Runtime, subtask: Subtask) -> Subtask:
    """Commit an opened subtask. Raises `Conflict` if another one was opened concurrently."""
    clean = replace(
        subtask,
        description=one_line(_clean(runtime, subtask.description), _DESCRIPTION),
        prompt=_clean(runtime, subtask.prompt)[:_PROMPT],
    )
    event = opening(clean)
    change = SessionChange(
        id=subtask.session, seen_at=subtask.opened_at, events=(event,), data={BRANCHED: True}
    )
    done = runtime.commit(work=WorkChanges(sessions=[change]))
    if not any(one.key == event.key for one in done.events.get(subtask.session, ())):
        raise Conflict("another subtask was opened at the same time", "end that one first")
    return clean


def subtask_named(runtime: Runtime, id: str) -> tuple[Session, Subtask]:
    """A visible subtask by its id; by default the open one of its session.

    Raises `NotFound` if none is open, or for an unknown id.
    """
    if not id.strip():
        session = session_of(runtime)
        found = all_of(runtime, session)[-1:] if session is not None else []
        if session is None or not found or not found[0].is_open:
            raise NotFound("no subtask is open", "branch opens one; or pass its subtask_id")
        return session, found[0]
    wanted, number = session_and_number(id)
    unknown = NotFound(f"no subtask {id.strip()!r}", "branch returns its id")
    try:
        session = session_named(runtime, wanted)
    except NotFound:
        raise unknown from None
    for one in all_of(runtime, session):
        if one.number == number:
            return session, one
    raise unknown


def require_open(session: Session, subtask: Subtask) -> None:
    """Raise `Conflict` for a subtask that returned, or was closed with its session."""
    if not subtask.is_open:
        raise _returned_already(subtask)
    if not session.is_open:
        raise Conflict(
            f"the subtask {subtask.description!r} was closed with its session",
            "record what it found with remember; its trace can be expanded",
        )


def close_subtask(runtime: Runtime, subtask: Subtask, message: str) -> None:
    """End a subtask with its message. Raises `Conflict` if another caller did so meanwhile."""
    now = runtime.clock.now()
    event = returning(subtask, _clean(runtime, message), now)
    change = SessionChange(id=subtask.session, seen_at=now, events=(event,))
    done = runtime.commit(work=WorkChanges(sessions=[change]))
    if not any(one.key == event.key for one in done.events.get(subtask.session, ())):
        raise _returned_already(subtask)


def _returned_already(subtask: Subtask) -> Conflict:
    return Conflict(
        f"the subtask {subtask.description!r} has already returned",
        f"expand({subtask.id!r}) shows what it did",
    )


def _clean(runtime: Runtime, text: str) -> str:
    return redact(text, runtime.redaction_key).text


def trace_of(subtask: Subtask) -> str:
    """The trace of a subtask, one line per call."""
    state = "open" if subtask.is_open else "returned"
    lines = [
        f"subtask {subtask.description!r} ({state}; {subtask.spent:,} of {subtask.budget:,} tokens)",
        f"prompt: {subtask.prompt}",
    ]
    if subtask.tokens_given:
        lines.append(f"started with {subtask.tokens_given:,} tokens of context")
    for one in subtask.served:
        ids = f" [{', '.join(id[:12] for id in one.ids[:8])}]" if one.ids else ""
        lines.append(f"{one.at:%H:%M:%S} {one.operation} {one.about} · {one.tokens:,} tokens{ids}")
    if subtask.message:
        lines.append(f"returned: {subtask.message}")
    return "\n".join(lines)
