"""Directives: rules that a person or an agent wants followed from now on, unlike states, facts or tasks.

A directive never decays. It ends only by an explicit act, which its history records (ADR 0048). This module
alone decides what counts as a directive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from contextd.domain.kinds import kinds_that
from contextd.domain.records import Change, Record
from contextd_code.dataclass import dataclass
from contextd_code.text.regex import regex
from contextd_code.text.words import content_words, weight

Force = Literal["stated", "standing"]
"""How a sentence directs: `stated` demands something from now on, `standing` is worded like a rule in
passing.
"""


@dataclass(frozen=True, slots=True)
class Directive:
    """The words that state a rule, and whether they demand it explicitly."""

    text: str
    force: Force


_LEAD = (
    r"^(?:[-*+•#\s]|\d{1,2}[.)]\s)*(?:(?:ok(?:ay)?|so|and|also|but|please|pls|plz|no|nope|yes|btw|by the way|fyi|again|hey|oh|well"
    r"|then|just|oui|sí|ja|note(?: that)?|keep in mind(?: that)?|important|attention|reminder|hint|remember|one more thing|bitte|und|auch"
    r"|nein|wichtig|s'il (?:te|vous) plaît|et|important|por favor|y|también|per favore|e|alstublieft|en)\b[\s,:;.!–—-]*)*"
)
_WHEN = (
    r"(?:(?:when(?:ever)?|if|for|before|after|while|in|on|with|unless|once|every time|wenn|vor|nach|bei|für|quand|si|avant|cuando"
    r"|antes de)\b[^,.;:!?]{2,80}[,:]\s*(?:please\s+)?)?"
)
_VERB = (
    r"(?!(?:mind|been|seen|got|had|was|were|is|are|has|the|a|an|in|on|there|same|gonna|when|if|showing|getting)\b"
    r"|(?!focus\b)\w+(?<!s)s\b|\w{2,}[cdghklmnprstvwxyz]ed\b)\w+"
)
"""A verb in the imperative: `never worked` and `always fails` describe a state instead."""

_FROM_NOW_ON = (
    r"from (?:now|here|this point|today) on(?:wards?)?|henceforth|ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|fortan|dorénavant"
    r"|désormais|à partir de maintenant|a partir de ahora|de ahora en adelante|d'ora in (?:poi|avanti)|de agora em diante"
    r"|a partir de agora|vanaf nu|voortaan|künftig|zukünftig"
)
_RULE = r"(?:rule|convention|requirement|policy|guideline|standard|constraint|preference|regel|konvention|vorgabe|règle|regla|regola|regra)"

_STATED = regex(
    _LEAD + _WHEN + r"(?:"
    r"(?:" + _FROM_NOW_ON + r"|(?:going|moving) forward|as a (?:general )?rule)\b"
    r"|in (?:the )?future,?\s+(?:please|always|never|do|don'?t|use|you|when|if|make|run|ask|write|keep|put|prefer|only|no)\b"
    r"|for (?:all )?future (?:sessions|tasks|work|changes|commits)\b"
    r"|(?:under no circumstances|at no time|at all times|without exception)\b"
    r"|(?:(?:new|project|our|my|general|global|house|coding|team|another)\s+)*"
    + _RULE
    + r"(?: #?\d+)?\s*[:：]\s*\S"
    r"|(?:(?:you|we|claude|cursor|(?:the |cursor )?(?:ai|agents?|assistant)) (?:are to|is to|should|must|have to|has to|need to|shall)|i (?:want|need|expect|would like) you to"
    r"|make sure (?:that )?you|be sure to|ensure (?:that )?you)?\s*\b(?:always|never(?: ever| again)?)\s+`?"
    + _VERB
    + r"|(?:do not|don[’']?t) (?:you )?ever\b"
    r"|(?:do not|don[’']?t|stop|you (?:may|must|should|can) ?not|you (?:mustn|shouldn|can)[’']?t)\b.{2,160}?\b(?:ever(?: again)?"
    r"|under any circumstances|no matter what|without exception|going forward|from now on|in (?:the )?future)\s*[.!]*$"
    r"|you are (?:(?:not|never|always|only) )*to \w{3,}"
    r"|no matter what,? (?:always|never|do(?: not|n[’']?t)?)\b|i (?:\w+ly )?(?:always|never) (?:want|expect|prefer|like)\b|i (?:strongly|generally|usually) prefer\b"
    r"|(?:niemals|nie|immer|stets) \w+|\w+e? (?:(?:bitte|mir|mich|das|hier|sie) )*(?:nie(?:mals)?|immer|stets|grundsätzlich)\b"
    r"|du (?:sollst|musst|darfst) (?:\w+ ){0,2}(?:immer|nie(?:mals)?)\b|(?:unter keinen umständen|auf keinen fall|keinesfalls)\b"
    r"|in zukunft\b|merke? dir\b|(?:souviens|rappelle)-toi\b|retiens (?:que|bien)\b|à l'avenir\b"
    r"|(?:ne |n[’'])\w+\b.{0,40}?\bjamais\b|jamais (?:de|d'|\w+)|je (?:ne )?veux (?:\w+ )?que\b.*\b(?:jamais|toujours)\b(?! pas)|\w+(?:e|s|ez) toujours\b(?! pas)|(?:en aucun cas|sous aucun prétexte)\b"
    r"|(?:nunca|jamás|siempre|sempre|nooit|altijd|mai) (?!falla|da\b|sale|aparece|me\b|se\b|hay|es\b|está)\w+"
    r"|(?:no|non|não) \w+ .{0,40}?\b(?:nunca|jamás|mai)\b|(?:usa|utiliza|haz|pon|escribe|usare|scrivi|use|escreva|gebruik) (?:siempre|sempre|altijd)\b"
    r"|(?:bajo ninguna circunstancia|en ningún caso)\b|en adelante,|in het vervolg\b|onthoud\b|in futuro,"
    r"|recuerda (?:que|siempre|esto|:)|acuérdate\b|ricorda(?:ti)? (?:che|di|sempre)|lembre(?:-se)?\b"
    r"|(?:remember(?: (?:that|this|to|not to)\b|\s*[:：]))"
    r")",
    re.I,
)
_STATED_ANYWHERE = regex(
    r"\b(?<!so )(?<!so that )(?:" + _FROM_NOW_ON + r")\b|[,–—-]\s*(?:always|ever)\s*[.!]*$"
    r"|今後は|今後[、,も一]|これからは|これからも|覚えて(?:おいて|ください|ね)|ルール[:：]|二度と.*(?:ない|な[。！!]*$)"
    r"|(?:絶対に|決して).*(?:ない(?:で|こと)|するな|しない|使わない|禁止)|(?:必ず|常に|毎回|いつも).*(?:してください|して下さい|してね|しろ|せよ|お願い)"
    r"|从(?:现在|今)(?:开始|起|以后|往后)|(?:^|[，,、\s])以后.{0,16}?(?:都|请|要|不要|别|必须|一律)|今后(?:都|请|要|不要|别|一律|[,，])|(?:请)?记住[：:,，]?|牢记|规则[:：]"
    r"|永远(?:不要|别|不准|不能)|绝(?:对)?不(?:要|能|可|准|允许)|切勿|千万(?:不要|别)"
    r"|기억해|앞으로|지금부터|규칙[:：]|절대(?:로)?.*(?:마|말)",
    re.I,
)
_INSISTS = regex(
    r"\b(?:(?:is|are|be) (?:always|never)\b|(?:always|never)\b(?!-| mind| (?:came|got|was|were|did|had|been|saw|went|\w{2,}ed)\b)"
    r"|(?:do not|don't|doesn't) ever|we (?:only|always|never))\b"
    r"|\b(?:immer|niemals|nie|toujours\b(?! (?:pas|rien|ceci|cela|des|les?|la|un))|jamais|siempre|nunca|jamás|sempre|mai)\b"
    r"|常に|絶対に|总是|绝不|永远|항상|절대",
    re.I,
)
_MUST = regex(
    r"\b(?:must(?: not|n't)?|we (?:use|do not use|don't use)|every time|whenever"
    r"|muss|müssen|wir (?:nutzen|verwenden|benutzen)|doit|doivent|debe|deben|deve|devono|devem)\b"
    r"|必ず|してはいけ|必须|务必|반드시",
    re.I,
)
"""A rule in passing when a user says it, but mostly a fact in a record about code."""

_WANTS_MORE = regex(r"^\W*(?:(?:and|et|und|y) )?(?:" + _FROM_NOW_ON + r")(?:\W+\w+)?\W*$", re.I)
"""A marker with nothing after it: the rule it announces was stated elsewhere."""

_SHOUTED = regex(
    r"^(?:PLEASE )?(?:DO NOT|DON'?T|DONT|STOP|ONLY|ALWAYS|NEVER|YOU (?:MUST|WILL|SHALL)|ASK) "
)
_FOR_NOW = regex(
    r"\b(?:right now|for now|at the moment|for the moment|currently|today|yet|this time|temporarily|until (?:i|we|you|then|it)\b"
    r"|momentan|gerade|derzeit|vorerst|noch nicht|pour l'instant|en ce moment|por ahora|ahora mismo|de momento|per ora|por enquanto"
    r"|voorlopig)\b|今のところ|いまのところ|とりあえず|目前|暂时|现在先|지금은|일단",
    re.I,
)
"""What holds only for the moment is a state, not a rule."""

_ASKS = regex(r"[?？][\"')\]*_」』]*$")
_DEICTIC = regex(
    r"\b(?:that|this|it|so|these|those|them)(?: (?:again|anymore|any more|ever|either))*[\s.!]*$",
    re.I,
)
_ABBREVIATION = regex(
    r"\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|z\.B|d\.h|bzw|ca|p\.ej|no|dr|mr)\.$", re.I
)
_QUOTED = regex(r"`[^`\n]*`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|「[^」\n]*」|\([^()\n]{1,200}\)")
_BREAK = regex(r"[.!?…]+[\"')\]*_]*(?=\s)|[。！？]+[」』）]*|\n+")
_MARKER = regex(
    r"(?:[,;:–—]\s*(?:(?:and|but|also|so|und|aber|et|mais|y|pero)\s+)?|\s(?:and|but|also|und|aber|et|mais|y|pero)\s+)(?=(?:"
    + _FROM_NOW_ON
    + r")\b)",
    re.I,
)
_FENCE = regex(r"```.*?(?:```|\Z)|^[ \t]*>.*$", re.S | re.M)

_SHORTEST, _LONGEST = 12, 320
"""Length limits of a directive in characters, an ideograph counting as two: shorter text is an assent,
longer text is material.
"""

_SAYS = 3
"""Minimum number of content words; below it, as in `never do that`, the previous sentence is included."""


_LABELS = frozenset(
    """directive rule rules policy policies standard standards convention conventions guideline guidelines
    constraint constraints requirement requirements preference preferences anti-pattern anti_pattern""".split()
)
"""Types and tags that mark a record as a directive."""

_TYPED = ("type", "contextType", "savedAs")
"""Fields that may hold the type of a record."""

WORDED = ("context", "memory", "discovery")
"""Kinds whose records are directives if their wording is. For other kinds the kind decides."""

_READ = 1_200
"""Characters of a record that are examined; longer text is a narrative."""


def is_directive(record: Record) -> bool:
    """Whether a record is a directive: by its kind, its type or tags, or its wording, regardless of its author."""
    if record.kind in kinds_that("directive"):
        return True
    if record.kind not in WORDED:
        return False
    named = (*(record.data.get(name) for name in _TYPED), *record.tags)
    if any(str(name).casefold() in _LABELS for name in named if name):
        return True
    if len(record.content) > _READ:
        return False
    short = len(record.content) <= _LONGEST
    return any(
        one.force == "stated" or (short and _INSISTS.search(one.text))
        for one in directives_in(record.content)
    )


ENDING_ACTS = frozenset(
    """update delete undo restore resolve retract merge unmerge import unimport promote withdraw""".split()
)
"""History actions that may end or weaken a directive: each is a deliberate decision. All others, such as
`signal`, `feedback` and `archive`, only report how a record was used.
"""


def in_force(before: Record, after: Record, action: str) -> Record:
    """`after` as it may be stored: only an ending act may lower the status, validity or confidence of a
    directive.
    """
    if action in ENDING_ACTS or not is_directive(before):
        return after
    ended = before.status == "active" != after.status
    return after.with_(
        confidence=max(before.confidence, after.confidence),
        status=before.status if ended else after.status,
        valid_to=before.valid_to,
        canonical_id=before.canonical_id,
    )


def unweakened(record: Record, history: Sequence[Change]) -> Record:
    """A directive restored to the state it would have if every change had passed `in_force`. Older
    versions of contextd demoted, archived and distrusted unused directives.
    """
    first = next((one.after or one.before for one in history), None)
    if first is None or not is_directive(record):
        return record
    held = first
    for one in history:
        if one.before is None or one.after is None:
            continue
        held = _replayed(held, one, one.before, one.after)
    return record.with_(
        status=held.status,
        valid_to=held.valid_to,
        canonical_id=held.canonical_id,
        confidence=max(record.confidence, held.confidence),
    )


_FILE_REMOVED = " was removed"
"""How the reason ends that older versions gave when a policy's file was deleted. Such a deletion is a
decision.
"""


def _replayed(held: Record, change: Change, before: Record, after: Record) -> Record:
    """The state of a directive after one more change from its history."""
    raised = after.confidence >= before.confidence
    surer = max(held.confidence, after.confidence)
    if change.action in ENDING_ACTS or change.reason.endswith(_FILE_REMOVED):
        # An ending act decides about the fields it changed; the other fields stay as they were restored.
        return held.with_(
            status=held.status if before.status == after.status else after.status,
            valid_to=held.valid_to if before.valid_to == after.valid_to else after.valid_to,
            canonical_id=after.canonical_id
            if before.canonical_id != after.canonical_id
            else held.canonical_id,
            confidence=surer if raised else after.confidence,
        )
    status = held.status if held.status == "active" else after.status
    return held.with_(status=status, confidence=surer)


def is_users(record: Record) -> bool:
    """Whether a directive comes from the user: typed by a person, or learned from one of their prompts."""
    return is_directive(record) and (
        record.trust == "human" or record.data.get("speaker") == "user"
    )


def directives_in(text: str) -> list[Directive]:
    """The directives in a message, in order: each is the sentence that states it.

    Skips code, quoted lines, questions and anything limited to the moment.
    """
    found: list[Directive] = []
    before = ""
    for sentence in sentences(text):
        force = _force(sentence)
        if force:
            stated = _from_its_marker(sentence) if force == "stated" else sentence
            if _DEICTIC.search(stated) and len(content_words(stated)) < _SAYS:
                stated = f"{before} {stated}" if before else ""
            if stated and not _is_too_long(stated):
                found.append(Directive(stated, force))
        before = sentence
    return found


def without_directives(text: str) -> str:
    """The message without its directives."""
    rest = text
    for one in directives_in(text):
        for sentence in sentences(one.text):
            rest = rest.replace(sentence, " ", 1)
    return rest.strip(" \n\t,;–—")


def force_of(text: str) -> Force | Literal[""]:
    """The strongest force of the directives in a text; empty if it has none."""
    forces = {one.force for one in directives_in(text)}
    return "stated" if "stated" in forces else "standing" if forces else ""


def _force(sentence: str) -> Force | Literal[""]:
    if weight(sentence) < _SHORTEST or _is_too_long(sentence) or _ASKS.search(sentence):
        return ""
    for_now = _FOR_NOW.search(sentence)
    if for_now or _WANTS_MORE.match(sentence):
        return ""
    bare = _QUOTED.sub(" ", sentence)
    shouted = bare == bare.upper() and len(bare.split()) >= _SAYS and _SHOUTED.match(bare)
    if shouted or _STATED.match(sentence) or _STATED_ANYWHERE.search(bare):
        return "stated"
    return "standing" if _INSISTS.search(bare) or _MUST.search(bare) else ""


def _is_too_long(text: str) -> bool:
    return len(text) > _LONGEST


def _from_its_marker(sentence: str) -> str:
    """The sentence from its directive marker on: `fix the header, and from now on …`."""
    found = _MARKER.search(sentence)
    tail = sentence[found.end() :] if found else ""
    says_more = len(content_words(tail)) > _SAYS and not _WANTS_MORE.match(tail)
    return tail if says_more else sentence


def sentences(text: str) -> Iterator[str]:
    """The prose sentences of a message, without code and quoted lines. Punctuation inside quotes or
    brackets ends no sentence.
    """
    prose = _FENCE.sub("\n", text)
    quoted = [match.span() for match in _QUOTED.finditer(prose)]
    start = 0
    for end in _BREAK.finditer(prose):
        inside = any(low < end.start() < high - 1 for low, high in quoted)
        if inside or _ABBREVIATION.search(prose[start : end.start() + 1]):
            continue
        yield from _tidied(prose[start : end.end()])
        start = end.end()
    yield from _tidied(prose[start:])


def _tidied(sentence: str) -> Iterator[str]:
    text = re.sub(r"^(?:[-*+•]\s+|\d{1,2}[.)]\s+)+", "", " ".join(sentence.split()))
    if text:
        yield text
