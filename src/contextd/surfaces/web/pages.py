"""The routes of the dashboard, and its read-only pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from contextd.awareness import page as awareness
from contextd.briefing import page as window
from contextd.consolidation import page as consolidation
from contextd.folding import page as savings
from contextd.knowledge.pages import inbox, new_record, records
from contextd.pages.charts import columns
from contextd.pages.page import Answer, Handler, PageRequest, show
from contextd.person import page as person
from contextd.policies import page as policies
from contextd.projects import page as projects
from contextd.runtime.operation import OPERATIONS
from contextd.schema import page as schema
from contextd.sessions import page as sessions
from contextd.surfaces.calls import Calls
from contextd.surfaces.web.access import SESSION_SECONDS, Access
from contextd.surfaces.web.page_requests import (
    NO_STORE,
    SignedInHandler,
    SignedInRequest,
    locked,
    signed_in,
)
from contextd.surfaces.web.render import load_templates, render, static_files
from contextd.surfaces.web.sections import is_page
from contextd.upkeep import page as jobs

PARTS = (
    inbox, projects, consolidation, policies, savings, sessions, window, jobs, new_record, records,
    person, awareness, schema,
)  # fmt: skip
"""The modules with pages and forms, in the order of path matching."""

_FOREVER = {"cache-control": "public, max-age=31536000, immutable"}
_DAYS = 14
_ASKED = (
    "list_projects", "status", "project_overview", "list_records", "list_sessions", "activity",
    "get_gaps", "introspect", "list_contradictions", "record_ages", "get_record", "explain_search",
    "session_timeline", "context_window", "jobs", "schema_get", "schema_templates",
    "describe_schema", "user_profile", "inbox", "list_modules",
    "project_module", "consolidation_status", "consolidation_trigger", "list_policies",
    "standards_get", "policy_checks", "savings",
)  # fmt: skip


def application(calls: Calls, access: Access) -> Starlette:
    """Every page, form and file."""

    async def sign_in(request: Request) -> Response:
        wanted = request.query_params.get("next", "/")
        local = wanted.startswith("/") and not wanted.startswith("//") and "\\" not in wanted
        target = wanted if local and is_page(wanted.partition("?")[0]) else "/"
        # A valid code always works, so that an attacker's attempts cannot lock the owner out.
        cookie = access.redeem(request.query_params.get("code", ""))
        if not cookie:
            if access.browser(request.cookies.get(access.cookie_name, "")):
                return RedirectResponse(target, 303, NO_STORE)
            if not access.may_try():
                return locked(request, "Too many attempts", "Wait a few seconds.", 429)
            why = "It was used already or is older than a minute. Get a new one."
            return locked(request, "This link has expired", why)
        answer = RedirectResponse(target, 303, NO_STORE)
        answer.set_cookie(
            access.cookie_name, cookie, max_age=int(SESSION_SECONDS), httponly=True,
            samesite="strict",
        )  # fmt: skip
        return answer

    async def sign_out(signed: SignedInRequest) -> Response:
        access.sign_out(signed.request.cookies.get(access.cookie_name, ""))
        content = render("locked.html", title="You are signed out", reason="")
        answer = HTMLResponse(content, 200, NO_STORE)
        answer.delete_cookie(access.cookie_name, httponly=True, samesite="strict")
        return answer

    looks: list[tuple[str, Handler]] = [("/", overview)]
    looks += [look for part in PARTS for look in part.LOOKS]
    forms: list[tuple[str, SignedInHandler]] = [("/signout", sign_out)]
    forms += [form for part in PARTS for form in part.FORMS]
    return Starlette(
        routes=[
            Route("/signin", sign_in, methods=["GET"]),
            Route("/static/{name}", _static),
            Route("/favicon.ico", _icon),
            *(Route(path, signed_in(calls, access, run), methods=["POST"]) for path, run in forms),
            *(Route(path, signed_in(calls, access, run), methods=["GET"]) for path, run in looks),
            Route("/{rest:path}", signed_in(calls, access, _missing)),
        ]
    )


def warm() -> None:
    """Load every template, and the validators of the operations that pages call."""
    load_templates()
    for name in _ASKED:
        op = OPERATIONS.get(name)
        if op is not None:
            _ = op.arguments, op.result


async def _static(request: Request) -> Response:
    found = static_files().get(request.path_params["name"])
    if found is None:
        return Response("not found", 404, NO_STORE, "text/plain")
    return Response(found[0], headers=_FOREVER, media_type=found[1])


async def _icon(request: Request) -> Response:
    content, kind = static_files()["icon.svg"]
    return Response(content, headers=_FOREVER, media_type=kind)


async def _missing(request: PageRequest) -> Answer:
    return show("missing.html", 404)


async def overview(request: PageRequest) -> Answer:
    """The overview page: counts, recent activity, next steps."""
    if not request.project:
        return show("overview.html", known=None)
    status, about, recent, latest, active, gaps, disputed = await asyncio.gather(
        request.ask("status"),
        request.ask_lately("project_overview"),
        request.ask("list_records", limit=6),
        request.ask("list_sessions", limit=6),
        request.ask("activity", days=_DAYS),
        _gaps(request),
        request.ask("list_contradictions", limit=1),
    )
    disputes = disputed["contradictions"]
    waiting = (await request.ask("list_records", status="waiting", limit=1))["total"]
    return show(
        "overview.html",
        known=sum(status["records"].values()),
        status=status,
        about=about,
        recent=recent["records"],
        sessions=latest["sessions"],
        waiting=waiting,
        steps=next_steps(status, about, latest["sessions"], waiting, gaps, disputes),
        chart=_activity(active["days"]),
        peak=max(d["reads"] + d["writes"] + d["misses"] for d in active["days"]),
        totals={
            part: sum(d[part] for d in active["days"]) for part in ("reads", "writes", "misses")
        },
        first_day=active["days"][0]["date"],
        last_day=active["days"][-1]["date"],
        complete=active["complete"],
    )


async def _gaps(request: PageRequest) -> list[dict[str, Any]]:
    if not request.has("get_gaps"):
        return []
    return list((await request.ask_lately("get_gaps")).get("gaps", []))


def _activity(days: list[dict[str, Any]]) -> str:
    values = [
        (
            f"{d['date']}: {d['reads']} reads, {d['writes']} writes, {d['misses']} misses",
            [(d["reads"], "d1"), (d["writes"], "d2"), (d["misses"], "d3")],
        )
        for d in days
    ]
    summary = "; ".join(caption for caption, parts in values if any(n for n, _ in parts))
    return columns(values, "Activity by day. " + (summary or "Nothing yet."))


Step = dict[str, str]
"""`title` and `text`; then `href` and `go` for a link, or `code` for a command."""

MOST = 4


def next_steps(
    status: Mapping[str, Any],
    about: Mapping[str, Any],
    sessions: Sequence[Any],
    waiting: int,
    gaps: Sequence[Mapping[str, Any]],
    disputes: Sequence[Mapping[str, Any]],
) -> list[Step]:
    """At most four next steps, the most useful first."""
    return [
        *_failures(status),
        *_beginnings(status, about, sessions),
        *_decisions(waiting, gaps, disputes),
    ][:MOST]


def _failures(status: Mapping[str, Any]) -> Iterator[Step]:
    for problem in status["problems"][:1]:
        yield _link("A background job failed", problem, "/jobs", "See jobs")


def _beginnings(
    status: Mapping[str, Any], about: Mapping[str, Any], sessions: Sequence[Any]
) -> Iterator[Step]:
    if not about.get("initialised", True):
        yield {
            "title": "Scan this repository",
            "text": "Makes its stack, modules and code searchable.",
            "code": "contextd init",
        }
    if not sessions:
        yield {
            "title": "Connect your coding agent",
            "text": "Captures its sessions automatically from then on.",
            "code": "contextd install",
        }
    if not sum(status["records"].values()):
        yield {
            "title": "Add the first record",
            "text": "A decision, a rule, a preference.",
            "code": 'contextd remember "We use pnpm, never npm"',
        }


def _decisions(
    waiting: int, gaps: Sequence[Mapping[str, Any]], disputes: Sequence[Mapping[str, Any]]
) -> Iterator[Step]:
    if disputes:
        reason = str(disputes[0].get("reason", ""))
        yield _link("Records contradict each other", reason, "/awareness#pairs", "Resolve")
    if waiting:
        phrase = "record" if waiting == 1 else "records"
        yield _link(
            f"{waiting:,} {phrase} awaiting review",
            "Agents see them once you or a second session confirm them.",
            "/inbox",
            "Review",
        )
    if gaps:
        phrase = "gap" if len(gaps) == 1 else "gaps"
        first = str(gaps[0].get("description", ""))
        yield _link(f"{len(gaps)} {phrase} in your records", first, "/awareness", "Show gaps")


def _link(title: str, text: str, href: str, go: str) -> Step:
    return {"title": title, "text": text, "href": href, "go": go}
