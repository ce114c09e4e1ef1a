"""Serve pages over HTTP: sign in, read forms, run the operations, render the answers."""

from __future__ import annotations

import hmac
import json
import logging
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from contextd import __version__
from contextd.pages.page import Answer, Json, PageView, Redirect, show
from contextd.runtime.operation import OPERATIONS
from contextd.surfaces.calls import Calls, Peer
from contextd.surfaces.web.access import Access, Browser, TooManyRequests
from contextd.surfaces.web.render import render
from contextd.surfaces.web.sections import NAVIGATION
from contextd_common.errors import ContextdError, Denied, Invalid, NotFound, TooLarge
from contextd_common.text.syntax_errors import json_problem

FORM_LIMIT = 1 << 20
KEPT_SECONDS = 5.0
NO_STORE = {"cache-control": "no-store"}

logger = logging.getLogger(__name__)


class SignedInRequest:
    """One request of a signed-in browser: the `PageRequest` of every page."""

    def __init__(self, calls: Calls, request: Request, browser: Browser) -> None:
        self.request, self.browser = request, browser
        self._calls = calls
        self._began = time.perf_counter()
        self.form: dict[str, list[str]] = {}
        self.json: dict[str, Any] = {}
        self.projects: dict[str, Any] = {"projects": [], "current": ""}

    @property
    def project(self) -> str:
        """The current scope; empty if there is none."""
        return str(self.projects["current"])

    @property
    def id(self) -> str:
        """The `{id}` of the path."""
        return str(self.request.path_params["id"])

    def query(self, name: str, default: str = "") -> str:
        """A parameter of the address."""
        return self.request.query_params.get(name, default)

    def field(self, name: str, default: str = "") -> str:
        """A field of the posted form."""
        return self.form.get(name, [default])[-1]

    @staticmethod
    def has(operation: str) -> bool:
        """Whether this contextd offers the operation."""
        return operation in OPERATIONS

    async def ask(self, operation: str, **arguments: Any) -> Any:
        """Run an operation for this browser and return its value. Raises `ContextdError`."""
        given = {name: value for name, value in arguments.items() if value is not None}
        peer = Peer("web", client="dashboard", cwd=self.browser.cwd, project=self.project)
        return (await self._calls.call(peer, operation, given)).value

    async def ask_lately(self, operation: str) -> Any:
        """Like `ask`, but may return an answer of the last seconds, unless this browser changed something."""
        now, key = time.monotonic(), (operation, self.project)
        at, value = self.browser.answers.get(key, (0.0, None))
        if value is None or now - at > KEPT_SECONDS:
            value = await self.ask(operation)
            self.browser.answers[key] = (now, value)
        return value

    async def choose_project(self, wanted: str = "") -> None:
        """Choose the project of this request: the requested one, the browser's, the one it was opened
        from, or the first.
        """
        cwd, chosen = self.browser.cwd, wanted or self.browser.project
        peer = Peer("web", client="dashboard", cwd=cwd, project=chosen)
        try:
            self.projects = (await self._calls.call(peer, "list_projects", {})).value
        except NotFound:
            if wanted:
                raise
            self.browser.project = ""
            return await self.choose_project()
        known = self.projects["projects"]
        if not self.projects["current"] and known:
            self.projects["current"] = known[0]["scope"]
        self.browser.project = self.project
        return None

    def respond(self, answer: Answer | Response) -> Response:
        """Turn the answer of a page into a response."""
        match answer:
            case Response():
                return answer
            case Json():
                return JSONResponse(dict(answer.content), headers=NO_STORE)
            case Redirect():
                self.browser.notice = answer.banner
                address = answer.path + ("?" + urlencode(answer.query) if answer.query else "")
                return RedirectResponse(address, HTTPStatus.SEE_OTHER, NO_STORE)
            case PageView():
                return self._rendered(answer)

    def _rendered(self, view: PageView) -> Response:
        notice, self.browser.notice = self.browser.notice, None
        path = self.request.url.path
        content = render(
            view.template,
            navigation=NAVIGATION,
            path=path,
            section="/" + path.strip("/").split("/", 1)[0],
            csrf=self.browser.csrf,
            notice=notice,
            version=__version__,
            projects=self.projects["projects"],
            project=self.project,
            project_name=self._project_name(),
            **view.values,
        )
        took = 1000 * (time.perf_counter() - self._began)
        headers = {**NO_STORE, "server-timing": f"page;dur={took:.1f}"}
        return HTMLResponse(content, view.code, headers)

    def _project_name(self) -> str:
        known = (p for p in self.projects["projects"] if p["scope"] == self.project)
        return next((str(p["slug"] or p["name"]) for p in known), "")

    def failed(self, error: ContextdError) -> Response:
        """Show an error and its hint on a page of its own."""
        if "application/json" in self.request.headers.get("accept", ""):
            return JSONResponse({"error": error.as_dict()}, error.status, NO_STORE)
        return self.respond(show("error.html", error.status, error=error))

    async def read_form(self) -> None:
        """Read a posted form that may change something. Raises unless it comes from our page."""
        headers = self.request.headers
        origin = headers.get("origin")
        # Another port of this machine is another site for us, though cookies ignore ports.
        if origin is not None and origin != f"http://{headers.get('host', '')}":
            raise Denied("this form comes from another site", "use the page of the dashboard")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Denied("this form comes from another site", "use the page of the dashboard")
        self.browser.answers.clear()
        body = await self.request.body()
        if len(body) > FORM_LIMIT:
            raise TooLarge(f"a form is limited to {FORM_LIMIT} bytes", "send less at once")
        kind = headers.get("content-type", "").partition(";")[0]
        if kind == "application/x-www-form-urlencoded":
            try:
                self.form = parse_qs(
                    body.decode("utf-8"), keep_blank_values=True, max_num_fields=2000
                )
            except ValueError:
                raise Invalid(
                    "the form has too many fields or is not UTF-8", "reload the page"
                ) from None
        elif kind == "application/json":
            try:
                content = json.loads(body)
            except (ValueError, RecursionError) as error:
                raise Invalid(
                    f"the body is not JSON: {json_problem(error)}", "reload the page"
                ) from None
            self.json = content if isinstance(content, dict) else {}
            self.form = {"project": [str(self.json.get("project", ""))]}
        given = self.field("csrf") or headers.get("x-csrf-token", "")
        if not hmac.compare_digest(given.encode(), self.browser.csrf.encode()):
            raise Denied("this form is not from your session", "reload the page and send it again")
        # Checked last, so that other sites' requests do not use up the owner's rate.
        if not self.browser.writes.take(time.monotonic()):
            raise TooManyRequests("too many changes at once", retry_after=1)


SignedInHandler = Callable[[SignedInRequest], Awaitable[Answer | Response]]
"""A page, or what signs a browser out, which also deletes its cookie."""


def signed_in(calls: Calls, access: Access, handler: SignedInHandler) -> Any:
    """The endpoint that runs `handler` for signed-in browsers and shows its errors."""

    async def endpoint(request: Request) -> Response:
        browser = access.browser(request.cookies.get(access.cookie_name, ""))
        if browser is None:
            return locked(request)
        signed = SignedInRequest(calls, request, browser)
        try:
            if request.method == "POST":
                await signed.read_form()
            await signed.choose_project(signed.field("project") or signed.query("project"))
            return signed.respond(await handler(signed))
        except ContextdError as error:
            return signed.failed(error)
        except Exception as error:
            logger.exception("%s failed", request.url.path)
            hint = "this is a bug in contextd; the daemon's log has the details"
            return signed.failed(ContextdError(f"{type(error).__name__}: {error}", hint))

    return endpoint


def locked(
    request: Request, title: str = "Sign in from the terminal", reason: str = "", code: int = 401
) -> Response:
    """The page for a browser that is not signed in."""
    if "application/json" in request.headers.get("accept", ""):
        problem = Denied("not signed in", "run `contextd dashboard` for a new link")
        return JSONResponse({"error": problem.as_dict()}, code, NO_STORE)
    return HTMLResponse(render("locked.html", title=title, reason=reason), code, NO_STORE)
