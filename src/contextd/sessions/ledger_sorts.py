"""The sorts of entries in a session's ledger, and how a sentence shows its sort."""

from __future__ import annotations

import re
from typing import Literal

from contextd.domain.directives import Force, directives_in
from contextd.sessions.ledger_words import agents_sort_elsewhere, users_sort_elsewhere
from contextd.sessions.retractions import takes_back
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex


@dataclass(frozen=True, slots=True)
class Sort:
    """One sort of entry: what it is called and, from 0 to 3, what losing such an entry costs an agent that
    goes on with the work.
    """

    name: str
    worth: float


# An agent that forgets a rule or a correction breaks it again, one that forgets a refused way tries it again;
# a plain fact can be looked up, a figure at least measured a second time. What was changed stands in the files,
# and a report of an error was mostly dealt with in its own turn.
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
        Sort("number", 2.1),
        Sort("fact", 1.7),
        Sort("change", 1.0),
        Sort("report", 0.9),
        Sort("request", 0.8),
        Sort("remark", 0.5),
    )
}
"""Every sort, by name."""

_CONSTRAINT = regex(
    r"\b(?:(?:must|may|can)(?:not|n'?t| not)?|can'?t|cannot|has to|have to|needs? to|required?|requires|at (?:most|least)|no (?:more|less|longer) than"
    r"|(?:under|below|within|less than|more than|up to|max(?:imum)?|min(?:imum)?)\W{1,3}\d|only (?:on|with|for|in|the)\b|no new|without (?:any|a|new|changing|breaking|touching)"
    r"|compatible|compatibility|still (?:on|use|run|support)|off the table|(?:non|not) ?-?negotiable|capp?(?:ed)? (?:the|it|at|them)\b|limited to|only (?:after|once|when|if|via|through|from|by|works?)\b|(?:legal|compliance|security|ops|the (?:client|customer)) (?:\w+ )?(?:wants?|requires?|insists?|demands?|needs?)|stay(?:s)? (?:on|with|under|below|compatible)|not allowed|forbidden|deadline|audit|budget"
    r"|muss|müssen|darf|dürfen|höchstens|mindestens|doit|doivent|au (?:plus|moins)|debe|deben|como máximo|al menos)\b"
    r"|なければ|してはいけ|以内|以上|以下|必须|不能|不得|不可|最多|至少",
    re.I,
)
_PREFERENCE = regex(
    r"\b(?:i(?:'d| would)? (?:prefer|rather|like|love|hate|dislike|find)|i don'?t like|prefer(?:ably|red)?|(?:nicer|better|easier|harder|cleaner) (?:to|than|if)|(?:hard|easy) to read"
    r"|please (?:keep|write|use|make|stick|avoid|don'?t)|go easy on|(?:big |huge |not a |no )?fan of|(?:not|n'?t) (?:keen|fond|into|big) (?:on|of)?|allergic to|my (?:head|eyes) (?:hurts?|bleed)|makes? my (?:head|eyes)|i'?m (?:more|rather|less) (?:of )?|a bit (?:less|more)\b|keep (?:the|it|your|them|things) (?:\w+ )?(?:short|simple|small|brief|minimal|consistent)"
    r"|lieber|bevorzuge|am liebsten|je préfère|plutôt|prefiero|mejor)\b|方がいい|ほうがいい|好み|更喜欢|最好|宁愿",
    re.I,
)
_CORRECTION = regex(
    r"^\W*(?:no|nope|nein|non|nee|not|wrong|actually|falsch|いや|いいえ|違|不对|不是)\b"
    r"|\b(?:that'?s|this is|you(?:'re| are| were)) (?:wrong|not (?:right|correct|true|what)|incorrect|mistaken)\b|\b(?:mis(?:read|understood|took)|you (?:had|mixed|confused|swapped|forgot|missed|inverted|misplaced)\b|(?:the )?other way (?:a)?round|(?:it'?s|is|are|called|named) (?:the )?`?[\w.$-]+`?,? (?:and )?not (?:the |an? )?`[\w.$-]+`|i meant|i said|instead of|should (?:have|be|not)|shouldn'?t)\b"
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
    r"|so that|settled (?:on|for)|deliberate(?:ly)?|intentional(?:ly)?|on purpose|by design|which (?:keeps|lets|avoids|means|leaves|saves|makes)|, so (?:we|i)\b|first\b.{3,80}\b(?:afterwards?|only then)|now (?:lives?|uses?|goes|stores?|keeps?|returns?|reads?|has|is|are)|(?:are|is|lives?|live|stored|moved|split) (?:now )?(?:in|into|under|behind|by)|trade-?off|approach|design"
    r"|entschieden|statt|anstatt|damit|décidé|au lieu|afin|decid|en lugar|para que)\b|ことにし|代わりに|ため|决定|而不是|改为|选择",
    re.I,
)
_CAUSE = regex(
    r"\b(?:root cause|cause[ds]?(?: by)?|because|due to|turns? out|comes? from|came from|the (?:reason|culprit|problem|issue|bug) (?:is|was|here|lies)|found (?:it|the (?:issue|problem|bug|cause|root))|since the"
    r"|was missing|was never|is never|(?:failed|fails|broke|breaks|flak\w+|leak\w*) (?:because|when|since|was|comes|on)|stems? from|(?:that|which)(?:'?s| is) why|what happened|, so (?:every|each|all|no|none|nothing|the|it|they|its|any|only)\b|regardless of|always wins?|clobber\w*|overwrit\w+|collid\w+|weil|ursache|liegt an|lag an|grund|parce que|à cause|la cause|porque|causa|se debe)\b"
    r"|原因|ため|のせい|因为|由于|导致",
    re.I,
)
_NUMBER = regex(
    r"(?<![\w./#-])\d[\d.,]*\s?(?:%|ms|µs|s\b|sec|seconds?|min|minutes?|hours?|h\b|[kKMGT]i?B\b|bytes?|tokens?|lines?|files?|rows?|records?|tests?|requests?|users?|times|x\b|×|px|fps|of \d|out of \d|errors?|cases?|items?|calls?|Sekunden|Minuten|secondes|segundos|秒|件|个|毫秒|分)"
    r"|(?:~|\b(?:about|roughly|around|nearly|almost|only|sustain\w*|averag\w*) )\d[\d.,]*|\b\d{1,3}(?:,\d{3})+\b|\d\s?\w{0,10} ?(?:/|\bper )\s?(?:s|sec|second|min|minute|hour|day|case|request|row|call|user|op|run|file|query)\b"
    r"|\bof \d[\d.,]* |\b(?:p50|p95|p99|from \d\S* .{0,20}to \d)",
    re.I,
)
_REFUSED = regex(
    r"\b(?:tried|attempted|did(?:n'?t| not) (?:work|help|fix|solve)|does(?:n'?t| not) work|reject\w*|considered|dropped (?:it|that|the)|discarded|abandon\w*|gave up|ruled out|not worth|backed out|revert\w*|rolled back|no gain|made (?:it|things|\w+ \w+) (?:worse|slower)"
    r"|would have|won'?t work|not (?:possible|feasible|supported|an option)|alternative|versucht|verworfen|funktioniert nicht|essayé|ne (?:marche|fonctionne) pas|probé|no funciona|descart)\b|試した|うまくいか|却下|行不通|尝试|放弃",
    re.I,
)
_NEXT = regex(
    r"\b(?:next(?: step|,| i| we| up|:)|i'?ll .{0,60}\bnext|todo|to-do|to do|still (?:to do|open|missing|needs?|need)|remain\w*|follow-?ups?|what'?s left|left to do|after (?:that|this)|later|not (?:yet|done)|pending|deferred|postponed|left for|to be (?:done|added|written|migrated|removed)|later (?:change|pr|migration|step|release)|once (?:the|it|that|this)"
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

_WISH = regex(
    r"\bi(?:'?d| would) (?:really |also )?(?:like|love) (?:you |us |it )?(?:to\b|an?\b|the\b|this\b|that\b|some\b)",
    re.I,
)
"""A request worded like a preference: `I'd like to add a column`."""

_EVERY = regex(
    r"\bmake sure (?:that )?(?:all|every|each|no(?:ne|thing)?|any|we|you|it)\b|\b(?:keep|do|leave) (?:it|this|that|them) (?:that|this|the same) way\b"
    r"|\b(?:all|every|each|any) (?:new )?[\w-]+ (?:[\w-]+ ){0,4}?(?:goes|go|gets?|needs?|should|shall|has to|have to|uses?|belongs?|lives?)\b",
    re.I,
)
"""A rule about all of something, without a word that directives have."""

_POINTS_BACK = regex(
    r"^\W*(?:so |and |please )*(?:keep|leave|do|have|make) (?:it|this|that|them) (?:that|this|the same|like (?:that|this))\b.{0,30}$",
    re.I,
)
_RATHER = regex(r"\b(?:use|take|call|prefer) [\w.`/-]+,? (?:and )?(?:not|over) [\w.`/-]+", re.I)
_OWN_NEED = regex(r"\bi (?:\w+ )?(?:need|have|had|want|wanted|needed) to\b", re.I)

_LIMIT = regex(
    r"\b(?:max(?:imum)?|min(?:imum)?)\b.{0,40}\d|\b(?:limit(?:ed)?|restrict(?:ed|ion)|quota|capped|free (?:tier|plan)|offline|no (?:network|internet|breaking)|legacy|licen[cs]e|gdpr"
    r"|cores?|only (?:has|have|got|\d|[\w. ]{1,20} (?:is|are) (?:available|allowed|supported))|no parallel|(?:ca|wo|should|must|may)n[’']?t (?:have|use|change|include|break|be|get|go)\b)",
    re.I,
)
_REPORT = regex(
    r"\b(?:not|n[’']?t|never|isnt|doesnt|wont) (?:\w+ ){0,2}(?:work|show|render|load|appear|happen|display|open|respond|updat|fir|trigger|sav|connect|visible|there|seem)\w*"
    r"|\b(?:errors?|exceptions?|broken|crash\w*|fail(?:s|ed|ing)|undefined|stack ?trace|blank|empty|stuck|frozen|glitch\w*|totally|nothing happens|no longer (?:works?|shows?)"
    r"|i (?:still |now |just |only )?(?:get|got|see|saw|notice[ds]?|restarted|tried (?:it|that|again|to)|reloaded|ran)|i(?:'m| am) (?:still )?(?:getting|seeing)|still (?:getting|see|shows?|the same|there|an?\b|not)"
    r"|can(?:no|[’']?)t (?:see|find|load|connect|read|open)|here(?:'s| is| are) (?:the|what|a|my)|look at (?:the|this) (?:error|output|image|picture|result)|screenshot|(?:console|server|error|build|debug|the) logs?)\b",
    re.I,
)
"""What goes wrong, or what the user sees: of interest while it is dealt with."""

_TRIED = regex(
    r"\b(?:already|have|had|we|i) (?:\w+ )?tried\b|\bnot worth\b|\bmakes? no sense\b|\bdo(?:es)?n[’']?t (?:think|make sense|want|need)\b|\bnightmare\b|\bbeen there\b|\bscars?\b|\bnever again\b|^\W*(?:nah|no way|please no)\b|^\W*no [\w-]+s? (?:please|pls|here|for (?:this|that))\b"
    r"|\b(?:undo|revert|roll back|get rid of|drop|scrap)\b",
    re.I,
)
_DECIDED = regex(r"\bwe(?:[’']ve| have)? (?:\w+ )?(?:decided|agreed|settled|chose)\b", re.I)
_CHOICE = regex(
    r"\b(?:go(?:ing)? with|option [a-d1-9]\b|we(?:'ll| will| are going to|'re going to)? (?:\w+ )?(?:decided|agreed|chose|store|keep|use|stick|switch(?:ed)?|drop(?:ped)?|support)"
    r"|(?:let'?s|lets) (?:\w+ )?(?:do|use|keep|go|stick|store|drop|skip|leave)\b.{10,})",
    re.I,
)
_WHY = regex(
    r"\b(?:found out why|turns out|the (?:reason|cause|culprit) (?:is|was)|root cause|(?:it'?s|was|is|that'?s) because|caused by|due to)\b",
    re.I,
)
_MEASURED = regex(
    r"\b(?:measured|timed|counted|benchmarked|profiled)\b.{0,60}\d"
    r"|\b(?:up|down|from|was|went|improved|dropped|grew|rose|fell|reduced|cut|now)\b.{0,30}\d.{0,30}\b(?:from|to|was|before|up|down)\W{1,3}\d"
    r"|\b(?:scores?|accuracy|coverage|latency|throughput|precision|recall|f1|p\d\d|auc|bleu|rmse)\b.{0,40}\d",
    re.I,
)
_AHEAD = regex(
    r"^\W*(?:next\b|tomorrow\b|afterwards?\b|later\b|after (?:that|this)\b)|\bnext (?:steps?|thing|task|up)\b|\b(?:later|tomorrow|next week|some day|eventually) (?:we|i|you)\b"
    r"|\byou(?:'ll)? (?:still |will |also )?(?:need|have) to\b|\b(?:not|n't) (?:been )?(?:touched|done|started|implemented|migrated|covered|translated)\b|\bseparate (?:change|pr|pull request|commit|task|issue)\b",
    re.I,
)
_FELL_SHORT = regex(
    r"\b(?:do(?:es)?n[’']?t|did(?:n[’']?t| not)|do(?:es)? not|won[’']?t|would not|can(?:no|[’'])t) (?:really |actually |fully )?(?:help|solve|fix|work|cover|suffice|scale|change (?:it|anything|the))"
    r"|\b(?:is|are|was|were)(?:n[’']?t| not) (?:enough|sufficient|viable|an option|possible)\b|\bbreaks? (?:it|this|that|them)\b|\bbut (?:that|this|it|they) (?:\w+ )?(?:broke|breaks|made|failed|caused|swallowed|blocked|introduced|required)\b"
    r"|\b(?:tried|reverted|backed|undid|dropped|removed)\b.{3,120}\b(?:because|but|since|as it)\b",
    re.I,
)
_CHOSE = regex(
    r"\b(?:i'?ll|we'?ll|i will|i'?m going to|i(?:'ve)?|we(?:'ve)?) (?:\w+ )?(?:us(?:e|ed|ing)|keep|kept|go with|went with|stor(?:e|ed)|put|wrap(?:ped)?|stick|stuck|chose|moved?|split|made|left)\b.{3,160}\b(?:because|since|so that|instead of|rather than|to avoid|to keep|as (?:the|it|they|we))\b"
    r"|^\W*(?:to (?:avoid|prevent|keep|stay)\b.{3,80},|rather than\b|instead of\b|decision\b|chosen\b)",
    re.I,
)
_CHANGE = regex(
    r"^\W*(?:(?:i(?:'ve| have)?|we(?:'ve| have)?|also|now|and|then|all|the \w+|\d+[.)]) )*(?:add|updat|fix|remov|creat|chang|renam|mov|replac|implement|adjust|improv|delet|refactor|convert|extract|enhanc|clean|simplif|ensur|integrat|preserv|kept|set(?!tl)|made|configur|set up|handl(?:es?|ed|ing)\b|includ|includes|provid|support|us(?:es|ed|ing)|display|show|clickable|maintain)\w*\b"
    r"|\bnow (?:has|have|is|are|shows?|works?|displays?|includes?|supports?|returns?|uses?)\b|^\W*[✅✓✔🔧📁📊🎯]",
    re.I,
)
_REASON = regex(
    r"\b(?:because|since|so that|instead of|rather than|in favou?r of|to avoid|due to|otherwise|, as (?:the|it|they|we|this|both)\b|deliberate(?:ly)?|by design|on purpose|settled|which (?:keeps|lets|avoids|means|leaves|saves)|afterwards?|trade-?off|which (?:would|made|caused|broke))\b",
    re.I,
)
_MUSING = regex(
    r"^\W*(?:the user(?:'s)? (?:is|has|wants?|says|said|might|may|asks|asked|mentioned|just|also|seems|request|question|saying)|let me|let's|now let|i (?:need|should|want|have|can) to?\b|i(?:'ll| will) (?:now |first |also |start |go )?(?:check|look|search|read|start|help|analy[sz]e|examine|investigate|see|find|explore|review|create|add|update|implement|fix)"
    r"|looking at (?:the|this|their|my)|so i\b|but wait|wait\b|hmm|okay,? (?:so|let|i)|ok,? (?:so|let|i)|perfect|great|excellent)\b",
    re.I,
)
_UNSURE = regex(
    r"\b(?:might|could(?! not)|may(?! not)|maybe|perhaps|possibly|probably|likely|seems?|suspect\w*|suggests?|potential\w*|would (?:need|require|have to)|options?|approach [a-d1-9]\b|alternatively|if (?:you|it|this|that|they|the))\b",
    re.I,
)


def users_sort(sentence: str) -> str:
    """The sort of a sentence that the user wrote."""
    if _QUESTION.search(sentence) or _is_output(sentence):
        return "remark"
    orders = directives_in(sentence)
    if any(one.force == "stated" and one.span != "turn" for one in orders):
        return "rule"
    # What always holds and is stated returned above.
    force: Force | Literal[""] = "standing" if any(one.span == "always" for one in orders) else ""
    elsewhere = users_sort_elsewhere(sentence, force, takes_back(sentence))
    if elsewhere:
        return elsewhere
    wish = _WISH.search(sentence)
    if (_PREFERENCE.search(sentence) and not wish) or _RATHER.search(sentence):
        return "preference"
    if _CORRECTION.search(sentence) or takes_back(sentence):
        return "correction"
    if force == "standing":
        return "rule"
    # The user's own needs bind nobody.
    words = _OWN_NEED.sub(" ", sentence)
    found = next((name for name, pattern in _USERS if pattern.search(words)), "")
    return found or ("request" if wish or _ORDER.match(sentence) else "fact")


_USERS = (
    ("rule", _EVERY),
    ("decision", _DECIDED),
    ("refused", _TRIED),
    ("constraint", _LIMIT),
    ("report", _REPORT),
    ("constraint", _CONSTRAINT),
    ("refused", _REFUSAL),
    ("decision", _CHOICE),
    ("cause", _WHY),
    ("next", _AHEAD),
    ("number", _MEASURED),
)


def _is_output(sentence: str) -> bool:
    """Whether a user pasted it: lines of a terminal or a log have more signs than sentences do."""
    prose = sum(letter.isalpha() or letter in " ,'" for letter in sentence)
    return prose < _PROSE * len(sentence) or bool(_OUTPUT.search(sentence))


_OUTPUT = regex(
    r"^\W*\S+ @ \S+:\d+|^\[[^\]\n]{2,60}\]:|^\S+:\d+(?::\d+)? |^(?:Uncaught )?\w*(?:Error|Exception|Warning): |\w+\.(?:js|ts|py|cs|java|go|rb|php):\d+\b"
)
"""A line of a console, a stack or a log that stands alone among the user's words."""


_PROSE = 0.75
"""The least share of letters, spaces and commas in a sentence: 0.9 is usual, paths and figures included."""


def leans_back(sentence: str) -> bool:
    """Whether a user's sentence says nothing without the one before it."""
    return bool(_POINTS_BACK.match(sentence))


def agents_sort(sentence: str) -> str:
    """The sort of a sentence that the agent wrote."""
    if _QUESTION.search(sentence) or _MUSING.match(sentence):
        return "remark"
    elsewhere = agents_sort_elsewhere(sentence)
    if elsewhere:
        return elsewhere
    if _CHANGE.search(sentence) and not _REASON.search(sentence) and not _MEASURED.search(sentence):
        return "change"
    for name, pattern in _AGENTS:
        if pattern.search(sentence):
            return name
    return "remark"


_AGENTS = (
    ("refused", _FELL_SHORT),
    ("refused", _REFUSED),
    ("decision", _CHOSE),
    ("cause", _CAUSE),
    ("number", _MEASURED),
    ("decision", _DECISION),
    ("number", _NUMBER),
    ("next", _AHEAD),
    ("next", _NEXT),
)


def certainty(sentence: str) -> float:
    """How much of its worth a sentence of the agent keeps: a guess or an option that was weighed is worth
    little once the session went on.
    """
    return _GUESS if _UNSURE.search(sentence) else 1.0


_GUESS = 0.6
"""Below a fact of the user's, above a remark."""
