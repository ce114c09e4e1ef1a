"""The operations as commands, and the commands only a person needs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from contextd import __version__
from contextd.domain.errors import ContextdError, Invalid, NotFound, nearest
from contextd.home import home_directory
from contextd.surfaces.cli.output import Console, ask
from contextd.surfaces.cli.signatures import Parameter, Signature, signatures

if TYPE_CHECKING:
    from contextd.surfaces.backend import OpenBackend

DONE, FAILED, USAGE = 0, 1, 2

FIXED = {
    "init": "home",
    "show": "daemon",
    "install": "clients",
    "uninstall": "clients",
    "daemon": "daemon",
    "dashboard": "daemon",
    "restore": "home",
    "config": "config",
    "mcp": "daemon",
    "hook": "daemon",
}
"""Commands that are not operations, and the module that builds each: what one of them imports, the
others do not wait for."""

SHORT = {"schema": "describe_schema"}
"""What people type for an operation."""

Extra = Callable[[Sequence[str]], int]
"""A command that the composition root brings along, such as `demo`."""


def main(
    arguments: Sequence[str],
    *,
    load: Callable[[], None],
    standalone: OpenBackend,
    extras: Mapping[str, tuple[str, Extra]],
) -> int:
    """Run one command; returns the exit code: 0 done, 1 failed, 2 wrong usage.

    `load` fills the table of operations, when the command turns out to be one of them; `standalone`
    opens a contextd in this process, for commands that need no daemon.
    """
    group = Commands(load, standalone, extras)
    try:
        code = group.main(list(arguments), prog_name="contextd", standalone_mode=False)
        return code if isinstance(code, int) else DONE
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        click.echo("stopped", err=True)
        return FAILED
    except click.UsageError as error:
        error.show()
        return USAGE
    except click.ClickException as error:
        error.show()
        return FAILED
    except ContextdError as error:
        console = Console(as_json="--json" in arguments)
        console.error(error)
        return USAGE if isinstance(error, Invalid) else FAILED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


class Commands(click.Group):
    """Fixed commands first, then every operation under its name with dashes."""

    def __init__(
        self,
        load: Callable[[], None],
        standalone: OpenBackend,
        extras: Mapping[str, tuple[str, Extra]],
    ) -> None:
        super().__init__(
            "contextd",
            help=(
                "The context and memory runtime of AI coding agents.\n\n"
                "Start with `contextd init` in a repository, then `contextd install claude-code`."
            ),
            epilog="Example: contextd init && contextd install claude-code",
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
        self.add_command(_call_command(lambda: self._operations))
        for name, (about, run) in extras.items():
            self.add_command(_extra_command(name, about, run))

    @cached_property
    def _operations(self) -> dict[str, Signature]:
        return signatures(home_directory(), self._load)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, fixed ones first."""
        operations = [one.name.replace("_", "-") for one in self._operations.values() if one.listed]
        return list(dict.fromkeys([*FIXED, *self.commands, *operations]))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; it is made when it is asked for."""
        if cmd_name in FIXED and cmd_name not in self.commands:
            module = import_module(f"contextd.surfaces.cli.{FIXED[cmd_name]}")
            for command in module.build(self._standalone):
                self.add_command(command)
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        one = self._operations.get(SHORT.get(cmd_name) or cmd_name.replace("-", "_"))
        return operation_command(one) if one is not None and one.listed else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest command named when there is none."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            known = self.list_commands(ctx)
            longer = [name for name in known if name.startswith(f"{args[0]}-")]
            hint = f"there is {', '.join(longer)}" if longer else nearest(args[0], known)
            raise click.UsageError(f"no command {args[0]!r}" + (f"; {hint}" if hint else ""), ctx)
        return super().resolve_command(ctx, args)


def operation_command(op: Signature) -> click.Command:
    """An operation as a command: its required arguments in order, the others as options."""
    params: list[click.Parameter] = []
    for one in op.parameters:
        if one.required and one.kind != "list":
            params.append(click.Argument([one.name]))
        else:
            params.append(_option(one))
    return click.Command(
        op.name.replace("_", "-"),
        params=[*params, _as_json()],
        callback=lambda **given: _run(op.name, _from_here(op, given)),
        help=op.description,
        short_help=op.summary.split(". ")[0].rstrip("."),
        epilog=f"Example: {_example(op)}",
    )


def _option(one: Parameter) -> click.Option:
    flag = "--" + one.name.replace("_", "-")
    if one.kind == "flag":
        return click.Option([f"{flag}/--no-{flag[2:]}", one.name], default=None, help=one.help)
    return click.Option(
        [flag, one.name], multiple=one.kind == "list", required=one.required, help=one.help
    )


def _as_json() -> click.Option:
    return click.Option(["--json", "as_json"], is_flag=True, help="Print the result as JSON.")


def _from_here(op: Signature, given: dict[str, Any]) -> dict[str, Any]:
    """Paths as the daemon must have them, which stands in another directory."""
    paths = {one.name for one in op.parameters if one.path}
    return {
        name: str(Path(value).expanduser().absolute()) if value and name in paths else value
        for name, value in given.items()
    }


def _run(name: str, given: dict[str, Any]) -> int:
    console = Console(given.pop("as_json"))
    arguments = {k: _value(v) for k, v in given.items() if v not in (None, ())}
    console.show(ask(name, arguments))
    return DONE


def _value(value: Any) -> Any:
    """An option's text as a value: JSON where it is an object or a list, `@file` is read."""
    if isinstance(value, tuple):
        return [_value(part) for part in value]
    if isinstance(value, str) and value[:1] in "{[" and value[-1:] in "}]":
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _call_command(operations: Callable[[], Mapping[str, Signature]]) -> click.Command:
    def run(name: str, arguments: tuple[str, ...]) -> int:
        known = operations()
        op = known.get(name.replace("-", "_"))
        if op is None:
            hint = nearest(name, list(known)) or "`contextd tools-list` names them all"
            raise NotFound(f"no operation {name!r}", hint)
        named = _named_arguments(op, list(arguments))
        if named is not None:
            return _run(op.name, _from_here(op, named))
        command = operation_command(op)
        with command.make_context(f"contextd call {name}", [*map(_dashed, arguments)]) as ctx:
            return int(command.invoke(ctx) or DONE)

    return click.Command(
        "call",
        params=[
            click.Argument(["name"]),
            click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED),
        ],
        callback=run,
        context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
        help="Call any operation: contextd call NAME --argument value.",
        epilog='Example: contextd call memory_search --query "token refresh"',
    )


def _named_arguments(op: Signature, given: list[str]) -> dict[str, Any] | None:
    """`--name value` pairs, or None when they are in the command's own form."""
    options = [
        click.Option(["--" + one.name.replace("_", "-"), one.name], multiple=one.kind == "list")
        for one in op.parameters
    ]
    command = click.Command(op.name, params=[*options, _as_json()])
    dashed = [_dashed(word) for word in given]
    try:
        return dict(command.make_context(op.name, dashed).params)
    except click.UsageError:
        return None


def _dashed(word: str) -> str:
    name, equals, value = word.partition("=")
    return name.replace("_", "-") + equals + value if word.startswith("--") else word


def _extra_command(name: str, about: str, run: Extra) -> click.Command:
    return click.Command(
        name,
        params=[click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)],
        callback=lambda arguments: run(arguments),
        context_settings={"ignore_unknown_options": True, "help_option_names": []},
        help=about,
    )


def _example(op: Signature) -> str:
    words = ["contextd", op.name.replace("_", "-")]
    for one in op.parameters:
        if one.required and one.kind != "list":
            words.append(f'"{one.name.replace("_", " ")}"')
    return " ".join(words)


def _show_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"contextd {__version__}")
        ctx.exit()


__all__ = ["main", "operation_command"]
