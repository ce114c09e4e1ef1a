"""The words of imports, looked up as an index of FTS5: it takes in many at once where a table of words and
files would write a page for each.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from itertools import islice
from zlib import crc32

from contextd.domain.code import Import
from contextd.domain.imports import Importing, has_wordless, import_words
from contextd.domain.scope import Scope
from contextd.stores.connection import Database

_ASKED_AT_ONCE = 200

_WORD, _TARGET, _WORDLESS = "w", "t", "n"
"""What a token stands for, behind the mark of its scope."""


def token_text(scope: Scope, imports: Sequence[Import]) -> str:
    """What is kept of a file's imports; empty when it has none."""
    if not imports:
        return ""
    targets = frozenset(one.target for one in imports if one.target)
    asked = Importing(words=import_words(imports), targets=targets, wordless=has_wordless(imports))
    return " ".join(sorted(_tokens(scope, asked)))


def _tokens(scope: Scope, asked: Importing) -> Iterator[str]:
    # Where two are marked alike, what is found is more than was asked for, and no less.
    mark = f"{crc32(str(scope).encode()):08x}"
    for word in asked.words:
        yield f"{mark}{_WORD}{word}"
    for path in asked.targets:
        yield f"{mark}{_TARGET}{crc32(path.encode()):08x}"
    if asked.wordless:
        yield f"{mark}{_WORDLESS}"


def paths_importing(database: Database, scope: Scope, asked: Importing) -> set[str]:
    """See `Files.importing`."""
    found: set[str] = set()
    tokens = _tokens(scope, asked)
    while some := list(islice(tokens, _ASKED_AT_ONCE)):
        alternatives = " OR ".join(f'"{token}"' for token in some)
        rows = database.rows(
            "SELECT path FROM import_words JOIN files ON files.no = import_words.rowid"
            " WHERE import_words MATCH ? AND scope = ?",
            (alternatives, str(scope)),
        )
        found.update(path for (path,) in rows)
    for folder in asked.folders | asked.below:
        # What follows `/` in the order of paths is `0`.
        inside = (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")
        rows = database.rows(
            "SELECT path FROM files WHERE scope = ? AND path >= ? AND path < ?"
            " AND no IN (SELECT id FROM import_words_docsize)",
            (str(scope), *inside),
        )
        found.update(
            path for (path,) in rows if folder in asked.below or posixpath.dirname(path) == folder
        )
    return found
