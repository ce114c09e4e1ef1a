"""Characters that a person does not see, and that may turn or move the text around them."""

from __future__ import annotations

import json
import re

_UNSEEN = re.compile(
    "(?P<flag>\U0001f3f4[\U000e0030-\U000e007a]{3,6}\U000e007f)"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff"
    "\U000e0000-\U000e007f]"
)
"""Among them the tag characters, which spell ASCII that models read and people do not see; flags such as
Scotland's are written with them and stay.
"""


def visible_text(text: str) -> str:
    """The text with such characters spelled out, as `⟨ESC⟩` and `⟨U+202E⟩`; line ends and tabs stay."""
    return _UNSEEN.sub(_named, text)


def visible_json(text: str) -> str:
    """JSON text with such characters in its strings as escapes: the same value, harmless to look at."""
    return _UNSEEN.sub(lambda found: found["flag"] or json.dumps(found[0])[1:-1], text)


def _named(found: re.Match[str]) -> str:
    if found["flag"]:
        return found["flag"]
    return {"\x1b": "⟨ESC⟩", "\0": "⟨NUL⟩"}.get(found[0], f"⟨U+{ord(found[0]):04X}⟩")
