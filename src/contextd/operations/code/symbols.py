"""Finding definitions and their uses, and the map of what matters most in a project."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import field
from fnmatch import fnmatch
from typing import Annotated

from contextd.code.git import program as git
from contextd.code.symbols.contents import contents, first_paths
from contextd.code.symbols.definitions import FoundDefinitions, definitions, ends_in, use_counts
from contextd.code.symbols.name_uses import (
    most_used_first,
    uses_of_name,
    with_uses_by_name,
    written_first,
)
from contextd.code.symbols.references import References, references, using_files
from contextd.code.symbols.repo_map import repo_map as draw_map
from contextd.code.symbols.sources import Sources
from contextd.code.symbols.symbol_graph import Definition, SymbolGraph
from contextd.code.tree.grep import grep
from contextd.domain.dataclass import dataclass
from contextd.domain.details import DETAIL, DOCUMENT
from contextd.domain.errors import Invalid, NotFound, Unavailable, closest
from contextd.domain.showing import text_form
from contextd.domain.tokens import count_tokens
from contextd.domain.window import Serving
from contextd.operations.core import operation
from contextd.runtime import Runtime
from contextd.steps.code_graphs import get_ready, symbols_of
from contextd.steps.freshness import Lag, not_indexed, steady
from contextd.steps.paging import page_size
from contextd.steps.seating import session_of
from contextd.steps.weighing import keep_weights

_GIT_SECONDS = 1.0
_LISTED = 8
_COMPARED = 20_000
_TRIED = 3
_MATCHES, _GREP_SECONDS = 10, 3.0


@dataclass(frozen=True, slots=True)
class SymbolHit:
    """A definition. `name` has the names around it; `used_by` counts the files that import it, or
    the class it belongs to. `match` says how it was found.
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

    def as_text(self) -> str:
        """Place, signature and use."""
        files = f"{self.used_by} file{'s' * (self.used_by != 1)}"
        whole = "its type is used by" if "." in self.name else "used by"
        used = f" · {whole} {files}" if self.used_by else ""
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


@operation("GET /api/code/symbols", profile="standard")
def find_symbol(
    runtime: Runtime,
    name: str,
    path: str | None = None,
    kind: str | None = None,
    limit: int = 10,
) -> SymbolHits:
    """Find where a function, class, method, type or constant is defined.

    Args:
        name: Its name, a part of it, or Class.method.
        path: Only in this file, folder or glob.
        kind: Only function, method, class, type, interface, enum or constant.
        limit: The most definitions.
    """
    limit = page_size(limit, 100)
    every, lag = _looked_up(runtime, _asked(name), path, kind, limit)
    some = every.found[:limit]
    used = use_counts(runtime.view.files, runtime.scope, [one for one, _ in some])
    hits = [_hit(one, how, used.get(one, 0)) for one, how in some]
    places = [f"{hit.path}:{hit.line}" for hit in hits]
    # What is called nothing here is a name, and no question that the user could answer.
    runtime.trace.read(places, type="symbol", query=name, narrowed=True)
    runtime.trace.gave += [Serving("file", hit.path, count_tokens(text_form(hit))) for hit in hits]
    count = f"more than {len(every.found)}" if every.more else f"{len(every.found)}"
    cut = f"{limit} of {count}: narrow by path or kind" if len(every.found) > limit else ""
    notices = (cut or ("" if hits else _no_definition(runtime, name, lag)), lag.notice)
    return SymbolHits(hits, "; ".join(filter(None, notices)))


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A line that uses a definition. `role` is `use`, `import`, or `name` where its name is all that
    says so.
    """

    path: str
    line: int
    text: str
    role: str

    def as_text(self) -> str:
        """Place and line."""
        doubt = " (by name only)" if self.role == "name" else ""
        return f"{self.path}:{self.line}: {self.text}{doubt}"


@dataclass(frozen=True, slots=True)
class FoundReferences:
    """The uses of one definition, certain ones first. `others` are definitions of the same name
    that were not meant.
    """

    definition: SymbolHit
    references: list[ReferenceLine]
    files: Annotated[int, DETAIL]
    truncated: bool = False
    others: list[SymbolHit] = field(default_factory=list[SymbolHit])
    notice: str = ""

    def as_text(self) -> str:
        """The definition, then its uses by file."""
        lines = [self.definition.as_text()]
        last = ("", False)
        for one in self.references:
            by_name = one.role == "name"
            if by_name and not last[1]:
                lines.append("by name only, so each may mean another definition:")
            if (one.path, by_name) != last:
                lines.append(one.path)
                last = (one.path, by_name)
            lines.append(f"  {one.line}: {one.text}")
        lines += [] if self.references else ["no uses found"]
        if self.others:
            lines.append("also defined at: " + ", ".join(f"{o.path}:{o.line}" for o in self.others))
        if self.notice:
            lines.append(f"({self.notice})")
        return "\n".join(lines)


@operation("GET /api/code/references", profile="standard", needs="checkout")
def find_references(
    runtime: Runtime, name: str, path: str | None = None, limit: int = 50
) -> FoundReferences:
    """Find every use of a definition before changing it, through imports, aliases and re-exports.

    Args:
        name: Its name, or Class.method.
        path: The file or folder that defines it, when several do.
        limit: The most lines.
    """
    limit = page_size(limit)
    graph, exact, lag = _known_as(runtime, _asked(name))
    behind = lag.notice
    meant = _distinct(one for one in exact if _inside(one.path, path))
    if not meant:
        hint = "; ".join(filter(None, (_no_definition(runtime, name, lag), behind)))
        if behind:
            raise Unavailable(f"the index does not know whether {name!r} is defined", hint)
        raise NotFound(f"no definition {name!r}" + (f" in {path}" if path else ""), hint)
    sources = Sources(runtime.root, runtime.view.files, runtime.scope)
    chosen, others, found, elsewhere = _uses(graph, sources, meant, limit)
    notes = [behind] if behind else []
    if others:
        notes.append(f"{len(meant)} definitions have this name; give path to choose another")
    if elsewhere:
        lines = "1 more line means" if elsewhere == 1 else f"{elsewhere} more lines mean"
        notes.append(f"{lines} another definition of this name")
    if chosen.symbol.parent:
        notes.append("methods are matched by name in files that use their class")
    if found.truncated:
        notes.append(f"the first {limit} lines; {found.files} files may use it")
    runtime.trace.read([r.path for r in found.found], type="symbol", query=name, narrowed=True)
    runtime.trace.gave += [Serving("file", r.path, count_tokens(r.text)) for r in found.found]
    return FoundReferences(
        definition=_shown(graph, chosen),
        references=[ReferenceLine(r.path, r.line, r.text, r.role) for r in found.found],
        files=len({one.path for one in found.found}),
        truncated=found.truncated,
        others=[_shown(graph, one) for one in others[:_LISTED]],
        notice="; ".join(notes),
    )


def _uses(
    graph: SymbolGraph, sources: Sources, meant: list[Definition], limit: int
) -> tuple[Definition, list[Definition], References, int]:
    """(the one of these that most lines mean, the others, its uses, how many lines of its name mean
    others). Only what can be imported by its name is found by imports alone.
    """
    if len(meant) == 1 and not meant[0].symbol.parent:
        found = references(graph, sources, meant[0], limit=limit)
        if found.found:
            return meant[0], [], found, 0
    named = uses_of_name(graph, sources, meant[0].symbol.name)
    chosen, *others = most_used_first(graph, named, meant)
    found = references(graph, sources, chosen, limit=limit)
    if found.found and not chosen.symbol.parent:
        return chosen, others, found, 0
    return chosen, others, *with_uses_by_name(graph, found, named, chosen, limit=limit)


@dataclass(frozen=True, slots=True)
class MapText:
    """The map, and how many tokens and definitions it has."""

    map: Annotated[str, DOCUMENT]
    tokens: Annotated[int, DETAIL]
    symbols: Annotated[int, DETAIL]
    notice: str = ""

    def as_text(self) -> str:
        """The map itself."""
        return "\n".join(
            part for part in (self.map, f"({self.notice})" * bool(self.notice)) if part
        )


@operation("GET /api/code/map", profile="standard")
def repo_map(runtime: Runtime, budget: int = 1000, focus: str | None = None) -> MapText:
    """Show the most important files and signatures of the project, or those near a task.

    Args:
        budget: Tokens to fill.
        focus: The task in words, or paths and names to start from.
    """
    if not 50 <= budget <= 50_000:
        raise Invalid(f"budget is {budget}", "choose 50 to 50000 tokens")
    with steady(runtime, asked=focus or "") as lag:
        graph = symbols_of(runtime)
    drawn = draw_map(graph, focus=focus or "", near=_at_hand(runtime), budget=budget)
    indexed = 0
    if not drawn.symbols:
        stamps = runtime.view.files.stamps(runtime.scope)
        indexed, first = len(stamps), first_paths(list(stamps), focus or "")
        ordered = {f.path: f for f in runtime.view.files.all(runtime.scope, first)}
        drawn = contents([ordered[path] for path in first if path in ordered], budget)
    runtime.trace.read([], type="map")
    paths = [one.path for one in drawn.symbols]
    share = drawn.tokens // max(1, len(paths))
    runtime.trace.gave += [Serving("file", path, share) for path in paths]
    known = graph.files or indexed
    notice = lag.notice if known else "nothing is indexed yet: call codebase_index"
    if known and not drawn.symbols:
        notice = "; ".join(filter(None, (notice, not_indexed(runtime, symbols=True))))
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


def _asked(name: str) -> str:
    asked = name.strip().replace("::", ".").replace("#", ".").removesuffix("()")
    if not asked:
        raise Invalid("the name is empty", "give the name of a definition")
    return asked


def _looked_up(
    runtime: Runtime, asked: str, path: str | None, kind: str | None, limit: int
) -> tuple[FoundDefinitions, Lag]:
    """The definitions that fit a name, and where the index is behind the files. Before it is said that none
    is called so, all files are looked at: an agent asks for what it wrote a moment ago, which the system
    may not have told of yet.
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
                inside=lambda p: p not in stale and _inside(p, path),  # noqa: B023 - called here
                kind=kind,
            )
        if lag.certain or any(how == "exact" for _, how in found.found):
            break
    get_ready(runtime)
    return found, lag


def _known_as(runtime: Runtime, asked: str) -> tuple[SymbolGraph, list[Definition], Lag]:
    """The graph, its definitions of a name, those first that more of the project leads to, and where the
    index is behind; looked up as `_looked_up` does.
    """
    last = asked.rpartition(".")[2]
    for certain in (False, True):
        with steady(runtime, certain=certain, asked=asked) as lag:
            graph = symbols_of(runtime)
        found = [
            one
            for one in graph.by_name.get(last, ())
            if one.path not in lag.paths and (last == asked or ends_in(one.qualified, asked))
        ]
        if lag.certain or found:
            break
    found.sort(key=lambda one: (-graph.scores[one.place], one.path, one.symbol.start))
    return graph, written_first(graph, found), lag


def _inside(path: str, wanted: str | None) -> bool:
    if not wanted:
        return True
    plain = wanted.removeprefix("./").rstrip("/")
    return path == plain or path.startswith(plain + "/") or fnmatch(path, plain)


def _distinct(definitions: Iterable[Definition]) -> list[Definition]:
    """One of each: overloads of one file are the same definition."""
    found: dict[tuple[str, str], Definition] = {}
    for one in definitions:
        found.setdefault((one.path, one.qualified), one)
    return list(found.values())


def _shown(graph: SymbolGraph, one: Definition) -> SymbolHit:
    return _hit(one, "exact", len(using_files(graph, one)))


def _hit(one: Definition, how: str, used_by: int) -> SymbolHit:
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


def _no_definition(runtime: Runtime, name: str, lag: Lag) -> str:
    """What to say of a name that no definition was found of: a name like it, and what is not indexed."""
    files, scope = runtime.view.files, runtime.scope
    if not files.count(scope):
        return "nothing is indexed yet: call codebase_index"
    last = _asked(name).rpartition(".")[2]
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
        # A name may be gone, or only another checkout's; and what was not found is no help.
        if found and found[0][0].symbol.name != last:
            return f"did you mean {found[0][0].symbol.name!r}?"
        names.discard(alike)
    return ""


def _text_matches(runtime: Runtime, word: str) -> str:
    """Where a word stands in the files as they are now, while the index follows them."""
    if runtime.checkout is None:
        return ""
    found = grep(runtime.root, rf"\b{re.escape(word)}\b", limit=_MATCHES, deadline=_GREP_SECONDS)
    places = [f"{one.path}:{one.line}" for one in found.matches if one.is_match]
    more = ", …" if found.truncated else ""
    return f"text matches now: {', '.join(places)}{more}" if places else f"no text matches {word!r}"
