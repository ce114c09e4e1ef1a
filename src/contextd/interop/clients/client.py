"""A coding client as an adapter: where it keeps its configuration, what its hooks say, how it takes an
answer, and what reads its transcripts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from contextd.domain.errors import Invalid
from contextd.interop.clients.occurrence import Moment, Occurrence, Reading

Reach = Literal["user", "project"]
"""Whether an installation serves every project of a user or one repository."""

Place = tuple[str | int, ...]
"""Where something stands in a configuration: names of members and numbers of list items."""

Verdict = Literal["deny", "warn"]
"""What an agent is told before it uses a tool: not to, or to mind something."""

Edit = tuple[str, list[str]]
"""The new text of a file, and what was changed in words."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """A moment a client tells contextd about.

    `timeout` is in seconds: how long the client waits before it goes on without an answer. An empty
    `matcher` takes every occurrence. One with a `setting` is only told about where that is on.
    """

    name: str
    timeout: int
    matcher: str = ""
    setting: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Codec:
    """How a configuration file is edited: text in, text out, and everything that is not ours stays as
    it was, to the byte. `containers` names what our entries go into.
    """

    add_server: Callable[[str, Client, Sequence[str]], Edit]
    add_hooks: Callable[[str, Client, Sequence[str]], Edit]
    without_ours: Callable[[str, Client, frozenset[Place]], Edit]
    containers: Callable[[str, Client], frozenset[Place]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Where and how a client is told of contextd.

    `servers` and `hooks` say which file holds them for a user (below the home, or below the client's
    own configuration directory when one is chosen) and for a project (below its root); `servers_key`
    and `hooks_key` name the member of the file. `entry` is the shape of an MCP server and `handler`
    that of a hook, both from a command line. `variable` is the environment variable that chooses the
    configuration directory.
    """

    codec: Codec
    servers: Mapping[Reach, str]
    servers_key: str
    entry: Callable[[Sequence[str]], dict[str, Any]]
    hooks: Mapping[Reach, str]
    hooks_key: str
    handler: Callable[[Sequence[str], HookEvent], dict[str, Any]]
    events: tuple[HookEvent, ...]
    directory: str
    variable: str

    def servers_file(self, home: Path, root: Path | None, config: Path | None) -> Path:
        """The file with the MCP servers: of the project when `root` is given."""
        if root is not None:
            return root / self.servers["project"]
        return (config or home) / self.servers["user"]

    def hooks_file(self, home: Path, root: Path | None, config: Path | None) -> Path:
        """The file with the hooks: of the project when `root` is given."""
        if root is not None:
            return root / self.hooks["project"]
        return (config or home / self.directory) / self.hooks["user"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A row of the table of clients.

    `names` are all that its hooks and connections go by. `marks` are environment variables that only
    this client sets for its hooks, and `fields` members that only its payloads have: several clients
    run hooks that were written for another one. `answer` gives the client's JSON for a text to be
    shown to the agent at a moment, and `asking` for a demand at the end of its turn, None where the client
    has no such thing; `acting` gives it for a verdict on what the agent is about to do. `transcripts` is the importer of its transcripts, empty where none
    is there. `instructions` is the file of a repository it reads for standing instructions.
    `configuration` is None where contextd cannot write it. `bare` says that it shows
    tools by their names alone, beside those of other servers.
    """

    name: str
    title: str
    reading: Reading
    answer: Callable[[Moment, str], dict[str, Any]]
    asking: Callable[[Occurrence, str], dict[str, Any]] | None = None
    acting: Callable[[Verdict, str], dict[str, Any]] | None = None
    names: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    transcripts: str = ""
    instructions: str = "AGENTS.md"
    configuration: Configuration | None = None
    bare: bool = False

    @property
    def configured(self) -> Configuration:
        """How it is configured. Raises `Invalid` where that has to be done by hand."""
        if self.configuration is None:
            raise Invalid(
                f"contextd cannot write the configuration of {self.title} yet",
                f"register the MCP server by hand: contextd mcp --client {self.name}",
            )
        return self.configuration

    def telling(self, settings: frozenset[str]) -> Client:
        """The client with those hooks only that are always told about, or by one of these settings."""
        if self.configuration is None:
            return self
        events = self.configuration.events
        kept = tuple(one for one in events if not one.setting or one.setting in settings)
        return replace(self, configuration=replace(self.configuration, events=kept))

    def runs(self, marks: frozenset[str], payload: Mapping[str, Any]) -> bool:
        """Whether a hook with these surroundings and this payload was run by this client."""
        return any(mark in marks for mark in self.marks) or any(f in payload for f in self.fields)
