"""REST: every operation at its route. Arguments come from the path, the query and a JSON body."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from contextd import __version__
from contextd.domain.argument_names import argument_meant
from contextd.domain.invisible_characters import visible_json
from contextd.runtime.operation import OPERATIONS, Operation, as_problem, slim_schema
from contextd.surfaces.calls import Call, Calls, Peer
from contextd.surfaces.http_guard import bearer_token
from contextd.surfaces.openapi import openapi
from contextd_common.errors import Conflict, ContextdError, Invalid, NotFound
from contextd_common.text.syntax_errors import json_problem

PROBLEM = "application/problem+json"
CLIENT_HEADER, CWD_HEADER, PROJECT_HEADER = (
    "x-contextd-client", "x-contextd-cwd", "x-contextd-project",
)  # fmt: skip
"""Headers that name the caller's client, its directory and the project."""


CALLER = "contextd.caller"
"""Where the guard of a server puts the caller of a request that it identified."""

KEY_HEADER = "idempotency-key"
"""A request with a key that already ran returns the stored answer."""


class BadRequest(Invalid):
    """The request cannot be parsed."""

    status = 400


def routes(calls: Calls) -> list[Route]:
    """The routes of all operations, and those for health and description of the server."""
    by_path: dict[str, dict[str, Operation]] = defaultdict(dict)
    offered = calls.offered()
    for op in offered:
        by_path[op.path][op.method] = op

    async def healthz(request: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__})

    async def readyz(request: Request) -> Response:
        try:
            return PlainJson({"status": "ready", **await calls.health()})
        except ContextdError as error:
            return problem(error, 503)

    async def describe(request: Request) -> Response:
        return JSONResponse(openapi(offered))

    async def operations(request: Request) -> Response:
        return JSONResponse({"items": [_about(op) for op in offered]})

    return [
        Route("/healthz", healthz),
        Route("/readyz", readyz),
        Route("/openapi.json", describe),
        Route("/api/operations", operations),
        *(
            Route(path, _endpoint(calls, by_path[path]), methods=list(by_path[path]))
            for path in sorted(by_path, key=_specific_first)
        ),
    ]


class PlainJson(JSONResponse):
    """JSON without control characters for terminals: they are escaped, with the same meaning."""

    def render(self, content: Any) -> bytes:
        """See `JSONResponse.render`."""
        return visible_json(super().render(content).decode()).encode()


def problem(error: ContextdError, status: int | None = None) -> JSONResponse:
    """RFC 9457 problem details."""
    body = as_problem(error)
    status = status or error.status
    return PlainJson({**body, "status": status}, status, media_type=PROBLEM)


async def on_http_exception(request: Request, error: Exception) -> Response:
    """Unknown paths and methods, as problem details."""
    assert isinstance(error, HTTPException)
    phrase = HTTPStatus(error.status_code).phrase
    kind = NotFound if error.status_code == HTTPStatus.NOT_FOUND else Invalid
    answer = problem(
        kind(f"{phrase}: {request.method} {request.url.path}", "/openapi.json lists every route"),
        error.status_code,
    )
    answer.headers.update(error.headers or {})
    return answer


def _endpoint(calls: Calls, by_method: Mapping[str, Operation]) -> Any:
    async def endpoint(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        op = by_method[method]
        try:
            arguments = await _arguments(op, request)
            key = request.headers.get(KEY_HEADER, "")
            # A client that repeats a request sends the same key; the first request is not marked.
            call = Call(key, 1, repeated=True) if key else None
            answer = await calls.call(peer_of(request, "rest"), op.name, arguments, call)
        except Conflict as error:
            # A failed precondition in HTTP, if the caller set one.
            return problem(error, 412 if "if-match" in request.headers else None)
        except ContextdError as error:
            return problem(error)
        if request.headers.get("accept", "").startswith("text/"):
            return PlainTextResponse(answer.text)
        return PlainJson(answer.value, headers=_version_of(answer.value))

    return endpoint


def _version_of(value: Any) -> dict[str, str]:
    tag = value.get("etag") if isinstance(value, Mapping) else None
    return {"ETag": f'"{tag}"'} if tag else {}


def peer_of(request: Request, surface: Any) -> Peer:
    """The sender of an HTTP request. Requests are stateless, so there is no session."""
    headers, query = request.headers, request.query_params
    return Peer(
        surface,
        credential=bearer_token(headers.get("authorization", "")),
        caller=request.scope.get(CALLER),
        cwd=headers.get(CWD_HEADER, ""),
        client=headers.get(CLIENT_HEADER, ""),
        project=headers.get(PROJECT_HEADER)
        or (query.get("project", "") if surface == "mcp" else ""),
    )


async def _arguments(op: Operation, request: Request) -> dict[str, Any]:
    """All arguments of a request; the path takes precedence. Raises `Invalid`."""
    given: dict[str, Any] = {}
    for name in request.query_params:
        given[name] = _from_query(op, name, request.query_params.getlist(name))
    given |= await read_body(request)
    if "if-match" in request.headers and "if_match" in op.arguments.model_fields:
        given["if_match"] = request.headers["if-match"]
    return given | request.path_params


async def read_body(request: Request) -> dict[str, Any]:
    """The JSON object of a request's body, empty without a body. Raises `Invalid`."""
    body = await request.body()
    return _from_body(body) if body else {}


def _from_body(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise BadRequest(
            f"the body is not JSON: {json_problem(error)}", "send a JSON object"
        ) from None
    if not isinstance(content, dict):
        raise BadRequest("the body is not a JSON object", "send the arguments as one object")
    return content


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _from_query(op: Operation, name: str, values: list[str]) -> Any:
    """A query argument in the form of its field: repeated for lists, JSON for objects."""
    known = argument_meant(name, op.arguments.model_fields, op.aliases) or name
    kind = _kinds(op.name).get(known)
    if values[-1] == "null" and known in _null_by_word(op.name):
        return None
    if kind == "array":
        return values
    if kind == "object":
        return _from_body(values[-1].encode())
    return values[-1]


@cache
def _kinds(operation: str) -> dict[str, str]:
    schema = slim_schema(OPERATIONS[operation].arguments.model_json_schema())
    return {name: str(part.get("type", "")) for name, part in schema["properties"].items()}


@cache
def _null_by_word(operation: str) -> frozenset[str]:
    """The arguments that may be null and cannot be the text `null`: numbers and choices."""
    properties = OPERATIONS[operation].arguments.model_json_schema()["properties"]
    options = {name: part.get("anyOf", ()) for name, part in properties.items()}
    return frozenset(
        name
        for name, several in options.items()
        if {"type": "null"} in several
        and all("enum" in one or one["type"] in ("null", "integer", "number") for one in several)
    )


def _specific_first(path: str) -> tuple[tuple[bool, str], ...]:
    """`/api/contexts/search` must be tried before `/api/contexts/{id}`."""
    return tuple(("{" in part, part) for part in path.split("/"))


def _about(op: Operation) -> dict[str, Any]:
    return {
        "name": op.name,
        "route": op.route,
        "effect": op.effect,
        "audience": op.audience,
        "profile": op.profile,
        "summary": op.summary,
    }
