"""The sections of files without definitions, by title, within a budget."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from contextd_code.symbols.repo_map import RepoMap
from contextd_code.values.source import VALUES, SourceFile
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import content_words, printable, words

MOST_FILES = 400
"""The most files read: their titles fill any budget."""

_SECTIONS_EACH = 12


def first_paths(paths: Sequence[str], focus: str = "") -> list[str]:
    """The files to show first: paths that match the focus, then a README, then files near the root."""
    asked = frozenset(content_words(focus))

    def place(path: str) -> tuple[int, int, int, str]:
        name = posixpath.basename(path).casefold()
        return (
            -len(asked.intersection(words(path))) if asked else 0,
            path.count("/"),
            not name.startswith(("readme", "index")),
            path,
        )

    return sorted(paths, key=place)[:MOST_FILES]


def contents(files: Sequence[SourceFile], budget: int) -> RepoMap:
    """The files in order, each with the lines and titles of its sections, in at most `budget`
    tokens.

    Data files come last, by name only.
    """
    chunked_files = [file for file in files if file.chunks]
    chunked_files.sort(key=lambda file: file.language in VALUES)
    lines: list[str] = []
    left = budget
    for file in chunked_files:
        for line in [printable(file.path), *map(printable, _sections(file))]:
            left -= count_tokens(line) + 1
            if left < 0:
                return _drawn(lines)
            lines.append(line)
    return _drawn(lines)


def _drawn(lines: Sequence[str]) -> RepoMap:
    text = "\n".join(lines)
    return RepoMap(text, count_tokens(text), ())


def _sections(file: SourceFile) -> list[str]:
    titles: dict[str, int] = {}
    for chunk in file.chunks if file.language not in VALUES else ():
        if chunk.symbol:
            titles.setdefault(chunk.symbol, chunk.start_line)
    shown = [f"  {line} {title}" for title, line in titles.items()]
    more = len(shown) - _SECTIONS_EACH
    return shown if more <= 1 else [*shown[:_SECTIONS_EACH], f"  … {more} more"]
