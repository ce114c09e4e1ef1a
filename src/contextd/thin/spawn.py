"""One daemon per home: how it is started, and how it makes sure that it is the only one.

A lock on `home.lock_path` ensures that, never a process id. The process that starts a daemon takes the lock
first and passes the locked file to the child. So of nine clients that arrive at once, one starts a daemon and
eight wait. Standard library only. The Windows branches have not been run on Windows.
"""

from __future__ import annotations

import os
import sys

from contextd.thin.home import (
    endpoint_path,
    lock_path,
    log_path,
    make_home,
    socket_path,
    write_object,
)
from contextd.thin.offline import TELEMETRY_OFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from pathlib import Path
    from typing import Any

    from contextd.thin.home import AnyPath, Home

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK_VARIABLE = "CONTEXTD_LOCK_FD"
"""The environment variable with the file descriptor of the inherited lock. Set by `start_daemon` only."""
LOG_LIMIT = 4 << 20
"""Bytes of a log, some 25,000 calls. One older log is kept as well."""
_BACKLOG = 128
_LONGEST_NUMBER = 10
_NO_PROCESS = 1 << 30
"""A number above those that a system gives to processes (Linux: at most 2^22)."""


class HomeClaim:
    """A home owned by this process: it holds the lock, and clients can connect."""

    def __init__(self, home: Path, lock: int, listener: socket.socket) -> None:
        self.home = home
        self.listener = listener
        self._lock: int | None = lock
        self._socket = _inode(socket_path(home))

    def publish(self, **facts: Any) -> None:
        """Write the daemon's facts to `endpoint_path`, readable by the owner only."""
        if sys.platform == "win32":
            facts["tcp_port"] = self.listener.getsockname()[1]
        elif os.path.dirname(path := str(socket_path(self.home))) != str(self.home):
            # The socket of a home with a long path lies where this process has its temporary files.
            facts["socket"] = path
        write_object(endpoint_path(self.home), {**facts, "pid": os.getpid()})

    @property
    def lost(self) -> bool:
        """Whether the home was deleted: if its files exist again, they belong to another daemon."""
        return self._lock is None or not _is_lock_of(self.home, self._lock)

    @property
    def unreachable(self) -> bool:
        """Whether the socket was deleted, as jobs do that clean temporary directories."""
        return sys.platform != "win32" and _inode(socket_path(self.home)) != self._socket

    def listen_again(self) -> None:
        """Listen on a new socket at the same place. Connected clients stay. Raises `OSError`."""
        listener = _listen(self.home)
        self.listener.close()
        self.listener, self._socket = listener, _inode(socket_path(self.home))

    def withdraw(self) -> None:
        """Accept no new client; connected ones stay. Files of a deleted home are left alone."""
        self.listener.close()
        if self.lost:
            return
        for path in (socket_path(self.home), endpoint_path(self.home)):
            _remove(path)

    def release(self) -> None:
        """Release the home. The last step of a daemon."""
        if self._lock is not None:
            self.withdraw()
            os.close(self._lock)
            self._lock = None


def claim_home(home: Path) -> HomeClaim | None:
    """Lock the home and listen on its socket, or return `None` if another daemon has it.

    Raises `OSError` if the home cannot be written.
    """
    make_home(home)
    lock = _inherited_lock(home)
    if lock is None:
        lock = take_lock(home)
    if lock is None:
        return None
    try:
        return HomeClaim(home, lock, _listen(home))
    except OSError:
        os.close(lock)
        raise


def take_lock(home: Home) -> int | None:
    """An open file that holds the daemon's lock and names this process, or `None` while another one holds it."""
    lock = _locked(home)
    if lock is not None:
        _note_holder(lock, os.getpid())
    return lock


def _locked(home: Home) -> int | None:
    fd = os.open(lock_path(home), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if sys.platform == "win32":
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    return fd


def is_alive(home: Home) -> bool:
    """Whether a daemon holds the home's lock, even if it is only starting."""
    try:
        # For an instant: a daemon that claims its home meanwhile finds it taken.
        lock = _locked(home)
    except OSError:
        return False
    if lock is not None:
        os.close(lock)
    return lock is None


def is_foreign(home: Home) -> bool:
    """Whether the lock is held, but not by contextd: the process that the file names is gone. False where that
    cannot be known.
    """
    if sys.platform == "win32" or not is_alive(home):
        return False
    try:
        with open(lock_path(home), "rb") as file:
            os.kill(int(file.read(_LONGEST_NUMBER) or b"0") or _NO_PROCESS, 0)
    except (ProcessLookupError, OverflowError, ValueError):
        return True
    except OSError:
        return False
    return False


def _note_holder(lock: int, pid: int) -> None:
    if sys.platform == "win32":
        return  # its lock would not let others read
    try:
        os.ftruncate(lock, 0)
        os.pwrite(lock, b"%d" % pid, 0)
    except OSError:
        return  # on a full disk: the number is for the error of a foreign lock only


def start_daemon(home: Home) -> int | None:
    """Start a detached daemon and return its process id; `None` if one is running or starting.

    It is a session leader without a terminal, reads nothing, and writes to `log_path`.
    """
    make_home(home)
    lock = take_lock(home)
    if lock is None:
        return None
    try:
        log = log_path(home)
        os.makedirs(os.path.dirname(log), mode=0o700, exist_ok=True)
        if os.path.exists(log) and os.path.getsize(log) > LOG_LIMIT:
            set_aside(log)
        # -P: a module of the agent's working directory must never be imported by the daemon.
        command = [sys.executable, "-P", "-m", "contextd", "daemon", "run"]
        # glibc would keep the memory of loading the vectors: 226 MB instead of 200 with 10,000 records.
        trim = {"MALLOC_TRIM_THRESHOLD_": "131072"}
        environment = {**trim, **os.environ, **TELEMETRY_OFF, "CONTEXTD_HOME": str(home)}
        if sys.platform == "win32":
            return _spawn_on_windows(command, environment, log)
        os.set_inheritable(lock, True)
        pid = os.posix_spawn(
            sys.executable,
            command,
            {**environment, LOCK_VARIABLE: str(lock)},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            ],
            setsid=True,
        )
        _note_holder(lock, pid)
        return pid
    finally:
        os.close(lock)


def set_aside(log: AnyPath) -> None:
    """Rename a full log to the older log, replacing it."""
    os.replace(log, f"{log}.1")


def has_exited(pid: int) -> int | None:
    """The exit code of a daemon this process started, or `None` while it runs."""
    if sys.platform == "win32":
        return None
    try:
        done, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status) if done else None


def _inherited_lock(home: Home) -> int | None:
    number = os.environ.pop(LOCK_VARIABLE, "")
    if not number.isdecimal():
        return None
    fd = int(number)
    if not _is_lock_of(home, fd):
        return None
    os.set_inheritable(fd, False)
    return fd


def _inode(path: AnyPath) -> tuple[int, int] | None:
    try:
        about = os.stat(path)
    except OSError:
        return None
    return about.st_dev, about.st_ino


def _is_lock_of(home: Home, fd: int) -> bool:
    try:
        given, wanted = os.fstat(fd), os.stat(lock_path(home))
    except OSError:
        return False
    return (given.st_dev, given.st_ino) == (wanted.st_dev, wanted.st_ino)


def _listen(home: Home) -> socket.socket:
    import socket  # noqa: PLC0415 - only a daemon listens; it imports `enum` and `selectors`

    if sys.platform == "win32":
        # Named, so that asyncio turns Nagle's algorithm off for what it accepts.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.bind(("127.0.0.1", 0))
    else:
        path = socket_path(home)
        directory = os.path.dirname(path)
        os.makedirs(directory, mode=0o700, exist_ok=True)
        check_directory(directory)
        _remove(path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(str(path))
            os.chmod(path, 0o600)
        except OSError:
            listener.close()
            raise
    listener.listen(_BACKLOG)
    listener.setblocking(False)
    return listener


def check_directory(directory: str) -> None:
    """Raise `PermissionError` unless the directory is this user's: in a shared temporary directory another
    user may have created it first.
    """
    if hasattr(os, "getuid") and os.stat(directory).st_uid != os.getuid():
        raise PermissionError(f"{directory} belongs to another user")


def _remove(path: AnyPath) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _spawn_on_windows(command: list[str], environment: dict[str, str], log: AnyPath) -> int:
    import subprocess  # noqa: PLC0415  11 ms of start-up that only Windows needs

    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(
        subprocess, "CREATE_NEW_PROCESS_GROUP", 0
    )
    with open(log, "ab") as file:
        return subprocess.Popen(
            command, env=environment, stdin=-3, stdout=-3, stderr=file, creationflags=flags
        ).pid
