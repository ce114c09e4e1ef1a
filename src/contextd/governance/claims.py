"""A sentence taken apart: what it speaks of, whether it affirms or denies, and which values it gives.

Deterministic and by words alone. The word lists are short on purpose: each row stands for a way in
which people write rules and facts about software, or for a plain English opposite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from contextd.domain.words import STOP_WORDS, words
from contextd.governance.opposites import poles
from contextd.governance.phrases import DIGIT, PREFIXED, Phrases
from contextd.governance.quantities import quantities
from contextd.governance.replaced import owner, swap

_NEGATION = Phrases(
    r"\b(?:no longer|not|never|no|nobody|none|nothing|without|avoid(?:s|ed|ing)?|cannot|neither|nor|zero"
    r"|forbid(?:s|den)?|prohibit(?:s|ed)?|disallow(?:s|ed)?|den(?:y|ies|ied)|discourage[sd]?|drop(?:s|ped)? (?=support)|bann?(?:s|ed)?|refrain(?:s)?|refuse[sd]? to|unable to"
    r"|stop(?:s|ped)? (?=\w+ing)|lacks?"
    r"|(?:do|does|did|is|are|was|were|wo|ca|should|must|could|would|has|have)n['’]?t"
    r"|non-?(?=[a-z]{4})|un(?=[a-z]{3,}(?:ed|able|ible|safe|stable)\b(?<!unified)(?<!united))"
    r"|in(?=(?:active|valid|secure|complete|consistent|compatible|accessible|visible|direct(?:ly)?)\b))"
    r"(?:\b|(?<=non)|(?<=non-)|(?<=un)|(?<=in))",
    """no longer not never nobody none nothing without avoid avoids avoided avoiding cannot
    neither nor zero forbid forbids forbidden prohibit prohibits prohibited disallow
    disallows disallowed deny denies denied discourage discouraged discourages drop
    drops dropped ban bann baned bans banns banned refrain refrains refuse refused refuses
    unable stop stops stopped lack lacks t dont doesnt didnt isnt arent wasnt werent
    wont cant shouldnt mustnt couldnt wouldnt hasnt havent inactive invalid insecure
    incomplete inconsistent incompatible inaccessible invisible indirect indirectly"""
    + PREFIXED,
)
# These cancel, or say nothing about the subject.
_HARMLESS = Phrases(
    r"\b(?:not only|no matter|if not|whether or not|or not|and when not to|not just|no more than"
    r"|not more than|no later than|no less than|nothing but|nothing else|no way|no problem|no worries"
    r"|no doubt|no idea|(?:can['’]?t|cannot) (?:wait|believe|help)|not (?:sure|bad|yet|necessarily)"
    r"|by default|(?:do not|don['’]?t|never|must not|not) (?:forget|fail|hesitate|neglect|omit)(?: to)?"
    r"|(?:\w+n['’]t|not|never)(?=[^,;]*\buntil\b))\b"
    r"|\b(?:which|who|that|what)\s+(?:\w+\s+){0,3}?(?:not|never|no|cannot|\w+n['’]t)\b",
    """no not nothing never cannot cant dont t default""",
)
_REJECTED = Phrases(
    r",?\s*\b(?:over|instead of|rather than|and not|but not|not)\s+(?:the\s+|an?\s+)?"
    r"(?P<worse>[\w.+#@/-]+(?:\s+[\w.+#-]+){0,2}?)(?=\s*(?:[,.;]|$)|\s+(?:for|as|in|on|when|to|because)\b)",
    "over instead rather not",
    re.NOFLAG,
)
_INSTEAD = re.compile(r"\b(?:over|instead of|rather than)\b", re.I)
_CHOICE = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|cho(?:o)?se|chosen|pick(?:ed)?|prefer(?:s|red)?|adopt(?:s|ed)?"
    r"|(?:go(?:es)?|went) with|(?:switch|mov|migrat|chang)e?(?:s|d|ed)? to|standardi[sz]ed? on"
    r"|rel(?:y|ies|ied) on|settled on|(?:is|are) (?:done|handled|managed|built|written|run|formatted|kept|saved"
    r"|linted|hosted|deployed|stored|served|generated|tested|powered|done) (?:with|by|in|on|to|using|through|via))"
    r"\s+(?:the\s+|an?\s+)?(?P<better>[^,;.()]+?(?:\.[\w]+)?)"
    r"(?=\s+(?:over|instead of|rather than|for|as|to|in|on|when|whenever|not|because|since|with|from|at"
    r"|everywhere|by|and|if|during|across|inside|within)\b|\s*[,;()]|\.?\s*$|\.\s)",
    re.I,
)
_IS_USED = re.compile(
    r"^(?:the\s+|an?\s+)?(?P<better>[\w.+#-]+(?:\s[A-Z][\w.+#-]*)?)\s+(?:(?:is|are)\s+(?:used|chosen|preferred"
    r"|the\s+\w+\s+of\s+choice|(?:our|the)\b)|(?:runs|powers|handles|manages|does|serves|holds|builds)\s+(?:our|the|all)\b)",
    re.I,
)
_ONE_PLACE = re.compile(
    r"(?:is|are) (?:stored|hosted|deployed|written|built|managed|formatted|kept|saved)\b", re.I
)
_PURPOSE = re.compile(r"\b(?:for|as|to)\s+\w", re.I)
_PATH = re.compile(
    r"(?<![\w/])(?:https?://)?(?:\.{0,2}/)?(?:[\w.@-]+/)+[\w.@*-]*|(?<![\w/])/[\w.@/-]+"
    r"|(?<![\w.])\.[a-z][\w-]*(?:\.\w+)*\b|\b[\w-]+\.(?:py|prisma|tsx?|jsx?|ya?ml|json|toml|md|sql|go|rs|cfg|ini|env|txt|lock|sh|xml|html|css)\b"
)
# Where something is; a path elsewhere in a sentence says which thing is spoken of.
_LOCATED = re.compile(
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
    r"|day|week|sprint|level|tier)s?\s+#?(\d+)\b|#(\d+)\b",
    DIGIT,
)
_EXCLUSIVE_IS = re.compile(
    r"^(?:the|our|its)?\s*(?P<what>[\w -]+?)\s+(?:is|are|=|:)\s+(?:called\s+|named\s+)?"
    r"(?P<value>[\w.+#/@:-]+(?:\s+[\w.+#-]+)?)[.!]?$",
    re.I,
)
# A setting and its value: `region: eu-central-1`, `DEBUG=True`, `strict` is set to `on`.
_PAIR = re.compile(
    r"^(?:the\s+)?[`'\"]?(?P<what>[\w.-]+(?:\s+[\w.-]+){0,5}?)[`'\"]?\s*(?::|=|\s(?:is|must be|should be) set to|\sdefaults to)\s*"
    r"[`'\"]?(?P<value>[^\s,;:()`]+(?:\s+[^\s,;:()`]+){0,2})[`'\"]?[.!]?$",
    re.I,
)
_LABEL = re.compile(
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
_QUALITY = re.compile(r"(?:ed|ing|able|ible|ory|al|ful|ive|ous|ent|ant|low|high|fast|slow|good)$")
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
_STOPPED = STOP_WORDS | frozenset(words(" ".join(STOP_WORDS)))
# "shop-a" and "shop-b" are two things.
_NUMBERED = re.compile(r"\b(\w+)[-_ ]([a-zA-Z0-9])\b(?<! a)(?<! I)(?<! A)")
_COMMAND = re.compile(r"(?:run|lint|format|build|test)\b", re.I)
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
        need needs have has want set sets configured configure currently now today only run
        runs running listen listens bind binds expose exposed serve serves live lives located found put please make sure ensure agreed adopt adopted switch switched move moved
        standardize standardized rely settled every all any each exactly about
        around roughly value equal equals given get gets place placed there someone something team
        project codebase let lets policy rule convention instead rather permitted allowed may shall
        will would can could accept accepted supposed expected handled done managed recommended encouraged fine ok okay welcome
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
        "person": "people someone somebody", "lifetime": "ttl expire expiry expiration",
        "maximum": "max", "minimum": "min", "parameter": "param", "request": "req",
        "frontend": "front-end", "backend": "back-end", "indent": "indentation", "approve": "approval",
    }.items()
    for word in aliases.split()
    for alias, name in [(words(word)[0], words(name)[0])]
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SingleAnswer:
    """What a sentence says of something that has one answer: `what` it is, and what was `said`."""

    what: frozenset[str]
    said: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence. `about` are the stems of what it speaks of, without values, negations and light
    words; `values` pairs a dimension (`time`, `size`, `%`, `number`) with what is said in it, and
    `figures` are the same as written; `paths` are where it says something is, `mentioned` all it names;
    `chosen` and `rejected` are alternatives, `tools` the words of the chosen one, `purpose` what it is
    for, `exclusive` whether there can be only one for that; `poles` are the opposites it uses one
    side of (see `opposites.poles`), `order` is `about` as it is said, `answers` what it says of things that have one answer.
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
        """Whether it denies: two negations cancel."""
        return self.negations % 2 == 1


@lru_cache(maxsize=20_000)
def claim(sentence: str) -> Claim:
    """The claim a sentence makes."""
    choice = _choice(sentence)
    rejected, rest = choice.rejected, choice.rest
    paths, unplaced = _paths(rest)
    bare = _LABELLED.sub(_as_name, unplaced)
    values, figures, plain = quantities(bare)
    order = _stems(plain)
    about = frozenset(order)
    purpose = frozenset(_stems(choice.purpose)) if choice.chosen or rejected else frozenset()
    return Claim(
        text=sentence,
        about=about,
        order=order,
        negations=len(_NEGATION.findall(_HARMLESS.sub(" ", rest))),
        values=values,
        figures=figures,
        paths=paths,
        mentioned=frozenset(path.strip("./").casefold() for path in _named(rest)),
        chosen=choice.chosen,
        rejected=rejected,
        tools=choice.tools,
        purpose=purpose,
        exclusive=bool(choice.chosen and (choice.exclusive or purpose & ROLES)),
        poles=poles(sentence),
        answers=tuple(_answers(sentence)),
    )


class _Choice(NamedTuple):
    chosen: str = ""
    rejected: str = ""
    tools: frozenset[str] = frozenset()
    purpose: str = ""
    exclusive: bool = False
    rest: str = ""


def _choice(sentence: str) -> _Choice:
    """What a sentence prefers to what, and for what; `rest` is the sentence without the rejected."""
    gone = swap(sentence)
    if gone:
        rest = f"{gone.better} {gone.rest}"
        return _Choice(
            _name(gone.better), _name(gone.worse), _tools(gone.better), gone.rest, True, rest
        )
    found = _IS_USED.search(sentence) or _CHOICE.search(sentence)
    turned = _REJECTED.search(sentence) if found or _INSTEAD.search(sentence) else None
    rest, rejected = sentence, ""
    if turned and (not found or turned.start() >= found.start("better")):
        rejected = _name(turned["worse"])
        rest = sentence[: turned.start()] + " " + sentence[turned.end() :]
    if not found:
        return _Choice(rejected=rejected, purpose=rest, rest=rest)
    better = found["better"]
    return _Choice(
        _name(better),
        rejected,
        _tools(better),
        _LABELLED.sub(_as_name, rest.replace(better, " ", 1)),
        bool(_PURPOSE.search(rest) or _ONE_PLACE.match(found[0])),
        rest,
    )


def _tools(text: str) -> frozenset[str]:
    """The names in a choice; of an identifier only the whole."""
    return frozenset(
        _ALIASES.get(name, name)
        for run in text.split()
        for name in (words(run)[:1] if run.strip(".,`'\"*").isalpha() else [_name(run)])
        if name and name not in _STOPPED
    )


def _paths(text: str) -> tuple[frozenset[str], str]:
    """Where the text says something is, and the text without these places."""
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
    """Whether there may be a path in the text: a slash, or a dot before something."""
    return "/" in text or "." in text[:-1]


def _answers(sentence: str) -> Iterator[SingleAnswer]:
    told = _EXCLUSIVE_IS.match(sentence)
    if told and set(words(told["what"])[-1:]) & ROLES and not _QUALITY.search(told["value"]):
        what = frozenset(w for w in words(told["what"]) if w not in _STOPPED)
        yield SingleAnswer(what, told["value"], frozenset(words(told["value"])))
    placed = _PLACE.match(sentence)
    if placed and not (placed["how"].casefold() == "on" and _COMMAND.match(sentence)):
        where = frozenset(words(placed["place"])) - {"branch"}
        if not where & (_SEVERAL | STOP_WORDS):
            what = frozenset(
                (*words(_NUMBERED.sub(r"\1x\2", placed["what"])), f"({placed['how'].casefold()})")
            )
            yield SingleAnswer(what, placed["place"], where)
    pair = _PAIR.match(sentence)
    if pair and not _LABEL.match(pair["what"]) and not quantities(pair["value"])[0]:
        what = frozenset(("(key)", *_names(pair["what"])))
        yield SingleAnswer(
            what, pair["value"], frozenset(_TRUTH.get(w, w) for w in _tools(pair["value"]))
        )
    owned = owner(sentence)
    if owned:
        what = frozenset(("(owner)", *_stems(owned[0])))
        yield SingleAnswer(what, owned[1], frozenset(words(owned[1])) - _STOPPED - {"team"})


def _name(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .`'\"*")


def _names(text: str) -> list[str]:
    return [_ALIASES.get(word, word) for word in words(text)]


def _stems(text: str) -> tuple[str, ...]:
    told = _NEGATION.sub(" ", _HARMLESS.sub(" ", text))
    return tuple(
        _ALIASES.get(word, word)
        for word in words(_NUMBERED.sub(r"\1x\2", told))
        if word not in _STOPPED and word not in _LIGHT and len(word) > 1
    )


def _as_name(match: re.Match[str]) -> str:
    return f" {(match[1] or 'number').replace(' ', '')}x{match[2] or match[3]} "


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
