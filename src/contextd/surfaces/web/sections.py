"""Which paths are pages."""

from __future__ import annotations

SECTIONS = frozenset(
    {"", "signin", "signout", "static", "favicon.ico", "records", "sessions", "jobs", "awareness",
     "schema", "window"}
)  # fmt: skip
"""The first parts of paths that are pages; they let browsers in by their own door."""


def is_page(path: str) -> bool:
    """Whether the path is one of a page, a form or a static file."""
    return path.strip("/").split("/", 1)[0] in SECTIONS
