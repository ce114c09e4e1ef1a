"""Distinguish natural-language words and programmers' names from generated text."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

from contextd.redaction.percent_decoding import decoded
from contextd_common.text.regex import regex

LEAST_ENTROPY = 3.0
"""Entropy in bits per character. Generated text of 12 characters or more exceeds it, `aaaa1111` does not."""

_KNOWN = regex(
    r"base(?:16|32|58|62|64|85)|b64(?=enc|dec)|sha[-_]?(?:512|384|256|224|[123])|oauth[12]?|utf[-_]?(?:8|16|32)(?:mb[34])?"
    r"|x509|ed25519|x25519|secp\d{3}[kr]1|aes[-_]?\d{3}|argon2(?:id|i|d)?|pbkdf2|pkcs\d+|amd64|arm64|log4j\d?"
    r"|(?<![a-z0-9])(?:i18n|l10n|a11y|k8s|k3s|s3|ec2|md[45]|(?:rs|es|hs|ps)(?:256|384|512)|p(?:256|384|521)"
    r"|u?int\d\d?|float\d\d|ipv[46]|http[23s]?|web3|2fa|b64|x64|x86|u2f|e2e|h2|mp[34]|rfc\d+|iso\d+|bip\d\d"
    r"|v\d+(?:alpha|beta|rc|[a-z])?\d*|py\d+|es\d+)(?![a-z0-9])",
    re.I,
)
"""Well-known names with a number."""

_IDENTIFIER = regex(
    r"(?:[a-z]+\.){0,3}(?:[A-Za-z]?[a-z]{2,}|[A-Z]{2,5})(?:[A-Z][a-z]{2,}|[A-Z]{2,5}(?![a-z]))*\d{1,2}"
    r"(?:[A-Z][a-z]{2,}|[A-Z]{2,5}(?![a-z])|[A-Z]\d{3})+\d{0,4}"
)
_PART = regex(r"[^\W_]+")
_SHAPED = regex(r"[^\W\d_]+\d{0,4}|\d{1,12}[a-z]{0,2}")
_HUMP = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
_VOWEL = regex(r"[aeiouyäöüáéíóúâêîôûãõå]", re.I)
_CROWD = regex(r"(?:sch|(?!sch)[bcdfghjklmnpqrstvwxz]){5}", re.I)
"""More consonants than a word has in a row; the three of `sch` count as one."""

_SUGGESTED = regex(r"[A-Za-z0-9]{6}(?:-[A-Za-z0-9]{6}){2}")
_DIGIT = regex(r"\d")
_JOINTS = str.maketrans("", "", "+/=_-")


def spoken(text: str) -> bool:
    """Whether a text is made of words, numbers and known abbreviations."""
    plain = decoded(text)
    plain = _KNOWN.sub("", plain) if _DIGIT.search(plain) else plain
    return all(map(_pronounced, _PART.findall(plain)))


def mostly_spoken(text: str) -> bool:
    """Whether all parts of a name except short ones are words: `hibernate.hbm2ddl.auto`."""
    parts = _PART.findall(text)
    others = [part for part in parts if not _pronounced(part)]
    return len(parts) > 2 and len(others) == 1 and len(others[0]) <= 10


def is_identifier(text: str) -> bool:
    """Whether it is a name in camelCase with a number inside: `Saml2X509Credential`."""
    return bool(_IDENTIFIER.fullmatch(text))


def random_looking(text: str, shortest: int) -> bool:
    """Whether `text` has at least `shortest` characters that do not form words: letters
    mixed with digits, or with letters of the other case.
    """
    if len(text) < shortest or text.isdigit() or entropy(text[:200]) < LEAST_ENTROPY:
        return False
    if not _DIGIT.search(text):
        letters = text.translate(_JOINTS)
        if len(text) < 16 or not letters.isalpha() or hops(letters) < len(text) / 5:
            return False
    return not spoken(text)


def is_suggested(text: str) -> bool:
    """Whether it is a password as Safari suggests it: 18 letters in three groups, one a digit and one a capital."""
    if not _SUGGESTED.fullmatch(text):
        return False
    return sum(map(str.isdigit, text)) == 1 == sum(map(str.isupper, text))


def hops(text: str) -> int:
    """How often a text changes between lower case, upper case and other characters."""
    kinds = ["a" if c.islower() else "A" if c.isupper() else "0" for c in text]
    return sum(one != other for one, other in pairwise(kinds))


def entropy(text: str) -> float:
    """Entropy in bits per character."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())


def _pronounced(part: str) -> bool:
    if not _SHAPED.fullmatch(part):
        return False
    humps = _HUMP.findall(part)
    # Natural words have longer runs of one case than generated strings.
    if len(humps) > 1 and sum(map(len, humps)) < 3 * len(humps):
        return False
    return all(not _CROWD.search(hump) if _VOWEL.search(hump) else len(hump) < 5 for hump in humps)
