"""A coding client as an adapter: where it keeps its configuration, what its hooks say, how it takes an
answer, and what reads its transcripts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, Protocol

from contextd.clients.codec import Codec, Place
from contextd.clients.hook_event import ANSWERED, Moment, Occurrence, Reading
from contextd.clients.plugin_form import ModuleForm, PluginForm
from contextd.domain.dataclass import dataclass

Reach = Literal["user", "project"]
"""Whether an installation serves every project of a user or one repository."""

Verdict = Literal["deny", "warn"]
"""What an agent is told before it uses a tool: not to, or to mind something."""

Edit = tuple[str, list[str]]
"""The new text of a file, and what was changed in words. Words without a change say why there is none."""


PREFIX = "contextd_"
"""What goes before the name of a tool where clients show it beside those of others."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """A moment a client tells contextd about.

    `timeout` is in seconds: how long the client waits before it ends the hook. The hook gives up sooner by
    itself; what a client ends before it could start on a busy machine is lost. An empty
    `matcher` takes every occurrence. One with a `setting` is only told about where that is on.
    """

    name: str
    timeout: int
    matcher: str = ""
    setting: str = ""


@dataclass(frozen=True, slots=True)
class Calling:
    """How a client is to call contextd: the command that starts it, the profile of tools it is to show (the
    daemon's own choice when empty), and the settings that bring hooks of their own. `base` is the
    directory the client's files lie below, `whole` whether it serves all projects, `hooked` whether
    its hooks start, brief and end every session, `shared` whether one server of the client serves
    agents in several projects at once, `status_line` whether somebody asked for our status line.
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

    @property
    def server(self) -> list[str]:
        """The command line of the MCP server."""
        chosen = ["--profile", self.profile] if self.profile else []
        hooked = ["--hooked"] if self.hooked else []
        # Where it happens to be started is one agent's project, and not the next one's. A home is nobody's.
        place = ["--project-root", str(self.base)] if self.shared and self.whole else []
        return [*self.command, "mcp", *chosen, "--client", self.client, *hooked, *place]

    @property
    def hook(self) -> list[str]:
        """The command line of a hook."""
        return [*self.command, "hook", "--client", self.client]


class Addition(Protocol):
    """What contextd puts into one file of a client: text in, text out, and everything that is not ours
    stays as it was.
    """

    @property
    def empty(self) -> str:
        """What an empty file counts as."""
        ...

    @property
    def executable(self) -> bool:
        """Whether the file is a program."""
        ...

    @property
    def events(self) -> tuple[HookEvent, ...]:
        """The moments it has the client tell of."""
        ...

    def add(self, text: str, calling: Calling) -> Edit:
        """`text` with our entries in it, brought up to date. Raises `Invalid` for what is no such file."""
        ...

    def without(self, text: str, client: str, keep: frozenset[Place] = frozenset()) -> Edit:
        """`text` without any entry of ours. What that leaves empty goes too, unless it is in `keep`."""
        ...

    def containers(self, text: str) -> frozenset[Place]:
        """What there is already of what our entries go into."""
        ...


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where a file or directory lies: at `file` below a folder of the home. The folder is the one that the
    client's variable chooses another for. `elsewhere` has the whole way from the home for the platforms
    where it is another one, `others` names that the file may have as well.
    """

    file: str
    below: str = ""
    elsewhere: Mapping[str, str] = field(default_factory=dict[str, str])
    others: tuple[str, ...] = ()

    def paths(self, home: Path, chosen: Path | None, platform: str = sys.platform) -> list[Path]:
        """Every path it may have, the usual one first."""
        if platform in self.elsewhere:
            return [home / self.elsewhere[platform]]
        folder = chosen or home / self.below
        return [folder / name for name in (self.file, *self.others)]

    def path(self, home: Path, chosen: Path | None, platform: str = sys.platform) -> Path:
        """The path it has: the first at which there is a file, else the usual one."""
        paths = self.paths(home, chosen, platform)
        return next((path for path in paths if path.is_file()), paths[0])


@dataclass(frozen=True, slots=True)
class FolderTrust:
    """The file in which a client stores the folders that its user trusts, and how it names them."""

    place: FilePlace
    codec: Codec
    named: Callable[[Mapping[str, Any]], list[str]]

    def folders(self, text: str) -> list[str]:
        """The folders that the text of the file names as trusted. Raises `Invalid` for text of another sort."""
        return self.named(self.codec.members(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """A file of a client and what contextd puts into it. `holds` says that in a word; `user` and `project`
    where it lies for either reach, the latter below the repository; None where there is no such file.
    """

    holds: Literal["MCP server", "hooks", "status line", "instructions"]
    part: Addition
    user: FilePlace | None = None
    project: FilePlace | None = None

    def place(self, reach: Reach) -> FilePlace | None:
        """Where it lies for a reach."""
        return self.user if reach == "user" else self.project


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Where and how a client is told of contextd. `variable` is the environment variable that chooses
    another folder for it; `afterwards` what is left for the person to do; `trusts` says, from the home and
    the chosen folder, whether the client runs our hooks, None where that cannot be read. `notes` is what the
    client itself wrote down about what we put into these files, by the file of the user it stands in: it goes
    when ours goes.
    """

    files: tuple[ConfigFile, ...]
    variable: str = ""
    afterwards: str = ""
    trusts: Callable[[Path, Path | None], bool | None] | None = None
    notes: Callable[[Iterable[Path], Path, Path | None], Mapping[Path, Addition]] | None = None

    def held(self, reach: Reach) -> tuple[ConfigFile, ...]:
        """The files there are for a reach."""
        return tuple(one for one in self.files if one.place(reach) is not None)

    def hooked(self, reach: Reach) -> bool:
        """Whether its hooks start, brief and end every session: nobody has to trust them first, and no
        text asks its agent to do the same by tools.
        """
        held = {one.holds for one in self.held(reach)}
        return "hooks" in held and "instructions" not in held and self.trusts is None

    @property
    def events(self) -> tuple[HookEvent, ...]:
        """The moments the client tells of."""
        return tuple(event for file in self.files for event in file.part.events)


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """What says that a client is on this machine: programs it is started by, and directories or files that
    only it makes.
    """

    programs: tuple[str, ...] = ()
    made: tuple[FilePlace, ...] = ()


def _nothing(moment: Moment, text: str) -> dict[str, Any]:
    del moment, text
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A row of the table of clients.

    `names` are all that its hooks and connections go by. `marks` are environment variables that only
    this client sets for its hooks, and `fields` members that only its payloads have: several clients
    run hooks that were written for another one, those in `runs_hooks_of`; `program_marks` begin the one of them that says that a program
    runs the session, as `NAME=value`. `reading` is of no event where it has no hooks. `answer`
    gives the client's JSON for a text to be shown to the agent at a moment, and `asking` for a demand at
    the end of its turn, None where the client has no such thing; `acting` gives it for a verdict on what
    the agent is about to do. `shown` are the moments at which the client passes an answer on to its agent. `transcripts` is the importer of its transcripts, empty where none is there.
    `instructions` is the file of a repository it reads for standing instructions, empty where it reads none;
    `own_instructions` are the files of the person that it reads in every project, or folders of such.
    `bare` says that it shows tools by their names alone, beside those of other servers, `shared` that one
    MCP server of it serves agents in several projects. `limits` says in a clause what the client does not allow,
    and what works instead. `plugin` is how it takes contextd as a plugin.
    `folder_trust` says which folders its user trusts, None where it asks nothing or keeps no readable list.
    """

    name: str
    title: str
    configuration: Configuration
    presence: Presence
    reading: Reading = field(default_factory=lambda: Reading(moments={}))
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
    own_instructions: tuple[FilePlace, ...] = ()
    bare: bool = False
    shared: bool = False
    limits: str = ""
    plugin: PluginForm | ModuleForm | None = None
    folder_trust: FolderTrust | None = None

    def holds_own_instructions(self, path: Path, home: Path, chosen: Path | None) -> bool:
        """Whether a path is one of the files, or lies in one of the folders, of the person's instructions."""
        places = (one for place in self.own_instructions for one in place.paths(home, chosen))
        return any(path.is_relative_to(place) for place in places)

    def runs(self, marks: frozenset[str], payload: Mapping[str, Any]) -> bool:
        """Whether a hook with these surroundings and this payload was run by this client."""
        return any(mark in marks for mark in self.marks) or any(f in payload for f in self.fields)
