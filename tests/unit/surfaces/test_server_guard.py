"""The guard of a server: tokens, limits, slow bodies and calls, and what each answer says."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp

from contextd.app import load_operations
from contextd.domain.access import Assignment, Caller
from contextd.domain.members import SignedIn, digest_of
from contextd.domain.scope import Scope
from contextd.runtime.daemon_log import FIELDS
from contextd.runtime.operation import OPERATIONS
from contextd.runtime.request_id import REQUEST
from contextd.runtime.settings import load_settings
from contextd.surfaces import server_guard
from contextd.surfaces.server import TeamServer
from support.local_host import define
from support.team_servers import KnownTokens, Reply, TeamHost, sent

load_operations()

TOKEN, READER = "ctxd_acme_one", "ctxd_acme_two"


@pytest.fixture(autouse=True)
def probes() -> Iterator[None]:
    """The operations of `local_host`, gone afterwards: other tests call whatever is in the table."""
    known = dict(OPERATIONS)
    define()
    yield
    OPERATIONS.clear()
    OPERATIONS.update(known)


@pytest.fixture
def tokens() -> KnownTokens:
    admin = frozenset({Assignment(Scope("acme"), "org_admin")})
    return KnownTokens(
        {
            TOKEN: SignedIn("member-1", admin),
            READER: SignedIn("member-2", admin, reads_only=True),
        }
    )


Use = Callable[[ASGIApp], Coroutine[Any, Any, Any]]


@pytest.fixture
def serving(tmp_path: Path, tokens: KnownTokens) -> Callable[..., Any]:
    """Runs a coroutine with the application of a server whose settings are given."""

    def run(use: Use, **flags: Any) -> Any:
        given = {f"server.{name}": value for name, value in flags.items()}
        settings = load_settings(home=tmp_path, flags=given)

        async def joined() -> Any:
            server = TeamServer(lambda: TeamHost(tmp_path, tokens), settings)
            async with server.app() as app:
                try:
                    return await use(app)
                finally:
                    await server.calls.close()

        return asyncio.run(joined())

    return run


def one(serving: Callable[..., Any], line: str, body: Any = None, /, **options: Any) -> Reply:
    """The reply to one request."""
    flags = options.pop("flags", {})
    reply: Reply = serving(lambda app: sent(app, line, body, **options), **flags)
    return reply


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"token": "ctxd_acme_three"},
        {"token": "ctxd_rival_one"},
        {"token": "ctxd_local_one"},
        {"token": "one"},
        {"token": TOKEN + "x"},
        {"token": "ctxd_acme_" + "x" * 5_000},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": f"Bearer {TOKEN}, Bearer {TOKEN}"},
        {"authorization": "Bearer "},
    ],
)
@pytest.mark.parametrize("line", ["GET /api/tools", "POST /mcp", "GET /nowhere", "GET /"])
def test_without_a_known_token_every_path_answers_the_same_problem(
    serving: Callable[..., Any], line: str, headers: dict[str, str]
) -> None:
    reply = one(serving, line, **headers)
    assert reply.status == 401
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.headers["www-authenticate"].startswith("Bearer")
    assert reply.json["code"] == "denied"
    assert TOKEN not in reply.body.decode()


def test_a_known_token_calls_operations_and_finds_json_on_unknown_paths(
    serving: Callable[..., Any],
) -> None:
    reply = one(serving, "GET /api/probe/ada", token=TOKEN)
    assert (reply.status, reply.json["text"]) == (200, "hello ada")
    for line in ("GET /", "GET /nowhere", "DELETE /api/probe/ada", "GET /mcp/x/none"):
        reply = one(serving, line, token=TOKEN)
        assert reply.status in (404, 405), line
        assert reply.json["code"] in ("not_found", "invalid")


def test_health_needs_no_token_and_tells_nothing(serving: Callable[..., Any]) -> None:
    assert one(serving, "GET /healthz").json == {"status": "ok"}
    assert one(serving, "GET /readyz").json == {"status": "ready"}


def test_the_door_is_asked_for_each_request_once(
    serving: Callable[..., Any], tokens: KnownTokens
) -> None:
    async def twice(app: ASGIApp) -> None:
        for _ in range(2):
            assert (await sent(app, "GET /api/probe/ada", token=TOKEN)).status == 200

    serving(twice)
    assert tokens.asked == [("acme", digest_of(TOKEN))] * 2


def test_a_database_that_is_away_is_said_and_when_to_come_back(
    serving: Callable[..., Any], tokens: KnownTokens
) -> None:
    tokens.away = True
    reply = one(serving, "GET /api/probe/ada", token=TOKEN)
    assert reply.status == 503
    assert reply.json["message"] == "the database does not answer"
    assert reply.headers["retry-after"] == "1"


def test_who_sends_too_much_is_told_when_to_come_back(serving: Callable[..., Any]) -> None:
    async def many(app: ASGIApp) -> list[Reply]:
        return [await sent(app, "GET /api/probe/ada", token=TOKEN) for _ in range(3)]

    replies = serving(many, member_rate=20)
    assert [reply.status for reply in replies] == [200, 200, 429]
    assert int(replies[-1].headers["retry-after"]) > 0
    assert replies[-1].json["code"] == "busy"


def test_a_body_that_is_too_large_or_comes_too_late_is_refused(
    serving: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "POST /api/tools/probe_list"
    large = one(serving, line, b"x" * 3_000, token=TOKEN, flags={"body_kb": 1})
    said = one(serving, line, b"{}", token=TOKEN, flags={"body_kb": 1}, content_length="9000")
    assert [large.status, said.status] == [413, 413]
    monkeypatch.setattr(server_guard, "BODY_SECONDS", 0.05)

    async def slow(app: ASGIApp) -> Reply:
        piece = {"type": "http.request", "body": b"{", "more_body": True}
        return await sent(app, line, token=TOKEN, pieces=[piece])

    late = serving(slow)
    assert (late.status, late.json["code"]) == (408, "too_large")


def test_a_call_that_takes_too_long_is_answered_and_ends(
    serving: Callable[..., Any], tmp_path: Path
) -> None:
    mark = tmp_path / "mark"

    async def waiting(app: ASGIApp) -> Reply:
        body = {"seconds": 1.5, "mark": str(mark)}
        reply = await sent(app, "POST /api/probe/wait", body, token=TOKEN)
        # The limit of requests at once is free again, though the thread still works.
        assert (await sent(app, "GET /api/probe/ada", token=TOKEN)).status == 200
        return reply

    reply = serving(waiting, call_seconds=1, member_calls=1)
    assert (reply.status, reply.json["code"]) == (503, "busy")
    assert "Idempotency-Key" in reply.json["hint"]
    assert mark.read_text() in ("begun", "done")


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://memory.example.com", 200),
        ("https://evil.example.com", 403),
        ("https://memory.example.com.evil.com", 403),
        ("http://memory.example.com", 403),
        ("null", 403),
    ],
)
def test_only_the_pages_of_the_operator_may_call(
    serving: Callable[..., Any], origin: str, status: int
) -> None:
    flags = {"origins": "https://memory.example.com https://other.example.com"}
    reply = one(serving, "GET /api/probe/ada", token=TOKEN, flags=flags, origin=origin)
    assert reply.status == status


def test_a_token_that_only_reads_calls_nothing_that_writes(serving: Callable[..., Any]) -> None:
    assert one(serving, "GET /api/probe/ada", token=READER).status == 200
    refused = one(serving, "POST /api/probe/wait", {"seconds": 0}, token=READER)
    assert (refused.status, refused.json["code"]) == (403, "denied")


def test_metadata_is_offered_only_with_an_issuer_and_a_challenge_names_it(
    serving: Callable[..., Any],
) -> None:
    path = "/.well-known/oauth-protected-resource"
    for wanted in (path, f"{path}/mcp"):
        reply = one(serving, f"GET {wanted}")
        assert (reply.status, reply.json["code"]) == (404, "not_found")
    bare = one(serving, "POST /mcp").headers["www-authenticate"]
    assert bare == 'Bearer realm="contextd"'
    flags = {"issuer": "https://id.example.com", "url": "https://memory.example.com/"}
    for wanted, resource in ((path, ""), (f"{path}/mcp", "/mcp")):
        about = one(serving, f"GET {wanted}", flags=flags).json
        assert about["resource"] == f"https://memory.example.com{resource}"
        assert about["authorization_servers"] == ["https://id.example.com"]
    challenge = one(serving, "POST /mcp", flags=flags, token="wrong").headers["www-authenticate"]
    assert 'error="invalid_token"' in challenge
    assert f'resource_metadata="https://memory.example.com{path}/mcp"' in challenge


def test_metrics_need_their_own_token_and_name_operations_only(
    serving: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for token in ("", TOKEN, "secret"):
        assert one(serving, "GET /metrics", token=token).status == 401
    monkeypatch.setenv("CONTEXTD_METRICS_TOKEN", "secret")

    async def read(app: ASGIApp) -> str:
        await sent(app, "GET /api/probe/nobody", token=TOKEN)
        await sent(app, "INVENTED /api/probe/ada", token=TOKEN)
        await sent(app, "GET /api/probe/ada", token=TOKEN, x_contextd_client="evil-client")
        return (await sent(app, "GET /metrics", token="secret")).body.decode()

    text = serving(read)
    name = 'contextd_call_seconds_count{operation="probe_greet",outcome="%s",surface="rest"} 1.0'
    assert name % "done" in text
    assert name % "not_found" in text
    assert 'contextd_http_requests_total{method="other",status="405"} 1.0' in text
    for private in ("acme", "member-1", "evil-client", "INVENTED", "nobody"):
        assert private not in text


def test_each_request_has_an_id_in_its_answer_and_in_every_line_of_the_log(
    serving: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "contextd")
    seen: list[str] = []

    class Seeing(logging.Filter):
        def filter(self, record: logging.LogRecord) -> bool:
            seen.append(REQUEST.get())
            return True

    caplog.handler.addFilter(Seeing())
    own = one(serving, "GET /api/probe/ada?tags=PRIVATE", token=TOKEN, x_request_id="edge-1")
    made = one(serving, "GET /api/probe/ada", token=TOKEN, x_request_id="bad id\r\nx: 1")
    assert own.headers["x-request-id"] == "edge-1"
    assert len(made.headers["x-request-id"]) == 16
    assert {"edge-1", made.headers["x-request-id"]} <= set(seen)
    lines = [getattr(record, FIELDS) for record in caplog.records if hasattr(record, FIELDS)]
    assert lines[0] == {
        "method": "GET",
        "path": "/api/probe/ada",
        "status": 200,
        "ms": lines[0]["ms"],
        "organisation": "acme",
        "member": "member-1",
    }
    assert "PRIVATE" not in caplog.text + json.dumps(lines)
    assert TOKEN not in caplog.text + json.dumps(lines)


def test_a_code_is_exchanged_without_a_token_and_only_so_often(
    serving: Callable[..., Any],
) -> None:
    line = "POST /api/codes/exchange"
    reply = one(serving, line, {"code": "c", "label": "laptop"})
    assert (reply.json, reply.headers["cache-control"]) == ({"token": "laptop:c"}, "no-store")
    for body in ({}, {"code": 1}, {"code": "c", "label": []}, [], b"{"):
        assert one(serving, line, body).status in (400, 422), body

    async def many(app: ASGIApp) -> list[int]:
        return [(await sent(app, line, {"code": "c"})).status for _ in range(25)]

    statuses = serving(many)
    assert statuses[:20] == [200] * 20
    assert 503 in statuses[20:]


def test_a_path_in_a_request_names_no_folder_of_the_server(
    serving: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    reply = one(serving, "GET /api/probe/seen", token=TOKEN, x_contextd_cwd=str(tmp_path))
    assert reply.json["root"] == reply.json["project"] == ""


def test_callers_of_a_guard_are_known_by_the_guard_alone(serving: Callable[..., Any]) -> None:
    # What a client puts into its request cannot stand for a caller.
    async def forged(app: ASGIApp) -> Reply:
        return await sent(app, "GET /api/probe/ada", contextd_caller="member-1")

    assert serving(forged).status == 401
    assert Caller("x").roles == frozenset()
