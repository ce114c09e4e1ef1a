"""Subtasks of a session: opening one, holding its calls to a budget, and taking its message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from contextd.domain.errors import Conflict, NotFound, TooLarge
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
from contextd.domain.tokens import count_tokens
from contextd.domain.words import one_line
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime
from contextd.sessions.handles import session_named
from contextd.sessions.seating import (
    OPENERS,
    is_open,
    new_session,
    open_session,
    session_of,
    take_seat,
)

AFTER_THE_END = frozenset(
    {"return", "session_checkpoint", "session_end", "session_log", "savings", "context_window"}
)
"""What a subtask may still do once its budget is used up: end, and save or look at where it stands."""

SMALLEST = 200
"""Tokens below which a subtask could not even be handed one answer."""

_WARNING = 24
"""What a warning costs at most."""

_DESCRIPTION, _PROMPT, _ABOUT = 200, 8_000, 300
"""Characters that are kept of each."""

RETURN_NOW = "return now: return(message=…) with the outcome, the files changed and what is open"


def running(runtime: Runtime, session: Session | None = None) -> Subtask | None:
    """The open subtask of the session that the call belongs to, which is looked up unless it is given."""
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
    """The call inside the subtask that is open: its searches return what that may see.

    Raises `TooLarge` when the budget is used up and the operation is none by which it ends, and
    `Conflict` for one that would leave it behind.
    """
    if subtask is None:
        return runtime
    if operation in OPENERS:
        raise Conflict(f"the subtask {subtask.description!r} is open", RETURN_NOW)
    if subtask.is_spent and operation not in AFTER_THE_END:
        raise TooLarge(
            f"the subtask {subtask.description!r} was served {subtask.spent:,} of {subtask.budget:,} tokens",
            RETURN_NOW,
            {"subtask_id": subtask.id, "used": subtask.spent, "total": subtask.budget},
        )
    if subtask.kinds is None or operation in AFTER_THE_END:
        return runtime
    return replace(runtime, among=frozenset(subtask.kinds))


def _warning(used: int, total: int) -> Notice:
    """What rides on an answer when a subtask should come to its end."""
    what = "the next call is refused: return now" if used >= total else "return soon"
    text = f"this subtask was served {used:,} of {total:,} tokens; {what}"
    return Notice("budget_warning", text, {"used": used, "total": total})


def charge(
    runtime: Runtime, subtask: Subtask, operation: str, about: str, text: str
) -> Notice | None:
    """Charge an answer to a subtask, before it is given; the warning that goes with it, if any."""
    tokens = count_tokens(text)
    warning: Notice | None = None
    if replace(subtask, tokens_given=subtask.tokens_given + tokens).is_near_its_end:
        tokens += _WARNING
        warning = _warning(subtask.spent + tokens, subtask.budget)
    clean = redact(about[: 4 * _ABOUT], runtime.redaction_key).text
    served = Served(
        at=runtime.clock.now(),
        operation=operation,
        tokens=tokens,
        about=one_line(clean, _ABOUT),
        ids=runtime.trace.record_ids,
    )
    change = SessionChange(id=subtask.session, events=(serving(subtask, served),))
    runtime.aside().commit(sessions=[change])
    return warning


def parent_session(runtime: Runtime, session_id: str) -> Session:
    """The session that a subtask is opened in: the one named, the connection's, or a new one. The
    calls of the connection belong to it from then on.

    Raises `NotFound`, and `Conflict` for a session that is over.
    """
    if not session_id:
        found = session_of(runtime)
        if found is not None:
            return found
        session = new_session(runtime, external_id=runtime.connection or new_id())
        open_session(runtime.aside(), session)
    else:
        session = session_named(runtime, session_id)
        if not is_open(session):
            raise Conflict(f"session {session.id!r} is over", "session_start begins another one")
    take_seat(runtime, session)
    return session


def room_for(runtime: Runtime, session: Session, budget: int | None) -> Subtask:
    """The next subtask of a session as far as it is known: its number and its budget.

    Raises `Conflict` while another one is open, `TooLarge` when there were as many as there may be,
    or their messages take all there is, and `Invalid` for a budget that cannot be given.
    """
    before = all_of(runtime, session)
    number = runtime.settings.number
    if before and before[-1].is_open:
        raise nested(before[-1])
    if len(before) >= number("folding.subtasks"):
        raise TooLarge(
            f"this session had {len(before)} subtasks, and no more are opened",
            "go on without one, or in a new session",
        )
    total = number("folding.parent_tokens")
    left = max(0, total - left_in_parent(before))
    if left < SMALLEST:
        raise TooLarge(
            f"the messages of this session's subtasks take {total - left:,} of {total:,} tokens",
            "go on without a subtask, or in a new session",
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
    """The error of opening a subtask inside another one."""
    return Conflict(
        f"the subtask {subtask.description!r} is open, and subtasks are one level deep",
        f"do this inside it, or end it first: return(message=…, subtask_id={subtask.id!r})",
    )


def open_subtask(runtime: Runtime, subtask: Subtask) -> Subtask:
    """Open a subtask for good. Raises `Conflict` when another one was opened meanwhile."""
    clean = replace(
        subtask,
        description=one_line(_clean(runtime, subtask.description), _DESCRIPTION),
        prompt=_clean(runtime, subtask.prompt)[:_PROMPT],
    )
    event = opening(clean)
    change = SessionChange(
        id=subtask.session, seen_at=subtask.opened_at, events=(event,), data={BRANCHED: True}
    )
    done = runtime.commit(sessions=[change])
    if not any(one.key == event.key for one in done.events.get(subtask.session, ())):
        raise Conflict("another subtask was opened at the same moment", "end that one first")
    return clean


def subtask_named(runtime: Runtime, id: str) -> tuple[Session, Subtask]:
    """A subtask that the caller may see, by its id; without one, the open one of its session.

    Raises `NotFound` when none has that id, or none is open.
    """
    if not id.strip():
        session = session_of(runtime)
        found = all_of(runtime, session)[-1:] if session is not None else []
        if session is None or not found or not found[0].is_open:
            raise NotFound("no subtask is open", "branch opens one; or pass its subtask_id")
        return session, found[0]
    wanted, number = session_and_number(id)
    unknown = NotFound(f"no subtask {id.strip()!r}", "branch gives its id")
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
    if not is_open(session):
        raise Conflict(
            f"the subtask {subtask.description!r} was closed with its session",
            "record what it found with memory_record; its trace can be expanded",
        )


def close_subtask(runtime: Runtime, subtask: Subtask, message: str) -> None:
    """End a subtask in its message. Raises `Conflict` when somebody else did meanwhile."""
    now = runtime.clock.now()
    event = returning(subtask, _clean(runtime, message), now)
    change = SessionChange(id=subtask.session, seen_at=now, events=(event,))
    done = runtime.commit(sessions=[change])
    if not any(one.key == event.key for one in done.events.get(subtask.session, ())):
        raise _returned_already(subtask)


def _returned_already(subtask: Subtask) -> Conflict:
    return Conflict(
        f"the subtask {subtask.description!r} returned already",
        f"expand({subtask.id!r}) shows what it did",
    )


def _clean(runtime: Runtime, text: str) -> str:
    return redact(text, runtime.redaction_key).text


def trace_of(subtask: Subtask, calls: Sequence[Served] | None = None) -> str:
    """What happened in a subtask, a line per call."""
    state = "open" if subtask.is_open else "returned"
    lines = [
        f"subtask {subtask.description!r} ({state}; {subtask.spent:,} of {subtask.budget:,} tokens)",
        f"prompt: {subtask.prompt}",
    ]
    if subtask.tokens_given:
        lines.append(f"began with {subtask.tokens_given:,} tokens of context")
    for one in subtask.served if calls is None else calls:
        ids = f" [{', '.join(id[:12] for id in one.ids[:8])}]" if one.ids else ""
        lines.append(f"{one.at:%H:%M:%S} {one.operation} {one.about} · {one.tokens:,} tokens{ids}")
    if subtask.message:
        lines.append(f"returned: {subtask.message}")
    return "\n".join(lines)
