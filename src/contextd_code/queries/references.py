"""Where a definition is used: certain uses by the call graph and imports, then plain text matches."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.edges import Edge
from contextd_code.calls.uses import files_using
from contextd_code.queries.symbols import SymbolHit, symbol_hit
from contextd_code.queries.use_counts import (
    COMPARED,
    UseCount,
    in_order_of_weight,
    most_used_first,
    use_count,
)
from contextd_code.symbols.definitions import ends_in
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_code.tree.word_lines import WordLines, word_lines
from contextd_code.values.source import is_test
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError

SECONDS = 8.0
"""Seconds to search for the direct uses of what a query names: references and impacts stop at the same time."""
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
class References:
    """The uses of one definition: certain ones, then possible ones, in `references`. `total` and `possible`
    count all of them, `text_total` every other line with the name, of which `text_matches` are the first. Without a
    known definition, there are only text matches.
    `others` are the other definitions of the same name, eight at most.
    """

    definition: SymbolHit | None
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


Using = Callable[[Definition, float], tuple[Edge, ...]]
"""The uses of a definition, as far as they are found before a time of `time.monotonic`."""


def defined_as(
    calls: CallGraph, asked: str, outside: Collection[str] = frozenset()
) -> list[Definition]:
    """The definitions of a name, those first that more of the project depends on; none in the files `outside`."""
    last = asked.rpartition(".")[2]
    found = [
        one
        for one in calls.graph.by_name.get(last, ())
        if one.path not in outside and (last == asked or ends_in(one.qualified, asked))
    ]
    # In Go only case distinguishes `Recorder.Write` from `recorder.Write`.
    found = [one for one in found if f".{one.qualified}".endswith(f".{asked}")] or found
    return in_order_of_weight(calls, found)


def references_of(
    calls: CallGraph,
    sources: Sources,
    meant: Sequence[Definition],
    limit: int,
    using: Using,
    whole: str = "",
) -> References:
    """The references of the most used of some definitions, at most `limit` lines in each list. The one with the
    `whole` name goes before members of that name: nothing else names a function beside a method.
    """
    end = time.monotonic() + SECONDS
    chosen, found = _chosen([o for o in meant if o.qualified == whole] or meant, end, using)
    others = [one for one in meant if one is not chosen]
    late = time.monotonic() > end
    texts = word_lines(sources.root, chosen.symbol.name, _TEXT_SECONDS)
    notes = [calls.notice, texts.notice]
    if others:
        notes.append(f"{len(meant)} definitions have this name; give path to choose another")
    if late:
        notes.append("not every caller was followed in time: ask again for the rest")
    return replace(
        _answered(calls.graph, sources, chosen, found, texts, limit),
        others=[_shown(one, 0) for one in others[:_LISTED]],
        notice="; ".join(filter(None, notes)),
    )


def text_only(root: Path, word: str, limit: int, notice: str) -> References | None:
    """The lines with a word that no definition is known of; None where no file has it."""
    texts = word_lines(root, word, _TEXT_SECONDS)
    places = sorted(texts.lines, key=lambda place: (is_test(place[0]), place))
    if not places:
        return None
    return References(
        definition=None,
        references=[],
        files=0,
        truncated=len(places) > limit,
        notice="; ".join(filter(None, (notice, texts.notice))),
        text_matches=[_text_line(texts, place) for place in places[:limit]],
        text_total=len(places),
        text_files=len({path for path, _ in places}),
    )


def _text_line(texts: WordLines, place: tuple[str, int]) -> ReferenceLine:
    return ReferenceLine(*place, texts.lines[place].strip()[:_LONGEST_LINE], "text")


def _chosen(
    meant: Sequence[Definition], end: float, using: Using
) -> tuple[Definition, tuple[Edge, ...]]:
    """(the most used definition, its uses)."""
    found: dict[Definition, tuple[Edge, ...]] = {}
    for one in meant[:COMPARED]:
        if time.monotonic() > end:
            break
        found[one] = using(one, end)
    counts = {one: use_count(edges) for one, edges in found.items()}
    none = UseCount(0, 0)
    best = most_used_first(meant, {one: counts.get(one, none) for one in meant})[0]
    return best, found.get(best, ())


def _certain(found: Sequence[Edge]) -> int:
    """How many of some uses are certain."""
    return sum(edge.certain for edge in found)


def _answered(
    graph: SymbolGraph,
    sources: Sources,
    chosen: Definition,
    found: Sequence[Edge],
    words: WordLines,
    limit: int,
) -> References:
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
    return References(
        definition=_shown(chosen, files_using(found)),
        references=[_line(sources, words.lines, edge) for edge in shown],
        files=len({edge.path for edge in shown}),
        truncated=len(shown) < len(ordered) or len(listed) < len(texts),
        total=sure,
        possible=len(found) - sure,
        text_matches=[_text_line(words, place) for place in listed],
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


_LISTED = 8
