"""Vectors of texts, for whoever may have them."""

from __future__ import annotations

from contextd.domain.errors import Unavailable
from contextd.domain.query import Vector
from contextd.domain.scope import Scope
from contextd.runtime import Runtime


def vector_of(runtime: Runtime, scope: Scope, text: str) -> Vector:
    """The vector of a text that lives in a scope. Raises `Unavailable` when there is none to be had."""
    if not runtime.may_embed(scope):
        raise Unavailable(f"{scope} never leaves this machine", "words are compared instead")
    vector: Vector = runtime.embedder.embed([text])[0]
    return vector
