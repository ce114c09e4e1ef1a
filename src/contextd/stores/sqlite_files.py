"""The code model in SQLite: a row of facts per file, a row of text per chunk."""

from __future__ import annotations

import hashlib
import marshal
import sys
from collections.abc import Sequence
from typing import Any

import apsw

from contextd.domain.code import (
    Chunk,
    FileCalls,
    FileChanges,
    FileWeight,
    Import,
    KeptReading,
    SourceFile,
)
from contextd.domain.defining import Defining, Naming
from contextd.domain.imports import Importing
from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.connection import Database, fetch, placeholders
from contextd.stores.file_words import (
    files_defining,
    names_beginning,
    paths_importing,
    paths_naming,
    token_text,
)
from contextd.stores.reach import Reach
from contextd.stores.readable import readable

_FILE = """INSERT INTO files (scope, path, size, mtime_ns, digest, pieces, facts, version)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, path) DO UPDATE SET size = excluded.size,
    mtime_ns = excluded.mtime_ns, digest = excluded.digest, pieces = excluded.pieces,
    facts = excluded.facts, version = excluded.version RETURNING no"""
_NEXT_VERSION = """INSERT INTO file_clocks (scope, version, removed) VALUES (?, 1, ?)
    ON CONFLICT (scope) DO UPDATE SET version = version + 1,
    removed = CASE WHEN excluded.removed THEN version + 1 ELSE removed END RETURNING version"""
_WORDS = "INSERT OR REPLACE INTO file_words (rowid, words) VALUES (?, ?)"
_NO_WORDS = "DELETE FROM file_words WHERE rowid = ?"
_CHUNK = """INSERT INTO chunks (id, file, start_line, end_line, symbol, language, text)
    VALUES (?, ?, ?, ?, ?, ?, ?)"""

# Searching is cheaper than reading JSON, and what it lets through by mistake is left out afterwards.
_LINKED = """(instr(facts, ',[],[],[],[') = 0 OR json_array_length(facts, '$[6]')
    OR json_array_length(facts, '$[7]') OR json_array_length(facts, '$[8]'))"""
_CALLS = """FROM files JOIN calls_of_files ON calls_of_files.file = files.no
    AND calls_of_files.digest = files.digest WHERE scope = ? AND reader = ?"""
_KEEP_CALLS = """INSERT OR REPLACE INTO calls_of_files SELECT no, digest, ?, ?, ?, ?
    FROM files WHERE scope = ? AND path = ? AND digest = ?"""
_READINGS = """SELECT path, size, mtime_ns, sum, value FROM files JOIN readings_of_files
    ON readings_of_files.file = files.no AND readings_of_files.digest = files.digest
    WHERE scope = ? AND reader = ?"""
_KEEP_READING = """INSERT OR REPLACE INTO readings_of_files SELECT no, ?, digest, ?, ?
    FROM files WHERE scope = ? AND path = ? AND size = ? AND mtime_ns = ?"""
_WEIGHT = """INSERT OR REPLACE INTO weights_of_files SELECT no, ?, ?, ?
    FROM files WHERE scope = ? AND path = ?"""


class SqliteFiles:
    """`Files` in the tables `files` and `chunks`, as far as one grant reaches."""

    def __init__(self, database: Database, reach: Reach) -> None:
        self._database, self._reach = database, reach

    def get(self, scope: Scope, paths: Sequence[str]) -> list[SourceFile]:
        """See `Files.get`."""
        if not self._reach.reads(scope):
            return []
        asked = (str(scope), codec.dumps(list(paths)))
        among = "scope = ? AND path IN (SELECT value FROM json_each(?))"
        with self._database.snapshot():
            rows = self._database.rows(f"SELECT path, facts FROM files WHERE {among}", asked)
            texts = self._database.rows(
                "SELECT files.path, chunks.id, chunks.text FROM chunks"
                f" JOIN files ON files.no = chunks.file WHERE {among}",
                asked,
            )
        by_path: dict[str, dict[str, str]] = {}
        for path, id_, text in texts:
            by_path.setdefault(path, {})[id_] = text

        def file(row: tuple[str, str]) -> tuple[str, SourceFile]:
            return row[0], codec.file_from_json(codec.loads(row[1]), by_path.get(row[0]))

        found = dict(readable(file, rows))
        return [found[path] for path in paths if path in found]

    def all(self, scope: Scope, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """See `Files.all`."""
        if not self._reach.reads(scope):
            return []
        among, asked = _among(scope, paths)
        rows = self._database.rows(f"SELECT facts FROM files WHERE {among} ORDER BY path", asked)
        return readable(lambda row: codec.file_from_json(codec.loads(row[0])), rows)

    def linked(self, scope: Scope, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """See `Files.linked`."""
        if not self._reach.reads(scope):
            return []
        among, asked = _among(scope, paths)
        rows = self._database.rows(
            f"SELECT facts FROM files WHERE {among} AND {_LINKED} ORDER BY path", asked
        )
        found = readable(lambda row: codec.file_from_json(codec.loads(row[0]), bare=True), rows)
        return [file for file in found if file.symbols or file.imports or file.exports]

    def linking(self, scope: Scope) -> list[str]:
        """See `Files.linking`."""
        if not self._reach.reads(scope):
            return []
        asked = f"SELECT path FROM files WHERE scope = ? AND {_LINKED} ORDER BY path"
        return [path for (path,) in self._database.rows(asked, (str(scope),))]

    def imports(
        self, scope: Scope, paths: Sequence[str]
    ) -> list[tuple[str, str, tuple[Import, ...]]]:
        """See `Files.imports`."""
        if not self._reach.reads(scope):
            return []
        language, imports = codec.FILE_LANGUAGE, codec.FILE_IMPORTS
        rows = self._database.rows(
            f"SELECT path, facts ->> {language}, facts -> {imports} FROM files"
            " WHERE scope = ? AND path IN (SELECT value FROM json_each(?)) ORDER BY path",
            (str(scope), codec.dumps(list(paths))),
        )
        return readable(
            lambda row: (row[0], row[1], codec.imports_from_json(codec.loads(row[2]))), rows
        )

    def importing(self, scope: Scope, asked: Importing) -> set[str]:
        """See `Files.importing`."""
        if not self._reach.reads(scope):
            return set()
        return paths_importing(self._database, scope, asked)

    def defining(self, scope: Scope, asked: Defining) -> list[tuple[str, float]]:
        """See `Files.defining`."""
        if not self._reach.reads(scope):
            return []
        return files_defining(self._database, scope, asked)

    def naming(self, scope: Scope, asked: Naming) -> set[str]:
        """See `Files.naming`."""
        if not self._reach.reads(scope):
            return set()
        return paths_naming(self._database, scope, asked)

    def names(self, scope: Scope, prefix: str, limit: int) -> list[str]:
        """See `Files.names`."""
        if not self._reach.reads(scope):
            return []
        return names_beginning(self._database, scope, prefix, limit)

    def weights(self, scope: Scope, paths: Sequence[str]) -> dict[str, FileWeight]:
        """See `Files.weights`."""
        if not self._reach.reads(scope):
            return {}
        rows = self._database.rows(
            "SELECT path, rank, top, used FROM files JOIN weights_of_files ON file = no"
            " WHERE scope = ? AND path IN (SELECT value FROM json_each(?))",
            (str(scope), codec.dumps(list(paths))),
        )
        return {
            path: FileWeight(
                path=path,
                rank=rank,
                top=top,
                used=tuple((name, score, count) for name, score, count in codec.loads(used)),
            )
            for path, rank, top, used in rows
        }

    def weighed(self, scope: Scope) -> int:
        """See `Files.weighed`."""
        if not self._reach.reads(scope):
            return 0
        asked = "SELECT weighed FROM file_clocks WHERE scope = ?"
        return int(self._database.value(asked, (str(scope),)) or 0)

    def stamps(
        self, scope: Scope, paths: Sequence[str] | None = None
    ) -> dict[str, tuple[int, int, str]]:
        """See `Files.stamps`."""
        if not self._reach.reads(scope):
            return {}
        among, asked = _among(scope, paths)
        rows = self._database.rows(
            f"SELECT path, size, mtime_ns, digest FROM files WHERE {among}", asked
        )
        return {path: (size, mtime_ns, digest) for path, size, mtime_ns, digest in rows}

    def changes(self, scope: Scope, since: int) -> FileChanges:
        """See `Files.changes`."""
        if not self._reach.reads(scope):
            return FileChanges(0)
        with self._database.snapshot():
            clock = self._database.rows(
                "SELECT version, removed FROM file_clocks WHERE scope = ?", (str(scope),)
            )
            rows = self._database.rows(
                "SELECT path FROM files WHERE scope = ? AND version > ? ORDER BY path",
                (str(scope), since),
            )
        version, removed = clock[0] if clock else (0, 0)
        return FileChanges(version, tuple(path for (path,) in rows), removed > since)

    def count(self, scope: Scope) -> int:
        """See `Files.count`."""
        if not self._reach.reads(scope):
            return 0
        return int(
            self._database.value("SELECT count(*) FROM files WHERE scope = ?", (str(scope),))
        )

    def calling(self, scope: Scope, reader: str) -> dict[str, tuple[str, str]]:
        """See `Files.calling`."""
        if not self._reach.reads(scope):
            return {}
        asked = (str(scope), reader)
        rows = self._database.rows(f"SELECT path, files.digest, names {_CALLS}", asked)
        return {path: (digest, names) for path, digest, names in rows}

    def calls(
        self, scope: Scope, reader: str, paths: Sequence[str]
    ) -> dict[str, tuple[str, tuple[Any, ...]]]:
        """See `Files.calls`."""
        if not self._reach.reads(scope):
            return {}
        rows = self._database.rows(
            f"SELECT path, files.digest, sum, calls_of_files.facts {_CALLS}"
            " AND path IN (SELECT value FROM json_each(?))",
            (str(scope), reader, codec.dumps(list(paths))),
        )
        return {
            path: (digest, marshal.loads(data))
            for path, digest, sum_, data in rows
            if sum_ == _sum(data)
        }

    def readings(self, scope: Scope, reader: str) -> list[KeptReading]:
        """See `Files.readings`."""
        if not self._reach.reads(scope):
            return []
        rows = self._database.rows(_READINGS, (str(scope), reader))
        return [
            KeptReading(
                path=path, size=size, mtime_ns=mtime_ns, reader=reader, value=marshal.loads(value)
            )
            for path, size, mtime_ns, sum_, value in rows
            if sum_ == _sum(value)
        ]

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """See `Files.chunks`."""
        scopes = self._reach.everywhere()
        rows = self._database.rows(
            "SELECT c.id, f.path, c.start_line, c.end_line, c.symbol, c.language, c.text"
            " FROM chunks c JOIN files f ON f.no = c.file"
            " WHERE c.id IN (SELECT value FROM json_each(?))"
            # The plus keeps SQLite from going through all files of the scopes: 0.2 s for 60,000.
            f" AND +f.scope IN ({placeholders(scopes)}) ORDER BY f.scope DESC",
            (codec.dumps(list(ids)), *scopes),
        )
        known = {
            id_: Chunk(
                id=id_,
                path=path,
                start_line=start,
                end_line=end,
                symbol=symbol,
                language=language,
                text=text,
            )
            for id_, path, start, end, symbol, language, text in rows
        }
        return [known[id_] for id_ in ids if id_ in known]


FileRow = tuple[tuple[object, ...], list[tuple[object, ...]], str]
"""The columns of a file, those of its chunks but for the file's number, and its words."""


def file_row(scope: Scope, file: SourceFile) -> FileRow:
    """A file as it is stored."""
    facts = codec.dumps(codec.file_to_json(file))
    place = (str(scope), file.path, file.size, file.mtime_ns, file.digest, len(file.chunks), facts)
    chunks: list[tuple[object, ...]] = [
        (c.id, c.start_line, c.end_line, c.symbol, c.language, c.text) for c in file.chunks
    ]
    return place, chunks, token_text(scope, file)


def next_version(connection: apsw.Connection, scope: Scope, *, removing: bool) -> int:
    """The version of what is written to the files of a scope next."""
    [(version,)] = fetch(connection, _NEXT_VERSION, (str(scope), int(removing)))
    return int(version)


def write_file(connection: apsw.Connection, row: FileRow, version: int) -> list[str]:
    """Store a file in the place of the one with its path; the ids of chunks that are no more."""
    place, chunks, words = row
    [(number,)] = fetch(connection, _FILE, (*place, version))
    if words:
        connection.execute(_WORDS, (number, words))
    else:
        connection.execute(_NO_WORDS, (number,))
    connection.execute(
        "DELETE FROM calls_of_files WHERE file = ? AND digest <> ?", (number, place[4])
    )
    before = fetch(connection, "DELETE FROM chunks WHERE file = ? RETURNING id", (number,))
    connection.executemany(_CHUNK, [(chunk[0], number, *chunk[1:]) for chunk in chunks])
    present = {chunk[0] for chunk in chunks}
    return [id_ for (id_,) in before if id_ not in present]


def remove_files(connection: apsw.Connection, scope: Scope, paths: Sequence[str]) -> list[str]:
    """Forget these files; the ids of their chunks."""
    asked = (str(scope), codec.dumps(list(paths)))
    among = "scope = ? AND path IN (SELECT value FROM json_each(?))"
    chunks = fetch(
        connection,
        f"SELECT id FROM chunks WHERE file IN (SELECT no FROM files WHERE {among})",
        asked,
    )
    connection.execute(f"DELETE FROM files WHERE {among}", asked)
    return [id_ for (id_,) in chunks]


def calls_row(scope: Scope, one: FileCalls) -> tuple[object, ...]:
    """What a file says of its calls as it is stored: in the words of this Python, which reads them in a
    third of the time that JSON takes, and reading the file again takes twice as long as that.
    """
    data = marshal.dumps(one.facts)
    return one.reader, one.names, _sum(data), data, str(scope), one.path, one.digest


def write_calls(connection: apsw.Connection, rows: Sequence[tuple[object, ...]]) -> None:
    """Keep them for files that are known with that digest."""
    connection.executemany(_KEEP_CALLS, rows)


def reading_row(scope: Scope, one: KeptReading) -> tuple[object, ...]:
    """What was made of a file as it is stored, as `calls_row` does."""
    data = marshal.dumps(one.value)
    return one.reader, _sum(data), data, str(scope), one.path, one.size, one.mtime_ns


def write_readings(connection: apsw.Connection, rows: Sequence[tuple[object, ...]]) -> None:
    """Keep them for files that are known with that stamp."""
    connection.executemany(_KEEP_READING, rows)


def weight_row(scope: Scope, one: FileWeight) -> tuple[object, ...]:
    """How much a file matters as it is stored."""
    return one.rank, one.top, codec.dumps(one.used), str(scope), one.path


def write_weights(
    connection: apsw.Connection, scope: Scope, rows: Sequence[tuple[object, ...]], weighed: int
) -> None:
    """Keep these in the place of those that there were."""
    connection.execute(
        "DELETE FROM weights_of_files WHERE file IN (SELECT no FROM files WHERE scope = ?)",
        (str(scope),),
    )
    connection.executemany(_WEIGHT, rows)
    connection.execute("UPDATE file_clocks SET weighed = ? WHERE scope = ?", (weighed, str(scope)))


def _among(scope: Scope, paths: Sequence[str] | None) -> tuple[str, list[str]]:
    """A condition on files, and its values."""
    if paths is None:
        return "scope = ?", [str(scope)]
    return (
        "scope = ? AND path IN (SELECT value FROM json_each(?))",
        [str(scope), codec.dumps(list(paths))],
    )


def _sum(data: bytes) -> bytes:
    # What another Python wrote, or what was damaged, must not come near `marshal`.
    return hashlib.blake2b(data, digest_size=12, key=sys.version.encode()[:64]).digest()
