"""The contract of OpenContext's eleven tools, held over real MCP calls: their names, their arguments
in camel case, what they answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from contextd.app import load_operations
from contextd.runtime.settings import Settings
from contextd.surfaces.agent_options import AgentOptions
from contextd.surfaces.calls import Calls, Peer
from contextd.surfaces.mcp import COMPLETE, build_server
from support.local_host import LocalHost
from support.repositories import BLOG, SHOP, committed

ARGUMENTS = {
    "save_context": ({"content"}, {"tags", "source", "bubbleId"}),
    "recall_context": ({"query"}, set()),
    "list_contexts": (set(), {"tag", "bubbleId"}),
    "delete_context": ({"id"}, set()),
    "search_contexts": ({"query"}, set()),
    "update_context": ({"id"}, {"content", "tags", "bubbleId"}),
    "create_bubble": ({"name"}, {"description"}),
    "list_bubbles": (set(), set()),
    "get_bubble": ({"id"}, set()),
    "update_bubble": ({"id"}, {"name", "description"}),
    "delete_bubble": ({"id"}, {"deleteContexts"}),
}
"""What each tool needs and what it takes besides, as OpenContext declares them."""

NAMED = {"content": "text"}
"""What an argument is called here; its name of old stays accepted."""

GIVEN = {
    "tags": ["x"], "source": "chat", "tag": "x", "content": "Use pnpm", "name": "Shop",
    "description": "All of it", "deleteContexts": False,
}  # fmt: skip
ENTRY = {"id", "content", "tags", "source", "createdAt", "updatedAt"}
UNKNOWN = "00000000-0000-4000-8000-000000000000"

Tool = Callable[..., Awaitable[Any]]
Story = Callable[[Tool, Tool], Awaitable[None]]


class Refused(Exception):
    """A tool answered with an error; the text of it."""


@pytest.fixture
def told(tmp_path: Path) -> Callable[[Story], None]:
    """Runs a story with a tool caller in a project, and one in another project of the home."""
    load_operations()
    settings = Settings(tmp_path / "home")
    settings.home.mkdir()
    roots = [committed(tmp_path / "shop", SHOP), committed(tmp_path / "blog", BLOG)]

    async def joined(story: Story) -> None:
        calls = Calls(lambda: LocalHost(settings), workers=2)
        peers = [Peer("mcp", cwd=str(root)) for root in roots]
        servers = [
            build_server(calls, AgentOptions("full"), lambda _, peer=peer: peer) for peer in peers
        ]
        async with Client(servers[0]) as here, Client(servers[1]) as there:
            await story(_tool(here), _tool(there))
        await calls.close()

    return lambda story: asyncio.run(joined(story))


def _tool(client: Client) -> Tool:
    async def call(name: str, /, **arguments: Any) -> Any:
        answer = await client.call_tool(name, arguments, meta={COMPLETE: True})
        if answer.is_error:
            raise Refused(answer.content[0].text)
        return answer.structured_content

    return call


async def refusal(answer: Awaitable[Any]) -> str:
    """What a tool says that refuses."""
    with pytest.raises(Refused) as caught:
        await answer
    return str(caught.value)


def contents(answer: Any) -> list[str]:
    return [entry["content"] for entry in answer["entries"]]


def test_every_tool_takes_what_opencontext_gives_it(told):
    async def story(tool: Tool, other: Tool) -> None:
        for name, (needed, further) in ARGUMENTS.items():
            note = await tool("save_context", content=f"A note for {name}")
            bubble = await tool("create_bubble", name=f"For {name}")
            ids = {"id": (bubble if "bubble" in name else note)["id"], "bubbleId": bubble["id"]}
            known = {**GIVEN, **ids, "query": "note"}
            await tool(name, **{one: known[one] for one in needed})
            if "delete" in name:
                note = await tool("save_context", content=f"Another note for {name}")
                bubble = await tool("create_bubble", name=f"Again for {name}")
                known["id"] = (bubble if "bubble" in name else note)["id"]
            await tool(name, **{one: known[one] for one in needed | further})
            for missing in needed:
                assert NAMED.get(missing, missing) in await refusal(tool(name))

    told(story)


def test_a_note_is_saved_listed_found_changed_and_deleted(told):
    async def story(tool: Tool, other: Tool) -> None:
        await other("save_context", content="The blog is in Markdown", tags=["sso"])
        saved = await tool(
            "save_context", content="Guests sign in at the desk", tags=["sso"], source="chatgpt"
        )
        assert set(saved) >= ENTRY
        assert (saved["tags"], saved["source"]) == (["sso"], "chatgpt")
        await tool("save_context", content="Prices are in cents")
        assert contents(await tool("list_contexts")) == [
            "Prices are in cents", "Guests sign in at the desk",
        ]  # fmt: skip
        assert contents(await tool("list_contexts", tag="sso")) == ["Guests sign in at the desk"]
        for name in ("recall_context", "search_contexts"):
            for query in ("guests", "sso", "chatgpt"):
                assert contents(await tool(name, query=query)) == ["Guests sign in at the desk"]
        assert contents(await tool("search_contexts", query="guests desk")) == [
            "Guests sign in at the desk"
        ]
        assert contents(await tool("recall_context", query="zeppelin")) == []
        changed = await tool("update_context", id=saved["id"], content="Guests sign in online")
        assert (changed["content"], changed["tags"]) == ("Guests sign in online", ["sso"])
        assert changed["createdAt"] == saved["createdAt"]
        assert changed["updatedAt"] >= saved["updatedAt"]
        retagged = await tool("update_context", id=saved["id"], tags=["login"])
        assert (retagged["content"], retagged["tags"]) == ("Guests sign in online", ["login"])
        await tool("delete_context", id=saved["id"])
        assert contents(await tool("list_contexts")) == ["Prices are in cents"]
        assert contents(await tool("recall_context", query="guests")) == []
        assert contents(await other("list_contexts")) == ["The blog is in Markdown"]

    told(story)


def test_saving_never_fails(told):
    async def story(tool: Tool, other: Tool) -> None:
        one = await tool("save_context", content="use pnpm")
        again = await tool("save_context", content="use pnpm", tags=["tooling"])
        assert (again["id"], again["tags"]) == (one["id"], ["tooling"])
        assert "already stored" in again["note"]
        await tool("recall_context", query="pnpm")
        assert (await tool("save_context", content="Use pnpm"))["id"] == one["id"]
        assert "content" in await refusal(tool("save_context", content=" "))

    told(story)


def test_an_unknown_id_is_told_as_one(told):
    async def story(tool: Tool, other: Tool) -> None:
        theirs = await other("save_context", content="The blog is in Markdown")
        for id in (UNKNOWN, theirs["id"]):
            for name, more in (
                ("update_context", {"content": "x"}), ("delete_context", {}),
                ("get_bubble", {}), ("update_bubble", {"name": "x"}), ("delete_bubble", {}),
            ):  # fmt: skip
                assert id[:8] in await refusal(tool(name, id=id, **more))
        assert UNKNOWN[:8] in await refusal(
            tool("save_context", content="Prices are in cents", bubbleId=UNKNOWN)
        )
        assert contents(await other("list_contexts")) == ["The blog is in Markdown"]

    told(story)


def test_a_bubble_holds_notes_and_lets_them_go(told):
    async def story(tool: Tool, other: Tool) -> None:
        bubble = await tool("create_bubble", name="Billing", description="Money")
        assert set(bubble) >= {"id", "name", "description", "createdAt", "updatedAt"}
        inside = await tool("save_context", content="Prices are in cents", bubbleId=bubble["id"])
        outside = await tool("save_context", content="Guests sign in online")
        assert inside["bubbleId"] == bubble["id"]
        assert outside["bubbleId"] is None
        shown = await tool("get_bubble", id=bubble["id"])
        assert (shown["name"], contents(shown)) == ("Billing", ["Prices are in cents"])
        assert contents(await tool("list_contexts", bubbleId=bubble["id"])) == [
            "Prices are in cents"
        ]
        [listed] = (await tool("list_bubbles"))["bubbles"]
        assert (listed["id"], listed["count"]) == (bubble["id"], 1)
        renamed = await tool("update_bubble", id=bubble["id"], name="Money", description="Cents")
        assert (renamed["name"], renamed["description"]) == ("Money", "Cents")
        await tool("update_context", id=outside["id"], bubbleId=bubble["id"])
        moved = await tool("update_context", id=outside["id"], bubbleId=None)
        assert moved["bubbleId"] is None
        await tool("delete_bubble", id=bubble["id"])
        assert (await tool("list_bubbles"))["bubbles"] == []
        assert len(contents(await tool("list_contexts"))) == 2
        again = await tool("create_bubble", name="Money")
        await tool("update_context", id=inside["id"], bubbleId=again["id"])
        await tool("delete_bubble", id=again["id"], deleteContexts=True)
        assert contents(await tool("list_contexts")) == ["Guests sign in online"]
        assert (await other("list_bubbles"))["bubbles"] == []

    told(story)
