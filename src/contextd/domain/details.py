"""How the texts in a result are shown: quoted, or whole."""

from __future__ import annotations

from typing import Final, Literal


class TextForm:
    """Marks a text in a result that is shown without quoting; see `domain/result_display.py`."""

    def __init__(self, form: Literal["rendered", "document", "raw"]) -> None:
        self.form = form


RENDERED: Final = TextForm("rendered")
"""Text laid out by contextd, which has already quoted other people's text in it."""

DOCUMENT: Final = TextForm("document")
"""A file, a log or a skill, shown verbatim between fences."""

RAW: Final = TextForm("raw")
"""Text that the owner writes to a file. No tool for agents has such a field."""
