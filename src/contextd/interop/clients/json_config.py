"""What contextd adds to a client's JSON configuration, and how it finds its own entries again.

Text in, text out: everything that is not ours stays as it was, to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from contextd.domain.errors import Invalid
from contextd.interop.clients.client import Client, Codec, Edit
from contextd.interop.jsontext import Path, put, read, remove

SERVER = "contextd"
"""The name of our MCP server in every client."""

_OURS = re.compile(r"""(?:^|[\s/\\"'])contextd(?:\.\w+)?["']?\s+hook(?:\s|$)""")
_FOR = re.compile(r"--client[ =](\S+)")
_ABSENT = object()


def add_server(text: str, client: Client, command: Sequence[str]) -> Edit:
    """`text` with our MCP server in it. Raises `Invalid` when servers are not held as expected."""
    servers = _member(_document(text), client.configured.servers_key)
    hooked = ["--hooked"] if client.configured.events else []
    wanted = client.configured.entry([*command, "mcp", "--client", client.name, *hooked])
    path: Path = (client.configured.servers_key, SERVER)
    present = servers.get(SERVER, _ABSENT)
    if isinstance(present, dict) and "command" in present:
        return _set_members(text, path, present, wanted, f"updated the MCP server {SERVER}")
    verb = "added" if present is _ABSENT else "replaced"
    return put(text, path, wanted), [f"{verb} the MCP server {SERVER}"]


def add_hooks(text: str, client: Client, command: Sequence[str]) -> Edit:
    """`text` with one hook of ours per event of the client, and none on any other event."""
    line = [*command, "hook", "--client", client.name]
    changes: list[str] = []
    for event in client.configured.events:
        hooks = _member(_document(text), client.configured.hooks_key)
        groups = hooks.get(event.name, [])
        if not isinstance(groups, list):
            raise Invalid(
                f"{client.configured.hooks_key}.{event.name} is not a list", "correct it, try again"
            )
        handler = client.configured.handler(line, event)
        group = {**({"matcher": event.matcher} if event.matcher else {}), "hooks": [handler]}
        mine = [path for path in _handlers(text, client) if path[1] == event.name]
        if not mine:
            at: Path = (client.configured.hooks_key, event.name)
            known = event.name in hooks
            text = put(text, (*at, len(groups)), group) if known else put(text, at, [group])
            changes.append(f"added a hook on {event.name}")
            continue
        for path in reversed(mine[1:]):
            text = _drop(text, path, frozenset())
            changes.append(f"removed a doubled hook on {event.name}")
        told = f"updated the hook on {event.name}"
        present = _at(read(text), mine[0][:3])
        if len(present["hooks"]) == 1 and present.get("matcher", "") != event.matcher:
            text, changes = put(text, mine[0][:3], group), [*changes, told]
            continue
        text, more = _set_members(text, mine[0], _at(read(text), mine[0]), handler, told)
        changes += more
    served = {event.name for event in client.configured.events}
    for path in reversed(_handlers(text, client)):
        if path[1] not in served:
            text = _drop(text, path, frozenset())
            changes.append(f"removed the hook on {path[1]}")
    return text, changes


def without_ours(text: str, client: Client, keep: frozenset[Path] = frozenset()) -> Edit:
    """`text` without any entry of ours. What that leaves empty goes too, unless it is in `keep`."""
    changes: list[str] = []
    servers = _document(text).get(client.configured.servers_key)
    if isinstance(servers, dict) and SERVER in servers:
        text = _prune(
            remove(text, (client.configured.servers_key, SERVER)),
            (client.configured.servers_key,),
            keep,
        )
        changes.append(f"removed the MCP server {SERVER}")
    for path in reversed(_handlers(text, client)):
        text = _drop(text, path, keep)
        changes.append(f"removed the hook on {path[1]}")
    return text, changes


def containers(text: str, client: Client) -> frozenset[Path]:
    """The paths of objects and lists of a text that our entries go into."""
    document = _document(text)
    found: set[Path] = {
        (key,)
        for key in (client.configured.servers_key, client.configured.hooks_key)
        if key in document
    }
    hooks = document.get(client.configured.hooks_key)
    if isinstance(hooks, dict):
        found |= {(client.configured.hooks_key, event) for event in hooks}
    return frozenset(found)


def _document(text: str) -> dict[str, Any]:
    document = read(text)
    if not isinstance(document, dict):
        raise Invalid("it does not hold a JSON object", "correct the file, or move it away")
    return document


def _member(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = document.get(key, {})
    if not isinstance(value, dict):
        raise Invalid(f"{key} is not an object", "correct it and try again")
    return value


def _handlers(text: str, client: Client) -> list[Path]:
    hooks = _document(text).get(client.configured.hooks_key)
    found: list[Path] = []
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for i, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            found += [
                (client.configured.hooks_key, event, i, "hooks", j)
                for j, handler in enumerate(handlers if isinstance(handlers, list) else ())
                if _is_ours(handler, client)
            ]
    return found


def _is_ours(handler: Any, client: Client) -> bool:
    if not isinstance(handler, dict):
        return False
    arguments = handler.get("args")
    words = [handler.get("command"), *(arguments if isinstance(arguments, list) else ())]
    line = " ".join(word for word in words if isinstance(word, str))
    named = _FOR.search(line)
    return bool(_OURS.search(line)) and (named is None or named[1] == client.name)


def _set_members(
    text: str, path: Path, present: Mapping[str, Any], wanted: Mapping[str, Any], told: str
) -> Edit:
    changed = [name for name in wanted if present.get(name, _ABSENT) != wanted[name]]
    for name in changed:
        text = put(text, (*path, name), wanted[name])
    return text, [told] if changed else []


def _drop(text: str, path: Path, keep: frozenset[Path]) -> str:
    event, holder = path[:2], path[:4]
    text = remove(text, path)
    if _at(read(text), holder) == []:
        text = remove(text, holder[:3])
    return _prune(text, event, keep)


def _prune(text: str, path: Path, keep: frozenset[Path]) -> str:
    while path and path not in keep and _at(read(text), path) in ([], {}):
        text, path = remove(text, path), path[:-1]
    return text


def _at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


JSON = Codec(
    add_server=add_server,
    add_hooks=add_hooks,
    without_ours=without_ours,
    containers=containers,
)
"""Edits JSON files."""
