"""Detect messages that take back what was said or done before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from contextd.sessions.turns import Turn
from contextd_code.text.regex import regex
from contextd_code.text.words import one_line

_READ = 400
"""Characters to examine: people retract at the beginning of a message."""

_FIRST = regex(
    r"^\W*(?:(?:sorry|oops|ah|oh|hm+|wait|hold on|please|can you|could you|let'?s)\b\W*)*(?:"
    r"(?:no|nope|nah|wrong)(?=\W*$|\s*(?:[,.!…]|\s-)|\s+(?:no|wait|man|i|that|this|it|we|you|the|not|do|don'?t|use|keep|just|actually|sorry)\b)"
    r"(?!\W+(?:it|that|this|all)(?:'s| is) (?:fine|ok|good|right|correct)\b)"
    r"|(?:scratch|ignore|disregard|forget) (?:that|it|this|what|my|about)|never ?mind|don'?t do (?:that|it)"
    r"|stop(?:\W*$|[,.!]|\s+(?:it|that|this|doing|changing|adding|using|right)\b)"
    r"|(?:undo|revert|roll(?:ing)? back|back out)(?:\W*$|[,.!]|\s+(?:that|this|it|all|the|your|my|those|these|what|last|everything|to|commit|changes?)\b)"
    r"|take (?:that|it|this) back\b|nein\b|falsch\b|mach das rückgängig|nimm das zurück|vergiss|non\b(?!-)|annule|oublie"
    r"|deshaz|olvida|annulla|desfaça|esquece|nee\b|vergeet (?:dat|het)|maak (?:dat|het) ongedaan"
    r"|いや|いいえ|違|やっぱり|不对|不是|错|算了|撤销|아니|취소|되돌)",
    re.I,
)
_SAYS_SO = regex(
    r"\bmy (?:mistake|bad|error|fault)\b|\bi(?:'m| am| was)? (?:wrong|mistaken|mis(?:spoke|read|took|remembered))\b"
    r"|\bi (?:mixed|messed|got|said) (?:it|that|this|them) (?:up|wrong|mixed up)\b|\bi mixed up\b"
    r"|\bi (?:messed up|got wrong|said wrong)\b(?=\W*$|\s*[,.:;!…])|\bcorrection\s*:"
    r"|\b(?:undo|revert)(?:ing)? (?:that|this|it|all|your|my|those|these|everything)\b|\b(?:need|want|have) to (?:undo|revert)\b"
    r"|\b(?:that|this|it)(?:'s| is| was)? (?:wrong|incorrect|not (?:right|correct|true))\b|\bnot (?:any ?more|any ?longer)\b|\bno longer\b"
    r"|\binstead of (?:that|what)\b|\bscratch that\b|\bactually,? (?:no|we|it|the|use)\b|\bchanged (?:my|our) mind\b|\btake (?:that|it|this) back\b"
    r"|\bmein fehler\b|\bfalsch\b|\bgeirrt\b|\bzurücknehmen\b|\bnimm das zurück\b|\brückgängig\b|\bnicht mehr\b|\bdoch nicht\b"
    r"|\bje me suis tromp|\bc'est faux\b|\bmon erreur\b|\bne .{1,40} plus\b|\bme equivoqu|\bmi error\b|\bya no\b|\bmi sbagli|\bho sbagliato\b|\berrore mio\b"
    r"|\bnon .{1,40} più\b|\bmijn fout\b|\bniet meer\b|\bklopt niet\b|\bme enganei\b|\berro meu\b|\bnão .{1,40} mais\b"
    r"|間違え|間違い|誤り|もう.{0,12}ません|取り消|元に戻|やめ(?:ます|て)|不再|弄错|说错|搞错|撤销|收回|더 ?이상|틀렸|잘못|취소|되돌",
    re.I,
)

_ASKS = regex(
    r"\b(?:how|what|why|when|where|which|is|was|does|did|wie|was|warum|ist|comment|pourquoi|cómo|qué)\b(?:[^.!?。！？\n]|\.(?=\S))*[?？]",
    re.I,
)
"""A question with such words asks about something and takes nothing back."""

ALIKE, NEXT = 0.45, 0.25
"""Minimum cosine between a retraction and the earlier turn it concerns, and the lower one for the turn
directly before it, which is nearly always meant.
"""

_QUOTED = 120
"""Characters of a retraction that are shown beside what it takes back."""

_BACK = 4
"""Earlier turns that are compared."""


def takes_back(words: str) -> bool:
    """Whether a message takes something back, in one of ten languages."""
    start = words.strip()[:_READ]
    return bool(_FIRST.match(start) or _SAYS_SO.search(_ASKS.sub("?", start)))


def mark_taken_back(turns: Sequence[Turn], likeness: Callable[[int, int], float]) -> list[int]:
    """Mark the turns that later words take back, and return the retracting turns.

    `likeness` of two turns is the cosine of the first one's topic and the user's words in the second.
    """
    taking: list[int] = []
    for later, turn in enumerate(turns):
        retraction = next((text for text in (turn.prompt, *turn.answers) if takes_back(text)), None)
        if retraction is None:
            continue
        taking.append(later)
        for earlier in range(max(0, later - _BACK), later):
            bar = NEXT if earlier == later - 1 else ALIKE
            if likeness(earlier, later) >= bar:
                turns[earlier].taken_back = True
                turns[earlier].taken_back_by = (turn.key, one_line(retraction, _QUOTED))
    return taking
