"""Which fields of a result an agent can do without."""

from __future__ import annotations

from typing import Final


class Detail:
    """Marks a field of a result that programs and people look at, and that an agent would only pay for:
    how a score came about, what another field says already.
    """


DETAIL: Final = Detail()
"""To be put beside a field's type: `Annotated[float, DETAIL]`."""
