"""The code index in SQLite: the content at each path of a checkout, and the facts about each content."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Sequence
from typing import Any

from contextd.domain.checkout_keys import IndexedCheckout
from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.checkouts import Checkouts
from contextd.stores.connection import SqliteDatabase
from contextd.stores.file_words import (
    files_defining,
    names_beginning,
    paths_importing,
    paths_naming,
)
from contextd.stores.granted_rows import GrantedRows
from contextd.stores.row_checks import readable
from contextd.stores.sql_conditions import placeholders
from contextd.stores.sqlite_code_writing import checksum
from contextd_code.values.definition_queries import Defining, Naming
from contextd_code.values.imports import Importing
from contextd_code.values.source import (
    Chunk,
    FileChanges,
    FileWeight,
    Import,
    KeptReading,
    SourceFile,
)

# Searching the text is cheaper than parsing JSON; false positives are dropped afterwards.
_LINKED = """(instr(facts, ',[],[],[],[') = 0 OR json_array_length(facts, '$[6]')
    OR json_array_length(facts, '$[7]') OR json_array_length(facts, '$[8]'))"""
_CALLS = """FROM files JOIN calls_of_files ON calls_of_files.content = files.content
    AND calls_of_files.digest = files.digest WHERE checkout = ? AND reader = ?"""
_READINGS = """SELECT path, size, mtime_ns, sum, value FROM files JOIN readings_of_files
    ON readings_of_files.content = files.content AND readings_of_files.digest = files.digest
    WHERE checkout = ? AND reader = ?"""
_FACTS = """SELECT files.path, size, mtime_ns, facts FROM files
    JOIN contents ON contents.no = files.content"""


class SqliteFiles:
    """`Files` in the tables `files`, `contents` and `chunks`, limited to a grant."""

    def __init__(
        self, database: SqliteDatabase, granted: GrantedRows, checkouts: Checkouts
    ) -> None:
        self._database, self._granted, self._checkouts = database, granted, checkouts

    def of(self, scope: Scope) -> SqliteCodeIndex:
        """See `Files.of`."""
        return SqliteCodeIndex(self._database, self._granted, self._checkouts, scope)

    def holding(self, scope: Scope, ids: Sequence[str]) -> list[SourceFile]:
        """See `Files.holding`."""
        if not self._granted.reads(scope):
            return []
        among = """contents.no IN (SELECT content FROM chunks
            WHERE id IN (SELECT value FROM json_each(?))) AND scope = ?"""
        asked = (codec.dumps(list(ids)), str(scope))
        with self._database.snapshot():
            rows = self._database.rows(
                f"SELECT no, 0, 0, facts FROM contents WHERE {among} ORDER BY path, no", asked
            )
            texts = self._database.rows(
                "SELECT contents.no, chunks.id, chunks.text FROM contents"
                f" JOIN chunks ON chunks.content = contents.no WHERE {among}",
                asked,
            )
        by_number = _texts(texts)
        return readable(lambda row: _file(row, by_number.get(row[0])), rows)

    def checkouts(self, scope: Scope) -> list[IndexedCheckout]:
        """See `Files.checkouts`."""
        return self._checkouts.all(scope) if self._granted.reads(scope) else []

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """See `Files.chunks`."""
        seen = self._checkouts.numbers(self._granted.everywhere())
        rows = self._database.rows(
            "SELECT c.id, f.path, c.start_line, c.end_line, c.symbol, c.language, c.text"
            " FROM chunks c JOIN files f ON f.content = c.content"
            " WHERE c.id IN (SELECT value FROM json_each(?))"
            # The plus keeps SQLite from scanning all files of the checkouts: 0.2 s for 60,000.
            f" AND +f.checkout IN ({placeholders(seen)}) ORDER BY f.checkout DESC",
            (codec.dumps(list(ids)), *seen),
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


class SqliteCodeIndex:
    """The `CodeIndex` of one project."""

    def __init__(
        self, database: SqliteDatabase, granted: GrantedRows, checkouts: Checkouts, scope: Scope
    ) -> None:
        self._database, self._checkouts, self._scope = database, checkouts, scope
        self._readable = granted.reads(scope)

    @property
    def owner(self) -> str:
        """See `CodeIndex.owner`."""
        return str(self._scope)

    @property
    def _checkout(self) -> int:
        """The visible checkout. No file is in 0, which stands for none and for a project outside the grant."""
        return self._checkouts.number(self._scope) if self._readable else 0

    def _among(self, paths: Sequence[str] | None = None) -> tuple[str, list[Any]]:
        """A condition on files, with its values."""
        if paths is None:
            return "checkout = ?", [self._checkout]
        among = "checkout = ? AND files.path IN (SELECT value FROM json_each(?))"
        return among, [self._checkout, codec.dumps(list(paths))]

    def get(self, paths: Sequence[str]) -> list[SourceFile]:
        """See `CodeIndex.get`."""
        among, asked = self._among(paths)
        with self._database.snapshot():
            rows = self._database.rows(f"{_FACTS} WHERE {among}", asked)
            texts = self._database.rows(
                "SELECT files.path, chunks.id, chunks.text FROM files"
                f" JOIN chunks ON chunks.content = files.content WHERE {among}",
                asked,
            )
        by_path = _texts(texts)
        found = readable(lambda row: _file(row, by_path.get(row[0])), rows)
        known = {file.path: file for file in found}
        return [known[path] for path in paths if path in known]

    def all(self, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """See `CodeIndex.all`."""
        among, asked = self._among(paths)
        rows = self._database.rows(f"{_FACTS} WHERE {among} ORDER BY files.path", asked)
        return readable(_file, rows)

    def linked(self, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """See `CodeIndex.linked`."""
        among, asked = self._among(paths)
        rows = self._database.rows(
            f"{_FACTS} WHERE {among} AND {_LINKED} ORDER BY files.path", asked
        )
        found = readable(lambda row: _file(row, bare=True), rows)
        return [file for file in found if file.symbols or file.imports or file.exports]

    def linking(self) -> list[str]:
        """See `CodeIndex.linking`."""
        among, values = self._among()
        asked = f"""SELECT files.path FROM files JOIN contents ON contents.no = files.content
            WHERE {among} AND {_LINKED} ORDER BY files.path"""
        return [path for (path,) in self._database.rows(asked, values)]

    def imports(self, paths: Sequence[str]) -> list[tuple[str, str, tuple[Import, ...]]]:
        """See `CodeIndex.imports`."""
        language, imports = codec.FILE_LANGUAGE, codec.FILE_IMPORTS
        among, asked = self._among(paths)
        rows = self._database.rows(
            f"SELECT files.path, facts ->> {language}, facts -> {imports} FROM files"
            f" JOIN contents ON contents.no = files.content WHERE {among} ORDER BY files.path",
            asked,
        )
        return readable(
            lambda row: (row[0], row[1], codec.imports_from_json(codec.loads(row[2]))), rows
        )

    def importing(self, asked: Importing) -> set[str]:
        """See `CodeIndex.importing`."""
        return paths_importing(self._database, self._scope, self._checkout, asked)

    def defining(self, asked: Defining) -> list[tuple[str, float]]:
        """See `CodeIndex.defining`."""
        return files_defining(self._database, self._scope, self._checkout, asked)

    def naming(self, asked: Naming) -> set[str]:
        """See `CodeIndex.naming`."""
        return paths_naming(self._database, self._scope, self._checkout, asked)

    def names(self, prefix: str, limit: int) -> list[str]:
        """See `CodeIndex.names`."""
        if not self._readable:
            return []
        return names_beginning(self._database, self._scope, prefix, limit)

    def weights(self, paths: Sequence[str]) -> dict[str, FileWeight]:
        """See `CodeIndex.weights`."""
        among, asked = self._among(paths)
        rows = self._database.rows(
            "SELECT path, rank, top, used FROM files"
            f" JOIN weights_of_files ON weights_of_files.content = files.content WHERE {among}",
            asked,
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

    def weighed(self) -> int:
        """See `CodeIndex.weighed`."""
        asked = "SELECT weighed FROM checkouts WHERE no = ?"
        return int(self._database.value(asked, (self._checkout,)) or 0)

    def stamps(self, paths: Sequence[str] | None = None) -> dict[str, tuple[int, int, str]]:
        """See `CodeIndex.stamps`."""
        among, asked = self._among(paths)
        rows = self._database.rows(
            f"SELECT path, size, mtime_ns, digest FROM files WHERE {among}", asked
        )
        return {path: (size, mtime_ns, digest) for path, size, mtime_ns, digest in rows}

    def changes(self, since: int) -> FileChanges:
        """See `CodeIndex.changes`."""
        with self._database.snapshot():
            checkout = self._checkout
            clock = self._database.rows(
                "SELECT version, removed FROM checkouts WHERE no = ?", (checkout,)
            )
            rows = self._database.rows(
                "SELECT path FROM files WHERE checkout = ? AND version > ? ORDER BY path",
                (checkout, since),
            )
        version, removed = clock[0] if clock else (0, 0)
        return FileChanges(version, tuple(path for (path,) in rows), removed > since)

    def count(self) -> int:
        """See `CodeIndex.count`."""
        asked = "SELECT count(*) FROM files WHERE checkout = ?"
        return int(self._database.value(asked, (self._checkout,)))

    def errors(self) -> list[tuple[str, str]]:
        """See `CodeIndex.errors`."""
        return self._database.rows(
            "SELECT files.path, error FROM contents JOIN files ON files.content = contents.no"
            " AND +checkout = ? WHERE scope = ? AND error <> '' ORDER BY files.path",
            (self._checkout, str(self._scope)),
        )

    def calling(self, reader: str) -> dict[str, tuple[str, str]]:
        """See `CodeIndex.calling`."""
        asked = (self._checkout, reader)
        rows = self._database.rows(f"SELECT path, files.digest, names {_CALLS}", asked)
        return {path: (digest, names) for path, digest, names in rows}

    def calls(self, reader: str, paths: Sequence[str]) -> dict[str, tuple[str, tuple[Any, ...]]]:
        """See `CodeIndex.calls`."""
        rows = self._database.rows(
            f"SELECT path, files.digest, sum, calls_of_files.facts {_CALLS}"
            " AND path IN (SELECT value FROM json_each(?))",
            (self._checkout, reader, codec.dumps(list(paths))),
        )
        return {
            path: (digest, marshal.loads(data))
            for path, digest, sum_, data in rows
            if sum_ == checksum(data)
        }

    def readings(self, reader: str) -> list[KeptReading]:
        """See `CodeIndex.readings`."""
        rows = self._database.rows(_READINGS, (self._checkout, reader))
        return [
            KeptReading(
                path=path, size=size, mtime_ns=mtime_ns, reader=reader, value=marshal.loads(value)
            )
            for path, size, mtime_ns, sum_, value in rows
            if sum_ == checksum(value)
        ]


def _file(
    row: tuple[Any, int, int, str], texts: dict[str, str] | None = None, *, bare: bool = False
) -> SourceFile:
    _, size, mtime_ns, facts = row
    return codec.file_from_json(codec.loads(facts), texts, stamp=(size, mtime_ns), bare=bare)


def _texts(rows: Iterable[tuple[Any, str, str]]) -> dict[Any, dict[str, str]]:
    """The texts of chunks by id, per owner."""
    found: dict[Any, dict[str, str]] = {}
    for whose, id_, text in rows:
        found.setdefault(whose, {})[id_] = text
    return found
