"""The MCP server over any operation: schemas, errors, who calls."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.extension import ClientExtension, NotificationBinding
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from contextd.app import load_operations
from contextd.runtime.operation import OPERATIONS
from contextd.runtime.setting_table import SETTINGS
from contextd.runtime.settings import Settings
from contextd.surfaces.agent_options import AgentOptions, instructions
from contextd.surfaces.calls import Calls, Peer
from contextd.surfaces.mcp import (
    ALWAYS_LOADED,
    COMPLETE,
    LATER,
    SHOWS_NOTICES,
    build_server,
    tool_rows,
)
from contextd_common.text.tokens import count_tokens
from support.local_host import BrokenHost, LocalHost, define
from support.repositories import committed

Use = Callable[[Client], Coroutine[Any, Any, Any]]
Served = Callable[..., Any]


@pytest.fixture(autouse=True, scope="module")
def probes() -> Iterator[None]:
    """The probe operations beside the real ones, while this file runs."""
    load_operations()
    real = dict(OPERATIONS)
    define()
    tool_rows.cache_clear()
    yield
    OPERATIONS.clear()
    OPERATIONS.update(real)
    tool_rows.cache_clear()


@pytest.fixture
def served(tmp_path: Path) -> Served:
    """Runs what an official client does that is joined to a server in this process."""
    settings = Settings(tmp_path / "home")
    settings.home.mkdir()

    def run(
        use: Use,
        *,
        backend: Callable[[Settings], LocalHost] = LocalHost,
        peer: Peer | None = None,
        era: str = "legacy",
        extensions: Sequence[ClientExtension] = (),
        options: AgentOptions = AgentOptions("full"),  # noqa: B008 - a value
    ) -> Any:
        async def joined() -> Any:
            calls = Calls(lambda: backend(settings), workers=2)
            known = peer or Peer("mcp")
            server = build_server(calls, options, lambda _: known)
            async with Client(server, mode=era, extensions=extensions) as client:  # type: ignore[arg-type]
                answer = await use(client)
            await calls.close()
            return answer

        return asyncio.run(joined())

    return run


def call(name: str, /, **arguments: Any) -> Use:
    async def use(client: Client) -> Any:
        return await client.call_tool(name, arguments)

    return use


def data(name: str, /, **arguments: Any) -> Use:
    """A call of a program that wants the data of the answer."""

    async def use(client: Client) -> Any:
        return await client.call_tool(name, arguments, meta={COMPLETE: True})

    return use


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_an_answer_is_text_and_costs_a_model_no_data_besides(served: Served, era: str) -> None:
    result = served(call("probe_greet", name="Ada"), era=era)
    assert [part.text for part in result.content] == ["text form: hello Ada"]
    assert result.structured_content is None


def test_no_tool_promises_data_that_a_call_does_not_bring() -> None:
    # A client on an official SDK refuses an answer without data where the tool has an output schema.
    assert [row.name for row in tool_rows(AgentOptions("full")) if row.output_schema] == []


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_a_program_may_ask_for_complete_data(served: Served, era: str) -> None:
    async def use(client: Client) -> Any:
        return await client.call_tool("probe_greet", {"name": "Ada"}, meta={COMPLETE: True})

    result = served(use, era=era)
    assert result.structured_content == {"text": "hello Ada", "nickname": None, "tags": None}


def test_a_list_is_wrapped_so_that_every_client_can_take_it(served: Served) -> None:
    result = served(data("probe_list"))
    assert result.structured_content == {"items": [1, 2, 3]}


def test_an_error_is_a_tool_error_with_code_and_hint(served: Served) -> None:
    result = served(call("probe_greet", name="nobody"))
    assert result.is_error
    assert result.content[0].text == "not_found: nobody is not here. greet somebody else"
    assert result.structured_content is None


def test_an_unknown_text_is_read_as_the_one_missing_argument_and_the_answer_says_so(
    served: Served,
) -> None:
    result = served(call("probe_greet", nmae="Ada", loudly=True))
    assert not result.is_error
    assert "hello Ada" in result.content[0].text
    assert (
        "(read 'nmae' as 'name'; not used: 'loudly'; probe_greet takes name"
        in result.content[1].text
    )


def test_a_defect_is_an_error_and_the_connection_goes_on(served: Served) -> None:
    async def use(client: Client) -> Any:
        return await client.call_tool("probe_defect", {}), await client.call_tool("probe_list", {})

    failed, next_one = served(use)
    assert failed.content[0].text.startswith("internal: ")
    assert failed.structured_content is None
    assert not next_one.is_error


def takes_project(tool: Any) -> bool:
    return "project" in tool.input_schema["properties"]


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_no_error_of_any_tool_carries_data_that_its_output_schema_would_have_to_allow(
    served: Served, era: str
) -> None:
    async def use(client: Client) -> Any:
        tools = (await client.list_tools()).tools
        wrong = {"no_such_argument": 1, "project": {}}
        return {t.name: await client.call_tool(t.name, wrong) for t in tools if takes_project(t)}

    results = served(use, era=era)
    assert len(results) > 40
    for name, result in results.items():
        assert result.is_error, name
        assert result.structured_content is None, name
        (part,) = result.content
        assert part.text.startswith(f"invalid: {name}: "), part.text
        assert "unknown argument 'no_such_argument'" in part.text
        assert "project: must be " in part.text
        assert ". arguments: " in part.text


@pytest.mark.parametrize("name", ["nothing", "hook_event"])
def test_operations_that_are_no_tools_for_agents_are_unknown(served: Served, name: str) -> None:
    with pytest.raises(BaseException) as caught:  # noqa: PT011  an MCPError inside a group
        served(call(name))
    assert (
        caught.group_contains(MCPError, match="Unknown tool")
        if isinstance(caught.value, BaseExceptionGroup)
        else "Unknown tool" in str(caught.value)
    )


def test_a_host_that_cannot_open_answers_with_the_reason_and_still_lists_tools(
    served: Served,
) -> None:
    async def use(client: Client) -> Any:
        return (await client.list_tools()).tools, await client.call_tool("probe_list", {})

    listed, result = served(use, backend=BrokenHost)
    assert listed
    assert result.content[0].text == "unavailable: the store is locked away. find the key"


def test_calls_carry_the_directory_the_client_and_the_connection(
    served: Served, tmp_path: Path
) -> None:
    root = committed(tmp_path / "shop", {"a.py": "a = 1\n"})
    peer = Peer("mcp", cwd=str(root), client="zed", connection="c-1", process=42)
    seen = served(data("probe_seen"), peer=peer).structured_content
    assert (seen["root"], seen["project"]) == (str(root), "local/default/shop")
    assert (seen["client"], seen["surface"]) == ("zed", "mcp")
    assert (seen["connection"], seen["process"]) == ("c-1", 42)


def test_a_client_that_brings_no_name_is_called_what_it_calls_itself(served: Served) -> None:
    assert served(data("probe_seen")).structured_content["client"] == "mcp"


def test_each_call_of_a_lasting_connection_has_a_key_of_its_own(served: Served) -> None:
    async def use(client: Client) -> Any:
        return [(await data("probe_seen")(client)).structured_content for _ in range(3)]

    lasting = served(use, peer=Peer("mcp", connection="c-1"))
    assert len({one["key"] for one in lasting} - {""}) == 3
    assert [one["repeated"] for one in lasting] == [False] * 3
    assert [one["key"] for one in served(use)] == [""] * 3


def test_a_call_that_was_under_way_when_the_connection_broke_is_known_as_a_repetition(
    served: Served,
) -> None:
    def peer(*repeats: int) -> Peer:
        return Peer("mcp", connection="c-1", repeats=frozenset(repeats))

    first = served(data("probe_seen"), peer=peer()).structured_content
    again = served(data("probe_seen"), peer=peer(*range(10))).structured_content
    assert again["key"] == first["key"]
    assert (first["repeated"], again["repeated"]) == (False, True)


def test_tools_are_short_annotated_and_in_one_order() -> None:
    rows = tool_rows(AgentOptions("full"))
    assert [row.name for row in rows] == [row.name for row in tool_rows(AgentOptions("full"))]
    assert [row.name for row in rows if len(row.description or "") > 300] == []
    destroyer = next(row for row in rows if row.name == "probe_defect")
    assert destroyer.annotations is not None
    assert destroyer.annotations.destructive_hint is True
    assert destroyer.annotations.read_only_hint is False


@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize("prefix", ["", "contextd_"])
def test_instructions_stay_within_their_tokens_and_name_real_tools(
    prefix: str, *, hooked: bool
) -> None:
    told = instructions(AgentOptions("core", prefix, hooked))
    assert count_tokens(told.replace("contextd_", "")) <= 150
    listed = {row.name for row in tool_rows(AgentOptions("core", prefix))}
    assert {*re.findall(r"[a-z]+(?:_[a-z]+)+", told)} - {"include_deps"} <= listed
    named = {name for name in listed if re.search(rf"\b{name}\b", told)}
    for name in (
        "remember",
        "context_search",
        "get_record",
        "find_symbol",
        "find_references",
        "impact",
    ):
        assert prefix + name in named
    by_hooks = {prefix + "session_start", prefix + "session_end"}
    assert named & by_hooks == (set() if hooked else by_hooks)


def test_tools_that_other_servers_have_as_well_are_told_apart_and_called_by_either_name(
    served: Served,
) -> None:
    async def use(client: Client) -> Any:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        called = [await data(name)(client) for name in ("contextd_probe_list", "probe_list")]
        return listed, [answer.structured_content for answer in called]

    listed, answers = served(use, options=AgentOptions("full", "contextd_"))
    plain, _ = served(use)
    assert listed == [f"contextd_{name}" for name in plain]
    assert answers == [{"items": [1, 2, 3]}] * 2


def test_tools_whose_work_the_hooks_do_are_loaded_later() -> None:
    def at_once(options: AgentOptions) -> set[str]:
        return {row.name for row in tool_rows(options) if row.meta}

    assert at_once(AgentOptions("core")) - at_once(AgentOptions("core", hooked=True)) == LATER
    assert [
        row.model_dump() for row in tool_rows(AgentOptions("core")) if row.name not in LATER
    ] == [
        row.model_dump()
        for row in tool_rows(AgentOptions("core", hooked=True))
        if row.name not in LATER
    ]


FIRST_REQUEST, SHARE = 11_223, 0.09
"""Tokens that a coding client sends with a first prompt, and the share of them that may be ours besides."""


def test_a_first_request_holds_little_of_ours() -> None:
    options = AgentOptions("core", hooked=True)
    rows = tool_rows(options)
    shown = [
        json.dumps({"name": row.name, "description": row.description, "schema": row.input_schema})
        if row.meta
        else f"mcp__contextd__{row.name}\n"
        for row in rows
    ]
    ours = count_tokens(instructions(options)) + sum(map(count_tokens, shown))
    briefing = SETTINGS["briefing.tokens"].default
    assert isinstance(briefing, int)
    assert ours + briefing <= SHARE * FIRST_REQUEST


def test_the_loaded_tools_are_few_and_in_the_smallest_profile() -> None:
    assert 3 <= len(ALWAYS_LOADED) <= 5
    assert {row.name for row in tool_rows(AgentOptions("core"))} >= ALWAYS_LOADED


class Budget(BaseModel):
    """What `contextd/budget_warning` says."""

    used: int
    total: int


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("shows", [True, False])
def test_a_notice_is_a_notification_and_rides_on_the_result_for_who_does_not_show_those(
    served: Served, era: str, *, shows: bool
) -> None:
    heard: list[Budget] = []
    told = asyncio.Event()

    class Shows(ClientExtension):
        identifier = SHOWS_NOTICES if shows else "somebody/else"

        def notifications(self) -> Sequence[NotificationBinding[Any]]:
            async def hear(budget: Budget) -> None:
                heard.append(budget)
                told.set()

            binding = NotificationBinding(
                method="contextd/budget_warning", params_type=Budget, handler=hear
            )
            return [binding]

    async def use(client: Client) -> Any:
        result = await data("probe_notice")(client)
        await told.wait()
        return result

    result = served(use, era=era, extensions=[Shows()])
    assert heard == [Budget(used=81, total=100)]
    lines = [content.text for content in result.content[1:]]
    assert lines == ([] if shows else ["(81 of 100 tokens are used)"])
    assert ("notices" in result.structured_content) is not shows
    assert result.structured_content["answer"] == 1
