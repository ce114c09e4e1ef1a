"""The context window of a session: show it, and rescore it every few minutes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

from contextd.briefing.call_tracking import SCORED_EVERY, expect_scores
from contextd.briefing.context_window import settle_window, window_of
from contextd.briefing.window_scoring import percent, usage_line, used
from contextd.domain.context_items import ContextItem
from contextd.domain.limits import OptionalId, Range
from contextd.domain.records import short_id
from contextd.domain.sessions import Session
from contextd.domain.time import age, iso
from contextd.jobs.table import Task
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.sessions.handles import session_named
from contextd.sessions.session_binding import session_of
from contextd_common.dataclass import dataclass
from contextd_common.text.remainder import cut_note

_SHOWN = 50


def score_windows(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Rescore the items served to the project's open sessions, every five minutes while one of them is
    active.
    """
    now = runtime.clock.now()
    active = runtime.sessions(statuses=("active",))
    archived = 0
    for session in active:
        task.hold.check()
        archived += settle_window(runtime, session.id, keep_scores=True)
    # Idle sessions are skipped; the next item served to one schedules this job again.
    if any(now - session.last_seen_at < 2 * SCORED_EVERY for session in active):
        expect_scores(runtime)
    return {"sessions": len(active), "archived": archived}


@dataclass(frozen=True, slots=True)
class WindowItem:
    """A context item for display."""

    type: str
    source: str
    tokens: int
    count: int
    last: str
    score: float
    status: str
    reason: str = ""
    title: str = ""

    def as_text(self) -> str:
        """One line."""
        about = f" {self.title!r}" if self.title else ""
        line = f"{self.type} {short_id(self.source)}{about} ({self.tokens:,} tokens, score {self.score:.2f}, used {self.count}×, last {self.last})"
        return f"{line}: {self.reason}" if self.reason else line


@dataclass(frozen=True, slots=True)
class Pruning:
    """One occasion on which items were archived."""

    at: str
    summary: str
    archived: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Window:
    """A session's context window. Archived items keep their source and stay searchable."""

    session_id: str
    tokens: int
    capacity: int
    percent: int
    active: int
    archived: int
    items: list[WindowItem]
    prunings: list[Pruning]

    def as_text(self) -> str:
        """The fill level, the items, and the archived items with reasons."""
        if not self.session_id:
            return "no session is active; session_start begins one"
        lines = [f"Context usage: {usage_line(self.tokens, self.capacity)}"]
        lines += ["- " + item.as_text() for item in self.items if item.status == "active"]
        archived_items = [item for item in self.items if item.status == "archived"]
        if archived_items:
            lines += [
                "Archived (search still finds them):",
                *("- " + i.as_text() for i in archived_items),
            ]
        cut = cut_note(len(self.items), self.active + self.archived, "items", "raise the limit")
        lines += [f"({cut})"] if cut else []
        lines += [f"{pruning.at} {pruning.summary}" for pruning in self.prunings]
        return "\n".join(lines)


@operation("GET /api/sessions/window", profile="standard")
def context_window(
    runtime: Runtime, session_id: OptionalId = "", limit: Annotated[int, Range(0, 1_000)] = _SHOWN
) -> Window:
    """Show the items served to this session, how full the context window is, and what was archived and why.

    Args:
        session_id: The session; the active one when empty.
        limit: The most items.
    """
    runtime.sinks.settle()
    session = session_named(runtime, session_id) if session_id else _session(runtime)
    capacity = runtime.settings.number("window.tokens")
    if session is None:
        return Window("", 0, capacity, 0, 0, 0, [], [])
    now = runtime.clock.now()
    items = window_of(runtime, session.id)
    items.sort(key=lambda item: (item.status, -item.score, item.type, item.source))
    tokens = used(items)
    active = sum(item.status == "active" for item in items)
    notes = runtime.view.sessions.events(session.id, types=("note",))
    runtime.trace.read([], type="window")
    shown = items[:limit]
    titles = _titles(runtime, shown)
    return Window(
        session_id=session.id,
        tokens=tokens,
        capacity=capacity,
        percent=percent(tokens, capacity),
        active=active,
        archived=len(items) - active,
        items=[_view(i, age(i.last_at, now), titles.get(i.source, "")) for i in shown],
        prunings=[
            Pruning(iso(note.at), note.text, list(note.data["pruned"]))
            for note in notes
            if "pruned" in note.data
        ],
    )


def _session(runtime: Runtime) -> Session | None:
    """The connection's session; without a connection, the project's latest active one."""
    found = session_of(runtime)
    if found is None and not runtime.connection and runtime.project is not None:
        latest = runtime.sessions(statuses=("active",), limit=1)
        found = latest[0] if latest else None
    return found


def _view(item: ContextItem, last: str, title: str = "") -> WindowItem:
    values = asdict(item)
    shown = ("type", "source", "tokens", "count", "score", "status", "reason")
    return WindowItem(last=last, title=title, **{name: values[name] for name in shown})


def _titles(runtime: Runtime, items: Sequence[ContextItem]) -> dict[str, str]:
    """The titles of the records among the items, by id."""
    ids = [item.source for item in items if item.type == "discovery"]
    return {r.id: (r.title or r.content)[:120] for r in runtime.view.records.get(ids)}
