"""Two figures that need no judge: what a user had to say again, and what the next session touches first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from contextd.domain.directives import sentences
from contextd.sessions.ledger_sorts import users_sort
from contextd_bench.learning.helping import ShownLine
from contextd_bench.learning.recordings import Recording, blocks_of, edits_of, row_of
from contextd_common.text.words import content_words

_BINDING = frozenset({"rule", "constraint", "correction", "preference", "refused"})
"""The sorts of a user's sentences that an agent must heed in later sessions too."""

_FEWEST, _SAME, _TOLD = 3, 0.6, 0.6
"""Content words of a sentence that says something alone; the share of the words of both that two sentences with one
meaning have in common; and the share of a sentence's words that a line has that tells it.
"""

DIRECTIVES = frozenset({"Always", "Respect", "Learned"})
"""The sections of a text that tell directives."""


@dataclass(frozen=True, slots=True)
class SaidAgain:
    """A sentence of prompt `number` that repeats one of an earlier session, and whether it was `told` before."""

    session: str
    number: int
    sentence: str
    told: bool


def said_again(
    one: Recording, before: Sequence[Recording], shown: Sequence[ShownLine]
) -> list[SaidAgain]:
    """What the user of a session had to say again, each sentence once. `shown` are the lines that the session was
    given; those of a prompt count for the words of that prompt too, since they arrive with it and not after it.
    """
    known = [words for other in before for _, _, words in _binding(other)]
    found: dict[frozenset[str], SaidAgain] = {}
    for number, sentence, words in _binding(one):
        if words in found or not any(_alike(words, other) for other in known):
            continue
        told = any(line.number < number and states(line.text, words) for line in shown)
        found[words] = SaidAgain(one.name, number, sentence, told)
    return list(found.values())


def falsely_told(shown: Sequence[ShownLine], before: Sequence[Recording]) -> list[ShownLine]:
    """The directives given to a session that no user stated in an earlier one."""
    said = [
        frozenset(content_words(sentence))
        for other in before
        for each in other.exchanges
        for sentence in sentences(each.prompt)
    ]
    return [
        line
        for line in shown
        if line.section in DIRECTIVES
        and not any(len(words) >= _FEWEST and states(line.text, words) for words in said)
    ]


def states(text: str, words: frozenset[str]) -> bool:
    """Whether a line tells a sentence with these words."""
    return len(words & frozenset(content_words(text))) >= _TOLD * len(words)


def _binding(one: Recording) -> Iterator[tuple[int, str, frozenset[str]]]:
    for number, each in enumerate(one.exchanges):
        for sentence in sentences(each.prompt):
            words = frozenset(content_words(sentence))
            if len(words) >= _FEWEST and users_sort(sentence) in _BINDING:
                yield number, sentence, words


def _alike(words: frozenset[str], other: frozenset[str]) -> bool:
    return len(words & other) >= _SAME * len(words | other)


_FIRST = 5
"""Files, and symbols, that a session touches first."""

_DEFINES = re.compile(
    r"\b(?:def|class|func|fn|function|interface|struct|trait|type|enum)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w{3,})"
)


def touched_first(one: Recording) -> tuple[list[str], list[str]]:
    """The names of the first files that a session reads or writes, and of the first symbols that its edits hold."""
    files: dict[str, None] = {}
    symbols: dict[str, None] = {}
    for line in one.lines[one.begins :]:
        row = row_of(line)
        if row.get("isSidechain"):
            continue
        for call in blocks_of(row, "tool_use"):
            given = call.get("input")
            path = given.get("file_path") if isinstance(given, dict) else None
            if isinstance(path, str):
                files[PurePosixPath(path).name] = None
        for _, given in edits_of(row):
            texts = (str(given.get(key) or "") for key in ("old_string", "content", "new_string"))
            symbols.update(dict.fromkeys(name for text in texts for name in _DEFINES.findall(text)))
    return list(files)[:_FIRST], list(symbols)[:_FIRST]


def foreseen(one: Recording, text: str) -> tuple[int, int]:
    """How many of the files and symbols that a session touches first its briefing names, and of how many."""
    files, symbols = touched_first(one)
    names = [*files, *symbols]
    return sum(_names(text, name) for name in names), len(names)


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None
