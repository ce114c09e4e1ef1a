"""Split a text into clauses that state what holds now.

Questions, plans, doubts, the past, reasons, code and table rows state nothing that another text could
contradict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextd.claims.phrases import DIGIT, Phrases
from contextd.claims.wordings import CHANGED_TO
from contextd_common.text.regex import regex

_SENTENCE = regex(r"(?<=[.!?;])\s+|\n+")
_MOST = 20

_PAST = Phrases(
    r"(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bbeing )(?<!\bwas )(?<!\bwere )(?<!\bbeen )(?<!\bonly )"
    r"\bused to (?=\w)|\b(?:previously|formerly|originally|initially|back then|at first|at the time"
    r"|in the past|in the old days|until (?:last|recently|now|\d|[A-Z])|before (?:v?\d|version|release)"
    r"|(?:in|since|during) (?:19|20)\d\d\b.*\b\w+ed\b|in (?:19|20)\d\d|last (?:week|month|year|quarter|spring)"
    r"|years? ago|months? ago|weeks? ago)\b",
    """used previously formerly originally initially back first time past old until before
    last ago"""
    + DIGIT,
)
_DOUBT = Phrases(
    r"\b(?:maybe|perhaps|consider(?:ing)?|suggest(?:s|ed)?|propos(?:e[sd]?|al|ing)|wonder(?:s|ing)?|what if"
    r"|if we (?:ever|were)|might|planned|plan(?:s|ning)? (?:to|for)|will (?:move|switch|migrate|upgrade|drop"
    r"|replace|change|remove|adopt|become)|going to|experiment(?:s|al|ing)?|in (?:the )?future|next"
    r" (?:week|month|year|quarter|sprint|release)|eventually|would be|should we|do we|i wish)\b"
    r"|^\s*(?:plan|idea|proposal|todo|experiment|question|rfc|draft)\b\s*:",
    """maybe perhaps consider considering suggest suggests suggested propose proposed
    proposes proposal proposing wonder wonders wondering if might planned plan plans
    planning will going experiment experiments experimental experimenting future next
    eventually would should do wish idea proposal todo question rfc draft""",
)
_REPORT = regex(
    r"^\s*(?:bug|issue|problem|symptom|fix|fixed|fixes|error|step \d+|example|e\.g\.)\b\s*:", re.I
)
_WAS, _IS = (
    regex(r"\b(?:was|were|had)\b", re.I),
    regex(r"\b(?:is|are|has|have|must|should)\b", re.I),
)
_REPLACED = regex(
    r"\b(?:was|were) (?:\w+ )?(?:replaced|removed|dropped|deprecated|superseded|retired)\b", re.I
)
_REASON = Phrases(
    r"[,\s]+(?:\(?because|since (?:it|we|they|the|this|that)|so that|as (?:it|we|they) |due to|thanks to"
    r"|otherwise|in order to|which is why|whereas)\b.*$|\s*\((?:was|were|formerly|previously|before|e\.g\.|because"
    r"|see|it|we|they|not)\b[^)]*\)",
    """because since so as due thanks otherwise order which whereas was were formerly
    previously before e see it we they not""",
    re.I | re.S,
)
_LEADS = regex(
    r"\s*(?:in|on|for|if|when|whenever|while|during|at|after|before|with|without|under|as|to|since|once|unless"
    r"|until|by|from|inside|not|both|either|besides|instead)\b",
    re.I,
)
_NEXT = regex(
    r"(?:,\s+(?:but\s+|so\s+|and\s+)?|\s+[-–—]+\s+|,?\s+but\s+)"
    r"(?=(?:do not|don['’]?t|never|always|use|avoid|prefer|keep|just|instead|ever|fix|it|we|they|this|that|you|i"
    r"|nobody|everybody|the|all|there|no one|see|ask|make|run|put|call|which|who)\b)(?!not\b)",
    re.I,
)
_CODE = regex(
    r"^\s*\d+\s*[\t:|→]|^\s*(?:[|$<>]|//|[+-]\s*\t|(?:PASS|FAIL|ok|INFO|WARN|ERROR|DEBUG)\b\s*[:\t])|\|.*\||:=|=>|[{}]\s*$|\)\s*;\s*$|\w\([^)]*\)\s*[{;]|^\s*(?:import|def|class|func|var|const|let|return)\s+\w+[\s.=(]"
)
_NARRATED = regex(
    r"(?:so|also|now|ok(?:ay)?|actually|then|next|let me|i['’]ll|i will|i need|i['’]m|wall time|output too)\b",
    re.I,
)
_ADDRESS = regex(r"^\w+, \w+[.!]*$")
_LETTERS = regex(r"[^\W\d_]")


def clauses(text: str) -> Iterator[str]:
    """The current statements of the text, one clause at a time, from its first 20 sentences."""
    sentences = [part.strip() for part in _SENTENCE.split(text) if len(part.strip()) > 5]
    for sentence in sentences[:_MOST]:
        if holds_now(sentence):
            yield from _clauses(_REASON.sub("", sentence).strip())


def holds_now(sentence: str) -> bool:
    """Whether a sentence is prose that states a fact or rule."""
    if (
        sentence.rstrip(" )*\"'").endswith("?")
        or _CODE.search(sentence)
        or _ADDRESS.match(sentence)
    ):
        return False
    if _NARRATED.match(sentence):
        return False
    if len(_LETTERS.findall(sentence)) < 0.5 * len(sentence):
        return False
    if _PAST.search(sentence) or _DOUBT.search(sentence) or _REPORT.match(sentence):
        return False
    # "Was raised to 5" says what holds since.
    holds = _IS.search(sentence) or _REPLACED.search(sentence) or CHANGED_TO.search(sentence)
    return not _WAS.search(sentence) or bool(holds)


def _clauses(sentence: str) -> Iterator[str]:
    if _LEADS.match(sentence):
        yield sentence
        return
    for part in _NEXT.split(sentence):
        if len(part.strip()) > 5:
            yield part.strip()
