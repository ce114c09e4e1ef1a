"""Decide whether two short texts contradict each other. Deterministic, by words alone.

The tests run from most to least certain. Each defines "the same subject" in its own way: a negation contradicts
a text that says at least what it denies; different values, tools and places contradict only a statement about
exactly the same thing.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Literal, NamedTuple

from contextd.claims.claims import Claim, claim
from contextd.claims.clauses import clauses
from contextd.claims.phrases import READINGS
from contextd.claims.roles import converse, exchange, order_keys
from contextd.claims.stems import stems
from contextd_common.dataclass import dataclass
from contextd_common.text.words import words

MONTH = 28 * 86_400.0
"""Seconds; beyond this, durations within a tenth are equal, since a month has 28 to 31 days."""

Kind = Literal["polarity", "choice", "value"]

DENIED = 0.85
"""The share of a negated sentence's words that the other one must contain."""

TOLD = 0.4
"""The share of the other sentence's words that the negation must contain: more detail is allowed, another
subject is not.
"""

OPPOSED = 0.75
"""Sentences with opposite words must share this much of their other words (Jaccard)."""


class TextContradiction(NamedTuple):
    """How two texts contradict each other, and the reason in words."""

    kind: Kind
    reason: str


def conflict(one: str, other: str) -> str:
    """The reason in words why `one` and `other` contradict each other; empty when they do not."""
    found = contradiction(one, other)
    return found.reason if found else ""


def contradiction(one: str, other: str) -> TextContradiction | None:
    """The contradiction between `one` and `other`; None without one."""
    exchanged = exchange(one, other)
    if exchanged:
        return TextContradiction(exchanged.kind, exchanged.reason)
    for a in _claims(one):
        for b in _claims(other):
            if a.about & b.about or a.rejected or b.rejected:
                found = _compare(a, b)
                if found:
                    return found
    return None


@dataclass(frozen=True, slots=True)
class TextOutline:
    """A filter for texts worth comparing: contradicting texts share a key, or words while their poles are
    opposed.
    """

    keys: frozenset[str]
    words: frozenset[str]
    poles: frozenset[tuple[str, int]]


def outline(text: str) -> TextOutline:
    """The outline of a text."""
    keys = set(order_keys(text))
    about: set[str] = set()
    poles: set[tuple[str, int]] = set()
    for one in _claims(text):
        if one.values or one.paths:
            keys.add("value " + " ".join(sorted(_valued(one))))
        if one.exclusive:
            keys.add("choice " + " ".join(sorted(one.purpose)))
        keys.update("answer " + " ".join(sorted(answer.what)) for answer in one.answers)
        about |= one.about | set(words(one.rejected))
        poles.add(("denial", int(one.negative)))
        poles.update((f"row {row}", side) for row, (side, _) in one.poles.items())
        if one.rejected:
            poles.add((f"tool {one.rejected.rsplit(' ', 1)[-1]}", 0))
        if one.chosen:
            poles.add((f"tool {one.chosen.rsplit(' ', 1)[-1]}", 1))
    return TextOutline(frozenset(keys), frozenset(about), frozenset(poles))


def differs(one: str, other: str) -> str:
    """The detail that distinguishes two similar texts: a number, a path, the polarity, or words that only one
    of them has.
    """
    a, b = claim(one), claim(other)
    if a.values != b.values:
        return "numbers differ"
    if a.mentioned != b.mentioned:
        return "paths differ"
    if a.negations != b.negations:
        return "one is negated"
    if a.about - b.about and b.about - a.about:
        return "one says something else"
    if _swapped(one, other):
        return "who does what differs"
    return next(iter(_opposed(a, b)), "")


def _swapped(one: str, other: str) -> bool:
    """The same words in another order may mean that the roles are swapped."""
    first, second = one.casefold().split(), other.casefold().split()
    return first != second and sorted(first) == sorted(second)


@lru_cache(maxsize=READINGS)
def _claims(text: str) -> tuple[Claim, ...]:
    return tuple(claim(clause) for clause in clauses(text))


def _compare(a: Claim, b: Claim) -> TextContradiction | None:
    reason = _chosen(a, b)
    if reason:
        return TextContradiction("choice", reason)
    if a.negative != b.negative:
        denial, other = (a, b) if a.negative else (b, a)
        if _denies(denial, other):
            return TextContradiction(
                "polarity", f"one says the opposite: {_cut(a.text)} / {_cut(b.text)}"
            )
        return None
    opposed = _opposed(a, b)
    # "start before" and "stop after": two opposites cancel.
    if len(opposed) == 1 and _same_but(a, b, opposed[0]) and not converse(a.text, b.text):
        return TextContradiction("polarity", opposed[0])
    if a.negative:
        return None
    reason = _other_values(a, b) or _other_answer(a, b)
    return TextContradiction("value", reason) if reason else None


def _denies(denial: Claim, other: Claim) -> bool:
    """Whether the other sentence says at least what the negation denies."""
    shared = denial.about & other.about
    if not shared or _values_differ(denial, other) or _paths_differ(denial, other):
        return False
    if len(shared) == 1 and not _about_only(denial, other):
        return False
    if _roles_swapped(denial, other):
        return False
    enough = len(shared) >= DENIED * len(denial.about)
    return enough and len(shared) >= TOLD * len(other.about)


def _about_only(denial: Claim, other: Claim) -> bool:
    """Whether one word is the whole subject: the tool in use, or the entire statement."""
    if denial.about == other.about:
        return True
    return len(denial.about) == 1 and denial.about <= other.tools


def _roles_swapped(one: Claim, other: Claim) -> bool:
    """Whether both texts share three or more words, the first of one being the last of the other."""
    here, there = Counter(one.order), Counter(other.order)
    shared = {word for word, count in here.items() if count == there[word] == 1}
    first, second = ([w for w in claim.order if w in shared] for claim in (one, other))
    return len(first) > 2 and first[0] == second[-1] and first[-1] == second[0]


def _same_but(a: Claim, b: Claim, opposites: str) -> bool:
    """Whether the sentences are equal except for opposite words."""
    opposed = set(words(opposites))
    one, other = a.about - opposed, b.about - opposed
    shared = len(one & other)
    return shared >= 1 and shared >= OPPOSED * len(one | other) and not _values_differ(a, b)


def _opposed(a: Claim, b: Claim) -> list[str]:
    """The opposites of which each text uses one side."""
    rows = [(pole, b.poles[row]) for row, pole in a.poles.items() if row in b.poles]
    return [f"{one} / {other}" for (side, one), (other_side, other) in rows if side != other_side]


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


_CHANGES = frozenset(
    stems(
        """bump bumped bumps update updated updates upgrade upgraded upgrades downgrade downgraded increase increased increases
        raise raised raises lower lowered lowers reduce reduced reduces decrease decreased change changed changes
        version versions release"""
    )
)
"""Words that report a change to a value, or say that it is a version."""


def _valued(one: Claim) -> frozenset[str]:
    """The subject of a claim with a value: "bump the minimum version to 2" is about the minimum."""
    return one.about - _CHANGES or one.about


def _other_values(a: Claim, b: Claim) -> str:
    if not _one_subject(_valued(a), _valued(b)):
        return ""
    if _values_differ(a, b):
        return f"different figures: {', '.join(a.figures)} / {', '.join(b.figures)}"
    if _paths_differ(a, b):
        return f"different paths: {min(a.paths)} / {min(b.paths)}"
    return ""


def _values_differ(a: Claim, b: Claim) -> bool:
    """Whether both give one figure of the same dimension with different values. With several figures, all but
    one must agree, since their pairing is unknown otherwise.
    """
    for dimension in {name for name, _ in a.values} & {name for name, _ in b.values}:
        here = {value for name, value in a.values if name == dimension}
        there = {value for name, value in b.values if name == dimension}
        if len(here) == len(there) == len(here & there) + 1:
            [one], [other] = here - there, there - here
            if not _one_figure(dimension, one, other):
                return True
    return False


def _one_figure(dimension: str, one: str, other: str) -> bool:
    """Whether two figures may be equal: "16" and "16.2" of a version, 1 GB and 1,000 MB."""
    if dimension in ("size", "time"):
        small, large = sorted((float(one), float(other)))
        if dimension == "time":
            return small >= MONTH and large <= 1.1 * small
        return any(abs(large - small * 1.024**step) <= 0.001 * large for step in (1, 2, 3))
    return one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _paths_differ(a: Claim, b: Claim) -> bool:
    return bool(a.paths and b.paths) and not any(
        x == y or _one_path(x, y) or _one_path(y, x) for x in a.paths for y in b.paths
    )


def _one_path(longer: str, shorter: str) -> bool:
    """Whether one path contains the other or is its tail, as people abbreviate file names."""
    return longer.startswith(f"{shorter}/") or longer.endswith(f"/{shorter}")


def _one_subject(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of words have exactly one subject."""
    return bool(one) and one == other


def _other_answer(a: Claim, b: Claim) -> str:
    """Two values of something single-valued: "the default branch is main" / "… is master"; or one action with
    two tools or places: "deploy to AWS" / "deploy to GCP".
    """
    for one in a.answers:
        for other in b.answers:
            if one.what == other.what and not _one_answer(one.words, other.words):
                return f"{one.answer} / {other.answer} for the same thing"
    return ""


def _one_answer(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two answers may be equal: releases "20" and "20.11" are."""
    if one & other:
        return True
    return any(x.startswith(f"{y}.") or y.startswith(f"{x}.") for x in one for y in other)


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "…"
