"""The definitions that matter most in a project, or near the files of a task, within a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contextd.code.graph import edges, page_rank
from contextd.code.modules import is_test
from contextd.code.symbols import uses
from contextd.domain.code import SourceFile, Symbol
from contextd.domain.tokens import count_tokens

_MOST_SYMBOLS = 2_000
_OWN_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class RankedSymbol:
    """A definition and its share of the rank; the shares of all sum to at most 1."""

    path: str
    symbol: Symbol
    score: float


@dataclass(frozen=True, slots=True)
class RepoMap:
    """The map as text, one file per block, and what stands in it, best first."""

    text: str
    tokens: int
    symbols: tuple[RankedSymbol, ...]


def repo_map(
    files: Sequence[SourceFile], *, focus: Sequence[str] = (), budget: int = 1_000
) -> RepoMap:
    """The definitions that most of the project leads to, in at most `budget` tokens.

    `focus` are paths, folders or names to start from; what they use comes first. Ranks are those of
    the import graph, resolved to definitions, so a name that is merely common counts for nothing.
    """
    ranked = rank_symbols(files, focus)[:_MOST_SYMBOLS]
    low, high = 0, len(ranked)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(_rendered(ranked[:middle])) <= budget:
            low = middle
        else:
            high = middle - 1
    text = _rendered(ranked[:low])
    return RepoMap(text, count_tokens(text), tuple(ranked[:low]))


def rank_symbols(files: Sequence[SourceFile], focus: Sequence[str] = ()) -> list[RankedSymbol]:
    """Every definition at the top of a file that is no test, best first."""
    by_path = {file.path: file for file in files}
    weighted = edges(files)
    rank = page_rank(list(by_path), weighted, _restart(files, focus))
    out: dict[str, int] = {}
    for (start, _), weight in weighted.items():
        out[start] = out.get(start, 0) + weight
    score: dict[tuple[str, Symbol], float] = {}
    for file in files:
        for use in uses(by_path.get, file):
            if use.symbol is not None:
                key = use.path, use.symbol
                share = rank[file.path] / max(1, out.get(file.path, 1))
                score[key] = score.get(key, 0.0) + share
        # Entry points are imported by nobody and matter all the same.
        public = [s for s in file.symbols if s.exported and not s.parent]
        for symbol in public:
            key = file.path, symbol
            own = _OWN_SHARE * rank[file.path] / len(public)
            score[key] = score.get(key, 0.0) + own
    found = [RankedSymbol(p, s, v) for (p, s), v in score.items() if not is_test(p)]
    return sorted(found, key=lambda one: (-one.score, one.path, one.symbol.start))


def _restart(files: Sequence[SourceFile], focus: Sequence[str]) -> Mapping[str, float] | None:
    """Where a reader begins: at what is named, or anywhere but in the tests."""
    if not focus:
        return {file.path: 1.0 for file in files if not is_test(file.path)}
    named: dict[str, float] = {}
    for one in focus:
        folder = one.rstrip("/") + "/"
        for file in files:
            inside = file.path == one or file.path.startswith(folder)
            if inside or any(symbol.name == one for symbol in file.symbols):
                named[file.path] = 1.0
    return named or None


def _rendered(ranked: Sequence[RankedSymbol]) -> str:
    blocks: dict[str, list[Symbol]] = {}
    for one in ranked:
        blocks.setdefault(one.path, []).append(one.symbol)
    lines: list[str] = []
    for path, symbols in blocks.items():
        lines.append(path)
        for symbol in sorted(symbols, key=lambda s: s.start):
            lines.append(f"  {symbol.start_line} {symbol.signature or symbol.name}")
    return "\n".join(lines)
