"""Connect a coding client to contextd, and disconnect it without a trace."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from contextd.clients import CLIENTS, client_named
from contextd.clients.client import Addition, Calling, Client, InstallScope
from contextd.clients.client_versions import too_old
from contextd.clients.config_text import decode, load, naming, real_path
from contextd.clients.edit_receipts import (
    Receipt,
    copy_path,
    forget,
    made_directories,
    missing_directories,
    read_receipt,
    remove_directories,
    write_receipt,
)
from contextd.clients.json_config import KeyPath
from contextd.clients.text_files import OwnFile
from contextd.files.disk import replace_file
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, Invalid, Unavailable

State = Literal["created", "changed", "unchanged", "restored", "removed"]

_CONDITIONAL = {
    "added": "would add", "removed": "would remove", "replaced": "would replace",
    "updated": "would update", "put": "would put", "restored": "would restore",
}  # fmt: skip
"""The wording of a dry run for each change of an installation. Other remarks, such as why a file stays, apply
to both.
"""
_PROGRAM = re.compile(r"(?:.*[/\\])?contextd(?:\.\w+)?")


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result for one file; `changes` in words, or why there are none; `backup` its previous content."""

    path: Path
    state: State
    changes: tuple[str, ...] = ()
    backup: Path | None = None


@dataclass(frozen=True, slots=True)
class InstallReport:
    """The changes of an installation or its removal; with `dry_run`, the changes it would make. `warning` says
    why it will not work as it should.
    """

    client: str
    scope: InstallScope
    dry_run: bool
    files: tuple[FileReport, ...]
    afterwards: str = ""
    warning: str = ""

    @property
    def changed(self) -> bool:
        """Whether any file changed, or would."""
        return any(file.state != "unchanged" for file in self.files)

    def as_text(self) -> str:
        """One line per file, its changes below, and the remaining steps."""
        lines = ["Nothing was written: this is what would happen."] if self.dry_run else []
        return "\n".join([*lines, *self.lines()])

    def lines(self) -> list[str]:
        """The lines of `as_text` about files."""
        lines: list[str] = []
        for file in self.files:
            trial = self.dry_run and file.state != "unchanged"
            lines.append(f"{file.path}: {'would be ' if trial else ''}{file.state}")
            lines += [f"  {self._change(change)}" for change in file.changes]
            lines += [f"  backup: {file.backup}"] if file.backup else []
        lines += [f"warning: {self.warning}"] if self.warning else []
        return lines + ([self.afterwards] if self.afterwards and self.changed else [])

    def _change(self, change: str) -> str:
        verb, _, rest = change.partition(" ")
        return f"{_CONDITIONAL[verb]} {rest}" if self.dry_run and verb in _CONDITIONAL else change


@dataclass(frozen=True, slots=True)
class _Planned:
    """One file to write: `after` None removes it, and its `directories` if they are then empty.

    `copy` is the path of its receipt: `receipt` is written there, or deleted when `undone`.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    copy: Path
    report: FileReport
    receipt: Receipt | None = None
    undone: bool = False
    executable: bool = False
    directories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    """How a client starts contextd. `command` ends with its program, such as `["/opt/bin/contextd"]` or
    `["python", "-m", "contextd"]`; `settings` are active settings that add hooks; `profile` selects the tools
    shown, `status_line` shows our status line. `version` is the client's, empty when it is not known.
    """

    command: Sequence[str]
    settings: frozenset[str] = frozenset()
    profile: str = ""
    status_line: bool = False
    version: str = ""


def install(
    client: str,
    home_dir: Path,
    project_root: Path | None,
    *,
    launch: Launch,
    scope: InstallScope = "user",
    config_dir: Path | None = None,
    backups: Path | None = None,
    dry_run: bool = False,
) -> InstallReport:
    """Add contextd's MCP server, hooks and instructions to a client's files; repeating it changes nothing.

    `config_dir` is the client's configuration directory if the user chose another one.
    The previous content of a file is kept in `backups`, or next to it. Raises `Invalid` when a file has an
    unexpected form, or the client has none for the scope; then no file is changed.
    """
    command = launch.command
    if not command or not _PROGRAM.fullmatch(command[-1]):
        raise Invalid(
            f"{' '.join(command)!r} does not start contextd",
            "give the command line that ends with the program contextd",
        )
    row = client_named(client)
    root = _root(row, scope, project_root)
    calling = Calling(
        row.name,
        tuple(command),
        root or home_dir,
        root is None,
        launch.profile,
        launch.settings,
        row.configuration.hooked(scope),
        row.shared,
        launch.status_line,
        version=launch.version,
    )
    plans = [
        _plan_install(path, parts, row, calling, root, backups)
        for path, parts in files_of(row, home_dir, root, config_dir).items()
    ]
    moved = [
        _plan_uninstall(path, parts, row, root, backups)
        for path, parts in moved_files(row, home_dir, root, config_dir).items()
    ]
    plans += [plan for plan in moved if plan.report.state != "unchanged"]
    report = _carry_out(plans, row, scope, dry_run, row.configuration.afterwards)
    return replace(report, warning=too_old(row, launch.version))


def uninstall(
    client: str,
    home_dir: Path,
    project_root: Path | None,
    *,
    scope: InstallScope = "user",
    config_dir: Path | None = None,
    backups: Path | None = None,
    dry_run: bool = False,
) -> InstallReport:
    """Remove contextd from a client's configuration.

    A file without later changes is restored to the byte, or removed when the installation created it; from any
    other file only our own entries are removed. The arguments are those of `install`.
    """
    row = client_named(client)
    root = _root(row, scope, project_root)
    files = files_of(row, home_dir, root, config_dir, every=True)
    notes = row.configuration.notes
    noted = dict(notes(list(files), home_dir, config_dir)) if notes else {}
    for path in noted.keys() & files.keys():
        files[path].append(noted.pop(path))
    plans = [_plan_uninstall(path, parts, row, root, backups) for path, parts in files.items()]
    plans += [_plan_forgetting(path, part, row) for path, part in noted.items()]
    return _carry_out(plans, row, scope, dry_run)


def files_of(
    client: Client, home: Path, root: Path | None, config: Path | None, *, every: bool = False
) -> dict[Path, list[Addition]]:
    """The client's files that configure contextd, of the project when `root` is given, and the content for
    each; with `every` also under the alternative and the earlier names of such a file.
    """
    found = moved_files(client, home, root, config) if every else {}
    for file in client.configuration.files:
        place = file.place("project" if root else "user")
        if place is None:
            continue
        base, chosen = (root, None) if root else (home, config)
        paths = [place.path(base, chosen)]
        if every:
            paths = [path for path in place.paths(base, chosen) if path.is_file()] or paths
        for path in paths:
            found.setdefault(path, []).append(file.part)
    return found


def moved_files(
    client: Client, home: Path, root: Path | None, config: Path | None
) -> dict[Path, list[Addition]]:
    """The existing files that earlier installations wrote elsewhere, and the content for each."""
    base, chosen = (root, None) if root else (home, config)
    return {
        path: [file.part]
        for file in client.configuration.files
        if (place := file.moved_from("project" if root else "user")) is not None
        and (path := place.path(base, chosen)).is_file()
    }


def _root(client: Client, scope: InstallScope, project_root: Path | None) -> Path | None:
    if not client.configuration.held(scope):
        other = "project" if scope == "user" else "user"
        raise Invalid(
            f"{client.title} has no files of that kind for one {scope}"
            if scope == "project"
            else f"{client.title} has such files in projects only",
            f"try it with --scope {other}",
        )
    if scope == "user":
        return None
    if project_root is None:
        raise Invalid("there is no project to install into", "run it inside a repository")
    return project_root


def _plan_install(
    path: Path,
    parts: Sequence[Addition],
    client: Client,
    calling: Calling,
    root: Path | None,
    backups: Path | None,
) -> _Planned:
    real = real_path(path, root)
    before = load(real)
    given, mark = decode(before, path, parts)
    text, changes = given, list[str]()
    with naming(path):
        for part in parts:
            text, more = part.add(text, calling)
            changes += more
    copy = copy_path(real, client.name, backups)
    if text == given:
        return _Planned(real, before, before, copy, FileReport(path, "unchanged", tuple(changes)))
    after = mark + text.encode()
    state: State = "created" if before is None else "changed"
    receipt = _receipt(
        path,
        before,
        after,
        parts,
        client,
        read_receipt(copy),
        missing_directories(real, made_directories(backups)),
    )
    backup = copy if receipt.before is not None else None
    report = FileReport(path, state, tuple(changes), backup)
    program = before is None and any(part.executable for part in parts)
    return _Planned(real, before, after, copy, report, receipt, executable=program)


def _receipt(
    path: Path,
    before: bytes | None,
    after: bytes,
    parts: Sequence[Addition],
    client: Client,
    old: Receipt | None,
    directories: tuple[str, ...],
) -> Receipt:
    if before is None:
        return Receipt(None, _digest(after), directories)
    if old is not None and old.after == _digest(before):
        return Receipt(old.before, _digest(after), old.directories)
    # It was written since our last edit, or by an installation without a receipt: what
    # an uninstallation should put back is this content, less what is ours.
    bare, mark, changes = _bare(path, before, parts, client.name, _kept(old, path, parts), old)
    if changes and old is not None and old.before is None and _says_nothing(bare):
        return Receipt(None, _digest(after), old.directories)
    return Receipt(mark + bare.encode() if changes else before, _digest(after))


def _plan_uninstall(
    path: Path, parts: Sequence[Addition], client: Client, root: Path | None, backups: Path | None
) -> _Planned:
    real = real_path(path, root)
    before = load(real)
    copy = copy_path(real, client.name, backups)
    old = read_receipt(copy)
    made = old.directories if old is not None else ()

    def plan(after: bytes | None, state: State, *changes: str) -> _Planned:
        report = FileReport(path, state, changes)
        return _Planned(real, before, after, copy, report, undone=True, directories=made)

    if before is None:
        return plan(None, "unchanged")
    if old is not None and old.after == _digest(before):
        if old.before is None:
            return plan(None, "removed", "created by contextd")
        return plan(old.before, "restored", "its earlier content")
    bare, mark, changes = _bare(path, before, parts, client.name, _kept(old, path, parts), old)
    if not changes:
        return plan(before, "unchanged")
    if _says_nothing(bare) and (
        all(isinstance(part, OwnFile) for part in parts)
        or (old is not None and _was_ours(old.before, path, parts))
    ):
        return plan(None, "removed", "nothing of yours was in it")
    return plan(mark + bare.encode(), "changed", *changes)


def _plan_forgetting(path: Path, part: Addition, client: Client) -> _Planned:
    """Remove the client's own notes about our entries from a file that this uninstallation does not otherwise
    change.
    """
    real = real_path(path, None)
    before = load(real)
    bare, mark, changes = _bare(path, before or b"", [part], client.name, frozenset())
    after = mark + bare.encode() if changes else before
    state: State = "changed" if changes else "unchanged"
    return _Planned(real, before, after, real, FileReport(path, state, tuple(changes)))


def _bare(
    path: Path,
    data: bytes,
    parts: Sequence[Addition],
    client: str,
    keep: frozenset[KeyPath],
    old: Receipt | None = None,
) -> tuple[str, bytes, list[str]]:
    """A file's text without our entries, and with the user's own that they replaced, according to the receipt;
    its byte order mark, and what changed.
    """
    text, mark = decode(data, path, parts)
    changes: list[str] = []
    with naming(path):
        if old is not None and old.before is not None:
            earlier, _ = decode(old.before, path, parts)
            for part in parts:
                text, more = part.restored(text, earlier)
                changes += more
        for part in parts:
            text, more = part.without(text, client, keep)
            changes += more
    return text, mark, changes


def _was_ours(before: bytes | None, path: Path, parts: Sequence[Addition]) -> bool:
    """Whether everything in a file came from contextd, for any client."""
    if before is None:
        return True
    text = before
    for client in CLIENTS:
        bare, mark, changes = _bare(path, text, parts, client, frozenset())
        text = mark + bare.encode() if changes else text
    return text != before and _says_nothing(text.decode())


def _says_nothing(text: str) -> bool:
    return "".join(text.split()) in ("", "{}")


def _kept(old: Receipt | None, path: Path, parts: Sequence[Addition]) -> frozenset[KeyPath]:
    if old is None or old.before is None:
        return frozenset()
    text = decode(old.before, path, parts)[0]
    return frozenset().union(*(part.containers(text) for part in parts))


def _carry_out(
    plans: Sequence[_Planned],
    client: Client,
    scope: InstallScope,
    dry_run: bool,
    afterwards: str = "",
) -> InstallReport:
    for plan in plans if not dry_run else ():
        if load(plan.path) != plan.before:
            raise Conflict(
                f"{plan.path} changed while it was being edited", f"close {client.title}, try again"
            )
        if plan.receipt is not None:
            write_receipt(plan.copy, plan.receipt)
        _write(plan)
        if plan.undone:
            forget(plan.copy)
            if plan.after is None:
                remove_directories(plan.directories)
    reports = tuple(plan.report for plan in plans)
    return InstallReport(client.name, scope, dry_run, reports, afterwards)


def _write(plan: _Planned) -> None:
    if plan.after == plan.before:
        return
    if plan.after is not None:
        replace_file(plan.path, plan.after)
        if plan.executable:
            plan.path.chmod(0o755)
        return
    try:
        plan.path.unlink()
    except OSError as error:
        raise Unavailable(
            f"{plan.path} could not be removed: {error.strerror}", "check its permissions"
        ) from error


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
