"""REST and MCP on the daemon's loopback port, over real HTTP."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from homes import Home
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


def token(home: Home) -> str:
    return (home.path / "token").read_text("utf-8").strip()


def ask(
    home: Home,
    method: str,
    path: str,
    body: Any = None,
    *,
    known: bool = True,
    **headers: str,
) -> tuple[int, dict[str, str], Any]:
    """(status, headers, JSON) of one request; `known` sends the token."""
    connection = http.client.HTTPConnection("127.0.0.1", home.about()["port"], timeout=30)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    if known:
        given["Authorization"] = f"Bearer {token(home)}"
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    try:
        connection.request(method, path, data, given)
        answer = connection.getresponse()
        content = answer.read()
        kind = answer.headers.get_content_subtype()
        parsed = json.loads(content) if "json" in kind else content.decode()
        return answer.status, dict(answer.headers), parsed
    finally:
        connection.close()


@asynccontextmanager
async def connected(home: Home, path: str, era: str) -> AsyncIterator[Client]:
    bearer = {"Authorization": f"Bearer {token(home)}"}
    address = f"http://127.0.0.1:{home.about()['port']}{path}"
    async with httpx2.AsyncClient(headers=bearer, timeout=30) as http:
        transport = streamable_http_client(address, http_client=http)
        async with Client(transport, mode=era) as client:  # type: ignore[arg-type]
            yield client


@pytest.mark.parametrize("era", ["legacy", "2026-07-28", "auto"])
def test_an_official_client_lists_and_calls_over_http(shared_home: Home, era: str) -> None:
    async def use() -> Any:
        async with connected(shared_home, "/mcp", era) as client:
            tools = (await client.list_tools()).tools
            return tools, await client.call_tool("tools_list", {})

    tools, called = asyncio.run(use())
    assert "tools_list" in [tool.name for tool in tools]
    assert not called.is_error
    assert "context_search: " in called.content[0].text


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_an_error_of_a_tool_is_text_with_code_and_hint_and_no_data(
    shared_home: Home, era: str
) -> None:
    async def use() -> Any:
        async with connected(shared_home, "/mcp", era) as client:
            return await client.call_tool("read_file", {})

    result = asyncio.run(use())
    assert result.is_error
    assert result.structured_content is None
    assert result.content[0].text.startswith("invalid: read_file: ")
    assert "path" in result.content[0].text


def test_the_id_in_the_address_goes_before_one_in_the_body(home: Home) -> None:
    home.start()
    (home.project / ".context").mkdir()
    where = {"X_Contextd_Cwd": str(home.project)}
    ids = [
        ask(home, "POST", "/api/contexts", {"content": text}, **where)[2]["id"]
        for text in ("The depot opens at six.", "Parcels are weighed twice.")
    ]
    changed = {"id": ids[1], "content": "The depot opens at nine."}
    assert ask(home, "PATCH", f"/api/contexts/{ids[0]}", changed, **where)[0] == 200
    stored = [ask(home, "GET", f"/api/records/{id}", **where)[2]["content"] for id in ids]
    assert stored == ["The depot opens at nine.", "Parcels are weighed twice."]


def test_the_address_chooses_the_profile(shared_home: Home) -> None:
    async def count(path: str) -> int:
        async with connected(shared_home, path, "2026-07-28") as client:
            return len((await client.list_tools()).tools)

    async def use() -> list[int]:
        paths = ["/mcp", "/mcp?profile=core", "/mcp/x/standard", "/mcp?profile=standard"]
        return [await count(path) for path in [*paths, "/mcp/x/full"]]

    default, core, standard, asked, full = asyncio.run(use())
    assert default == core < standard == asked < full
    assert ask(shared_home, "POST", "/mcp/x/huge", {})[0] == 404


def test_a_missing_resource_is_the_eras_own_error(shared_home: Home) -> None:
    async def use(era: str) -> Any:
        async with connected(shared_home, "/mcp", era) as client:
            try:
                await client.read_resource("context://nothing/here")
            except Exception as error:
                return error
        return None

    legacy, modern = asyncio.run(use("legacy")), asyncio.run(use("2026-07-28"))
    assert (legacy.code, modern.code) == (-32002, -32602)
    assert legacy.data == modern.data == {"uri": "context://nothing/here"}


def test_without_the_token_only_health_is_told(shared_home: Home) -> None:
    status, _, body = ask(shared_home, "GET", "/healthz", known=False)
    assert (status, body["status"]) == (200, "ok")
    for method, path in (
        ("GET", "/readyz"),
        ("GET", "/openapi.json"),
        ("GET", "/api/tools"),
        ("POST", "/mcp"),
        ("GET", "/healthz/"),
        ("GET", "//healthz"),
        ("GET", "/nothing"),
    ):
        status, headers, body = ask(shared_home, method, path, known=False)
        assert status == 401, path
        assert headers["www-authenticate"].startswith("Bearer")
        assert body["code"] == "denied"
    wrong = ask(shared_home, "GET", "/readyz", known=False, Authorization="Bearer ünknown")
    assert wrong[0] == 401


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/api/tools", "/mcp", "/openapi.json"])
def test_other_hosts_and_origins_are_refused_everywhere(shared_home: Home, path: str) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost@evil.example"):
        assert ask(shared_home, "GET", path, Host=host)[0] in (400, 421), host
    several = "127.0.0.1:{}, evil.example".format(shared_home.about()["port"])
    assert ask(shared_home, "GET", path, Host=several)[0] == 421
    for origin in ("http://evil.example", "null", "https://localhost.evil.example"):
        assert ask(shared_home, "GET", path, Origin=origin)[0] == 403, origin
    port = shared_home.about()["port"]
    assert ask(shared_home, "GET", path, Origin=f"http://localhost:{port}")[0] != 403
    assert "access-control-allow-origin" not in ask(shared_home, "GET", path)[1]


@pytest.mark.parametrize("levels", [150, 500, 900, 2_000, 100_000])
def test_data_that_is_nested_too_deep_is_refused(shared_home: Home, levels: int) -> None:
    port = shared_home.about()["port"]
    deep = '{"a":' * levels + "1" + "}" * levels
    for body in (
        '{"kind":"decision","fields":{"what":"Weigh parcels","deep":' + deep + "}}",
        '{"query":"x","deep":' + deep + "}",
    ):
        answer = httpx2.post(
            f"http://127.0.0.1:{port}/api/contexts/typed",
            content=body,
            headers={"authorization": f"Bearer {token(shared_home)}"},
        )
        assert answer.status_code in (400, 422)
        assert answer.json()["code"] == "invalid"
        assert "nested" in answer.json()["message"]


@pytest.mark.parametrize("name", ["content", "tags"])
def test_half_of_a_surrogate_pair_is_refused_with_its_field(shared_home: Home, name: str) -> None:
    given = {"content": "Parcels are weighed twice", "tags": ["scales"]}
    half = "half \ud800 of a pair"
    given[name] = [half] if name == "tags" else half
    status, _, body = ask(shared_home, "POST", "/api/contexts", given)
    assert status == 422
    assert body["code"] == "invalid"
    assert f"'{name}' has half of a surrogate pair" in body["message"]


def test_routes_answer_and_problems_are_problem_details(shared_home: Home) -> None:
    status, _, body = ask(shared_home, "GET", "/api/tools")
    assert status == 200
    assert body
    assert isinstance(ask(shared_home, "GET", "/api/tools", Accept="text/plain")[2], str)
    for method, path, sent, status in (
        ("GET", "/api/nothing", None, 404),
        ("PUT", "/api/tools", {}, 405),
        ("POST", "/api/tools/tools_list", b"{", 400),
        ("POST", "/api/tools/tools_list", b"[1]", 400),
        ("POST", "/api/tools/tools_list", b"{\"arguments\": NaN}", 400),
        ("POST", "/api/tools/tools_list", b"\xff\xfe", 400),
        ("POST", "/api/tools/tools_list", b"[" * 100_000, 400),
        ("POST", "/api/tools/tools_list", {"wrong": 1}, 422),
        ("POST", "/api/tools/nothing", {}, 404),
        ("POST", "/api/tools/tools_list", b" " * (5 << 20), 413),
    ):  # fmt: skip
        given, headers, body = ask(shared_home, method, path, sent)
        assert given == status == body["status"], (method, path, body)
        assert headers["content-type"] == "application/problem+json"
        assert {"type", "title", "detail", "code"} <= set(body)


def test_readiness_and_the_list_of_operations(shared_home: Home) -> None:
    status, _, body = ask(shared_home, "GET", "/readyz")
    assert (status, body["status"]) == (200, "ready")
    rows = ask(shared_home, "GET", "/api/operations")[2]["items"]
    assert {"name", "route", "effect", "audience", "profile", "summary"} == set(rows[0])


def test_openapi_describes_every_route_and_points_nowhere_else(shared_home: Home) -> None:
    document = ask(shared_home, "GET", "/openapi.json")[2]
    rows = ask(shared_home, "GET", "/api/operations")[2]["items"]
    described = {
        f"{method.upper()} {path}" for path, entry in document["paths"].items() for method in entry
    }
    assert document["openapi"].startswith("3.1")
    assert described == {row["route"] for row in rows}
    schemas = document["components"]["schemas"]
    text = json.dumps(document)
    references = {part.split('"')[0] for part in text.split('"$ref": "')[1:]}
    assert references
    assert all(reference.rpartition("/")[2] in schemas for reference in references)
    assert all(reference.startswith("#/components/schemas/") for reference in references)


def test_the_schema_is_replaced_only_as_it_was_read(shared_home: Home) -> None:
    text = "version: 1\ntypes:\n  decision:\n    fields:\n      what:\n        type: string\n"
    assert ask(shared_home, "PUT", "/api/schema", {"text": text})[0] == 200
    status, headers, body = ask(shared_home, "GET", "/api/schema")
    assert (status, body["text"], headers["etag"]) == (200, text, f'"{body["etag"]}"')
    change = {"text": text.replace("what", "why")}
    answers = [
        ask(shared_home, "PUT", "/api/schema", change, If_Match=tag)[0]
        for tag in ('"something-else"', headers["etag"], headers["etag"])
    ]
    assert answers == [412, 200, 412]
    wrong = {"text": text.replace("string", "strng")}
    status, headers, body = ask(shared_home, "PUT", "/api/schema", wrong)
    assert (status, headers["content-type"]) == (422, "application/problem+json")
    assert body["details"]["problems"][0]["line"] == 6
    assert ask(shared_home, "GET", "/api/schema")[2]["text"] == change["text"]
    assert len(list((shared_home.path / "backups" / "schema").iterdir())) == 1
    (shared_home.path / "schema.yaml").unlink()
