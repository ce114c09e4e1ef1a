"""How fields of a result are shown to an agent: left out where it can do without them, quoted, or whole."""

from __future__ import annotations

from typing import Final, Literal


class Detail:
    """Marks a field of a result that programs and people look at, and that an agent would only pay for:
    how a score came about, what another field says already.
    """


DETAIL: Final = Detail()
"""To be put beside a field's type: `Annotated[float, DETAIL]`."""


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
