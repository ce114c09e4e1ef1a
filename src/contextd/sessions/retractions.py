"""Words by which somebody takes back what was said or done just before."""

from __future__ import annotations

import re

_READ = 300
"""Characters: who takes something back says so first."""

_TAKES_BACK = re.compile(
    r"^\W*(?:sorry|oops|ah|oh|hm+|wait|no|nope|actually)?\W*(?:"
    r"my (?:mistake|bad|error)|i was wrong|i (?:made a )?mis(?:take|spoke|read)|scratch that|never ?mind|forget (?:that|it|what i)"
    r"|(?:please )?(?:undo|revert|take back|roll back|back out) (?:that|this|it|all|the last|your|those)"
    r"|i(?:'m| am) undoing|that(?:'s| is| was) (?:wrong|not (?:right|correct|true))|this is (?:wrong|not correct)|not true\b|wrong\b"
    r"|(?:that|this) is not what i|don'?t do that|no,? (?:don'?t|we (?:don'?t|do not)|use|it(?:'s| is)))"
    r"|^\W*(?:mein fehler|falsch|nein,|das stimmt nicht|mach das rückgängig|vergiss das|c'est faux|non,|mon erreur|annule"
    r"|oublie (?:ça|cela)|mi error|eso no es|no,? eso|deshaz|olvida eso|errore mio|annulla|sbagliato"
    r"|erro meu|desfaça|esquece|違います|違う|間違い|やっぱり|元に戻して|取り消し|不对|不是|错了|撤销|算了|아니|틀렸|잘못|취소|되돌려)",
    re.I,
)


def takes_back(words: str) -> bool:
    """Whether a message takes back what went before it, in one of ten languages."""
    return bool(_TAKES_BACK.match(words.strip()[:_READ]))
