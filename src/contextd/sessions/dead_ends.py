"""Dead ends of a session: ways that were tried or in use and were given up, with the reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from contextd.sessions.ledger import LedgerEntry
from contextd.sessions.ledger_sorts import users_sort
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex
from contextd_common.text.words import IDEOGRAPH, content_words, one_line

_LONGEST = 280
"""Characters of a dead end as it is quoted: the way and its reason are two sentences at most."""

_CORRECTION = 4
"""Content words of a correction that gives a reason: `undo that please` gives none."""


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """A way that failed: the sentences that say so, who said them, the content words of its subject, and those of
    them that are names. `about` is the request that an agent answered with it, empty for the user's own words.
    """

    text: str
    speaker: str
    words: frozenset[str]
    names: frozenset[str]
    about: str = ""

    @property
    def subject(self) -> str:
        """What is compared: the request, which often names the way, and the dead end."""
        return f"{self.about} → {self.text}" if self.about else self.text


_ATTEMPT = regex(
    r"\b(?:tried|attempted|experimented with|prototyped?|(?:gave|given) .{2,40} a (?:try|go|shot)|made (?:it|this|that|them|things) worse"
    r"|we (?:had|used|ran) (?:it|them|that|this|those|these|one)|we (?:had|used|ran) .{3,60}\b(?:before|once|earlier|until|for a (?:while|time|year|month|week))|(?:was|were|has been|had been) (?:in use|tried|one|there)\b|used to (?:use|have|run|be)|(?:half|quarter)-?way through"
    r"|versucht|probiert|ausprobiert|hatten|essayé|testé|tenté|probamos|probé|probado|intentamos|intenté|provato|tentado|geprobeerd)\b"
    r"|試し|試みた|使っていた|试过|试了|尝试过|用过",
    re.I,
)
"""A way that was tried or in use."""

_DROPPED = regex(
    r"(?:\b(?:i|we|they|you|he|she|and|then)(?:[’']ve| have| had)? (?:then |therefore |later |again |all )?|^\W*|\bso (?:it|that|this|the \S+) (?:was|were|got) |\b(?:was|were) (?:therefore |then |later )?)"
    r"(?:(?:gave|given|giving) up(?: on)?|abandoned|reverted|scrapped|(?<!was )(?<!were )(?:dropped|discarded|rejected)|undid|ruled out|stopped using|moved away from|got rid of|removed (?:\S+ ){0,6}?again|removed .{2,80}\bbecause|thrown out|ripped out)\b"
    r"|\b(?:so (?:it|that|this|the \S+) (?:was|were|got) (?:dropped|discarded|rejected)|(?:was|were) (?:dropped|discarded|rejected|removed|abandoned)\b.{0,60}\b(?:because|since|due to)|(?:was|were) (?:rejected|turned down|vetoed) by"
    r"|so (?:i|we) (?:\w+ )?(?:removed|took|put|turned|switched|left|went|disabled|threw|stayed|moved))\b"
    r"|\b(?:(?:rolled|backed|took|taken|ripped|threw|thrown|pulled) (?:\S+ ){0,6}?(?:back|out)|(?:turned out to be |was |is )a dead end"
    r"|(?:went|moved|switched|came|fell) back (?:to|on)|(?:we|i)(?: are| am|[’']re|[’']m) back (?:to|on)|replaced .{2,60}\bbecause|was replaced by|no longer use|don[’']?t bother|(?:was|were) not worth"
    r"|verworfen|aufgegeben|zurückgebaut|wieder (?:ausgebaut|entfernt|auf|zurück)|nehmen wir wieder|abandonné|revenus? (?:à|au|en arrière)|descart\w+|abandonamos|volvimos a|teruggedraaid)\b"
    r"|やめた|やめまし|断念|元に戻し|見送|放弃了|弃用|改回|行不通",
    re.I,
)
"""A way that was given up."""

_FAILED = regex(
    r"\b(?:(?:did|does|do|was|were|is|are|would|could|has|had)(?:n[’']?t| not)|can(?:no|[’'])t|never|no (?:gain|difference|effect|help)|failed|fails|broke|broken|lost|loses|crash\w*|slower|worse"
    r"|too \w+|stale|lock(?:s|ed)|twice|flaky|nightmare|mistake|missing|mis(?:ses|sed)|hung|hangs|froze\w*|buffers|tim(?:ed|es) out|timeouts?|errors?|corrupt\w*|leak\w*|duplicat\w*|doubled|skipped|strips|jumped|ran out"
    r"|rejected|vetoed|instead of (?:\d+|two|three|four|five|six|seven|ten|the|a)|because|(?:went|dropped|fell|rose|grew) from|out of (?:memory|disk|space)|wrong(?:ly)?|overtake\w*|block(?:s|ed)|compil\w+ for|(?:but|because|since|due to|so) (?:it|that|this|they|the|we|i|its|there|with|on|safari)"
    r"|(?:took|takes|lasted|needed|needs|cost) (?:\S+ )?\d[\d.,]*|aber|doch|jedoch|weil|nicht|mais|parce que|pas|pero|porque|no funcion\w+)\b"
    r"|ため|ので|ない|なく|崩れ|遅|失敗|但|不|失败|因为",
    re.I,
)
"""Why it was given up."""

_NO_HELP = regex(
    r"\b(?:(?:did(?:n[’']?t| not)|does(?:n[’']?t| not)|won[’']?t|would(?:n[’']?t| not)) (?:really |actually |fully )?(?:help|solve (?:it|that|this)|scale|suffice)|never (?:worked|helped|paid off|got through|became|took off)|(?:was|is|turned out to be|were) (?:a )?(?:dead end|nightmare|mistake)|no gain|made (?:it|things|that|everything) (?:worse|slower))\b"
    r"|\bfailed\b.{0,60}\b(?:went|dropped|fell|rose|grew) (?:up |down )?from \d|\bhalf nicht\b|\bno sirvió\b|うまくいか|行不通",
    re.I,
)
"""An attempt that failed, in one phrase."""

_VERDICT = regex(
    r"\b(?:overkill|not (?:feasible|possible|viable|practical|worth|suitable|usable|good enough|supported|an option|reliable)|infeasible|impossible|unusable|unreliable|cost us|hurts?|regret\w*|a pain|painful"
    r"|confuses?d?|garbled|hangs?|broke|breaks|loses|lost|leaks|never again|(?:did|does|do|was|were|is|are|could|would)(?:n[’']?t| not) (?:work|help|scale|fit|pay off|hold|survive|cope|support)\w*|too (?:slow|big|small|expensive|complex|fragile|heavy|much|many|little)"
    r"|(?:only|read|got|reached|gives?|gave) \d[\d.,]* ?(?:%|errors|warnings|failures)|twice as (?:slow|large|long)|slower|worse)\b",
    re.I,
)
"""A verdict on a way. It may as well be on a bug, so only a short message that names what is used instead, or what
was undone, makes it a dead end.
"""

_INSTEAD = regex(
    r"\b(?:that[’']?s why|instead|(?:i|we) (?:went with|left|kept|put|merged|chose|stayed|stick|moved|turned)|so (?:i|we) (?:\w+ed|use|keep|put|went|left|took)|never again|since then)\b",
    re.I,
)

_SHORT = 320
"""Characters of a message that says little but its verdict."""

_TRANSIENT = regex(
    r"\b(?:tried|attempted) (?:to )?(?:run|start|open|read|load|connect|access|fetch|find|execut|search|reproduc|log ?in|click|view|call|launch|submit|upload|get|see|do this|that again|it again|again)\w*"
    r"|\b(?:let(?:[’']s| me)|i[’']?(?:ll| will| am going to|[’']m going to)|we[’']?ll|should we|could we|can we|shall we|if (?:it|this|that|the|we|you|i)|in case|please|want(?:s|ed)? to|need to|make sure)\b.{0,60}\b(?:try|revert|undo|drop|abandon|roll|go back|switch back|scrap|discard|rejected|failed|fails)",
    re.I,
)
"""An attempt at running or finding something, a plan, and a condition."""

_REPORT = regex(
    r"^\W*(?:failed to|error\b|fatal\b|was there|is there|if\b|tried (?:it|that|this|again)\b)|^\W*(?:(?:but|and|so|ok|now|no),? )?i(?:[’']ve| have)? (?:\w+ )?tried\b",
    re.I,
)
"""A user who tried a program reports an error of it."""

_AT_WORK = regex(
    r"\b(?:let me|let[’']s|i[’']ll|i will|now i)\b|</?(?:details|summary)\b|[✅✔❌⏳🎯🎉🚀]", re.I
)
"""What an agent says while it works, and reports of progress."""

_ISSUE = regex(
    r"\b(?:this|same|an?|the|following) (?:\w+ )?(?:error|issue|bug|exception|warning)\b|\bis not working\b|\b(?:still|it) (?:doesn[’']?t|does not|isn[’']?t|is not)\b|\bi (?:get|got|see|cant|can[’']t)\b",
    re.I,
)
"""What goes wrong for the user at the moment."""

_SOLVED = regex(
    r"\b(?:fixed|solved|works (?:now|again)|now works|working now|all (?:tests )?pass\w*|succeeded|successfully)\b",
    re.I,
)

_WORKS_NOW = regex(
    r"\b(?:works? (?:now|fine|again|well)|now works?|working now|after all|re-?introduced|re-?enabled|brought (?:it |\S+ )?back|solved|no longer (?:fails?|breaks?|a problem)|is fixed|fixed (?:in|by|with))\b",
    re.I,
)


def makes_work(text: str) -> bool:
    """Whether a text tells that something works that did not."""
    return bool(_WORKS_NOW.search(text))


_GENERIC = frozenset(
    content_words(
        """tried try attempted attempt failed fail fails dropped drop reverted revert undo undid removed abandoned gave
        back instead used use using made der die das wir ist und nicht mit für auf es ein eine le la les des un une est et el los las que de del para con por no se lo si al pour dans avec sur qui im von zu den dem make makes worse slower help helped work worked works because since month week
        year last earlier once time times way approach never please want need thing lot keep kept switch switched moved
        move added add change changed let really good bad make sure still new old first one two three"""
    )
)


def dead_ends(entries: Sequence[LedgerEntry], request: str = "") -> list[DeadEnd]:
    """The dead ends among the entries of a turn's ledger, in order; none that was taken back."""
    found: list[DeadEnd] = []
    for (speaker, _), each in groupby(entries, key=lambda one: (one.speaker, one.turn)):
        standing = [one.text for one in each if not one.struck_by]
        for text in list(_quoted(standing, speaker)) or _verdict(standing, speaker):
            about = one_line(request, _REQUEST) if speaker == "agent" else ""
            one = _dead_end(one_line(text, _LONGEST), speaker, about)
            if len(one.words) >= _SUBJECT:
                found.append(one)
    return found


_SUBJECT = 2
"""Content words below which a sentence names no way: `That was a mistake.`"""


def _dead_end(text: str, speaker: str, about: str = "") -> DeadEnd:
    words = subject_words(f"{about} {text}")
    pattern = (
        _LATIN_NAME
        if IDEOGRAPH.search(text)
        else _SIGNED_NAME
        if _has_nouns_in_capitals(text)
        else _NAME
    )
    names = (
        words & frozenset(content_words(" ".join(pattern.findall(f"{about} {text}")))) - _FORMATS
    )
    asked_and_told = subject_words(about) & subject_words(text)
    if len(asked_and_told) == 1:
        # `can we use turbopack?` → `Nope, turbopack broke …`: people write most names in lower case.
        names |= asked_and_told
    return DeadEnd(text, speaker, words, names, about)


def _has_nouns_in_capitals(text: str) -> bool:
    """Whether a text is in a language such as German, where a capital shows no name."""
    later = [word for word in text.split()[1:] if word[0].isalpha()]
    return sum(word[0].isupper() for word in later) > _CAPITALS * len(later)


_CAPITALS = 0.25
"""The share of words with a capital: 0.3 in German prose, below 0.15 in English."""

_SIGNED = (
    r"`[^`\n]{2,60}`|\b[a-z]+[A-Z]\w*|\b[A-Z]{2,}\w*|\b[a-z]\w*[_/.-]\w[\w/.-]*|\b[A-Za-z]+\d\w*"
)
_SIGNED_NAME = regex(_SIGNED)
_FORMATS = frozenset(
    "api json http https ci mb gb kb url sql ui cpu ram id csv pdf html css xml yaml db io os".split()
)
"""Capitals that name no way."""

_LATIN_NAME = regex(r"[A-Za-z][\w.-]+")
_NAME = regex(r"(?<=[\w,;:)(][\s(])[A-Z][\w+#-]{2,}|" + _SIGNED)
"""A name of a tool, a product or a symbol: in backticks, with a capital within a sentence, or with a sign; every
Latin word among ideographs."""


def reports_issue(text: str) -> bool:
    """Whether a user tells what goes wrong at the moment."""
    return bool(_ISSUE.search(text))


def subject_words(text: str) -> frozenset[str]:
    """The content words of a text without numbers, single letters and what every failed attempt is told with."""
    return frozenset(
        word
        for word in content_words(text)
        if word not in _GENERIC and not word.isdigit() and (len(word) > 1 or not word.isascii())
    )


def corrected(request: str, entries: Iterable[LedgerEntry]) -> list[DeadEnd]:
    """The dead end that a request led to, from the entries of the turn that took it back: the request and the
    user's correction, if that gives a reason.
    """
    stated = [one.text for one in entries if one.speaker == "user" and one.sort != "request"]
    correction = " ".join(stated[:2])
    if len(subject_words(correction)) < _CORRECTION or not _UNDOES.search(correction):
        return []
    if not (_FAILED.search(correction) or _REASON.search(correction)):
        return []  # A change of mind says nothing about the way.
    text = f"{one_line(request, _REQUEST)} → {one_line(correction, _LONGEST)}"
    return [_dead_end(text, "user")]


_UNDOES = regex(
    r"^\W*(?:(?:no|sorry|please|wait|ok(?:ay)?|nope|can you|could you|let[’']?s|we (?:have|need) to)\b\W*)*(?:undo|revert|roll|back (?:it |that )?out|(?:(?:go|switch|change|move) back to|(?:turn|switch)\b.{1,60}\boff|(?:put|take)\b.{1,60}\b(?:back|out)|get rid of)|(?:go|switch|move|change) back|remove .{2,40} again|drop|scrap)\b"
    r"|\b(?:we(?:[’']re| are)|i(?:[’']m| am)) back (?:to|on)\b|\bwas a mistake\b|\brückgängig\b|\bannule\b|\bdeshaz\b|元に戻|取り消|撤销|改回",
    re.I,
)
"""A correction of what was done. One of a plan is part of what its session settles."""


def refuses(one: DeadEnd) -> bool:
    """Whether it is a way that the user had undone, not one that is only mentioned."""
    return one.speaker == "user" and bool(_UNDOES.search(one.text.rpartition(" → ")[2]))


_REQUEST = 120
"""Characters of a request that was taken back: it names the way."""


def _quoted(texts: Sequence[str], speaker: str) -> Iterator[str]:
    """Each dead end of a message, with the sentences before it that have the way and the reason, or else the one
    after it.
    """
    for place, text in enumerate(texts):
        if not _is_past(text, speaker):
            continue
        dropped = bool(_DROPPED.search(text) or _NO_HELP.search(text))
        if not dropped and not _ATTEMPT.search(text):
            continue
        after = texts[place + 1] if place + 1 < len(texts) else ""
        whole = _since_the_attempt(texts[: place + 1], dropped)
        if _explains(whole, dropped):
            yield whole
        elif _FAILED.search(after) and not (_SOLVED.search(after) or _DROPPED.search(after)):
            yield f"{text} {after}"


def _since_the_attempt(texts: Sequence[str], dropped: bool) -> str:
    """The last of these sentences and those before it that it needs: from the attempt on if it gives a way up, or
    else the one that it points at.
    """
    starts: list[int] = []
    if dropped:
        starts += [n for n, text in enumerate(texts) if _ATTEMPT.search(text)][-1:]
    if _POINTS.search(texts[-1][:_START]) or (dropped and len(subject_words(texts[-1])) < _ENOUGH):
        starts.append(max(0, len(texts) - 2))
    wholes = (" ".join(texts[start:]) for start in starts)
    return next((whole for whole in wholes if len(whole) <= _LONGEST), texts[-1])


def _explains(text: str, dropped: bool) -> bool:
    """Whether it has a reason: one in words, or enough words for one where a way was given up for sure."""
    if users_sort(text) == "remark":
        return False
    if _FAILED.search(text):
        return dropped or not _SOLVED.search(text)
    return dropped and len(subject_words(text)) >= _ENOUGH and bool(_REASON.search(text))


_ENOUGH = 5
"""Subject words of a way and its reason."""

_REASON = regex(r"[,;:–—.]\s|\b(?:because|since|as|so|due to|after|when)\b|[、。]", re.I)

_POINTS, _START = regex(r"\b(?:it|its|them|they|that|this|these|those|one|ones)\b", re.I), 30
"""What points at the sentence before it, and the characters at the start of a sentence where it does so."""


def _verdict(texts: Sequence[str], speaker: str) -> Iterator[str]:
    """A short message that judges a way and names what is used instead, or undoes it with a reason."""
    whole = " ".join(text for text in texts if _is_past(text, speaker))
    if not whole or len(whole) > _SHORT or _SOLVED.search(whole):
        return
    judged = _VERDICT.search(whole) and _INSTEAD.search(whole)
    undone = speaker == "user" and _UNDOES.search(whole)
    reason = _FAILED.search(whole) or _VERDICT.search(whole)
    refused = speaker == "agent" and _DECLINES.match(whole) and _BROKE.search(whole)
    if judged or refused or (undone and reason and len(subject_words(whole)) > _CORRECTION):
        yield whole


_DECLINES = regex(r"^\W*(?:no|nope|nah|nein|nee|non)\b\s*[,.:;!–—-]", re.I)
_BROKE = regex(
    r"\b(?:broke|lost|failed|crashed|leaked|hung|froze|deadlocked|corrupted|doubled|ate|locked up|timed out|ran out|made (?:\S+ ){1,4}(?:worse|slower)|(?:was|were) too \w+|(?:did|could)(?:n[’']?t| not) (?:work|help|scale|cope|handle|support|keep))\b",
    re.I,
)
"""An agent that declines a way since it broke something: `Nope, turbopack broke the SVG imports.`"""


def _is_past(text: str, speaker: str) -> bool:
    """Whether a sentence may tell of an attempt: neither a question nor a plan nor a report of an error."""
    if text.rstrip(" \"'`*)").endswith(("?", "？")) or _TRANSIENT.search(text):
        return False
    if _AT_WORK.search(text) if speaker == "agent" else _ISSUE.search(text):
        return False
    return not (speaker == "user" and _REPORT.search(text) and not _DROPPED.search(text))
