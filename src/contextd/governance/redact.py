"""Secrets out of text, before anything else sees it.

The scan costs a fixed number of literal searches, then looks closely at bounded windows around the
hits only, so its time grows with the length of the text and nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from contextd.governance import redact_rules as rules

MARK = "[REDACTED:"
_MARKED = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}:[0-9a-f]{8}\]")
_WINDOW = 400
_LOOKBACK = 24
_LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret at `[start, end)` of the original text. Equal secrets under one key have equal
    fingerprints; the secret cannot be read back from it.
    """

    type: str
    start: int
    end: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without its secrets, and what was found in it."""

    text: str
    findings: tuple[Finding, ...] = ()


def redact(text: str, key: bytes = b"") -> Redacted:
    """`text` with every secret replaced by `[REDACTED:<type>:<hmac8>]`.

    `key` keys the HMAC-SHA256 whose first 8 hexadecimal digits stand for the secret. Redacting
    twice changes nothing. Linear in the length of the text.
    """
    spans = _spans(text)
    if not spans:
        return Redacted(text)
    pieces, findings, position = [], [], 0
    for start, end, kind in spans:
        secret = text[start:end].encode("utf-8", "surrogatepass")
        stamp = hmac.new(key, secret, hashlib.sha256).hexdigest()[:8]
        pieces += [text[position:start], f"{MARK}{kind}:{stamp}]"]
        findings.append(Finding(kind, start, end, stamp))
        position = end
    pieces.append(text[position:])
    return Redacted("".join(pieces), tuple(findings))


_Span = tuple[int, int, str]

# One byte per character, so offsets in the bytes are offsets in the text; bytes search and
# translate several times faster than str does.
_RUN_BYTES = bytes(
    97 if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "-_") else 32
    for byte in range(256)
)
_RUN = b"a" * rules.SHORTEST_RUN
# A mailchimp key and a bot token start with digits, so any token may start after a non-letter.
_TOKENS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    + "|".join(f"(?P<r{i}>{rule.pattern})" for i, rule in enumerate(rules.TOKENS))
    + r")(?![A-Za-z0-9])"
)


def _spans(text: str) -> list[_Span]:
    if len(text) < 8:
        return []
    data = text.encode("latin-1", "replace")
    found = [*_tokens(text, data), *_keyed(text, data.lower()), *_placed(text, data)]
    if not found:
        return []
    if MARK in text:
        marked = [m.span() for m in _MARKED.finditer(text)]
        found = [s for s in found if not any(a < s[1] and s[0] < b for a, b in marked)]
    found.sort(key=lambda span: (span[0], -span[1]))
    kept: list[_Span] = []
    for span in found:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
        elif span[1] > kept[-1][1]:
            kept[-1] = (kept[-1][0], span[1], kept[-1][2])
    return kept


_HEAD = re.compile(rf"(?:{rules.HEADS})")
# No web token is looked for inside a run: its body may be long, and each try would read all of it.
_INNER = re.compile(rf"[-_](?!ey)(?={rules.HEADS})")
_DOTTED = re.compile(
    r"(?:SG|ya29|hv[sbr]|dp|atlasv1|dt0[a-z]\d\d)\.|\d{8,10}:(?=AA)|[0-9A-Za-z_~.]{3}\dQ~"
)
_BRIDGES = frozenset(".:~")


def _tokens(text: str, data: bytes) -> Iterator[_Span]:
    runs = data.translate(_RUN_BYTES)
    size, done = len(text), 0
    start = runs.find(_RUN)
    while start >= 0:
        end = runs.find(b" ", start)
        end = size if end < 0 else end
        for at in _starts(text, start, end):
            match = _TOKENS.match(text, at, at + _LONGEST) if at >= done else None
            if match:
                yield match.start(), match.end(), rules.TOKENS[int(str(match.lastgroup)[1:])].type
                done = match.end()
        start = runs.find(_RUN, max(end, done))


def _starts(text: str, start: int, end: int) -> Iterator[int]:
    before = start > 0 and text[start - 1] in _BRIDGES
    if before:
        low = max(0, start - _LOOKBACK)
        for match in _DOTTED.finditer(text, low, start + 4):
            yield match.start() if match[0] != "atlasv1." else max(0, match.start() - 15)
    if _HEAD.match(text, start, end) or (end < len(text) and text[end] in _BRIDGES):
        yield start
    for match in _INNER.finditer(text, start, end):
        yield match.end()


def _keyed(text: str, lower: bytes) -> Iterator[_Span]:
    for word in (b"pass", b"pwd", b"secret", b"token", b"key", b"credential", b"auth", b"bearer"):
        at = lower.find(word)
        while at >= 0:
            # Most hits are plain words: without a separator close by there is no value to look at.
            near = lower[at : at + 48]
            if (
                b"=" in near
                or b":" in near
                or word == b"bearer"
                or b"--" in lower[max(0, at - 20) : at]
            ):
                span = _near_keyword(text, word, at)
                if span:
                    yield span
            at = lower.find(word, at + len(word))
    at = lower.find(b"sig=")
    while at >= 0:
        yield from _named(rules.SIGNATURE.match(text, at, at + _WINDOW), "signature")
        at = lower.find(b"sig=", at + 4)
    at = lower.find(b"heroku")
    while at >= 0:
        yield from _named(rules.HEROKU.match(text, at, at + _WINDOW), "heroku-key")
        at = lower.find(b"heroku", at + 6)


def _near_keyword(text: str, word: bytes, at: int) -> _Span | None:
    if word in (b"auth", b"bearer"):
        match = rules.BEARER.match(text, at, at + _LONGEST)
        if match:
            group = "secret" if match["secret"] else "bare"
            known = random_looking(match[group], 12) and not rules.PLACEHOLDER.search(match[group])
            return (*match.span(group), "authorization") if known else None
        if word == b"bearer":
            return None
    if text[max(0, at - 10) : at].casefold().rstrip("_-key").endswith("public"):
        return None
    if word == b"key" and not rules.KEY_BEFORE.search(text, max(0, at - 12), at):
        return None
    option = text.rfind("--", max(0, at - 20), at) >= 0
    pattern = rules.PASSWORD if word == b"pass" else rules.KEYWORD
    match = pattern.match(text, at, at + _WINDOW)
    if match is None and option:
        match = rules.OPTION.match(text, at, at + _WINDOW)
    if match is None:
        return None
    group = "quoted" if match["quote"] else "secret"
    value = match[group].rstrip(".:!?*")
    start = match.start(group)
    if not match["quote"] and text[match.end() : match.end() + 1] in ("(", "[", "{", "<"):
        return None
    strict = word not in (b"pass", b"pwd")
    if not _is_secret(value, quoted=bool(match["quote"]), strict=strict):
        return None
    return start, start + len(value), "secret" if strict else "password"


def _placed(text: str, data: bytes) -> Iterator[_Span]:
    at = data.find(b"://")
    while at >= 0:
        match = rules.USERINFO.match(text, at, at + _WINDOW)
        if match and not _ordinary(match["secret"]):
            yield (*match.span("secret"), "url-password")
        yield from _named(rules.WEBHOOK.match(text, at, at + _WINDOW), "webhook")
        at = data.find(b"://", at + 3)
    at, end = data.find(b"-----BEGIN "), 0
    while at >= 0:
        begin = rules.PEM_BEGIN.match(text, at, at + 80)
        body = rules.PEM_BODY.match(text, begin.end()) if begin else None
        if body and body.end() - body.start() > 40:
            close = rules.PEM_END.match(text, body.end(), body.end() + 80)
            end = (close or body).end()
            yield at, end, "private-key"
        at = data.find(b"-----BEGIN ", max(end, at + 11))


def _named(match: re.Match[str] | None, kind: str) -> Iterator[_Span]:
    if match:
        yield (*match.span("secret"), kind)


def _ordinary(value: str) -> bool:
    return value.casefold() in rules.ORDINARY or bool(rules.PLACEHOLDER.search(value))


_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.I)
_CODE = re.compile(
    r"[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+|[a-z]+(?:[A-Z][a-z]+)+\d?"
    r"|(?:[A-Z][a-z]+\d*){2,}"
)
_WORDY = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}")
_VOWEL = re.compile(r"[aeiouyAEIOUY]")
_CLASSES = tuple(map(re.compile, (r"[a-z]", r"[A-Z]", r"\d", r"[^A-Za-z0-9]")))


def _is_secret(value: str, *, quoted: bool, strict: bool) -> bool:
    if len(value) < 8 or not any(map(str.isdigit, value)) or value.isdigit():
        return False
    if _UUID.fullmatch(value) or _CODE.fullmatch(value) or _ordinary(value):
        return False
    if strict:
        return random_looking(value, 12 if quoted else 16)
    return sum(1 for kind in _CLASSES if kind.search(value)) >= 2 and _entropy(value) >= 2.3


def random_looking(value: str, shortest: int) -> bool:
    """Whether `value` has at least `shortest` characters that no person would write as words:
    letters and digits mixed, at least 3 bits per character, and mostly not pronounceable.
    """
    if len(value) < shortest or value.isdigit() or value.isalpha():
        return False
    if not any(ch.isdigit() for ch in value) or _entropy(value[:200]) < 3.0:
        return False
    spoken = sum(len(w) for w in _WORDY.findall(value) if len(w) > 3 and _VOWEL.search(w))
    return spoken / len(value) < 0.6


def _entropy(value: str) -> float:
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values())
