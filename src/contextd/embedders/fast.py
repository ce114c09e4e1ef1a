"""The models of the fastembed library, for whoever has installed it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from contextd.domain.errors import Unavailable
from contextd.domain.query import Vector
from contextd.embedders.loading import LoadedOnce
from contextd.embedders.options import EmbedderOptions
from contextd.thin.offline import silence_telemetry

MODEL = "BAAI/bge-small-en-v1.5"

_QUIET = {"HF_HUB_DISABLE_TELEMETRY": "1"}
_OFFLINE = {"HF_HUB_OFFLINE": "1"}

_Forward = Callable[[Sequence[str]], Iterable[Any]]


class FastEmbed:
    """Unit vectors of a model that fastembed knows by name. It is fetched only where
    `embedder.download` says so, and else has to be in its folder. Loaded, once, by the first call.
    """

    sends_to = ""

    def __init__(self, options: EmbedderOptions) -> None:
        self._options, self._name = options, options.model or MODEL
        self.model = f"fastembed:{self._name}"
        self._forward = LoadedOnce(lambda: _load(self._name, self._options))

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row of unit length per text. Raises `Unavailable` without the library or the model."""
        forward = self._forward()
        import numpy as np  # noqa: PLC0415 - 0.13 s, for those who embed

        rows = np.array([np.asarray(row, np.float32) for row in forward(list(texts))], np.float32)
        norms = np.linalg.norm(rows, axis=-1, keepdims=True)
        norms[norms == 0] = 1
        vectors: Vector = rows / norms
        return vectors


def _load(name: str, options: EmbedderOptions) -> _Forward:
    silence_telemetry()
    os.environ.update(_QUIET if options.download else _QUIET | _OFFLINE)
    try:
        from fastembed import TextEmbedding  # noqa: PLC0415 - optional, and heavy
    except ImportError as error:
        raise Unavailable(
            f"the embedder fastembed cannot run: {error}",
            "pip install fastembed, into contextd's environment",
        ) from error
    try:
        model = TextEmbedding(
            model_name=name,
            cache_dir=_folder(options),
            threads=options.threads,
            local_files_only=not options.download,
        )
    # It wraps what many libraries raise, the network's among them.
    except Exception as error:
        raise Unavailable(
            f"fastembed cannot load {name}: {type(error).__name__}",
            "set `embedder.download` to true to let it fetch the model, or choose another `embedder.model`",
        ) from error
    forward: _Forward = model.embed
    return forward


def _folder(options: EmbedderOptions) -> str | None:
    """Where models are kept: where the user's other programs keep them, or in the home. The library's own
    default, a temporary folder, is gone after a restart of the machine.
    """
    if os.environ.get("FASTEMBED_CACHE_PATH") or options.folder is None:
        return None
    return str(Path(options.folder) / "fastembed")
