"""How many sentences of each language are recognised as a rule, a retraction, a decision or a refused way.

`language_sentences/LANGUAGE.txt` has 60 sentences of each sort, as developers type them, written by one author before
the rows of words. Half of them, by hash, were not used for the rows (ADR 62).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import TextIO

from contextd.domain.directives import force_of
from contextd.sessions.ledger_sorts import agents_sort, users_sort
from contextd.sessions.retractions import takes_back
from contextd_code.text.languages import LANGUAGES

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
    """The recall of one judgement in one language, and the share of plain sentences recognised wrongly."""

    language: str
    judgement: str
    recall: float
    false: float


def sections(language: str) -> dict[str, list[str]]:
    """The sentences of a language by section; of a question and its answer the question."""
    text = files("contextd_bench").joinpath(f"language_sentences/{language}.txt").read_text("utf-8")
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("# "):
            rows = found.setdefault(line[2:], [])
        else:
            rows.append(line.partition("\t")[0])
    return found


def _is_held(sentence: str) -> bool:
    return int(sha256(sentence.encode()).hexdigest()[0], 16) % 2 == 1


def measure() -> list[LanguageFigure]:
    """The figures of every language on the half that was not used."""
    found: list[LanguageFigure] = []
    for language in LANGUAGES:
        held = {name: list(filter(_is_held, rows)) for name, rows in sections(language).items()}
        plain = [sentence for name in _PLAIN for sentence in held[name]]
        for name, (section, judge) in JUDGEMENTS.items():
            recall = _share(judge, held[section])
            found.append(LanguageFigure(language, name, recall, _share(judge, plain)))
    return found


def _share(judge: Callable[[str], bool], sentences: Sequence[str]) -> float:
    return sum(map(judge, sentences)) / len(sentences)


def run(out: TextIO) -> bool:
    """Print the figures; whether every language reaches its share of English."""
    figures = measure()
    english = {one.judgement: one.recall for one in figures if one.language == "en"}
    print("## languages: recall, and false positives, on held-out sentences\n", file=out)
    print("| language | " + " | ".join(JUDGEMENTS) + " |", file=out)
    print("|---|" + "---|" * len(JUDGEMENTS), file=out)
    for language in LANGUAGES:
        cells = [f"{o.recall:.0%} ({o.false:.0%})" for o in figures if o.language == language]
        print(f"| {language} | " + " | ".join(cells) + " |", file=out)
    return all(
        one.recall >= LEAST * english[one.judgement] and one.false <= MOST_FALSE for one in figures
    )
