"""`contextd import`: find data, confirm, import it, and report the result."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from contextd.domain.invisible_characters import visible_text
from contextd.runtime.runtime import Request
from contextd.surfaces.cli.home import start_quietly
from contextd.surfaces.cli.output import Console, Progress, as_json_option
from contextd.surfaces.cli.show import project_option
from contextd.thin.client import Reply
from contextd_common.errors import ContextdError, Invalid

if TYPE_CHECKING:
    from contextd.surfaces.backend import Backend, OpenBackend

_LATEST = "latest"


@click.command("import", epilog="Example: contextd import --dry-run")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--all", "everywhere", is_flag=True, help="For every project on this machine.")
@click.option("--dry-run", is_flag=True, help="Only report what would happen.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--format", default="", help="The format's name; found from the file when empty.")
@click.option("--here", is_flag=True, help="Import items of unknown projects into this one.")
@click.option(
    "--mine",
    is_flag=True,
    help="A bundle is your own backup: its rules apply at once, and your words in it count as yours.",
)
@click.option("--list", "listed", is_flag=True, help="List what was imported.")
@click.option(
    "--undo",
    is_flag=False,
    flag_value=_LATEST,
    metavar="[ID]",
    help="Undo an import, the latest when no id is given.",
)
@click.option("--no-daemon", is_flag=True, help="Do not start the daemon to learn from the import.")
@project_option
@as_json_option
@click.pass_obj
def import_(standalone: OpenBackend, /, paths: tuple[Path, ...], **options: Any) -> int:
    """Import data from other tools: old sessions, memory tools, files for agents.

    PATHS are files or folders. Without PATHS, contextd looks for data of this project. Importing
    again adds nothing.
    """
    # In this process: reading may take minutes, and it shows progress.
    backend = standalone()
    try:
        return _Importing(backend, Console(options.pop("as_json")), options).run(paths)
    finally:
        backend.close()
        if not options.get("no_daemon") and options.get("wrote"):
            start_quietly()


class _Importing:
    def __init__(self, backend: Backend, console: Console, options: dict[str, Any]) -> None:
        self._backend, self._console, self._options = backend, console, options
        self._everywhere = {"everywhere": options["everywhere"]}

    def run(self, paths: tuple[Path, ...]) -> int:
        """Run the import that the options describe; return the exit code."""
        options = self._options
        if options["listed"]:
            self._console.show(self._call("list_imports", self._everywhere))
            return 0
        if options["undo"] is not None:
            id = "" if options["undo"] == _LATEST else options["undo"]
            self._console.show(self._call("undo_import", {"id": id, **self._everywhere}))
            return 0
        if paths:
            return self._named(paths)
        return self._found()

    def _named(self, paths: tuple[Path, ...]) -> int:
        """Import each path separately, so that an invalid one does not stop the others."""
        replies: list[Reply] = []
        failed: list[ContextdError] = []
        shared = {name: self._options[name] for name in ("format", "dry_run", "here", "mine")}
        for path in paths:
            try:
                replies.append(self._call("import", {"path": str(path.absolute()), **shared}))
            except ContextdError as error:
                failed.append(error)
                if len(paths) > 1:
                    self._console.error(error)
        if failed and len(paths) == 1:
            raise failed[0]
        self._options["wrote"] = any(r.value["new"] or r.value["updated"] for r in replies)
        values: Any = [reply.value for reply in replies]
        value = values[0] if len(paths) == 1 else {"imports": values}
        self._console.show(Reply(value, "\n".join(reply.text for reply in replies)))
        return int(bool(failed))

    def _found(self) -> int:
        dry = self._options["dry_run"]
        if not dry and not self._options["yes"] and not self._agreed():
            return 1
        reply = self._call("import_found", {**self._everywhere, "dry_run": dry})
        self._options["wrote"] = not dry and (reply.value["new"] or reply.value["updated"])
        self._console.show(reply)
        return 0

    def _agreed(self) -> bool:
        """List the data found, and ask on a terminal; elsewhere raise an error with the option to use."""
        found = self._call("import_sources", self._everywhere)
        if not found.value["formats"]:
            self._console.show(found)
            return False
        if not sys.stdin.isatty():
            raise Invalid(
                "no terminal to ask on",
                "add --yes to import it, or --dry-run to preview",
            )
        click.echo(visible_text(found.text))
        return click.confirm("Import it?", default=True)

    def _call(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        progress = Progress()
        request = Request(
            surface="cli",
            caller=self._backend.door.caller("cli"),
            cwd=str(Path.cwd()),
            project=self._options["project"],
            client="cli",
            alone=True,
            progress=progress,
        )
        try:
            answer = self._backend.call(name, request, arguments)
        finally:
            progress.finish()
        return Reply(answer.value, answer.text)
