"""Characters that steer a terminal, reorder the text around them, or hide text from people.

They are escaped wherever text is shown: control characters, bidirectional marks, tag characters (ASCII that
models read and people do not see), runs of variation selectors, and joiners where no script or emoji needs
them.
"""

from __future__ import annotations

import json
import re

_UNSEEN = re.compile(
    "(?P<flag>\U0001f3f4[\U000e0030-\U000e007a]{3,6}\U000e007f)"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufdd0-\ufdef\ufff9-\ufffb\U000e0000-\U000e007f]"
    # A carriage return that ends no line overwrites the current line of a terminal.
    "|\r(?!\n)"
    # Joiners are legitimate in emoji and in scripts such as Persian and Hindi: between non-ASCII characters.
    "|(?<![^\x00-\x7f])[\u200c\u200d]|(?<=[\u200c\u200d])[\u200c\u200d]"
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    "|(?<![^\x00-\x7f])[\U000e0100-\U000e01ef]"
)
"""Flags such as Scotland's are encoded with tag characters and stay."""

_PLAIN = re.compile(r"[\n\t\r -~]*+")


def visible_text(text: str) -> str:
    """The text with such characters escaped, as `⟨ESC⟩` and `⟨U+202E⟩`; line ends and tabs stay."""
    if "\r" not in text and _PLAIN.fullmatch(text):
        return text
    return _UNSEEN.sub(_named, text)


def visible_json(text: str) -> str:
    """JSON text with such characters escaped inside its strings: the same value, safe to display."""
    return _UNSEEN.sub(lambda found: found["flag"] or json.dumps(found[0])[1:-1], text)


def _named(found: re.Match[str]) -> str:
    if found["flag"]:
        return found["flag"]
    return {"\x1b": "⟨ESC⟩", "\0": "⟨NUL⟩"}.get(found[0], f"⟨U+{ord(found[0]):04X}⟩")
