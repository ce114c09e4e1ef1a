"""Secrets without a label: a tag, a topic or a query that is nothing else than a generated value."""

from __future__ import annotations

from contextd.redaction.natural_words import (
    hops,
    is_identifier,
    is_suggested,
    mostly_spoken,
    random_looking,
    spoken,
)
from contextd_common.text.regex import regex

_RUN = regex(r"(?=.*[\d!@#$%^&*=+~])[A-Za-z0-9+/=_!@#$%^&*~-]{12,300}")
_CERTAIN = 24
"""Characters from which neither three numbers nor a symbol are required."""

_PART = regex(r"[^-_/]+")
_SHORTEST_PART = 7
"""Characters of the longest part that is not a word; names of models and devices have shorter ones."""

_NUMBER = regex(r"\d+")
_SYMBOL = regex(r"[!@#$%^&*=+~]")
_WORD = regex(r"[a-z]{4,}")
_KEY_IN_HEX = regex(r"[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64}|[0-9a-f]{128}")
"""What `openssl rand -hex` prints. A commit has 40 digits, and a UUID has hyphens."""

_CHOSEN = regex(r"[A-Z][a-z]{3,}(?:-[A-Z][a-z]{2,}){0,2}\d{2,4}[!#$?%&*]")
"""A password that a person chooses: a word, a number and a symbol."""

_PUBLIC = regex(
    r"@?[a-z][\w.-]*(?:/[a-z@][\w.-]*)+(?:@[\w.^~-]+)?|GHSA(?:-\w{4}){3}|.*\d+x\d+(?:x\d+)?"
)
"""Packages with a scope, security advisories, and names with a size."""

_NO_SECRET = regex(
    r"(?i:(?:^|.*[_.-])(?:ids?|uuid|guid|hash|digest|checksum|sha\d*|md5|commits?|revision|ref|etag|cursor|version"
    r"|base|into|cwd|if_match|confirm|format|marks))$|.*[a-z](?:Ids?|Hash)$"
)
"""Names of fields whose values look generated and are identifiers, digests or references."""


def names_no_secret(name: str) -> bool:
    """Whether a field with this name has an identifier, a digest or a reference instead of free text."""
    return bool(_NO_SECRET.match(name))


def is_bare_secret(text: str, *, in_hex: bool = False) -> bool:
    """Whether an unlabelled text looks generated: one run that mixes lower case, upper case and digits or
    symbols at random, or a key `in_hex`. Commits, UUIDs, versions and names are not.
    """
    if _CHOSEN.fullmatch(text) or is_suggested(text):
        return True
    if not _RUN.fullmatch(text) or _PUBLIC.fullmatch(text) or is_identifier(text):
        return False
    if in_hex and _KEY_IN_HEX.fullmatch(text):
        return random_looking(text, 32)
    return _generated(text)


def _generated(text: str) -> bool:
    if min(sum(map(str.islower, text)), sum(map(str.isupper, text))) < 2:
        return False
    if not random_looking(text, 12) or mostly_spoken(text) or hops(text) < len(text) / 3:
        return False
    if sum(len(word) for word in _WORD.findall(text) if spoken(word)) >= len(text) / 3:
        return False
    if (
        max((len(part) for part in _PART.findall(text) if not spoken(part)), default=0)
        < _SHORTEST_PART
    ):
        return False
    if len(_NUMBER.findall(text)) >= 3 or (_SYMBOL.search(text) and hops(text) >= len(text) / 2):
        return True
    return len(text) >= _CERTAIN
