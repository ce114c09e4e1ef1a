"""Secrets identified by their shape, found in a fixed number of passes over the text.

Only runs of letters and digits that are long enough for a token are examined, and of these only those that
have a token's prefix or a digit: nearly every other long run in ordinary text is a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from contextd.redaction.natural_words import random_looking
from contextd.redaction.providers import COMPANIONS, SHORTEST_RUN, TOKENS, Rule
from contextd.redaction.scanned_text import Span, Text
from contextd_common.text.regex import regex

_HEAD = 3
"""Rules are looked up by their first characters; this is how many."""

_LONGEST = 10_000
_RUN = b"a" * SHORTEST_RUN
_LOOKBACK = (32, 48)
"""How far before its longest run a token may begin; the second value where it contains `$`."""

_DOT, _SLASH, _DOLLAR, _EQUALS, _BLANK_BYTE = map(ord, "./$= ")
_INSIDE = frozenset(b".:~|/!$")
"""What a token may contain before its longest run."""

_COMPANION_BEFORE, _COMPANION_AFTER = 200, 400


def _by_head() -> dict[str, tuple[Rule, ...]]:
    found: dict[str, list[Rule]] = {}
    for rule in TOKENS:
        for head in dict.fromkeys(head[:_HEAD] for head in rule.heads or ("",)):
            found.setdefault(head, []).append(rule)
    return {head: tuple(rules) for head, rules in found.items()}


_RULES = _by_head()


def _inner() -> re.Pattern[str]:
    """A token that continues a name. Heads are grouped by first letter: Python tries each of a hundred
    alternatives in turn.
    """
    groups: dict[str, list[str]] = {}
    for head in (head for rule in TOKENS if not rule.alone for head in rule.heads):
        groups.setdefault(head[0], []).append(re.escape(head[1:]))
    heads = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in groups.items())
    return re.compile(f"[-_](?={heads})")


_INNER = _inner()
# Where a token begins whose first characters are no part of its longest run.
_FRESH = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\[\dm)|(?<=\[\d\dm))"
_BEFORE = regex(
    rf"{_FRESH}(?:(?:SG|ya29|hv[sbr]|dp|s|sl|t1|hawk|[ps]at|pat\w{{14}}|[pst]k|dt0[a-z]\d\d)\.|1//0|v1\.0-"
    r"|sha256~|pscale_[a-z]{2,5}_[\w=-]{0,20}\.|access_token\$|00D\w{12,15}!|ver:1-hint:|(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.)"
    r"|\d{8,16}:(?=A)|\d{15,16}\||[12]/(?:\d{13,19}/)?\d{13,19}:"
)
_TERRAFORM = ".atlasv1."
_ATLASSIAN = "ATATT3"
# An escape's last character is a letter or a digit, and looks like the token's first.
_ESCAPE = regex(
    r"\\(?:[nrtbf]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})|%[0-9A-Fa-f]{2}|\[[\d;]{1,8}m|bot(?=\d)"
)
_ESCAPED = frozenset(b"\\%[;")
_BARE = frozenset((36, 37, 38, 40, 50, 58, *range(80, 90)))
"""The lengths of runs filled by a token without a head."""

_BLANK = regex(r"[xX]{6}|[A-Za-z0-9]\*{3}")


def _any_joint(head: str) -> str:
    """The pattern of a head. Names of files and of types replace its last separator."""
    return (
        f"{re.escape(head[:-1])}[-_]" if head[-1] in _JOINTS and len(head) > 3 else re.escape(head)
    )


def _said_heads() -> dict[str, str]:
    """Heads with their separators as blanks, as in a title made from a name."""
    return {
        re.sub("[-_]", " ", head): head
        for rule in TOKENS
        if not rule.alone
        for head in rule.heads
        if head[-1] in _JOINTS and len(head) > 3 and re.sub("[-_]", "", head).isalnum()
    }


_JOINTS = "-_"
_SAID = _said_heads()
_LONGEST_SAID = max(map(len, _SAID))
_WORDS_BEFORE = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,10} ){1,3}$")


def _said(text: str, start: int, end: int) -> Span | None:
    """The token whose head precedes a run as separate words: `npm` and a blank."""
    before = _WORDS_BEFORE.search(text, max(0, start - _LONGEST_SAID), start)
    words = before[0] if before else ""
    while words:
        head = _SAID.get(words.casefold())
        if head is not None:
            token = _token(head + text[start:end], 0)
            return (start - len(words), end, token[2]) if token else None
        words = words.partition(" ")[2]
    return None


@cache
def _pattern(head: str) -> re.Pattern[str]:
    rules = _RULES[head]
    parts = (
        f"(?P<r{i}>{'(?<![-_])' if rule.alone else ''}(?:{'|'.join(map(_any_joint, rule.heads))}){rule.body})"
        for i, rule in enumerate(rules)
    )
    return re.compile(rf"(?:{'|'.join(parts)})(?![A-Za-z0-9])")


def tokens(text: Text) -> Iterator[Span]:
    """The spans of secrets identified by shape, including their second halves."""
    whole, plain, runs, digits = text.whole, text.plain, text.runs, text.digits
    size, done = len(whole), 0
    start = runs.find(_RUN)
    while start >= 0:
        end = runs.find(b" ", start + SHORTEST_RUN)
        end = size if end < 0 else end
        headed = whole[start : start + _HEAD] in _RULES
        # Tokens of Hugging Face have letters only.
        if headed or digits.find(b"0", start, end) >= 0 or plain.find(b"hf_", start, end) >= 0:
            before = plain[start - 1] if start else 32
            after = plain[end] if end < size else 32
            bare = headed or after == _DOT or end - start in _BARE
            joined = plain.find(b"-", start, end) >= 0 or plain.find(b"_", start, end) >= 0
            near = bare or joined or before in _INSIDE or before in _ESCAPED or before == _EQUALS
            for at in _starts(whole, start, end, before, bare=bare) if near else ():
                span = _token(whole, at) if at >= done else None
                if span:
                    yield span
                    yield from _companions(whole, span)
                    done = span[1]
            spoken = _said(whole, start, end) if before == _BLANK_BYTE and end > done else None
            if spoken:
                yield spoken
                done = spoken[1]
        start = runs.find(_RUN, end if end > done else done)


def _starts(text: str, start: int, end: int, before: int, *, bare: bool) -> list[int]:
    """Positions where a token may begin that contains the run at `[start, end)`, in order."""
    found: list[int] = []
    if before in _INSIDE:
        if before != _SLASH or text.startswith("1//", max(0, start - 3)):
            low = max(0, start - _LOOKBACK[before == _DOLLAR])
            found += [match.start() for match in _BEFORE.finditer(text, low, start + 4)]
        if before == _DOT and text.startswith(_TERRAFORM, max(0, start - len(_TERRAFORM))):
            found.append(max(0, start - len(_TERRAFORM) - 14))
    elif before == _EQUALS:
        # A sign may stand early in a token of Atlassian, and all runs before it be short.
        at = text.find(_ATLASSIAN, max(0, start - _LOOKBACK[1]), start)
        found += [at] if at >= 0 else []
    elif before in _ESCAPED:
        found += [
            match.end()
            for match in _ESCAPE.finditer(text, max(0, start - 8), start + 6)
            if match.start() <= start <= match.end()
        ]
    if bare:
        found.append(start)
    found += [match.end() for match in _INNER.finditer(text, start, end)]
    return found


def _token(text: str, at: int) -> Span | None:
    head = text[at : at + _HEAD]
    for start in (head, head[:2], ""):
        match = _pattern(start).match(text, at, at + _LONGEST) if start in _RULES else None
        if match:
            kind = _RULES[start][int(str(match.lastgroup)[1:])].type
            return None if _BLANK.search(match[0]) else (*match.span(), kind)
    return None


def _companions(text: str, span: Span) -> Iterator[Span]:
    pattern = _companion(span[2])
    if pattern:
        low, high = max(0, span[0] - _COMPANION_BEFORE), span[1] + _COMPANION_AFTER
        for match in pattern.finditer(text, low, high):
            beside = match.end() <= span[0] or match.start() >= span[1]
            if beside and random_looking(match[0], 30):
                yield *match.span(), span[2]


@cache
def _companion(kind: str) -> re.Pattern[str] | None:
    return re.compile(COMPANIONS[kind]) if kind in COMPANIONS else None
