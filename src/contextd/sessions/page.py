"""The pages of sessions: the list, and one session's timeline."""

from __future__ import annotations

from typing import Any

from contextd.pages.page import Answer, Handler, PageRequest, show
from contextd.pages.text import day


async def sessions(request: PageRequest) -> Answer:
    """Sessions, latest first."""
    status = request.query("status", "any")
    found = (
        await request.ask("list_sessions", status=status, limit=100) if request.project else None
    )
    rows = found["sessions"] if found else []
    days: dict[str, list[Any]] = {}
    for row in rows:
        days.setdefault(day(row["started_at"]), []).append(row)
    return show("sessions/page.html", days=days, count=len(rows), status=status)


async def session(request: PageRequest) -> Answer:
    """One session's timeline."""
    after = request.query("after", "0")
    found = await request.ask(
        "session_timeline",
        session_id=request.id,
        after=int(after) if after.isdigit() else 0,
    )
    root = next(
        (p["root"] for p in request.projects["projects"] if p["scope"] == request.project), ""
    )
    steps = steps_of(found["moments"], root)
    return show("sessions/session.html", line=found, s=found["session"], steps=steps, after=after)


def steps_of(moments: list[dict[str, Any]], root: str = "") -> list[dict[str, Any]]:
    """Group moments for display: a call with its result is one step, and a prompt reported by both hook
    and transcript appears once. Paths are relative to the project's root.
    """
    messages = {_plain(m["text"]) for m in moments if m["type"] == "message"}
    steps: list[dict[str, Any]] = []
    for moment in moments:
        if moment["type"] == "query" and _plain(moment["text"]) in messages:
            continue
        last = steps[-1] if steps else None
        same = last is not None and last["type"] == "tool_call"
        same = same and last is not None and last["operation"] == moment["operation"]
        if last is not None and same and moment["type"] == "file_access":
            continue
        if last is not None and same and moment["type"] == "tool_result" and not last["result"]:
            last["result"] = _from_root(moment["text"], root) or "done"
            continue
        text = _from_root(moment["text"], root)
        if moment["operation"]:
            text = text.removeprefix(f"{moment['operation']}: ")
        steps.append({**moment, "text": text, "result": ""})
    return steps


def _plain(text: str) -> str:
    return " ".join(text.split())[:400]


def _from_root(text: str, root: str) -> str:
    return text.replace(root.rstrip("/") + "/", "") if root else text


LOOKS: list[tuple[str, Handler]] = [("/sessions", sessions), ("/sessions/{id}", session)]
FORMS: list[tuple[str, Handler]] = []
