"""The entry point: parse a command line, run its command, return an exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from contextd.surfaces.cli.commands import Commands, Extra, Operations
from contextd.surfaces.cli.guidance import as_error
from contextd.surfaces.cli.output import Console
from contextd.surfaces.cli.terminal import columns
from contextd.thin.home import home_directory, home_problem
from contextd_common.errors import ContextdError, Invalid, Unavailable

if TYPE_CHECKING:
    from contextd.surfaces.backend import OpenBackend

DONE, FAILED, USAGE = 0, 1, 2
_OF_THE_MACHINE = {
    errno.ENOSPC: "free some space and try again",
    errno.EDQUOT: "free some space and try again",
    errno.EFBIG: "raise the limit of file sizes (`ulimit -f`) and try again",
    errno.EROFS: "choose a place that can be written, such as another CONTEXTD_HOME",
    errno.EACCES: "check who owns it and its permissions",
    errno.EPERM: "check who owns it and its permissions",
}
"""System errors of the machine, with hints. Any other system error is a bug in contextd."""

_NARROWEST, _WIDEST = 50, 80
"""Width of a line of help, like click's."""


def main(
    arguments: Sequence[str],
    *,
    load: Callable[[], None],
    standalone: OpenBackend,
    extras: Mapping[str, tuple[str, Extra]],
    operations: Operations | None = None,
) -> int:
    """Run one command; returns the exit code: 0 done, 1 failed, 2 wrong usage.

    `load` fills the table of operations, if the command is an operation; `standalone` opens a contextd in this
    process, for commands that need no daemon; `operations` are the operations, if they are known already.
    """
    group = Commands(load, standalone, extras, operations)
    console = Console(as_json="--json" in arguments)
    try:
        code = group.main(
            list(arguments),
            prog_name="contextd",
            standalone_mode=False,
            terminal_width=max(_NARROWEST, min(columns(), _WIDEST) - 2),
        )
        return code if isinstance(code, int) else DONE
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        click.echo("stopped", err=True)
        return FAILED
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return USAGE
    except click.UsageError as error:
        console.error(as_error(error))
        return USAGE
    except click.ClickException as error:
        error.show()
        return FAILED
    except ContextdError as error:
        console.error(error)
        return USAGE if isinstance(error, Invalid) else FAILED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        problem, advice = home_problem(home_directory(), error)
        if problem:
            console.error(Unavailable(problem, advice))
            return FAILED
        if error.errno not in _OF_THE_MACHINE:
            raise
        where = f"{error.filename2 or error.filename}: " if error.filename else ""
        console.error(Unavailable(f"{where}{error.strerror}", _OF_THE_MACHINE[error.errno]))
        return FAILED


def refuse(arguments: Sequence[str], error: ContextdError) -> int:
    """Print the error of a command that did not run here; return its exit code."""
    Console(as_json="--json" in arguments).error(error)
    return FAILED
