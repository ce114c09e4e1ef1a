"""Every command there is, made when it is asked for, and listed in groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from contextd import __version__
from contextd.surfaces.cli.guidance import Guiding
from contextd.surfaces.cli.operations import OperationCommand
from contextd.surfaces.cli.signatures import Signature, signatures
from contextd.surfaces.cli.table import (
    CALL_ABOUT,
    FIXED,
    GROUP_OF_ROOM,
    GROUPS,
    HELP_ABOUT,
    SET_APART,
    SYNONYMS,
    VERBS,
)
from contextd.thin.home import home_directory

if TYPE_CHECKING:
    from contextd.surfaces.backend import OpenBackend

Extra = Callable[[Sequence[str]], int]
"""A command that the composition root brings along, such as `demo`."""

ABOUT = """The context and memory runtime of AI coding agents.

\b
Start with `contextd init` in a repository, then
`contextd install`.
"""
EXIT_CODES = "Exit codes: 0 done, 1 failed, 2 wrong usage. Every command takes --help."
_LEAST = 15
"""Characters of a summary that say enough without what stands behind the colon."""


class Commands(Guiding):
    """Everyday verbs and fixed commands, then every operation under its name with dashes."""

    synonyms = SYNONYMS

    def __init__(
        self,
        load: Callable[[], None],
        standalone: OpenBackend,
        extras: Mapping[str, tuple[str, Extra]],
    ) -> None:
        super().__init__(
            "contextd",
            help=ABOUT,
            epilog=f"{EXIT_CODES}\n\nExample: contextd init && contextd install",
            context_settings={"help_option_names": ["-h", "--help"]},
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
        self._load = load
        self._standalone = standalone
        self.add_command(_help_command())
        self.add_command(CallCommand(lambda: self._operations))
        for name, (about, run) in extras.items():
            self.add_command(_extra_command(name, about, run))

    @cached_property
    def _operations(self) -> dict[str, Signature]:
        return signatures(home_directory(), self._load)

    @cached_property
    def listed(self) -> dict[str, dict[str, str]]:
        """Every command by the key of its group, with what it does, in the order they are shown in."""
        groups: dict[str, dict[str, str]] = {key: {} for key in GROUPS}
        for name, verb in VERBS.items():
            groups[verb.group][name] = self._operations[verb.operation].summary
        for name, fixed in FIXED.items():
            groups[fixed.group][name] = fixed.about
        for name, command in self.commands.items():
            if name not in FIXED:
                groups["tools"][name] = command.short_help or command.help or ""
        for one in self._operations.values():
            if one.listed and one.command not in (*VERBS, *FIXED):
                room = GROUP_OF_ROOM.get(one.room, one.room)
                group = SET_APART.get(one.name, room)
                groups.setdefault(group, {})[one.command] = one.summary
        return groups

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of their groups."""
        return [name for commands in self.listed.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; it is made when it is asked for."""
        if cmd_name in FIXED and cmd_name not in self.commands:
            module = import_module(f"contextd.surfaces.cli.{FIXED[cmd_name].module}")
            for command in module.build(self._standalone):
                self.add_command(command)
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        if verb := VERBS.get(cmd_name):
            return OperationCommand(self._operations[verb.operation], cmd_name, verb)
        one = self._operations.get(cmd_name.replace("-", "_"))
        return OperationCommand(one) if one is not None and one.listed else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A section per group, a line per command."""
        widest = max(len(name) for commands in self.listed.values() for name in commands)
        room = formatter.width - widest - 4
        for key, commands in self.listed.items():
            if commands:
                with formatter.section(GROUPS.get(key, key.capitalize())):
                    rows = [(name, in_a_line(about, room)) for name, about in commands.items()]
                    formatter.write_dl([(name.ljust(widest), about) for name, about in rows])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The commands that begin so, without making any of them."""
        found = [
            CompletionItem(name, help=in_a_line(about, 80))
            for commands in self.listed.values()
            for name, about in commands.items()
            if name.startswith(incomplete)
        ]
        return found or click.Command.shell_complete(self, ctx, incomplete)


class CallCommand(Guiding):
    """`contextd call NAME`: any operation, also those that have no command of their own."""

    noun = "operation"

    def __init__(self, operations: Callable[[], Mapping[str, Signature]]) -> None:
        super().__init__(
            "call",
            help=CALL_ABOUT,
            subcommand_metavar="NAME [ARGS]...",
            epilog='Example: contextd call memory_search --query "token refresh"',
        )
        self._signatures = operations

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every operation by its name."""
        return list(self._signatures())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The operation of this name, with dashes or without."""
        one = self._signatures().get(cmd_name.replace("-", "_"))
        return OperationCommand(one, one.name) if one else None


def in_a_line(about: str, room: int) -> str:
    """A summary in at most `room` characters: its first sentence, that up to a colon, or the words that
    fit.
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
