"""Figures about what contextd tells, each with its goal: counted automatically, or taken from a filled sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TextIO

from contextd.domain.directives import sentences, span_of
from contextd_bench.learning.figures import percentile, wilson
from contextd_bench.learning.measure import OURS, Measurements
from contextd_bench.learning.sheet import PARTS, FilledSheet, SheetRow, judged
from contextd_common.text.words import content_words

_OWN, _FEWEST = 0.8, 4
"""The share of a line's content words that one earlier message of the same session has, when the line tells that session
its own words; and the words a line needs, since two or three are in any message.
"""

RIGHT, HELP, MISLEADING = 92, 50, 2
FEWEST_TOLD, MOST_TOLD = 4, 12
MEDIAN, TAIL = 300, 400
"""The goals: percents, and tokens of a briefing."""


def print_counted(out: TextIO, done: Measurements, rows: Sequence[SheetRow]) -> None:
    """Print the figures that are counted automatically."""
    told = [text for text in done.injections.get(OURS, ()) if text.lines]
    tokens = [float(text.tokens) for text in done.briefings.get(OURS, ())]
    always = [row.text for row in rows if row.sort == "always"]
    orders = [text for text in always if _is_for_one_turn(text)]
    own = own_words(done)
    print("\n### What is told, counted without a judge\n", file=out)
    print("| figure | measured | goal |\n|---|---|---|", file=out)
    for cells in (
        ("prompts with an added text", wilson(len(told), done.prompts.get(OURS, 0)), f"{FEWEST_TOLD}–{MOST_TOLD} %"),
        ("added texts that tell a session its own words", wilson(len(own), len(told)), "0"),
        ("tokens of a briefing, median", f"{percentile(tokens, 0.5):.0f}, n={len(tokens)}", f"≤ {MEDIAN}"),
        ("tokens of a briefing, p90", f"{percentile(tokens, 0.9):.0f}", f"≤ {TAIL}"),
        ("distinct lines of *Always* for one turn", wilson(len(orders), len(always)), "0"),
    ):  # fmt: skip
        print("| " + " | ".join(map(str, cells)) + " |", file=out)
    for text in (*orders, *own):
        print(f"- {text[:160]!r}", file=out)


def print_judged(out: TextIO, rows: Sequence[SheetRow], filled: FilledSheet) -> None:
    """Print the figures of a filled sheet. Only its rows that this run told again count."""
    verdicts = judged(rows, filled)
    every = [one for each in verdicts.values() for one in each]
    print(f"\n### What is told, judged by {filled.judge}, {filled.date}\n", file=out)
    told = ", ".join(
        f"{len(verdicts[sort])} of {sum(row.sort == sort for row in rows)} {part.title.lower()}"
        for sort, part in PARTS.items()
    )
    print(f"Judged: {told}.\n", file=out)
    print("| figure | measured | goal |\n|---|---|---|", file=out)
    for name, verdict, some, goal in (
        ("lines of *Always* that are right", "right", verdicts["always"], f"≥ {RIGHT} %"),
        ("added texts that help", "helps", verdicts["injection"], f"≥ {HELP} %"),
        ("added texts that are the session's own words", "own words", verdicts["injection"], "0"),
        ("misleading, of all rows", "misleading", every, f"≤ {MISLEADING} %"),
    ):
        print(f"| {name} | {wilson(some.count(verdict), len(some))} | {goal} |", file=out)
    print(f"\nverdicts: {_counts(verdicts)}", file=out)


def own_words(done: Measurements) -> list[str]:
    """The added texts with a line that an earlier message of the same session says."""
    recordings = {(one.recording.project, one.recording.name): one.recording for one in done.sessions}  # fmt: skip
    found: list[str] = []
    for text in done.injections.get(OURS, ()):
        if not text.lines:
            continue
        first = text.lines[0].shown
        turns = recordings[first.project, first.session].exchanges[: first.number]
        said = [set(content_words(one)) for each in turns for one in (each.prompt, *each.answers)]
        for line in text.lines:
            words = set(content_words(line.shown.text))
            if len(words) >= _FEWEST and any(len(words & one) >= _OWN * len(words) for one in said):
                found.append(line.shown.text)
                break
    return found


def _is_for_one_turn(text: str) -> bool:
    return not any(span_of(one) == "always" for one in sentences(text))


def _counts(verdicts: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(
        f"{PARTS[sort].title.lower()}: " + (", ".join(f"{one} {each.count(one)}" for one in PARTS[sort].verdicts if one in each) or "none")
        for sort, each in verdicts.items()
    )  # fmt: skip
