"""Folding: isolated subtasks and digests of large texts. `FoldingContext` works without a daemon.

Uses: code, domain, files, imports, redaction, runtime, search, sessions.
Start at: `context.py` (the library), `subtasks.py` (in sessions).
"""

from __future__ import annotations

from contextd.folding.context import FoldedSubtask, FoldingContext
from contextd.folding.shapes import Shape, problems

__all__ = ["FoldedSubtask", "FoldingContext", "Shape", "problems"]
