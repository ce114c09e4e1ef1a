"""all-MiniLM-L6-v2 in int8, shipped with the package; built by `tools/build_minilm.py`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from weakref import WeakValueDictionary

from contextd.domain.query import Vector
from contextd.embedders.loading import LoadedOnce
from contextd.embedders.onnx import load_onnx, plain, weight_of
from contextd.runtime.caches import Cache
from contextd.runtime.kept_memory import Kept
from contextd_common.errors import Unavailable

MODEL_DIR = Path(__file__).parent / "model"
_MODEL = "minilm-int8.onnx"
DIMENSIONS = 384
_REMEMBERED = 1_000
TOKENS = 256

_Forward = Callable[[str], Vector]


class MiniLM:
    """Unit vectors with 384 dimensions, from the first 256 tokens of each text.

    Deterministic. Thread-safe; the model is loaded by the first call that needs it.
    """

    model = "minilm-l6-v2-int8"
    sends_to = ""

    def __init__(self, threads: int = 1, folder: Path = MODEL_DIR) -> None:
        self._threads = threads
        self._folder = folder
        self._forward = LoadedOnce(self._load, "model", lambda: weight_of(folder / _MODEL))
        self._recent: Cache[str, Vector] = Cache(_REMEMBERED)

    def warm(self) -> None:
        """Load the model now. Raises `Unavailable` if it is missing or damaged."""
        self._forward()

    def kept(self) -> Iterable[Kept]:
        """See `Keeper.kept`: the model."""
        return self._forward.kept()

    def embed(self, texts: Sequence[str]) -> Vector:
        """One unit vector per text, shape (len(texts), 384).

        Raises `Unavailable` if the model is missing or damaged.
        """
        import numpy as np  # noqa: PLC0415 - 0.13 s, for those who embed

        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        if texts:
            forward = self._forward()
            # One text per run: int8 activations are scaled per run, so in a batch a text's vector
            # would depend on its neighbours (cosine down to 0.988), and padding makes batches of
            # 16 slower per CPU second (91 texts against 105).
            for row, text in enumerate(texts):
                vectors[row] = self._remembered(forward, text)
        return vectors

    def _remembered(self, forward: _Forward, text: str) -> Vector:
        """Questions are often repeated, and a draft is compared before it is stored."""
        vector = self._recent.get(text)
        if vector is None:
            vector = forward(text)
            self._recent.put(text, vector)
        return vector

    def _load(self) -> _Forward:
        found = _loaded.get((self._folder, self._threads))
        if found is None:
            damage = _damage(self._folder)
            if damage:
                raise Unavailable(damage, _HINT)
            found = _loaded[self._folder, self._threads] = _load(self._folder, self._threads)
        return found


_loaded: WeakValueDictionary[tuple[Path, int], _Forward] = WeakValueDictionary()
"""The loaded models, by folder and threads, each as long as an embedder holds it: two hosts in a process share one.
A second model takes 35 MB and 0.1 s.
"""

_HINT = "reinstall contextd, or set `embedder.name` to none; until then searches are lexical"


def _damage(folder: Path) -> str:
    """What is wrong with the model's files; empty if they are as built."""
    try:
        for line in (folder / "SHA256SUMS").read_text("utf-8").splitlines():
            expected, name = line.split("  ")
            with (folder / name).open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != expected:
                    return f"the embedding model is damaged: {folder / name}"
    except (OSError, ValueError) as error:
        return f"the embedding model cannot be read: {error}"
    return ""


def _load(folder: Path, threads: int) -> _Forward:
    model = load_onnx(
        folder / _MODEL,
        folder / "tokenizer.json",
        threads=threads,
        tokens=TOKENS,
        hint=_HINT,
    )
    import numpy as np  # noqa: PLC0415 - 0.13 s, for those who embed

    def forward(text: str) -> Vector:
        # `encode` (not `encode_batch`) starts no threads.
        ids = np.array([model.tokenizer.encode(plain(text)).ids], np.int64)
        vector: Vector = model.run({"input_ids": ids, "attention_mask": np.ones_like(ids)})[0]
        return vector

    return forward
