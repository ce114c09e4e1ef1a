"""What folding tool outputs saves, and whether what the agent used next is still there."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from contextd.benchmarks.data import SEED, MeanScore, hardware, score
from contextd.benchmarks.tool_outputs import Half, ToolOutput, outputs
from contextd.domain.tokens import count_tokens, fits
from contextd.domain.words import content_words
from contextd.sessions.line_digest import digest_lines, plain_text

LEAST = 1_000
"""Tokens from which an output is large: below, a digest saves less than asking for it costs."""

BUDGETS = (800,)

Fold = Callable[[ToolOutput, int], str]


def _head(one: ToolOutput, budget: int) -> str:
    return _some(one.text.split("\n"), budget)


def _tail(one: ToolOutput, budget: int) -> str:
    lines = one.text.split("\n")[::-1]
    return "\n".join(_some(lines, budget).split("\n")[::-1])


def _both_ends(one: ToolOutput, budget: int) -> str:
    return f"{_head(one, budget // 2)}\n…\n{_tail(one, budget // 2)}"


def _any_lines(one: ToolOutput, budget: int) -> str:
    lines = one.text.split("\n")
    random.Random(SEED).shuffle(lines)
    return _some(lines, budget)


def _some(lines: Sequence[str], budget: int) -> str:
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if fits("\n".join(lines[:middle]), budget):
            low = middle
        else:
            high = middle - 1
    # One endless line: its beginning is better than nothing.
    return "\n".join(lines[:low]) or lines[0][: 3 * budget]


def _digest(one: ToolOutput, budget: int) -> str:
    return digest_lines(plain_text(one.text), budget)


def _asked_digest(one: ToolOutput, budget: int) -> str:
    return digest_lines(plain_text(one.text), budget, content_words(one.asked))


FOLDS: Mapping[str, Fold] = {
    "first lines": _head,
    "last lines": _tail,
    "both ends": _both_ends,
    "any lines": _any_lines,
    "digest": _digest,
    "digest, asked": _asked_digest,
}
"""The baselines, and ours without and with a question."""


def run(data: Path, half: Half, *, out: TextIO) -> bool:
    """Print, for the outputs of one half of the sessions, tokens and answerability by tool and budget."""
    data = data / "learning" if (data / "learning").is_dir() else data
    found = [one for one in outputs(data, LEAST) if one.half == half]
    print(f"\n## folding: outputs of {LEAST:,} tokens and more, sessions {half}", file=out)
    print(f"{hardware()}", file=out)
    print(f"{len(found)} outputs of {len({o.session for o in found})} sessions", file=out)
    groups: dict[str, list[ToolOutput]] = defaultdict(list)
    for one in found:
        groups[
            "commands"
            if one.tool == "Bash"
            else "searches"
            if one.tool in ("Grep", "Glob")
            else "files"
            if one.tool == "Read"
            else "others"
        ].append(one)
    for name, members in sorted(groups.items()):
        print_group(name, members, out)
    return True


def print_group(name: str, members: Sequence[ToolOutput], out: TextIO) -> None:
    """A table of one sort of output."""
    raw = sum(one.tokens for one in members)
    print(f"\n### {name}: n = {len(members)}, {raw:,} tokens", file=out)
    print(
        "| lines kept | budget | tokens left | words used that are there | all of them |", file=out
    )
    print("|---|---|---|---|---|", file=out)
    for budget in BUDGETS:
        for fold, make in FOLDS.items():
            left, shares = 0, []
            for one in members:
                folded = make(one, budget)
                left += count_tokens(folded)
                shares.append(sum(word in folded for word in one.used) / len(one.used))
            whole = score([float(share == 1) for share in shares])
            print(_row(fold, budget, left / raw, score(shares), whole), file=out, flush=True)


def _row(fold: str, budget: int, left: float, shares: MeanScore, whole: MeanScore) -> str:
    return f"| {fold} | {budget} | {100 * left:.1f} % | {shares} | {whole} |"
