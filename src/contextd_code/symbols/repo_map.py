"""The highest-ranked definitions of a project, or near the files of a task, within a budget."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from math import log

from contextd_code.symbols.symbol_graph import Definition, SymbolGraph, ranked_definitions
from contextd_code.values.source import is_test
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import content_words, printable, words

_MOST_SYMBOLS = 2_000
_FILL = 0.97
_SLACK = 2
_LONGEST = 140
_EVERYWHERE = 0.25
_AT_HAND = 0.3
_COMMON = 0.8
_MANY = 300
"""A work tree with more changes than this gives no hint of the current work."""

_NAMED, _IN_NAMED_FILE = 0.5, 0.6
_PATH = re.compile(r"[^\s,;'\"`()]+")
_LOOKS = re.compile(r"[a-z0-9][A-Z]|\w[_/]\w|\w\.\w|[A-Za-z]\d|\w/$")


@dataclass(frozen=True, slots=True)
class RepoMap:
    """The map as text, one block per file with its definitions, best first."""

    text: str
    tokens: int
    symbols: tuple[Definition, ...]


def repo_map(
    graph: SymbolGraph,
    *,
    focus: str = "",
    near: Collection[str] = (),
    budget: int = 1_000,
) -> RepoMap:
    """The highest-ranked definitions, in at most `budget` tokens and, with enough of them, at least
    95 % of it.

    `focus` is a task in words, with paths, folders or names. `near` are changed or open files; a
    folder ends in `/`. These are the restart nodes of the ranking, so definitions they reach come
    first. Ranks are those of the import graph, resolved to definitions; a merely frequent name does
    not count.
    """
    ranked = rank_symbols(graph, focus, near)[:_MOST_SYMBOLS]
    low, high = 0, len(ranked)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(_rendered(ranked[:middle])) <= budget:
            low = middle
        else:
            high = middle - 1
    definitions, short = _filled(ranked, low, budget)
    text = _rendered(definitions, short)
    return RepoMap(text, count_tokens(text), tuple(definitions))


def rank_symbols(
    graph: SymbolGraph, focus: str = "", near: Collection[str] = ()
) -> list[Definition]:
    """All definitions outside tests, best first."""
    near = frozenset(near)
    named = _named(graph, focus)
    folders = tuple(path for path in near if path.endswith("/"))
    close = (
        {}
        if len(near) > _MANY
        else {p: 1.0 for p in graph.files if p in near or (folders and p.startswith(folders))}
    )
    restart = _mixed(named, close, graph)
    scores = graph.scores_from(graph.rank_from(restart)) if restart else dict(graph.scores)
    if named:
        # A definition that everything reaches, such as a logger, is irrelevant to this
        # task.
        scores = {place: own - _COMMON * graph.scores[place] for place, own in scores.items()}
        _lift_named(graph, scores, focus, named)
    return [one for one, _ in ranked_definitions(graph, scores)]


def _mixed(
    named: Mapping[str, float], close: Mapping[str, float], graph: SymbolGraph
) -> dict[str, float]:
    """The restart weights: named files first, then files at hand.

    Without a named file, a quarter of the weight is spread over all files, so that a small change
    does not hide the project.
    """
    restart: dict[str, float] = {}
    for part, share in ((named, 1.0), (close, _AT_HAND if named else 1.0)):
        whole = sum(part.values())
        for path, weight in part.items():
            restart[path] = restart.get(path, 0.0) + share * weight / whole
    if restart and not named:
        plain = [path for path in graph.files if not is_test(path)]
        for path in plain:
            restart[path] = restart.get(path, 0.0) + _EVERYWHERE / len(plain)
    return restart


def _named(graph: SymbolGraph, focus: str) -> dict[str, float]:
    """How well the focus matches each file: by path or folder, by a definition's name, or by words
    of both, weighted by rareness.
    """
    found: dict[str, float] = {}
    for token in _telling(focus):
        plain = token.strip("./").rstrip(":")
        folder = plain + "/"
        for path in graph.files if plain else ():
            if path == plain or path.startswith(folder):
                found[path] = found.get(path, 0.0) + 1.0
        for one in graph.by_name.get(_last(plain), ()):
            found[one.path] = found.get(one.path, 0.0) + 1.0
    return found or _by_words(graph, content_words(focus))


def _telling(focus: str) -> list[str]:
    """The parts of the focus that look like paths or names; in a sentence `file` is only a word."""
    tokens = list(dict.fromkeys(_PATH.findall(focus)))
    quoted = set(re.findall(r"`([^`]+)`", focus))
    return [t for t in tokens if len(tokens) == 1 or t in quoted or _LOOKS.search(t)]


def _last(token: str) -> str:
    return token.rstrip("()").rpartition(".")[2]


def _by_words(graph: SymbolGraph, asked: Sequence[str]) -> dict[str, float]:
    wanted = frozenset(asked)
    if not wanted:
        return {}
    shared = {
        path: wanted.intersection(words(path)).union(
            *(wanted & graph.words_of_names[symbol.name] for symbol in file.symbols)
        )
        for path, file in graph.files.items()
        if not is_test(path)
    }
    holders: dict[str, int] = {}
    for some in shared.values():
        for word in some:
            holders[word] = holders.get(word, 0) + 1
    total = len(shared) + 1
    weights = {p: sum(log(total / holders[w]) for w in some) for p, some in shared.items() if some}
    # Squared, so that the few files that share most of the words rank first.
    return {path: weight**2 for path, weight in weights.items() if weight > 0}


def _lift_named(
    graph: SymbolGraph,
    scores: dict[tuple[str, int, str], float],
    focus: str,
    named: Collection[str],
) -> None:
    """Put definitions requested by name before their dependencies."""
    wanted = frozenset(content_words(focus))
    telling = _telling(focus)
    exact = {_last(token) for token in telling}
    files = {token.strip("./") for token in telling}
    best = max(scores.values(), default=0.0)
    for path in named:
        for symbol in graph.files[path].symbols:
            shared = len(wanted & graph.words_of_names[symbol.name]) / max(1, len(wanted))
            share = 1.0 if symbol.name in exact else _NAMED * shared
            if path in files and not symbol.parent:
                share = max(share, _IN_NAMED_FILE)
            scores[path, symbol.start, symbol.name] += share * best


def _filled(
    ranked: Sequence[Definition], count: int, budget: int
) -> tuple[list[Definition], set[Definition]]:
    """The first definitions, and later ones that still fit if a longer one did not; the `last` ones
    by name only.
    """
    definitions, short = list(ranked[:count]), set[Definition]()
    spent = count_tokens(_rendered(definitions))
    there = {one.place for one in definitions}
    for shortened in (False, True):
        for one in ranked[count:]:
            if spent >= _FILL * budget:
                return definitions, short
            line = count_tokens(_line(one, shortened))
            if one.place in there or line > budget - spent + _SLACK:
                continue
            tried = short | {one} if shortened else short
            cost = count_tokens(_rendered([*definitions, one], tried))
            if cost <= budget:
                definitions.append(one)
                there.add(one.place)
                spent, short = cost, tried
    return definitions, short


def _line(one: Definition, short: bool) -> str:
    indent = "    " if one.symbol.parent else "  "
    what = one.symbol.name if short else one.symbol.signature or one.symbol.name
    cut = what if len(what) <= _LONGEST else what[: _LONGEST - 1] + "…"
    return f"{indent}{one.symbol.start_line} {cut}"


def _rendered(ranked: Sequence[Definition], short: Collection[Definition] = ()) -> str:
    blocks: dict[str, list[Definition]] = {}
    for one in ranked:
        blocks.setdefault(one.path, []).append(one)
    lines: list[str] = []
    for path, definitions in blocks.items():
        lines.append(printable(path))
        for one in sorted(definitions, key=lambda each: each.symbol.start):
            lines.append(_line(one, one in short))
    return "\n".join(lines)
