"""The routes of the dashboard, and its pages that only look."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from contextd.surfaces.gate import Gate
from contextd.surfaces.web import awareness, records, schema
from contextd.surfaces.web.access import SESSION_SECONDS, Access
from contextd.surfaces.web.charts import columns
from contextd.surfaces.web.desk import COOKIE, NO_STORE, Desk, locked, signed_in
from contextd.surfaces.web.render import render, static_files
from contextd.surfaces.web.sections import is_page
from contextd.surfaces.web.steps import next_steps

_FOREVER = {"cache-control": "public, max-age=31536000, immutable"}
_DAYS = 14


def application(gate: Gate, access: Access) -> Starlette:
    """Every page, form and file."""

    async def sign_in(request: Request) -> Response:
        if not access.may_try():
            return locked(request, "Too many attempts. Wait a few seconds.")
        cookie = access.redeem(request.query_params.get("code", ""))
        if not cookie:
            return locked(request, "This link was used already, or is older than a minute.")
        wanted = request.query_params.get("next", "/")
        local = wanted.startswith("/") and not wanted.startswith("//") and "\\" not in wanted
        answer = RedirectResponse(
            wanted if local and is_page(wanted.partition("?")[0]) else "/", 303, NO_STORE
        )
        answer.set_cookie(
            COOKIE, cookie, max_age=int(SESSION_SECONDS), httponly=True, samesite="strict"
        )
        return answer

    async def sign_out(desk: Desk) -> Response:
        access.sign_out(desk.request.cookies.get(COOKIE, ""))
        answer = HTMLResponse(render("locked.html", reason="You are signed out."), 200, NO_STORE)
        answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return answer

    looks = [
        ("/", overview),
        ("/sessions", sessions),
        ("/sessions/{id}", session),
        ("/jobs", jobs),
        ("/window", window),
        *records.LOOKS,
        *awareness.LOOKS,
        *schema.LOOKS,
    ]
    forms = [("/signout", sign_out), *records.FORMS, *awareness.FORMS, *schema.FORMS]
    return Starlette(
        routes=[
            Route("/signin", sign_in, methods=["GET"]),
            Route("/static/{name}", _static),
            Route("/favicon.ico", _icon),
            *(Route(path, signed_in(gate, access, run), methods=["POST"]) for path, run in forms),
            *(Route(path, signed_in(gate, access, run), methods=["GET"]) for path, run in looks),
            Route("/{rest:path}", signed_in(gate, access, _missing)),
        ]
    )


async def _static(request: Request) -> Response:
    found = static_files().get(request.path_params["name"])
    if found is None:
        return Response("not found", 404, NO_STORE, "text/plain")
    return Response(found[0], headers=_FOREVER, media_type=found[1])


async def _icon(request: Request) -> Response:
    content, kind = static_files()["icon.svg"]
    return Response(content, headers=_FOREVER, media_type=kind)


async def _missing(desk: Desk) -> Response:
    return desk.page("missing.html", 404)


async def overview(desk: Desk) -> Response:
    """What is known, what happened lately, and what to do next."""
    if not desk.project:
        return desk.page("overview.html", known=None)
    status, about, recent, latest, active, gaps = await asyncio.gather(
        desk.ask("status"),
        desk.ask("project_overview"),
        desk.ask("list_records", limit=6),
        desk.ask("list_sessions", limit=6),
        desk.ask("activity", days=_DAYS),
        _gaps(desk),
    )
    waiting = (await desk.ask("list_records", status="inbox", limit=1))["total"]
    return desk.page(
        "overview.html",
        known=sum(status["records"].values()),
        status=status,
        about=about,
        recent=recent["records"],
        sessions=latest["sessions"],
        waiting=waiting,
        steps=next_steps(status, about, latest["sessions"], waiting, gaps),
        chart=_activity(active["days"]),
        totals={
            part: sum(d[part] for d in active["days"]) for part in ("reads", "writes", "misses")
        },
        first_day=active["days"][0]["date"],
        last_day=active["days"][-1]["date"],
        complete=active["complete"],
    )


async def _gaps(desk: Desk) -> list[dict[str, Any]]:
    if not desk.has("get_gaps"):
        return []
    return list((await desk.ask_lately("get_gaps")).get("gaps", []))


def _activity(days: list[dict[str, Any]]) -> str:
    values = [
        (
            f"{d['date']}: {d['reads']} reads, {d['writes']} writes, {d['misses']} misses",
            [(d["reads"], "d1"), (d["writes"], "d2"), (d["misses"], "d3")],
        )
        for d in days
    ]
    told = "; ".join(caption for caption, parts in values if any(n for n, _ in parts))
    return columns(values, "Activity by day. " + (told or "Nothing yet."))


async def sessions(desk: Desk) -> Response:
    """Sessions, latest first."""
    status = desk.query("status", "any")
    found = await desk.ask("list_sessions", status=status, limit=100) if desk.project else None
    rows = found["sessions"] if found else []
    days: dict[str, list[Any]] = {}
    for row in rows:
        days.setdefault(row["started_at"][:10], []).append(row)
    return desk.page("sessions.html", days=days, count=len(rows), status=status)


async def session(desk: Desk) -> Response:
    """One session's timeline."""
    after = desk.query("after", "0")
    found = await desk.ask(
        "session_timeline",
        session_id=desk.request.path_params["id"],
        after=int(after) if after.isdigit() else 0,
    )
    return desk.page("session.html", line=found, s=found["session"], after=after)


async def jobs(desk: Desk) -> Response:
    """Background work."""
    found = await desk.ask("jobs", limit=100)
    state = desk.query("state")
    counts: dict[str, int] = {}
    for job in found["jobs"]:
        counts[job["state"]] = counts.get(job["state"], 0) + 1
    shown = [job for job in found["jobs"] if not state or job["state"] == state]
    return desk.page("jobs.html", jobs=shown, counts=counts, state=state, total=len(found["jobs"]))


async def window(desk: Desk) -> Response:
    """What the current session's context window holds."""
    if not desk.has("context_window") or not desk.project:
        return desk.page("window.html", window=None)
    found = await desk.ask("context_window")
    tokens: dict[str, int] = {}
    for item in found["items"]:
        if item["status"] == "active":
            tokens[item["type"]] = tokens.get(item["type"], 0) + item["tokens"]
    parts = [
        (amount, f"d{place % 3 + 1}", f"{kind}: {amount:,} tokens")
        for place, (kind, amount) in enumerate(sorted(tokens.items(), key=lambda t: -t[1]))
    ]
    return desk.page("window.html", window=found, parts=parts)
