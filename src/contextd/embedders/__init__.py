"""What turns text into vectors, chosen by name. Nothing here goes to the network."""

from __future__ import annotations

from collections.abc import Callable

from contextd.domain.errors import Invalid, nearest
from contextd.embedders.minilm import MiniLM
from contextd.embedders.none import NoEmbedder
from contextd.ports import Embedder

EMBEDDERS: dict[str, Callable[[int], Embedder]] = {
    "minilm": MiniLM,
    "none": NoEmbedder,
}
"""Every embedder by name; each is made with the number of threads it may use."""


def open_embedder(name: str, *, threads: int = 1) -> Embedder:
    """The embedder called `name`. Cheap: it loads when first used. Raises `Invalid`."""
    if name not in EMBEDDERS:
        hint = nearest(name, list(EMBEDDERS)) or "known: " + ", ".join(EMBEDDERS)
        raise Invalid(f"no embedder {name!r}", hint)
    return EMBEDDERS[name](threads)
