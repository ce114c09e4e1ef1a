"""Statements of what a thing is at a time: "the toolchain is 1.70", later "the toolchain is now 1.77.2"."""

from __future__ import annotations

import re
from typing import NamedTuple

from contextd_common.text.regex import regex
from contextd_common.text.words import content_words

_STATED = regex(
    r"(?:^|[,;:]\s+)(?:(?:and|so|but|note that)\s+)?(?P<subject>[\w+#/-]+(?:[.\s]\s?(?!is\b|are\b|was\b|were\b)[\w+#/-]+){0,5})"
    r"\s+(?:is|are|was|were)\s+(?P<now>now\s+|currently\s+)?(?:set\s+to\s+|at\s+|on\s+|version\s+)?"
    r"(?P<quote>[`'\"]?)(?P<value>[\w@/~^][\w.+#@/:-]*[\w+#%]|\d)(?P=quote)(?P<later>\s+now)?"
    r"(?=\s*(?:[,.;)!]\s|[,.;)!]?$)|\s+(?:since|because|from\s+now)\b)",
    re.I,
)
_NUMBER = regex(r"[v~^]?\d[\w.,:%+-]*")
_NAME = regex(r".*(?:[a-z0-9][A-Z]|\w[-_.#/:]\w|[A-Za-z]\d).*|[A-Z][A-Z0-9]+")
_VAGUE = frozenset("it this that these those there which what who one here everything all".split())


class State(NamedTuple):
    """A statement of a subject's state; `now` where the sentence marks it as new."""

    subject: frozenset[str]
    name: str
    value: str
    now: bool


def state(sentence: str) -> State | None:
    """The state in a sentence, if its value is a number, a version or a name. Plain words are left out: two of
    them may both hold.
    """
    found = _STATED.search(sentence) if _MAY_STATE.search(sentence) else None
    if found is None or found["subject"].casefold() in _VAGUE or not _sort(found):
        return None
    subject = frozenset(content_words(found["subject"]))
    name = " ".join(found["subject"].split())
    return (
        State(subject, name, found["value"], bool(found["now"] or found["later"]))
        if subject
        else None
    )


_MAY_STATE = regex(r"\b(?:is|are|was|were)\s", re.I)


def _sort(found: re.Match[str]) -> bool:
    value = found["value"]
    return bool(_NUMBER.fullmatch(value) or _NAME.fullmatch(value) or found["quote"])


def succeeds(newer: State, older: State) -> bool:
    """Whether a later state replaces an older one: the same subject, another value of the same sort."""
    if not newer.now or newer.subject != older.subject:
        return False
    if newer.value.casefold() == older.value.casefold():
        return False
    return bool(_NUMBER.fullmatch(newer.value)) == bool(_NUMBER.fullmatch(older.value))
