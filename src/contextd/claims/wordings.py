"""Normalise synonymous wordings before a sentence is parsed.

"Gives up after", "times out after" and "has a timeout of" become one; so do "at most", "up to" and "limited to"
before a figure. The rewritten text is compared, never shown.
"""

from __future__ import annotations

import re

from contextd.claims.phrases import DIGIT, Phrases
from contextd.claims.quantities import NUMBER_WORDS
from contextd_common.text.regex import regex

_FIGURE = rf"(?=(?:\d|(?:{'|'.join(NUMBER_WORDS)})\b))"
_COUNTED = f"{DIGIT} {' '.join(NUMBER_WORDS)} a an "
_TIME_UNITS = """s ms sec secs second seconds min mins minute minutes h hr hrs hour hours day days week
 weeks month months year years"""
_DATA = (
    r"logs?|backups?|rows?|records?|events?|audit|artifacts?|invoices?|exports?|data|history|snapshots?"
    r"|traces?|metrics?|dumps?|archives?|reports?|messages?|files?|uploads?"
)

_FIGURES = Phrases(".", _COUNTED)
_PREFERRED = Phrases(
    r"(?:\b(?P<better>[\w.+#-]+(?: [\w.+#-]+)?) (?:is|are) )?preferred (?:to|over) ",
    "preferred",
)
_ONE = Phrases(
    r"\b(?P<lead>after|for|within|of|is|every|to|than)\s+an?\s+(?=(?:second|minute|hour|day|week|month|year)\b)",
    "second minute hour day week month year",
)
_IDLE = Phrases(
    r"\b(?:without (?:any )?activity|(?:of|after|on|during) (?:inactivity|being idle|idling)|(?:of|when|while) (?:being )?(?:idle|inactive))\b",
    "activity inactivity idle idling inactive",
)
_GIVE_UP = Phrases(
    r"\b(?:gives? up|given up|giving up|times? out|timed out|timing out)\b", "up out"
)
CHANGED_TO = regex(
    r"\b(?:is|are|was|were|has been|have been)\s+(?:now\s+)?"
    r"(?:increased|raised|bumped|lowered|reduced|decreased|upgraded|downgraded)"
    r"\s+(?:from\s+v?\d\S*\s+(?:[a-z]+\s+)?)?to\s+(?=v?\d)",
    re.I,
)
"""A changed figure: its new value still holds, in the past tense as well."""

_BUMPED = Phrases(
    r"\b(?P<lead>(?:bump|updat|upgrad|downgrad|increas|rais|lower|reduc|decreas|chang)(?:e|ed|es|s)?\b.*?)\s+from\s+`?v?\d\S*\s+to\s+(?=`?v?\d)",
    "from",
)
_MINIMUM = Phrases(
    r"\b(?:minimum|oldest|lowest|minimal)\s+(?:supported|required|needed|possible|compatible)(?=\s)|\bmsrv\b",
    "minimum oldest lowest minimal msrv",
)
_SESSION = re.compile(r"\bsessions?\b", re.I)
_LIFETIME = Phrases(
    rf"\b(?:lives?|lasts?|(?:is|are|be|stays?|remains?) (?:valid|good|kept|cached|held)|kept|cached|valid)(?:\s+for)?\s+{_FIGURE}",
    _TIME_UNITS,
)
_RETAINED = Phrases(
    rf"\b(?:{_DATA})\b.*?\b(?P<verb>(?:(?:is|are|be|get) )?(?:kept|retained|stored|purged|deleted|removed|wiped))(?:\s+(?:for|after))?\s+{_FIGURE}"
    rf"|\b(?P<first>(?:purge|delete|remove|retain|keep|wipe)s?)\b(?=.*\b(?:{_DATA})\b.*?(?:after|for)\s+{_FIGURE})",
    _TIME_UNITS,
)
_AT_MOST = Phrases(
    rf"\b(?:at most|(?:is |are )?(?:limited|capped|restricted) (?:to|at)|up to|(?:no|not) more than|(?:must|may|can) ?not exceed"
    rf"|maximum of|max|the maximum is)(?:\s+{_FIGURE})|\bat most\b|\bmax\b",
    "most limited capped restricted up more exceed maximum max",
)
_LIMIT = re.compile(r"\blimit\b(?=.*?\d\s?[kmgt]i?b\b)", re.I)
_WEIGHED = re.compile(r"\b(?:size|large|big)\b(?=.*?\bmaximum\b)|(?<=maximum )(?:size)\b", re.I)
_LONG = Phrases(r"\b(?:long|wide|width)\b", "characters columns chars character column line lines")
_LONGEST = re.compile(r"\bmaximum\b(?=.*\blength\b)|(?<=length )maximum\b", re.I)
# "Use any" and "call this" speak of a word of a language, not of anything that is used.
_WORD_AS_NAME = Phrases(
    r"\b(?P<verb>us(?:e|es|ed|ing)|return(?:s|ing)?|call(?:s|ing)?|allow(?:s|ing)?|accept(?:s|ing)?|writ(?:e|es|ing))\s+"
    r"(?P<word>any|this|that|it|all|do|is|as|with|on|off|if|of|and|or|not|self|me|only|over|then|than|while|for|both|where|who|which|off|has)"
    r"(?=\s+(?:in|for|inside|within|at|types?|keywords?|operators?|statements?|clauses?)\b|\s*[.,;]|\s*$)",
    "use uses used using return returns returning call calls calling allow allows allowing accept accepts accepting write writes writing",
)
_ACRONYMS = re.compile(r"\b([A-Z]{2,}\d*)s\b")
_QUOTED_WORD = re.compile(r"`(?P<word>[a-z]{2,6})`")
_STOPPED = frozenset(
    "any this that it all do is as with on off if of and or not self me only over then than while for both".split()
)


def reworded(sentence: str) -> str:
    """The sentence in normalised wording."""
    wording = _PREFERRED.sub(
        lambda m: f"prefer {m['better']} over " if m["better"] else "prefer over ", sentence
    )
    wording = _ACRONYMS.sub(r"\1", _named(wording))
    wording = _ONE.sub(lambda m: f"{m['lead']} 1 ", wording)
    if not _FIGURES.possible(wording):
        return wording
    wording = CHANGED_TO.sub("is ", wording)
    wording = _BUMPED.sub(r"\g<lead> to ", wording)
    wording = _MINIMUM.sub(
        lambda m: "minimum rust version" if m[0].casefold() == "msrv" else "minimum", wording
    )
    wording = _IDLE.sub("idle", wording)
    wording = _GIVE_UP.sub("lifetime" if _SESSION.search(wording) else "timeout", wording)
    wording = _RETAINED.sub(_retention, wording)
    wording = _LIFETIME.sub(" lifetime ", wording)
    wording = _AT_MOST.sub(" maximum ", wording)
    return _sized(wording)


def _sized(wording: str) -> str:
    if "limit" in wording:
        wording = _LIMIT.sub("maximum", wording)
    if "maximum" in wording:
        wording = _WEIGHED.sub(" ", wording)
    wording = _LONG.sub("length", wording)
    return _LONGEST.sub(" ", wording) if "length" in wording else wording


def _retention(match: re.Match[str]) -> str:
    verb = match["verb"] or match["first"]
    return match[0].replace(verb, "retention", 1)


def _named(sentence: str) -> str:
    wording = _WORD_AS_NAME.sub(lambda m: f"{m['verb']} {m['word']}word", sentence)
    if "`" not in wording:
        return wording
    return _QUOTED_WORD.sub(
        lambda m: f"{m['word']}word" if m["word"] in _STOPPED else m[0], wording
    )
