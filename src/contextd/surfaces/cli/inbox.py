"""The commands `inbox …`: items awaiting review."""

from __future__ import annotations

from typing import Any, ClassVar

import click

from contextd.surfaces.cli.guidance import Guiding
from contextd.surfaces.cli.output import Console, as_json_option, ask
from contextd.surfaces.cli.show import project_option
from contextd.thin.client import Reply
from contextd_common.errors import ContextdError


class _Inbox(Guiding):
    synonyms: ClassVar = {
        "ls": "list",
        "show": "list",
        "keep": "accept",
        "yes": "accept",
        "drop": "reject",
        "no": "reject",
    }


@click.group("inbox", cls=_Inbox, epilog="Example: contextd inbox accept 1a2b3c4d 5e6f7a8b")
def inbox() -> None:
    """List items awaiting your review, and accept or reject them."""


@inbox.command("list", epilog="Example: contextd inbox list --status inbox")
@click.option(
    "--status", default="waiting", help="Only `candidate`, or only `inbox`; `waiting` is both."
)
@click.option("--kind", default="", help="Only this kind.")
@click.option("--limit", default=30, show_default=True, help="How many items at most.")
@project_option
@as_json_option
def inbox_list(status: str, kind: str, limit: int, project: str, as_json: bool) -> int:
    """List items awaiting review, newest first, with the reason for each."""
    given = {"status": status, "kind": kind, "limit": limit}
    Console(as_json).show(ask("inbox", given, project=project))
    return 0


@inbox.command("accept", epilog="Example: contextd inbox accept 1a2b3c4d")
@click.argument("ids", nargs=-1, required=True)
@project_option
@as_json_option
def inbox_accept(ids: tuple[str, ...], project: str, as_json: bool) -> int:
    """Accept items: they are used from now on, on your word. `contextd records undo ID` reverts it."""
    return _settle(ids, "keep", project, as_json)


@inbox.command("reject", epilog="Example: contextd inbox reject 1a2b3c4d")
@click.argument("ids", nargs=-1, required=True)
@project_option
@as_json_option
def inbox_reject(ids: tuple[str, ...], project: str, as_json: bool) -> int:
    """Reject items for good: they do not come back when a session says them again.

    `contextd records undo ID` reverts it.
    """
    return _settle(ids, "drop", project, as_json)


def _settle(ids: tuple[str, ...], verdict: str, project: str, as_json: bool) -> int:
    """Settle each item separately, so that an invalid id does not stop the others."""
    console = Console(as_json)
    done: list[dict[str, Any]] = []
    lines: list[str] = []
    failed = False
    for id in dict.fromkeys(ids):
        try:
            reply = ask("settle_candidate", {"id": id, "verdict": verdict}, project=project)
        except ContextdError as error:
            failed = True
            console.error(error)
            continue
        done.append(reply.value)
        lines.append(reply.text)
    if done:
        console.show(Reply({"settled": done}, "\n".join(lines)))
    return int(failed)
