"""Sentences that say what the work is blocked by, outside of the session."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextd_common.text.regex import regex

_READ = 4_000
"""Characters of a text that are examined."""

_LONGEST_ASIDE = 600
"""Characters. A longer prompt contains pasted text, whose blockers may be anybody's."""

_HERE = r"(?:still|currently|now|also|both|all|fully|completely|mainly|only|just)"
_BLOCKED = regex(
    rf"(?:(?:\b(?:is|are|am|remains?|stays?)|['’](?:s|re|m))\s+(?:{_HERE}\s+)*(?:blocked|stuck(?!\s+on\s+[\"“'‘`*])|held up|on hold)\s+"
    rf"|^(?:{_HERE}\s+)*blocked\s+)(?:by|on|until|pending|waiting (?:for|on))\s+(?P<by>\S.*)"
    r"|^blocke(?:d|rs?)(?:\s+(?:by|on))?\s*:\s*(?P<label>\S.*)"
    r"|\b(?:we|i)\s+can(?:no|['’])t\s+(?:continue|go on|proceed|move (?:on|forward))\s+(?:until|without)\s+(?P<without>\S.*)",
    re.I,
)
_WAITING = regex(
    rf"(?:\b(?:we|i|work|release|deploy(?:ment)?|merge|launch|pr|ticket|task)(?:\s*#\d+)?\s*(?:['’](?:re|m|s)|\s(?:am|are|is))|^(?:still\s+)?)"
    rf"\s*(?:{_HERE}\s+)*(?:waiting|awaiting)\s+(?:(?:for|on)\s+)?(?P<for>\S.*)",
    re.I,
)
_OUTSIDE = regex(
    r"\b(?:reviews?|approv(?:al|es?)|sign-?off|access|permissions?|credentials?|(?:api |access |signing |licen[cs]e |\w+ )?keys?|tokens?"
    r"|secrets?|licen[cs]es?|quotas?|dns|certificates?|vendors?|customers?|clients?|legal|compliance|design(?:er|s)?|ops"
    r"|admins?|maintainers?|upstream|merge of|pr\b|pull request|decision|support|provider|hardware|shipment|invoice|payment"
    r"|app store|propagat\w+|release of)",
    re.I,
)
_OTHER_LANGUAGES = regex(
    r"\b(?:ist|sind|bleibt|bin)\b.{0,40}\bblockiert\b|\bwarten? (?:noch )?auf (?:die|den|das|eine?n?) (?:freigabe|genehmigung|zugang|schlüssel|antwort von)\b"
    r"|\b(?:est|sommes|suis|reste)\b.{0,40}\bbloqué|\ben attente d(?:e l['’]|u |es |e )?(?:la )?(?:clé|accès|approbation|validation|réponse d)"
    r"|\b(?:está|están|estamos|queda)\b.{0,40}\bbloquead[oa]|\ba la espera de (?:la |el )?(?:clave|acceso|aprobación|respuesta de)"
    r"|(?:レビュー|承認|権限|キー|回答)待ち|にブロックされて(?:い|お)|等待(?:审批|审核|批准|授权|密钥|权限)|被.{1,30}阻塞|(?:승인|검토|권한|키).{0,3}대기",
    re.I,
)
_NOT_NOW = regex(
    r"\b(?:if|when|whenever|once|would|could|might|may|can be|was|were|had|got|gets?|no longer|not|n['’]t|never|unless|instead of|nothing"
    r"|avoid|prevent|until then|previously|earlier|used to|so that|wenn|falls|nicht|si|cuando|cuand|quand|pas)\b|\?\s*$|没有|如果|不再",
    re.I,
)
"""Words before a blocker that make it a condition, the past or its opposite."""

_TECHNICAL = regex(
    r"^(?:the |an? )?(?:(?:browser|firewall|sandbox|hook|linter|policy|proxy|cors|csp|gil|lock|mutex|main thread|thread|event loop|i/?o|socket"
    r"|stdin|network|captcha|cloudflare|robots|ad ?blocker|chrome|safari|gatekeeper|antivirus|recv|read|write|signal|connections?)\b)",
    re.I,
)
_WITHIN = regex(
    r"^(?:(?:the|an?|all|both|any|other|remaining|these|those|next|final|\d+)\s+)*(?:[\w`-]+\s)?(?:you|your|yours|user|it|its|them|this|that|agents?|sub-?agents?|teammates?|team[- ]?lead\S*"
    r"|tests?(?!\s+(?:keys?|accounts?|devices?|licen))|builds?|ci|jobs?|runs?|pipelines?|workflows?|results?|outputs?|commands?|confirmation|instructions?|input|assignment|others"
    r"|background|process|tasks?)\b"
    r"|\b(?:your|you|team[- ]?lead|sub-?agents?|teammates?)\b",
    re.I,
)
_PROGRAM = regex(
    r"\b(?:buttons?|dialogs?|users?|requests?|connections?|threads?|workers?|process(?:es)?|pods?|containers?|servers?|clients?|pages?|forms?"
    r"|events?|ui|callers?|calls?|goroutines?|queues?|pop-?ups?|traffic|ports?(?: \d+)?|browsers?|sockets?|urls?|domains?|ips?|quer(?:y|ies)|transactions?|cookies?"
    r"|scripts?|elements?|clicks?|producers?|consumers?|coroutines?|promises?|futures?|loops?|commands?|readers?|writers?)\s*$",
    re.I,
)
"""A subject that is blocked when the program runs, not the work on it."""

_NONE = regex(r"^\W*(?:none|nothing|no(?: blockers?)?\W*$|n/?a\b|-+\s*$|nichts|rien|nada)", re.I)
_SENTENCE = regex(r"(?<=[.!?。！？])\s+|\n+")
_MARK = regex(r"^\s*(?:[-*+•>]|\d{1,2}[.)]|\[[ x]\]|#{1,6})?\s*")
_MANY_LETTERS = 12


def blockers(text: str, *, typed: bool = False) -> Iterator[str]:
    """The sentences that say what blocks the work at present; what ends within the session (agents, tests, the user's
    next word) is no blocker. `typed` text comes from the user.
    """
    if typed and len(text) > _LONGEST_ASIDE:
        return
    for sentence in _SENTENCE.split(text[:_READ]):
        bare = _MARK.sub("", sentence).replace("**", "").strip()
        if (
            len(bare) >= _MANY_LETTERS // 2
            and not bare.startswith(("|", "<", "{"))
            and _blocks(bare)
        ):
            yield bare


def blocked_by(sentence: str) -> tuple[str, str] | None:
    """What a sentence says is blocked, and by what; None if it says nothing of that sort."""
    found = _BLOCKED.search(sentence)
    if found is None:
        found = _WAITING.search(sentence)
        if found is not None and not _OUTSIDE.search(found["for"]):
            return None
    if found is None:
        return None
    by = next(group for group in found.groups() if group)
    before = sentence[: found.start()]
    if _NOT_NOW.search(before) or _PROGRAM.search(before) or sentence.endswith(("?", ":")):
        return None
    if sentence[:8].casefold() == "blocker:" and not _OUTSIDE.search(by):
        # Reviews grade what they find: `Blocker: the write races with the cancellation`.
        return None
    if _NONE.match(by) or _TECHNICAL.match(by.lstrip("`*")) or _WITHIN.search(by):
        return None
    return before, by


def _blocks(sentence: str) -> bool:
    if blocked_by(sentence) is not None:
        return True
    return bool(_OTHER_LANGUAGES.search(sentence)) and not _NOT_NOW.search(sentence)
