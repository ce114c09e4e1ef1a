"""Whether two short texts say opposite things of one subject. Deterministic, by words alone."""

from __future__ import annotations

import re

from contextd.domain.words import STOP_WORDS, words

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_NEGATION = re.compile(
    r"\b(?:not|never|no|without|avoid(?:s|ed)?|cannot|forbid(?:s|den)?|neither|nor|stop(?:s|ped)?"
    r"|don'?t|doesn'?t|didn'?t|isn'?t|aren'?t|wasn'?t|won'?t|can'?t|shouldn'?t|mustn'?t"
    r"|no longer|instead of|rather than)\b",
    re.I,
)
# "never … without", "not only": the two cancel or say nothing about the subject.
_HARMLESS = re.compile(r"\bnot only\b|\bno matter\b|\bif not\b|\bwhether or not\b", re.I)
_OPPOSITES = tuple(
    (re.compile(rf"\b(?:{one})\b", re.I), re.compile(rf"\b(?:{other})\b", re.I))
    for one, other in (
        ("always", "never"),
        ("enabled?|enables|enabling", "disabled?|disables|disabling"),
        ("allow(?:s|ed)?|permit(?:s|ted)?", "forbid(?:s|den)?|disallow(?:s|ed)?|den(?:y|ies|ied)"),
        ("prefer(?:s|red)?|recommend(?:s|ed)?", "avoid(?:s|ed)?|discourage[sd]?"),
        ("before", "after"),
        ("required?|requires|mandatory", "optional"),
        ("synchronous(?:ly)?", "asynchronous(?:ly)?"),
        ("true", "false"),
        ("on", "off"),
        ("tabs", "spaces"),
        ("single", "double"),
        ("keep|kept", "removed?|delete[sd]?|dropped"),
        ("include[sd]?", "exclude[sd]?"),
        ("minimum|at least", "maximum|at most"),
    )
)
_NUMBER = re.compile(
    r"(?<![\w.])v?\d[\d,]*(?:\.\d+)*\s?(?:%|ms|s|sec(?:onds?)?|min(?:utes?)?|h(?:ours?)?|days?|weeks?"
    r"|[kmgt]i?b|px|x)?(?![\w])",
    re.I,
)
_PATH = re.compile(
    r"(?<![\w/])(?:[\w.@-]+/)+[\w.@-]+|(?<![\w/])/[\w.@/-]+|\b[\w-]+\.(?:py|tsx?|jsx?|ya?ml|json|toml|md|sql|go|rs)\b"
)
_OVER = re.compile(
    r"\b([\w.+#-]+)\s+(?:over|instead of|rather than|not)\s+([\w.+#-]+)"
    r"|\bfrom\s+([\w.+#-]+)\s+to\s+([\w.+#-]+)",
    re.I,
)
_CHOICE = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|cho(?:o)?se|chosen|prefer(?:s|red)?|went with|go with|adopt(?:s|ed)?"
    r"|switch(?:ed)? to|mov(?:e|ed) to|default(?:s)? to|standardi[sz]ed? on)\s+(?:the\s+|a\s+|an\s+)?([\w.+#-]+)",
    re.I,
)
_WEAK = frozenset(
    words("use using used prefer choose chose decide went always never must should we our")
)
_MOST_SENTENCES = 20


def conflict(one: str, other: str) -> str:
    """How `one` and `other` contradict each other, in words; empty when they do not."""
    first, second = _sentences(one), _sentences(other)
    for a in first:
        for b in second:
            told = _compare(a, b)
            if told:
                return told
    return ""


def contradiction(one: str, other: str) -> tuple[str, str] | None:
    """(kind, reason) when the texts contradict each other."""
    told = conflict(one, other)
    return ("polarity", told) if told else None


def differs(one: str, other: str) -> str:
    """Which detail keeps two like texts from being the same: a number, a path or the polarity."""
    if _values(one) != _values(other):
        return "numbers differ"
    if set(_PATH.findall(one)) != set(_PATH.findall(other)):
        return "paths differ"
    if _negative(one) != _negative(other):
        return "one is negated"
    return next((told for a, b in _OPPOSITES if (told := _opposed(one, other, a, b))), "")


def _sentences(text: str) -> list[str]:
    return [s for s in _SENTENCE.split(text) if len(s) > 8][:_MOST_SENTENCES]


def _compare(a: str, b: str) -> str:
    mine, theirs = _subject(a), _subject(b)
    shared = mine & theirs
    smaller = min(len(mine), len(theirs))
    if not shared or not smaller:
        return ""
    overlap = len(shared) / smaller
    if overlap < 0.34:
        return ""
    chosen = _exclusive(a, b)
    if chosen:
        return chosen
    if overlap < 0.6 or len(shared) < 2 or len(shared) / max(len(mine), len(theirs)) < 0.4:
        return ""
    if _negative(a) != _negative(b):
        return f"one says the opposite: {_cut(a)} / {_cut(b)}"
    for one, other in _OPPOSITES:
        told = _opposed(a, b, one, other)
        if told:
            return told
    if overlap >= 0.75:
        return _other_values(a, b)
    return ""


def _other_values(a: str, b: str) -> str:
    here, there = _values(a), _values(b)
    if here and there and not here & there:
        return f"different figures: {', '.join(sorted(here))} / {', '.join(sorted(there))}"
    paths_a, paths_b = set(_PATH.findall(a)), set(_PATH.findall(b))
    if paths_a and paths_b and not paths_a & paths_b:
        return f"different paths: {min(paths_a)} / {min(paths_b)}"
    return ""


def _subject(sentence: str) -> set[str]:
    bare = _PATH.sub(" ", _NUMBER.sub(" ", _NEGATION.sub(" ", sentence)))
    return {w for w in words(bare) if w not in STOP_WORDS and w not in _WEAK and len(w) > 1}


def _values(text: str) -> set[str]:
    return {
        re.sub(r"[\s,]", "", found).casefold() for found in _NUMBER.findall(_PATH.sub(" ", text))
    }


def _negative(sentence: str) -> bool:
    return len(_NEGATION.findall(_HARMLESS.sub(" ", sentence))) % 2 == 1


def _opposed(a: str, b: str, one: re.Pattern[str], other: re.Pattern[str]) -> str:
    for first, second in ((one, other), (other, one)):
        left, right = first.search(a), second.search(b)
        if left and right and not second.search(a) and not first.search(b):
            return f"{left[0].lower()} / {right[0].lower()}"
    return ""


def _exclusive(a: str, b: str) -> str:
    """X over Y against Y over X, and two answers to one question ("use X for Z", "use Y for Z")."""
    one, other = _ranked(a), _ranked(b)
    if one and other and one == other[::-1]:
        return f"{one[0]} over {one[1]} / {other[0]} over {other[1]}"
    left, right = _CHOICE.search(a), _CHOICE.search(b)
    if not left or not right or _negative(a) or _negative(b):
        return ""
    x, y = left[1].casefold().rstrip("."), right[1].casefold().rstrip(".")
    if x == y or x in b.casefold() or y in a.casefold():
        return ""
    rest_a, rest_b = _subject(a) - set(words(x)), _subject(b) - set(words(y))
    same = rest_a & rest_b
    if same and len(same) >= 0.6 * max(len(rest_a), len(rest_b)):
        return f"{x} / {y} for the same thing"
    return ""


def _ranked(sentence: str) -> tuple[str, str] | None:
    match = _OVER.search(sentence)
    if not match:
        return None
    better, worse = (match[1], match[2]) if match[1] else (match[4], match[3])
    return better.casefold().rstrip("."), worse.casefold().rstrip(".")


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "…"
