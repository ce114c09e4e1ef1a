"""The sorts of entries in a session's ledger, and how a sentence shows its sort."""

from __future__ import annotations

import re

from contextd.domain.directives import force_of
from contextd.sessions.retractions import takes_back
from contextd_code.dataclass import dataclass
from contextd_code.text.regex import regex


@dataclass(frozen=True, slots=True)
class Sort:
    """One sort of entry: what it is called and, from 0 to 3, what losing such an entry costs an agent that
    goes on with the work.
    """

    name: str
    worth: float


# An agent that forgets a rule or a correction breaks it again, one that forgets a refused way tries it again;
# a number or a plain fact can be looked up or measured a second time.
SORTS = {
    row.name: row
    for row in (
        Sort("rule", 3.0),
        Sort("constraint", 2.7),
        Sort("correction", 2.6),
        Sort("preference", 2.5),
        Sort("refused", 2.4),
        Sort("decision", 2.3),
        Sort("cause", 2.2),
        Sort("next", 2.0),
        Sort("number", 1.9),
        Sort("fact", 1.6),
        Sort("request", 0.8),
        Sort("remark", 0.5),
    )
}
"""Every sort, by name."""

_CONSTRAINT = regex(
    r"\b(?:(?:must|may|can)(?:not|n'?t| not)?|can'?t|cannot|has to|have to|needs? to|required?|requires|at (?:most|least)|no (?:more|less|longer) than"
    r"|(?:under|below|within|less than|more than|up to|max(?:imum)?|min(?:imum)?)\W{1,3}\d|only (?:on|with|for|in|the)\b|no new|without (?:any|a|new|changing|breaking|touching)"
    r"|compatible|compatibility|still (?:on|use|run|support)|stay(?:s)? (?:on|with|under|below|compatible)|not allowed|forbidden|deadline|audit|budget"
    r"|muss|müssen|darf|dürfen|höchstens|mindestens|doit|doivent|au (?:plus|moins)|debe|deben|como máximo|al menos)\b"
    r"|なければ|してはいけ|以内|以上|以下|必须|不能|不得|不可|最多|至少",
    re.I,
)
_PREFERENCE = regex(
    r"\b(?:i(?:'d| would)? (?:prefer|rather|like|love|hate|dislike|find)|i don'?t like|prefer(?:ably|red)?|(?:nicer|better|easier|harder|cleaner) (?:to|than|if)|(?:hard|easy) to read"
    r"|please (?:keep|write|use|make|stick|avoid|don'?t)|keep (?:the|it|your|them|things) (?:\w+ )?(?:short|simple|small|brief|minimal|consistent)"
    r"|lieber|bevorzuge|am liebsten|je préfère|plutôt|prefiero|mejor)\b|方がいい|ほうがいい|好み|更喜欢|最好|宁愿",
    re.I,
)
_CORRECTION = regex(
    r"^\W*(?:no|nope|nein|non|nee|not|wrong|actually|falsch|いや|いいえ|違|不对|不是)\b"
    r"|\b(?:that'?s|this is|you(?:'re| are| were)) (?:wrong|not (?:right|correct|true|what)|incorrect|mistaken)\b|\b(?:mis(?:read|understood|took)|you had (?:it|that)|i meant|i said|instead of|should (?:have|be|not)|shouldn'?t)\b"
    r"|\b(?:nicht|statt|sondern|pas|plutôt que|en vez de|sino)\b.{2,80}\b(?:sondern|mais|sino)\b|ではなく|じゃなく|而不是|不是.+是",
    re.I,
)
_REFUSAL = regex(
    r"\b(?:don'?t|do not|dont|never|stop|no need|not (?:that|this|like)|without|avoid|skip|leave out|drop (?:the|that)|nicht|kein|keine[nrms]?|pas|sans|no (?:uses|quiero)|sin)\b.{3,}"
    r"|しないで|やめて|不要|别",
    re.I,
)
_DECISION = regex(
    r"\b(?:decision|decided|(?:i|we)(?:'ve| have)? (?:\w+ )?(?:chose|chosen|picked|opted|kept|went with|settled|switched|moved|made|replaced|renamed|introduced)|chose|opted|instead of|rather than|in favou?r of"
    r"|so that|now (?:lives?|uses?|goes|stores?|keeps?|returns?|reads?|has|is|are)|(?:are|is|lives?|live|stored|moved|split) (?:now )?(?:in|into|under|behind|by)|trade-?off|approach|design"
    r"|entschieden|statt|anstatt|damit|décidé|au lieu|afin|decid|en lugar|para que)\b|ことにし|代わりに|ため|决定|而不是|改为|选择",
    re.I,
)
_CAUSE = regex(
    r"\b(?:root cause|cause[ds]?(?: by)?|because|due to|turns? out|comes? from|came from|the (?:reason|culprit|problem|issue|bug) (?:is|was|here|lies)|found (?:it|the (?:issue|problem|bug|cause|root))|since the"
    r"|was missing|was never|is never|(?:failed|fails|broke|breaks|flak\w+|leak\w*) (?:because|when|since|was|comes|on)|stems? from|that'?s why|weil|ursache|liegt an|lag an|grund|parce que|à cause|la cause|porque|causa|se debe)\b"
    r"|原因|ため|のせい|因为|由于|导致",
    re.I,
)
_NUMBER = regex(
    r"(?<![\w./#-])\d[\d.,]*\s?(?:%|ms|µs|s\b|sec|seconds?|min|minutes?|hours?|h\b|[kKMGT]i?B\b|bytes?|tokens?|lines?|files?|rows?|records?|tests?|requests?|users?|times|x\b|×|px|fps|of \d|out of \d|errors?|cases?|items?|calls?|Sekunden|Minuten|secondes|segundos|秒|件|个|毫秒|分)"
    r"|\bof \d[\d.,]* |\b(?:p50|p95|p99|from \d\S* .{0,20}to \d)",
    re.I,
)
_REFUSED = regex(
    r"\b(?:tried|attempted|did(?:n'?t| not) (?:work|help|fix|solve)|does(?:n'?t| not) work|reject\w*|considered|dropped (?:it|that|the)|discarded|abandon\w*|gave up|ruled out|not worth|backed out|revert\w*|rolled back|no gain|made (?:it|things|\w+ \w+) (?:worse|slower)"
    r"|would have|won'?t work|not (?:possible|feasible|supported|an option)|alternative|versucht|verworfen|funktioniert nicht|essayé|ne (?:marche|fonctionne) pas|probé|no funciona|descart)\b|試した|うまくいか|却下|行不通|尝试|放弃",
    re.I,
)
_NEXT = regex(
    r"\b(?:next(?: step|,| i| we| up|:)|i'?ll .{0,60}\bnext|todo|to-do|to do|still (?:to do|open|missing|needs?|need)|remain\w*|follow-?ups?|what'?s left|left to do|after (?:that|this)|later|not (?:yet|done)|pending|once (?:the|it|that|this)"
    r"|als nächstes|noch (?:offen|zu)|danach|ensuite|reste à|il reste|después|falta|queda)\b|次(?:は|に|の)|残り|接下来|下一步|待办|还需",
    re.I,
)
_QUESTION = regex(r"[?？][\"')\]*_」』]*\s*$")
_ORDER = regex(
    r"^\W*(?:(?:ok(?:ay)?|so|and|now|then|also|please|pls|great|good|thanks|cool|yes|yeah|sure|perfect|nice|alright|hey|hi|bitte|jetzt)\b[\s,.!:-]*)*"
    r"(?:(?:can|could|would|will) (?:you|we)|let'?s|let us|i (?:want|need|would like|'d like) (?:you )?to|(?:go|try)(?: ahead)?|add|fix|create|make|update|remove|delete|write|run|check|look|implement|change|use|find|show|tell|give|explain"
    r"|move|rename|refactor|test|build|commit|push|merge|continue|proceed|do|read|open|review|put|set|start|stop|see|help|investigate|debug|install|deploy|clean|generate|convert|replace|extract|split|ensure|verify|analy[sz]e|summari[sz]e|list|draft|plan|think|compare|document|describe|mach|füg|ändere|schreib|ajoute|corrige|fais|crée|añade|haz|crea|corrige)\b",
    re.I,
)


def users_sort(sentence: str) -> str:
    """The sort of a sentence that the user wrote."""
    if _QUESTION.search(sentence) or _is_output(sentence):
        return "remark"
    force = force_of(sentence)
    if force == "stated":
        return "rule"
    if _PREFERENCE.search(sentence):
        return "preference"
    if _CORRECTION.search(sentence) or takes_back(sentence):
        return "correction"
    if force == "standing":
        return "rule"
    if _CONSTRAINT.search(sentence):
        return "constraint"
    if _REFUSAL.search(sentence):
        return "refused"
    if _ORDER.match(sentence):
        return "request"
    return "next" if _NEXT.search(sentence) else "fact"


def _is_output(sentence: str) -> bool:
    """Whether a user pasted it: lines of a terminal or a log have more signs than sentences do."""
    prose = sum(letter.isalpha() or letter in " ,'" for letter in sentence)
    return prose < _PROSE * len(sentence)


_PROSE = 0.75
"""The least share of letters, spaces and commas in a sentence: 0.9 is usual, paths and figures included."""


def agents_sort(sentence: str) -> str:
    """The sort of a sentence that the agent wrote."""
    if _QUESTION.search(sentence):
        return "remark"
    for name, pattern in _AGENTS:
        if pattern.search(sentence):
            return name
    return "remark"


_AGENTS = (
    ("refused", _REFUSED),
    ("cause", _CAUSE),
    ("decision", _DECISION),
    ("number", _NUMBER),
    ("next", _NEXT),
)
