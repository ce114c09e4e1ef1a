"""A sentence taken apart: what it speaks of, whether it affirms or denies, and which values it gives.

Deterministic and by words alone. The word lists are short on purpose: each row stands for a way in
which people write rules and facts about software, or for a plain English opposite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from contextd.domain.words import STOP_WORDS, words
from contextd.governance.opposites import poles

_NEGATION = re.compile(
    r"\b(?:no longer|not|never|no|nobody|none|nothing|without|avoid(?:s|ed|ing)?|cannot|neither|nor"
    r"|forbid(?:s|den)?|prohibit(?:s|ed)?|refrain(?:s)?|stop(?:s|ped)? (?=\w+ing)|lacks?"
    r"|(?:do|does|did|is|are|was|were|wo|ca|should|must|could|would|has|have)n['’]?t)\b",
    re.I,
)
# These cancel, or say nothing about the subject.
_HARMLESS = re.compile(
    r"\b(?:not only|no matter|if not|whether or not|not just|no more than|not more than|no later than"
    r"|no less than|nothing but)\b",
    re.I,
)
_REJECTED = re.compile(
    r",?\s*\b(?:over|instead of|rather than|and not|but not|not)\s+(?:the\s+|an?\s+)?"
    r"(?P<worse>[\w.+#@/-]+(?:\s+[\w.+#-]+){0,2}?)(?=\s*(?:[,.;]|$)|\s+(?:for|as|in|on|when|to|because)\b)"
)
_CHOICE = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|cho(?:o)?se|chosen|pick(?:ed)?|prefer(?:s|red)?|adopt(?:s|ed)?"
    r"|(?:go(?:es)?|went) with|(?:switch|mov|migrat|chang)e?(?:s|d|ed)? to|standardi[sz]ed? on"
    r"|rel(?:y|ies|ied) on|settled on|(?:is|are) (?:done|handled|managed|built|written|run|formatted|kept|saved"
    r"|linted|hosted|deployed|stored|served|generated|tested) (?:with|by|in|on|to|using|through|via))"
    r"\s+(?:the\s+|an?\s+)?(?P<better>[^,;.()]+?(?:\.[\w]+)?)"
    r"(?=\s+(?:over|instead of|rather than|for|as|to|in|on|when|whenever|not|because|since|with|from|at"
    r"|everywhere|by|and|if|during|across|inside|within)\b|\s*[,;()]|\.?\s*$|\.\s)",
    re.I,
)
_IS_USED = re.compile(
    r"^(?:the\s+|an?\s+)?(?P<better>[\w.+#-]+(?:\s[A-Z][\w.+#-]*)?)\s+(?:is|are) (?:used|chosen|preferred"
    r"|the \w+ of choice|our choice)\b",
    re.I,
)
_ONE_PLACE = re.compile(
    r"(?:is|are) (?:stored|hosted|deployed|written|built|managed|formatted|kept|saved)\b", re.I
)
_PURPOSE = re.compile(r"\b(?:for|as|to)\s+\w", re.I)
_PATH = re.compile(
    r"(?<![\w/])(?:\.{0,2}/)?(?:[\w.@-]+/)+[\w.@*-]*|(?<![\w/])/[\w.@/-]+"
    r"|\b[\w-]+\.(?:py|tsx?|jsx?|ya?ml|json|toml|md|sql|go|rs|cfg|ini|env|txt|lock|sh|xml|html|css)\b"
)
_QUANTITY = re.compile(
    r"(?<![\w.-])(?P<sign>[$€£])?v?(?P<number>\d[\d,_]*(?:\.\d+)*|one|two|three|four|five|six|seven|eight"
    r"|nine|ten|eleven|twelve)\+?\s?-?(?P<unit>%|percent|ms|milliseconds?|s|secs?|seconds?|mins?|minutes?"
    r"|h|hrs?|hours?|days?|weeks?|months?|years?|[kmgt]i?b|bytes?|kilobytes?|megabytes?|gigabytes?|px"
    r"|characters?|chars?|columns?|spaces?|lines?)?(?![\w])",
    re.I,
)
# "step 2" and "bug 17" name a thing; they are no value of it.
_LABELLED = re.compile(
    r"\b(step|phase|part|chapter|section|bug|issue|ticket|pr|pull request|adr|rule|case|option|task"
    r"|day|week|sprint|level|tier)s?\s+#?(\d+)\b|#(\d+)\b",
    re.I,
)
_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(), 1
    )
}
_SECONDS = {"ms": 0.001, "mi": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_BYTES = {"b": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}

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

_LIGHT = frozenset(
    words(
        """use used using uses prefer choose chose chosen pick decided decision went go always must
        need needs have has want set sets configured configure default currently now today only run
        runs running listen listens bind binds expose exposed serve serves live lives located kept
        keep found put please make sure ensure agreed adopt adopted switch switched move moved
        migrate migrated standardize standardized rely settled every all any each exactly about
        around roughly value equal equals given get gets place placed there someone something team
        project codebase policy rule convention instead rather permitted allowed may shall
        will would can could accept accepted supposed expected handled done managed
        """
    )
)
_ALIASES = {
    alias: name
    for name, aliases in {
        "database": "db dbs", "repository": "repo", "configuration": "config cfg conf",
        "environment": "env", "directory": "folder dir", "authentication": "auth",
        "production": "prod", "documentation": "doc docs", "dependency": "dep deps",
        "javascript": "js", "typescript": "ts", "postgresql": "postgres", "kubernetes": "k8s",
        "person": "people someone somebody", "child": "kid", "lifetime": "ttl expire expiry expiration",
        "maximum": "max", "minimum": "min", "parameter": "param", "request": "req",
        "frontend": "front-end", "backend": "back-end", "indent": "indentation", "approve": "approval",
        "cook": "", "cut": "slice chop", "speak": "talk",
    }.items()
    for word in aliases.split()
    for alias, name in [(words(word)[0], words(name)[0])]
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """What a sentence says of something that has one answer: `what` it is, and what was `said`."""

    what: frozenset[str]
    said: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence. `about` are the stems of what it speaks of, without values, negations and light
    words; `values` pairs a dimension (`time`, `size`, `%`, `number`) with what is said in it, and
    `figures` are the same as written;
    `chosen` and `rejected` are alternatives, `tools` the words of the chosen one, `purpose` what it is
    for, `exclusive` whether there can be only one for that; `poles` are the opposites it uses one
    side of (see `opposites.poles`), `answers` what it says of things that have one answer.
    """

    text: str
    about: frozenset[str]
    negations: int
    values: frozenset[tuple[str, str]]
    figures: tuple[str, ...]
    paths: frozenset[str]
    chosen: str = ""
    rejected: str = ""
    tools: frozenset[str] = frozenset()
    purpose: frozenset[str] = frozenset()
    exclusive: bool = False
    poles: Mapping[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])
    answers: tuple[Answer, ...] = ()

    @property
    def negative(self) -> bool:
        """Whether it denies: two negations cancel."""
        return self.negations % 2 == 1


@lru_cache(maxsize=20_000)
def claim(sentence: str) -> Claim:
    """The claim a sentence makes."""
    rest = sentence
    rejected = ""
    choice = _IS_USED.search(sentence) or _CHOICE.search(sentence)
    turned = _REJECTED.search(sentence) if choice or " over " in sentence else None
    if turned and (not choice or turned.start() >= choice.start("better")):
        rejected = _name(turned["worse"])
        rest = sentence[: turned.start()] + " " + sentence[turned.end() :]
    paths = frozenset(found.strip("./").casefold() for found in _PATH.findall(rest))
    bare = _LABELLED.sub(_as_name, _PATH.sub(" ", rest))
    values, figures = _values(bare)
    plain = _QUANTITY.sub(" ", bare)
    chosen = _name(choice["better"]) if choice else ""
    tools = frozenset(_names(choice["better"])) if choice else frozenset()
    about = _stems(plain)
    purpose = about - tools if chosen else frozenset()
    return Claim(
        text=sentence,
        about=about,
        negations=len(_NEGATION.findall(_HARMLESS.sub(" ", rest))),
        values=values,
        figures=figures,
        paths=frozenset(path for path in paths if path),
        chosen=chosen,
        rejected=rejected,
        tools=tools,
        purpose=purpose,
        exclusive=bool(
            choice and (_PURPOSE.search(rest) or _ONE_PLACE.match(choice[0]) or purpose & ROLES)
        ),
        poles=poles(sentence),
        answers=tuple(_answers(sentence)),
    )


def _answers(sentence: str) -> Iterator[Answer]:
    told = _EXCLUSIVE_IS.match(sentence)
    if told and set(words(told["what"])[-1:]) & ROLES and not _QUALITY.search(told["value"]):
        what = frozenset(w for w in words(told["what"]) if w not in STOP_WORDS)
        yield Answer(what, told["value"], frozenset(words(told["value"])))
    placed = _PLACE.match(sentence)
    if placed:
        where = frozenset(words(placed["place"])) - {"branch"}
        if not where & (_SEVERAL | STOP_WORDS):
            what = frozenset((*words(placed["what"]), f"({placed['how'].casefold()})"))
            yield Answer(what, placed["place"], where)


def _name(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .`'\"*")


def _names(text: str) -> list[str]:
    return [_ALIASES.get(word, word) for word in words(text)]


def _stems(text: str) -> frozenset[str]:
    told = _NEGATION.sub(" ", _HARMLESS.sub(" ", text))
    return frozenset(
        _ALIASES.get(word, word)
        for word in words(told)
        if word not in STOP_WORDS and word not in _LIGHT and len(word) > 1
    )


def _values(text: str) -> tuple[frozenset[tuple[str, str]], tuple[str, ...]]:
    found: dict[tuple[str, str], str] = {}
    for match in _QUANTITY.finditer(text):
        told = _NUMBERS.get(match["number"].casefold(), match["number"]).replace(",", "")
        unit = (match["unit"] or "").casefold()
        value = _measured(told.replace("_", ""), unit, match["sign"] or "")
        found.setdefault(value, match[0].strip())
    return frozenset(found), tuple(found.values())


def _as_name(match: re.Match[str]) -> str:
    return f" {(match[1] or 'number').replace(' ', '')}x{match[2] or match[3]} "


def _measured(number: str, unit: str, sign: str) -> tuple[str, str]:
    if sign:
        return "money", number
    if unit in ("%", "percent"):
        return "%", number
    if number.count(".") < 2:
        short = unit[:2] if unit.startswith(("ms", "mil")) else unit[:1]
        if unit.startswith("month"):
            return "time", str(float(number) * 30 * 86_400)
        if unit.startswith("year"):
            return "time", str(float(number) * 365 * 86_400)
        if unit.rstrip("s").removesuffix("ib").removesuffix("b") in ("", *"kmgt") and "b" in unit:
            return "size", str(float(number) * _BYTES[short])
        if short in _SECONDS and re.fullmatch(
            r"ms|milli.*|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?", unit
        ):
            return "time", str(float(number) * _SECONDS[short])
    return "number", number


ROLES = frozenset(
    words(
        """branch manager framework language database version port timeout limit format formatter
        style encoding provider runner engine library tool broker queue cache caching logger logging
        linter linting bundler orm charset timezone region license host hostname url owner protocol
        algorithm strategy backend registry scheduler builder compiler editor schema prefix suffix
        indentation quote quotes testing styling deployment deploys authentication authorization
        formatting monitoring tracing storage search messaging rendering routing validation state
        migrations serialization hashing encryption packaging versioning ci pipeline cloud platform
        bucket level interval size length directory location endpoint topic currency locale"""
    )
)
"""Nouns for what has one value at a time, and jobs that one tool does."""
