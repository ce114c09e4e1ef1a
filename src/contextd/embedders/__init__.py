"""Embedders and rerankers, chosen by name. None uses the network unless its row says so.

Uses: contextd_common, domain, ports, runtime, thin.
Start at: the tables below.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from contextd.embedders.cross_encoder import CrossEncoder
from contextd.embedders.fast import FastEmbed
from contextd.embedders.minilm import MiniLM
from contextd.embedders.none import NoEmbedder
from contextd.embedders.options import EmbedderOptions
from contextd.ports.knowledge import Embedder, Reranker
from contextd_common.errors import Invalid, nearest


def _endpoint(options: EmbedderOptions) -> Embedder:
    # urllib.request and its imports take 20 ms, and few users send texts away.
    from contextd.embedders.openai import OpenAIEndpoint  # noqa: PLC0415

    return OpenAIEndpoint(options)


EMBEDDERS: dict[str, Callable[[EmbedderOptions], Embedder]] = {
    "minilm": lambda options: MiniLM(options.threads),
    "openai": _endpoint,
    "fastembed": FastEmbed,
    "none": lambda _: NoEmbedder(),
}
"""Every embedder by name. `openai` sends texts to the configured endpoint; `fastembed` downloads its model
if allowed.
"""


def open_embedder(
    name: str, options: EmbedderOptions | None = None, *, threads: int = 1
) -> Embedder:
    """The embedder called `name`. Cheap: it loads on first use. Raises `Invalid`."""
    if name not in EMBEDDERS:
        hint = nearest(name, list(EMBEDDERS)) or "known: " + ", ".join(EMBEDDERS)
        raise Invalid(f"no embedder {name!r}", hint)
    return EMBEDDERS[name](options or EmbedderOptions(threads=threads))


def open_reranker(path: str, tokenizer: str = "", *, threads: int = 1) -> Reranker | None:
    """The cross-encoder in an ONNX file; None without one. It loads on first use. The default tokenizer is
    `tokenizer.json` in the same folder.
    """
    if not path:
        return None
    model = Path(path).expanduser()
    beside = Path(tokenizer).expanduser() if tokenizer else model.parent / "tokenizer.json"
    return CrossEncoder(model, beside, threads)


__all__ = ["EMBEDDERS", "EmbedderOptions", "open_embedder", "open_reranker"]
