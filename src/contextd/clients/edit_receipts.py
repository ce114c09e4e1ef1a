"""Receipts: a file's content before contextd edited it, so that an uninstallation can restore it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from contextd.domain.records import digest
from contextd.files.disk import replace_file
from contextd_common.dataclass import dataclass
from contextd_common.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Receipt:
    """One edited file: `before` is its content without our entries, None when the file did not exist; `after`
    the digest of what we wrote; `directories` those created for it, innermost first.
    """

    before: bytes | None
    after: str
    directories: tuple[str, ...] = ()


def copy_path(file: Path, client: str, backups: Path | None) -> Path:
    """The path of the copy made before our first edit: in `backups`, or next to the file."""
    if backups is None:
        return file.with_name(f"{file.name}.before-contextd-{client}")
    return backups / client / f"{digest(str(file))[:12]}-{file.name}"


def read_receipt(copy: Path) -> Receipt | None:
    """The receipt stored with `copy`; None without a readable one."""
    try:
        noted = json.loads(_note(copy).read_text("utf-8"))
        before = copy.read_bytes() if noted["existed"] else None
        return Receipt(before, str(noted["after"]), tuple(map(str, noted["directories"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_receipt(copy: Path, receipt: Receipt) -> None:
    """Store `receipt`, readable by its owner only: configuration may contain keys."""
    if receipt.before is not None:
        _write_private(copy, receipt.before)
    note = {
        "existed": receipt.before is not None,
        "after": receipt.after,
        "directories": list(receipt.directories),
    }
    _write_private(_note(copy), json.dumps(note, indent=2).encode() + b"\n")


def forget(copy: Path) -> None:
    """Remove a receipt and its copy."""
    for path in (copy, _note(copy)):
        with suppress(FileNotFoundError):
            path.unlink()


def missing_directories(file: Path, made: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The directories above `file` that do not exist yet, or that we `made`, innermost first."""
    parents = [(str(parent), parent) for parent in file.parents]
    return tuple(name for name, parent in parents if name in made or not parent.exists())


def made_directories(backups: Path | None) -> frozenset[str]:
    """The directories created by installations of all clients: the last uninstallation removes them."""
    made: set[str] = set()
    for note in backups.glob("*/*.json") if backups is not None else ():
        with suppress(OSError, ValueError, KeyError, TypeError):
            noted = json.loads(note.read_text("utf-8"))
            made.update(map(str, noted["directories"]) if "after" in noted else ())
    return frozenset(made)


def remove_directories(directories: Sequence[str]) -> None:
    """Remove these directories if they are empty."""
    with suppress(OSError):
        for directory in directories:
            Path(directory).rmdir()


def _note(copy: Path) -> Path:
    return copy.with_name(copy.name + ".json")


def _write_private(path: Path, data: bytes) -> None:
    # An existing file keeps its permissions when it is replaced, so it is made private first.
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
    except OSError as error:
        raise Unavailable(
            f"no backup could be written to {path.parent}: {error.strerror or error}",
            "make it writable; nothing was changed",
        ) from error
    replace_file(path, data)
