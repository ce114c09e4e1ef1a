"""Five roles, every operation, two surfaces: a server lets a member do what the matrix says, and offers no checkout."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from starlette.types import ASGIApp

from contextd.app import load_operations
from contextd.domain.access import ROLES, Role
from contextd.domain.members import SignedIn
from contextd.domain.projects import Project
from contextd.domain.scope import Scope
from contextd.invocation.invoke import PASSING_ON
from contextd.runtime.operation import OPERATIONS, PROJECT, Operation
from contextd.runtime.settings import load_settings
from contextd.surfaces.server import TeamServer
from support.arguments import arguments
from support.roles import caller_with
from support.team_servers import KnownTokens, TeamHost, sent

load_operations()

SHOP = Scope("acme", "web", "shop")
SERVED = [
    op for op in OPERATIONS.values() if op.served and op.run.__module__.startswith("contextd.")
]
LIMITS = {
    f"server.{name}": 1_000_000 for name in ("member_rate", "organisation_rate", "call_seconds")
}
HEADERS = {
    "content_type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp_protocol_version": "2025-11-25",
}


def granted(op: Operation, role: Role) -> bool:
    """Whether the row of a role has what an operation does in a project."""
    row = ROLES[role]
    if op.audience == "owner" and "w" not in row["admin"]:
        return False
    verb = "r" if op.effect == "read" or op.name in PASSING_ON else "w"
    return "server" in op.needs or verb in row["project"]


@pytest.fixture
def team(tmp_path: Path) -> TeamServer:
    members = {
        f"ctxd_acme_{role}": SignedIn(role, caller_with(role, "acme", ("web",), ("shop",)).roles)
        for role in ROLES
    }
    host = TeamHost(tmp_path, KnownTokens(members))
    host._host.organisation("acme").directory.register(
        Project(identity="shop", scope=SHOP, name="shop", roots=(str(tmp_path),))
    )
    return TeamServer(lambda: host, load_settings(home=tmp_path, flags=LIMITS))


def given(op: Operation) -> dict[str, Any]:
    return arguments(op) | ({PROJECT: str(SHOP)} if PROJECT in op.arguments.model_fields else {})


async def over_rest(app: ASGIApp, op: Operation, token: str) -> tuple[int, str]:
    named = given(op)
    path = op.path
    for name in [name for name in named if f"{{{name}}}" in path]:
        path = path.replace(f"{{{name}}}", quote(str(named.pop(name)), safe=""))
    line = f"{op.method} {path}"
    if op.method != "GET":
        reply = await sent(app, line, named, token=token)
    else:
        flat = {k: json.dumps(v) if isinstance(v, dict) else v for k, v in named.items()}
        reply = await sent(app, f"{line}?{urlencode(flat, doseq=True)}", token=token)
    return reply.status, "" if reply.status == 200 else reply.json["code"]


async def over_mcp(app: ASGIApp, op: Operation, token: str) -> str:
    call = {"name": op.name, "arguments": given(op)}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    reply = await sent(app, "POST /mcp", body, token=token, **HEADERS)
    result = message_of(reply.body)["result"]
    return result["content"][0]["text"].partition(":")[0] if result.get("isError") else ""


def message_of(body: bytes) -> Any:
    """The one message of a stream or a plain answer."""
    text = body.decode()
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return json.loads(lines[-1] if lines else text)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_call_what_its_row_grants_and_nothing_else(team: TeamServer, role: Role) -> None:
    async def every() -> tuple[dict[str, tuple[int, str]], dict[str, str]]:
        async with team.app() as app:
            token = f"ctxd_acme_{role}"
            rest = {op.name: await over_rest(app, op, token) for op in SERVED}
            mcp = {op.name: await over_mcp(app, op, token) for op in SERVED if op.tool}
            await team.calls.close()
            return rest, mcp

    rest, mcp = asyncio.run(every())
    expected = {op.name for op in SERVED if not granted(op, role)}
    assert {name for name, (_, code) in rest.items() if code == "denied"} == expected
    assert {name for name, code in mcp.items() if code == "denied"} == expected & mcp.keys()
    assert {name: status for name, (status, _) in rest.items() if status >= 500} == {}
    assert "internal" not in mcp.values()
    assert sum(not code for _, code in rest.values()) > 20, "most calls have something to answer"


def test_what_needs_a_checkout_or_the_owner_is_on_no_list_and_cannot_be_called(
    team: TeamServer,
) -> None:
    absent = {
        op.name: op
        for op in OPERATIONS.values()
        if not op.served and op.run.__module__.startswith("contextd.")
    }
    assert {"read_file", "find_symbol", "impact", "import", "backup", "trust"} <= absent.keys()
    token = "ctxd_acme_org_admin"

    async def listed(app: ASGIApp, method: str, profile: str = "full") -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}
        reply = await sent(app, f"POST /mcp/x/{profile}", body, token=token, **HEADERS)
        return message_of(reply.body)["result"]

    async def look() -> None:
        async with team.app() as app:
            tools = {tool["name"] for tool in (await listed(app, "tools/list"))["tools"]}
            assert {"remember", "context_search"} <= tools
            resources = (await listed(app, "resources/templates/list"))["resourceTemplates"]
            assert "contextd://project/{project}/briefing" in {r["uriTemplate"] for r in resources}
            named = (await sent(app, "GET /api/tools", token=token)).json["tools"]
            routes = (await sent(app, "GET /api/operations", token=token)).json["items"]
            described = (await sent(app, "GET /openapi.json", token=token)).json["paths"]
            offered = {item["name"] for item in routes}
            assert not absent.keys() & (tools | named.keys() | offered)
            assert "/api/code/read" not in described
            assert "add_member" in offered
            for op in absent.values():
                status, _ = await over_rest(app, op, token)
                assert status in (404, 405), op.name
                body = {"arguments": arguments(op)}
                passed = await sent(app, f"POST /api/tools/{op.name}", body, token=token)
                assert passed.status in (404, 422), op.name
            start = {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }
            body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start}
            reply = await sent(app, "POST /mcp", body, token=token, **HEADERS)
            instructions = message_of(reply.body)["result"]["instructions"]
            assert "has no tools for code" in instructions
            assert "find_symbol" not in instructions
            await team.calls.close()

    asyncio.run(look())


def test_files_named_to_a_tool_that_also_does_without_are_not_there_for_good(
    tmp_path: Path,
) -> None:
    member = SignedIn("org_admin", caller_with("org_admin", "acme").roles)
    host = TeamHost(tmp_path, KnownTokens({"ctxd_acme_x": member}), code=False)
    host._host.organisation("acme").directory.register(
        Project(identity="shop", scope=SHOP, name="shop")
    )

    async def look() -> tuple[int, int]:
        server = TeamServer(lambda: host, load_settings(home=tmp_path, flags=LIMITS))
        async with server.app() as app:
            text = {"text": "1 failed\n" * 40, "budget": 50, PROJECT: str(SHOP)}
            bare = await sent(app, "POST /api/digests", text, token="ctxd_acme_x")
            body = {**text, "paths": "src/a.py"}
            files = await sent(app, "POST /api/digests", body, token="ctxd_acme_x")
            await server.calls.close()
            return bare.status, files.status

    assert asyncio.run(look()) == (200, 404)


def test_folders_of_a_project_on_a_laptop_are_told_to_no_one(
    team: TeamServer, tmp_path: Path
) -> None:
    token = "ctxd_acme_org_admin"

    async def look() -> str:
        async with team.app() as app:
            listed = await sent(app, "GET /api/projects", token=token)
            shown = await sent(app, f"GET /api/project?project={SHOP}", token=token)
            await team.calls.close()
            assert [row["scope"] for row in listed.json["projects"]] == [str(SHOP)]
            return listed.body.decode() + shown.body.decode()

    assert str(tmp_path) not in asyncio.run(look())
