"""MCP resources, completion and prompts. Each returns the text of one operation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from contextd.domain.quoting import harmless, harmless_data, inline
from contextd.domain.scope import Scope
from contextd.runtime.operation import OPERATIONS
from contextd.surfaces.agent_options import PROMPTS, AgentOptions, error_text
from contextd.surfaces.calls import Calls, Peer
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError, NotFound

_LEGACY_NOT_FOUND = -32002
_MOST_COMPLETIONS = 100
_MOST_MODULES = 100
"""Modules listed as resources; clients show the list to their user, who types to find more."""
_MARKDOWN, _JSON = "text/markdown", "application/json"

Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True)
class ResourceRow:
    """A resource, or with `{name}` in its address a template: an operation and its arguments.

    A variable called `project` selects the project, others become arguments of that name. The last one may
    contain slashes, for clients that insert values without encoding them.
    """

    uri: str
    name: str
    title: str
    operation: str
    mime: str = _MARKDOWN
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def is_template(self) -> bool:
        """Whether the address has variables."""
        return "{" in self.uri

    def match(self, uri: str) -> dict[str, str] | None:
        """The values of the variables if `uri` matches."""
        pattern = re.sub(r"\\\{(\w+)\\\}$", r"(?P<\1>.+)", re.escape(self.uri))
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", pattern)
        found = re.fullmatch(pattern, uri, re.DOTALL)
        return {k: unquote(v) for k, v in found.groupdict().items()} if found else None


MODULE = ResourceRow("context://module/{name}", "module", "Module", "project_module")

ROWS = (
    ResourceRow(
        "context://project/overview", "project-overview", "Project overview", "project_overview"
    ),
    MODULE,
    ResourceRow(
        "context://session/current", "current-session", "Current session", "session_current"
    ),
    ResourceRow(
        "contextd://project/{project}/briefing", "briefing", "Project Briefing", "briefing_get"
    ),
    ResourceRow(
        "contextd://project/{project}/standards",
        "standards",
        "Project Standards",
        "standards_get",
        _JSON,
        {"type": "both"},
    ),
    ResourceRow("contextd://project/{project}/memory", "memory", "Project Memory", "memory_file"),
    ResourceRow(
        "contextd://org/{org}/policies",
        "policies",
        "Organization Policies",
        "list_policies",
        _JSON,
        {"scope": "org"},
    ),
)
"""All resources; one whose operation does not exist is not listed."""


class Resources:
    """Handlers for `resources/*`, `prompts/*` and `completion/complete`."""

    def __init__(
        self, calls: Calls, options: AgentOptions, peer_of: Callable[[Context], Peer]
    ) -> None:
        self._calls, self._options, self._peer_of = calls, options, peer_of

    async def fixed(self, ctx: Context, params: Any) -> types.ListResourcesResult:
        """The resources without variables, and the first modules of the caller's project."""
        listed = [
            types.Resource(name=row.name, title=row.title, uri=row.uri, mime_type=row.mime)
            for row in await self._offered()
            if not row.is_template
        ]
        modules = (await self._names(ctx))["modules"][:_MOST_MODULES]
        listed += [_module(row) for row in modules if row["name"]]
        return types.ListResourcesResult(resources=listed)

    async def templates(self, ctx: Context, params: Any) -> types.ListResourceTemplatesResult:
        """The resources with variables."""
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    name=row.name, title=row.title, uri_template=row.uri, mime_type=row.mime
                )
                for row in await self._offered()
                if row.is_template
            ]
        )

    async def read(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """One resource's text. An unknown address or name raises the protocol version's "not found"."""
        uri = str(params.uri)
        for row in await self._offered():
            variables = row.match(uri)
            if variables is None:
                continue
            fields = OPERATIONS[row.operation].arguments.model_fields
            arguments = {**row.arguments, **{k: v for k, v in variables.items() if k in fields}}
            try:
                answer = await self._calls.call(self._peer_of(ctx), row.operation, arguments)
            except NotFound as error:
                raise _not_found(ctx, uri, error_text(error)) from error
            except ContextdError as error:
                raise MCPError(
                    types.INTERNAL_ERROR, error_text(error), harmless_data(error.as_dict())
                ) from error
            text = answer.text if row.mime == _MARKDOWN else json.dumps(answer.value)
            content = types.TextResourceContents(uri=uri, mime_type=row.mime, text=text)
            return types.ReadResourceResult(contents=[content])
        known = ", ".join([row.uri for row in await self._offered()])
        raise _not_found(ctx, uri, f"no resource {inline(uri)}. Resources: {known}")

    async def prompts(self, ctx: Context, params: Any) -> types.ListPromptsResult:
        """All prompts; none takes arguments."""
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(name=row.name, description=row.description) for row in PROMPTS.values()
            ]
        )

    async def prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """A prompt with the operation's text; without it if nothing can be read here."""
        row = PROMPTS.get(params.name)
        if row is None:
            known = ", ".join(PROMPTS)
            raise MCPError(types.INVALID_PARAMS, f"no prompt {params.name!r}. Prompts: {known}")
        try:
            known = (await self._calls.call(self._peer_of(ctx), row.operation, {})).text
        except ContextdError as error:
            known = f"(not available: {inline(error.message)})"
        text = types.TextContent(text=f"{row.text}\n\n{known}")
        return types.GetPromptResult(
            description=row.description,
            messages=[types.PromptMessage(role="user", content=text)],
        )

    async def complete(
        self, ctx: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Readable values of a template's variable that begin with the typed text."""
        typed = params.argument.value.casefold()
        template = getattr(params.ref, "uri", "")
        names: list[str] = []
        if template in [row.uri for row in await self._offered()]:
            known = await self._names(ctx)
            modules = [str(module["name"]) for module in known["modules"]]
            values = {
                "name": modules,
                "project": [known["project"]],
                "org": [known["organisation"]],
            }
            if f"{{{params.argument.name}}}" in template:
                names = values.get(params.argument.name, [])
        fitting = sorted({name for name in names if name and name.casefold().startswith(typed)})
        return types.CompleteResult(
            completion=types.Completion(
                values=fitting[:_MOST_COMPLETIONS],
                total=len(fitting),
                has_more=len(fitting) > _MOST_COMPLETIONS,
            )
        )

    async def _offered(self) -> list[ResourceRow]:
        await self._calls.operations()
        known = (row for row in ROWS if row.operation in OPERATIONS)
        return [row for row in known if self._options.offers(OPERATIONS[row.operation])]

    async def made_of(self, ctx: Context, uri: str) -> frozenset[Scope]:
        """The scopes a resource depends on: its text may differ when one of them changed.

        Raises the protocol version's "not found" for a resource that cannot be read.
        """
        for row in await self._offered():
            variables = row.match(uri)
            if variables is None:
                continue
            names = await self._names(ctx, variables.get("project", ""))
            modules = {module["name"] for module in names["modules"]}
            exists = {
                "name": variables.get("name") in modules,
                "org": variables.get("org") == names["organisation"],
                "project": bool(names["scope"]),
            }
            if not names["scope"] or not all(exists[variable] for variable in variables):
                break
            return frozenset(Scope.parse(names["scope"]).cascade)
        raise _not_found(ctx, uri, f"no resource {inline(uri)}")

    async def modules(self, ctx: Context) -> tuple[Scope | None, tuple[str, ...]]:
        """The scope of the caller's project and the names of its modules, which have resources."""
        names = await self._names(ctx)
        scope = Scope.parse(names["scope"]) if names["scope"] else None
        return scope, tuple(module["name"] for module in names["modules"])

    async def _names(self, ctx: Context, project: str = "") -> Mapping[str, Any]:
        """The result of `project_names`; empty if it cannot be called now."""
        arguments = {"project": project} if project else {}
        try:
            answer = await self._calls.call(self._peer_of(ctx), "project_names", arguments)
        except ContextdError:
            return {"organisation": "", "project": "", "scope": "", "modules": []}
        names: Mapping[str, Any] = answer.value
        return names


def _module(row: Mapping[str, Any]) -> types.Resource:
    return types.Resource(
        name=row["name"],
        title=inline(f"{MODULE.title} {row['name']}"),
        description=inline(row["description"]) or None,
        uri=MODULE.uri.replace("{name}", quote(row["name"], safe="")),
        mime_type=MODULE.mime,
    )


def _not_found(ctx: Context, uri: str, message: str) -> MCPError:
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    code = types.INVALID_PARAMS if modern else _LEGACY_NOT_FOUND
    return MCPError(code, message, {"uri": harmless(uri)})
