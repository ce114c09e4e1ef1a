"""Statements about things that have one value at a time.

"The default branch is main", "deploy to AWS", `region: eu-central-1`, "Ana owns billing": another sentence with
a different value contradicts them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextd.claims.alternatives import named_for
from contextd.claims.phrases import Phrases
from contextd.claims.quantities import quantities
from contextd.claims.releases import released
from contextd.claims.replacements import owner
from contextd.claims.schedules import scheduled
from contextd.claims.stems import NUMBERED, ROLES, STOPPED, folded_words, stems, tools_in
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex
from contextd_common.text.words import STOP_WORDS, words

_EXCLUSIVE_IS = regex(
    r"^(?:the|our|its)?\s*(?P<what>[\w -]+?)\s+(?:is|are|=|:)\s+(?:called\s+|named\s+)?"
    r"(?P<value>[\w.+#/@:-]+(?:\s+[\w.+#-]+)?)[.!]?$",
    re.I,
)
# A setting and its value: `region: eu-central-1`, `DEBUG=True`, `strict` is set to `on`.
_PAIR = regex(
    r"^(?:the\s+)?[`'\"]?(?P<what>[\w.-]+(?:\s+[\w.-]+){0,5}?)[`'\"]?\s*(?::|=|\s(?:is|must be|should be) set to|\sdefaults to)\s*"
    r"[`'\"]?(?P<value>[^\s,;:()`]+(?:\s+[^\s,;:()`]+){0,2})[`'\"]?[.!]?$",
    re.I,
)
_LABEL = regex(
    r"(?:bugs?|fix(?:ed|es)?|issues?|notes?|todo|decisions?|decided|rules?|conventions?|requirements?|patterns?|steps?.*"
    r"|examples?|titles?|questions?|answers?|warnings?|hints?|tips?|features?|reasons?|why|what|how|who|when|summary"
    r"|context|learned|lessons?|important|remember|task|goal|plan|status|result|outcome|problem|solution|cause|see|files?|(?:.*\s)?(?:ids?|hash|sha|uuid|time|count)"
    r"|https?|chore|feat|docs|test|refactor|perf|ci|build|style|\w+\(.*|.*\b(?:is|are|to|we|you|i|and)\b.*)$",
    re.I,
)
_TRUTH = {
    "on": "true",
    "yes": "true",
    "enabl": "true",
    "off": "false",
    "no": "false",
    "disabl": "false",
}
# "The limit is mandatory" and "the limit is documented" hold at once.
_QUALITY = regex(r"(?:ed|ing|able|ible|ory|al|ful|ive|ous|ent|ant|low|high|fast|slow|good)$")
_PLACE = Phrases(
    r"^(?P<what>.*\b(?:run|runs|deploy|deployed|deploys|store|stored|host|hosted|merge|merged|publish"
    r"|published|build|built|write|written|format|formatted|lint|manage|managed|release|released|send"
    r"|sent|serve|served|save|saved|live|lives|go|goes|represented|encoded|named|tracked|modelled)\b.*?)\s+(?P<how>as|with|on|to|from|via|through|using|by)\s+"
    r"(?:the\s+)?(?P<place>[\w.+#/@-]+(?:\s+[\w.+#-]+)?)[.!]?$",
    """run runs deploy deployed deploys store stored host hosted merge merged publish
    published build built write written format formatted lint manage managed release
    released send sent serve served save saved live lives go goes represented encoded
    named tracked modelled""",
)
_COMMAND = regex(r"(?:run|lint|format|build|test)\b", re.I)
_SEVERAL = frozenset(
    words(
        """staging production development test testing demand failure error request purpose startup
        push commit merge save hand default time friday monday tuesday wednesday thursday weekend"""
    )
)
"""Where and when things can happen in addition to other places and times."""


@dataclass(frozen=True, slots=True)
class SingleAnswer:
    """A statement about something single-valued: `what` it is, and its `answer`."""

    what: frozenset[str]
    answer: str
    words: frozenset[str]


def answers(sentence: str, remainder: str) -> Iterator[SingleAnswer]:
    """All statements of a sentence about single-valued things; `remainder` is the sentence without rejected
    alternatives.
    """
    match = _EXCLUSIVE_IS.match(sentence)
    if match and set(words(match["what"])[-1:]) & ROLES and not _QUALITY.search(match["value"]):
        what = frozenset(w for w in words(match["what"]) if w not in STOPPED)
        yield SingleAnswer(what, match["value"], frozenset(words(match["value"])))
    placed = _PLACE.match(sentence)
    # "Merge pull request from ann/branch" names one of many.
    merged = (
        placed and placed["how"].casefold() == "from" and sentence.casefold().startswith("merge")
    )
    if (
        placed
        and not merged
        and not (placed["how"].casefold() == "on" and _COMMAND.match(sentence))
    ):
        where = frozenset(words(placed["place"])) - {"branch"}
        if not where & (_SEVERAL | STOP_WORDS):
            what = frozenset(
                (*words(NUMBERED.sub(r"\1x\2", placed["what"])), f"({placed['how'].casefold()})")
            )
            yield SingleAnswer(what, placed["place"], where)
    pair = _PAIR.match(sentence)
    if pair and not _LABEL.match(pair["what"]) and not quantities(pair["value"])[0]:
        what = frozenset(("(key)", *folded_words(pair["what"])))
        yield SingleAnswer(
            what, pair["value"], frozenset(_TRUTH.get(w, w) for w in tools_in(pair["value"]))
        )
    owned = owner(sentence)
    if owned:
        what = frozenset(("(owner)", *stems(owned[0])))
        yield SingleAnswer(what, owned[1], frozenset(words(owned[1])) - STOPPED - {"team"})
    for job, names, value, subject in named_for(remainder):
        yield SingleAnswer(frozenset((f"(job) {job.name}", *subject)), value, names)
    yield from (
        SingleAnswer(frozenset((f"(when) {part}", *subject)), value, frozenset((value,)))
        for part, value, subject in scheduled(remainder)
    )
    for what, value, names in released(remainder):
        yield SingleAnswer(what, value, names)
