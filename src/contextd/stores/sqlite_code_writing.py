"""Commit changes of the code index: the files of one checkout, and the contents they share with others."""

from __future__ import annotations

import hashlib
import marshal
import sys
from collections.abc import Iterable, Sequence
from itertools import chain

import apsw

from contextd.domain.changes import CodeChange
from contextd.domain.checkout_keys import CheckoutKey
from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.database import fetch
from contextd.stores.file_words import token_text
from contextd_code.values.source import FileCalls, FileWeight, KeptReading, SourceFile
from contextd_common.dataclass import dataclass

_FILE = """INSERT INTO files (checkout, path, content, size, mtime_ns, digest, version)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (checkout, path) DO UPDATE SET content = excluded.content,
    size = excluded.size, mtime_ns = excluded.mtime_ns, digest = excluded.digest,
    version = excluded.version"""
_CHECKOUT = """INSERT INTO checkouts (scope, root, indexed) VALUES (?, ?, ?)
    ON CONFLICT (scope, root) DO UPDATE SET indexed = excluded.indexed RETURNING no"""
_NEXT_VERSION = """UPDATE checkouts SET version = version + 1,
    removed = CASE WHEN ?2 THEN version + 1 ELSE removed END WHERE no = ?1 RETURNING version"""
_WORDS = "INSERT OR REPLACE INTO file_words (rowid, words) VALUES (?, ?)"
_NO_WORDS = "DELETE FROM file_words WHERE rowid = ?"
_CHUNK = """INSERT INTO chunks (id, content, start_line, end_line, symbol, language, text)
    VALUES (?, ?, ?, ?, ?, ?, ?)"""
_SAME = "SELECT no FROM contents WHERE scope = ? AND path = ? AND digest = ? AND facts = ?"
_KEEP_CALLS = """INSERT OR REPLACE INTO calls_of_files SELECT content, digest, ?, ?, ?, ?
    FROM files WHERE checkout = ? AND path = ? AND digest = ?"""
_KEEP_READING = """INSERT OR REPLACE INTO readings_of_files SELECT content, ?, digest, ?, ?
    FROM files WHERE checkout = ? AND path = ? AND size = ? AND mtime_ns = ?"""
_WEIGHT = """INSERT OR REPLACE INTO weights_of_files SELECT content, ?, ?, ?
    FROM files WHERE checkout = ? AND path = ?"""
_BEGIN = """INSERT INTO files (checkout, path, content, size, mtime_ns, digest, version)
    SELECT ?1, path, content, size, 0, digest, 1 FROM files WHERE checkout =
    (SELECT no FROM checkouts WHERE scope = ?2 AND no <> ?1 ORDER BY indexed DESC, no DESC LIMIT 1)"""

Values = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class CodeRows:
    """The rows of a change of code, computed in advance."""

    change: CodeChange
    files: Sequence[FileRow]
    calls: Sequence[tuple[Values, Values]]
    readings: Sequence[tuple[Values, Values]]
    weights: Sequence[tuple[Values, Values]]


@dataclass(frozen=True, slots=True)
class FileRow:
    """A stored file: its stamp belongs to the checkout, the rest to its content."""

    path: str
    stamp: tuple[int, int]
    digest: str
    facts: str
    words: str
    chunks: Sequence[Values]
    error: str


def code_rows(change: CodeChange) -> CodeRows:
    """A change of code in stored form."""
    return CodeRows(
        change,
        [_file_row(change.scope, file) for file in change.put],
        [_calls_row(one) for one in change.calls],
        [_reading_row(one) for one in change.readings],
        [_weight_row(one) for one in change.weights],
    )


def _file_row(scope: Scope, file: SourceFile) -> FileRow:
    chunks: list[Values] = [
        (c.id, c.start_line, c.end_line, c.symbol, c.language, c.text) for c in file.chunks
    ]
    facts = codec.dumps(codec.file_to_json(file, stamped=False))
    stamp = file.size, file.mtime_ns
    words = token_text(scope, file)
    return FileRow(file.path, stamp, file.digest, facts, words, chunks, file.error)


def _calls_row(one: FileCalls) -> tuple[Values, Values]:
    # Marshalled by this Python: it is read three times faster than JSON, and parsing the file again takes
    # twice as long as JSON.
    data = marshal.dumps(one.facts)
    return (one.reader, one.names, checksum(data), data), (one.path, one.digest)


def _reading_row(one: KeptReading) -> tuple[Values, Values]:
    data = marshal.dumps(one.value)
    return (one.reader, checksum(data), data), (one.path, one.size, one.mtime_ns)


def _weight_row(one: FileWeight) -> tuple[Values, Values]:
    return (one.rank, one.top, codec.dumps(one.used)), (one.path,)


def checksum(data: bytes) -> bytes:
    """Proof that this Python wrote the data: other or damaged data must not reach `marshal`."""
    return hashlib.blake2b(data, digest_size=12, key=sys.version.encode()[:64]).digest()


def write_code(
    connection: apsw.Connection, rows: CodeRows, place: CheckoutKey | None, now: int
) -> list[str]:
    """Write a change of code; return the ids of chunks that no content of the project has any more."""
    change, scope = rows.change, str(rows.change.scope)
    stands = place is not None and place.scope == change.scope
    removed_ids: list[str] = []
    for root in change.lost_roots:
        removed_ids += _drop_checkout(connection, scope, root)
    if not stands and change.remove:
        every = fetch(connection, "SELECT no FROM checkouts WHERE scope = ?", (scope,))
        for (number,) in every:
            removed_ids += _remove(connection, number, change.remove)
    written = rows.files or rows.calls or rows.readings or change.stamps or change.weighed
    if stands or written:
        root = place.root if place is not None and stands else ""
        [(checkout,)] = fetch(connection, _CHECKOUT, (scope, root, now))
        removed_ids += _write_checkout(connection, checkout, rows, remove=stands)
    return _unheld(connection, scope, removed_ids)


def _write_checkout(
    connection: apsw.Connection, checkout: int, rows: CodeRows, *, remove: bool
) -> list[str]:
    change, removed_ids = rows.change, list[str]()
    if change.begin:
        _begin(connection, checkout, str(change.scope))
    if remove and change.remove:
        removed_ids += _remove(connection, checkout, change.remove)
    if rows.files:
        version = _next_version(connection, checkout, removing=False)
        for row in rows.files:
            removed_ids += _write_file(connection, str(change.scope), checkout, row, version)
    connection.executemany(
        "UPDATE files SET size = ?, mtime_ns = ? WHERE checkout = ? AND path = ?",
        [(one.size, one.mtime_ns, checkout, one.path) for one in change.stamps],
    )
    for sql, some in ((_KEEP_CALLS, rows.calls), (_KEEP_READING, rows.readings)):
        connection.executemany(sql, [(*made, checkout, *where) for made, where in some])
    if change.weighed:
        connection.execute(
            "DELETE FROM weights_of_files WHERE content IN"
            " (SELECT content FROM files WHERE checkout = ?)",
            (checkout,),
        )
        values = [(*made, checkout, *where) for made, where in rows.weights]
        connection.executemany(_WEIGHT, values)
        connection.execute(
            "UPDATE checkouts SET weighed = ? WHERE no = ?", (change.weighed, checkout)
        )
    return removed_ids


def _next_version(connection: apsw.Connection, checkout: int, *, removing: bool) -> int:
    """The next version of a checkout's files."""
    [(version,)] = fetch(connection, _NEXT_VERSION, (checkout, int(removing)))
    return int(version)


def _begin(connection: apsw.Connection, checkout: int, scope: str) -> None:
    """Copy the files of the checkout indexed last to one without files."""
    if fetch(connection, "SELECT 1 FROM files WHERE checkout = ? LIMIT 1", (checkout,)):
        return
    connection.execute(_BEGIN, (checkout, scope))
    connection.execute(
        "UPDATE checkouts SET version = 1, removed = 1, weighed ="
        " (SELECT min(1, max(weighed)) FROM checkouts WHERE scope = ?) WHERE no = ?",
        (scope, checkout),
    )


def _write_file(
    connection: apsw.Connection, scope: str, checkout: int, row: FileRow, version: int
) -> list[str]:
    """Insert or replace a file; return the ids of chunks its content no longer has."""
    before = fetch(
        connection,
        "SELECT content FROM files WHERE checkout = ? AND path = ?",
        (checkout, row.path),
    )
    same = fetch(connection, _SAME, (scope, row.path, row.digest, row.facts))
    removed_ids: list[str] = []
    if same:
        content = int(same[0][0])
    elif before and not _is_shared(connection, int(before[0][0])):
        content = int(before[0][0])
        removed_ids = _replace(connection, content, row)
    else:
        content = _add(connection, scope, row)
    values = (checkout, row.path, content, *row.stamp, row.digest, version)
    connection.execute(_FILE, values)
    if before and int(before[0][0]) != content:
        removed_ids += _drop_unused(connection, [int(before[0][0])])
    return removed_ids


def _is_shared(connection: apsw.Connection, content: int) -> bool:
    held = fetch(connection, "SELECT 1 FROM files WHERE content = ? LIMIT 2", (content,))
    return len(held) > 1


def _add(connection: apsw.Connection, scope: str, row: FileRow) -> int:
    [(content,)] = fetch(
        connection,
        "INSERT INTO contents (scope, path, digest, pieces, error, facts) VALUES (?, ?, ?, ?, ?, ?)"
        " RETURNING no",
        (scope, row.path, row.digest, len(row.chunks), row.error, row.facts),
    )
    _write_content(connection, content, row)
    return int(content)


def _replace(connection: apsw.Connection, content: int, row: FileRow) -> list[str]:
    connection.execute(
        "UPDATE contents SET digest = ?, pieces = ?, error = ?, facts = ? WHERE no = ?",
        (row.digest, len(row.chunks), row.error, row.facts, content),
    )
    connection.execute(
        "DELETE FROM calls_of_files WHERE content = ? AND digest <> ?", (content, row.digest)
    )
    before = fetch(connection, "DELETE FROM chunks WHERE content = ? RETURNING id", (content,))
    _write_content(connection, content, row)
    present = {chunk[0] for chunk in row.chunks}
    return [id_ for (id_,) in before if id_ not in present]


def _write_content(connection: apsw.Connection, content: int, row: FileRow) -> None:
    if row.words:
        connection.execute(_WORDS, (content, row.words))
    else:
        connection.execute(_NO_WORDS, (content,))
    connection.executemany(_CHUNK, [(chunk[0], content, *chunk[1:]) for chunk in row.chunks])


def _remove(connection: apsw.Connection, checkout: int, paths: Sequence[str]) -> list[str]:
    """Remove these files from a checkout; return the ids of chunks removed with their contents."""
    removed = fetch(
        connection,
        "DELETE FROM files WHERE checkout = ? AND path IN (SELECT value FROM json_each(?))"
        " RETURNING content",
        (checkout, codec.dumps(list(paths))),
    )
    _next_version(connection, checkout, removing=True)
    return _drop_unused(connection, [content for (content,) in removed])


def _drop_checkout(connection: apsw.Connection, scope: str, root: str) -> list[str]:
    contents = fetch(
        connection,
        "DELETE FROM files WHERE checkout = (SELECT no FROM checkouts WHERE scope = ? AND root = ?)"
        " RETURNING content",
        (scope, root),
    )
    connection.execute("DELETE FROM checkouts WHERE scope = ? AND root = ?", (scope, root))
    return _drop_unused(connection, [content for (content,) in contents])


def _drop_unused(connection: apsw.Connection, contents: Iterable[int]) -> list[str]:
    """Delete the contents among these that no checkout has any more; return the ids of their chunks."""
    unused = [
        row[0]
        for row in fetch(
            connection,
            "SELECT value FROM json_each(?) WHERE NOT EXISTS"
            " (SELECT 1 FROM files WHERE content = value)",
            (codec.dumps(list(contents)),),
        )
    ]
    chunks = [
        fetch(connection, "DELETE FROM chunks WHERE content = ? RETURNING id", (number,))
        for number in unused
    ]
    connection.executemany("DELETE FROM contents WHERE no = ?", [(number,) for number in unused])
    return [id_ for (id_,) in chain.from_iterable(chunks)]


def _unheld(connection: apsw.Connection, scope: str, ids: Sequence[str]) -> list[str]:
    """Those of these chunks that no content of the project has."""
    if not ids:
        return []
    rows = fetch(
        connection,
        "SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM chunks"
        " JOIN contents ON contents.no = chunks.content WHERE id = value AND scope = ?)",
        (codec.dumps(list(ids)), scope),
    )
    return [id_ for (id_,) in rows]
