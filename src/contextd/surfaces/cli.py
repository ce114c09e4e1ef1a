"""The operations as commands, and the commands only a person needs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from contextd import __version__
from contextd.domain.errors import ContextdError, Invalid, nearest
from contextd.operations.core import OPERATIONS, LocalPath, Operation, find_operation
from contextd.surfaces import cli_commands
from contextd.surfaces.cli_output import Console

DONE, FAILED, USAGE = 0, 1, 2

Extra = Callable[[Sequence[str]], int]
"""A command that the composition root brings along, such as `demo`."""


def main(
    arguments: Sequence[str],
    *,
    load: Callable[[], None],
    standalone: cli_commands.OpenHost,
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
        standalone: cli_commands.OpenHost,
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
        for command in cli_commands.build(standalone):
            self.add_command(command)
        self.add_command(_call_command(load))
        for name, (about, run) in extras.items():
            self.add_command(_extra_command(name, about, run))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, fixed ones first."""
        self._load()
        operations = [
            op.name.replace("_", "-") for op in OPERATIONS.values() if op.audience != "system"
        ]
        return list(dict.fromkeys([*self.commands, *operations]))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; an operation's is made when it is asked for."""
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        self._load()
        op = OPERATIONS.get(cmd_name.replace("-", "_"))
        if op is None or op.audience == "system":
            return None
        return operation_command(op)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest command named when there is none."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            hint = nearest(args[0], self.list_commands(ctx))
            raise click.UsageError(f"no command {args[0]!r}" + (f"; {hint}" if hint else ""), ctx)
        return super().resolve_command(ctx, args)


def operation_command(op: Operation) -> click.Command:
    """An operation as a command: its required arguments in order, the others as options."""
    params: list[click.Parameter] = []
    for name, info in op.arguments.model_fields.items():
        if info.is_required() and not _is_list(info.annotation):
            params.append(click.Argument([name]))
        else:
            params.append(_option(name, info))
    return click.Command(
        op.name.replace("_", "-"),
        params=[*params, *_common(op)],
        callback=lambda **given: _run(op.name, _from_here(op, given)),
        help=op.description,
        short_help=op.summary.split(". ")[0].rstrip("."),
        epilog=f"Example: {_example(op)}",
    )


def _option(name: str, info: Any) -> click.Option:
    flag = "--" + name.replace("_", "-")
    if info.annotation is bool:
        return click.Option([f"{flag}/--no-{flag[2:]}", name], default=None, help=info.description)
    return click.Option(
        [flag, name],
        multiple=_is_list(info.annotation),
        required=info.is_required(),
        help=info.description,
    )


def _is_list(annotation: Any) -> bool:
    return "list[" in str(annotation)


def _common(op: Operation) -> list[click.Parameter]:
    shared: list[click.Parameter] = [
        click.Option(["--json", "as_json"], is_flag=True, help="Print the result as JSON.")
    ]
    if "project" not in op.arguments.model_fields:
        about = "Another project's name."
        shared.append(click.Option(["--project", "in_project"], default="", help=about))
    return shared


def _from_here(op: Operation, given: dict[str, Any]) -> dict[str, Any]:
    """Paths as the daemon must have them, which stands in another directory."""
    return {
        name: str(Path(value).expanduser().absolute()) if value and _is_path(op, name) else value
        for name, value in given.items()
    }


def _is_path(op: Operation, name: str) -> bool:
    info = op.arguments.model_fields.get(name)
    return info is not None and any(isinstance(mark, LocalPath) for mark in info.metadata)


def _run(name: str, given: dict[str, Any]) -> int:
    console = Console(given.pop("as_json"))
    project = given.pop("in_project", "")
    arguments = {k: _value(v) for k, v in given.items() if v not in (None, ())}
    console.show(cli_commands.ask(name, arguments, project=project))
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


def _call_command(load: Callable[[], None]) -> click.Command:
    def run(name: str, arguments: tuple[str, ...]) -> int:
        load()
        op = find_operation(name)
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


def _named_arguments(op: Operation, given: list[str]) -> dict[str, Any] | None:
    """`--name value` pairs, or None when they are in the command's own form."""
    options = [
        click.Option(["--" + name.replace("_", "-"), name], multiple=_is_list(info.annotation))
        for name, info in op.arguments.model_fields.items()
    ]
    command = click.Command(op.name, params=[*options, *_common(op)])
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


def _example(op: Operation) -> str:
    words = ["contextd", op.name.replace("_", "-")]
    for name, info in op.arguments.model_fields.items():
        if info.is_required():
            words.append(f'"{name.replace("_", " ")}"' if not _is_list(info.annotation) else "")
    return " ".join(filter(None, words))


def _show_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"contextd {__version__}")
        ctx.exit()


__all__ = ["main", "operation_command"]
