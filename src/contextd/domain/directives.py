"""Directives: rules that a person or an agent wants followed from now on, unlike states, facts or tasks.

A directive never decays. It ends only by an explicit act, which its history records (ADR 0048). This module
alone decides what counts as a directive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from contextd.domain.directive_words import (
    DEICTIC,
    FOR_NOW,
    INSISTS,
    LIFTS,
    MARKER,
    MUST,
    SHOUTED,
    STATED_ANYWHERE,
    STATED_FIRST,
    WANTS_MORE,
)
from contextd.domain.kinds import kinds_that
from contextd.domain.records import Change, Record
from contextd.domain.scope_words import HOLDS_EVERYWHERE, ONE_FEATURE, WIDE
from contextd.domain.span_words import FOR_BRANCH, FOR_SESSION, GENERAL, LASTS
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex
from contextd_common.text.words import content_words, weight

Force = Literal["stated", "standing"]
"""How a sentence directs: `stated` demands something from now on, `standing` is worded like a rule in
passing.
"""


Span = Literal["turn", "session", "branch", "always"]
LASTING: tuple[Span, ...] = ("branch", "always")
"""Spans that outlive a session. Orders for less are in its ledger alone."""
"""For how long an order holds."""


@dataclass(frozen=True, slots=True)
class Directive:
    """The words that state a rule, whether they demand it explicitly, and for how long it holds."""

    text: str
    force: Force
    span: Span


_ASKS = regex(r"[?？][\"')\]*_」』]*$")
_ABBREVIATION = regex(
    r"\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|z\.B|d\.h|bzw|ca|p\.ej|no|dr|mr)\.$", re.I
)
_QUOTED = regex(r"`[^`\n]*`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|「[^」\n]*」|\([^()\n]{1,200}\)")
_BREAK = regex(r"[.!?…]+[\"')\]*_]*(?=\s)|[。！？]+[」』）]*|\n+")
_FENCE = regex(r"```.*?(?:```|\Z)|^[ \t]*>.*$", re.S | re.M)

_SHORTEST, _LONGEST = 12, 320
"""Length limits of a directive in characters, an ideograph counting as two: shorter text is an assent,
longer text is material.
"""

_SAYS = 3
"""Minimum number of content words; below it, as in `never do that`, the previous sentence is included."""


_LABELS = frozenset(
    """directive rule rules policy policies standard standards convention conventions guideline guidelines
    constraint constraints requirement requirements preference preferences anti-pattern anti_pattern""".split()
)
"""Types and tags that mark a record as a directive."""

_TYPED = ("type", "contextType", "savedAs")
"""Fields that may hold the type of a record."""

WORDED = ("context", "memory", "discovery")
"""Kinds whose records are directives if their wording is. For other kinds the kind decides."""

_READ = 1_200
"""Characters of a record that are examined; longer text is a narrative."""


def is_directive(record: Record) -> bool:
    """Whether a record is a directive: by its kind, its type or tags, or its wording, regardless of its author."""
    if record.kind in kinds_that("directive"):
        return True
    if record.kind not in WORDED:
        return False
    named = (*(record.data.get(name) for name in _TYPED), *record.tags)
    if any(str(name).casefold() in _LABELS for name in named if name):
        return True
    if len(record.content) > _READ:
        return False
    short = len(record.content) <= _LONGEST
    return any(
        one.force == "stated" or (short and INSISTS.search(one.text))
        for one in directives_in(record.content)
        if one.span == "always"
    )


ENDING_ACTS = frozenset(
    """update delete undo restore resolve retract merge unmerge import unimport promote withdraw
    rejudge""".split()
)
"""History actions that may end or weaken a directive: each is a deliberate decision. All others, such as
`signal`, `feedback` and `archive`, only report how a record was used.
"""


def in_force(before: Record, after: Record, action: str) -> Record:
    """`after` as it may be stored: only an ending act may lower the status, validity or confidence of a
    directive.
    """
    if action in ENDING_ACTS or not is_directive(before):
        return after
    ended = before.status == "active" != after.status
    return after.with_(
        confidence=max(before.confidence, after.confidence),
        status=before.status if ended else after.status,
        valid_to=before.valid_to,
        canonical_id=before.canonical_id,
    )


def unweakened(record: Record, history: Sequence[Change]) -> Record:
    """A directive restored to the state it would have if every change had passed `in_force`. Older
    versions of contextd demoted, archived and distrusted unused directives.
    """
    first = next((one.after or one.before for one in history), None)
    if first is None or not is_directive(record):
        return record
    held = first
    for one in history:
        if one.before is None or one.after is None:
            continue
        held = _replayed(held, one, one.before, one.after)
    return record.with_(
        status=held.status,
        valid_to=held.valid_to,
        canonical_id=held.canonical_id,
        confidence=max(record.confidence, held.confidence),
    )


_FILE_REMOVED = " was removed"
"""How the reason ends that older versions gave when a policy's file was deleted. Such a deletion is a
decision.
"""


def _replayed(held: Record, change: Change, before: Record, after: Record) -> Record:
    """The state of a directive after one more change from its history."""
    raised = after.confidence >= before.confidence
    surer = max(held.confidence, after.confidence)
    if change.action in ENDING_ACTS or change.reason.endswith(_FILE_REMOVED):
        # An ending act decides about the fields it changed; the other fields stay as they were restored.
        return held.with_(
            status=held.status if before.status == after.status else after.status,
            valid_to=held.valid_to if before.valid_to == after.valid_to else after.valid_to,
            canonical_id=after.canonical_id
            if before.canonical_id != after.canonical_id
            else held.canonical_id,
            confidence=surer if raised else after.confidence,
        )
    status = held.status if held.status == "active" else after.status
    return held.with_(status=status, confidence=surer)


def is_users(record: Record) -> bool:
    """Whether a directive comes from the user: typed by a person, or learned from one of their prompts."""
    return is_directive(record) and (
        record.trust == "human" or record.data.get("speaker") == "user"
    )


def directives_in(text: str) -> list[Directive]:
    """The directives in a message, in order: each is the sentence that states it.

    Skips code, quoted lines, questions and anything limited to the moment.
    """
    found: list[Directive] = []
    before = ""
    for sentence in sentences(text):
        force = _force(sentence)
        if force:
            stated = _from_its_marker(sentence) if force == "stated" else sentence
            if DEICTIC.search(stated) and len(content_words(DEICTIC.sub("", stated))) < _SAYS:
                stated = f"{before} {stated}" if before else ""
            if stated and not _is_too_long(stated):
                found.append(Directive(stated, force, span_of(sentence)))
        before = sentence
    return found


def without_directives(text: str) -> str:
    """The message without its directives."""
    rest = text
    for one in directives_in(text):
        for sentence in sentences(one.text):
            rest = rest.replace(sentence, " ", 1)
    return rest.strip(" \n\t,;–—")


def force_of(text: str) -> Force | Literal[""]:
    """The strongest force of the directives in a text that outlive their session; empty if it has none."""
    forces = {one.force for one in directives_in(text) if one.span in LASTING}
    return "stated" if "stated" in forces else "standing" if forces else ""


def span_of(sentence: str) -> Span:
    """For how long the order of a sentence holds: by its words of duration or generality, not by its loudness."""
    if FOR_BRANCH.search(sentence):
        return "branch"
    if FOR_SESSION.search(sentence):
        return "session"
    bare = _QUOTED.sub(" ", sentence)
    return "always" if LASTS.search(bare) or MUST.search(bare) or GENERAL.search(bare) else "turn"


def _force(sentence: str) -> Force | Literal[""]:
    if weight(sentence) < _SHORTEST or _is_too_long(sentence) or _ASKS.search(sentence):
        return ""
    for_now = FOR_NOW.search(sentence)
    if for_now or LIFTS.search(sentence) or WANTS_MORE.match(sentence):
        return ""
    bare = _QUOTED.sub(" ", sentence)
    shouted = bare == bare.upper() and len(bare.split()) >= _SAYS and SHOUTED.match(bare)
    stated = STATED_FIRST.match(sentence) or STATED_ANYWHERE.search(bare) or GENERAL.search(bare)
    if shouted or stated or HOLDS_EVERYWHERE.search(bare):
        # What one part of the product must always show is a request about it, however general it sounds.
        return "standing" if ONE_FEATURE.search(bare) and not WIDE.search(bare) else "stated"
    return "standing" if INSISTS.search(bare) or MUST.search(bare) else ""


def _is_too_long(text: str) -> bool:
    return len(text) > _LONGEST


def _from_its_marker(sentence: str) -> str:
    """The sentence from its directive marker on: `fix the header, and from now on …`."""
    found = MARKER.search(sentence)
    tail = sentence[found.end() :] if found else ""
    says_more = len(content_words(tail)) > _SAYS and not WANTS_MORE.match(tail)
    return tail if says_more else sentence


def sentences(text: str) -> Iterator[str]:
    """The prose sentences of a message, without code and quoted lines. Punctuation inside quotes or
    brackets ends no sentence.
    """
    prose = _FENCE.sub("\n", text)
    quoted = [match.span() for match in _QUOTED.finditer(prose)]
    start = 0
    for end in _BREAK.finditer(prose):
        inside = any(low < end.start() < high - 1 for low, high in quoted)
        if inside or _ABBREVIATION.search(prose[start : end.start() + 1]):
            continue
        yield from _tidied(prose[start : end.end()])
        start = end.end()
    yield from _tidied(prose[start:])


def _tidied(sentence: str) -> Iterator[str]:
    text = re.sub(r"^(?:[-*+•]\s+|\d{1,2}[.)]\s+)+", "", " ".join(sentence.split()))
    if text:
        yield text
