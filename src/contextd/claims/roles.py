"""Compare roles: whether two texts use the same words in the same roles, or swap two.

A text that repeats another one word for word may be dropped; one that swaps two words may say the opposite.
Anything not known to be harmless counts as a difference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from contextd.claims.clauses import holds_now
from contextd.claims.phrases import READINGS
from contextd.claims.quantities import NUMBER_WORDS

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\s*\n+\s*")
# Punctuation between words says nothing; everything else that stands in a text may.
_TOKEN = re.compile(
    r"(?<!\w)--?[A-Za-z][\w-]*"
    r"|(?:https?://)?(?:(?<![\w.])\.{0,2}/)?(?:[\w.@~-]+/)+[\w.@*-]*|(?<!\w)\.[A-Za-z]\w*"
    r"|(?<!\w)-?\d+(?:[.,:]\d+)*\w*|\w+(?:['’]\w+)?(?:\+\+|#)?"
    r"|[<>=!]=+|[<>=+*/%&|^~@#$€£¥→←↔≤≥≠±×÷\\]+|\?+(?=\s*$)|!(?=\w)|,"
)
_BULLET = re.compile(r"\s*[-*•]\s+")
_HARMLESS = frozenset("a an the please kindly".split())
"""Words without effect on the meaning."""

_CONTRACTED = {
    "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"), "shan't": ("shall", "not"),
    "it's": ("it", "is"), "that's": ("that", "is"), "there's": ("there", "is"), "let's": ("let", "us"),
    "&": ("and",), "dont": ("do", "not"), "doesnt": ("does", "not"),
}  # fmt: skip
_MARKERS = frozenset(
    """for in on at to from with by before during after via under into as when if while until unless because
    since against between through inside outside per""".split()
)
"""Words that begin a phrase which may precede or follow its subject."""

_BINDING = frozenset(
    """not never no none nor and or but then except only instead than over rather both either neither
    without just even also too yet so unless""".split()
)
"""With one of these in a sentence, moving a phrase may change its reference."""

_NEGATING = frozenset("not never no none nor neither without avoid".split())
_PREFERRING = frozenset("never not over instead rather".split())
_ORDERING = frozenset("before after".split())
_TURNED = {"before": "after", "after": "before"}
_MOVING = re.compile(
    r"(?:migrat|mov|switch|port|convert|upgrad|downgrad|renam|chang|replac|translat|transition)",
    re.I,
)
_COMPARING = re.compile(r"\w{2,}er|more|less|better|worse|rather", re.I)
_LONGEST_BLOCK = 6


class Token(NamedTuple):
    """A significant word, normalised, and its position in the sentence."""

    word: str
    start: int
    end: int


class Exchange(NamedTuple):
    """Two sentences of the same words with two of them swapped, and the evidence of an opposition."""

    kind: Literal["choice", "polarity"]
    reason: str


def same_roles(one: str, other: str) -> bool:
    """Whether two texts have the same words in the same order, ignoring case, punctuation, articles, plurals
    and contractions; a phrase may be moved to the front of a plain sentence.
    """
    here, there = _sentences(one), _sentences(other)
    return 0 < len(here) == len(there) and all(
        _same(mine, theirs) for (_, mine), (_, theirs) in zip(here, there, strict=True)
    )


def exchange(one: str, other: str) -> Exchange | None:
    """The opposition of two texts that swap two words: "X, never Y" and "Y, never X", "X before Y" and "Y
    before X", "from X to Y" and "from Y to X", "X is faster than Y" and the reverse.
    """
    here, there = _ordered(one), _ordered(other)
    for key in here.keys() & there.keys():
        found = _opposite(*here[key], *there[key])
        if found:
            return found
    return None


def converse(one: str, other: str) -> bool:
    """Whether one says "X before Y" and the other "Y after X", which are equivalent."""
    here, there = (_words(tuple(_tokens(text))) for text in (one, other))
    turned = [_TURNED.get(word, word) for word in there]
    blocks = _exchanged(here, turned)
    return blocks is not None and not _ORDERING.isdisjoint(here[blocks[1] : blocks[2]])


def order_keys(text: str) -> frozenset[str]:
    """A key that is equal for sentences between which `exchange` can find something."""
    return frozenset(_ordered(text))


@lru_cache(maxsize=500)
def _sentences(text: str) -> tuple[tuple[str, tuple[Token, ...]], ...]:
    found = ((part, tuple(_tokens(part))) for part in _SENTENCE.split(text))
    return tuple((part, tokens) for part, tokens in found if tokens)


def _tokens(sentence: str) -> Iterator[Token]:
    bullet = _BULLET.match(sentence)
    for match in _TOKEN.finditer(sentence, bullet.end() if bullet else 0):
        word = match[0].casefold().replace("’", "'")
        for part in _CONTRACTED.get(word) or _parted(word):
            if part not in _HARMLESS:
                yield Token(_singular(NUMBER_WORDS.get(part, part)), match.start(), match.end())


def _parted(word: str) -> tuple[str, ...]:
    if word.endswith("n't"):
        return word[:-3], "not"
    return (word.replace(",", "") if word[0].isdigit() else word,)


def _singular(word: str) -> str:
    """A noun without its plural ending, so that singular and plural compare equal."""
    if len(word) < 4 or not word.isalpha() or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") else word


def _words(tokens: Sequence[Token]) -> list[str]:
    return [token.word for token in tokens if token.word != ","]


def _same(one: Sequence[Token], other: Sequence[Token]) -> bool:
    here, there = _words(one), _words(other)
    if here == there:
        return True
    if Counter(here) != Counter(there) or not _BINDING.isdisjoint(here):
        return False
    phrases = _phrases(one)
    return phrases is not None and phrases == _phrases(other)


def _phrases(tokens: Sequence[Token]) -> tuple[tuple[str, ...], Counter[tuple[str, ...]]] | None:
    """The clause of a simple sentence, and its surrounding phrases in any position."""
    phrases: list[list[str]] = [[]]
    for token in tokens:
        if token.word == "," or token.word in _MARKERS:
            phrases.append([])
        if token.word != ",":
            phrases[-1].append(token.word)
    filled = [tuple(phrase) for phrase in phrases if phrase]
    clauses = [phrase for phrase in filled if phrase[0] not in _MARKERS]
    if len(clauses) != 1:
        return None
    return clauses[0], Counter(phrase for phrase in filled if phrase is not clauses[0])


@lru_cache(maxsize=READINGS)
def _ordered(text: str) -> dict[str, tuple[str, tuple[Token, ...]]]:
    """The sentences that state an order or relation of two things, by their words."""
    found: dict[str, tuple[str, tuple[Token, ...]]] = {}
    for sentence, tokens in _sentences(text):
        words = _words(tokens)
        related = "than" in words or not (_PREFERRING | _ORDERING).isdisjoint(words)
        if (related or ("from" in words and "to" in words)) and holds_now(sentence):
            plain = tuple(token for token in tokens if token.word != ",")
            found["order " + " ".join(sorted(words))] = (sentence, plain)
    return found


def _opposite(
    one: str, here: Sequence[Token], other: str, there: Sequence[Token]
) -> Exchange | None:
    blocks = _exchanged(_words(here), _words(there))
    if blocks is None:
        return None
    start, first, second, end = blocks
    lead, middle = _words(here[:start]), _words(here[first:second])
    around = {*lead, *_words(here[end:])}
    kind = None if around & _NEGATING else _relation(lead, middle)
    if kind is None:
        return None
    mine = one[here[start].start : here[end - 1].end]
    theirs = other[there[start].start : there[end - 1].end]
    return Exchange(kind, f"{mine} / {theirs}")


def _relation(lead: Sequence[str], middle: Sequence[str]) -> Literal["choice", "polarity"] | None:
    """The relation between two things when its reverse cannot hold as well."""
    if not _ORDERING.isdisjoint(middle):
        return "polarity"
    if not _PREFERRING.isdisjoint(middle):
        return "choice"
    if "than" in middle and any(map(_COMPARING.fullmatch, middle)):
        return "choice"
    if list(middle) == ["to"] and lead[-1:] == ["from"] and any(map(_MOVING.match, lead)):
        return "choice"
    return None


def _exchanged(here: Sequence[str], there: Sequence[str]) -> tuple[int, int, int, int] | None:
    """(start, end of the first block, start of the second, end) in `here` when the two blocks are swapped in
    `there`, and nothing else differs.
    """
    if len(here) != len(there) or list(here) == list(there):
        return None
    start = next(i for i, (a, b) in enumerate(zip(here, there, strict=True)) if a != b)
    tail = next(
        i for i, (a, b) in enumerate(zip(reversed(here), reversed(there), strict=True)) if a != b
    )
    end = len(here) - tail
    mine, theirs = list(here[start:end]), list(there[start:end])
    for first in range(1, min(_LONGEST_BLOCK, len(mine) - 1) + 1):
        for second in range(1, min(_LONGEST_BLOCK, len(mine) - first) + 1):
            between = mine[first : len(mine) - second]
            if between and theirs == mine[len(mine) - second :] + between + mine[:first]:
                return start, start + first, end - second, end
    return None
