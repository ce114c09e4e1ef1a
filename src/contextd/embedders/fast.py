"""Models of the fastembed library, if it is installed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from contextd.domain.query import Vector
from contextd.embedders.loading import LoadedOnce
from contextd.embedders.options import EmbedderOptions
from contextd.runtime.kept_memory import Kept
from contextd.thin.offline import silence_telemetry
from contextd_common.errors import Unavailable

MODEL = "BAAI/bge-small-en-v1.5"

_WEIGHT = 200 << 20
"""Bytes a loaded model takes, assumed: the catalogue's small ones have files of 67 to 130 MB."""

_QUIET = {"HF_HUB_DISABLE_TELEMETRY": "1"}
_OFFLINE = {"HF_HUB_OFFLINE": "1"}

_Forward = Callable[[Sequence[str]], Iterable[Any]]


class FastEmbed:
    """Unit vectors of a model in fastembed's catalogue. It is downloaded if `embedder.download` allows it,
    else it must be in its folder. Loaded on first use.
    """

    sends_to = ""

    def __init__(self, options: EmbedderOptions) -> None:
        self._options, self._name = options, options.model or MODEL
        self.model = f"fastembed:{self._name}"
        self._forward = LoadedOnce(
            lambda: _load(self._name, self._options), "model", lambda: _WEIGHT
        )

    def kept(self) -> Iterable[Kept]:
        """See `Keeper.kept`: the model."""
        return self._forward.kept()

    def embed(self, texts: Sequence[str]) -> Vector:
        """One unit vector per text. Raises `Unavailable` without the library or the model."""
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
            f"the embedder fastembed cannot be loaded: {error}",
            "pip install fastembed, into contextd's environment",
        ) from error
    try:
        model = TextEmbedding(
            model_name=name,
            cache_dir=_folder(options),
            threads=options.threads,
            local_files_only=not options.download,
        )
    # fastembed raises errors of many libraries, including network errors.
    except Exception as error:
        raise Unavailable(
            f"fastembed cannot load {name}: {type(error).__name__}",
            "set `embedder.download` to true to download the model, or choose another `embedder.model`",
        ) from error
    forward: _Forward = model.embed
    return forward


def _folder(options: EmbedderOptions) -> str | None:
    """The model folder: the one shared with other programs, or one in the home. The library's default is a
    temporary folder that does not survive a reboot.
    """
    if os.environ.get("FASTEMBED_CACHE_PATH") or options.folder is None:
        return None
    return str(Path(options.folder) / "fastembed")
