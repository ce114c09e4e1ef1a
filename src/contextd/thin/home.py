"""The locations of contextd's files on this machine. Standard library only: the thin entry points use it, and
with a `PlainPath` they avoid importing `pathlib`.

Besides `settings`, the only module that reads the environment.
"""

from __future__ import annotations

import errno
import os
import sys

from contextd.thin.plain_json import dumps, object_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any, TypeVar

    AnyPath = Path | str
    Home = TypeVar("Home", Path, "PlainPath")

SOCKET_PATH_LIMIT = 100
"""Maximum bytes of a unix socket's path (the kernel's limit is 108, some systems' 104)."""


class PlainPath(str):
    """A path that is only a string. Importing `pathlib` takes as long as starting Python."""

    __slots__ = ()

    def __truediv__(self, name: str) -> PlainPath:
        return PlainPath(os.path.join(self, name))


def plain_home() -> PlainPath:
    """`$CONTEXTD_HOME`, or the platform's data directory for contextd. Not created here."""
    chosen = os.environ.get("CONTEXTD_HOME")
    if chosen:
        place = _expanded(chosen)
        return place if os.path.isabs(place) else PlainPath(os.getcwd()) / place
    user = _expanded("~")
    if sys.platform == "darwin":
        return user / "Library" / "Application Support" / "contextd"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return PlainPath(local or user / "AppData" / "Local") / "contextd"
    data = os.environ.get("XDG_DATA_HOME")
    return PlainPath(data or user / ".local" / "share") / "contextd"


def home_directory() -> Path:
    """The same as a `Path`, for callers with time to import `pathlib`."""
    return _path(plain_home())


def cache_directory() -> Path:
    """The directory for this user's regenerable files on Linux."""
    return _path(os.environ.get("XDG_CACHE_HOME") or _expanded("~/.cache"))


def first_set(*names: str) -> str:
    """The value of the first of these environment variables that is set, or the empty string."""
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def make_home(home: AnyPath) -> None:
    """Create the home, readable by its owner only."""
    os.makedirs(home, mode=0o700, exist_ok=True)


def close_to_others(home: AnyPath) -> None:
    """Remove other users' permissions from a home that was created with them. A directory with other content
    too, such as a person's own home directory, is left unchanged.
    """
    if is_private(home) and os.stat(home).st_mode & 0o077 and _is_ours(home):
        os.chmod(home, 0o700)


def _is_ours(home: AnyPath) -> bool:
    found = os.listdir(home)
    return not found or ("orgs" in found and "redaction.key" in found)


def socket_path(home: Home) -> Home:
    """The daemon's unix socket: in the home, or in a private temporary directory if that path is too long
    for a socket.
    """
    path = home / "contextd.sock"
    if len(os.fsencode(path)) <= SOCKET_PATH_LIMIT:
        return path
    import tempfile  # noqa: PLC0415 - for the few homes with a long path

    return type(home)(tempfile.gettempdir()) / _private_name(home) / "contextd.sock"


def second_places(home: Home) -> list[Home]:
    """Directories, perhaps on other disks, for files that do not fit into a full home; not created here, and
    not safe to use before `make_private`. Empty on Windows.
    """
    # Not `tempfile`: on a full disk it falls back to the current directory, which is a user's repository.
    places = () if sys.platform == "win32" else ("/dev/shm", "/tmp")
    return [type(home)(place) / _private_name(home) for place in places if os.path.isdir(place)]


def _private_name(home: Home) -> str:
    # This import takes 30 ms of the 50 that a hook may take, and few need it.
    import hashlib  # noqa: PLC0415

    # Normalise the home's path: shim and daemon must compute the same name.
    name = hashlib.blake2b(os.fsencode(os.path.normpath(home)), digest_size=8).hexdigest()
    user = os.getuid() if hasattr(os, "getuid") else 0
    return f"contextd-{user}-{name}"


def make_private(folder: AnyPath) -> None:
    """Create a directory below a shared one. Raises `PermissionError` if another user owns it, because that
    user could read the files in it.
    """
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    if not is_private(folder):
        raise PermissionError(f"{folder} belongs to another user")


def is_private(folder: AnyPath) -> bool:
    """Whether it is a directory of this user, and not a link to one."""
    try:
        about = os.lstat(folder)
    except OSError:
        return False
    mine = not hasattr(os, "getuid") or about.st_uid == os.getuid()
    # `stat.S_ISDIR` without importing `stat`: a link to a directory is not a directory.
    return mine and about.st_mode & 0o170000 == 0o040000


def read_object(path: AnyPath, largest: int) -> dict[str, Any] | None:
    """The JSON object in a small file; None if it has none."""
    try:
        with open(path, "rb") as file:
            content = file.read(largest + 1)
    except OSError:
        return None
    return object_in(content) if len(content) <= largest else None


def write_object(path: AnyPath, value: Mapping[str, Any]) -> None:
    """Replace a small file with a JSON object, readable by its owner only. Raises `OSError`."""
    fresh = f"{os.path.splitext(path)[0]}.{os.getpid()}.tmp"
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(dumps(value))
        os.replace(fresh, path)
    except OSError:
        # On a full disk every attempt would leave a temporary file.
        os.unlink(fresh)
        raise


_CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ELOOP)
_IN_THE_WAY = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR)


def home_problem(home: AnyPath, error: Exception) -> tuple[str, str]:
    """Why the home cannot be used, and what to do, if the error says so: it is read-only, unreadable, or
    something else lies in its place. Two empty texts otherwise, also for a file outside the home.
    """
    number, name = getattr(error, "errno", None), os.fspath(home)
    place = str(getattr(error, "filename", None) or name)
    # /proc and the like: a folder that exists, in which none can be made.
    uncreated = number == errno.ENOENT and name == place
    if number is None or not (number in _CLOSED or number in _IN_THE_WAY or uncreated):
        return "", ""
    is_inside = f"{place}/".startswith(f"{name}/")
    is_above = f"{name}/".startswith(f"{place}/") and not os.path.isdir(name)
    if not is_inside and not is_above:
        return "", ""
    act = f"move {place} away" if number in _IN_THE_WAY else _OPEN_IT
    return (
        f"the home {name} cannot be used: {os.strerror(number)}: {place}",
        f"{act}, or set CONTEXTD_HOME to another folder",
    )


_OPEN_IT = "make the home and its files readable and writable for your user"


LOCAL = "local"
"""The organisation of a user who works on this machine without a server."""


def database_path(home: Path, organisation: str) -> Path:
    """The database file of an organisation; deleting it deletes all of its data."""
    return home / "orgs" / organisation / "contextd.db"


def spool_path(home: Home) -> Home:
    """The file to which hooks append events while no daemon runs."""
    return home / "spool.jsonl"


def unknown_path(home: Home) -> Home:
    """The file of hook events that this version does not know."""
    return home / "spool.unknown.jsonl"


def lock_path(home: Home) -> Home:
    """The file that a running daemon locks."""
    return home / "daemon.lock"


def endpoint_path(home: Home) -> Home:
    """A small JSON file that the daemon writes: pid, version, HTTP port."""
    return home / "daemon.json"


def token_path(home: Home) -> Home:
    """The token of the loopback HTTP port; readable by its owner only."""
    return home / "token"


def log_path(home: Home) -> Home:
    """The daemon's log."""
    return home / "logs" / "daemon.log"


def user_directory() -> Path:
    """The current user's home directory, where clients store settings for all projects."""
    return _path(_expanded("~"))


def directory_from(variable: str) -> Path | None:
    """The directory an environment variable names, such as a client's own; None when unset."""
    value = os.environ.get(variable, "")
    return _path(_expanded(value)) if value else None


def _path(text: str) -> Path:
    from pathlib import Path  # noqa: PLC0415 - see `PlainPath`

    return Path(text)


def _expanded(path: str) -> PlainPath:
    """Like `Path.expanduser`, with its error if the home directory cannot be found."""
    expanded = os.path.expanduser(path)
    if expanded.startswith("~"):
        raise RuntimeError("could not determine the home directory; set CONTEXTD_HOME")
    return PlainPath(expanded)
