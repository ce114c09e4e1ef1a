"""Reading a client's configuration files: only ordinary files of UTF-8, and errors that name the file."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from contextd.clients.client import Addition
from contextd.files.disk import target_inside
from contextd_common.errors import Invalid, TooLarge, Unavailable
from contextd_common.files.guarded import read_file

LARGEST = 64 * 1024 * 1024
"""The largest configuration file of a client that is read, in bytes."""

_BOM = b"\xef\xbb\xbf"


def real_path(path: Path, root: Path | None) -> Path:
    """The file behind a path; below `root` if one is given. Raises `Invalid` and `Denied`."""
    # A user may link a configuration file to any path; a link in a repository must not point out of it.
    try:
        return path.resolve() if root is None else target_inside(root, path)
    except (OSError, RuntimeError) as error:
        raise Invalid(f"{path} is a broken symlink: {error}", "replace it") from error


def load(path: Path) -> bytes | None:
    """The content of a file, None without one. Raises `Invalid`, `TooLarge` and `Unavailable`."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise Invalid(f"{path} is not a file", "move it away and try again")
        if about.st_size > LARGEST:
            raise TooLarge(f"{path} has {about.st_size} bytes", f"at most {LARGEST} are read")
        return read_file(path, LARGEST)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be read: {error.strerror}", "check its permissions"
        ) from error


def decode(data: bytes | None, path: Path, parts: Sequence[Addition]) -> tuple[str, bytes]:
    """The text of a file and its byte order mark; an empty file counts as the format's empty document.
    Raises `Invalid`.
    """
    data = data or b""
    mark = _BOM if data.startswith(_BOM) else b""
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is not UTF-8 text", "save it as UTF-8 and try again") from error
    return (text if text.strip() else parts[0].empty or text), mark


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the file's name into the errors of an edit."""
    try:
        yield
    except Invalid as error:
        raise Invalid(f"{path}: {error.message}", f"{error.hint}; nothing was changed") from error
