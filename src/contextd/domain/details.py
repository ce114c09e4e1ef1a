"""How the texts in a result are shown: quoted, or whole."""

from __future__ import annotations

from typing import Final, Literal


class TextForm:
    """Marks a text in a result that is not quoted when it is shown; see `domain/showing.py`."""

    def __init__(self, form: Literal["rendered", "document", "raw"]) -> None:
        self.form = form


RENDERED: Final = TextForm("rendered")
"""contextd laid the text out, and quoted in it what others wrote."""

DOCUMENT: Final = TextForm("document")
"""A file, a log or a skill, shown whole between fences."""

RAW: Final = TextForm("raw")
"""What the owner writes to a file. No tool for agents has such a field."""
