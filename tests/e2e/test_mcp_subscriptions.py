"""A client is told that a resource reads differently now, and of nothing that is not its own."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from homes import Home, has_ended, temporary_home, wait_for
from mcp import Client
from mcp.shared.exceptions import MCPError
from test_http import connected
from test_mcp_resources import give_model
from test_mcp_stdio import Agent, talk

from contextd.thin.client import call

BRIEFING = "contextd://project/corner-shop/briefing"


@pytest.fixture(scope="module")
def street() -> Iterator[Home]:
    """A home with two projects."""
    with temporary_home() as fresh:
        give_model(fresh.project, ["till"])
        give_model(neighbour(fresh), ["oven"])
        model = neighbour(fresh) / ".context" / "project.yaml"
        model.write_text(model.read_text("utf-8").replace("Corner Shop", "Bakery"), "utf-8")
        fresh.start()
        for root in (fresh.project, neighbour(fresh)):
            fresh.trust(root)
            call("project_overview", home=fresh.path, cwd=str(root))
        yield fresh


def neighbour(home: Home) -> Path:
    root = home.path / "bakery"
    root.mkdir(exist_ok=True)
    return root


def learn(home: Home, root: Path, what: str) -> None:
    call("save_context", {"content": what}, home=home.path, cwd=str(root))


def request(number: int, method: str, **parameters: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}


def updated(message: Any) -> str:
    assert message["method"] == "notifications/resources/updated", message
    return str(message["params"]["uri"])


@pytest.mark.long
def test_a_client_of_the_older_era_is_told_through_a_restart_and_not_of_a_neighbour(
    street: Home,
) -> None:
    agent = Agent(street)
    assert agent.open()["capabilities"]["resources"]["subscribe"] is True
    for number, uri in enumerate([BRIEFING, "context://project/overview"], 1):
        agent.send(request(number, "resources/subscribe", uri=uri))
        assert agent.receive()["result"] == {}
    agent.send(request(3, "resources/unsubscribe", uri="context://project/overview"))
    assert agent.receive()["id"] == 3
    learn(street, neighbour(street), "The oven of the bakery needs an hour to get hot")
    learn(street, street.project, "The till of the shop is counted at nine in the evening")
    assert updated(agent.receive()) == BRIEFING

    daemon = street.about()["pid"]
    os.kill(daemon, signal.SIGKILL)
    wait_for(lambda: has_ended(daemon), "the daemon is dead")
    agent.send(request(4, "tools/list"))
    assert agent.receive()["id"] == 4
    learn(street, street.project, "The shop gives no bags away since the spring of this year")
    assert updated(agent.receive()) == BRIEFING
    agent.end()


def test_subscribing_to_a_resource_that_cannot_be_read_is_refused(street: Home) -> None:
    agent = Agent(street)
    agent.open()
    for uri in ("context://module/oven", "contextd://project/butcher/briefing", "nothing://at/all"):
        agent.send(request(1, "resources/subscribe", uri=uri))
        error = agent.receive()["error"]
        assert (error["code"], error["data"]["uri"]) == (-32002, uri)
    agent.end()


def test_a_client_of_the_newer_era_listens_to_what_it_may_read_and_to_the_list(
    street: Home,
) -> None:
    async def use(client: Client) -> Any:
        wanted = [BRIEFING, "context://module/oven"]
        async with client.listen(
            resource_subscriptions=wanted, resources_list_changed=True
        ) as told:
            promised = told.honored.resource_subscriptions
            await asyncio.to_thread(learn, street, neighbour(street), "Rye bread sells out by ten")
            model = street.project / ".context" / "project.yaml"
            model.write_text(
                model.read_text("utf-8") + "  cellar:\n    description: new\n", "utf-8"
            )
            await asyncio.to_thread(learn, street, street.project, "The cellar is rented out now")
            seen = [await anext(told), await anext(told)]
        return promised, [type(event).__name__ for event in seen], seen[0]

    promised, names, first = talk(street, use, era="2026-07-28")
    assert promised == [BRIEFING]
    assert names == ["ResourceUpdated", "ResourcesListChanged"]
    assert first.uri == BRIEFING


@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
def test_requests_that_stand_alone_can_only_listen(street: Home) -> None:
    async def use(era: str) -> Any:
        async with connected(street, "/mcp", era) as client:
            if era == "legacy":
                await client.subscribe_resource(BRIEFING)
            project = {"project": "corner-shop"}
            async with client.listen(resource_subscriptions=[BRIEFING]) as told:
                await client.call_tool(
                    "save_context", {"content": "The sign is lit at dusk"} | project
                )
                return await anext(told)

    with pytest.raises((MCPError, BaseExceptionGroup)) as refused:
        asyncio.run(use("legacy"))
    assert "Use subscriptions/listen" in leaves(refused.value)
    assert asyncio.run(use("2026-07-28")).uri == BRIEFING


def leaves(error: BaseException) -> str:
    """What went wrong, inside of however many groups."""
    if isinstance(error, BaseExceptionGroup):
        return " ".join(leaves(one) for one in error.exceptions)
    return str(error)
