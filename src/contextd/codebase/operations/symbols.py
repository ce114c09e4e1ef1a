"""Find definitions and their uses, and map the most important parts of a project."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Annotated

from contextd.codebase.code_graphs import get_ready, symbols_of
from contextd.codebase.code_uses import use_counts_in_time
from contextd.codebase.freshness import Lag, not_indexed, steady
from contextd.codebase.symbol_weights import keep_weights
from contextd.domain.context_items import Serving
from contextd.domain.details import DOCUMENT
from contextd.domain.limits import Range, Text
from contextd.domain.result_display import text_form
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_binding import session_of
from contextd_code.git import git_queries as git
from contextd_code.queries.symbols import (
    SymbolHit,
    asked_name,
    in_case,
    is_inside,
    names_asked,
    symbol_hits,
)
from contextd_code.queries.use_counts import COMPARED
from contextd_code.symbols.definitions import FoundDefinitions, definitions
from contextd_code.symbols.repo_map import repo_map as draw_map
from contextd_code.symbols.section_outline import contents, first_paths
from contextd_code.tree.grep import grep
from contextd_common.dataclass import dataclass
from contextd_common.errors import Unavailable, closest
from contextd_common.text.remainder import cut_note
from contextd_common.text.tokens import count_tokens

_GIT_SECONDS = 1.0
_COMPARED = 20_000
_TRIED = 3
_MATCHES, _GREP_SECONDS = 10, 3.0
_COUNT_SECONDS = 0.7
"""Seconds to count uses; for the remaining definitions, imports are counted."""


@dataclass(frozen=True, slots=True)
class SymbolHits:
    """Definitions, best first."""

    symbols: list[SymbolHit]
    notice: str = ""

    def as_text(self) -> str:
        """One definition after the other."""
        parts = [hit.as_text() for hit in self.symbols]
        return "\n".join([*parts, f"({self.notice})"] if self.notice else parts)


@operation("GET /api/code/symbols", profile="core", needs="machine")
def find_symbol(
    runtime: Runtime,
    name: Text,
    path: str | None = None,
    kind: str | None = None,
    limit: Annotated[int, Range(1, 100)] = 10,
) -> SymbolHits:
    """Find where a function, class, method, type or constant is defined.

    Args:
        name: Its name, a part of it, or Class.method.
        path: Only in this file, folder or glob.
        kind: Only one, such as function, method, class or type.
        limit: The most definitions.
    """
    for asked in names_asked(name):
        every, lag = _looked_up(runtime, asked, path, kind, limit)
        if every.found:
            break
    fitting, otherwise = in_case(every.found)
    exact = [one for one, how in fitting if how == "exact"]
    used = use_counts_in_time(runtime, exact[: max(limit, COMPARED)], _COUNT_SECONDS)
    hits = symbol_hits(runtime.code_index, fitting, used, limit)
    places = [f"{hit.path}:{hit.line}" for hit in hits]
    # A miss here is a name, not a knowledge gap that the user could fill.
    runtime.trace.read(places, type="symbol", query=name, narrowed=True)
    runtime.trace.gave += [Serving("file", hit.path, count_tokens(text_form(hit))) for hit in hits]
    cut = cut_note(
        len(hits),
        len(fitting),
        "definitions",
        "narrow by path or kind",
        at_least=every.more and len(fitting) > limit,
    )
    other = f"{otherwise} more in another case" if otherwise else ""
    notices = (
        cut,
        other,
        "" if hits else _nothing_found(runtime, name, path, kind, lag),
        lag.notice,
    )
    return SymbolHits(hits, "; ".join(filter(None, notices)))


@dataclass(frozen=True, slots=True)
class MapText:
    """The map, and how many tokens and definitions it has."""

    map: Annotated[str, DOCUMENT]
    tokens: int
    symbols: int
    notice: str = ""

    def as_text(self) -> str:
        """The map itself."""
        return "\n".join(
            part for part in (self.map, f"({self.notice})" * bool(self.notice)) if part
        )


@operation("GET /api/code/map", profile="standard", needs="machine")
def repo_map(
    runtime: Runtime, budget: Annotated[int, Range(50, 50_000)] = 1000, query: str | None = None
) -> MapText:
    """Show the most important files and signatures of the project, or those near a task.

    Args:
        budget: Tokens to fill.
        query: The task in words, or paths and names to start from.
    """
    with steady(runtime, asked=query or "") as lag:
        graph = symbols_of(runtime)
    drawn = draw_map(graph, focus=query or "", near=_at_hand(runtime), budget=budget)
    indexed = 0
    if not drawn.symbols:
        stamps = runtime.code_index.stamps()
        indexed, first = len(stamps), first_paths(list(stamps), query or "")
        ordered = {f.path: f for f in runtime.code_index.all(first)}
        drawn = contents([ordered[path] for path in first if path in ordered], budget)
    runtime.trace.read([], type="map")
    paths = [one.path for one in drawn.symbols]
    share = drawn.tokens // max(1, len(paths))
    runtime.trace.gave += [Serving("file", path, share) for path in paths]
    known = graph.files or indexed
    notice = lag.notice if known else "nothing is indexed yet: call codebase_index"
    return MapText(drawn.text, drawn.tokens, len(drawn.symbols), notice)


def _at_hand(runtime: Runtime) -> list[str]:
    """The files changed in the checkout and those of the open session."""
    paths: dict[str, None] = {}
    if runtime.checkout is not None:
        with suppress(Unavailable):
            state = git.status(runtime.root, timeout=_GIT_SECONDS)
            paths |= dict.fromkeys((*state.modified, *state.untracked))
    session = session_of(runtime)
    if session is not None:
        paths |= dict.fromkeys(access.path for access in session.files)
    return list(paths)


def _nothing_found(
    runtime: Runtime, name: str, path: str | None, kind: str | None, lag: Lag
) -> str:
    """A message that the name is not defined: where the search looked, and what to do."""
    known = runtime.code_index.count()
    help_text = no_definition(runtime, name, lag)
    if lag.notice or not known:
        # What is not indexed yet may define it.
        return help_text
    where = f" in {path}" if path else f" in {known} indexed files"
    of_kind = f"{kind} " if kind else ""
    return f"not found: no {of_kind}definition {name!r}{where}; {help_text}"


def _looked_up(
    runtime: Runtime, asked: str, path: str | None, kind: str | None, limit: int
) -> tuple[FoundDefinitions, Lag]:
    """The definitions that match a name, and where the index is behind the files. Before reporting that a name
    is not defined, all files are compared: agents query code they wrote a moment ago, whose file event may not
    have arrived.
    """
    for certain in (False, True):
        with steady(runtime, certain=certain, asked=asked) as lag:
            keep_weights(runtime, behind=True)
            stale = lag.paths
            found = definitions(
                runtime.code_index,
                asked,
                limit,
                inside=lambda p: p not in stale and is_inside(p, path),  # noqa: B023 - called here
                kind=kind,
            )
        if lag.certain or any(how == "exact" for _, how in found.found):
            break
    get_ready(runtime)
    return found, lag


def no_definition(runtime: Runtime, name: str, lag: Lag) -> str:
    """Hints for a name without a definition: a similar name, and unindexed parts."""
    if not runtime.code_index.count():
        return "nothing is indexed yet: call codebase_index"
    last = asked_name(name).rpartition(".")[2]
    help_text = _text_matches(runtime, last) if lag.notice else _name_like(runtime, last, lag.paths)
    help_text = help_text or "find_symbol finds names by their parts; grep_codebase finds any text"
    return "; ".join(filter(None, (help_text, not_indexed(runtime, symbols=True))))


def _name_like(runtime: Runtime, last: str, stale: frozenset[str]) -> str:
    # Comparing with every name of a large project takes seconds.
    names = set(runtime.code_index.names(last[:1].casefold(), _COMPARED))
    for _ in range(_TRIED):
        alike = closest(last.casefold(), sorted(names))
        if not alike:
            return ""
        found = definitions(runtime.code_index, alike, 1, inside=lambda p: p not in stale).found
        # A name may be gone, or exist only in another checkout; the missing name itself is no help.
        if found and found[0][0].symbol.name != last:
            return f"did you mean {found[0][0].symbol.name!r}?"
        names.discard(alike)
    return ""


def _text_matches(runtime: Runtime, word: str) -> str:
    """Text matches of a word in the current files, while the index catches up."""
    if runtime.checkout is None:
        return ""
    found = grep(runtime.root, rf"\b{re.escape(word)}\b", limit=_MATCHES, deadline=_GREP_SECONDS)
    places = [f"{one.path}:{one.line}" for one in found.matches if one.is_match]
    more = ", …" if found.truncated else ""
    return f"text matches now: {', '.join(places)}{more}" if places else f"no text matches {word!r}"
