"""Characters that a person does not see, and that may turn or move the text around them."""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]"
)


def visible_text(text: str) -> str:
    """The text with such characters spelled out, as `⟨ESC⟩` and `⟨U+202E⟩`; line ends and tabs stay."""
    return _UNSEEN.sub(_named, text)


def _named(found: re.Match[str]) -> str:
    return {"\x1b": "⟨ESC⟩", "\0": "⟨NUL⟩"}.get(found[0], f"⟨U+{ord(found[0]):04X}⟩")
