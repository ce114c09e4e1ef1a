"""A real PgBouncer in transaction mode in front of the tests' server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

_SETTINGS = """[databases]
postgres = host={host} dbname=postgres user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
logfile = {folder}/log
"""
_SERVER_USER = "pgserver"
"""The wheel's server runs as this user if the tests run as root; PgBouncer refuses to run as root."""


@contextmanager
def running(url: str) -> Iterator[int]:
    """Its port; it gives all clients two connections of the server. Skips the test where it is not installed."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("PgBouncer is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="contextd-pgbouncer-") as folder:
        Path(folder).chmod(0o777)
        host = conninfo_to_dict(url)["host"]
        file = Path(folder) / "pgbouncer.ini"
        file.write_text(_SETTINGS.format(host=host, port=port, folder=folder))
        user = _SERVER_USER if os.geteuid() == 0 else None
        process = subprocess.Popen([program, "-q", str(file)], user=user)
        try:
            _wait_for(port)
            yield port
        finally:
            process.terminate()
            process.wait(10)


def _wait_for(port: int) -> None:
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("PgBouncer does not listen")
