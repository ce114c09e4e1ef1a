"""Recognise reordered sentences: a moved phrase, or active and passive voice.

"Before merging, squash the commits" and "Commits are squashed before merging" have the same parts. Each part
begins with its preposition or conjunction, and its words are compared in order, so that roles are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from contextd.claims.claims import claim
from contextd.claims.phrases import READINGS
from contextd.claims.stems import stems
from contextd_common.text.regex import regex
from contextd_common.text.words import words

_BINDERS = {
    word: word
    for word in """for in on at to from with by before during after under into as when if while until
    unless because since against between through inside outside per so""".split()
} | {"once": "after", "whenever": "when", "via": "through"}
"""Words a part begins with, each as it is compared."""

_WORD = regex(r"\w+")
_SCOPED = frozenset(
    "then instead rather than but or nor either neither both only except just even also yet".split()
)
"""Words after one of these may mean something else in another position."""

_PASSIVE = regex(
    r"\b(?P<before>[^,;.]+?)\s+(?:(?:must|should|shall|may|can|will|have to|has to|needs? to)\s+)?"
    r"(?:(?:never|not|always|only)\s+)?(?:is|are|be|was|were|gets?)\s+(?:(?:never|not|always)\s+)?"
    r"(?P<done>\w+(?:ed|en|wn)|sent|kept|built|held|made|done|put|run|read|set|reset)\b",
    re.I,
)
_DOERS = regex(r"\bby\s+(?:the|an?|our)\b", re.I)
_ACTIVE = {
    "sent": "send", "kept": "keep", "built": "build", "held": "hold", "made": "make", "done": "do",
    "written": "write", "taken": "take", "given": "give", "shown": "show", "drawn": "draw",
    "driven": "drive", "broken": "break", "hidden": "hide", "chosen": "choose", "frozen": "freeze",
}  # fmt: skip
_PARTS = regex(rf"[,;:.](?=\s|$)|\b(?=(?:{'|'.join(_BINDERS)})\b)", re.I)
_FRONT = regex(
    rf"(?:{'|'.join(_BINDERS)})\s+[^,;.\s]+(?:\s+[^,;.\s]+)?(?=\s+(?:the|its|their|every|all)\s)"
)
"""A phrase at the front without a comma after it: "In unit tests the mailer is stubbed"."""

_DIRECTING = frozenset(
    """up down in into inside out outside off onto on over under above below few many lots most little about
    before after without""".split()
)

_MOVED = frozenset(("after",))
"""Equal to "once", and compared with the part it begins."""

_LEAST = 2
"""The least number of words: one word alone does not show any roles."""


def directing(text: str) -> frozenset[str]:
    """Words outside the subject that can still reverse the meaning of a text."""
    return _DIRECTING.intersection(_WORD.findall(text.casefold()))


def same_parts(one: str, other: str) -> bool:
    """Whether two texts have the same parts, in any order, with the same negations and figures."""
    here, there = _parts(one), _parts(other)
    if here is None or here != there or sum(len(part) - 1 for part in here) < _LEAST:
        return False
    if directing(one) - _MOVED != directing(other) - _MOVED:
        return False
    a, b = claim(one), claim(other)
    return a.values == b.values and a.mentioned == b.mentioned and a.negations == b.negations


@lru_cache(maxsize=READINGS)
def _parts(text: str) -> Counter[tuple[str, ...]] | None:
    """The parts of a text, the connecting word of each first; None where their order may matter."""
    plain = text.casefold()
    if not _SCOPED.isdisjoint(_WORD.findall(plain)):
        return None
    front = _FRONT.match(plain)
    if front:
        plain = f"{plain[: front.end()]}, {plain[front.end() :]}"
    found: Counter[tuple[str, ...]] = Counter()
    for part in _PARTS.split(plain):
        binder, _, rest = part.strip().partition(" ")
        bound = _BINDERS.get(binder, "")
        terms = _ordered(rest if bound else part)
        if terms or bound:
            found[bound, *terms] += 1
    return found


def _ordered(part: str) -> tuple[str, ...]:
    """The stems of a part, ordered as in an imperative."""
    passive = None if _DOERS.search(part) else _PASSIVE.match(part.strip())
    if passive:
        done = passive["done"]
        rest = part.strip()[passive.end() :]
        part = f"{_ACTIVE.get(done, done)} {passive['before']} {rest}"
    return stems(part) or tuple(words(part))
