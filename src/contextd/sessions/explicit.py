"""What a user says to be held: a request to remember, or a rule for every time."""

from __future__ import annotations

import re
from typing import Literal

from contextd.domain.regex import regex

_REMEMBER = regex(
    r"\b(?:remember(?: (?:that|this|to)\b|\s*:)|(?:please )?(?:note|keep in mind)(?: that|:)|from now on|going forward|in (?:the )?future,?"
    r"|(?:new |project |our )?(?:rule|convention|requirement|policy|guideline)\s*:|for (?:all )?future (?:sessions|tasks))"
    r"|\b(?:merk dir|ab (?:jetzt|sofort)|in zukunft|künftig|regel\s*:|souviens-toi|à partir de maintenant|désormais|règle\s*:"
    r"|recuerda que|a partir de ahora|de ahora en adelante|regla\s*:|ricorda che|d'ora in poi|regola\s*:|lembre|de agora em diante|a partir de agora|regra\s*:)"
    r"|覚えて(?:おいて|ください)|今後は|これからは|ルール[:：]|记住|从现在(?:开始|起)|以后(?:都|请|要)|规则[:：]|기억해|앞으로는?|지금부터|규칙[:：]",
    re.I,
)
_STANDING = regex(
    r"\b(?:(?:always|never)\b(?!-)|must(?: not|n't)?|(?:do not|don't|doesn't) ever|we (?:use|do not use|don't use|only|always|never)|every time|whenever)\b"
    r"|\b(?:immer|niemals|nie|muss|müssen|wir (?:nutzen|verwenden|benutzen)|toujours|jamais|doit|doivent|siempre|nunca|jamás|debe|deben"
    r"|sempre|mai|deve|devono|devem)\b|必ず|常に|絶対に|してはいけ|总是|必须|绝不|永远|항상|반드시|절대",
    re.I,
)
_SHORTEST, _LONGEST = 16, 400


def held(words: str) -> Literal["remember", "standing", ""]:
    """Whether the user asks to remember this, or says it as a rule; empty for questions, for what is too
    short to stand alone and for what is long enough to be material.
    """
    text = words.strip()
    if not _SHORTEST <= len(text) <= _LONGEST or text.endswith(("?", "？")):
        return ""
    if _REMEMBER.search(text):
        return "remember"
    return "standing" if _STANDING.search(text) else ""
