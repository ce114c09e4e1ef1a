"""The context window of a session: the items served, their scores, and the archived ones."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.briefing.context_file import write_context_md
from contextd.briefing.window_scoring import percent, pruned, scored, usage_line, used
from contextd.domain.changes import WorkChanges
from contextd.domain.context_items import ContextItem
from contextd.domain.records import new_id
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_binding import session_of


def window_of(runtime: Runtime, session_id: str) -> list[ContextItem]:
    """The items that a session's window contains or contained, with their current scores."""
    return scored(runtime.view.sessions.items(session_id), runtime.clock.now())


def settle_window(runtime: Runtime, session_id: str, *, keep_scores: bool = False) -> int:
    """Archive items that no longer fit into a session's window; return how many. With `keep_scores` also
    store the current scores.
    """
    items = window_of(runtime, session_id)
    capacity = runtime.settings.number("window.tokens")
    pruned_items = pruned(items, capacity, runtime.clock.now())
    if not pruned_items and not (items and keep_scores):
        return 0
    archived = {(item.type, item.source): item for item in pruned_items}
    after = [archived.get((item.type, item.source), item) for item in items]
    events = (_pruning(runtime, items, after, pruned_items),) if pruned_items else ()
    rescored = tuple(after if keep_scores else pruned_items)
    change = SessionChange(id=session_id, rescored=rescored, events=events)
    done = runtime.commit(work=WorkChanges(sessions=[change]))
    if pruned_items:
        write_context_md(runtime, done.sessions.get(session_id))
    return len(pruned_items)


def _pruning(
    runtime: Runtime,
    before: Sequence[ContextItem],
    after: Sequence[ContextItem],
    archived_items: Sequence[ContextItem],
) -> Event:
    """The event that records the archived items."""
    capacity = runtime.settings.number("window.tokens")
    filled, left = used(before), used(after)
    archived = [
        {"type": i.type, "source": i.source, "tokens": i.tokens, "reason": i.reason}
        for i in archived_items
    ]
    return Event(
        type="note",
        key=f"pruned:{new_id()}",
        at=runtime.clock.now(),
        text=(
            f"Context window: {usage_line(filled, capacity)}; archived {len(archived_items)},"
            f" now {percent(left, capacity)}%"
        ),
        data={"pruned": archived, "before": filled, "after": left},
    )


def archived_sources(runtime: Runtime) -> frozenset[str]:
    """Paths and ids that were archived from the window of the call's session."""
    session = session_of(runtime)
    if session is None:
        return frozenset()
    items = runtime.view.sessions.items(session.id)
    return frozenset(item.source for item in items if item.status == "archived")


def usage(runtime: Runtime, session: Session) -> str:
    """The fill level of a session's window: `65% (65,000 / 100,000 tokens)`."""
    tokens = used(runtime.view.sessions.items(session.id))
    return usage_line(tokens, runtime.settings.number("window.tokens"))
