"""Which paths are pages."""

from __future__ import annotations

SECTIONS = frozenset(
    {"", "signin", "signout", "static", "favicon.ico", "records", "sessions", "jobs", "awareness",
     "schema", "window", "inbox", "person", "project", "consolidation", "policies",
     "savings"}
)  # fmt: skip
"""First path parts of pages; browsers sign in to these."""

PROGRAMS = frozenset({"api", "mcp", "openapi.json", "healthz", "readyz"})
"""First path parts for programs."""


def is_page(path: str) -> bool:
    """Whether the path is one of a page, a form or a static file."""
    return _first(path) in SECTIONS


def wants_page(path: str, accept: str) -> bool:
    """Whether to answer with a page: for page paths, and for other paths if a browser asks."""
    return is_page(path) or ("text/html" in accept and _first(path) not in PROGRAMS)


def _first(path: str) -> str:
    return path.strip("/").split("/", 1)[0]
