"""Search the project's code: by regular expression, and by meaning."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatch
from typing import Annotated

from contextd.codebase.code_graphs import get_ready
from contextd.codebase.code_uses import (
    use_counts_in_time,
    use_counts_of_names,
)
from contextd.codebase.freshness import not_indexed, steady
from contextd.domain.context_items import Serving
from contextd.domain.details import DOCUMENT
from contextd.domain.limits import REGEX, Glob, Matching, Range, Text
from contextd.domain.query import CODE
from contextd.domain.result_display import text_form
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.file_history import past_of
from contextd.search.file_votes import COMMITS, RECORDS
from contextd.search.find_records import find_documents, give
from contextd.search.logged_queries import asked
from contextd_code.queries.symbols import asked_name
from contextd_code.queries.use_counts import COMPARED, most_used_first
from contextd_code.symbols.definitions import definitions
from contextd_code.tree.grep import grep
from contextd_code.values.source import Chunk
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens

GREP_SECONDS = 10.0
_MOST = 100
_NAME = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_COUNT_SECONDS = 0.3
"""Seconds to count the uses of results."""


@dataclass(frozen=True, slots=True)
class GrepLine:
    """A matching line, or a line of its requested `context`."""

    path: str
    line: int
    text: str
    match: bool = True

    def as_text(self) -> str:
        """`path:line: text`, as grep prints it."""
        return f"{self.path}:{self.line}{':' if self.match else '-'} {self.text}"


@dataclass(frozen=True, slots=True)
class Grepped:
    """Matching lines by file and line."""

    matches: list[GrepLine]
    truncated: bool = False
    notice: str = ""

    def as_text(self) -> str:
        """A line per line."""
        lines = [line.as_text() for line in self.matches]
        if self.notice:
            lines.append(f"({self.notice})")
        return "\n".join(lines) or "no matches"


@operation("GET /api/code/grep", profile="standard", needs="checkout")
def grep_codebase(
    runtime: Runtime,
    pattern: Annotated[str, Matching(".", "a regular expression"), REGEX],
    path: Glob | None = None,
    ignore_case: bool = False,
    context: Annotated[int, Range(0, 20)] = 0,
    limit: Annotated[int, Range(1, 2000)] = 100,
) -> Grepped:
    """Search the project's files with a regular expression.

    Args:
        pattern: The expression.
        path: Only in this file, folder or glob.
        ignore_case: Any case.
        context: Lines around each match.
        limit: The most matches.
    """
    found = grep(
        runtime.root,
        pattern,
        file_pattern=path,
        ignore_case=ignore_case,
        context=context,
        limit=limit,
        deadline=GREP_SECONDS,
    )
    runtime.trace.read([], type="grep")
    runtime.trace.gave += [
        Serving("file", match.path, count_tokens(match.text)) for match in found.matches
    ]
    lines = [GrepLine(m.path, m.line, m.text, m.is_match) for m in found.matches]
    return Grepped(lines, found.truncated, found.notice)


@dataclass(frozen=True, slots=True)
class CodeHit:
    """A piece of code that answers a query. `past` names earlier work on its file that resembles the query,
    `used_by` counts the files that certainly use its definition, if known.
    """

    path: str
    start_line: int
    end_line: int
    symbol: str
    text: Annotated[str, DOCUMENT]
    score: float
    why: str = ""
    past: str = ""
    used_by: int = 0

    def as_text(self) -> str:
        """The location and the code."""
        name = f" {self.symbol}" if self.symbol else ""
        if self.used_by:
            name += f" · used by {self.used_by} file{'s' * (self.used_by != 1)}"
        note = f" ({self.past})" if self.past else ""
        return f"{self.path}:{self.start_line}-{self.end_line}{name}{note}\n{self.text.rstrip()}"


@dataclass(frozen=True, slots=True)
class CodeHits:
    """Pieces of code, best first."""

    results: list[CodeHit]
    notice: str = ""

    def as_text(self) -> str:
        """Each piece under its location."""
        parts = [hit.as_text() for hit in self.results]
        return (
            "\n\n".join([*parts, f"({self.notice})"] if self.notice else parts) or "nothing found"
        )


@operation("GET /api/code/search", profile="standard", needs="machine")
def codebase_search(
    runtime: Runtime,
    query: Text,
    path: Glob | None = None,
    limit: Annotated[int, Range(1, _MOST)] = 8,
) -> CodeHits:
    """Search the code by meaning and by words; finds functions by what they do.

    Args:
        query: What the code does, or names in it.
        path: Only in this file, folder or glob.
        limit: The most pieces.
    """
    _ = runtime.code_index  # A store without one must not answer that nothing was found.
    wanted = limit if not path else _MOST
    past = past_of(runtime, query)

    def inside(file: str) -> bool:
        return file not in lag.paths and _matches(file, path)

    with steady(runtime, asked=query) as lag:
        found = find_documents(runtime, query, (CODE,), limit=wanted, past=past, without=lag.paths)
    hits = [
        CodeHit(
            path=chunk.path,
            start_line=chunk.start_line,
            end_line=chunk.end_line,
            symbol=chunk.symbol,
            text=chunk.text,
            score=round(hit.relevance, 4),
            why=hit.why,
            past=next((part.why for part in hit.parts if part.name in (RECORDS, COMMITS)), ""),
        )
        for hit in found.hits
        if isinstance(chunk := hit.content, Chunk) and _matches(chunk.path, path)
    ][:limit]
    hits = _with_uses(runtime, _definition_first(runtime, query, hits, inside)[:limit])
    paths = [hit.path for hit in hits]
    # What is not indexed yet may hold the answer.
    narrowed = bool(path or lag.notice)
    asked(runtime, query, paths, type="code", narrowed=narrowed)
    give(runtime, (("file", hit.path, text_form(hit)) for hit in hits))
    get_ready(runtime)
    outside = "" if hits else not_indexed(runtime)
    return CodeHits(hits, "; ".join(filter(None, (found.notice, lag.notice, outside))))


def _definition_first(
    runtime: Runtime, query: str, hits: list[CodeHit], inside: Callable[[str], bool]
) -> list[CodeHit]:
    """The hits of a query that is a name; the definition that `find_references` chooses comes first."""
    asked = asked_name(query)
    if not _NAME.fullmatch(asked):
        return hits
    known = definitions(runtime.code_index, asked, COMPARED, inside=inside)
    exact = [one for one, how in known.found if how == "exact"]
    counts = use_counts_in_time(runtime, exact[:COMPARED], _COUNT_SECONDS)
    meant = next(iter(most_used_first(exact, counts)), None)
    files = runtime.code_index.get([meant.path] if meant else [])
    if meant is None or not files:
        return hits
    line = meant.symbol.start_line
    pieces = [one for one in files[0].chunks if one.start_line <= line <= one.end_line]
    if not pieces:
        return hits
    # A line on which one piece ends and the next begins belongs to the next.
    chunk = pieces[-1]
    place = chunk.path, chunk.start_line
    rest = [one for one in hits if (one.path, one.start_line) != place]
    known_hits = [one for one in hits if (one.path, one.start_line) == place]
    best = max((one.score for one in hits), default=1.0)
    first = CodeHit(
        *(*place, chunk.end_line, meant.qualified, chunk.text, best),
        why="defines it",
        past=known_hits[0].past if known_hits else "",
    )
    return [first, *rest]


def _with_uses(runtime: Runtime, hits: list[CodeHit]) -> list[CodeHit]:
    """The same pieces, with the number of files that use their definitions."""
    named = [(hit.path, hit.symbol) for hit in hits if hit.symbol]
    counts = use_counts_of_names(runtime, named, _COUNT_SECONDS)
    files = {place: count.files for place, count in counts.items()}
    return [replace(hit, used_by=files.get((hit.path, hit.symbol), 0)) for hit in hits]


def _matches(path: str, pattern: str | None) -> bool:
    return not pattern or fnmatch(path, pattern) or fnmatch(path.rsplit("/", 1)[-1], pattern)
