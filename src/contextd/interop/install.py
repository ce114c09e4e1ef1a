"""Connecting a coding client to contextd, and disconnecting it without a trace."""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from contextd.disk import replace_file, target_inside
from contextd.domain.errors import Conflict, Invalid, TooLarge, Unavailable
from contextd.interop.clients import client_named
from contextd.interop.clients.client import Client, Edit, Reach
from contextd.interop.jsontext import read
from contextd.interop.receipts import (
    Receipt,
    copy_path,
    forget,
    missing_directories,
    read_receipt,
    remove_directories,
    write_receipt,
)

Adding = Callable[[str, Client, Sequence[str]], Edit]

State = Literal["created", "changed", "unchanged", "restored", "removed"]

LARGEST = 64 * 1024 * 1024
"""Bytes a client's configuration file may have."""

_BOM = b"\xef\xbb\xbf"
_PROGRAM = re.compile(r"(?:.*[/\\])?contextd(?:\.\w+)?")


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file; `changes` in words, `backup` what it was before."""

    path: Path
    state: State
    changes: tuple[str, ...] = ()
    backup: Path | None = None


@dataclass(frozen=True, slots=True)
class InstallReport:
    """What an installation or its removal did, or would do when `dry_run`."""

    client: str
    scope: Reach
    dry_run: bool
    files: tuple[FileReport, ...]

    def as_text(self) -> str:
        """One line per file, its changes below."""
        lines = ["Nothing was written: this is what would happen."] if self.dry_run else []
        for file in self.files:
            lines.append(f"{file.path}: {file.state}")
            lines += [f"  {change}" for change in file.changes]
            lines += [f"  as it was: {file.backup}"] if file.backup else []
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Planned:
    """One file to write: `after` None removes it, and with it `directories` that are empty then.

    `copy` is where its receipt lives: `receipt` is written there, or forgotten when `undone`.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    copy: Path
    report: FileReport
    receipt: Receipt | None = None
    undone: bool = False
    directories: tuple[str, ...] = ()


def install(
    client: str,
    home_dir: Path,
    project_root: Path | None,
    *,
    command: Sequence[str],
    scope: Reach = "user",
    config_dir: Path | None = None,
    backups: Path | None = None,
    dry_run: bool = False,
    settings: frozenset[str] = frozenset(),
) -> InstallReport:
    """Add contextd's MCP server and hooks to a client's configuration; again changes nothing.

    `command` starts contextd and ends with its program, such as `["/opt/bin/contextd"]` or
    `["python", "-m", "contextd"]`. `config_dir` is the client's configuration directory where the
    user chose another one; `settings` are those that are on and bring hooks of their own. What a file was before is kept in `backups`, or beside it. Raises
    `Invalid` when a file is not what the client expects; then no file was touched.
    """
    if not command or not _PROGRAM.fullmatch(command[-1]):
        raise Invalid(
            f"{' '.join(command)!r} does not start contextd",
            "give the command line that ends with the program contextd",
        )
    row = client_named(client).telling(settings)
    root = _root(scope, project_root)
    files, codec = row.configured, row.configured.codec
    additions: dict[Path, list[Adding]] = {}
    for path, addition in (
        (files.servers_file(home_dir, root, config_dir), codec.add_server),
        (files.hooks_file(home_dir, root, config_dir), codec.add_hooks),
    ):
        additions.setdefault(path, []).append(addition)
    plans = [
        _plan_install(path, adding, row, command, root, backups)
        for path, adding in additions.items()
    ]
    return _carry_out(plans, row, scope, dry_run)


def uninstall(
    client: str,
    home_dir: Path,
    project_root: Path | None,
    *,
    scope: Reach = "user",
    config_dir: Path | None = None,
    backups: Path | None = None,
    dry_run: bool = False,
) -> InstallReport:
    """Take contextd out of a client's configuration.

    A file that nobody changed since is put back as it was, to the byte, or removed when it was
    made by the installation; in any other only our own entries are removed. The arguments are those
    of `install`.
    """
    row = client_named(client)
    root = _root(scope, project_root)
    files = dict.fromkeys(
        (
            row.configured.servers_file(home_dir, root, config_dir),
            row.configured.hooks_file(home_dir, root, config_dir),
        )
    )
    plans = [_plan_uninstall(path, row, root, backups) for path in files]
    return _carry_out(plans, row, scope, dry_run)


def _root(scope: Reach, project_root: Path | None) -> Path | None:
    if scope == "user":
        return None
    if project_root is None:
        raise Invalid("there is no project to install into", "run it inside a repository")
    return project_root


def _plan_install(
    path: Path,
    adding: Sequence[Adding],
    client: Client,
    command: Sequence[str],
    root: Path | None,
    backups: Path | None,
) -> _Planned:
    real = _real(path, root)
    before = _load(real)
    text, mark = _decode(before, path)
    changes: list[str] = []
    for add in adding:
        with _naming(path):
            text, more = add(text, client, command)
        changes += more
    copy = copy_path(real, client.name, backups)
    if not changes:
        return _Planned(real, before, before, copy, FileReport(path, "unchanged"))
    after = mark + text.encode()
    state: State = "created" if before is None else "changed"
    receipt = _receipt(path, before, after, client, read_receipt(copy), missing_directories(real))
    kept = copy if receipt.before is not None else None
    report = FileReport(path, state, tuple(changes), kept)
    return _Planned(real, before, after, copy, report, receipt)


def _receipt(
    path: Path,
    before: bytes | None,
    after: bytes,
    client: Client,
    old: Receipt | None,
    directories: tuple[str, ...],
) -> Receipt:
    if before is None:
        return Receipt(None, _digest(after), directories)
    if old is not None and old.after == _digest(before):
        return Receipt(old.before, _digest(after), old.directories)
    # Somebody wrote to it since our last edit, or an installation that left no receipt did: what
    # an uninstallation should put back is this content, less what is ours.
    text, mark = _decode(before, path)
    with _naming(path):
        bare, changes = client.configured.codec.without_ours(text, client, _kept(old, path, client))
    return Receipt(mark + bare.encode() if changes else before, _digest(after))


def _plan_uninstall(
    path: Path, client: Client, root: Path | None, backups: Path | None
) -> _Planned:
    real = _real(path, root)
    before = _load(real)
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
            return plan(None, "removed", "contextd had made it")
        return plan(old.before, "restored", "put back as it was")
    text, mark = _decode(before, path)
    with _naming(path):
        bare, changes = client.configured.codec.without_ours(text, client, _kept(old, path, client))
    if not changes:
        return plan(before, "unchanged")
    if old is not None and old.before is None and read(bare) == {}:
        return plan(None, "removed", "nothing of yours was in it")
    return plan(mark + bare.encode(), "changed", *changes)


def _kept(old: Receipt | None, path: Path, client: Client) -> frozenset[tuple[str | int, ...]]:
    if old is None or old.before is None:
        return frozenset()
    return client.configured.codec.containers(_decode(old.before, path)[0], client)


def _carry_out(
    plans: Sequence[_Planned], client: Client, scope: Reach, dry_run: bool
) -> InstallReport:
    for plan in plans if not dry_run else ():
        if _load(plan.path) != plan.before:
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
    return InstallReport(client.name, scope, dry_run, tuple(plan.report for plan in plans))


def _write(plan: _Planned) -> None:
    if plan.after == plan.before:
        return
    if plan.after is not None:
        replace_file(plan.path, plan.after)
        return
    try:
        plan.path.unlink()
    except OSError as error:
        raise Unavailable(
            f"{plan.path} could not be removed: {error.strerror}", "check its permissions"
        ) from error


def _real(path: Path, root: Path | None) -> Path:
    # A user may link a configuration file from anywhere; a repository may not lead out of itself.
    try:
        return path.resolve() if root is None else target_inside(root, path)
    except (OSError, RuntimeError) as error:
        raise Invalid(f"{path} is a link that leads nowhere: {error}", "replace it") from error


def _load(path: Path) -> bytes | None:
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise Invalid(f"{path} is not a file", "move it away and try again")
        if about.st_size > LARGEST:
            raise TooLarge(f"{path} has {about.st_size} bytes", f"at most {LARGEST} are read")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be read: {error.strerror}", "check its permissions"
        ) from error


def _decode(data: bytes | None, path: Path) -> tuple[str, bytes]:
    """The text of a file and the mark it begins with; an empty file counts as an empty object."""
    data = data or b""
    mark = _BOM if data.startswith(_BOM) else b""
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is not UTF-8 text", "save it as UTF-8 and try again") from error
    return (text if text.strip() else "{}\n"), mark


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    try:
        yield
    except Invalid as error:
        raise Invalid(f"{path}: {error.message}", f"{error.hint}; nothing was changed") from error


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
