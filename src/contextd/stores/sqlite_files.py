"""The code model in SQLite: a row of facts per file, a row of text per chunk."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.domain.code import Chunk, SourceFile
from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.connection import Database, fetch

_FILE = """INSERT INTO files (scope, path, size, mtime_ns, digest, facts)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (scope, path) DO UPDATE SET size = excluded.size,
    mtime_ns = excluded.mtime_ns, digest = excluded.digest, facts = excluded.facts
    RETURNING rowid"""
_CHUNK = """INSERT INTO chunks (id, file, start_line, end_line, symbol, language, text)
    VALUES (?, ?, ?, ?, ?, ?, ?)"""


class SqliteFiles:
    """`Files` in the tables `files` and `chunks`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, scope: Scope, files: Sequence[SourceFile]) -> None:
        """See `Files.put`."""
        place = str(scope)
        rows = [
            (place, f.path, f.size, f.mtime_ns, f.digest, codec.dumps(codec.file_to_json(f)))
            for f in files
        ]
        if not rows:
            return
        with self._database.write() as connection:
            for row, file in zip(rows, files, strict=True):
                [(rowid,)] = fetch(connection, _FILE, row)
                connection.execute("DELETE FROM chunks WHERE file = ?", (rowid,))
                connection.executemany(
                    _CHUNK,
                    [
                        (c.id, rowid, c.start_line, c.end_line, c.symbol, c.language, c.text)
                        for c in file.chunks
                    ],
                )

    def get(self, scope: Scope, path: str) -> SourceFile | None:
        """See `Files.get`."""
        with self._database.snapshot():
            rows = self._database.rows(
                "SELECT rowid, facts FROM files WHERE scope = ? AND path = ?", (str(scope), path)
            )
            if not rows:
                return None
            texts = self._database.rows("SELECT id, text FROM chunks WHERE file = ?", rows[0][:1])
        return codec.file_from_json(codec.loads(rows[0][1]), dict(texts))

    def all(self, scope: Scope) -> list[SourceFile]:
        """See `Files.all`."""
        rows = self._database.rows(
            "SELECT facts FROM files WHERE scope = ? ORDER BY path", (str(scope),)
        )
        return [codec.file_from_json(codec.loads(facts)) for (facts,) in rows]

    def stamps(self, scope: Scope) -> dict[str, tuple[int, int, str]]:
        """See `Files.stamps`."""
        rows = self._database.rows(
            "SELECT path, size, mtime_ns, digest FROM files WHERE scope = ?", (str(scope),)
        )
        return {path: (size, mtime_ns, digest) for path, size, mtime_ns, digest in rows}

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """See `Files.chunks`."""
        rows = self._database.rows(
            "SELECT c.id, f.path, c.start_line, c.end_line, c.symbol, c.language, c.text"
            " FROM chunks c JOIN files f ON f.rowid = c.file"
            " WHERE c.id IN (SELECT value FROM json_each(?))",
            (codec.dumps(list(ids)),),
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

    def remove(self, scope: Scope, paths: Sequence[str]) -> None:
        """See `Files.remove`."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM files WHERE scope = ? AND path IN (SELECT value FROM json_each(?))",
                (str(scope), codec.dumps(list(paths))),
            )
