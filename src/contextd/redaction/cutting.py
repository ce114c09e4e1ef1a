"""Cut a text that is redacted later, without splitting a secret.

Half of a secret is not recognised, so a text is redacted before it is cut. Where a whole text would cost too much,
or where the store redacts what it is given, the cut goes where no secret is.
"""

from __future__ import annotations

from collections.abc import Sequence

from contextd.redaction.bare_secrets import is_bare_secret
from contextd.redaction.redact import MARK, redact

_MARGIN = 2_000
"""Characters on each side of a cut that are scanned: 0.4 ms. Secrets of a fixed length have up to 400, and the
longer ones, keys in blocks and JWTs, are recognised by their beginning.
"""

_LONGEST_LINE = 320
"""Characters of a line that may be a secret without a label, with blanks around it."""


def beginning(text: str, most: int) -> str:
    """The first `most` characters of a text; fewer if the cut would leave a part of a secret, or a secret
    without what reveals it.
    """
    if len(text) <= most:
        return text
    low = max(0, most - _MARGIN)
    return text[: low + _place(text[low : most + _MARGIN], most - low, before=True)]


def ending(text: str, most: int) -> str:
    """The last `most` characters of a text; fewer for the same reasons as in `beginning`."""
    if len(text) <= most:
        return text
    at = len(text) - most
    low = max(0, at - _MARGIN)
    return text[low + _place(text[low : at + _MARGIN], at - low, before=False) :]


def _place(window: str, at: int, *, before: bool) -> int:
    """The place at or near `at` where the kept side of the window, `before` it or after, shows every secret that
    the window shows there.
    """
    spans = [(one.start, one.end) for one in redact(window).findings]
    line = window.rfind("\n", 0, at) + 1, (window.find("\n", at) + 1 or len(window) + 1) - 1
    if line[1] - line[0] <= _LONGEST_LINE and is_bare_secret(
        window[slice(*line)].strip(), in_hex=True
    ):
        spans.append(line)
    while True:
        side = window[:at] if before else window[at:]
        shift = 0 if before else at
        seen = {(one.start + shift, one.end + shift) for one in redact(side).findings}
        inside = (span for span in spans if (span[0] < at if before else span[1] > at))
        hidden = [span for span in inside if span not in seen]
        if not hidden:
            return at
        at = min(one[0] for one in hidden) if before else max(one[1] for one in hidden)


def redact_pieces(pieces: Sequence[str], key: bytes = b"") -> list[str]:
    """Redact the consecutive pieces of one text. A secret that goes from one into the next is replaced in both."""
    whole = "".join(pieces)
    findings = redact(whole, key).findings
    if not findings:
        return list(pieces)
    clean, first, start = [], 0, 0
    for piece in pieces:
        end, parts, reached = start + len(piece), list[str](), start
        while first < len(findings) and findings[first].end <= start:
            first += 1
        for one in findings[first:]:
            if one.start >= end:
                break
            parts += [whole[reached : one.start], f"{MARK}{one.type}:{one.fingerprint}]"]
            reached = min(one.end, end)
        clean.append("".join((*parts, whole[reached:end])))
        start = end
    return clean


def quoted(value: object, most: int) -> str:
    """A value as an error quotes it: its `repr`, at most `most` characters of it."""
    return beginning(repr(value), most)
