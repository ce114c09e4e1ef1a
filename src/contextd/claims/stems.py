"""The stems of a sentence's subject, without negations and light words.

The word lists are short on purpose: each row is a common wording of rules and facts about software.
"""

from __future__ import annotations

import re

from contextd.claims.phrases import PREFIXED, Phrases
from contextd_common.text.words import STOP_WORDS, words

NEGATION = Phrases(
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
HARMLESS = Phrases(
    r"\b(?:not only|no matter|if not|whether or not|or not|and when not to|not just|no more than"
    r"|not more than|no later than|no less than|nothing but|nothing else|no way|no problem|no worries"
    r"|no doubt|no idea|(?:can['’]?t|cannot) (?:wait|believe|help)|not (?:sure|bad|yet|necessarily)"
    r"|by default|(?:do not|don['’]?t|never|must not|not) (?:forget|fail|hesitate|neglect|omit)(?: to)?"
    r"|(?:\w+n['’]t|not|never)(?=[^,;]*\buntil\b))\b"
    r"|\b(?:which|who|that|what)\s+(?:\w+\s+){0,3}?(?:not|never|no|cannot|\w+n['’]t)\b",
    """no not nothing never cannot cant dont t default""",
)
STOPPED = STOP_WORDS | frozenset(words(" ".join(STOP_WORDS)))
# "shop-a" and "shop-b" are two things.
NUMBERED = re.compile(r"\b(\w+)[-_ ]([a-zA-Z0-9])\b(?<! a)(?<! I)(?<! A)")
LIGHT = frozenset(
    words(
        """use used using uses prefer choose chose chosen pick decided decision went go always must
        need needs have has want set sets configured configure currently now today only run
        runs running listen listens bind binds expose exposed serve serves live lives located found put please make sure ensure agreed adopt adopted switch switched move moved
        standardize standardized rely settled every all any each exactly about
        around roughly value equal equals given get gets place placed there someone something team
        project codebase let lets policy rule convention instead rather permitted allowed may shall
        will would can could accept accepted supposed expected handled done managed recommended encouraged fine ok okay welcome enough suffice suffices
        """
    )
)
ALIASES = {
    alias: name
    for name, aliases in {
        "database": "db dbs", "repository": "repo", "configuration": "config cfg conf",
        "environment": "env", "directory": "folder dir", "authentication": "auth",
        "production": "prod", "documentation": "doc docs", "dependency": "dep deps",
        "javascript": "js", "typescript": "ts", "postgresql": "postgres", "kubernetes": "k8s",
        "person": "people someone somebody", "lifetime": "ttl expire expiry expiration",
        "maximum": "max", "minimum": "min", "parameter": "param", "request": "req",
        "frontend": "front-end", "backend": "back-end", "indent": "indentation", "token": "jwt jwts", "approve": "approval",
    }.items()
    for word in aliases.split()
    for alias, name in [(words(word)[0], words(name)[0])]
}  # fmt: skip


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
"""Nouns for single-valued things, and jobs that one tool does."""


def tools_in(text: str) -> frozenset[str]:
    """The names in a choice; an identifier counts only as a whole."""
    return frozenset(
        ALIASES.get(name, name)
        for run in text.split()
        for name in (words(run)[:1] if run.strip(".,`'\"*").isalpha() else [folded(run)])
        if name and name not in STOPPED
    )


def folded(text: str) -> str:
    """A name normalised for comparison: folded, without surrounding quotes."""
    return " ".join(text.casefold().split()).strip(" .`'\"*")


def folded_words(text: str) -> list[str]:
    """All words of a text, with contractions expanded."""
    return [ALIASES.get(word, word) for word in words(text)]


def stems(text: str) -> tuple[str, ...]:
    """The words of a sentence's subject, in order: without negations, stop words and filler words."""
    remainder = NEGATION.sub(" ", HARMLESS.sub(" ", text))
    return tuple(
        ALIASES.get(word, word)
        for word in words(NUMBERED.sub(r"\1x\2", remainder))
        if word not in STOPPED and word not in LIGHT and len(word) > 1
    )
