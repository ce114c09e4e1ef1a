"""States of work that end with an event: "not committed yet", "PR #12 is open", "blocked on the key".

A later sentence, or the repository, reports the event that ends such a state. Deterministic, by fixed phrases. Only
phrases about the present count, since a state that is wrongly called over costs more than one that is missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from contextd.claims.blockers import blocked_by
from contextd.claims.phrases import READINGS
from contextd.claims.stems import stems
from contextd_common.text.regex import regex
from contextd_common.text.words import words

_WHAT = r"(?P<what>[\w`'\"#!./@()-]+(?:\s+[\w`'\"#!./@()-]+){0,9}?)"
_IS = (
    r"(?:\s+(?:is|are|am|has|have|be|been|being|remains?|stays?|still|currently|now|yet|finally|all|also"
    r"|just|already|both|only|sits?|lives?|runs?)|['’](?:s|re|m|ve))+"
)
_NOT = r"(?:\s+(?:not|never)|n['’]t)(?:\s+(?:been|yet|even|be|fully|actually|get|got))*"
_DONE = r"(?:\s+(?:is|are|was|were|has|have|got|been|now|finally|all|also|just|already|successfully|both))*"
_STOP = (
    r"(?=\s+(?:as|with|together|and|so|because|since|into|to|yesterday|today|this|last|before|after|again|via|without|from|by)\b"
    r"|\s+(?:in|on|at)\s+(?:v?\d|[0-9a-f]{7,}\b|main\b|master\b|\w+day\b)|\s*[,;:()—–]|[.!]?\s*$)"
)


class WorkState(NamedTuple):
    """A state in a sentence. `sort` is what kind; `over` whether the sentence reports the event that ends it.
    `about` are the stems of its subject and `names` the numbers, paths and identifiers in it. `blocker` are the
    stems of what a blocked subject waits for. `value` is a version. `quote` is the phrase as written.
    """

    sort: str
    over: bool
    about: frozenset[str]
    names: frozenset[str]
    quote: str
    blocker: frozenset[str] = frozenset()
    value: str = ""


def _open(state: str) -> re.Pattern[str]:
    return regex(rf"^{_WHAT}{state}", re.I)


_OPENS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("commit", _open(rf"{_IS}?(?:{_NOT}\s+committed|\s+(?:uncommitted|unstaged|untracked so far))\b")),
    ("commit", regex(r"^(?:i\s+)?(?:left|keep|kept|leaving)\s+(?P<what>.{3,80}?)\s+uncommitted\b", re.I)),
    ("commit", regex(r"^(?P<what>.{3,80}?)\s+(?:has|have|with)\s+uncommitted\s+(?:changes|edits|work)\b", re.I)),
    ("commit", regex(r"^(?:there\s+(?:are|is)\s+)?(?:still\s+)?uncommitted\s+(?:changes|edits|work)\s+(?:in|to|of|for)\s+(?P<what>[^,;.]{3,80})", re.I)),
    ("commit", regex(r"^(?P<what>.{3,80}?),?\s+(?:but\s+)?nothing\s+(?:is\s+|was\s+)?committed\b", re.I)),
    ("commit", regex(r"^(?P<what>nothing|(?:all\s+)?(?:the\s+|my\s+|these\s+|this\s+)?(?:changes?|work|edits|everything))\s+(?:is|are|was|has been|have been)\s+(?:still\s+)?(?:not\s+(?:yet\s+)?committed|committed\s+(?:yet|so far)|uncommitted)", re.I)),
    ("push", _open(rf"{_IS}?(?:{_NOT}\s+pushed|\s+unpushed|\s+only\s+local)\b")),
    ("merge", _open(rf"{_IS}?(?:{_NOT}\s+(?:merged|landed)|\s+unmerged)\b")),
    ("merge", regex(r"^(?P<what>(?:the\s+)?(?:pr|mr|pull request|merge request)\s*[#!]?\d+)(?:\s+(?:of|for|with|in|about|on)(?:\s+[\w-]+){1,6}?)?(?:\s+(?:is|still|currently|remains|yet))+\s+(?:open|(?:in|a)\s+draft|draft|in review|under review|(?:a)?waiting|pending|not merged|up for review)\b", re.I)),
    ("merge", regex(r"^(?P<what>(?:pr|mr|pull request|merge request)\s*[#!]?\d+)\s+(?:a?waits|is waiting|awaits)\b", re.I)),
    ("issue", regex(r"^(?P<what>(?:issue|bug|ticket)\s*#?\d+)(?:\s+(?:of|for|with|in|about|on)(?:\s+[\w-]+){1,6}?)?(?:\s+(?:is|still|currently|remains))+\s+(?:open|unresolved|unfixed|not (?:fixed|resolved|closed))\b", re.I)),
    ("deploy", _open(rf"{_IS}?(?:{_NOT}\s+(?:deployed|live|rolled out|in production)|\s+undeployed|\s+(?:deployed\s+|running\s+)?(?:to|on|in)\s+staging\s+only)\b")),
    ("release", _open(rf"{_IS}?(?:{_NOT}\s+(?:released|shipped|published)|\s+unreleased)\b")),
    ("done", _open(rf"{_IS}?(?:{_NOT}\s+(?:done|finished|implemented|complete|completed|written|ready|in place)|\s+(?:half[ -](?:done|finished)|unfinished|incomplete|unimplemented|still\s+missing))\b")),
    ("done", regex(r"^(?P<what>[^,;:]{3,80}?)\s+(?:is|are)\s+(?:still\s+)?missing\s*[.!]?$", re.I)),
    ("done", regex(r"^(?:todo|to do|still to do|open)\s*:\s*(?P<what>[^,;:]{5,80})", re.I)),
    ("broken", regex(rf"^(?P<what>[^,;:]{{2,60}}?){_IS}\s+(?:failing|broken|red|flaky)\b(?!\s+down)", re.I)),
    ("off", regex(r"^(?P<what>[^,;:]{2,60}?)\s+(?:is|are)(?:\s+(?:still|currently|now))*\s+(?:off|disabled|turned off|switched off)\b(?P<where>\s+(?:in|for|on)\s+[^,;:.]{2,40})?(?!\s+(?:by default|when|while|if|until|unless|for\s+\w+ing))", re.I)),
    ("on", regex(r"^(?P<what>[^,;:]{2,60}?)\s+(?:is|are)(?:\s+(?:still|currently|now))*\s+(?:on|enabled|turned on|switched on)(?P<where>\s+(?:in|for|on)\s+[^,;:.]{2,40})?\s*(?=[.!]|$)", re.I)),
    ("undeploy", regex(r"^(?P<what>[^,;:]{2,60}?)\s+(?:is|are)\s+(?:now\s+|currently\s+)?(?:deployed|live|in production)\s*[.!]?$", re.I)),
)  # fmt: skip
"""Phrases of a state that lasts until an event, by the sort of event that ends it."""

_WE = r"^(?:and\s+|so\s+|then\s+)?(?:(?:we|i)(?:['’]ve|\s+have)?\s+(?:just\s+|now\s+|finally\s+)?)?"
_OVERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("commit", regex(rf"{_WE}committed\s+(?P<what>.{{2,80}}?){_STOP}", re.I)),
    ("commit", _open(rf"{_DONE}\s+committed\b")),
    ("push", regex(rf"{_WE}pushed\s+(?P<what>.{{2,80}}?){_STOP}", re.I)),
    ("push", _open(rf"{_DONE}\s+pushed\b")),
    ("merge", regex(rf"{_WE}(?:merged|closed|landed)\s+(?P<what>.{{2,80}}?){_STOP}", re.I)),
    ("merge", _open(rf"{_DONE}\s+(?:merged|landed|closed)\b")),
    ("issue", regex(rf"{_WE}(?:fixed|closed|resolved)\s+(?P<what>.{{2,80}}?){_STOP}", re.I)),
    ("issue", _open(rf"{_DONE}\s+(?:fixed|closed|resolved)\b")),
    ("deploy", regex(rf"{_WE}(?:deployed|rolled out|shipped)\s+(?P<what>.{{2,80}}?){_STOP}(?!\s+(?:to|on|in)\s+staging)", re.I)),
    ("deploy", _open(rf"{_DONE}\s+(?:deployed(?!\s+(?:to|on|in)\s+staging)|live|rolled out|in production)\b")),
    ("release", regex(rf"{_WE}(?:released|shipped|published)\s+(?P<what>.{{2,80}}?){_STOP}", re.I)),
    ("release", _open(rf"{_DONE}\s+(?:released|shipped|published)\b")),
    ("done", regex(rf"{_WE}(?:finished|implemented|completed|added|wrote|rotated|did)\s+(?P<what>.{{2,80}}?){_STOP}", re.I)),
    ("done", _open(rf"{_DONE}\s+(?:done|finished|implemented|complete|completed|written|ready|in place|added|rotated|updated|removed|created|set up)\b")),
    ("broken", regex(rf"{_WE}(?:fixed|repaired|mended)\s+(?P<what>.{{2,80}}?){_STOP}", re.I)),
    ("broken", regex(r"^(?P<what>[^,;:]{2,60}?)\s+(?:(?:pass|passes|works?|is green|are green|runs? green|is passing|are passing)\s+(?:again|now|since)|(?:is|are|was|were|has been|have been|got)\s+(?:now\s+)?(?:fixed|repaired))\b", re.I)),
    ("off", regex(r"^(?P<what>[^,;:]{2,60}?)\s+(?:is|are|was|were)\s+(?:now\s+|back\s+)?(?:on|enabled|turned on|switched on|re-?enabled)(?:\s+(?:now|again)\b(?P<where>[^,;:.]{0,40})|(?<=now on)|(?<=now enabled)|(?<=re-enabled))", re.I)),
    ("off", regex(r"^(?:we|i)(?:['’]ve|\s+have)?\s+(?:just\s+)?(?:(?:re-?)?enabled|turned\s+on|switched\s+on)\s+(?P<what>[^,;:]{2,60}?)(?:\s+(?:on|again))?\s*[.!]?$", re.I)),
    ("on", regex(r"^(?P<what>[^,;:]{2,60}?)\s+(?:is|are|was|were)\s+(?:now\s+)?(?:off|disabled|turned off|switched off)(?:\s+(?:now|again)\b|(?<=now off)|(?<=now disabled))", re.I)),
    ("on", regex(r"^(?:we|i)(?:['’]ve|\s+have)?\s+(?:just\s+)?(?:disabled|turned|switched)\s+(?:off\s+)?(?P<what>[^,;:]{2,60}?)(?:\s+off)?\s*[.!]?$", re.I)),
    ("undeploy", regex(r"^(?:we|i)(?:['’]ve|\s+have)?\s+(?:rolled\s+back|undeployed|took\s+down)\s+(?P<what>[^,;:]{2,60}?)\s*(?=[,;.!]|$)", re.I)),
    ("undeploy", regex(r"^(?P<what>[^,;:]{2,60}?)\s+(?:is|are)\s+no\s+longer\s+(?:deployed|live|in production)\b", re.I)),
    ("block", regex(r"^(?:so\s+)?(?P<what>[^,;:]{2,60}?)\s+(?:is|are|was|got|has been)\s+(?:now\s+)?unblocked\b", re.I)),
    ("arrived", regex(r"^(?P<what>[^,;:]{2,60}?)(?:\s+(?:is|are|has|have|been|was|were|now|finally|got|just))*\s+(?:done|here|there|in place|arrived|resolved|fixed|renewed|available|approved|granted|answered|replied|landed|merged|received|ready|released|signed off|through)\b", re.I)),
)  # fmt: skip
"""Phrases of the event that ends a state of the same sort."""

_IMPERATIVE = regex(
    r"^(?:\w+(?:\([^)]*\))?!?:\s*)?(?P<verb>fix|repair|mend|resolve|implement|add|finish|complete|write|rotate|deploy|ship"
    r"|enable|disable|re-enable)(?:\([^)]*\)!?:|!?:)?\s+(?P<what>[^,;:]{3,80})",
    re.I,
)
_BY_VERB = {
    **dict.fromkeys(("fix", "repair", "mend", "resolve"), "broken"),
    **dict.fromkeys(("implement", "add", "finish", "complete", "write", "rotate"), "done"),
    **dict.fromkeys(("deploy", "ship"), "deploy"),
    **dict.fromkeys(("enable", "re-enable"), "off"),
    "disable": "on",
}
_VERSION = r"(?P<value>v?\d+(?:\.\d+)+(?:[-.]?(?:a|b|rc|alpha|beta|dev|pre)[\w.]*)?)"
_VERSION_IS = regex(
    r"^(?:the\s+|our\s+)?(?:(?:current|latest|last|newest|released|project)\s+(?:stable\s+|released\s+)?(?:version|release|tag)|version)"
    rf"(?:\s+of\s+(?:the\s+)?(?P<what>[\w@/.-]+))?(?:\s+(?:is|was|stands at))(?:\s+(?:now|still|currently|at))*\s+{_VERSION}"
    rf"|^(?:we(?:['’]re|\s+are))\s+(?:still\s+|currently\s+|now\s+)*(?:at|on)\s+(?:version\s+)?(?P<value2>v?\d+(?:\.\d+)+)\b",
    re.I,
)
_VERSION_CAME = regex(
    rf"^(?:we\s+)?(?:released|tagged|published|shipped)\s+(?P<what>[\w@/-]+\s+)??(?:version\s+|release\s+)?{_VERSION}\s*[.!]?$"
    r"|^(?:we\s+)?bumped\s+(?:the\s+)?version\s+(?:from\s+\S+\s+)?to\s+(?P<value2>v?\d+(?:\.\d+)+)"
    r"|^(?:version\s+|release\s+)?(?P<value3>v?\d+(?:\.\d+)+)\s+(?:is\s+out|was\s+released|has\s+been\s+released|is\s+released)\b",
    re.I,
)
_UNSURE = regex(
    r"^(?:if|when|whenever|once|unless|until|while|after|before|in case|should|could|would|can|may|might|never|don['’]t|do not|always"
    r"|is|are|was|were|does|did|has|have|wenn|falls)\b|\b(?:if|unless|would|could|should|must|might|may|will|won['’]t|can(?:not|['’]t)?"
    r"|to be|needs? to|whenever|whether|by default|almost|nearly|about to|going to|each|every|any)\b|\?\s*$",
    re.I,
)
_OVER_NOT = regex(
    r"\b(?:not|never|nothing|none|n['’]t|no)\b|n['’]t\b|\b(?:un(?:committed|merged|released|pushed)|until|failed to|half|partly)\b",
    re.I,
)
_SENTENCE = regex(r"(?<=[.!?])\s+|\n+|;\s+|,\s+(?=so\s+the\b|and\s+the\b)|\s+[—–]\s+")
_PROGRAM = regex(r"\w\([^()]*[\"']|^[\"'][\w-]+[\"']\s*:|[\"'][,)\]}]+;?$")
"""A call or a line of JSON: the words in its quotes are the program's."""

_MARK = regex(r"^\s*(?:[-*+•>]|\d{1,2}[.)]|\[[ x]\]|#{1,6})\s+")
_FILLER = regex(
    r"^(?:(?:the|our|my|this|these|those|an?|both|two|three|all|of|new|branch|work on|on|still|now|so|and|but|note that|currently|it|we|there|here|with"
    r"|feature flag|flag|flaky|missing|expired|local)\b:?\s*)+",
    re.I,
)
_NUMBERED = regex(
    r"\b(?P<of>pr|mr|pull request|merge request|issue|bug|ticket)\s*[#!]?(?P<number>\d+)\b|(?<![\w])[#!](?P<bare>\d+)\b",
    re.I,
)
_NAME = regex(
    r"(?<![\w/.@-])[\w@.-]*(?:[\w-]+/[\w./-]*[\w]|\w\.(?:[a-z]{1,4}[0-9]?)\b|\w_\w[\w]*)", re.I
)
_GENERAL = frozenset(
    words(
        "change changes work everything nothing edits all it this stuff rest fix patch code file files thing things they"
    )
)
_CLAUSE = regex(
    r"\b(?:that|which|what|why|how|who|where|when|because|since|if|but|than|let|see|says?|saying|said|means?|suggests?|shows?|looks?"
    r"|identif\w+|explains?|likely|maybe|while|though|although|only)\b|['’]s\s*$",
    re.I,
)
"""Words of a subordinate clause: its subject is another one than the sentence's."""

_COMMON = frozenset(
    words(
        """test tests build builds script scripts workflow deploy deployment service server app application page button error call api
        request command function method class module file task feature issue problem bug fix commit branch release update
        version step job run suite error message data user agent session config setup support option type"""
    )
)
"""Nouns that name nothing alone: many things of a project are one."""

_VAGUE = frozenset(
    "it this that they these those he she one which what who there everything nothing we i you".split()
)
_HARMLESS_NOT = regex(r"\bno longer\b|\bwithout\b", re.I)
_SHORTEST, _LONGEST = 6, 260


_HINTS = {
    "commit": regex("commit|unstaged|untracked"),
    "push": regex("push|local"),
    "merge": regex("merge|land|clos|pr|mr|pull"),
    "issue": regex("issue|bug|ticket|#"),
    "deploy": regex("deploy|live|rolled|production|staging|shipped"),
    "release": regex("release|ship|publish"),
    "done": regex(
        "done|finish|implement|complete|writ|wrote|ready|place|missing|to-?do|open|add|rotat|updat|remov|creat|set up|did"
    ),
    "broken": regex("fail|broken|red|flaky|fix|repair|mend|pass|green|work"),
    "off": regex("off|disabled|on|enabled"),
    "on": regex("off|disabled|on|enabled"),
    "undeploy": regex("deploy|live|production|rolled|took"),
    "block": regex("unblock"),
    "arrived": regex(
        "done|here|there|place|arriv|resolv|fix|renew|availab|approv|grant|answer|repl|land|merg|receiv|ready|releas|sign|through"
    ),
}
"""Parts of words of which a phrase of each sort has one. They are found in a tenth of the time of the phrases."""

_MAY_BE_OPEN = (
    "n't ", "n’t ", "not ", "uncommitted", "unstaged", "untracked", "unpushed", "unmerged", "undeployed", "unreleased", "unfinished",
    "unimplemented", "incomplete", "half", "missing", "todo", "to do", "open", "draft", "review", "wait", "block", "stuck", "held up", "hold",
    "proceed", "continue", "go on", "failing", "broken", " red", "flaky", " off", " on", "disabled", "enabled", " live", "deployed",
    "in production", "nothing", "staging", "version", "release", "latest", "’re ", "'re ", "are at", "only local",
)  # fmt: skip
"""Words of which an open state has one."""


@lru_cache(maxsize=READINGS)
def open_states(text: str) -> tuple[WorkState, ...]:
    """The states in a text that an event may end, in order."""
    return tuple(
        one
        for sentence in _sentences(text)
        if _may_be_open(sentence.casefold())
        for one in _open_in(sentence)
    )


def _may_be_open(folded: str) -> bool:
    return any(part in folded for part in _MAY_BE_OPEN)


def ends_in(text: str) -> Iterator[WorkState]:
    """The ends of states that a text reports, in order."""
    for sentence in _sentences(text):
        yield from _ends_in(sentence)


def _sentences(text: str) -> Iterator[str]:
    for raw in _SENTENCE.split(text):
        sentence = _MARK.sub("", raw).replace("**", "").strip(" \t*_>")
        if _SHORTEST <= len(sentence) <= _LONGEST and not _PROGRAM.search(sentence):
            yield sentence


def commit_states(subject: str) -> Iterator[WorkState]:
    """The ends of states that the subject line of a commit reports: "Fix the login", "feat: add the export"."""
    found = _IMPERATIVE.match(subject)
    if found is not None:
        verb = found["verb"].casefold()
        yield _state(_BY_VERB[verb], True, found["what"], subject)
        if verb in ("fix", "resolve", "add", "implement", "finish"):
            yield _state("arrived", True, found["what"], subject)


def _open_in(sentence: str) -> Iterator[WorkState]:
    unsure = _UNSURE.search(sentence)
    if unsure is None or unsure.start() > 0:
        blocker = blocked_by(sentence)
        if blocker is not None and (by := subject_stems(blocker[1])):
            what = blocker[0]
            yield WorkState("block", False, subject_stems(what), _names(what), sentence, by)
    if unsure is not None:
        return
    if found := _VERSION_IS.search(sentence):
        yield _versioned(False, found["what"] or "", found["value"] or found["value2"], sentence)
    folded = sentence.casefold()
    for sort, pattern in _OPENS:
        found = pattern.search(sentence) if _HINTS[sort].search(folded) else None
        if found and _names_a_thing(found["what"]):
            yield _state(sort, False, _whole(found), sentence)
            return


def _ends_in(sentence: str) -> Iterator[WorkState]:
    if _UNSURE.search(sentence):
        return
    if found := _VERSION_CAME.search(sentence):
        value = found["value"] or found["value2"] or found["value3"]
        yield _versioned(True, found["what"] or "", value, sentence)
    if _OVER_NOT.search(sentence) and not _HARMLESS_NOT.search(sentence):
        return
    folded = sentence.casefold()
    for sort, pattern in _OVERS:
        found = pattern.search(sentence) if _HINTS[sort].search(folded) else None
        if found and _names_a_thing(found["what"]):
            yield _state(sort, True, _whole(found), sentence)


def _whole(found: re.Match[str]) -> str:
    """The subject with the place behind it: "telemetry", "in the desktop app"."""
    return f"{found['what']} {found.groupdict().get('where') or ''}"


def _versioned(over: bool, what: str, value: str, quote: str) -> WorkState:
    return WorkState(
        "version", over, subject_stems(what), frozenset(), quote, value=value.lstrip("vV")
    )


def _state(sort: str, over: bool, what: str, quote: str) -> WorkState:
    return WorkState(sort, over, subject_stems(what), _names(what), quote)


def _names_a_thing(what: str) -> bool:
    bare = _FILLER.sub("", what).strip().casefold()
    if _CLAUSE.search(what):
        return False
    return bool(bare) or what.strip().casefold() not in _VAGUE or what.casefold() == "nothing"


def subject_stems(what: str) -> frozenset[str]:
    """The stems of a subject, without numbers, articles and light words."""
    return frozenset(stems(_NUMBERED.sub(" ", _FILLER.sub("", what.strip()))))


def _names(what: str) -> frozenset[str]:
    numbers = {f"#{found['number'] or found['bare']}" for found in _NUMBERED.finditer(what)}
    return frozenset(numbers | {name.strip("`.").casefold() for name in _NAME.findall(what)})


def ends(newer: WorkState, older: WorkState) -> bool:
    """Whether a later sentence reports the end of the state in an earlier one: the same subject, by its names or by
    its words. A wider subject ends a narrower one only if it shares two words with it.
    """
    if not newer.over or older.over:
        return False
    if older.sort == "version":
        return (
            newer.sort == "version"
            and newer.about == older.about
            and exceeds(newer.value, older.value)
        )
    if older.sort == "block":
        return _unblocks(newer, older)
    if newer.sort != older.sort:
        return False
    return _same(newer, older)


def _same(newer: WorkState, older: WorkState) -> bool:
    if older.names or newer.names:
        if older.names and newer.names:
            return older.names <= newer.names and not _differ(newer.about, older.about)
        return not any(name.startswith("#") for name in older.names | newer.names) and _covers(
            newer.about, older.about
        )
    return _covers(newer.about, older.about)


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and one.isdisjoint(other)


def _covers(newer: frozenset[str], older: frozenset[str]) -> bool:
    if older <= _COMMON | _GENERAL or newer <= _COMMON | _GENERAL:
        return False
    if newer == older or (len(newer) >= 2 and newer < older):
        return True
    return newer - _GENERAL == older - _GENERAL


def _unblocks(newer: WorkState, older: WorkState) -> bool:
    if newer.sort == "block":
        return _covers(newer.about, older.about)
    if newer.sort not in ("arrived", "merge", "issue", "release", "done"):
        return False
    numbers = {name for name in _names(older.quote) if name.startswith("#")}
    if numbers:
        return bool(numbers & newer.names)
    return _covers(newer.about, older.blocker)


def exceeds(newer: str, older: str) -> bool:
    """Whether a version is higher than another one, by its numbers."""
    one, other = ([int(n) for n in re.findall(r"\d+", v.split("-")[0])] for v in (newer, older))
    return one > other


def is_general(state: WorkState) -> bool:
    """Whether a state is about the work as a whole: "the changes", "everything"."""
    return not state.names and state.about <= _GENERAL
