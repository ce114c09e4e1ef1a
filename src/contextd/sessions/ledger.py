"""The ledger of a session: what the user directed, corrected and answered, and what the agent decided, found,
refused and measured, sentence by sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from contextd.domain.directives import sentences
from contextd.sessions.episode import NAME
from contextd.sessions.ledger_sorts import SORTS, agents_sort, users_sort
from contextd.sessions.markdown import passages
from contextd.sessions.turns import Turn
from contextd_code.dataclass import dataclass
from contextd_code.text.words import content_words, one_line, unpunctuated, weight

_SHORTEST, _LONGEST = 16, 260
"""Characters of a sentence: a shorter one is an assent, a longer one is cut unless a reader of the ledger asks
for more. An ideograph counts twice.
"""

_READ = 12_000
"""Characters of one message that are read. The end of a longer one is lost to the ledger."""

_SAME = 0.75
"""Two sentences say the same if the shorter one shares this share of its words with the other."""

_STRUCK = 0.3
"""The share of a statement's words that a retraction must repeat to strike out what the user stated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One sentence of a session: its sort, who stated it (`user` or `agent`), and the number of its turn, from 0.
    `worth` (0 to about 4) estimates what losing it would cost. `struck_by` quotes the words that took it back.
    """

    sort: str
    text: str
    speaker: str
    turn: int
    worth: float
    struck_by: str = ""


def ledger_of(turns: Sequence[Turn], longest: int = _LONGEST) -> list[LedgerEntry]:
    """The entries of these turns, in order. A sentence that is repeated stands where it was stated last.
    No text is longer than `longest` characters.
    """
    found: dict[str, LedgerEntry] = {}
    for number, turn in enumerate(turns):
        for entry in (*_users(turn, number, longest), *_agents(turn, number, longest)):
            key = unpunctuated(entry.text)
            before = found.pop(key, None)
            if before is not None and before.worth > entry.worth:
                entry = replace(entry, sort=before.sort, worth=before.worth)
            found[key] = entry
    return list(found.values())


def chosen(
    entries: Iterable[LedgerEntry],
    budget: int,
    cost: Callable[[LedgerEntry], int],
    *,
    known: str = "",
) -> list[LedgerEntry]:
    """The entries that are worth most and cost at most `budget` together, in their order; none that was
    struck out or that `known` or a better entry already says.
    """
    standing = [entry for entry in entries if not entry.struck_by]
    stated = [frozenset(content_words(sentence)) for sentence in sentences(known)]
    order = sorted(range(len(standing)), key=lambda n: (-standing[n].worth, -n))
    places: list[int] = []
    for place in order:
        entry = standing[place]
        price = cost(entry)
        if price > budget:
            continue
        words = frozenset(content_words(entry.text))
        if any(_says(other, words) for other in stated):
            continue
        stated.append(words)
        places.append(place)
        budget -= price
    return [standing[place] for place in sorted(places)]


def _users(turn: Turn, number: int, longest: int) -> Iterator[LedgerEntry]:
    stated = [
        sentence
        for message in (turn.prompt, *turn.answers)
        for sentence in _joined(sentences(message[:_READ]))
        if weight(sentence) >= _SHORTEST
    ]
    struck = _struck(turn, stated)
    for sentence in stated:
        sort = users_sort(sentence)
        yield LedgerEntry(
            sort=sort,
            text=one_line(sentence, longest),
            speaker="user",
            turn=number,
            worth=SORTS[sort].worth + _form(sentence),
            struck_by=turn.taken_back_by[1] or _TAKEN_BACK if sentence in struck else "",
        )


def _struck(turn: Turn, stated: Sequence[str]) -> frozenset[str]:
    """Which of the user's sentences in a turn that was taken back are struck out: those that the retraction
    names, and what was only requested; all of them if it names none (`forget that`).
    """
    if not turn.taken_back:
        return frozenset()
    retraction = frozenset(content_words(turn.taken_back_by[1]))
    named = {one for one in stated if _says(retraction, frozenset(content_words(one)), _STRUCK)}
    if not named:
        return frozenset(stated)
    return frozenset(named | {one for one in stated if users_sort(one) in ("request", "remark")})


_TAKEN_BACK = "taken back"


def _joined(parts: Iterable[str]) -> Iterator[str]:
    """Sentences; a short one that corrects something stands with the one that says what is right."""
    held = ""
    for part in parts:
        text = f"{held} {part}" if held else part
        held = ""
        if len(text) <= _TERSE and users_sort(text) in ("correction", "refused"):
            held = text
        else:
            yield text
    if held:
        yield held


_TERSE = 40
"""Characters of a correction that says nothing alone: `Not the staging bucket!`"""


def _agents(turn: Turn, number: int, longest: int) -> Iterator[LedgerEntry]:
    """The sentences of the agent's plan and of its last message."""
    # The summary at the start of a session stands for turns that nobody recorded; others repeat their turns.
    for message in (turn.plan, turn.answer, "" if turn.prompt else turn.summary):
        for text in _parts(message[:_READ]):
            sort = agents_sort(text)
            yield LedgerEntry(
                sort=sort,
                text=one_line(text, longest),
                speaker="agent",
                turn=number,
                worth=SORTS[sort].worth * _AGENT + _form(text),
                struck_by=turn.taken_back_by[1] or _TAKEN_BACK if turn.taken_back else "",
            )


_AGENT = 0.9
"""An agent's sentence is worth less than the same sort of the user's: the user cannot be asked again."""


def _parts(message: str) -> Iterator[str]:
    """The passages of a message; a short one behind the heading or line that introduces it, a long one by
    sentences.
    """
    for passage in passages(message):
        if len(passage.text) <= _LONGEST:
            before = passage.lead or passage.heading
            short = len(passage.text) < 60 and before and len(before) < 100
            text = f"{before.rstrip(' :：')}: {passage.text}" if short else passage.text
            if weight(passage.text) >= _SHORTEST:
                yield text
            continue
        for sentence in sentences(passage.text):
            if weight(sentence) >= _SHORTEST:
                yield sentence


def _form(text: str) -> float:
    """What names, numbers and a readable length add to the worth of a sentence: at most 0.7."""
    names = min(3, len(NAME.findall(text))) * 0.15
    return names + (0.25 if 40 <= len(text) <= 240 else 0.0)


def _says(other: frozenset[str], words: frozenset[str], share: float = _SAME) -> bool:
    return bool(words) and len(words & other) >= share * len(words)
