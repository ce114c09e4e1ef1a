"""A database of somebody else is read to an end, whatever it defines and however it is damaged."""

from __future__ import annotations

import os
from pathlib import Path

import apsw
import pytest

from contextd.imports import databases
from contextd.imports.databases import has_columns, reading
from contextd.imports.foreign import foreign_format
from contextd_common.errors import Invalid, NotFound, TooLarge

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"


def made(path: Path, *statements: str) -> Path:
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement)
    connection.close()
    return path


def all_of(path: Path, table: str) -> list[databases.Row]:
    with reading(path) as database:
        return list(database.rows(table, ("id", "text")))


def test_a_table_is_read_beside_an_endless_view(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)",
        "INSERT INTO notes VALUES (1, 'one'), (2, 'two')",
        f"CREATE VIEW more AS {ENDLESS} i AS id, 'x' AS text FROM n",
    )

    assert [row["text"] for row in all_of(path, "notes")] == ["one", "two"]
    with reading(path) as database:
        assert database.tables() == {"notes"}


@pytest.mark.parametrize("select", [ENDLESS, "SELECT"])
def test_a_view_in_the_place_of_a_table_is_refused(tmp_path: Path, select: str) -> None:
    source = "n" if select == ENDLESS else "(SELECT 1 AS i)"
    path = made(
        tmp_path / "a.db", f"CREATE VIEW notes AS {select} i AS id, 'x' AS text FROM {source}"
    )

    with pytest.raises(Invalid, match="not a readable database"):
        all_of(path, "notes")


def test_an_import_of_a_memory_tool_whose_table_is_endless_ends(tmp_path: Path) -> None:
    columns = "i AS id, 'p' AS project, 'decision' AS type, 't' AS title, 'n' AS narrative"
    path = made(
        tmp_path / "claude-mem.db", f"CREATE VIEW observations AS {ENDLESS} {columns} FROM n"
    )
    found = foreign_format(path)

    with pytest.raises(Invalid):
        list(found.read(path, path.name) if found is not None else all_of(path, "observations"))


def with_shared_pages(path: Path) -> Path:
    """A small file with six layers of inner pages, each of which refers to one page below it dozens of times: it
    has more rows than could be read in a year.
    """
    made(
        path,
        "PRAGMA page_size = 512",
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40000)"
        " INSERT INTO notes SELECT i, 'abcdef' FROM n",
    )
    data = path.read_bytes()
    pages = [data[start : start + 512] for start in range(0, len(data), 512)]
    # The second page is the root, and the pages below it are inner ones as well.
    below = int.from_bytes(pages[1][8:12], "big")
    template = pages[below - 1]
    for _ in range(6):
        pages.append(referring(template, below))
        below = len(pages)
    pages[1] = referring(pages[1], below)
    count = len(pages).to_bytes(4, "big")
    pages[0] = pages[0][:28] + count + pages[0][32:]
    path.write_bytes(b"".join(pages))
    return path


def referring(page: bytes, child: int) -> bytes:
    """An inner page whose references are all to one page."""
    assert page[0] == 5
    changed = bytearray(page)
    cells = int.from_bytes(page[3:5], "big")
    places = [int.from_bytes(page[12 + 2 * n : 14 + 2 * n], "big") for n in range(cells)]
    for place in (*places, 8):
        changed[place : place + 4] = child.to_bytes(4, "big")
    return bytes(changed)


def test_a_file_that_refers_to_its_pages_again_and_again_is_read_no_further_than_it_can_be(
    tmp_path: Path,
) -> None:
    path = with_shared_pages(tmp_path / "a.db")
    with reading(path) as database:
        rows = database.rows("notes", ("id", "text"))
        read = [next(rows)["text"] for _ in range(50_000)]
        with pytest.raises(TooLarge, match="more rows than a file of its size"):
            list(rows)

    assert set(read) == {"abcdef"}


def test_values_are_read_no_further_than_a_file_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "_LARGER", 0)
    monkeypatch.setattr(databases, "_FIXED_BYTES", 2_000)
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)",
        "INSERT INTO notes VALUES (1, hex(zeroblob(500))), (2, hex(zeroblob(500))), (3, 'x')",
    )

    with reading(path) as database:
        rows = database.rows("notes", ("id", "text"))
        assert [next(rows)["id"], next(rows)["id"]] == [1, 2]
        with pytest.raises(TooLarge, match="more rows than"):
            next(rows)


def test_a_row_that_takes_for_ever_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "SECONDS", 0.05)
    path = made(tmp_path / "a.db", "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")

    with reading(path) as database, pytest.raises(TooLarge, match="was not read in"):
        list(database.of(f"{ENDLESS} max(i) FROM n"))


def test_rows_that_take_for_ever_together_are_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "SECONDS_IN_ALL", 0.2)
    path = made(tmp_path / "a.db", "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")

    with reading(path) as database:
        database._most_rows = 10**18
        with pytest.raises(TooLarge, match="was not read in"):
            list(database.of(f"{ENDLESS} i FROM n"))


def test_the_time_of_whoever_reads_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)",
        "INSERT INTO notes VALUES (1, 'one'), (2, 'two'), (3, 'three')",
    )
    now = [0.0]
    monkeypatch.setattr("contextd.imports.databases.time.monotonic", lambda: now[0])
    with reading(path) as database:
        found = []
        for row in database.rows("notes", ("id", "text")):
            now[0] += 10_000
            found.append(row["text"])

    assert found == ["one", "two", "three"]


def test_a_value_that_no_program_would_store_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "LONGEST", 10_000)
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)",
        "INSERT INTO notes VALUES (1, hex(zeroblob(20000)))",
    )

    with pytest.raises(Invalid, match="too big"):
        all_of(path, "notes")


@pytest.mark.skipif("sys.platform == 'win32'", reason="needs a pipe")
@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
def test_a_pipe_beside_a_database_is_not_waited_for(tmp_path: Path, end: str) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)",
        "INSERT INTO notes VALUES (1, 'one')",
    )
    (tmp_path / "a.db-wal").write_bytes(b"x" * 100)
    (tmp_path / f"a.db{end}").unlink(missing_ok=True)
    os.mkfifo(tmp_path / f"a.db{end}")

    with pytest.raises(Invalid, match="not an ordinary file"):
        all_of(path, "notes")
    assert not has_columns(path, databases.MAGIC.encode(), {"notes": frozenset({"id"})})


def test_a_missing_database_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        all_of(tmp_path / "none.db", "notes")
