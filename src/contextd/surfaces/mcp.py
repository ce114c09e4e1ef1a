"""MCP: every operation for agents as a tool, some as resources, three prompts.

One low-level server per connection, all alike for one profile. Both protocol eras.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from contextd import __version__
from contextd.domain.notices import Notice
from contextd.domain.quoting import harmless_data, inline
from contextd.runtime.operation import Operation, tool_schema, tools
from contextd.surfaces.agent_options import AgentOptions, error_text, instructions
from contextd.surfaces.calls import Call, Calls, Peer
from contextd.surfaces.mcp_resources import Resources
from contextd.surfaces.mcp_subscriptions import Subscriptions
from contextd_common.errors import ContextdError

ALWAYS_LOADED = frozenset({"session_start", "context_search", "remember"})
"""Tools that a client with deferred tools should load at once."""

LATER = frozenset({"session_start"})
"""Tools that can be deferred if the client has hooks, which do the same."""

SHOWS_NOTICES = "contextd/notices"
"""The extension of clients that show the notifications `contextd/…` themselves."""

COMPLETE = "contextd/complete"
"""The `_meta` field with which a program requests the answer's data beside its text: whole ids, every field and
every score. Without it only the text is sent, because many clients show a model both.
"""

_STABLE = CacheHint(ttl_ms=300_000, scope="public")
_FRESH = CacheHint(ttl_ms=0, scope="private")

Context = ServerRequestContext[Any, Any]
PeerOf = Callable[[Context], Peer]


def build_server(calls: Calls, options: AgentOptions, peer_of: PeerOf) -> Server[Any]:
    """A server that shows the tools of a profile; `peer_of` identifies the sender of a request.

    Tools outside the profile can be called by name: profiles save tokens, they are no access control.
    """
    resources = Resources(calls, options, lambda ctx: _named(peer_of(ctx), ctx))
    subscriptions = Subscriptions(calls, resources)

    async def list_tools(ctx: Context, params: Any) -> types.ListToolsResult:
        await calls.operations()
        return types.ListToolsResult(tools=list(tool_rows(options)))

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        await calls.operations()
        op = options.tool(params.name)
        if op is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {inline(params.name)}")
        peer = replace(_named(peer_of(ctx), ctx), client_sessions=client_sessions(ctx.meta))
        call = None
        if peer.connection and ctx.request_id is not None:
            number = ctx.request_id
            call = Call(peer.connection, number, repeated=number in peer.repeats)
        try:
            answer = await calls.call(peer, op.name, params.arguments or {}, call)
        except ContextdError as error:
            return tool_error(error)
        for notice in answer.notices:
            await _send(ctx, notice)
        notices = [one for one in answer.notices if not (one.answered or _shows_notices(ctx))]
        return types.CallToolResult(
            content=[types.TextContent(text=text) for text in (answer.text, *_lines(notices))],
            structured_content=_data(answer.value, notices) if _wants_data(ctx) else None,
        )

    return Server(
        "contextd",
        version=__version__,
        instructions=instructions(options),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=resources.fixed,
        on_list_resource_templates=resources.templates,
        on_read_resource=resources.read,
        on_list_prompts=resources.prompts,
        on_get_prompt=resources.prompt,
        on_completion=resources.complete,
        on_subscribe_resource=subscriptions.subscribe,
        on_unsubscribe_resource=subscriptions.unsubscribe,
        on_subscriptions_listen=subscriptions.listen,
        lifespan=subscriptions.lifespan,
        cache_hints={
            "server/discover": _STABLE,
            "tools/list": _STABLE,
            "prompts/list": _STABLE,
            "resources/list": _FRESH,
            "resources/templates/list": _STABLE,
            "resources/read": _FRESH,
        },
    )


@cache
def tool_rows(options: AgentOptions) -> tuple[types.Tool, ...]:
    """The answer to `tools/list`, the same for all clients with these options."""
    return tuple(_tool(op, options) for op in tools(options.profile) if options.offers(op))


def tool_error(error: ContextdError) -> types.CallToolResult:
    """An error the agent can act on: `code: message. Hint`.

    As text only: data would have to match the tool's output schema, and clients that check it (those on the
    official TypeScript SDK) would show their own validation error in place of ours.
    """
    return types.CallToolResult(content=[types.TextContent(text=error_text(error))], is_error=True)


def _tool(op: Operation, options: AgentOptions) -> types.Tool:
    at_once = ALWAYS_LOADED - LATER if options.hooked else ALWAYS_LOADED
    return types.Tool(
        name=options.name(op),
        description=op.summary,
        input_schema=tool_schema(op),
        annotations=types.ToolAnnotations(
            read_only_hint=op.effect == "read",
            destructive_hint=op.effect == "destroy",
            idempotent_hint=op.idempotent,
            open_world_hint=False,
        ),
        _meta={"anthropic/alwaysLoad": True} if op.name in at_once else None,
    )


async def _send(ctx: Context, notice: Notice) -> None:
    """Send a notice as a notification on the stream of the request it belongs to."""
    method = f"contextd/{notice.name}"
    notification: Any = types.Notification[dict[str, Any], str](
        method=method, params=harmless_data(dict(notice.facts))
    )
    await ctx.session.send_notification(notification, related_request_id=ctx.request_id)


def _shows_notices(ctx: Context) -> bool:
    """Whether the client shows our notifications: then results are sent without them."""
    wanted = types.ClientCapabilities(extensions={SHOWS_NOTICES: {}})
    return ctx.session.check_client_capability(wanted)


def _data(value: Any, notices: Sequence[Notice]) -> dict[str, Any]:
    """An answer's data as in REST, as an object, which 2025 clients require."""
    data = dict(value) if isinstance(value, Mapping) else {"items": value}
    facts = harmless_data([notice.as_dict() for notice in notices])
    return {**data, **({"notices": facts} if facts else {})}


def _wants_data(ctx: Context) -> bool:
    """Whether a program requested the data of the answer."""
    return isinstance(ctx.meta, Mapping) and ctx.meta.get(COMPLETE) is True


def _lines(notices: Sequence[Notice]) -> list[str]:
    return ["\n".join(f"({inline(notice.text)})" for notice in notices)] if notices else []


_CODEX_TURN = "x-codex-turn-metadata"
_SESSION_KEYS = ("threadId", "ai.opencode/sessionID", "antigravity.google/conversation_id")
"""The `_meta` fields in which clients name the session of a call: one process may have several windows."""


def client_sessions(meta: object) -> tuple[str, ...]:
    """The client's names for the session of a call, most specific first; empty if it sends none."""
    if not isinstance(meta, Mapping):
        return ()
    turn = meta.get(_CODEX_TURN)
    if isinstance(turn, str):
        with suppress(ValueError):
            turn = json.loads(turn)
    about: Mapping[Any, Any] = turn if isinstance(turn, Mapping) else {}
    names = [meta.get(key) for key in _SESSION_KEYS]
    names += [about.get("thread_id"), about.get("session_id")]
    return tuple(dict.fromkeys(one for one in names if isinstance(one, str) and one))


def _named(peer: Peer, ctx: Context) -> Peer:
    """The peer, named by the client's own handshake if the connection had no name."""
    if not peer.client:
        info: Any = None
        handshake = ctx.session.client_params
        if handshake is not None:
            info = handshake.client_info.name
        elif isinstance(ctx.meta, Mapping):
            given = ctx.meta.get("io.modelcontextprotocol/clientInfo")
            info = given.get("name") if isinstance(given, Mapping) else None
        peer.client = info if isinstance(info, str) else ""
    return peer
