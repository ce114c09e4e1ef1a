"""Judge two statements: same, refinement, opposite, update, or other.

The write gate, the search for contradictions and the enrichment of project.yaml share this judgement. Opposites
are tested first, so that one is never dropped as a repetition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from itertools import product
from typing import Any, Literal

from contextd.claims.claims import Claim, claim
from contextd.claims.clauses import clauses
from contextd.claims.contradiction_test import TextOutline, contradiction, differs, outline
from contextd.claims.entries import ASIDE, VALUES, DeclaredType, EntryParts, parts_of, words_of
from contextd.claims.roles import same_roles
from contextd.claims.word_order import directing, same_parts
from contextd.domain.records import Record
from contextd_common.dataclass import dataclass

Verdict = Literal["same", "refinement", "opposite", "update", "other"]

SHORT_VALUE = 6
"""Words of a value; longer ones are sentences, and only an opposite sentence contradicts."""

FEW_MORE = 1
"""Words or figures that a learning may add to a known line and still count as known."""

_KEPT_APART = frozenset({"contextType", "bubbleId", "structuredData"})
Types = Mapping[str, DeclaredType]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A statement: free text, or the fields of an entry of a `type`. `declared` is that type in the active
    schema.
    """

    text: str
    kind: str = ""
    title: str = ""
    type: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    declared: DeclaredType | None = None

    @property
    def parts(self) -> EntryParts | None:
        """The roles of the fields; None for free text."""
        return parts_of(self.fields, self.declared) if self.fields else None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The relation of two statements, and the reason in words.

    * same         one may be dropped: the same words in the same roles, or all fields equal
    * refinement   one says everything the other says, in more or different words
    * opposite     they contradict each other
    * update       the same subject with another counter, state, date or owner: the newer one counts
    * other        unrelated: both may stay

    `how` names the kind of opposition: `polarity`, `choice`, `value` or `field`.
    """

    verdict: Verdict
    reason: str = ""
    how: str = ""


OTHER = Judgement("other")


def stated(
    kind: str, title: str, content: str, data: Mapping[str, Any], types: Types | None = None
) -> Said:
    """The statement of a draft or a record."""
    name = data.get("contextType")
    inner = data.get("structuredData")
    if not isinstance(inner, Mapping):
        # Entries of older stores hold their fields beside the type.
        inner = {n: v for n, v in data.items() if n not in _KEPT_APART} if name else {}
    type = name if isinstance(name, str) else ""
    declared = types.get(type) if types else None
    return Said(text=content, kind=kind, title=title, type=type, fields=inner, declared=declared)


def statement_of(record: Record, types: Types | None = None) -> Said:
    """The statement of a record."""
    return stated(record.kind, record.title, record.content, record.data, types)


def judge(one: Said, other: Said) -> Judgement:
    """Judge how two statements relate."""
    a, b = one.parts, other.parts
    if a is not None and b is not None and one.type == other.type:
        return _entries(a, b)
    for mine in a.texts if a else (one.text,):
        for theirs in b.texts if b else (other.text,):
            opposed = contradiction(mine, theirs)
            if opposed:
                return Judgement("opposite", opposed.reason, opposed.kind)
    return OTHER if a or b else _texts(one, other)


def outlined(statement: Said) -> TextOutline:
    """A filter for statements worth comparing."""
    parts = statement.parts
    if parts is None:
        return outline(statement.text)
    found = [
        outline(text) for text in dict.fromkeys((*parts.texts, *parts.stated, *parts.labelled))
    ]
    keys = frozenset(parts.keys(statement.type))
    return TextOutline(
        keys.union(*(one.keys for one in found)),
        frozenset[str]().union(*(one.words for one in found)),
        frozenset[tuple[str, int]]().union(*(one.poles for one in found)),
    )


def repeats(new: str, known: str) -> bool:
    """Whether a line adds nothing to a known one."""
    if contradiction(new, known):
        return False
    if _contains(known, new):
        return True
    return _contains(new, known) and _adds(new, known) <= FEW_MORE


def _texts(one: Said, other: Said) -> Judgement:
    if one.kind == other.kind and same_roles(one.text, other.text):
        detail = differs(f"{one.title} {one.text}", f"{other.title} {other.text}")
        return Judgement("refinement", detail) if detail else Judgement("same")
    if _contains(one.text, other.text):
        return Judgement("refinement", "the first says all that the second says")
    if _contains(other.text, one.text):
        return Judgement("refinement", "the second says all that the first says")
    if one.kind == other.kind and same_parts(one.text, other.text):
        return Judgement("refinement", "the same in another order")
    return OTHER


def _entries(a: EntryParts, b: EntryParts) -> Judgement:
    apart = _apart(a, b)
    if apart:
        return Judgement("other", apart)
    meet = bool(a.names) and words_equal(a.names, b.names)
    if a.names and b.names and not meet:
        return Judgement("other", "they name other things")
    if a.sayings and b.sayings:
        alike = a.bounds.keys() == b.bounds.keys()
        mine, theirs = (a.stated, b.stated) if alike else (a.texts, b.texts)
        pairs = (*product(mine, theirs), *product(a.labelled, b.labelled))
        opposed = next((found for x, y in pairs if (found := contradiction(x, y))), None)
        if opposed:
            return Judgement("opposite", opposed.reason, opposed.kind)
        if not words_equal(a.sayings, b.sayings):
            if a.sure and meet:
                return Judgement("update", _first_difference(a.sayings, b.sayings))
            return OTHER
        meet = True
    return _described(a, b) if meet else OTHER


def _apart(a: EntryParts, b: EntryParts) -> str:
    """The scope that two entries do not share."""
    for name, here in a.places.items():
        there = b.places.get(name)
        if there is not None and set(words_of(here).split()).isdisjoint(words_of(there).split()):
            return f"{name}: {here} / {there}"
    return ""


def _described(a: EntryParts, b: EntryParts) -> Judgement:
    """Compare two entries with one subject: their statements and descriptions."""
    newer = ""
    for name in (name for name in a.rest if name in b.rest and name.lower() not in ASIDE):
        here, there = a.rest[name], b.rest[name]
        if words_of(here) == words_of(there):
            continue
        difference = f"{name}: {_shown(here)} / {_shown(there)}"
        texts = isinstance(here, str) and isinstance(there, str)
        if (
            name.lower() in VALUES
            and max(len(_shown(v).split()) for v in (here, there)) <= SHORT_VALUE
        ):
            return Judgement("opposite", difference, "field")
        opposed = contradiction(here, there) if texts else None
        if opposed:
            return Judgement("opposite", opposed.reason, opposed.kind)
        newer = newer or difference
    if newer:
        return Judgement("update", newer)
    equal = a.rest == b.rest and a.places == b.places and a.sayings == b.sayings
    return Judgement("same") if equal else Judgement("refinement", "one describes it further")


def words_equal(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether the shared fields agree, and there are some."""
    shared = one.keys() & other.keys()
    return bool(shared) and all(words_of(one[n]) == words_of(other[n]) for n in shared)


def _first_difference(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    return next(
        f"{n}: {one[n]} / {other[n]}"
        for n in one
        if n in other and words_of(one[n]) != words_of(other[n])
    )


def _shown(value: object) -> str:
    return str(value).casefold() if isinstance(value, bool) else str(value)


def _contains(whole: str, part: str) -> bool:
    """Whether `whole` contains everything that `part` says, in the same roles."""
    if not directing(part) <= directing(whole):
        return False
    claims, there = _telling(part), _telling(whole)
    return bool(claims) and all(any(_within(one, other) for other in there) for one in claims)


def _within(part: Claim, whole: Claim) -> bool:
    if len(part.about) < 2 or part.negations != whole.negations:
        return False
    if not (part.about <= whole.about and part.values <= whole.values):
        return False
    if not part.mentioned <= whole.mentioned or part.rejected != whole.rejected:
        return False
    if any(whole.poles.get(row, (None,))[0] != side for row, (side, _) in part.poles.items()):
        return False
    shared_words = [word for word in whole.order if word in part.about]
    return list(dict.fromkeys(shared_words)) == list(dict.fromkeys(part.order))


def _adds(one: str, other: str) -> int:
    """The number of words, figures and paths that a text adds to another one."""
    items, known = (
        frozenset[object]().union(*(c.about | c.values | c.mentioned for c in _telling(text)))
        for text in (one, other)
    )
    return len(items - known)


def _telling(text: str) -> tuple[Claim, ...]:
    """The claims of a text with content: not "keep it so"."""
    found = (claim(clause) for clause in clauses(text))
    return tuple(one for one in found if len(one.about) > 1 or one.values or one.paths)
