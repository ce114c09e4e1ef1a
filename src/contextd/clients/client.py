"""A coding client as an adapter: its configuration files, hook events and answer format, and the reader of its
transcripts.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar, Literal

from contextd.clients.codec import Codec
from contextd.clients.hook_event import ANSWERED, Moment, Occurrence, PayloadReader
from contextd.clients.json_config import KeyPath
from contextd.clients.plugin_form import ModuleForm, PluginForm
from contextd_common.dataclass import dataclass

InstallScope = Literal["user", "project"]
"""Whether an installation covers all projects of a user or one repository."""

Verdict = Literal["deny", "warn"]
"""A verdict before the agent uses a tool: refuse it, or warn."""

Edit = tuple[str, list[str]]
"""The new text of a file, and a description of the change. A description without a change gives the reason."""


PREFIX = "contextd_"
"""The prefix of a tool's name in clients that list it beside tools of other servers."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """A moment at which a client calls contextd.

    `timeout` is in seconds: how long the client waits before it ends the hook. The hook gives up sooner by
    itself; a hook that a busy machine starts too late is lost. An empty `matcher` takes every event. With a
    `setting`, the moment is only hooked while that setting is on. `since` is the client's first version that
    knows the event, stated where an older one makes harm of it.
    """

    name: str
    timeout: int
    matcher: str = ""
    setting: str = ""
    since: str = ""

    def known_to(self, version: str) -> bool:
        """Whether a version of the client knows the event; assumed of an unknown version."""
        return not (version and self.since) or not is_older(version, self.since)


def is_older(version: str, other: str) -> bool:
    """Whether a version comes before another one. Both are numbers with dots."""
    return [*map(int, version.split("."))] < [*map(int, other.split("."))]


def hook_events(*names: str, matcher: str = "") -> tuple[HookEvent, ...]:
    """Events for which the client waits five seconds."""
    return tuple(HookEvent(name, 5, matcher) for name in names)


@dataclass(frozen=True, slots=True)
class Calling:
    """How a client calls contextd: the command that starts it, the tool profile it shows (the daemon's default
    when empty), and the settings that add hooks. `base` is the directory above the client's files, `whole`
    whether the installation covers all projects, `hooked` whether its hooks start, brief and end every session,
    `shared` whether one server of the client serves agents in several projects at once, `status_line` whether
    the user asked for our status line. `line` is a hook's whole command line where a shell has to find the
    program itself, empty elsewhere. `version` is the client's, empty when it is not known.
    """

    client: str
    command: tuple[str, ...]
    base: Path
    whole: bool = True
    profile: str = ""
    settings: frozenset[str] = frozenset()
    hooked: bool = False
    shared: bool = False
    status_line: bool = False
    line: str = ""
    version: str = ""

    @property
    def server(self) -> list[str]:
        """The command line of the MCP server."""
        chosen = ["--profile", self.profile] if self.profile else []
        hooked = ["--hooked"] if self.hooked else []
        # Its working directory is one agent's project and not the next one's. A home is no project.
        place = ["--project-root", str(self.base)] if self.shared and self.whole else []
        return [*self.command, "mcp", *chosen, "--client", self.client, *hooked, *place]

    @property
    def hook(self) -> list[str]:
        """The command line of a hook."""
        return [*self.command, "hook", "--client", self.client]


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition(ABC):
    """What contextd writes into one file of a client: text in, text out; all other content stays as it was.

    `holds` names the content, `events` are the moments it hooks, and `executable` marks a program.
    """

    holds: ClassVar[Literal["MCP server", "hooks", "status line", "instructions"]]
    events: tuple[HookEvent, ...] = ()
    executable: bool = False

    @property
    def empty(self) -> str:
        """The content assumed for an empty file."""
        return ""

    @abstractmethod
    def add(self, text: str, calling: Calling) -> Edit:
        """`text` with our entries added or updated. Raises `Invalid` when it is not such a file."""

    @abstractmethod
    def without(self, text: str, client: str, keep: frozenset[KeyPath] = frozenset()) -> Edit:
        """`text` without any entry of ours. A container that becomes empty is removed too, unless it is in
        `keep`.
        """

    def restored(self, text: str, earlier: str) -> Edit:
        """`text` with the user's own entry of an earlier text where ours replaced it."""
        del earlier
        return text, []

    def containers(self, text: str) -> frozenset[KeyPath]:
        """The containers of our entries that already exist; by default an addition has none."""
        del text
        return frozenset()

    def unfit(self, text: str, client: str, version: str) -> str:
        """What this version of the client does not understand of our entries, as a clause; empty if nothing.
        An older contextd may have written them, or for another version.
        """
        del text, client, version
        return ""


@dataclass(frozen=True, slots=True)
class Entry(Addition):
    """An addition below the member `key` of a file in a format."""

    codec: Codec
    key: str

    @property
    def empty(self) -> str:
        """The content assumed for an empty file."""
        return self.codec.empty

    def containers(self, text: str) -> frozenset[KeyPath]:
        """The member, if it exists."""
        return frozenset({(self.key,)} if self.key in self.codec.members(text) else ())


@dataclass(frozen=True, slots=True)
class Location:
    """The path of a file or directory: `file` below a folder of the home. The client's environment variable can
    replace the folder. `elsewhere` has the whole path from the home for platforms that use a different one,
    `others` are alternative file names.
    """

    file: str
    below: str = ""
    elsewhere: Mapping[str, str] = field(default_factory=dict[str, str])
    others: tuple[str, ...] = ()

    def paths(self, home: Path, chosen: Path | None, platform: str = sys.platform) -> list[Path]:
        """Every possible path, the usual one first."""
        if platform in self.elsewhere:
            return [home / self.elsewhere[platform]]
        folder = chosen or home / self.below
        return [folder / name for name in (self.file, *self.others)]

    def path(self, home: Path, chosen: Path | None, platform: str = sys.platform) -> Path:
        """The actual path: the first at which a file exists, else the usual one."""
        paths = self.paths(home, chosen, platform)
        return next((path for path in paths if path.is_file()), paths[0])


@dataclass(frozen=True, slots=True)
class FolderTrust:
    """The file in which a client stores the folders that its user trusts, and its format."""

    place: Location
    codec: Codec
    named: Callable[[Mapping[str, Any]], list[str]]

    def folders(self, text: str) -> list[str]:
        """The folders that the file's text lists as trusted. Raises `Invalid` for text in another format."""
        return self.named(self.codec.members(text))


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file of a client and what contextd writes into it. `user` and `project` are its paths for either scope,
    the latter below the repository; None where no such file exists. `moved` are the paths of a file of our own
    under which earlier installations wrote it: an installation removes it there.
    """

    part: Addition
    user: Location | None = None
    project: Location | None = None
    moved: Mapping[InstallScope, Location] = field(default_factory=dict[InstallScope, Location])

    def place(self, scope: InstallScope) -> Location | None:
        """The path for a scope."""
        return self.user if scope == "user" else self.project

    def moved_from(self, scope: InstallScope) -> Location | None:
        """The path of earlier installations, where it was another one."""
        return self.moved.get(scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Where and how contextd is configured in a client. `variable` is the environment variable that selects
    another folder; `afterwards` lists the steps left for the user; `trusts` decides, from the home and the
    chosen folder, whether the client runs our hooks, None where that cannot be read. `notes` are entries that
    the client itself wrote about ours, by the user's file that contains them: they are removed with ours.
    """

    files: tuple[ConfigFile, ...]
    variable: str = ""
    afterwards: str = ""
    trusts: Callable[[Path, Path | None], bool | None] | None = None
    notes: Callable[[Iterable[Path], Path, Path | None], Mapping[Path, Addition]] | None = None

    def held(self, scope: InstallScope) -> tuple[ConfigFile, ...]:
        """The files that exist for a scope."""
        return tuple(one for one in self.files if one.place(scope) is not None)

    def hooked(self, scope: InstallScope) -> bool:
        """Whether its hooks start, brief and end every session: they need no trust from the user, and no
        instruction asks its agent to do the same by tools.
        """
        held = {one.part.holds for one in self.held(scope)}
        return "hooks" in held and "instructions" not in held and self.trusts is None

    @property
    def events(self) -> tuple[HookEvent, ...]:
        """The moments that the client hooks."""
        return tuple(event for file in self.files for event in file.part.events)


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """Evidence that a client is installed on this machine: its executables, and directories or files that only
    it creates.
    """

    programs: tuple[str, ...] = ()
    made: tuple[Location, ...] = ()


BRIEFED = "hooks that show its agent the briefing, and memories that match a prompt"
"""What contextd needs of a client whose hooks do everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """The versions of a client: `minimum` is the first one that has what contextd `needs`, empty where every one
    that is still offered has. `tried` are those that were run with contextd, the oldest first; without any,
    `minimum` is from the client's documentation. `update` is the user's way to a newer one. `asks` says that
    the program may be run with `--version`: some reach for the network even then.
    """

    needs: str
    minimum: str = ""
    tried: tuple[str, ...] = ()
    update: str = "update it"
    asks: bool = True


def _nothing(moment: Moment, text: str) -> dict[str, Any]:
    del moment, text
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A row of the table of clients.

    `names` are all names that its hooks and connections use. `marks` are environment variables that only this
    client sets for its hooks, and `fields` members that only its payloads have: several clients run hooks
    written for another one, those in `runs_hooks_of`; `program_marks` are prefixes of `NAME=value` that show
    that a program runs the session. `payloads` has no event when the client has no hooks. `answer` builds the
    client's JSON for a text to show to the agent at a moment, and `asking` for a demand at the end of its turn,
    None where the client does not support it; `acting` builds it for a verdict on the agent's next tool call.
    `shown` are the moments at which the client passes an answer to its agent. `transcripts` is the importer of
    its transcripts, empty without one. `instructions` is the repository file from which it reads standing
    instructions, empty without one; `own_instructions` are the user's files, or folders of files, that it reads
    in every project. `bare` says that it shows tool names without a prefix, beside those of other servers,
    `shared` that one MCP server of it serves agents in several projects. `limits` is a clause on what the
    client does not support, and the alternative. `plugin` is how it installs contextd as a plugin. `versions`
    says from which one on it works.
    `folder_trust` finds the folders its user trusts, None where the client has no trust or no readable list.
    """

    name: str
    title: str
    configuration: Configuration
    presence: Presence
    versions: Versions
    payloads: PayloadReader = field(default_factory=lambda: PayloadReader(moments={}))
    answer: Callable[[Moment, str], dict[str, Any]] = _nothing
    asking: Callable[[Occurrence, str], dict[str, Any]] | None = None
    acting: Callable[[Verdict, str], dict[str, Any]] | None = None
    names: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    program_marks: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    runs_hooks_of: tuple[str, ...] = ("claude-code",)
    shown: frozenset[Moment] = ANSWERED
    transcripts: str = ""
    instructions: str = "AGENTS.md"
    own_instructions: tuple[Location, ...] = ()
    bare: bool = False
    shared: bool = False
    limits: str = ""
    plugin: PluginForm | ModuleForm | None = None
    folder_trust: FolderTrust | None = None

    def holds_own_instructions(self, path: Path, home: Path, chosen: Path | None) -> bool:
        """Whether a path is one of the user's own instruction files, or is in one of their folders."""
        places = (one for place in self.own_instructions for one in place.paths(home, chosen))
        return any(path.is_relative_to(place) for place in places)

    def runs(self, marks: frozenset[str], payload: Mapping[str, Any]) -> bool:
        """Whether this client ran a hook with this environment and payload."""
        return any(mark in marks for mark in self.marks) or any(f in payload for f in self.fields)
