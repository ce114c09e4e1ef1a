"""Pages of agents' activity: sessions, the context window, background jobs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from contextd.domain.time import iso
from contextd.surfaces.web.desk import Banner, Desk, Handler
from contextd.surfaces.web.render import day
from contextd_code.errors import NotFound

_JOBS = 50
_STATES = ("ready", "running", "failed", "done")


async def sessions(desk: Desk) -> Response:
    """Sessions, latest first."""
    status = desk.query("status", "any")
    found = await desk.ask("list_sessions", status=status, limit=100) if desk.project else None
    rows = found["sessions"] if found else []
    days: dict[str, list[Any]] = {}
    for row in rows:
        days.setdefault(day(row["started_at"]), []).append(row)
    return desk.page("sessions.html", days=days, count=len(rows), status=status)


async def session(desk: Desk) -> Response:
    """One session's timeline."""
    after = desk.query("after", "0")
    found = await desk.ask(
        "session_timeline",
        session_id=desk.request.path_params["id"],
        after=int(after) if after.isdigit() else 0,
    )
    root = next((p["root"] for p in desk.projects["projects"] if p["scope"] == desk.project), "")
    steps = steps_of(found["moments"], root)
    return desk.page("session.html", line=found, s=found["session"], steps=steps, after=after)


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


async def window(desk: Desk) -> Response:
    """The context window of a session; by default the current one."""
    if not desk.has("context_window") or not desk.project:
        return desk.page("window.html", window=None)
    wanted = desk.query("session")
    found = await desk.ask("context_window", session_id=wanted or None, limit=200)
    latest = None
    if not found["session_id"]:
        recent = (await desk.ask("list_sessions", limit=1))["sessions"]
        latest = recent[0] if recent else None
    tokens: dict[str, int] = {}
    for item in found["items"]:
        if item["status"] == "active":
            tokens[item["type"]] = tokens.get(item["type"], 0) + item["tokens"]
    parts = [
        (amount, f"d{place % 3 + 1}", f"{_KINDS.get(kind, kind)}: {amount:,} tokens")
        for place, (kind, amount) in enumerate(sorted(tokens.items(), key=lambda t: -t[1]))
    ]
    largest = max((item["tokens"] for item in found["items"]), default=0)
    return desk.page(
        "window.html", window=found, parts=parts, largest=largest, latest=latest, named=bool(wanted)
    )


_KINDS = {"file": "Files", "discovery": "Records", "summary": "Summaries"}


async def jobs(desk: Desk) -> Response:
    """Background work."""
    state = desk.query("state")
    found = await desk.ask("jobs", status=state or "any", limit=_JOBS)
    return desk.page(
        "jobs.html",
        jobs=found["jobs"],
        counts=found["counts"],
        state=state,
        states=_STATES,
        total=sum(found["counts"].values()),
        full=len(found["jobs"]) == _JOBS,
        moving=any(_moves(job) for job in found["jobs"]),
    )


def _moves(job: dict[str, Any]) -> bool:
    """Whether a job is running or about to."""
    due = job["state"] == "ready" and job["due"] <= iso(datetime.now(UTC))
    return bool(due or job["state"] == "running")


async def retry(desk: Desk) -> Response:
    """Retry one failed job, or all of them."""
    wanted = desk.field("id")
    if wanted:
        ids = [wanted]
    else:
        failed = (await desk.ask("jobs", status="failed", limit=_JOBS))["jobs"]
        ids = [job["id"] for job in failed]
    if not ids:
        raise NotFound("no failed jobs", "there is nothing to retry")
    for id in ids:
        await desk.ask("retry_job", id=id)
    message = "Retrying the job." if len(ids) == 1 else f"Retrying {len(ids)} jobs."
    return desk.go("/jobs", Banner(message))


LOOKS: list[tuple[str, Handler]] = [
    ("/sessions", sessions),
    ("/sessions/{id}", session),
    ("/window", window),
    ("/jobs", jobs),
]
FORMS: list[tuple[str, Handler]] = [("/jobs/retry", retry)]
