"""Where contextd keeps things on this machine. Standard library only: the thin entry points use it.

Besides `settings`, the only module that reads the environment.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SOCKET_PATH_LIMIT = 100
"""Bytes a unix socket's path may have (the kernel's limit is 108, some systems' 104)."""


def home_directory() -> Path:
    """`$CONTEXTD_HOME`, or the platform's data directory for contextd. Not created here."""
    chosen = os.environ.get("CONTEXTD_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "contextd"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local or Path.home() / "AppData" / "Local") / "contextd"
    data = os.environ.get("XDG_DATA_HOME")
    return Path(data or Path.home() / ".local" / "share") / "contextd"


def cache_directory() -> Path:
    """Where programs of this user on Linux leave what can be made again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def first_set(*names: str) -> str:
    """The value of the first of these environment variables that is set, or the empty string."""
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def make_home(home: Path) -> None:
    """Create the home, readable by its owner only."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)


def socket_path(home: Path) -> Path:
    """The daemon's unix socket: in the home, or in a private temporary directory when that path is
    too long for a socket.
    """
    path = home / "contextd.sock"
    if len(os.fsencode(path)) <= SOCKET_PATH_LIMIT:
        return path
    # 30 ms of the 80 that a hook takes to start, for the few homes with a long path.
    import hashlib  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    name = hashlib.blake2b(os.fsencode(home), digest_size=8).hexdigest()
    user = os.getuid() if hasattr(os, "getuid") else 0
    return Path(tempfile.gettempdir()) / f"contextd-{user}-{name}" / "contextd.sock"


def read_object(path: Path, largest: int) -> dict[str, Any] | None:
    """The JSON object in a small file; None where none can be read."""
    try:
        with path.open("rb") as file:
            content = file.read(largest + 1)
        value = json.loads(content) if len(content) <= largest else None
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def write_object(path: Path, value: Mapping[str, Any]) -> None:
    """Replace a small file by a JSON object, readable by its owner only. Raises `OSError`."""
    fresh = path.with_suffix(f".{os.getpid()}.tmp")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        json.dump(value, file)
    fresh.replace(path)


LOCAL = "local"
"""The organisation of whoever works on this machine without a server."""


def database_path(home: Path, organisation: str) -> Path:
    """The database of an organisation: dropping it is dropping all of its data."""
    return home / "orgs" / organisation / "contextd.db"


def spool_path(home: Path) -> Path:
    """Where hooks leave what no daemon was there to take."""
    return home / "spool.jsonl"


def unknown_path(home: Path) -> Path:
    """Where hook events wait that this version does not know."""
    return home / "spool.unknown.jsonl"


def lock_path(home: Path) -> Path:
    """The file whose lock says that a daemon lives."""
    return home / "daemon.lock"


def endpoint_path(home: Path) -> Path:
    """A small JSON file the daemon writes: pid, version, HTTP port."""
    return home / "daemon.json"


def token_path(home: Path) -> Path:
    """The token of the loopback HTTP port; readable by its owner only."""
    return home / "token"


def log_path(home: Path) -> Path:
    """The daemon's log."""
    return home / "logs" / "daemon.log"


def user_directory() -> Path:
    """The directory of the person who runs this, where their clients keep what holds for all projects."""
    return Path.home()


def directory_from(variable: str) -> Path | None:
    """The directory an environment variable names, such as a client's own; None when unset."""
    value = os.environ.get(variable, "")
    return Path(value).expanduser() if value else None
