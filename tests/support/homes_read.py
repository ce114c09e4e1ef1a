"""Everything that a home holds, as text, to look for what must not be there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import apsw

from contextd.stores.packing import unpack
from contextd_common.errors import Corrupt


def core(secret: str) -> str:
    """What is left of a secret where its joints became blanks: its longest run of letters and digits."""
    runs: list[str] = re.findall(r"[^\W_]+", secret)
    return max(runs, key=len).casefold()


def everything_in(home: Path) -> Iterator[tuple[str, str]]:
    """Every file of a home as text, and every cell of its databases, unpacked."""
    for path in sorted(path for path in home.rglob("*") if path.is_file()):
        yield path.name, path.read_bytes().decode("latin-1")
        if path.suffix == ".db":
            yield from ((f"{path.name}: {table}", text) for table, text in _cells(path))


def _cells(database: Path) -> Iterator[tuple[str, str]]:
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
        for (table,) in connection.execute(names).fetchall():
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                for cell in row:
                    if isinstance(cell, str):
                        yield str(table), cell
                    elif isinstance(cell, bytes):
                        yield str(table), cell.decode("latin-1")
                        with suppress(Corrupt):
                            yield str(table), unpack(cell)
    finally:
        connection.close()
