"""Parse a sentence into a claim: its subject, its polarity and its values.

Deterministic, by word lists only. The lists are short on purpose: each row is a common wording of rules and
facts about software, or a plain English opposite.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from typing import NamedTuple

from contextd.claims.opposites import poles
from contextd.claims.phrases import DIGIT, READINGS, Phrases
from contextd.claims.quantities import quantities
from contextd.claims.replacements import swap
from contextd.claims.single_valued import SingleAnswer, answers
from contextd.claims.stems import HARMLESS, NEGATION, ROLES, folded, stems, tools_in
from contextd.claims.wordings import reworded
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex

_REJECTED = Phrases(
    r",?\s*\b(?:over|instead of|rather than|and not|but not|not)\s+(?:the\s+|an?\s+)?"
    r"(?P<worse>[\w.+#@/-]+(?:\s+[\w.+#-]+){0,2}?)(?=\s*(?:[,.;]|$)|\s+(?:for|as|in|on|when|to|because)\b)",
    "over instead rather not",
    re.NOFLAG,
)
_INSTEAD = regex(r"\b(?:over|instead of|rather than)\b", re.I)
# "Talk over gRPC" prefers nothing to gRPC.
_SPOKEN = regex(
    r"\b(?:talk|speak|communicate|call|send|sent|connect|connected|served?|exposed?|go|goes|run|runs|transferred"
    r"|available|reachable|sends|talks|speaks|calls|connects|communicates)\b[^,;]*?\bover\b",
    re.I,
)
_CHOICE = regex(
    r"\b(?:us(?:e|es|ed|ing)|cho(?:o)?se|chosen|pick(?:ed)?|prefer(?:s|red)?|adopt(?:s|ed)?"
    r"|(?:go(?:es)?|went) with|(?:switch|mov|migrat|chang)e?(?:s|d|ed)? to|standardi[sz]ed? on"
    r"|rel(?:y|ies|ied) on|settled on|(?:is|are) (?:done|handled|managed|built|written|run|formatted|kept|saved"
    r"|linted|hosted|deployed|stored|served|generated|tested|powered|done) (?:with|by|in|on|to|using|through|via))"
    r"\s+(?:the\s+|an?\s+)?(?P<better>[^,;.()]+?(?:\.[\w]+)?)"
    r"(?=\s+(?:over|instead of|rather than|for|as|to|in|on|when|whenever|not|because|since|with|from|at"
    r"|everywhere|by|and|if|during|across|inside|within)\b|\s*[,;()]|\.?\s*$|\.\s)",
    re.I,
)
_IS_USED = regex(
    r"^(?:the\s+|an?\s+)?(?P<better>[\w.+#-]+(?:\s[A-Z][\w.+#-]*)?)\s+(?:(?:is|are)\s+(?:used|chosen|preferred"
    r"|the\s+\w+\s+of\s+choice|(?:our|the)\b)|(?:runs|powers|handles|manages|does|serves|holds|builds)\s+(?:our|the|all)\b)",
    re.I,
)
_ONE_PLACE = regex(
    r"(?:is|are) (?:stored|hosted|deployed|written|built|managed|formatted|kept|saved)\b", re.I
)
_PURPOSE = regex(r"\b(?:for|as|to)\s+\w", re.I)
_PATH = regex(
    r"(?<![\w/])(?:https?://)?(?:\.{0,2}/)?(?:[\w.@-]+/)+[\w.@*-]*|(?<![\w/])/[\w.@/-]+"
    r"|(?<![\w.])\.[a-z][\w-]*(?:\.\w+)*\b|\b[\w-]+\.(?:py|prisma|tsx?|jsx?|ya?ml|json|toml|md|sql|go|rs|cfg|ini|env|txt|lock|sh|xml|html|css)\b"
)
# Where something is; a path elsewhere in a sentence says which thing is spoken of.
_LOCATED = regex(
    r"(?:\b(?:lives?|lies?|located|store[sd]?|keep|kept|defined?|found|find|put|goe?s?|belongs?|placed?"
    r"|write|writes|written|reads?|served?|is|are|looks?|sits?|stays?|saved?|mounted|exposed|loads?|loaded"
    r"|points? at|set to|output|declared|configured|available)"
    r"(?:\s+(?:only|all|now|out|up|always))?(?:\s+(?:in|to|at|under|from|into|inside|below|by|within|on|the|file|folder"
    r"|directory))*|(?:put|place|add|create|keep|store|save|write)s?\s+(?:\w+\s+){1,4}(?:in|into|under|to|inside)|[:=])\s*[`'\"]?$",
    re.I,
)
# "step 2" and "bug 17" name a thing; they are no value of it.
_LABELLED = Phrases(
    r"\b(step|phase|part|chapter|section|bug|issue|ticket|pr|pull request|adr|rule|case|option|task"
    r"|day|week|sprint|level|tier|service|shard|build|page|figure|table|question|item|article|requirement|milestone"
    r"|scenario|appendix|invoice|customer|room|zone|channel|experiment|\w+\s+(?:number|no\.|nr\.))s?\s+#?(\d+)\b|#(\d+)\b",
    DIGIT,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One parsed sentence. `about` are the stems of its subject, without values, negations and light words;
    `values` pairs a dimension (`time`, `size`, `%`, `number`) with its value, and `figures` are the same as
    written; `paths` are locations it states, `mentioned` all paths it names; `chosen` and `rejected` are
    alternatives, `tools` the words of the chosen one, `purpose` its use, `exclusive` whether only one can serve
    it; `poles` are the opposites of which it uses one side (see `opposites.poles`), `order` is `about` in the
    sentence's order, `answers` its values of single-valued things.
    """

    text: str
    about: frozenset[str]
    negations: int
    values: frozenset[tuple[str, str]]
    figures: tuple[str, ...]
    paths: frozenset[str]
    mentioned: frozenset[str]
    chosen: str = ""
    rejected: str = ""
    tools: frozenset[str] = frozenset()
    purpose: frozenset[str] = frozenset()
    exclusive: bool = False
    order: tuple[str, ...] = ()
    poles: Mapping[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])
    answers: tuple[SingleAnswer, ...] = ()

    @property
    def negative(self) -> bool:
        """Whether it is negative: two negations cancel."""
        return self.negations % 2 == 1


@lru_cache(maxsize=READINGS)
def claim(sentence: str) -> Claim:
    """Parse a sentence into a claim."""
    wording = reworded(sentence)
    choice = _choice(wording)
    rejected, rest = choice.rejected, choice.rest
    paths, unplaced = _paths(rest)
    bare = _LABELLED.sub(_as_name, unplaced)
    values, figures, plain = quantities(bare)
    order = stems(plain)
    about = frozenset(order)
    purpose = frozenset(stems(choice.purpose)) if choice.chosen or rejected else frozenset()
    return Claim(
        text=sentence,
        about=about,
        order=order,
        negations=len(NEGATION.findall(HARMLESS.sub(" ", rest))),
        values=values,
        figures=figures,
        paths=paths,
        mentioned=frozenset(path.strip("./").casefold() for path in _named(rest)),
        chosen=choice.chosen,
        rejected=rejected,
        tools=choice.tools,
        purpose=purpose,
        exclusive=bool(choice.chosen and (choice.exclusive or purpose & ROLES)),
        poles=poles(wording),
        answers=tuple(answers(wording, rest)),
    )


class _Choice(NamedTuple):
    chosen: str = ""
    rejected: str = ""
    tools: frozenset[str] = frozenset()
    purpose: str = ""
    exclusive: bool = False
    rest: str = ""


def _choice(sentence: str) -> _Choice:
    """The preferred and the rejected alternative, and the purpose; `rest` is the sentence without the rejected
    one.
    """
    replacement = swap(sentence)
    if replacement:
        rest = f"{replacement.better} {replacement.rest}"
        return _Choice(
            folded(replacement.better),
            folded(replacement.worse),
            tools_in(replacement.better),
            replacement.rest,
            True,
            rest,
        )
    found = _IS_USED.search(sentence) or _CHOICE.search(sentence)
    turned = _REJECTED.search(sentence) if found or _INSTEAD.search(sentence) else None
    if turned and _SPOKEN.search(sentence):
        turned = None
    rest, rejected = sentence, ""
    if turned and (not found or turned.start() >= found.start("better")):
        rejected = folded(turned["worse"])
        rest = sentence[: turned.start()] + " " + sentence[turned.end() :]
    if not found:
        return _Choice(rejected=rejected, purpose=rest, rest=rest)
    better = found["better"]
    return _Choice(
        folded(better),
        rejected,
        tools_in(better),
        _LABELLED.sub(_as_name, rest.replace(better, " ", 1)),
        bool(_PURPOSE.search(rest) or _ONE_PLACE.match(found[0])),
        rest,
    )


def _paths(text: str) -> tuple[frozenset[str], str]:
    """The locations that the text states, and the text without them."""
    places: set[str] = set()

    def place(match: re.Match[str]) -> str:
        path = match[0].strip("./").casefold()
        if not path or not _LOCATED.search(text[: match.start()]):
            return match[0]
        places.add(path)
        return " "

    if not _may_name(text):
        return frozenset(), text
    rest = _PATH.sub(place, text)
    return frozenset(places), rest


def _named(text: str) -> list[str]:
    return _PATH.findall(text) if _may_name(text) else []


def _may_name(text: str) -> bool:
    """Whether the text may contain a path: a slash, or a dot before a word."""
    return "/" in text or "." in text[:-1]


def _as_name(match: re.Match[str]) -> str:
    return f" {(match[1] or 'number').replace(' ', '')}x{match[2] or match[3]} "
