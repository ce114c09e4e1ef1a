"""Whether a user's sentence states something that outlasts its turn, or only asks for work."""

from __future__ import annotations

from contextd.sessions.ledger import LedgerEntry
from contextd_common.text.languages import ByLanguage
from contextd_common.text.words import content_words


def states(entry: LedgerEntry) -> bool:
    """Whether the user decided, stated or refused something in a sentence."""
    if entry.speaker != "user" or entry.sort in _ONLY_ASKS or _ASKS.match(entry.text):
        return False
    if entry.sort == "fact" and not _SAYS_THAT.search(entry.text):
        return False
    return len(content_words(entry.text)) >= _FEWEST


_ONLY_ASKS = frozenset({"request", "remark", "report", "next"})
"""Sorts of a user's sentence that its turn answers or does: nothing of them is left once that is done."""

_FEWEST = 2
"""Content words of a sentence that says something alone: of `it is fine now` nothing can be recalled."""

_ORDERS_ARE_KNOWN = "`users_sort` knows such orders in the language"

_ASKS = ByLanguage(
    {
        "en": r"^\W*(?:(?:ok(?:ay)?|and|now|so|then|please)\b\W*)*(?:can|could|would|will) (?:you|we)\b"
    },
    without=dict.fromkeys(("de", "fr", "es", "ja", "zh"), _ORDERS_ARE_KNOWN),
)
"""A request that says `can` like a constraint."""

_SAYS_THAT = ByLanguage(
    {
        "en": r"\b(?:is|are|was|were|has|have|had|should|must|will|wants?|needs?|uses?|used|runs?|lives?|belongs?|means?|called|named)\b|\w[’'](?:s|re|ve|ll)\b",
        "de": r"\b(?:ist|sind|war|waren|hat|haben|soll\w*|muss|müssen|wird|werden|hei(?:ß|ss)t|l(?:ä|ae)uft|liegt|steht|geh(?:ö|oe)rt|braucht|nutzt|verwendet)\b",
        "fr": r"\b(?:est|sont|était|ont|doit|doivent|faut|s[’']appelle|tourne|appartient|utilise|contient|il y a)\b",
        "es": r"\b(?:es|son|est[áa]n?|era|tiene|debe|hay|se llama|usa|utiliza|corre|pertenece|contiene)\b",
        "ja": r"です|ます|である|だ[。！]?$|いる|ある",
        "zh": r"是|在|有|必须|应该|叫|用",
    },
)
"""A verb that a statement has and most orders lack: what shows no other sort may be either."""
