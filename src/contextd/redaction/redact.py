"""Redact secrets from text before anything else reads it.

The scan makes a fixed number of literal searches, then examines bounded windows around the hits only,
so its time grows only with the length of the text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from contextd.redaction.bare_secrets import is_bare_secret, names_no_secret
from contextd.redaction.labelled import labelled
from contextd.redaction.logins import logins
from contextd.redaction.positional_secrets import places
from contextd.redaction.repeated_secrets import without_known
from contextd.redaction.scanned_text import Span, read
from contextd.redaction.test_literals import without_literals_of_tests
from contextd.redaction.token_shapes import tokens

MARK = "[REDACTED:"
_MARKED = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}:[0-9a-f]{8}\]")
_SHORTEST = 8
_REACH = 500
"""The distance from a secret, in characters, within which its replacement may change what is found."""

_ROUNDS = 5
"""Only texts made to defeat the scan need more passes."""


# A hook that finds no daemon imports this; `dataclasses` would be 7 ms of its 50.
class FoundSecret(NamedTuple):
    """A secret at `[start, end)` of the original text. Equal secrets under one key have equal
    fingerprints; the fingerprint does not reveal the secret.
    """

    type: str
    start: int
    end: int
    fingerprint: str


class Redacted(NamedTuple):
    """Redacted text, and the secrets found in it."""

    text: str
    findings: tuple[FoundSecret, ...] = ()


def redact(text: str, key: bytes = b"") -> Redacted:
    """Return `text` with every secret replaced by `[REDACTED:<type>:<hmac8>]`.

    `key` keys the HMAC-SHA256 whose first 8 hexadecimal digits identify the secret. Redacting
    twice changes nothing. Linear in the length of the text.
    """
    spans = _all_spans(text)
    if not spans:
        return Redacted(text)
    pieces, findings, position = [], [], 0
    for start, end, kind in spans:
        found = _found(text, start, end, kind, key)
        pieces += [text[position:start], f"{MARK}{kind}:{found.fingerprint}]"]
        findings.append(found)
        position = end
    pieces.append(text[position:])
    return Redacted("".join(pieces), tuple(findings))


def redact_json(value: Any, key: bytes = b"") -> Any:
    """Redact JSON data in three passes: each string on its own, unescaped; the serialised whole, where a
    value is next
    to its key; and last, in all strings, secrets that one of them revealed.
    """
    by_itself, findings, known = _clean_parts(value, key)
    written = redact(json.dumps(by_itself, ensure_ascii=False), key)
    try:
        cleaned = json.loads(written.text) if written.findings else by_itself
    except ValueError:
        cleaned = by_itself
    return _each(cleaned, lambda text: without_known(text, known)) if findings else cleaned


def redact_parts(value: Any, key: bytes = b"") -> tuple[Any, tuple[FoundSecret, ...]]:
    """Redact the strings and keys of the data, and report what was found. A secret that a label reveals in
    one string is
    also replaced in the others, where it has no label, such as in a tag.
    """
    cleaned, findings, known = _clean_parts(value, key)
    if known:
        cleaned = _each(cleaned, lambda text: without_known(text, known))
    return cleaned, findings


def redact_whole(text: str, key: bytes = b"") -> str:
    """Redact a short text that may be nothing else than a secret, such as a query or a tag."""
    # A query may join several arguments, one a line.
    lines = redact(text, key).text.split("\n")
    return "\n".join(_bare(line, key, [], in_hex=True) for line in lines)


def redact_bare(value: Any, key: bytes = b"") -> tuple[Any, tuple[FoundSecret, ...]]:
    """Replace each string and each key of the data that is a secret in whole, without a label, and report
    them. The value of a field named as an identifier or a digest stays. Equal secrets have equal replacements,
    so that a tag still finds its records.
    """
    findings: list[FoundSecret] = []

    def cleaned(value: Any, name: str, depth: int) -> Any:
        if isinstance(value, str):
            # A field of a user's own type may hold a digest, whatever it is called.
            return value if names_no_secret(name) else _bare(value, key, findings, in_hex=depth < 2)
        if isinstance(value, Mapping):
            return {
                _bare(str(field), key, findings): cleaned(part, str(field), depth + 1)
                for field, part in value.items()
            }
        if isinstance(value, list | tuple):
            return [cleaned(part, name, depth) for part in value]
        return value

    return cleaned(value, "", 0), tuple(findings)


def _bare(text: str, key: bytes, findings: list[FoundSecret], *, in_hex: bool = False) -> str:
    alone = text.strip()
    if not is_bare_secret(alone, in_hex=in_hex):
        return text
    findings.append(_found(alone, 0, len(alone), "secret", key))
    return f"{MARK}{findings[-1].type}:{findings[-1].fingerprint}]"


def _found(text: str, start: int, end: int, kind: str, key: bytes) -> FoundSecret:
    # 3 ms of a hook that finds no daemon; most of its events hold no secret.
    import hmac  # noqa: PLC0415

    secret = text[start:end].encode("utf-8", "surrogatepass")
    return FoundSecret(kind, start, end, hmac.new(key, secret, "sha256").hexdigest()[:8])


def _clean_parts(value: Any, key: bytes) -> tuple[Any, tuple[FoundSecret, ...], Mapping[str, str]]:
    """The data with the secrets of each string replaced, what was found, and the replacement of each secret."""
    findings: list[FoundSecret] = []
    known: dict[str, str] = {}

    def clean(text: str) -> str:
        found = redact(text, key)
        for one in found.findings:
            known[text[one.start : one.end]] = f"{MARK}{one.type}:{one.fingerprint}]"
        findings.extend(found.findings)
        return found.text

    return _each(value, clean), tuple(findings), known


def _each(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(str(name)): _each(part, change) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_each(part, change) for part in value]
    return value


def _all_spans(text: str) -> list[Span]:
    """Every secret, including those visible only once a neighbour is replaced: the replacement ends the word
    before it, so that a name or a value may begin after it.
    """
    found = fresh = without_literals_of_tests(text, _spans(text))
    for _ in range(_ROUNDS):
        if not fresh:
            break
        again = [
            span
            for low, high in _around(fresh, len(text))
            for span in _again(text, found, low, high)
        ]
        fresh = without_literals_of_tests(text, again)
        found = sorted([*found, *fresh])
    return found


def _around(spans: Sequence[Span], size: int) -> list[tuple[int, int]]:
    """The neighbourhoods of the spans; overlapping ones are merged."""
    areas: list[tuple[int, int]] = []
    for start, end, _ in spans:
        low, high = max(0, start - _REACH), min(size, end + _REACH)
        if areas and low <= areas[-1][1]:
            low = areas.pop()[0]
        areas.append((low, high))
    return areas


def _again(text: str, found: Sequence[Span], low: int, high: int) -> Iterator[Span]:
    """Secrets in `[low, high)` of the text that appear once those found there are replaced."""
    first = bisect_left(found, (low,))
    if first and found[first - 1][1] > low:
        low = found[first - 1][1]
    inside = found[first : bisect_left(found, (high,))]
    pieces, origins, position, size = [], [(0, low)], low, 0
    for start, end, kind in inside:
        pieces += [text[position:start], f"{MARK}{kind}:00000000]"]
        size += start - position + len(pieces[-1])
        position = end
        origins.append((size, position))
    pieces.append(text[position:high])
    for start, end, kind in _spans("".join(pieces)):
        offset, origin = origins[bisect_right(origins, (start, high)) - 1]
        moved = (start - offset + origin, end - offset + origin, kind)
        if (moved[0] > low or not low) and (moved[1] < high or high == len(text)):
            yield moved


def _spans(text: str) -> list[Span]:
    if len(text) < _SHORTEST:
        return []
    scanned = read(text)
    found = [*tokens(scanned), *places(scanned), *labelled(scanned), *logins(scanned)]
    if not found:
        return []
    found.sort(key=lambda span: (span[0], -span[1]))
    merged: list[Span] = []
    for span in _outside_marks(text, found) if MARK in text else found:
        if not merged or span[0] >= merged[-1][1]:
            merged.append(span)
        elif span[1] > merged[-1][1]:
            merged[-1] = (merged[-1][0], span[1], merged[-1][2])
    return merged


def _outside_marks(text: str, found: list[Span]) -> Iterator[Span]:
    """The spans, in order, that do not overlap text redacted before."""
    marks = [match.span() for match in _MARKED.finditer(text)]
    ends = [end for _, end in marks]
    for span in found:
        first = bisect_right(ends, span[0])
        if first == len(marks) or marks[first][0] >= span[1]:
            yield span
