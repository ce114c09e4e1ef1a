"""Which paths are pages."""

from __future__ import annotations

SECTIONS = frozenset(
    {"", "signin", "signout", "static", "favicon.ico", "records", "sessions", "jobs", "awareness",
     "schema", "window", "inbox", "person", "project", "consolidation", "policies",
     "savings"}
)  # fmt: skip
"""The first parts of paths that are pages; they let browsers in by their own door."""

PROGRAMS = frozenset({"api", "mcp", "openapi.json", "healthz", "readyz"})
"""The first parts of paths that are for programs, whoever asks."""


def is_page(path: str) -> bool:
    """Whether the path is one of a page, a form or a static file."""
    return _first(path) in SECTIONS


def wants_page(path: str, accept: str) -> bool:
    """Whether to answer with a page: for the pages' own paths, and for any other when a person at a
    browser asks.
    """
    return is_page(path) or ("text/html" in accept and _first(path) not in PROGRAMS)


def _first(path: str) -> str:
    return path.strip("/").split("/", 1)[0]
