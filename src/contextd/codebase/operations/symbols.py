"""Find definitions and their uses, and map the most important parts of a project."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatch
from typing import Annotated

from contextd.codebase.code_graphs import get_ready, symbols_of
from contextd.codebase.code_uses import COMPARED, most_used_first, use_counts_in_time
from contextd.codebase.freshness import Lag, not_indexed, steady
from contextd.codebase.symbol_weights import keep_weights
from contextd.domain.context_items import Serving
from contextd.domain.details import DOCUMENT
from contextd.domain.limits import Range, Text
from contextd.domain.result_display import text_form
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_binding import session_of
from contextd_code.dataclass import dataclass
from contextd_code.errors import Unavailable, closest
from contextd_code.git import git_queries as git
from contextd_code.symbols.definitions import FoundDefinitions, definitions, use_counts
from contextd_code.symbols.repo_map import repo_map as draw_map
from contextd_code.symbols.section_outline import contents, first_paths
from contextd_code.symbols.symbol_graph import Definition
from contextd_code.text.tokens import count_tokens
from contextd_code.tree.grep import grep

_GIT_SECONDS = 1.0
_COMPARED = 20_000
_TRIED = 3
_MATCHES, _GREP_SECONDS = 10, 3.0
_COUNT_SECONDS = 0.7
"""Seconds to count uses; for the remaining definitions, imports are counted."""


@dataclass(frozen=True, slots=True)
class SymbolHit:
    """A definition. `name` is qualified; `used_by` counts the files that certainly use it, or, where `counted`
    is `imports`, those that import it or its class. `match` says how it was found.
    """

    name: str
    kind: str
    path: str
    line: int
    end_line: int
    signature: str
    exported: bool
    used_by: int
    match: str = "exact"
    counted: str = "uses"

    def as_text(self) -> str:
        """Location, signature and use."""
        files = f"{self.used_by} file{'s' * (self.used_by != 1)}"
        whole = "its type is imported by" if "." in self.name else "imported by"
        used = (
            f" · {'used by' if self.counted == 'uses' else whole} {files}" if self.used_by else ""
        )
        hidden = "" if self.exported or "." in self.name else " · not exported"
        return f"{self.path}:{self.line}-{self.end_line} {self.kind} {self.name}{hidden}{used}\n  {self.signature}"


@dataclass(frozen=True, slots=True)
class SymbolHits:
    """Definitions, best first."""

    symbols: list[SymbolHit]
    notice: str = ""

    def as_text(self) -> str:
        """One definition after the other."""
        parts = [hit.as_text() for hit in self.symbols]
        return "\n".join([*parts, f"({self.notice})"] if self.notice else parts)


@operation("GET /api/code/symbols", profile="core")
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
    every, lag = _looked_up(runtime, asked_name(name), path, kind, limit)
    fitting, otherwise = _in_case(every.found)
    exact = [one for one, how in fitting if how == "exact"]
    used = use_counts_in_time(runtime, exact[: max(limit, COMPARED)], _COUNT_SECONDS)
    fitting = [
        *((one, "exact") for one in most_used_first(exact, used)),
        *(pair for pair in fitting if pair[1] != "exact"),
    ]
    some = fitting[:limit]
    rest = [one for one, _ in some if one not in used]
    imported = use_counts(runtime.view.files, runtime.scope, rest)
    hits = [
        symbol_hit(one, how, used[one].files)
        if one in used
        else replace(symbol_hit(one, how, imported.get(one, 0)), counted="imports")
        for one, how in some
    ]
    places = [f"{hit.path}:{hit.line}" for hit in hits]
    # A miss here is a name, not a knowledge gap that the user could fill.
    runtime.trace.read(places, type="symbol", query=name, narrowed=True)
    runtime.trace.gave += [Serving("file", hit.path, count_tokens(text_form(hit))) for hit in hits]
    count = f"more than {len(fitting)}" if every.more else f"{len(fitting)}"
    cut = f"{limit} of {count}: narrow by path or kind" if len(fitting) > limit else ""
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


@operation("GET /api/code/map", profile="standard")
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
        stamps = runtime.view.files.stamps(runtime.scope)
        indexed, first = len(stamps), first_paths(list(stamps), query or "")
        ordered = {f.path: f for f in runtime.view.files.all(runtime.scope, first)}
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


def _in_case(
    found: Sequence[tuple[Definition, str]],
) -> tuple[Sequence[tuple[Definition, str]], int]:
    """Definitions that match, without names in another case if some match exactly; and how many were dropped."""
    if not any(how == "exact" for _, how in found):
        return found, 0
    fitting = [pair for pair in found if pair[1] != "case"]
    return fitting, len(found) - len(fitting)


def _nothing_found(
    runtime: Runtime, name: str, path: str | None, kind: str | None, lag: Lag
) -> str:
    """A message that the name is not defined: where the search looked, and what to do."""
    known = runtime.view.files.count(runtime.scope)
    help_text = no_definition(runtime, name, lag)
    if lag.notice or not known:
        # What is not indexed yet may define it.
        return help_text
    where = f" in {path}" if path else f" in {known} indexed files"
    of_kind = f"{kind} " if kind else ""
    return f"not found: no {of_kind}definition {name!r}{where}; {help_text}"


def asked_name(name: str) -> str:
    """A name as queried, with dots between its parts."""
    asked = name.strip().replace("::", ".").replace("#", ".")
    return asked.removesuffix("()") or asked


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
                runtime.view.files,
                runtime.scope,
                asked,
                limit,
                inside=lambda p: p not in stale and is_inside(p, path),  # noqa: B023 - called here
                kind=kind,
            )
        if lag.certain or any(how == "exact" for _, how in found.found):
            break
    get_ready(runtime)
    return found, lag


def is_inside(path: str, wanted: str | None) -> bool:
    """Whether a path is this file, in this folder, or fits this glob."""
    if not wanted:
        return True
    plain = wanted.removeprefix("./").rstrip("/")
    return path == plain or path.startswith(plain + "/") or fnmatch(path, plain)


def symbol_hit(one: Definition, how: str, used_by: int) -> SymbolHit:
    """A definition as it is shown."""
    symbol = one.symbol
    return SymbolHit(
        name=one.qualified,
        kind=symbol.kind,
        path=one.path,
        line=symbol.start_line,
        end_line=symbol.end_line,
        signature=symbol.signature or symbol.name,
        exported=symbol.exported,
        used_by=used_by,
        match=how,
    )


def no_definition(runtime: Runtime, name: str, lag: Lag) -> str:
    """Hints for a name without a definition: a similar name, and unindexed parts."""
    files, scope = runtime.view.files, runtime.scope
    if not files.count(scope):
        return "nothing is indexed yet: call codebase_index"
    last = asked_name(name).rpartition(".")[2]
    help_text = _text_matches(runtime, last) if lag.notice else _name_like(runtime, last, lag.paths)
    help_text = help_text or "find_symbol finds names by their parts; grep_codebase finds any text"
    return "; ".join(filter(None, (help_text, not_indexed(runtime, symbols=True))))


def _name_like(runtime: Runtime, last: str, stale: frozenset[str]) -> str:
    files, scope = runtime.view.files, runtime.scope
    # Comparing with every name of a large project takes seconds.
    names = set(files.names(scope, last[:1].casefold(), _COMPARED))
    for _ in range(_TRIED):
        alike = closest(last.casefold(), sorted(names))
        if not alike:
            return ""
        found = definitions(files, scope, alike, 1, inside=lambda p: p not in stale).found
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
