"""Measure what digests of tool outputs save, and whether they keep the words that the agent used
next.
"""

from __future__ import annotations

import gzip
import json
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, TextIO, get_args

from contextd.folding.line_digest import digest_lines, plain_text
from contextd.imports.importers.claude_windows import NewWindow, compactions
from contextd_bench.data import SEED, MeanScore, hardware, score
from contextd_bench.scratch import opened
from contextd_bench.tool_outputs import Half, ToolOutput, outputs
from contextd_common.text.tokens import count_tokens, fits
from contextd_common.text.words import content_words

LEAST = 1_000
"""Outputs from this many tokens on are large; for smaller ones a digest saves less than its call
costs.
"""

BUDGETS = (400, 800, 1_600)

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
    # A single long line: its beginning is better than nothing.
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


def run(data: Path | None, repositories: Sequence[Path], *, out: TextIO) -> bool:
    """Print tokens and answerability of outputs in recorded sessions, what their clients folded, and the
    tokens of folders in repositories.
    """
    print(f"\n## folding\n{hardware()}", file=out)
    if data is not None:
        data = data / "learning" if (data / "learning").is_dir() else data
        found = list(outputs(data, LEAST))
        for half in get_args(Half):
            _print_half(half, [one for one in found if one.half == half], out)
        _print_windows(data, out)
    if repositories:
        _print_folders(repositories, out)
    return True


def _print_half(half: Half, found: Sequence[ToolOutput], out: TextIO) -> None:
    sessions = len({one.session for one in found})
    print(
        f"\n## outputs of {LEAST:,} tokens and more, sessions {half}: {len(found)} of {sessions}",
        file=out,
    )
    groups: dict[str, list[ToolOutput]] = defaultdict(list)
    for one in found:
        groups[_SORTS.get(one.tool, "others")].append(one)
    for name, members in sorted(groups.items()):
        print_group(name, members, out)


_SORTS = {"Bash": "commands", "Grep": "searches", "Glob": "searches", "Read": "files"}
"""Types of tools, by the names that clients use."""


def _print_windows(data: Path, out: TextIO) -> None:
    """Savings by the clients' own compactions, by their figures."""
    found: dict[str, NewWindow] = {}
    for path in sorted((data / "transcripts").glob("*/*.gz")):
        lines = gzip.decompress(path.read_bytes()).decode("utf-8", "replace").split("\n")
        held = [line for line in lines if '"usage"' in line or "compact_boundary" in line]
        rows = [row for line in held if isinstance(row := _row_of(line), dict)]
        # The transcript of a resumed session repeats its compactions.
        found |= {one.id: one for one in compactions(rows)}
    if not found:
        return
    before, after = ([getattr(one, side) for one in found.values()] for side in ("before", "after"))
    print(
        f"\n## compactions by the clients: n = {len(found)}, median window {median(before):,.0f} →"
        f" {median(after):,.0f} tokens, {sum(before) - sum(after):,} saved in total",
        file=out,
    )


def _row_of(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _print_folders(repositories: Sequence[Path], out: TextIO) -> None:
    print("\n## folders of source files, digests of 800 tokens", file=out)
    print("| repository | folder | files | raw tokens | digest tokens | ms |", file=out)
    print("|---|---|---|---|---|---|", file=out)
    for root in repositories:
        with (
            tempfile.TemporaryDirectory(prefix="contextd-bench-") as home,
            opened(root, Path(home), embedder_name="none") as bench,
        ):
            bench.call("codebase_index")
            known = bench.runtime.files.of(bench.runtime.scope).stamps()
            folders = Counter(path.split("/")[0] for path in known if "/" in path)
            for folder, files in folders.most_common(_FOLDERS):
                began = time.perf_counter()
                answer = bench.call("digest", paths=[folder])
                took = 1000 * (time.perf_counter() - began)
                raw, cost = answer.value["raw_tokens"], count_tokens(answer.text)
                row = f"| {root.name} | {folder} | {files} | {raw:,} | {cost:,} | {took:,.0f} |"
                print(row, file=out, flush=True)


_FOLDERS = 3
"""The largest folders of a repository that are folded."""


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
