"""Whether two short texts say opposite things of one subject. Deterministic, by words alone.

The order of the tests is that of their certainty. Each asks for the same subject in its own way: a
denial contradicts whatever says at least as much as it denies; other values, tools and places
contradict only what is said of exactly the same thing.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from contextd.domain.words import STOP_WORDS, words
from contextd.governance.claims import ROLES, Claim, claim

Kind = Literal["polarity", "choice", "value"]

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_MOST_SENTENCES = 20

DENIED = 0.85
"""This share of what a sentence denies must be in the other one."""

TOLD = 0.4
"""And this share of the other one must be in the denial: it may say more, not something else."""

OPPOSED = 0.75
"""Sentences with opposite words must share this much of their other words (Jaccard)."""

_OPPOSITES = tuple(
    (re.compile(rf"\b(?:{one})\b", re.I), re.compile(rf"\b(?:{other})\b", re.I))
    for one, other in (
        (
            "enabled?|enables|enabling|turn(?:ed)? on",
            "disabled?|disables|disabling|turn(?:ed)? off",
        ),
        ("allow(?:s|ed)?|permit(?:s|ted)?", "forbid(?:s|den)?|disallow(?:s|ed)?|den(?:y|ies|ied)"),
        ("prefer(?:s|red)?|recommend(?:s|ed)?", "avoid(?:s|ed)?|discourage[sd]?"),
        ("before", "after"),
        ("required?|requires|mandatory|must", "optional"),
        ("synchronous(?:ly)?", "asynchronous(?:ly)?"),
        ("true", "false"),
        ("on", "off"),
        ("opt-in|opt in", "opt-out|opt out"),
        ("soft", "hard"),
        ("tabs", "spaces"),
        ("single", "double"),
        ("camelCase|camel case", "snake_case|snake case|kebab-case"),
        ("public", "private"),
        ("mutable", "immutable"),
        ("stateful", "stateless"),
        ("lazy|lazily", "eager(?:ly)?"),
        ("manual(?:ly)?", "automatic(?:ally)?"),
        ("static(?:ally)?", "dynamic(?:ally)?"),
        ("strict", "lenient|loose"),
        ("ascending", "descending"),
        ("composition", "inheritance"),
        ("monorepo", "polyrepo|multirepo"),
        ("monolith", "microservices"),
        ("rebase", "merge"),
        ("squash(?:ed)?", "merge commits?"),
        ("keep|kept|retain(?:ed)?", "removed?|delete[sd]?|dropped|discard(?:ed)?"),
        ("include[sd]?", "exclude[sd]?"),
        ("succeeds?|passes|passing", "fails?|failing"),
        ("increase[sd]?|raised?", "decrease[sd]?|lower(?:ed)?|reduced?"),
        ("adding|adds?|added", "removing|removes?|removed"),
        ("full", "empty"),
        ("near|close to", "far (?:from|to|away)"),
        ("open(?:s|ed|ing)?", "clos(?:e[sd]?|ing)"),
        ("day|daytime", "night"),
        ("asleep|sleeping", "awake"),
    )
)
_EXCLUSIVE_IS = re.compile(
    r"^(?:the|our|its)?\s*(?P<what>[\w -]+?)\s+(?:is|are|=|:)\s+(?:called\s+|named\s+)?"
    r"(?P<value>[\w.+#/@:-]+(?:\s+[\w.+#-]+)?)[.!]?$",
    re.I,
)
# "The limit is mandatory" and "the limit is documented" hold at once.
_QUALITY = re.compile(r"(?:ed|ing|able|ible|ory|al|ful|ive|ous|ent|ant|low|high|fast|slow|good)$")
_PLACE = re.compile(
    r"^(?P<what>.*\b(?:run|runs|deploy|deployed|deploys|store|stored|host|hosted|merge|merged|publish"
    r"|published|build|built|write|written|format|formatted|lint|manage|managed|release|released|send"
    r"|sent|serve|served|save|saved)\b.*?)\s+(?P<how>with|on|to|from|via|through|using|by)\s+"
    r"(?:the\s+)?(?P<place>[\w.+#/@-]+(?:\s+[\w.+#-]+)?)[.!]?$",
    re.I,
)
_SEVERAL = frozenset(
    words(
        """staging production development test testing demand failure error request purpose startup
        push commit merge save hand default time friday monday tuesday wednesday thursday weekend"""
    )
)
"""Where and when things can happen besides elsewhere."""


class Conflict(NamedTuple):
    """How two texts contradict each other, and in which words."""

    kind: Kind
    reason: str


def conflict(one: str, other: str) -> str:
    """How `one` and `other` contradict each other, in words; empty when they do not."""
    found = contradiction(one, other)
    return found.reason if found else ""


def contradiction(one: str, other: str) -> Conflict | None:
    """How `one` and `other` contradict each other; None when they do not."""
    for a in _claims(one):
        for b in _claims(other):
            if a.about & b.about or a.rejected or b.rejected:
                found = _compare(a, b)
                if found:
                    return found
    return None


def differs(one: str, other: str) -> str:
    """Which detail keeps two like texts from being the same: a number, a path, the polarity, or
    words of which each has some the other has not.
    """
    a, b = claim(one), claim(other)
    if a.values != b.values:
        return "numbers differ"
    if a.paths != b.paths:
        return "paths differ"
    if a.negations != b.negations:
        return "one is negated"
    if a.about - b.about and b.about - a.about:
        return "one says something else"
    if _swapped(one, other):
        return "who does what differs"
    return next((told for x, y in _OPPOSITES if (told := _opposed(one, other, x, y))), "")


def _swapped(one: str, other: str) -> bool:
    """The same words in another order may say that the roles are swapped."""
    first, second = one.casefold().split(), other.casefold().split()
    return first != second and sorted(first) == sorted(second)


def _claims(text: str) -> list[Claim]:
    sentences = [s.strip() for s in _SENTENCE.split(text) if len(s.strip()) > 5]
    return [claim(sentence) for sentence in sentences[:_MOST_SENTENCES]]


def _compare(a: Claim, b: Claim) -> Conflict | None:
    told = _chosen(a, b)
    if told:
        return Conflict("choice", told)
    if a.negative != b.negative:
        denial, other = (a, b) if a.negative else (b, a)
        if _denies(denial, other):
            return Conflict("polarity", f"one says the opposite: {_cut(a.text)} / {_cut(b.text)}")
        return None
    for one, other_way in _OPPOSITES:
        told = _opposed(a.text, b.text, one, other_way)
        if told and _same_but(a, b, told):
            return Conflict("polarity", told)
    if a.negative:
        return None
    told = _other_values(a, b) or _other_answer(a, b) or _other_place(a, b)
    return Conflict("value", told) if told else None


def _denies(denial: Claim, other: Claim) -> bool:
    """Whether the other sentence says at least what the denial denies."""
    shared = denial.about & other.about
    if not shared or _values_differ(denial, other) or _paths_differ(denial, other):
        return False
    if len(shared) == 1 and max(len(denial.about), len(other.about)) > 2:
        return False
    enough = len(shared) >= DENIED * len(denial.about)
    return enough and len(shared) >= TOLD * len(other.about)


def _same_but(a: Claim, b: Claim, told: str) -> bool:
    """Whether the sentences say the same but for the opposite words."""
    opposed = set(words(told))
    one, other = a.about - opposed, b.about - opposed
    shared = len(one & other)
    return shared >= 1 and shared >= OPPOSED * len(one | other) and not _values_differ(a, b)


def _opposed(a: str, b: str, one: re.Pattern[str], other: re.Pattern[str]) -> str:
    for first, second in ((one, other), (other, one)):
        left, right = first.search(a), second.search(b)
        if left and right and not second.search(a) and not first.search(b):
            return f"{left[0]} / {right[0]}"
    return ""


def _chosen(a: Claim, b: Claim) -> str:
    """X over Y against Y over X, or against Y alone; two tools for one job."""
    if not a.chosen and not b.chosen:
        return ""
    if a.negative or b.negative:
        return ""
    if a.chosen == b.chosen:
        return ""
    for one, other in ((a, b), (b, a)):
        if one.rejected and f" {other.chosen}".endswith(f" {one.rejected}"):
            mine, theirs = (c.purpose - a.tools - b.tools for c in (one, other))
            if not mine or not theirs or mine <= theirs or theirs <= mine:
                return f"{one.chosen} over {one.rejected} / {other.chosen}"
    if not (a.chosen and b.chosen and a.exclusive and b.exclusive):
        return ""
    if a.tools & (b.tools | b.about) or b.tools & a.about:
        return ""
    if a.purpose and b.purpose and _one_subject(a.purpose, b.purpose):
        return f"{a.chosen} / {b.chosen} for the same thing"
    return ""


def _other_values(a: Claim, b: Claim) -> str:
    if not _one_subject(a.about, b.about):
        return ""
    if _values_differ(a, b):
        return f"different figures: {', '.join(a.figures)} / {', '.join(b.figures)}"
    if _paths_differ(a, b):
        return f"different paths: {min(a.paths)} / {min(b.paths)}"
    return ""


def _values_differ(a: Claim, b: Claim) -> bool:
    """Whether both give one figure of the same sort and it is another one. Of several figures all
    but one must agree, or nobody knows which belong together.
    """
    for dimension in {name for name, _ in a.values} & {name for name, _ in b.values}:
        here = {value for name, value in a.values if name == dimension}
        there = {value for name, value in b.values if name == dimension}
        if len(here) == len(there) and len(here - there) == 1:
            return True
    return False


def _paths_differ(a: Claim, b: Claim) -> bool:
    return bool(a.paths and b.paths) and not any(
        x == y or x.startswith(y + "/") or y.startswith(x + "/") for x in a.paths for y in b.paths
    )


def _one_subject(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of words speak of exactly one thing."""
    return bool(one) and one == other


def _other_answer(a: Claim, b: Claim) -> str:
    """Two values of what has one at a time: "the default branch is main" / "… is master"."""
    left, right = _EXCLUSIVE_IS.match(a.text), _EXCLUSIVE_IS.match(b.text)
    if not left or not right:
        return ""
    subjects = [{w for w in words(match["what"]) if w not in STOP_WORDS} for match in (left, right)]
    head = words(left["what"])[-1:]
    if subjects[0] != subjects[1] or not set(head) & ROLES:
        return ""
    x, y = left["value"].casefold().rstrip("."), right["value"].casefold().rstrip(".")
    if x == y or set(words(x)) & set(words(y)) or _QUALITY.search(x) or _QUALITY.search(y):
        return ""
    return f"{' '.join(words(left['what']))}: {x} / {y}"


def _other_place(a: Claim, b: Claim) -> str:
    """One thing done with, on or from two tools or places: "deploy to AWS" / "deploy to GCP"."""
    left, right = _PLACE.match(a.text), _PLACE.match(b.text)
    if not left or not right or left["how"].casefold() != right["how"].casefold():
        return ""
    if set(words(left["what"])) != set(words(right["what"])):
        return ""
    x, y = set(words(left["place"])), set(words(right["place"]))
    if (x & y - {"branch"}) or (x | y) & (_SEVERAL | STOP_WORDS):
        return ""
    return f"{left['place']} / {right['place']} for the same thing"


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "…"
