"""The ledger of a session: what the user directed, corrected and answered, and what the agent decided, found,
refused and measured, sentence by sentence.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from contextd.domain.directives import sentences
from contextd.domain.speech import is_passed_on
from contextd.runtime.caches import Cache
from contextd.sessions.episode import NAME
from contextd.sessions.ledger_sorts import SORTS, agents_sort, certainty, leans_back, users_sort
from contextd.sessions.markdown import passages
from contextd.sessions.statement_form import likely_kept
from contextd.sessions.turns import Turn
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex
from contextd_common.text.words import content_words, one_line, unpunctuated, weight

_SHORTEST, _LONGEST = 16, 260
"""Characters of a sentence: a shorter one is an assent, a longer one is cut unless a reader of the ledger asks
for more. An ideograph counts twice.
"""

_READ = 12_000
"""Characters of one message that are read. The end of a longer one is lost to the ledger."""

_SAME = 0.75
"""A sentence is said already if another one has this share of its words."""

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


EntriesOfTurns = Cache[str, tuple["LedgerEntry", ...]]
"""The entries of turns that were read before, by a digest of the turn and of how it was read."""


def ledger_of(
    turns: Sequence[Turn],
    longest: int = _LONGEST,
    *,
    by_form: bool = False,
    known: EntriesOfTurns | None = None,
) -> list[LedgerEntry]:
    """The entries of these turns, in order. A sentence that is repeated stands where it was stated last.
    No text is longer than `longest` characters. `by_form` values the agent's English sentences by a trained model,
    and not by their sorts. Turns in `known` are not read again.
    """
    found: dict[str, LedgerEntry] = {}
    for number, turn in enumerate(turns):
        for entry in _entries(turn, number, longest, by_form, known):
            key = unpunctuated(entry.text)
            before = found.pop(key, None)
            if before is not None and before.worth > entry.worth:
                entry = replace(entry, sort=before.sort, worth=before.worth)
            found[key] = entry
    return list(found.values())


def _entries(
    turn: Turn, number: int, longest: int, by_form: bool, known: EntriesOfTurns | None
) -> tuple[LedgerEntry, ...]:
    def read() -> tuple[LedgerEntry, ...]:
        agents = _agents_by_form if by_form else _agents
        return (*_users(turn, number, longest), *agents(turn, number, longest))

    if known is None:
        return read()
    messages = (turn.prompt, turn.answers, turn.plan, turn.earlier, turn.answer, turn.summary)
    key = repr((number, longest, by_form, turn.taken_back, turn.taken_back_by, messages))
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16)
    return known.made(digest.hexdigest(), read)


def spread(entries: Iterable[LedgerEntry]) -> list[LedgerEntry]:
    """The same entries, where each further one of the same turn and speaker is worth less than the one before:
    ten findings of one report tell an agent less than one finding of each of ten, and a long prompt describes
    one task. Rules and corrections keep their worth. Next steps of the latest turns are worth more, older ones
    less: most of them were taken. Long sentences are worth less than short ones, which leave room for others.
    """
    found = list(entries)
    last = max((entry.turn for entry in found), default=0)
    found = [
        replace(entry, worth=entry.worth + (_AHEAD if last - entry.turn < _LATEST else -_AHEAD))
        if entry.sort == "next"
        else entry
        for entry in found
    ]
    ranks: Counter[tuple[int, str]] = Counter()
    for place in sorted(range(len(found)), key=lambda n: -found[n].worth):
        entry = found[place]
        if entry.speaker == "agent" or entry.sort in _DESCRIBES:
            key = (entry.turn, entry.speaker)
            further = _FURTHER if entry.speaker == "agent" else _FURTHER_OF_USER
            found[place] = replace(entry, worth=entry.worth * further ** ranks[key])
            ranks[key] += 1
    return [replace(one, worth=one.worth * _brevity(one.text)) for one in found]


def _brevity(text: str) -> float:
    return math.sqrt(_USUAL / max(_BRIEF, len(text)))


_USUAL, _BRIEF = 100, 10
"""Characters. The root lets twice as long a sentence rank equal at 1.4 times the worth: without it four planted facts
in 100 fewer of the development sessions fit the budget, with the plain quotient none more.
"""


_AHEAD, _LATEST = 0.5, 3
"""What a next step gains in the latest turns, and how many these are: it then ranks with a correction."""

_DESCRIBES = frozenset({"fact", "constraint", "decision", "request"})
"""The sorts of a user's sentences that describe a task as well as bind the work."""

_FURTHER, _FURTHER_OF_USER = 0.92, 0.9
"""Ten equal findings of one report: the tenth is worth half. 0.85 lost findings of long reports on development
sessions, 1.0 let one report fill the recap.
"""


def chosen(
    entries: Iterable[LedgerEntry],
    budget: int,
    cost: Callable[[LedgerEntry, bool], int],
    *,
    known: str = "",
) -> list[LedgerEntry]:
    """The entries that are worth most and cost at most `budget` together, in their order; none that was
    struck out or that `known` or a better entry already says. `cost` is asked for an entry, and whether its turn and
    speaker have one already.
    """
    known_sentences = list(sentences(known))
    known_words = [_words_of(sentence) for sentence in known_sentences]
    stated = list(known_words)
    standing = [entry for entry in entries if not entry.struck_by]
    found: dict[int, LedgerEntry] = {}
    opened: set[tuple[int, str]] = set()
    for place in sorted(range(len(standing)), key=lambda n: (-standing[n].worth, -n)):
        if budget < _CHEAPEST:
            break
        text = _without(standing[place].text, known_sentences, known_words)
        entry = replace(standing[place], text=text)
        passage = (entry.turn, entry.speaker)
        price = cost(entry, passage in opened) if text else budget + 1
        words = _words_of(text)
        if price > budget or any(_says(other, words) for other in stated):
            continue
        stated.append(words)
        opened.add(passage)
        found[place] = entry
        budget -= price
    return [found[place] for place in sorted(found)]


_CHEAPEST = 4
"""Tokens: no sentence of the shortest length costs fewer."""


def unsaid(texts: Iterable[str], known: str) -> list[str]:
    """The sentences of each text that `known` does not say; empty if it says them all."""
    known_sentences = list(sentences(known))
    stated = [_words_of(one) for one in known_sentences]
    return [_without(text, known_sentences, stated) for text in texts]


def _without(text: str, verbatim: Sequence[str], stated: Sequence[frozenset[str]]) -> str:
    # On one line, a paragraph without a full stop runs into the next.
    for one in verbatim:
        if len(one) >= _SHORTEST and one in text:
            text = text.replace(one, " ").strip(" ;,…")
    parts = list(sentences(text))
    words = [_words_of(part) for part in parts]
    left = [
        part
        for part, own in zip(parts, words, strict=True)
        if not any(_says(other, own) for other in stated)
    ]
    return text if len(left) == len(parts) else " ".join(left)


def _users(turn: Turn, number: int, longest: int) -> Iterator[LedgerEntry]:
    stated = [
        sentence
        for message in (turn.prompt, *turn.answers)
        if not is_passed_on(message[:_READ])
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
            worth=SORTS[sort].worth + _form(sentence) - _LITTLE * _says_little(sentence, sort),
            struck_by=turn.taken_back_by[1] or _TAKEN_BACK if sentence in struck else "",
        )


_LITTLE, _MOMENT = 0.5, 2
"""What such a sentence loses, and its most content words: with three, `migrations are forward-only` lost it too."""


def _says_little(sentence: str, sort: str) -> bool:
    """Whether a user's sentence is about its moment only: `there's not one`."""
    return sort in _OF_THE_MOMENT and len(content_words(sentence)) <= _MOMENT


_OF_THE_MOMENT = frozenset({"fact", "correction", "refused"})


def _struck(turn: Turn, stated: Sequence[str]) -> frozenset[str]:
    """Which of the user's sentences in a turn that was taken back are struck out: those that the retraction
    names, and what was only requested; all of them if it names none (`forget that`).
    """
    if not turn.taken_back:
        return frozenset()
    retraction = frozenset(content_words(turn.taken_back_by[1]))
    named = {one for one in stated if _shared(retraction, one) >= _STRUCK}
    if not named:
        spared = _BINDING if len(retraction) >= _SPECIFIC else frozenset[str]()
        return frozenset(one for one in stated if users_sort(one) not in spared)
    return frozenset(named | {one for one in stated if users_sort(one) in ("request", "remark")})


_TAKEN_BACK = "taken back"

_BINDING = frozenset({"rule", "constraint", "preference"})
_SPECIFIC = 5
"""Content words of a retraction that is about something: a rule that it does not name stays in force."""


def _joined(parts: Iterable[str]) -> Iterator[str]:
    """Sentences; a short one that corrects something stands with the one that says what is right, and one that
    only points back (`Keep it that way.`) with the one before.
    """
    held = ""
    for part in parts:
        if held and (leans_back(part) or (_is_terse(held) and users_sort(part) != "remark")):
            yield f"{held} {part}"
            held = ""
            continue
        if held:
            yield held
        held = part
    if held:
        yield held


def _is_terse(text: str) -> bool:
    """Whether a correction says nothing alone, as `Not the staging bucket!` does."""
    short = len(text) <= _TERSE and len(content_words(text)) <= _SAYS_LITTLE
    return short and users_sort(text) in ("correction", "refused")


_TERSE, _SAYS_LITTLE = 40, 3


def _agents(turn: Turn, number: int, longest: int) -> Iterator[LedgerEntry]:
    """The sentences of the agent's plan and of its last message, and findings of its earlier ones."""
    for text, share in _said(turn):
        sort = agents_sort(text)
        if share == 1 or sort in _FOUND:
            yield _agents_entry(turn, number, sort, text, longest, _by_sort(sort, text, share))


def _agents_by_form(turn: Turn, number: int, longest: int) -> Iterator[LedgerEntry]:
    """The same, where English sentences have the worth that the model gives to them, in all messages."""
    for text, share in _said(turn):
        line, sort = one_line(text, longest), agents_sort(text)
        likely = likely_kept(line, sort)
        if likely is None:
            worth = _by_sort(sort, text, share) if share == 1 or sort in _FOUND else 0.0
        else:
            worth = _LEAST + _SPAN * likely if likely >= _LIKELY or share == 1 else 0.0
        if worth:
            yield _agents_entry(turn, number, sort, text, longest, worth)


_LEAST, _SPAN = 0.5, 4.0
"""A sentence that is certainly worth keeping ranks with a rule of the user's, one of chance .35 with a fact. A span of
3 kept 78 of 120 facts of agents and 96 of 99 of users in development sessions, 4 kept 83 and 91; what it cost the
users came back with `_brevity`.
"""

_LIKELY = 0.1
"""The least chance of a sentence from a message before the last one of its turn; most of them are narration."""


def _said(turn: Turn) -> Iterator[tuple[str, float]]:
    """The sentences of the agent's messages, with the share of their worth."""
    # The summary at the start of a session stands for turns that nobody recorded; others repeat their turns.
    lasting = (turn.plan, turn.answer, "" if turn.prompt else turn.summary)
    for message, share in (
        *((each, _EARLIER) for each in turn.earlier),
        *((each, 1.0) for each in lasting),
    ):
        for text in _parts(message[:_READ]):
            yield text, share


def _by_sort(sort: str, text: str, share: float) -> float:
    return SORTS[sort].worth * _AGENT * share * certainty(text) + _form(text)


def _agents_entry(
    turn: Turn, number: int, sort: str, text: str, longest: int, worth: float
) -> LedgerEntry:
    return LedgerEntry(
        sort=sort,
        text=one_line(text, longest),
        speaker="agent",
        turn=number,
        worth=worth,
        struck_by=turn.taken_back_by[1] or _TAKEN_BACK if turn.taken_back else "",
    )


_AGENT = 0.9
"""An agent's sentence is worth less than the same sort of the user's: the user cannot be asked again."""

_EARLIER = 0.9
"""What an agent says while it works is mostly said again at the end of the turn, and then better."""

_FOUND = frozenset({"cause", "decision", "refused", "number", "next"})
"""The sorts that are read from the messages before the last one of a turn."""


def _parts(message: str) -> Iterator[str]:
    """The passages of a message; a short one behind the heading or line that introduces it, a long one by
    sentences.
    """
    for passage in passages(message):
        if len(passage.text) <= _LONGEST:
            before = passage.lead or passage.heading
            short = len(passage.text) < 60 and before and len(before) < 100
            rest = _without_narration(passage.text)
            if weight(rest) >= _SHORTEST:
                yield f"{before.rstrip(' :：')}: {rest}" if short else rest
            continue
        for sentence in sentences(passage.text):
            if weight(sentence) >= _SHORTEST:
                yield sentence


def _without_narration(passage: str) -> str:
    """A passage without its sentences at the end that announce a step: `Let me fix this:`."""
    parts = list(sentences(passage))
    count = len(parts)
    while count > 1 and _ANNOUNCES.match(parts[count - 1]):
        count -= 1
    return " ".join(parts[:count]) if count < len(parts) else passage


_ANNOUNCES = regex(
    r"^\W*(?:(?:now|so|next|first|then|ok(?:ay)?|great|perfect)\b\W*)*(?:let me\b|let[’']s (?:also |now )?(?:fix|check|see|look|update|test|verify|try|add|create|run)\b|i[’']ll (?:now |first )?(?:check|look|verify|start|begin|run)\b|here(?:[’']s| is| are)\b.*:$)",
    re.I,
)


def _form(text: str) -> float:
    """What names, numbers and a readable length add to the worth of a sentence: at most 0.7."""
    names = min(3, len(NAME.findall(text))) * 0.15
    return names + (0.25 if 40 <= len(text) <= 240 else 0.0)


_DENIAL = regex(
    r"\b(?:not|never|no|none|without|avoid|stop|cannot|nicht|nie|kein\w*|ohne|pas|jamais|sans|nunca|jamás|sin)\b|n[’']t\b|\b(?:dont|doesnt|cant|wont|isnt)\b|ない|不|别|没",
    re.I,
)
_DENIED = "¬"
"""Stands among the words of a sentence that denies something."""


def _words_of(text: str) -> frozenset[str]:
    words = frozenset(content_words(text))
    return words | {_DENIED} if _DENIAL.search(text) else words


def _says(other: frozenset[str], words: frozenset[str]) -> bool:
    """Whether the words of one sentence say what those of another do: with every number of it, and denied
    like it.
    """
    content = words - {_DENIED}
    if not content or (_DENIED in words) != (_DENIED in other):
        return False
    missing = content - other
    return len(missing) <= (1 - _SAME) * len(content) and not any(
        one[0].isdigit() for one in missing
    )


def _shared(retraction: frozenset[str], sentence: str) -> float:
    words = frozenset(content_words(sentence))
    return len(words & retraction) / len(words) if words else 0.0
