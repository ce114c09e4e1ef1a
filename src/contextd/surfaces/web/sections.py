"""The menu, and which paths are pages."""

from __future__ import annotations

NAVIGATION = (
    ("", (("overview", "/", "Overview", "o"), ("inbox", "/inbox", "Inbox", "i"))),
    (
        "Knowledge",
        (
            ("records", "/records", "Records", "r"),
            ("person", "/person", "Person", "p"),
            ("project", "/project", "Project", "m"),
            ("awareness", "/awareness", "Awareness", "a"),
            ("consolidation", "/consolidation", "Consolidation", "k"),
            ("policies", "/policies", "Policies", "y"),
            ("schema", "/schema", "Schema", "c"),
        ),
    ),
    (
        "Work",
        (
            ("sessions", "/sessions", "Sessions", "s"),
            ("window", "/window", "Context window", "w"),
            ("savings", "/savings", "Savings", "t"),
            ("jobs", "/jobs", "Jobs", "j"),
        ),
    ),
)
"""The menu: groups with headings, each with (icon, address, name, key after `g`) of its pages."""

SECTIONS = frozenset(
    {"", "signin", "signout", "static", "favicon.ico"}
    | {address.strip("/") for _, rows in NAVIGATION for _, address, _, _ in rows}
)
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
