"""An FTS5 index of the words that files import and define. It takes bulk inserts, where a table of words
and files would write a page each.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from itertools import islice
from zlib import crc32

from contextd.domain.scope import Scope
from contextd.stores.connection import SqliteDatabase
from contextd_code.values.definition_queries import (
    Defining,
    Naming,
    folded_names,
    name_words,
    passes_all_on,
)
from contextd_code.values.imports import Importing, has_wordless, import_words
from contextd_code.values.source import SourceFile

_ASKED_AT_ONCE = 200

_WORD, _TARGET, _WORDLESS, _PASSING = "w", "t", "n", "x"
_NAME, _PART = "d", "p"
"""The type of a token, after the mark of its scope."""

_ONE_TOKEN = {n: 0xE000 + n for n in range(128) if not chr(n).isalnum()}
"""Characters that the tokenizer would split at, first of all `_`, mapped to ones it does not."""

_LAST = "\U0010ffff"


def token_text(scope: Scope, file: SourceFile) -> str:
    """The stored words of a file; empty if it has none."""
    mark = _mark(scope)
    found = {f"{mark}{_NAME}{_one_token(name)}" for name in folded_names(file)}
    found.update(f"{mark}{_PART}{_one_token(word)}" for word in name_words(file))
    if file.imports:
        targets = frozenset(one.target for one in file.imports if one.target)
        words, wordless = import_words(file.imports), has_wordless(file.imports)
        asked = Importing(words=words, targets=targets, wordless=wordless)
        found.update(_tokens(scope, asked))
        if passes_all_on(file):
            found.add(f"{mark}{_PASSING}")
    return " ".join(sorted(found))


def _mark(scope: Scope) -> str:
    # Colliding marks only cause false positives, no misses.
    return f"{crc32(str(scope).encode()):08x}"


def _one_token(name: str) -> str:
    return name.translate(_ONE_TOKEN)


def _target(mark: str, path: str) -> str:
    return f"{mark}{_TARGET}{crc32(path.encode()):08x}"


def _tokens(scope: Scope, asked: Importing) -> Iterator[str]:
    mark = _mark(scope)
    for word in asked.words:
        yield f"{mark}{_WORD}{word}"
    for path in asked.targets:
        yield _target(mark, path)
    if asked.wordless:
        yield f"{mark}{_WORDLESS}"


def paths_importing(
    database: SqliteDatabase, scope: Scope, checkout: int, asked: Importing
) -> set[str]:
    """See `Files.importing`."""
    found: set[str] = set()
    tokens = _tokens(scope, asked)
    while some := list(islice(tokens, _ASKED_AT_ONCE)):
        found |= _paths(database, checkout, _either(some))
    for folder in asked.folders | asked.below:
        # `0` follows `/` in the order of paths.
        inside = (f"{folder}/", f"{folder}0") if folder else ("", _LAST)
        rows = database.rows(
            "SELECT path FROM files WHERE checkout = ? AND path >= ? AND path < ?"
            " AND content IN (SELECT id FROM file_words_docsize)",
            (checkout, *inside),
        )
        found.update(
            path for (path,) in rows if folder in asked.below or posixpath.dirname(path) == folder
        )
    return found


def files_defining(
    database: SqliteDatabase, scope: Scope, checkout: int, asked: Defining
) -> list[tuple[str, float]]:
    """See `Files.defining`."""
    mark = _mark(scope)
    ways: list[str] = []
    if asked.name:
        ways.append(f'"{mark}{_NAME}{_one_token(asked.name)}"')
    if asked.prefix:
        ways.append(f'"{mark}{_NAME}{_one_token(asked.prefix)}" *')
    if asked.words:
        words = (f'"{mark}{_PART}{_one_token(word)}"' for word in sorted(asked.words))
        ways.append(f"({' AND '.join(words)})")
    if not ways:
        return []
    rows = database.rows(
        "SELECT path, coalesce(top, 0.0) FROM file_words"
        " JOIN files ON files.content = file_words.rowid AND +checkout = ?"
        " LEFT JOIN weights_of_files ON weights_of_files.content = files.content"
        " WHERE file_words MATCH ?",
        (checkout, " OR ".join(ways)),
    )
    return [(path, top) for path, top in rows]


def paths_naming(database: SqliteDatabase, scope: Scope, checkout: int, asked: Naming) -> set[str]:
    """See `Files.naming`."""
    mark, found = _mark(scope), set[str]()
    words = _either(
        (*(f"{mark}{_WORD}{word}" for word in sorted(asked.words)), f"{mark}{_PASSING}")
    )
    targets = iter(sorted(asked.targets))
    while some := list(islice(targets, _ASKED_AT_ONCE)):
        either = _either(_target(mark, path) for path in some)
        found |= _paths(database, checkout, f"({either}) AND ({words})")
    return found


def names_beginning(database: SqliteDatabase, scope: Scope, prefix: str, limit: int) -> list[str]:
    """See `Files.names`."""
    start = f"{_mark(scope)}{_NAME}{_one_token(prefix)}"
    skipped = len(_mark(scope)) + len(_NAME)
    rows = database.rows(
        "SELECT term FROM words_of_files WHERE term >= ? AND term < ? LIMIT ?",
        (start, start + _LAST, limit),
    )
    back = {new: old for old, new in _ONE_TOKEN.items()}
    return sorted(term[skipped:].translate(back) for (term,) in rows)


def _either(tokens: Iterable[str]) -> str:
    return " OR ".join(f'"{token}"' for token in tokens)


def _paths(database: SqliteDatabase, checkout: int, matching: str) -> set[str]:
    rows = database.rows(
        "SELECT path FROM file_words JOIN files ON files.content = file_words.rowid"
        # The plus keeps SQLite from scanning all files of the checkout.
        " AND +checkout = ? WHERE file_words MATCH ?",
        (checkout, matching),
    )
    return {path for (path,) in rows}
