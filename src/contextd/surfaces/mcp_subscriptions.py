"""Notify clients of changed resources, in either protocol version."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)
from mcp.shared.exceptions import MCPError

from contextd.domain.scope import Scope
from contextd.surfaces.calls import Calls
from contextd.surfaces.mcp_resources import Resources

Context = ServerRequestContext[Any, Any]
Deliver = Callable[[ServerEvent], None]


class Subscriptions:
    """Handlers for `subscriptions/listen` and, in the older protocol, `resources/subscribe` and
    `resources/unsubscribe`.

    A resource counts as changed if records, code or sessions of its scopes changed; the client then reads it
    again. Clients are only notified of resources they can read.
    """

    def __init__(self, calls: Calls, resources: Resources) -> None:
        self._calls, self._resources = calls, resources
        self._watches: dict[str, Callable[[], None]] = {}
        self._telling: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def lifespan(self, server: Any) -> AsyncIterator[None]:
        """The lifetime of a server; the subscriptions of its connection end with it."""
        try:
            yield
        finally:
            for forget in self._watches.values():
                forget()
            self._watches.clear()

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """One stream of changes, for as long as the client listens. Resources it cannot read are left out of the
        acknowledgement.
        """
        wanted = params.notifications
        made_of: dict[str, frozenset[Scope]] = {}
        for uri in wanted.resource_subscriptions or ():
            with suppress(MCPError):
                made_of[uri] = await self._resources.made_of(ctx, uri)
        promised = wanted.model_copy(update={"resource_subscriptions": list(made_of)})
        stream = _Stream(self._calls, made_of)
        if wanted.resources_list_changed:
            await stream.note_modules(lambda: self._resources.modules(ctx))
        handler = ListenHandler(stream)
        return await handler(ctx, params.model_copy(update={"notifications": promised}))

    async def subscribe(
        self, ctx: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Notify this connection of each change of a resource. Subscribing twice has no further effect."""
        if ctx.request is not None:
            raise MCPError(
                types.INVALID_REQUEST,
                "no subscriptions over stateless requests. Use subscriptions/listen",
            )
        uri, session = str(params.uri), ctx.session
        scopes = await self._resources.made_of(ctx, uri)

        def look(changed: frozenset[Scope]) -> None:
            if changed & scopes:
                _begin(tell(), self._telling)

        async def tell() -> None:
            # The client may disconnect at any moment.
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await session.send_resource_updated(uri)

        if uri not in self._watches:
            self._watches[uri] = self._calls.watch(look)
        return types.EmptyResult()

    async def unsubscribe(
        self, ctx: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Stop notifying this connection of a resource. An unknown subscription is not an error."""
        forget = self._watches.pop(str(params.uri), None)
        if forget is not None:
            forget()
        return types.EmptyResult()


class _Stream:
    """The event source of a listening client: the SDK's bus, fed by changes of our calls."""

    def __init__(self, calls: Calls, made_of: Mapping[str, frozenset[Scope]]) -> None:
        self._calls, self._made_of = calls, made_of
        self._modules: Any = None
        self._known: tuple[Scope | None, tuple[str, ...]] = (None, ())
        self._looking: set[asyncio.Task[None]] = set()

    async def note_modules(self, modules: Any) -> None:
        """Also notify when the list of modules differs from this one."""
        self._modules, self._known = modules, await modules()

    async def publish(self, event: ServerEvent) -> None:
        """Unused, because events come from `Calls.watch`."""

    def subscribe(self, listener: Deliver) -> Callable[[], None]:
        """Notify `listener` until the returned function is called."""

        def look(changed: frozenset[Scope]) -> None:
            for uri, scopes in self._made_of.items():
                if changed & scopes:
                    listener(ResourceUpdated(uri=uri))
            if self._modules is not None and self._known[0] in changed:
                _begin(self._compare(listener), self._looking)

        return self._calls.watch(look)

    async def _compare(self, listener: Deliver) -> None:
        now = await self._modules()
        if now != self._known:
            self._known = now
            listener(ResourcesListChanged())


def _begin(work: Coroutine[Any, Any, None], running: set[asyncio.Task[None]]) -> None:
    """Start a background task. Keep a reference, because the loop does not protect it from collection."""
    task = asyncio.ensure_future(work)
    running.add(task)
    task.add_done_callback(running.discard)
