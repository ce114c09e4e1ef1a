"""The context and memory runtime of AI coding agents.

Programs use `contextd.open()`: see docs/howto/python-api.md.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextd.api import FoldedText, OpenHome, ProjectBriefing, SearchResult, StoredRecord, open

__version__ = "0.1.0"
__all__ = ["FoldedText", "OpenHome", "ProjectBriefing", "SearchResult", "StoredRecord", "open"]


def __getattr__(name: str) -> object:
    # The thin clients import this package on every prompt; the API brings the whole runtime, 1 s.
    if name not in __all__:
        raise AttributeError(f"module 'contextd' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - the same

    return getattr(import_module("contextd.api"), name)
