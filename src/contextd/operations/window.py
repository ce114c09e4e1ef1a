"""The context window of a session: what was served, what it weighs, and what had to go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from contextd.domain.records import Record, new_id
from contextd.domain.sessions import Event, Session
from contextd.domain.time import age, iso
from contextd.domain.tokens import count_tokens
from contextd.domain.window import ContextItem
from contextd.operations.background import Task, job
from contextd.operations.core import operation
from contextd.operations.handoff import write_context_md
from contextd.operations.tracking import (
    any_connected,
    connected_session,
    ensure_session,
    session_named,
)
from contextd.runtime import Runtime
from contextd.sessions.window import (
    Serving,
    percent,
    pruned,
    scored,
    served,
    usage_line,
    used,
)

_EVERY = timedelta(minutes=5)
_SHOWN = 50
_AGENTS = ("mcp", "rest")


def hand_out(runtime: Runtime, servings: Sequence[Serving]) -> None:
    """Note what a call gives its agent. Costs the caller nothing: it is written in a moment."""
    if runtime.project is None or not runtime.session_hint or runtime.surface not in _AGENTS:
        return
    if servings:
        runtime.sinks.later(lambda: _hand_out(runtime, servings))


def _hand_out(runtime: Runtime, servings: Sequence[Serving]) -> None:
    with runtime.store.transaction():
        session = any_connected(runtime) or ensure_session(runtime)
    take(runtime, session, servings)


def hand_out_records(runtime: Runtime, records: Iterable[Record]) -> None:
    """Note records that a call gives its agent whole."""
    hand_out(runtime, [Serving("discovery", one.id, count_tokens(one.text)) for one in records])


def quoted_in(ids: Sequence[str], tokens: int) -> list[Serving]:
    """The records quoted in a text of so many tokens, each with its share."""
    return [Serving("discovery", id, round(tokens / len(ids))) for id in ids]


def take(runtime: Runtime, session: Session, servings: Sequence[Serving]) -> None:
    """Put what was served into the session's window, and archive what no longer fits."""
    if not servings:
        return
    store, now = runtime.store, runtime.clock.now()
    with store.transaction():
        items = served(store.sessions.items(session.id), servings, now)
        gone = _settle(runtime, session, items)
        store.jobs.enqueue(
            "score_window",
            {"session_id": session.id},
            unique_key=f"window:{session.id}",
            run_at=now + _EVERY,
        )
    if gone and runtime.root is not None:
        write_context_md(runtime, store.sessions.get(session.id) or session)


@job
def score_window(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Score what a session was served anew, every five minutes while something happens in it."""
    store, now = runtime.store, runtime.clock.now()
    session = store.sessions.get(str(task.arguments["session_id"]))
    if session is None or session.status != "active" or session.ended_at is not None:
        return {"skipped": "the session is over"}
    with store.transaction():
        items = scored(store.sessions.items(session.id), now)
        gone = _settle(runtime, session, items)
        # An idle session is left alone; whatever it is served next queues this again.
        if now - session.last_seen_at < 2 * _EVERY:
            store.jobs.enqueue(
                "score_window",
                {"session_id": session.id},
                unique_key=f"window:{session.id}",
                run_at=now + _EVERY,
            )
    if gone and runtime.root is not None:
        write_context_md(runtime, session)
    return {"items": len(items), "archived": len(gone)}


def _settle(
    runtime: Runtime, session: Session, items: Sequence[ContextItem]
) -> Sequence[ContextItem]:
    """Keep scored items, and archive what no longer fits. Returns what was archived."""
    store, now = runtime.store, runtime.clock.now()
    capacity = runtime.settings.number("window.tokens")
    gone = pruned(items, capacity, now)
    archived = {(item.type, item.source): item for item in gone}
    kept = [archived.get((item.type, item.source), item) for item in items]
    store.sessions.keep_items(session.id, kept)
    if gone:
        before, after = used(items), used(kept)
        text = (
            f"Context window: {usage_line(before, capacity)}; archived {len(gone)},"
            f" now {percent(after, capacity)}%"
        )
        told = [
            {"type": i.type, "source": i.source, "tokens": i.tokens, "reason": i.reason}
            for i in gone
        ]
        data = {"pruned": told, "before": before, "after": after}
        event = Event(type="note", key=f"pruned:{new_id()}", at=now, text=text, data=data)
        store.sessions.append(session.id, [event])
    return gone


@dataclass(frozen=True, slots=True)
class WindowItem:
    """A context item as it is shown."""

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
        told = f"{self.type} {self.source}{about} ({self.tokens:,} tokens, score {self.score:.2f}, used {self.count}×, last {self.last})"
        return f"{told}: {self.reason}" if self.reason else told


@dataclass(frozen=True, slots=True)
class Pruning:
    """One time that items were archived."""

    at: str
    summary: str
    archived: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Window:
    """What a session's window holds. Archived items are whole where they come from, and searchable."""

    session_id: str
    tokens: int
    capacity: int
    percent: int
    active: int
    archived: int
    items: list[WindowItem]
    prunings: list[Pruning]

    def as_text(self) -> str:
        """The use, the items, and what was archived and why."""
        if not self.session_id:
            return "no session is active; session_start begins one"
        lines = [f"Context usage: {usage_line(self.tokens, self.capacity)}"]
        lines += ["- " + item.as_text() for item in self.items if item.status == "active"]
        gone = [item for item in self.items if item.status == "archived"]
        if gone:
            lines += ["Archived (search still finds them):", *("- " + i.as_text() for i in gone)]
        lines += [f"{pruning.at} {pruning.summary}" for pruning in self.prunings]
        return "\n".join(lines)


@operation("GET /api/sessions/window", profile="standard")
def context_window(runtime: Runtime, session_id: str = "", limit: int = _SHOWN) -> Window:
    """Show what this session was given, how full the context window is, what was archived and why.

    Args:
        session_id: The session; the active one when empty.
        limit: The most items.
    """
    session = session_named(runtime, session_id) if session_id else current(runtime)
    capacity = runtime.settings.number("window.tokens")
    if session is None:
        return Window("", 0, capacity, 0, 0, 0, [], [])
    now = runtime.clock.now()
    items = scored(runtime.store.sessions.items(session.id), now)
    items.sort(key=lambda item: (item.status, -item.score, item.type, item.source))
    tokens = used(items)
    active = sum(item.status == "active" for item in items)
    notes = runtime.store.sessions.events(session.id, types=("note",))
    runtime.trace.read([], type="window")
    shown = items[: max(0, limit)]
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


def current(runtime: Runtime) -> Session | None:
    """The connection's session, else the project's latest active one."""
    found = connected_session(runtime)
    if found is None and runtime.project is not None:
        scopes = frozenset({runtime.scope})
        latest = runtime.store.sessions.find(scopes, statuses=("active",), limit=1)
        found = latest[0] if latest else None
    return found


def archived_sources(runtime: Runtime) -> frozenset[str]:
    """What has left the window of the connection's session: paths and ids."""
    session = connected_session(runtime)
    if session is None:
        return frozenset()
    items = runtime.store.sessions.items(session.id)
    return frozenset(item.source for item in items if item.status == "archived")


def usage(runtime: Runtime, session: Session) -> str:
    """How full a session's window is: `65% (65,000 / 100,000 tokens)`."""
    tokens = used(runtime.store.sessions.items(session.id))
    return usage_line(tokens, runtime.settings.number("window.tokens"))


def window_counts(runtime: Runtime, session: Session) -> dict[str, int]:
    """What a session's window holds, by type, and what was archived."""
    counts: dict[str, int] = {}
    for item in runtime.store.sessions.items(session.id):
        name = item.type if item.status == "active" else "archived"
        counts[name] = counts.get(name, 0) + 1
    return counts


def _view(item: ContextItem, last: str, title: str = "") -> WindowItem:
    values = asdict(item)
    shown = ("type", "source", "tokens", "count", "score", "status", "reason")
    return WindowItem(last=last, title=title, **{name: values[name] for name in shown})


def _titles(runtime: Runtime, items: Sequence[ContextItem]) -> dict[str, str]:
    """What the records among the items say, by id."""
    ids = [item.source for item in items if item.type == "discovery"]
    return {r.id: (r.title or r.content)[:120] for r in runtime.store.records.get(ids)}
