"""How much is asked for at once."""

from __future__ import annotations

from contextd.domain.errors import Invalid


def page_size(limit: int, most: int = 1000) -> int:
    """`limit`, when a page may be that large. Raises `Invalid`."""
    if not 1 <= limit <= most:
        raise Invalid(f"limit is {limit}", f"choose 1 to {most}")
    return limit
