"""Folding for builders of agents: a message list that keeps subtasks and large outputs out of the way."""

from __future__ import annotations

from contextd.folding.context import FoldedSubtask, FoldingContext
from contextd.folding.shapes import Shape, problems

__all__ = ["FoldedSubtask", "FoldingContext", "Shape", "problems"]
