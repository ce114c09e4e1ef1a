"""Passwords after a user name: "log in with admin / …", "credentials: bob:…".

No word for a password labels them, so a value must look like nothing else: a word with a year and a
symbol, or digits among letters that form no word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextd.redaction.scanned_text import Span, Text
from contextd.redaction.secret_labels import Label
from contextd.redaction.secret_values import is_secret
from contextd_common.text.regex import regex

_STEMS = (b"log", b"sign", b"cred")
_ANCHOR = re.compile(rb"log(?:ged)? ?in|sign(?:ed)? ?in|cred(?:entials|s)")
_WINDOW = 240
_USER = r"[\"'`*]{0,2}(?P<user>[\w.+-]{2,40}(?:@[\w.-]{3,60})?)[\"'`*]{0,2}"
_SECRET = r"[\"'`*]{0,2}(?P<secret>[^\s\"'`]{8,64})"
_TO = r"(?:\s(?:to|on|at|in|into|for)\s[\w./ -]{1,40}?)?"
_LOGIN = regex(
    rf"{_TO}(?:\s(?:with|as|using|via|is|are)\s|\s?[:=(]\s?){_USER}"
    rf"(?:\s?(?:/|\||:)\s?|\s(?:with|and|using)\s)(?:(?:the\s)?pass(?:word)?\s)?{_SECRET}",
    re.I,
)
_TO_LOG_IN = regex(
    rf"(?:^|\s)(?:use|with|using)\s{_USER}\s?[/|:]\s?{_SECRET}\s(?:to|for)\s(?:the\s)?$", re.I
)
_TRAILING = ".,;:!?)]}>*_"
_PASSWORD = Label("password")


def logins(text: Text) -> Iterator[Span]:
    """The spans of passwords written next to their user name."""
    for stem in _STEMS:
        at = text.lower.find(stem)
        while at >= 0:
            anchor = _ANCHOR.match(text.lower, at)
            end = anchor.end() if anchor else at + len(stem)
            if anchor and text.digits.find(b"0", max(0, at - _WINDOW), end + _WINDOW) >= 0:
                yield from _beside(text.whole, at, end)
            at = text.lower.find(stem, end)


def _beside(text: str, start: int, end: int) -> Iterator[Span]:
    match = _LOGIN.match(text, end, end + _WINDOW)
    low = max(0, start - _WINDOW)
    before = None if match else _TO_LOG_IN.search(text[low:start])
    for found, offset in ((match, 0), (before, low)):
        if found is None:
            continue
        # A "!" ends a sentence, and many a password: what is left over of it tells nothing.
        secret = found["secret"].rstrip(_TRAILING)
        if "/" not in secret and is_secret(secret, _PASSWORD, "spoken"):
            first = found.start("secret") + offset
            yield first, first + len(secret), "password"
