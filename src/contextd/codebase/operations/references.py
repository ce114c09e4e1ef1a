"""Where a definition is used: certain uses by the call graph and imports, then plain text matches."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from contextd.codebase.code_graphs import calls_of
from contextd.codebase.code_uses import (
    COMPARED,
    UseCount,
    distinct,
    in_order_of_weight,
    most_used_first,
    uses_in_time,
)
from contextd.codebase.freshness import Lag, steady
from contextd.codebase.operations.symbols import (
    SymbolHit,
    asked_name,
    is_inside,
    no_definition,
    symbol_hit,
)
from contextd.domain.context_items import Serving
from contextd.domain.limits import PageSize, Text
from contextd.runtime.gc_pause import building
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.edges import Edge
from contextd_code.calls.uses import files_using
from contextd_code.dataclass import dataclass
from contextd_code.errors import ContextdError, NotFound, Unavailable
from contextd_code.symbols.definitions import ends_in
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_code.text.tokens import count_tokens
from contextd_code.tree.word_lines import WordLines, word_lines
from contextd_code.values.source import is_test

_LISTED = 8
_SECONDS = 8.0
_TEXT_SECONDS = 5.0
_TEXTS = 8
"""Text matches listed beside certain uses; the rest is counted."""
_FEWEST_EACH = 3
_LONGEST_LINE = 200


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A line that names a definition. `role` is `use` or `import`, `possible` where it may mean another
    definition, `text` where only the word matches.
    """

    path: str
    line: int
    text: str
    role: str

    def as_text(self) -> str:
        """Location and line."""
        return f"{self.path}:{self.line}: {self.text} ({self.role})"


@dataclass(frozen=True, slots=True)
class FoundReferences:
    """The uses of one definition: certain ones, then possible ones, in `references`. `total` and `possible`
    count all of them, `text_total` every other line with the name, of which `text_matches` are the first.
    `others` are the other definitions of the same name.
    """

    definition: SymbolHit
    references: list[ReferenceLine]
    files: int
    truncated: bool = False
    others: list[SymbolHit] = field(default_factory=list[SymbolHit])
    notice: str = ""
    total: int = 0
    possible: int = 0
    text_matches: list[ReferenceLine] = field(default_factory=list[ReferenceLine])
    text_total: int = 0
    text_files: int = 0

    def as_text(self) -> str:
        """The definition, then its uses by file."""
        lines = [self.definition.as_text()]
        sure = [one for one in self.references if one.role != "possible"]
        lines += _by_file(sure) if sure else ["no uses found by calls and imports"]
        lines += _rest(self.total - len(sure), "certain uses")
        doubtful = [one for one in self.references if one.role == "possible"]
        if self.possible:
            lines.append(f"possible, of a base class or an unknown type: {self.possible}")
            lines += [*_by_file(doubtful), *_rest(self.possible - len(doubtful), "possible uses")]
        if self.text_total:
            count = f"{_counted(self.text_total, 'line')} in {_counted(self.text_files, 'file')}"
            lines.append(f"text matches: {count}{' (grep_codebase lists them)' * self._is_cut}")
            lines += _by_file(self.text_matches)
            lines += _rest(self.text_total - len(self.text_matches), "text matches")
        else:
            lines.append("no text matches")
        if self.others:
            lines.append("also defined at: " + ", ".join(f"{o.path}:{o.line}" for o in self.others))
        if self.notice:
            lines.append(f"({self.notice})")
        return "\n".join(lines)

    @property
    def _is_cut(self) -> bool:
        return self.text_total > len(self.text_matches)


def _by_file(some: Sequence[ReferenceLine]) -> list[str]:
    lines: list[str] = []
    last = ""
    for one in some:
        if one.path != last:
            lines.append(one.path)
            last = one.path
        lines.append(f"  {one.line}: {one.text}")
    return lines


def _rest(count: int, what: str) -> list[str]:
    return [f"  … {count} more {what}"] if count > 0 else []


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


@operation("GET /api/code/references", profile="core", needs="checkout")
def find_references(
    runtime: Runtime, name: Text, path: str | None = None, limit: PageSize = 50
) -> FoundReferences:
    """Find every use of a definition: calls, imports and other uses, then text matches.

    Args:
        name: Its name, or Class.method.
        path: The file or folder that defines it, when several do.
        limit: The most lines.
    """
    with building():
        calls, exact, lag = _known_as(runtime, asked_name(name))
        meant = distinct(one for one in exact if is_inside(one.path, path))
        if not meant:
            hint = "; ".join(filter(None, (no_definition(runtime, name, lag), lag.notice)))
            if lag.notice:
                raise Unavailable(f"the index does not know whether {name!r} is defined", hint)
            raise NotFound(f"no definition {name!r}" + (f" in {path}" if path else ""), hint)
        sources = Sources(runtime.root, runtime.view.files, runtime.scope)
        end = time.monotonic() + _SECONDS
        chosen, others, found = _chosen(runtime, calls, meant, end)
    late = time.monotonic() > end
    words = word_lines(runtime.root, chosen.symbol.name, _TEXT_SECONDS)
    answer = _answer(calls.graph, sources, chosen, found, words, limit)
    notes = [lag.notice, calls.notice, words.notice]
    if others:
        notes.append(f"{len(meant)} definitions have this name; give path to choose another")
    if late:
        notes.append("not every caller was followed in time: ask again for the rest")
    runtime.trace.read(
        [one.path for one in answer.references], type="symbol", query=name, narrowed=True
    )
    shown = [*answer.references, *answer.text_matches]
    runtime.trace.gave += [Serving("file", one.path, count_tokens(one.text)) for one in shown]
    return replace(
        answer,
        others=[_shown(one, 0) for one in others[:_LISTED]],
        notice="; ".join(filter(None, notes)),
    )


def _known_as(runtime: Runtime, asked: str) -> tuple[CallGraph, list[Definition], Lag]:
    """The call graph, the definitions of a name, those first that more of the project depends on, and where the
    index is behind. Before reporting that a name is not defined, all files are compared.
    """
    last = asked.rpartition(".")[2]
    for certain in (False, True):
        with steady(runtime, certain=certain, asked=asked) as lag:
            calls = calls_of(runtime)
        found = [
            one
            for one in calls.graph.by_name.get(last, ())
            if one.path not in lag.paths and (last == asked or ends_in(one.qualified, asked))
        ]
        if lag.certain or found:
            break
    # In Go only case distinguishes `Recorder.Write` from `recorder.Write`.
    found = [one for one in found if f".{one.qualified}".endswith(f".{asked}")] or found
    return calls, in_order_of_weight(calls, found), lag


def _chosen(
    runtime: Runtime, calls: CallGraph, meant: list[Definition], end: float
) -> tuple[Definition, list[Definition], tuple[Edge, ...]]:
    """(the chosen definition, the others, its uses)."""
    found: dict[Definition, tuple[Edge, ...]] = {}
    for one in meant[:COMPARED]:
        if time.monotonic() > end:
            break
        found[one] = uses_in_time(runtime, calls, one, end)
    counts = {one: UseCount(files_using(edges), _certain(edges)) for one, edges in found.items()}
    none = UseCount(0, 0)
    best = most_used_first(meant, {one: counts.get(one, none) for one in meant})[0]
    return best, [one for one in meant if one is not best], found.get(best, ())


def _certain(found: Sequence[Edge]) -> int:
    return sum(edge.certain for edge in found)


def _answer(
    graph: SymbolGraph,
    sources: Sources,
    chosen: Definition,
    found: Sequence[Edge],
    words: WordLines,
    limit: int,
) -> FoundReferences:
    """The listed lines of a definition's uses, and their total."""
    ordered = sorted(
        found,
        key=lambda edge: (
            not edge.certain,
            edge.path != chosen.path,
            is_test(edge.path),
            -graph.rank.get(edge.path, 0.0),
            edge.path,
            edge.line,
        ),
    )
    shown = ordered if len(ordered) <= limit else _some_of_each(ordered, limit)
    known = {(edge.path, edge.line) for edge in found} | _own_lines(graph, chosen)
    texts = sorted(place for place in words.lines if place not in known)
    room = max(0, limit - len(shown))
    listed = texts[: min(room, _TEXTS) if shown else room]
    sure = _certain(found)
    return FoundReferences(
        definition=_shown(chosen, files_using(found)),
        references=[_line(sources, words.lines, edge) for edge in shown],
        files=len({edge.path for edge in shown}),
        truncated=len(shown) < len(ordered) or len(listed) < len(texts),
        total=sure,
        possible=len(found) - sure,
        text_matches=[
            ReferenceLine(path, line, words.lines[path, line].strip()[:_LONGEST_LINE], "text")
            for path, line in listed
        ],
        text_total=len(texts),
        text_files=len({path for path, _ in texts}),
    )


def _own_lines(graph: SymbolGraph, one: Definition) -> set[tuple[str, int]]:
    """The lines on which a definition and its overloads declare their name."""
    return {
        (one.path, line)
        for other in graph.files[one.path].symbols
        if (other.name, other.parent) == (one.symbol.name, one.symbol.parent)
        for line in (other.start_line,)
    }


def _line(sources: Sources, words: Mapping[tuple[str, int], str], edge: Edge) -> ReferenceLine:
    text = words.get((edge.path, edge.line))
    if text is None:
        # A line that uses another name for it.
        try:
            lines = sources.current(edge.path).text.split("\n")
            text = lines[edge.line - 1] if edge.line <= len(lines) else ""
        except ContextdError:
            text = ""
    role = "possible" if not edge.certain else "import" if edge.kind == "import" else "use"
    return ReferenceLine(edge.path, edge.line, text.strip()[:_LONGEST_LINE], role)


def _some_of_each(ordered: Sequence[Edge], limit: int) -> list[Edge]:
    """Certain uses before possible ones, and a few lines of many files before all lines of one."""
    each = max(_FEWEST_EACH, limit // 10)
    count: dict[tuple[str, bool], int] = {}
    sample: list[Edge] = []
    later: list[Edge] = []
    for edge in ordered:
        key = edge.path, edge.certain
        count[key] = count.get(key, 0) + 1
        (sample if count[key] <= each else later).append(edge)
    rank = {id(edge): number for number, edge in enumerate(ordered)}
    sure = [e for e in sample if e.certain] + [e for e in later if e.certain]
    doubtful = [e for e in sample if not e.certain] + [e for e in later if not e.certain]
    return sorted([*sure, *doubtful][:limit], key=lambda edge: rank[id(edge)])


def _shown(one: Definition, used_by: int) -> SymbolHit:
    return symbol_hit(one, "exact", used_by)
