"""All commands, built on demand and listed in sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from contextd import __version__
from contextd.surfaces.cli.guidance import Guiding
from contextd.surfaces.cli.operations import OperationCommand
from contextd.surfaces.cli.renamed import RENAMED, notice
from contextd.surfaces.cli.signatures import Signature, signatures
from contextd.surfaces.cli.table import (
    CALL_ABOUT,
    FIXED,
    GROUP_OF_ROOM,
    GROUPS,
    HEADINGS,
    HELP_ABOUT,
    MERGED,
    SECTION_OF_ROOM,
    SYNONYMS,
    UNLISTED,
    VERBS,
    Verb,
)
from contextd.surfaces.cli.terminal import own_process
from contextd.thin.home import home_directory

if TYPE_CHECKING:
    from contextd.surfaces.backend import OpenBackend

Extra = Callable[[Sequence[str]], int]
"""A command that the composition root adds, such as `demo`."""

Operations = Callable[[], Mapping[str, Signature]]

ABOUT = """The context and memory runtime of AI coding agents.

\b
Start with `contextd init` in a repository, then
`contextd install`.
"""
EXIT_CODES = "Exit codes: 0 done, 1 failed, 2 wrong usage. Every command takes --help."
_COMMANDS = "Commands"
_LEAST = 15
"""Characters of a summary that suffice without the part after its colon."""


class Listing(Guiding):
    """A group that lists its commands in sections, one line each."""

    def sections(self) -> dict[str, dict[str, str]]:
        """The help line of each command, by section and name, in the order shown."""
        raise NotImplementedError

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every listed command, in the order of the sections."""
        return [name for commands in self.sections().values() for name in commands]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One section per heading, one line per command."""
        sections = self.sections()
        widest = max(len(name) for commands in sections.values() for name in commands)
        room = formatter.width - widest - 4
        for heading, commands in sections.items():
            if commands:
                with formatter.section(heading):
                    rows = [(name, in_a_line(about, room)) for name, about in commands.items()]
                    formatter.write_dl([(name.ljust(widest), about) for name, about in rows])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The commands with this prefix, without building any of them."""
        found = [
            CompletionItem(name, help=in_a_line(about, 80))
            for commands in self.sections().values()
            for name, about in commands.items()
            if name.startswith(incomplete)
        ]
        return found or click.Command.shell_complete(self, ctx, incomplete)


class Commands(Listing):
    """The root: everyday commands, and groups that hold all others."""

    synonyms = SYNONYMS

    def __init__(
        self,
        load: Callable[[], None],
        standalone: OpenBackend,
        extras: Mapping[str, tuple[str, Extra]],
        operations: Operations | None = None,
    ) -> None:
        super().__init__(
            "contextd",
            help=ABOUT,
            epilog=f"{EXIT_CODES}\n\nExample: contextd status",
            context_settings={"help_option_names": ["-h", "--help"], "obj": standalone},
            params=[
                click.Option(
                    ["--version"],
                    is_flag=True,
                    is_eager=True,
                    expose_value=False,
                    help="Show the version.",
                    callback=_show_version,
                )
            ],
        )
        self._read = operations or (lambda: signatures(home_directory(), load))
        self.add_command(_help_command())
        for name, (about, run) in extras.items():
            self.add_command(_extra_command(name, about, run))

    @cached_property
    def operations(self) -> Mapping[str, Signature]:
        """Every operation by name."""
        return self._read()

    @cached_property
    def placed(self) -> dict[str, dict[str, Verb]]:
        """The operations of each group by command name; those at the top level under ""."""
        placed: dict[str, dict[str, Verb]] = {"": {}, **{name: {} for name in GROUPS}}
        for line, verb in VERBS.items():
            group, _, name = line.rpartition(" ")
            placed[group][name] = verb
        named = {verb.operation for verb in VERBS.values()}
        for one in self.operations.values():
            if one.listed and one.name not in MERGED and one.name not in named:
                placed[GROUP_OF_ROOM.get(one.room, "dev")][one.command] = Verb(one.name)
        return placed

    def sections(self) -> dict[str, dict[str, str]]:
        """The sections of `contextd --help`."""
        return {
            heading: {name: self._about(name) for name in names if self._is_there(name)}
            for heading, names in HEADINGS.items()
        }

    def everything(self) -> dict[str, dict[str, str]]:
        """The help line of each command, by heading and full command line, including groups."""
        found = self.sections()
        for name in GROUPS:
            rows = {
                f"{name} {one}": about
                for commands in self.group_named(name).sections().values()
                for one, about in commands.items()
            }
            found[name.capitalize()] = rows
        found["Run by agents, shells and tests"] = {
            name: self._about(name) for name in UNLISTED if self._is_there(name)
        }
        return found

    def _is_there(self, name: str) -> bool:
        return name in GROUPS or name in FIXED or name in self.commands or name in self.placed[""]

    def _about(self, name: str) -> str:
        if name in GROUPS:
            return GROUPS[name]
        if name in FIXED:
            return FIXED[name].about
        if name in self.placed[""]:
            return self.operations[self.placed[""][name].operation].summary
        return self.commands[name].help or ""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, or the one that replaces an old name."""
        if cmd_name in GROUPS:
            return self.group_named(cmd_name)
        if cmd_name in FIXED:
            return self.fixed(cmd_name)
        if cmd_name in self.commands:
            if cmd_name != "help":
                own_process()
            return self.commands[cmd_name]
        # From the table alone: top-level names are known without reading the operations.
        if cmd_name in VERBS:
            verb = VERBS[cmd_name]
            return OperationCommand(self.operations[verb.operation], cmd_name, verb)
        return self._renamed(cmd_name) if cmd_name in RENAMED else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Like click; an old name also prints the new one on stderr."""
        found = super().resolve_command(ctx, args)
        if args[0] in RENAMED and not ctx.resilient_parsing:
            click.echo(notice(args[0]), err=True)
        return found

    def group_named(self, name: str) -> Group:
        """The group of this name."""
        return Group(self, name)

    def fixed(self, line: str) -> click.Command:
        """The fixed command of this command line. Raises `NotHere` in the daemon unless it may run there."""
        if not FIXED[line].in_daemon:
            own_process()
        return self.built(line)

    def built(self, line: str) -> click.Command:
        """The fixed command of this command line, for its help."""
        module = import_module(f"contextd.surfaces.cli.{FIXED[line].module}")
        name = line.rpartition(" ")[2]
        found = (one for one in vars(module).values() if isinstance(one, click.Command))
        return next(command for command in found if command.name == name)

    def _renamed(self, old: str) -> click.Command | None:
        if RENAMED[old] in GROUPS:
            return self.group_named(RENAMED[old])
        if RENAMED[old] in FIXED:
            return self.fixed(RENAMED[old])
        verb = VERBS.get(RENAMED[old])
        own = self.operations.get(old.replace("-", "_"))
        if verb is not None and own in (None, self.operations[verb.operation]):
            return OperationCommand(self.operations[verb.operation], old, verb)
        if own is not None and own.listed:
            return OperationCommand(own, old)
        return CallCommand("call", lambda: self.operations) if old == "call" else None


class Group(Listing):
    """A group of fixed commands and operations."""

    def __init__(self, root: Commands, name: str) -> None:
        self._root = root
        self._fixed: dict[str, Callable[[], click.Command]] = {}
        self._about: dict[str, str] = {}
        if name in FIXED:
            for one, command in self._held(root.built(name)):
                self._fixed[one] = partial(self._allowed, name, command)
                self._about[one] = command.get_short_help_str(200)
        for line, row in FIXED.items():
            group, _, word = line.rpartition(" ")
            if group == name:
                self._fixed[word] = partial(root.fixed, line)
                self._about[word] = row.about
        if name == "dev":
            self._fixed["call"] = lambda: CallCommand("dev call", lambda: root.operations)
            self._about["call"] = CALL_ABOUT
        outside = ", ".join(f"contextd {one}" for one in UNLISTED) if name == "dev" else ""
        note = f"Run by agents, shells and tests: {outside}." if outside else None
        super().__init__(name, help=GROUPS[name], epilog=note)

    @staticmethod
    def _allowed(name: str, command: click.Command) -> click.Command:
        if not FIXED[name].in_daemon:
            own_process()
        return command

    def _held(self, command: click.Command) -> Iterator[tuple[str, click.Command]]:
        if isinstance(command, click.Group):
            self.synonyms = getattr(command, "synonyms", {})  # type: ignore[misc]
            yield from command.commands.items()

    def sections(self) -> dict[str, dict[str, str]]:
        """Its commands by section: fixed ones first, then operations in the order of their table."""
        found = {_COMMANDS: dict(self._about)}
        operations = self._root.operations
        for name, verb in self._root.placed[self.name or ""].items():
            one = operations[verb.operation]
            heading = SECTION_OF_ROOM.get(one.room, _COMMANDS)
            found.setdefault(heading, {})[name] = one.summary
        return found

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name in the group."""
        if cmd_name in self._fixed:
            return self._fixed[cmd_name]()
        verb = self._root.placed[self.name or ""].get(cmd_name)
        if verb is None:
            return None
        line = f"{self.name} {cmd_name}"
        return OperationCommand(self._root.operations[verb.operation], line, verb)


class CallCommand(Guiding):
    """`contextd dev call NAME`: any operation, including those without a command of their own."""

    noun = "operation"

    def __init__(self, line: str, operations: Operations) -> None:
        super().__init__(
            line.rpartition(" ")[2],
            help=CALL_ABOUT,
            subcommand_metavar="NAME [ARGS]...",
            epilog='Example: contextd dev call memory_search --query "token refresh"',
        )
        self._line, self._signatures = line, operations

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All operations by name."""
        return list(self._signatures())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The operation of this name, with dashes or underscores."""
        one = self._signatures().get(cmd_name.replace("-", "_"))
        return OperationCommand(one, f"{self._line} {one.name}") if one else None


def in_a_line(about: str, room: int) -> str:
    """Shorten a summary to at most `room` characters: its first sentence, the part before a colon, or the words
    that fit.
    """
    text = " ".join(about.split()).split(". ")[0].rstrip(".")
    if len(text) <= room:
        return text
    for end in range(room, _LEAST, -1):
        if text[end] in ";:":
            return text[:end]
    return text[: room - 1].rsplit(" ", 1)[0].rstrip(",") + "…"


def _help_command() -> click.Command:
    def show(words: tuple[str, ...]) -> int:
        ctx = click.get_current_context().find_root()
        for word in words:
            if isinstance(ctx.command, click.Group):
                name, command, _ = ctx.command.resolve_command(ctx, [word])
                if command is not None:
                    ctx = click.Context(command, info_name=name, parent=ctx)
        click.echo(ctx.get_help())
        return 0

    def names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        root = ctx.find_root()
        known = root.command.list_commands(root) if isinstance(root.command, click.Group) else []
        return [name for name in known if name.startswith(incomplete)]

    return click.Command(
        "help",
        params=[click.Argument(["words"], nargs=-1, metavar="[COMMAND]...", shell_complete=names)],
        callback=show,
        help=HELP_ABOUT,
    )


def _extra_command(name: str, about: str, run: Extra) -> click.Command:
    return click.Command(
        name,
        params=[click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)],
        callback=lambda arguments: run(arguments),
        context_settings={"ignore_unknown_options": True, "help_option_names": []},
        help=about,
    )


def _show_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"contextd {__version__}")
        ctx.exit()
