"""The daemon's socket, from the client's side: lines of JSON both ways after a preamble line.

Preamble: `{"v":1,"role":"mcp"|"call"|"command"|"hook"|"control","cwd","client","profile","version","pid",
"ppid","ancestors"}`; of `mcp` also `"conversation"`, which identifies it across restarts of the daemon, and
`"repeats"`, the ids of requests that were running at the last restart. After the preamble `mcp` is MCP's own
JSON-RPC by lines. The other roles send one object per line and get one back; `call` and `command` first
receive `{"welcome":…}`, before any of their requests runs. Standard library only, and light: shim and hook
wait for these imports.
"""

from __future__ import annotations

import _socket as socket  # the half in C: the one in Python imports `enum` and `selectors`
import _thread
import os
import sys
import time

from contextd import __version__
from contextd.thin.home import endpoint_path, lock_path, log_path, socket_path, token_path
from contextd.thin.plain_json import dumps, object_in
from contextd.thin.spawn import (
    check_directory,
    has_exited,
    is_alive,
    is_foreign,
    start_daemon,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from contextd.thin.home import AnyPath, Home

PROTOCOL = 1
"""Version of the preamble and of the lines after it."""
_ANCESTORS = 16
_FOREIGN_SECONDS = 1.5
"""Seconds after which a lock that contextd does not hold is reported. The file names the last process for some
microseconds after it is locked, and does not name a daemon of an older version, which starts within a second.
"""
_HIDDEN_SECONDS = 5.0
"""Seconds after which a running daemon without a socket is given up: it looks for its own every second."""


class Channel:
    """One connection. `socket` may be used directly once `take` has returned the buffered input."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._ahead = b""

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one line. Raises `OSError` if the daemon is gone or does not read in time."""
        self.socket.sendall(dumps(message).encode() + b"\n")

    def receive(self, timeout: float | None = None) -> dict[str, Any]:
        """Read one line. Raises `TimeoutError`, after which it can be called again for the same line,
        `ConnectionError` if the daemon closed the connection, and `ValueError` for a line that is not a JSON
        object.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        pieces = [self._ahead]
        try:
            while b"\n" not in pieces[-1]:
                if deadline is not None:
                    self.socket.settimeout(max(0.001, deadline - time.monotonic()))
                piece = self.socket.recv(1 << 16)
                if not piece:
                    raise ConnectionResetError("the daemon closed the connection")
                pieces.append(piece)
        finally:
            self._ahead = b"".join(pieces)
        line, _, self._ahead = self._ahead.partition(b"\n")
        answer = object_in(line)
        if answer is None:
            raise ValueError("the daemon's answer is not a JSON object")
        return answer

    def close(self) -> None:
        """Hang up."""
        self.socket.close()

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class DaemonEnded(ConnectionError):
    """The daemon that was started for this connection has ended; the text says why."""


class DaemonStuck(ConnectionError):
    """No daemon will answer until a person acts; `hint` says how."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(text)
        self.hint = hint


def obstacle(home: Home) -> DaemonStuck | None:
    """What keeps the daemon from answering, if that is known: another program holds its lock, or a signal
    stopped its process, which only /proc tells.
    """
    if is_foreign(home):
        path = lock_path(home)
        return DaemonStuck(
            f"another program holds the lock {path}, and no daemon runs",
            f"end that program (`fuser {path}` finds it), or delete the file",
        )
    pid = read_endpoint(home).get("pid")
    if isinstance(pid, int) and _state(pid) in (b"T", b"t") and is_alive(home):
        return DaemonStuck(
            f"a signal stopped the daemon (process {pid})",
            f"`kill -CONT {pid}` lets it run again; `kill -9 {pid}` ends it, and the next call starts another",
        )
    return None


def connect(
    home: Home,
    role: str,
    *,
    cwd: str = "",
    client: str = "",
    profile: str = "",
    start: bool = True,
    timeout: float = 20.0,
    version: str = __version__,
    **further: Any,
) -> Channel:
    """Connect to the home's daemon and send the preamble, with any `further` fields.

    With `start` a missing daemon is started and an older one is replaced. Raises `OSError`: at once without
    `start`, otherwise if the daemon does not answer within `timeout` seconds or cannot run.
    """
    deadline = time.monotonic() + timeout
    if start:
        _replace_older(home, version, deadline)
    about = {"client": client, "profile": profile, "version": version, **further}
    while True:
        channel = Channel(_met(home, start, timeout, deadline))
        try:
            channel.send(preamble(home, role, cwd=cwd, **about))
        except OSError:
            # The socket of a stopping daemon may still accept a connection.
            channel.close()
            if not start or time.monotonic() > deadline:
                raise
        else:
            return channel


def _met(home: Home, start: bool, timeout: float, deadline: float) -> socket.socket:
    """A connection without a preamble; with `start` a daemon is started if none listens."""
    connection = dial(home, timeout)
    began, child, pause = time.monotonic(), None, 0.005
    while connection is None:
        if not start:
            raise ConnectionRefusedError("no daemon is running")
        code = has_exited(child) if child else 0
        if code:
            raise DaemonEnded(f"the daemon ended: {last_words(home)} (see {log_path(home)})")
        if code is not None:
            child = start_daemon(home)
        if time.monotonic() > deadline:
            raise TimeoutError(f"no daemon within {timeout:g} s; see {log_path(home)}")
        waited = time.monotonic() - began
        if (
            child is None
            and waited > _FOREIGN_SECONDS
            and is_foreign(home)
            and (why := obstacle(home))
        ):
            raise why
        if child is None and waited > _HIDDEN_SECONDS and _is_hidden(home):
            raise TimeoutError(
                f"its socket is gone and it opens no other; end the process, and see {log_path(home)}"
            )
        time.sleep(pause)
        # A look costs 20 µs, and a start 0.4 s.
        pause = min(0.02, pause * 1.5)
        connection = dial(home, timeout)
    return connection


def _is_hidden(home: Home) -> bool:
    """Whether a daemon runs that has told its port and therefore listened before."""
    return "port" in read_endpoint(home) and is_alive(home)


class Meeting:
    """A connection to the daemon that is made in the background, because the daemon may have to be started."""

    def __init__(self, meet: Callable[[], socket.socket]) -> None:
        self._meet = meet
        self._met: socket.socket | Exception | None = None
        self.bell, self._ringer = os.pipe()
        # `threading` would be another module to import in every window.
        _thread.start_new_thread(self._run, ())

    def _run(self) -> None:
        try:
            self._met = self._meet()
        except Exception as error:  # noqa: BLE001  raised where the daemon is waited for
            self._met = error
        os.close(self._ringer)

    def end(self) -> socket.socket:
        """The connection, once `bell` is readable. Raises the error of connecting."""
        os.close(self.bell)
        if isinstance(self._met, socket.socket):
            return self._met
        raise self._met or ConnectionError("the daemon was not reached")


def dial(home: Home, timeout: float) -> socket.socket | None:
    """A connected socket without a preamble, or `None` if no daemon listens."""
    if sys.platform == "win32":
        port = read_endpoint(home).get("tcp_port")
        family, address = socket.AF_INET, ("127.0.0.1", port)
        if not isinstance(port, int):
            return None
    else:
        path = str(socket_path(home))
        if os.path.dirname(path) != os.fspath(home):
            # Not in the home, because of its length: the daemon may have another temporary directory.
            published = read_endpoint(home).get("socket")
            if isinstance(published, str) and os.path.exists(published):
                path = published
        family, address = socket.AF_UNIX, path
    connection = socket.socket(family, socket.SOCK_STREAM)
    connection.settimeout(timeout)
    try:
        if sys.platform != "win32" and os.path.dirname(path) != os.fspath(home):
            check_directory(os.path.dirname(path))
        connection.connect(address)
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    except BaseException:
        connection.close()
        raise
    return connection


def preamble(home: Home, role: str, *, cwd: str = "", **about: Any) -> dict[str, Any]:
    """The first line of a connection. With `ancestors` the daemon can match a hook and a shim of one client."""
    line = {
        "v": PROTOCOL,
        "role": role,
        **about,
        "cwd": cwd or working_directory(),
        "pid": os.getpid(),
        "ppid": os.getppid(),
        "ancestors": ancestors(),
    }
    if sys.platform == "win32":
        line["token"] = _content(token_path(home)).decode().strip()
    return line


def working_directory() -> str:
    """The current directory, or the empty string when it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def ancestors() -> list[int]:
    """Process ids from the parent upwards; only the parent where there is no /proc."""
    chain = [os.getppid()]
    while len(chain) < _ANCESTORS and chain[-1] > 1:
        try:
            chain.append(int(_status(chain[-1])[1]))
        except (OSError, ValueError, IndexError):
            break
    return [pid for pid in chain if pid > 1]


def _state(pid: int) -> bytes:
    """The letter of a process's state in /proc; empty if there is none."""
    try:
        return _status(pid)[0]
    except (OSError, IndexError):
        return b""


def _status(pid: int) -> list[bytes]:
    # The name in brackets may itself contain brackets and spaces: read after the last one.
    return _content(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def read_endpoint(home: Home) -> dict[str, Any]:
    """The endpoint file of the daemon; empty if it is missing or unreadable."""
    try:
        return object_in(_content(endpoint_path(home))) or {}
    except OSError:
        return {}


def is_newer(version: str, than: str) -> bool:
    """Whether one release is later than another; a pre-release counts as its release."""
    return _numbers(version) > _numbers(than)


_LEAST_BYTES = 1 << 16
"""Free bytes below which a daemon cannot start: its files and the first pages of its store need more."""


def last_words(home: Home) -> str:
    """Why a daemon ended: a full disk, which it could not log, or the last line of its log."""
    if is_full(home):
        return f"the disk of {home} is full; free some space"
    try:
        lines = _content(log_path(home)).decode("utf-8", "replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1] if lines else "its log is empty"


def is_full(home: AnyPath) -> bool:
    """Whether the disk of the home is full."""
    if sys.platform == "win32":
        return False
    try:
        disk = os.statvfs(home)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _LEAST_BYTES


def _numbers(version: str) -> list[int]:
    # Nine digits at most: a longer number is slow to parse, and not a version.
    digits = "".join(c if c in "0123456789" else " " for c in version)
    return [int(part[:9]) for part in digits.split()[:3]]


def _content(path: AnyPath) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _replace_older(home: Home, version: str, deadline: float) -> None:
    about = read_endpoint(home)
    running = about.get("version")
    if not isinstance(running, str) or not running or not is_newer(version, running):
        return
    try:
        connection = dial(home, 2.0)
        if connection is None:
            return
        with Channel(connection) as channel:
            channel.send(preamble(home, "control", version=version))
            channel.send({"do": "handover"})
            channel.receive(2.0)
        while time.monotonic() < deadline:
            if not is_alive(home):
                return
            if read_endpoint(home).get("pid", about.get("pid")) != about.get("pid"):
                return  # another process started the next one
            time.sleep(0.02)
    except (OSError, ValueError):
        return
