"""Debian's PostgreSQL 15, the oldest that contextd runs on: with TLS, on a port of its own, and as a standby."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

_PROGRAMS = Path("/usr/lib/postgresql/15/bin")
_USER = "postgres"
"""Debian's package makes this user. The server runs as it if the tests run as root."""

_SETTINGS = """port = {port}
listen_addresses = '127.0.0.1'
unix_socket_directories = '{folder}'
fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 60
ssl = on
ssl_cert_file = '{folder}/certificate'
ssl_key_file = '{folder}/key'
"""
_CERTIFICATE = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"


class OldestPostgres:
    """A running server. Its certificate, for `localhost`, is signed by no authority but itself."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._folder, self._data = folder, folder / "data"
        self.certificate = folder / "certificate"
        self.url = f"postgresql:///postgres?host={folder}&port={self.port}&user=postgres"
        folder.chmod(0o777)
        certify(self.certificate, folder / "key", _user())
        self._pg("initdb", "-U", "postgres", "--auth=trust", "-E", "UTF8", "--no-locale", "-N")
        with (self._data / "postgresql.conf").open("a") as settings:
            settings.write(_SETTINGS.format(port=self.port, folder=folder))
        self.start()

    def start(self, *, standby: bool = False) -> None:
        """Start it, as a standby that waits for a primary server if wished."""
        signal = self._data / "standby.signal"
        signal.touch() if standby else signal.unlink(missing_ok=True)
        self._pg("pg_ctl", "-l", str(self._folder / "log"), "-w", "start")

    def stop(self) -> None:
        """Stop it."""
        self._pg("pg_ctl", "-m", "fast", "-w", "stop")

    def _pg(self, program: str, *arguments: str) -> None:
        self._run(str(_PROGRAMS / program), "-D", str(self._data), *arguments)

    def _run(self, *command: str) -> None:
        subprocess.run(command, check=True, user=_user(), capture_output=True, cwd="/")


def certify(certificate: Path, key: Path, user: str | None = None) -> None:
    """Make a certificate for `localhost` that is signed by itself."""
    command = [*_CERTIFICATE.split(), "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, user=user, capture_output=True)


def _user() -> str | None:
    return _USER if os.geteuid() == 0 else None


@cache
def server() -> OldestPostgres:
    """Started once per process. Skips the test where it is not installed."""
    if not (_PROGRAMS / "initdb").exists():
        pytest.skip("PostgreSQL 15 is not installed (Debian: apt install postgresql-15)")
    folder = tempfile.TemporaryDirectory(prefix="contextd-pg15-", ignore_cleanup_errors=True)
    made = OldestPostgres(Path(folder.name))
    atexit.register(folder.cleanup)
    atexit.register(made.stop)
    return made
