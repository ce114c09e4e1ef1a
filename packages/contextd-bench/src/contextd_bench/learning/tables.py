"""The figures of a run as Markdown tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import TextIO

from contextd_bench.learning.costs import print_costs as print_cpu
from contextd_bench.learning.figures import (
    MeasuredShare,
    by_session,
    kappa,
    percentile,
    wilson,
)
from contextd_bench.learning.helping import key_of
from contextd_bench.learning.keeping import RULE, StatementLabels, precision
from contextd_bench.learning.measure import OURS, JudgedLine, Measurements, ToldText
from contextd_bench.learning.planted import Retractions, Survival
from contextd_common.text.tokens import count_tokens

_UNUSED = 3
"""The most consecutive sessions that a line may be injected in without use."""

_DESCRIPTION = "Project"
"""The section that describes the project, which is the same in each session."""


def print_kept(out: TextIO, done: Measurements, labels: StatementLabels) -> None:
    """Precision of stored statements."""
    print("\n### 1. Precision of what is kept", file=out)
    print(
        f"Matching: {RULE}. Unmatched statements have no label and count for nothing.\n", file=out
    )
    print(
        "| kept by | useful and true, of those with a label | grades | unmatched | per session | tokens per session |",
        file=out,
    )
    print("|---|---|---|---|---|---|", file=out)
    sessions = max(1, len(done.sessions))
    for method, statements in done.kept_statements.items():
        parts = [(method, statements)]
        if method == OURS:
            kinds = sorted({one.standing for one in statements})
            parts = [(f"{OURS}: {s}", [o for o in statements if o.standing == s]) for s in kinds]
            active = [one for one in statements if one.standing == "active"]
            for kind in sorted({one.kind for one in active}):
                parts.append((f"{OURS}: active {kind}", [o for o in active if o.kind == kind]))
        for name, own in parts:
            found = precision(labels, ((one.project, one.text) for one in own))
            grades = ", ".join(f"{grade} {n}" for grade, n in sorted(found.grades.items()))
            tokens = sum(count_tokens(one.text) for one in own) / sessions
            share = wilson(found.good, found.n)
            print(
                f"| {name} | {share} | {grades} | {found.unmatched} | {len(own) / sessions:.1f} | {tokens:.0f} |",
                file=out,
            )


def print_recalled(out: TextIO, done: Measurements) -> None:
    """Recall of gold, in records and with one search."""
    print("\n### 2. Recall of what a careful reader would keep", file=out)
    print(f"Searched with the 4 rarest words of the gold's sentence, {5} hits.\n", file=out)
    print("| where | recall |", file=out)
    print("|---|---|", file=out)
    places = dict.fromkeys(place for one in done.recalled for place in one.places)
    for place in places:
        values = [one.places.get(place, False) for one in done.recalled]
        print(f"| {place} | {wilson(sum(values), len(values))} |", file=out)


def print_told(
    out: TextIO, title: str, told_texts: dict[str, list[ToldText]], prompts: dict[str, int]
) -> None:
    """Whether injected text helped, by label and by proxy, for each method."""
    print(f"\n### {title}", file=out)
    columns = "| method | told | lines that help, labelled | on topic or help, labelled | lines that help, proxy | texts that help, labelled (at least) | texts that help, proxy | continuing sessions, proxy | tokens p50 / p95 |"
    print(columns, file=out)
    print("|---" * 9 + "|", file=out)
    for method, texts in told_texts.items():
        nonempty_texts = [text for text in texts if text.lines]
        rate = wilson(len(nonempty_texts), prompts.get(method, len(texts)))
        tokens = [float(text.tokens) for text in nonempty_texts]
        cells = (
            rate,
            _lines(nonempty_texts, lambda line: line.label == "helps", labelled=True),
            _lines(nonempty_texts, lambda line: line.label in ("helps", "topic"), labelled=True),
            _lines(nonempty_texts, lambda line: line.guess),
            _texts(
                [x for x in nonempty_texts if any(y.label for y in x.lines)],
                lambda line: line.label == "helps",
            ),
            _texts(texts, lambda line: line.guess),
            _texts([text for text in texts if text.continuing], lambda line: line.guess),
            f"{percentile(tokens, 0.5):.0f} / {percentile(tokens, 0.95):.0f}",
        )
        print(f"| {method} | " + " | ".join(map(str, cells)) + " |", file=out)


def print_sections(out: TextIO, done: Measurements) -> None:
    """The lines of our briefings by section."""
    lines = [line for text in done.briefings.get(OURS, ()) for line in text.lines]
    print("\n| section of a briefing | lines that help, labelled | proxy |", file=out)
    print("|---|---|---|", file=out)
    for section in dict.fromkeys(line.shown.section for line in lines):
        own = [line for line in lines if line.shown.section == section]
        labelled = [line for line in own if line.label]
        helped = wilson(sum(x.label == "helps" for x in labelled), len(labelled))
        print(f"| {section} | {helped} | {wilson(sum(x.guess for x in own), len(own))} |", file=out)


def print_agreement(out: TextIO, done: Measurements) -> None:
    """The agreement of the proxy with the labels."""
    lines = {
        line.shown.key: line for method in (*done.briefings, "BM25") for line in done.judged(method)
    }
    for name, wanted in (("briefings", False), ("injections", True)):
        pairs = [
            (line.label == "helps", line.guess)
            for line in lines.values()
            if line.label and (line.shown.number >= 0) == wanted
        ]
        same = wilson(sum(one == other for one, other in pairs), len(pairs))
        hits = sum(one and other for one, other in pairs)
        guessed, helped = sum(other for _, other in pairs), sum(one for one, _ in pairs)
        print(
            f"\nProxy against labels, {name}: agrees on {same}, kappa {kappa(pairs):.2f}; of what it takes "
            f"for help {wilson(hits, guessed)} is, of what helps it sees {wilson(hits, helped)}.",
            file=out,
        )


def print_unjudged(out: TextIO, done: Measurements) -> None:
    """Repeated corrections and foresight, which need no judge."""
    print("\n### What the user said again, and what a session touched first", file=out)
    columns = "said again: told before | directives that no user stated, per session | first files and symbols named"
    print(f"| method | {columns} |", file=out)
    print("|---" * 4 + "|", file=out)
    for method, rows in done.foreseen.items():
        again = done.said_again.get(method, ())
        cells = (
            wilson(sum(one.told for one in again), len(again)),
            f"{len(done.falsely_told.get(method, ())) / max(1, len(rows)):.2f}",
            by_session(rows),
        )
        print(f"| {method} | " + " | ".join(map(str, cells)) + " |", file=out)
    for one in done.said_again.get(OURS, ()):
        if not one.told:
            print(f"- not told before: {one.sentence[:160]!r} ({one.session})", file=out)
    for line in done.falsely_told.get(OURS, ()):
        print(f"- stated by no user: {line.text[:160]!r} ({line.session})", file=out)


def print_planted(
    out: TextIO, survived: Survival, again: MeasuredShare, taken: Retractions
) -> None:
    """Compactions and retractions."""
    print("\n### 5. Facts that survive a compaction", file=out)
    print(f"handed back: {survived.handed_back}; after a second compaction: {again}\n", file=out)
    print(f"in CONTEXT.md: {survived.in_page}\n", file=out)
    by_sort = "; ".join(f"{sort} {share}" for sort, share in survived.by_sort.items())
    print(f"handed back by sort: {by_sort}", file=out)
    if survived.missing:
        print(f"\nin neither: {', '.join(survived.missing)}", file=out)
    print("\n### 6. Statements shown after they were taken back", file=out)
    print(f"shown: {taken.shown}; the right one shown: {taken.right}\n", file=out)
    for line in taken.lines:
        print(f"- {line}", file=out)


def print_repeated(out: TextIO, done: Measurements) -> None:
    """Repeatedly injected lines."""
    print(
        f"\n### 7. Lines shown unasked in more than {_UNUSED} sessions in a row without use",
        file=out,
    )
    for name, wanted in (("all", True), (f"without the section {_DESCRIPTION}", False)):
        lines = [
            line
            for text in done.briefings.get(OURS, ())
            for line in text.lines
            if wanted or line.shown.section != _DESCRIPTION
        ]
        unused = unused_lines(lines)
        distinct = len({_statement(line) for line in lines})
        print(f"- {name}: {len(unused)} of {distinct} distinct lines", file=out)
    for times, text in unused[:5]:
        print(f"  - {times} sessions in a row: {text[:120]}", file=out)


def unused_lines(lines: Iterable[JudgedLine]) -> list[tuple[int, str]]:
    """Lines that were shown too often in a row without use, in the order of sessions, worst first."""
    runs: Counter[str] = Counter()
    worst: dict[str, int] = defaultdict(int)
    texts: dict[str, str] = {}
    for line in lines:
        statement = _statement(line)
        runs[statement] = 0 if line.helped else runs[statement] + 1
        worst[statement] = max(worst[statement], runs[statement])
        texts[statement] = line.shown.text
    found = [(times, texts[one]) for one, times in worst.items() if times > _UNUSED]
    return sorted(found, reverse=True)


def print_costs(out: TextIO, done: Measurements) -> None:
    """CPU seconds, the growth of the home, and tokens."""
    asked = sum(one.asked_to_record for one in done.sessions)
    compact = [
        float(t.tokens) for one in done.sessions for t in one.told_at_hooks if t.hook == "compact"
    ]
    print("\n### 8. Costs", file=out)
    print_cpu(out, done.sessions, done.megabytes)
    print(
        f"- told after a compaction: p50 {percentile(compact, 0.5):.0f} tokens (n={len(compact)}); asked to record at a stop: {asked} times",
        file=out,
    )
    failed = [text for one in done.sessions for text in one.failed]
    print(f"- hooks that failed: {len(failed)}", *dict.fromkeys(failed), sep="\n  - ", file=out)


def _statement(line: JudgedLine) -> str:
    return key_of(line.shown.project, "", line.shown.text)


def _lines(
    texts: Sequence[ToldText], good: Callable[[JudgedLine], bool], *, labelled: bool = False
) -> MeasuredShare:
    """The share of lines, by session."""
    rows = [
        (line.shown.project, line.shown.session, good(line))
        for text in texts
        for line in text.lines
        if line.label or not labelled
    ]
    rows.sort(key=lambda row: row[:2])
    sessions = [[row[2] for row in each] for _, each in groupby(rows, key=lambda row: row[:2])]
    return by_session((sum(each), len(each)) for each in sessions)


def _texts(texts: Sequence[ToldText], good: Callable[[JudgedLine], bool]) -> MeasuredShare:
    return wilson(sum(any(map(good, text.lines)) for text in texts), len(texts))
