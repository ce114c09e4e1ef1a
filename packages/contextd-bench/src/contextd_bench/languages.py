"""How many sentences and prompts of each language are recognised as what they are, and how many others wrongly.

`language_sentences/LANGUAGE.txt` has 60 single sentences of each sort, as developers type them, written by one author
before the rows of words. Half of them, by hash, were not used for the rows (ADR 62). `LANGUAGE_prompts.txt` has whole
prompts, of which the same half is measured (`whole_prompts`). The rows of `LANGUAGE_changes.txt` were counted, not read,
while the search for rules in question was chosen (ADR 75).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import TextIO

from contextd.domain.directives import force_of
from contextd.sessions.ledger_sorts import agents_sort, users_sort
from contextd.sessions.retractions import takes_back
from contextd_bench.learning.figures import MeasuredShare, wilson
from contextd_bench.whole_prompts import CHANGES, RULES, SORTS, PromptSort, Row, judged
from contextd_common.text.languages import LANGUAGES

LEAST = 0.7
"""The lowest share of the English recall that another language may have."""

MOST_FALSE = 0.05
"""The highest share of plain sentences that a judgement may recognise wrongly."""

JUDGEMENTS: Mapping[str, tuple[str, Callable[[str], bool]]] = {
    "rule": ("directive", lambda one: force_of(one) == "stated"),
    "taken back": ("correction", takes_back),
    "correction": ("correction", lambda one: takes_back(one) or users_sort(one) == "correction"),
    "decision": ("decision", lambda one: agents_sort(one) == "decision"),
    "refused": ("refused", lambda one: "refused" in (agents_sort(one), users_sort(one))),
}
"""What is judged, on the sentences of which section."""

_PLAIN = ("plain", "question")


@dataclass(frozen=True, slots=True)
class LanguageFigure:
    """The share of one sort that is found in one language, None where nothing is to be found, and of others wrongly."""

    language: str
    sort: str
    found: MeasuredShare | None
    false: MeasuredShare
    goal: str = ""


def sections(name: str) -> dict[str, list[Row]]:
    """The rows of a file of sentences by section: each a sentence, and what stands behind its tab."""
    text = files("contextd_bench").joinpath(f"language_sentences/{name}.txt").read_text("utf-8")
    found: dict[str, list[Row]] = {}
    for line in text.splitlines():
        if line.startswith("# "):
            rows = found.setdefault(line[2:], [])
        else:
            sentence, _, more = line.partition("\t")
            rows.append((sentence.replace("\\n", "\n"), more))
    return found


def _is_held(row: Row) -> bool:
    return int(sha256(row[0].encode()).hexdigest()[0], 16) % 2 == 1


def measure() -> list[LanguageFigure]:
    """The figures of every language on the half that was not used, those of single sentences first."""
    found: list[LanguageFigure] = []
    for language in LANGUAGES:
        held = {name: list(filter(_is_held, rows)) for name, rows in sections(language).items()}
        plain = [row for name in _PLAIN for row in held[name]]
        for name, (section, judge) in JUDGEMENTS.items():
            recall = _share(judge(one) for one, _ in held[section])
            false = _share(judge(one) for one, _ in plain)
            found.append(LanguageFigure(language, name, recall, false))
    return found + measure_prompts()


def measure_prompts() -> list[LanguageFigure]:
    """The figures of whole prompts in every language: of the held-out half, and of those that end a rule in any words."""
    found: list[LanguageFigure] = []
    for language in LANGUAGES:
        every = sections(f"{language}_prompts")
        rules = dict(every[RULES])
        held = {name: list(filter(_is_held, rows)) for name, rows in every.items()}
        found += _figures(language, SORTS, held, rules)
        changes = sections(f"{language}_changes")
        found += _figures(language, CHANGES, changes, dict(changes[RULES]))
    return found


def _figures(
    language: str,
    sorts: Mapping[str, PromptSort],
    rows: Mapping[str, Sequence[Row]],
    rules: Mapping[str, str],
) -> Iterator[LanguageFigure]:
    for name, sort in sorts.items():
        hits, alarms = judged(sort, rows, rules)
        share = _share(hits) if sort.found else None
        yield LanguageFigure(language, name, share, _share(alarms), sort.goal)


def _share(verdicts: Iterable[bool]) -> MeasuredShare:
    every = list(verdicts)
    return wilson(sum(every), len(every))


def run(out: TextIO) -> bool:
    """Print the figures; whether every language reaches its share of English with single sentences. The goals of whole
    prompts are printed beside their figures and decide nothing yet.
    """
    figures = measure()
    print("## languages: found, and false alarms, on held-out sentences and prompts\n", file=out)
    print(
        f"Goals of single sentences: {LEAST:.0%} of the English figure, false ≤ {MOST_FALSE:.0%}."
        f" Those of whole prompts are for English; other languages {LEAST:.0%} of its figures.\n",
        file=out,
    )
    print("| sort | language | found | false alarms | goal |\n|---|---|---|---|---|", file=out)
    for sort in (*JUDGEMENTS, *SORTS, *CHANGES):
        for one in (figure for figure in figures if figure.sort == sort):
            found = one.found if one.found is not None else "–"
            print(f"| {sort} | {one.language} | {found} | {one.false} | {one.goal} |", file=out)
    return all(
        _share_of(one.found) >= LEAST * _share_of(_english(figures, one.sort).found)
        and _share_of(one.false) <= MOST_FALSE
        for one in figures
        if one.sort in JUDGEMENTS
    )


def _english(figures: Iterable[LanguageFigure], sort: str) -> LanguageFigure:
    return next(one for one in figures if one.language == "en" and one.sort == sort)


def _share_of(share: MeasuredShare | None) -> float:
    return share.hits / share.n if share is not None and share.n else 0.0
