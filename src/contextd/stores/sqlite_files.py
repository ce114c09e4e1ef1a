"""The code index in SQLite: the content at each path of a checkout, and the facts about each content."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Sequence
from typing import Any

from contextd.domain.code_places import IndexedCheckout
from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.checkouts import Checkouts
from contextd.stores.connection import Database, placeholders
from contextd.stores.file_words import (
    files_defining,
    names_beginning,
    paths_importing,
    paths_naming,
)
from contextd.stores.granted_rows import Reach
from contextd.stores.row_checks import readable
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

    def __init__(self, database: Database, reach: Reach, checkouts: Checkouts) -> None:
        self._database, self._reach, self._checkouts = database, reach, checkouts

    def _among(self, scope: Scope, paths: Sequence[str] | None = None) -> tuple[str, list[Any]]:
        """A condition on files, with its values."""
        checkout = self._checkouts.number(scope)
        if paths is None:
            return "checkout = ?", [checkout]
        among = "checkout = ? AND files.path IN (SELECT value FROM json_each(?))"
        return among, [checkout, codec.dumps(list(paths))]

    def get(self, scope: Scope, paths: Sequence[str]) -> list[SourceFile]:
        """See `Files.get`."""
        if not self._reach.reads(scope):
            return []
        among, asked = self._among(scope, paths)
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

    def holding(self, scope: Scope, ids: Sequence[str]) -> list[SourceFile]:
        """See `Files.holding`."""
        if not self._reach.reads(scope):
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
        return self._checkouts.all(scope) if self._reach.reads(scope) else []

    def all(self, scope: Scope, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """See `Files.all`."""
        if not self._reach.reads(scope):
            return []
        among, asked = self._among(scope, paths)
        rows = self._database.rows(f"{_FACTS} WHERE {among} ORDER BY files.path", asked)
        return readable(_file, rows)

    def linked(self, scope: Scope, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """See `Files.linked`."""
        if not self._reach.reads(scope):
            return []
        among, asked = self._among(scope, paths)
        rows = self._database.rows(
            f"{_FACTS} WHERE {among} AND {_LINKED} ORDER BY files.path", asked
        )
        found = readable(lambda row: _file(row, bare=True), rows)
        return [file for file in found if file.symbols or file.imports or file.exports]

    def linking(self, scope: Scope) -> list[str]:
        """See `Files.linking`."""
        if not self._reach.reads(scope):
            return []
        among, values = self._among(scope)
        asked = f"""SELECT files.path FROM files JOIN contents ON contents.no = files.content
            WHERE {among} AND {_LINKED} ORDER BY files.path"""
        return [path for (path,) in self._database.rows(asked, values)]

    def imports(
        self, scope: Scope, paths: Sequence[str]
    ) -> list[tuple[str, str, tuple[Import, ...]]]:
        """See `Files.imports`."""
        if not self._reach.reads(scope):
            return []
        language, imports = codec.FILE_LANGUAGE, codec.FILE_IMPORTS
        among, asked = self._among(scope, paths)
        rows = self._database.rows(
            f"SELECT files.path, facts ->> {language}, facts -> {imports} FROM files"
            f" JOIN contents ON contents.no = files.content WHERE {among} ORDER BY files.path",
            asked,
        )
        return readable(
            lambda row: (row[0], row[1], codec.imports_from_json(codec.loads(row[2]))), rows
        )

    def importing(self, scope: Scope, asked: Importing) -> set[str]:
        """See `Files.importing`."""
        if not self._reach.reads(scope):
            return set()
        return paths_importing(self._database, scope, self._checkouts.number(scope), asked)

    def defining(self, scope: Scope, asked: Defining) -> list[tuple[str, float]]:
        """See `Files.defining`."""
        if not self._reach.reads(scope):
            return []
        return files_defining(self._database, scope, self._checkouts.number(scope), asked)

    def naming(self, scope: Scope, asked: Naming) -> set[str]:
        """See `Files.naming`."""
        if not self._reach.reads(scope):
            return set()
        return paths_naming(self._database, scope, self._checkouts.number(scope), asked)

    def names(self, scope: Scope, prefix: str, limit: int) -> list[str]:
        """See `Files.names`."""
        if not self._reach.reads(scope):
            return []
        return names_beginning(self._database, scope, prefix, limit)

    def weights(self, scope: Scope, paths: Sequence[str]) -> dict[str, FileWeight]:
        """See `Files.weights`."""
        if not self._reach.reads(scope):
            return {}
        among, asked = self._among(scope, paths)
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

    def weighed(self, scope: Scope) -> int:
        """See `Files.weighed`."""
        if not self._reach.reads(scope):
            return 0
        asked = "SELECT weighed FROM checkouts WHERE no = ?"
        return int(self._database.value(asked, (self._checkouts.number(scope),)) or 0)

    def stamps(
        self, scope: Scope, paths: Sequence[str] | None = None
    ) -> dict[str, tuple[int, int, str]]:
        """See `Files.stamps`."""
        if not self._reach.reads(scope):
            return {}
        among, asked = self._among(scope, paths)
        rows = self._database.rows(
            f"SELECT path, size, mtime_ns, digest FROM files WHERE {among}", asked
        )
        return {path: (size, mtime_ns, digest) for path, size, mtime_ns, digest in rows}

    def changes(self, scope: Scope, since: int) -> FileChanges:
        """See `Files.changes`."""
        if not self._reach.reads(scope):
            return FileChanges(0)
        with self._database.snapshot():
            checkout = self._checkouts.number(scope)
            clock = self._database.rows(
                "SELECT version, removed FROM checkouts WHERE no = ?", (checkout,)
            )
            rows = self._database.rows(
                "SELECT path FROM files WHERE checkout = ? AND version > ? ORDER BY path",
                (checkout, since),
            )
        version, removed = clock[0] if clock else (0, 0)
        return FileChanges(version, tuple(path for (path,) in rows), removed > since)

    def count(self, scope: Scope) -> int:
        """See `Files.count`."""
        if not self._reach.reads(scope):
            return 0
        asked = "SELECT count(*) FROM files WHERE checkout = ?"
        return int(self._database.value(asked, (self._checkouts.number(scope),)))

    def errors(self, scope: Scope) -> list[tuple[str, str]]:
        """See `Files.errors`."""
        if not self._reach.reads(scope):
            return []
        return self._database.rows(
            "SELECT files.path, error FROM contents JOIN files ON files.content = contents.no"
            " AND +checkout = ? WHERE scope = ? AND error <> '' ORDER BY files.path",
            (self._checkouts.number(scope), str(scope)),
        )

    def calling(self, scope: Scope, reader: str) -> dict[str, tuple[str, str]]:
        """See `Files.calling`."""
        if not self._reach.reads(scope):
            return {}
        asked = (self._checkouts.number(scope), reader)
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
            (self._checkouts.number(scope), reader, codec.dumps(list(paths))),
        )
        return {
            path: (digest, marshal.loads(data))
            for path, digest, sum_, data in rows
            if sum_ == checksum(data)
        }

    def readings(self, scope: Scope, reader: str) -> list[KeptReading]:
        """See `Files.readings`."""
        if not self._reach.reads(scope):
            return []
        rows = self._database.rows(_READINGS, (self._checkouts.number(scope), reader))
        return [
            KeptReading(
                path=path, size=size, mtime_ns=mtime_ns, reader=reader, value=marshal.loads(value)
            )
            for path, size, mtime_ns, sum_, value in rows
            if sum_ == checksum(value)
        ]

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """See `Files.chunks`."""
        seen = self._checkouts.numbers(self._reach.everywhere())
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
