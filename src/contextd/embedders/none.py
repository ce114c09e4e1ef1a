"""No embedder: searches are lexical."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.domain.query import Vector
from contextd_common.errors import Unavailable


class NoEmbedder:
    """Makes no vectors; its `model` is empty."""

    model = ""
    sends_to = ""

    def embed(self, texts: Sequence[str]) -> Vector:
        """Always raises `Unavailable`."""
        raise Unavailable("no embedder is configured", "set `embedder.name` to minilm")
