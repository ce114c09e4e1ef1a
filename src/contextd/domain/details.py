"""How fields of a result are shown to an agent: omitted, quoted, or verbatim."""

from __future__ import annotations

from typing import Final, Literal


class Detail:
    """Marks a field of a result that programs and people read but that only costs an agent tokens,
    such as how a score was computed, or what another field says already.
    """


DETAIL: Final = Detail()
"""To write beside a field's type: `Annotated[float, DETAIL]`."""


class TextForm:
    """Marks a text in a result that is shown without quoting; see `domain/showing.py`."""

    def __init__(self, form: Literal["rendered", "document", "raw"]) -> None:
        self.form = form


RENDERED: Final = TextForm("rendered")
"""Text laid out by contextd, which has already quoted other people's text in it."""

DOCUMENT: Final = TextForm("document")
"""A file, a log or a skill, shown verbatim between fences."""

RAW: Final = TextForm("raw")
"""Text that the owner writes to a file. No tool for agents has such a field."""
