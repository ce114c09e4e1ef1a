"""Folding: isolated subtasks and digests of large texts. `FoldingContext` works without a daemon.

Uses: contextd_code, contextd_common, domain, imports, pages, redaction, runtime, search, sessions; its operations
    also knowledge, skills.
Start at: `folding_context.py` (the library), `session_subtasks.py` (in sessions).
"""

from __future__ import annotations

from contextd.folding.folding_context import FoldedSubtask, FoldingContext
from contextd.folding.message_formats import Shape, problems

__all__ = ["FoldedSubtask", "FoldingContext", "Shape", "problems"]
