"""contextd's entries in a client's configuration, in any format, and how it finds them again."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import PurePath
from typing import Any

from contextd.clients.client import Calling, Edit, Entry, HookEvent, is_older
from contextd.clients.codec import Codec
from contextd.clients.config_shapes import client_line, hook_line, starts_contextd
from contextd.clients.json_config import KeyPath
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid

SERVER = "contextd"
"""The name of our MCP server in every client."""

_FOR = re.compile(r"--client[ =](\S+)")
_STARTS = frozenset({"command", "cmd", "transport"})
"""Members by which an entry starts a program. One of ours without the client's is replaced as a whole."""

_PROGRAM = re.compile(r"(?:.*[/\\])?contextd(?:\.\w+)?(?: +mcp\b.*)?")
"""The first word of a server's command line, or all of it where a client splits it."""

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class ServerEntry(Entry):
    """Our MCP server below `key`, in the client's `shape`. With `listed` the servers are a list, and each
    contains its name.
    """

    holds = "MCP server"
    shape: Callable[[Sequence[str]], dict[str, Any]]
    listed: bool = False

    def add(self, text: str, calling: Calling) -> Edit:
        """`text` with our MCP server in it. Raises `Invalid` when the servers have an unexpected form."""
        wanted = self.shape(calling.server)
        place = self._place(text)
        present = _at(self.codec.members(text), place)
        if starts_our_server(present) and _STARTS & wanted.keys() <= present.keys():
            return _set_members(
                self.codec, text, place, present, wanted, f"updated the MCP server {SERVER}"
            )
        change = f"added the MCP server {SERVER}"
        if starts_our_server(present):
            change = f"replaced the MCP server {SERVER}"
        elif present is not _ABSENT:
            undo = f"contextd uninstall {calling.client}"
            undo += "" if calling.whole else " --scope project"
            change = (
                f"replaced your own MCP server {SERVER}: the backup keeps it, `{undo}` restores it"
            )
        return self.codec.put(text, place, wanted), [change]

    def without(self, text: str, client: str, keep: frozenset[KeyPath] = frozenset()) -> Edit:
        """`text` without our MCP server. A server of the user's that has its name stays."""
        del client
        place = self._ours(text)
        if place is None:
            return text, []
        return dropped(self.codec, text, place, keep), [f"removed the MCP server {SERVER}"]

    def restored(self, text: str, earlier: str) -> Edit:
        """`text` with the user's own server of an earlier text where ours replaced it."""
        place = self._ours(text)
        if place is None:
            return text, []
        before = self._place(earlier)
        there = _at(self.codec.members(earlier), before)
        if there is _ABSENT or starts_our_server(there):
            return text, []
        made = self.codec.copied(text, place, earlier, before)
        return made, [f"restored your own MCP server {SERVER}"]

    def _ours(self, text: str) -> KeyPath | None:
        """The path of our entry; None without one."""
        document = self.codec.members(text)
        if not isinstance(document.get(self.key), list if self.listed else dict):
            return None
        place = self._place(text)
        return place if starts_our_server(_at(document, place)) else None

    def _place(self, text: str) -> KeyPath:
        """The path of the entry under our name, existing or new."""
        document = self.codec.members(text)
        if not self.listed:
            _member(self.codec, document, self.key)
            return self.key, SERVER
        servers = document.get(self.key) or []
        if not isinstance(servers, list):
            raise Invalid(f"{self.key} is not a list", "correct it and try again")
        named = (isinstance(one, dict) and one.get("name") == SERVER for one in servers)
        return self.key, next((i for i, ours in enumerate(named) if ours), len(servers))


def starts_our_server(entry: Any) -> bool:
    """Whether an entry of a server starts contextd itself. One that has it started by another program, or leads
    to another place, is its user's.
    """
    if not isinstance(entry, dict):
        return False
    entry = entry["transport"] if isinstance(entry.get("transport"), dict) else entry
    program, arguments = entry.get("command", entry.get("cmd")), entry.get("args")
    parts = [*(program if isinstance(program, list) else [program])]
    parts += arguments if isinstance(arguments, list) else []
    words = [word for word in parts if isinstance(word, str)]
    as_module = [at for at in range(len(words)) if words[at : at + 2] == ["-m", "contextd"]]
    rest = words[1:] if words and _PROGRAM.fullmatch(words[0]) else None
    if as_module:
        rest = words[as_module[0] + 2 :]
    return rest is not None and rest[:1] in ([], ["mcp"])


@dataclass(frozen=True, slots=True)
class EventEntry(Entry):
    """Our hooks below `key`, in a list per event."""

    holds = "hooks"

    def containers(self, text: str) -> frozenset[KeyPath]:
        """The hooks and their events, if they exist."""
        hooks = self.codec.members(text).get(self.key)
        events = hooks if isinstance(hooks, dict) else ()
        return Entry.containers(self, text) | {(self.key, event) for event in events}

    @abstractmethod
    def places(self, text: str, client: str) -> list[KeyPath]:
        """The paths of our hooks, each with its event in second place."""

    def without(self, text: str, client: str, keep: frozenset[KeyPath] = frozenset()) -> Edit:
        """`text` without any hook of ours."""
        return self._unhooked(text, client, frozenset(), keep)

    def _unhooked(
        self, text: str, client: str, served: frozenset[str], keep: frozenset[KeyPath]
    ) -> Edit:
        """`text` without our hooks on other events than these."""
        changes: list[str] = []
        for place in reversed(self.places(text, client)):
            if place[1] not in served:
                text = self._drop(text, place, keep)
                changes.append(f"removed the hook on {place[1]}")
        return text, changes

    def _drop(self, text: str, place: KeyPath, keep: frozenset[KeyPath]) -> str:
        return dropped(self.codec, text, place, keep)


@dataclass(frozen=True, slots=True)
class HookEntries(EventEntry):
    """Per event a group with one handler, in the client's `shape`. `obsolete` are members that older
    installations wrote, each with the client's first version that knows it: any other one runs the rest.
    """

    shape: Callable[[Calling, HookEvent], dict[str, Any]]
    obsolete: Mapping[str, str] = field(default_factory=dict[str, str])

    def add(self, text: str, calling: Calling) -> Edit:
        """`text` with one hook of ours per hooked event that the client knows, and none on any other event."""
        changes: list[str] = []
        events = [one for one in self.events if not one.setting or one.setting in calling.settings]
        known = [one for one in events if one.known_to(calling.version)]
        for event in known:
            text, more = self._one(text, calling, event)
            changes += more
        served = frozenset(event.name for event in known)
        text, more = self._unhooked(text, calling.client, served, frozenset())
        left = [
            f"no hook on {one.name}: version {calling.version} does not know it"
            for one in events
            if one not in known
        ]
        return text, [*changes, *more, *left]

    def _one(self, text: str, calling: Calling, event: HookEvent) -> Edit:
        hooks = _member(self.codec, self.codec.members(text), self.key)
        groups = hooks.get(event.name, [])
        if not isinstance(groups, list):
            raise Invalid(f"{self.key}.{event.name} is not a list", "correct it, try again")
        handler = self.shape(calling, event)
        group = {**({"matcher": event.matcher} if event.matcher else {}), "hooks": [handler]}
        mine = [place for place in self.places(text, calling.client) if place[1] == event.name]
        if not mine:
            at: KeyPath = (self.key, event.name)
            known = event.name in hooks
            put = self.codec.put
            text = put(text, (*at, len(groups)), group) if known else put(text, at, [group])
            return text, [f"added a hook on {event.name}"]
        changes: list[str] = []
        for place in reversed(mine[1:]):
            text = self._drop(text, place, frozenset())
            changes.append(f"removed a doubled hook on {event.name}")
        change = f"updated the hook on {event.name}"
        present = _at(self.codec.read(text), mine[0][:3])
        if len(present["hooks"]) == 1 and present.get("matcher", "") != event.matcher:
            return self.codec.put(text, mine[0][:3], group), [*changes, change]
        held = _at(self.codec.read(text), mine[0])
        text, more = _set_members(self.codec, text, mine[0], held, handler, change)
        for name in [name for name in self.obsolete if name in held]:
            text, more = self.codec.remove(text, (*mine[0], name)), [change]
        return text, [*changes, *more]

    def unfit(self, text: str, client: str, version: str) -> str:
        """The obsolete members and the events of our hooks that a version of the client does not know."""
        document = self.codec.read(text)
        places = self.places(text, client)
        held = {name for place in places for name in _at(document, place)}
        for name, since in self.obsolete.items():
            if name in held and (not version or is_older(version, since)):
                return f"versions before {since} run its hooks without `{name}`"
        named = {place[1] for place in places}
        unknown = [one for one in self.events if one.name in named and not one.known_to(version)]
        if not unknown:
            return ""
        names = ", ".join(one.name for one in unknown)
        return f"version {version} knows no hook on {names} and may ignore all of its settings"

    def places(self, text: str, client: str) -> list[KeyPath]:
        """The paths of our hooks: key, event, index of the group, `hooks`, index in it."""
        hooks = self.codec.members(text).get(self.key)
        found: list[KeyPath] = []
        for event, groups in hooks.items() if isinstance(hooks, dict) else ():
            for i, group in enumerate(groups if isinstance(groups, list) else ()):
                handlers = group.get("hooks") if isinstance(group, dict) else None
                found += [
                    (self.key, event, i, "hooks", j)
                    for j, handler in enumerate(handlers if isinstance(handlers, list) else ())
                    if _is_ours(handler, "hook", client)
                ]
        return found

    def _drop(self, text: str, place: KeyPath, keep: frozenset[KeyPath]) -> str:
        """Remove a handler, and its group when it held no other handler, whatever else the group contains."""
        group = _at(self.codec.read(text), place[:3])
        return dropped(self.codec, text, place if len(group["hooks"]) > 1 else place[:3], keep)


@dataclass(frozen=True, slots=True)
class ListedFile(Entry):
    """Our file, by its name, in a list of files that the client reads."""

    holds = "instructions"
    name: str

    def add(self, text: str, calling: Calling) -> Edit:
        """`text` with our file in its list: as an absolute path when it serves all projects."""
        listed = self._listed(text)
        wanted = str(calling.base / self.name) if calling.whole else self.name
        if wanted in listed:
            return text, []
        others = [one for one in listed if not self._is_ours(one)]
        single = not isinstance(self.codec.members(text).get(self.key, []), list)
        if single or len(others) < len(listed):
            text = self.codec.put(text, (self.key,), [*others, wanted])
        elif listed:
            text = self.codec.put(text, (self.key, len(listed)), wanted)
        else:
            text = self.codec.put(text, (self.key,), [wanted])
        return text, [f"added {wanted} to {self.key}"]

    def without(self, text: str, client: str, keep: frozenset[KeyPath] = frozenset()) -> Edit:
        """`text` without our file in its list."""
        del client
        listed = self.codec.members(text).get(self.key)
        changes: list[str] = []
        if isinstance(listed, list):
            for i, one in reversed(list(enumerate(listed))):
                if self._is_ours(one):
                    text = dropped(self.codec, text, (self.key, i), keep)
                    changes.append(f"removed {one} from {self.key}")
        elif self._is_ours(listed):
            text = self.codec.remove(text, (self.key,))
            changes.append(f"removed {listed} from {self.key}")
        return text, changes

    def _listed(self, text: str) -> list[Any]:
        listed = self.codec.members(text).get(self.key)
        if listed is None:
            return []
        if not isinstance(listed, list | str):
            raise Invalid(f"{self.key} is not a list of files", "correct it and try again")
        return listed if isinstance(listed, list) else [listed]

    def _is_ours(self, one: Any) -> bool:
        return isinstance(one, str) and PurePath(one).name == self.name


def _member(codec: Codec, document: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = document.get(key, {})
    # A name with nothing behind it: YAML's way to write an empty mapping.
    value = {} if value is None and not codec.empty else value
    if not isinstance(value, dict):
        raise Invalid(f"{key} is not an object", "correct it and try again")
    return value


def _is_ours(handler: Any, command: str, client: str = "") -> bool:
    """Whether an entry runs this command of ours, for this client if one is given."""
    if not isinstance(handler, dict):
        return False
    arguments = handler.get("args")
    words = [handler.get("command"), *(arguments if isinstance(arguments, list) else ())]
    line = " ".join(word for word in words if isinstance(word, str))
    named = _FOR.search(line)
    return starts_contextd(line, command) and (not client or named is None or named[1] == client)


def _set_members(
    codec: Codec,
    text: str,
    place: KeyPath,
    present: Mapping[str, Any],
    wanted: Mapping[str, Any],
    summary: str,
) -> Edit:
    changed = [name for name in wanted if present.get(name, _ABSENT) != wanted[name]]
    for name in changed:
        text = codec.put(text, (*place, name), wanted[name])
    return text, [summary] if changed else []


def dropped(codec: Codec, text: str, place: KeyPath, keep: frozenset[KeyPath]) -> str:
    """`text` without the value at a path, and without containers that become empty."""
    document = codec.read(text)
    while len(place) > 1 and place[:-1] not in keep and len(_at(document, place[:-1])) == 1:
        place = place[:-1]
    return codec.remove(text, place)


def _at(document: Any, place: KeyPath) -> Any:
    for step in place:
        if isinstance(document, list):
            inside = isinstance(step, int) and step < len(document)
        else:
            inside = isinstance(document, dict) and step in document
        if not inside:
            return _ABSENT
        document = document[step]
    return document


@dataclass(frozen=True, slots=True)
class StatusLineEntry(Entry):
    """The command below `key` that prints our line, for users who ask for it."""

    holds = "status line"

    def add(self, text: str, calling: Calling) -> Edit:
        """`text` with our status line, if the user asked for it or it already exists, and no other one does."""
        present = self.codec.members(text).get(self.key)
        ours = _is_ours(present, "statusline")
        if not (calling.status_line or ours):
            return text, []
        if present is not None and not ours:
            return text, ["kept your own status line"]
        line = client_line([*calling.command, "statusline"], "sh")
        wanted = {"type": "command", "command": line}
        if present == wanted:
            return text, []
        verb = "updated" if ours else "added"
        return self.codec.put(text, (self.key,), wanted), [f"{verb} the status line"]

    def without(self, text: str, client: str, keep: frozenset[KeyPath] = frozenset()) -> Edit:
        """`text` without our status line."""
        del client, keep
        if not _is_ours(self.codec.members(text).get(self.key), "statusline"):
            return text, []
        return self.codec.remove(text, (self.key,)), ["removed the status line"]

    def containers(self, text: str) -> frozenset[KeyPath]:
        """None: the entry is the member itself."""
        del text
        return frozenset()


_VERSION = "version"


@dataclass(frozen=True, slots=True)
class ListedHooks(EventEntry):
    """One command per event, and the format's version."""

    def add(self, text: str, calling: Calling) -> Edit:
        """`text` with one hook of ours per event, and none on any other event. Raises `Invalid` when the hooks
        have an unexpected form.
        """
        changes: list[str] = []
        if _VERSION not in self.codec.members(text):
            text = self.codec.put(text, (_VERSION,), 1)
        for event in self.events:
            hook = {"command": hook_line(calling), "timeout": event.timeout}
            listed = self._listed(text).get(event.name, [])
            if not isinstance(listed, list):
                raise Invalid(f"{self.key}.{event.name} is not a list", "correct it, try again")
            mine = [i for i, one in enumerate(listed) if _is_ours(one, "hook", calling.client)]
            if mine and listed[mine[0]] == hook:
                continue
            place: KeyPath = (self.key, event.name)
            if mine:
                text = self.codec.put(text, (*place, mine[0]), hook)
            elif event.name in self._listed(text):
                text = self.codec.put(text, (*place, len(listed)), hook)
            else:
                text = self.codec.put(text, place, [hook])
            changes.append(f"{'updated the' if mine else 'added a'} hook on {event.name}")
        served = frozenset(event.name for event in self.events)
        text, more = self._unhooked(text, calling.client, served, frozenset())
        return text, [*changes, *more]

    def without(self, text: str, client: str, keep: frozenset[KeyPath] = frozenset()) -> Edit:
        """`text` without any hook of ours, and without the version if no hook is left."""
        text, changes = self._unhooked(text, client, frozenset(), keep)
        members = self.codec.members(text)
        if changes and (_VERSION,) not in keep and self.key not in members and _VERSION in members:
            text = self.codec.remove(text, (_VERSION,))
        return text, changes

    def containers(self, text: str) -> frozenset[KeyPath]:
        """The hooks with their events, and the format's version, if they exist."""
        version = {(_VERSION,)} if _VERSION in self.codec.members(text) else set[KeyPath]()
        return EventEntry.containers(self, text) | version

    def places(self, text: str, client: str) -> list[KeyPath]:
        """The paths of our hooks: key, event, index in its list."""
        hooks = self.codec.members(text).get(self.key)
        return [
            (self.key, event, number)
            for event, listed in (hooks.items() if isinstance(hooks, dict) else ())
            for number, one in enumerate(listed if isinstance(listed, list) else ())
            if _is_ours(one, "hook", client)
        ]

    def _listed(self, text: str) -> dict[str, Any]:
        hooks = self.codec.members(text).get(self.key, {})
        if not isinstance(hooks, dict):
            raise Invalid(f"{self.key} is not an object", "correct it and try again")
        return hooks
