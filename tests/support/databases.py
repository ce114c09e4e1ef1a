"""A home's database, past every check."""

from __future__ import annotations

from pathlib import Path

import apsw

_PATIENCE_MS = 60_000


def open_database(path: Path) -> apsw.Connection:
    """A connection that waits its turn: a live organisation writes by-products in a thread of its own."""
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(_PATIENCE_MS)
    return connection
