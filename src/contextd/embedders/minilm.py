"""all-MiniLM-L6-v2 in int8, shipped with the package; `tools/build_minilm.py` makes it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

from contextd.domain.errors import Unavailable
from contextd.domain.query import Vector
from contextd.offline import silence_telemetry

MODEL_DIR = Path(__file__).parent / "model"
DIMENSIONS = 384
_REMEMBERED = 1_000
TOKENS = 256
_CHARACTERS = 16_384  # far more than 256 tokens of any real text; bounds the tokenizer's work

_Forward = Callable[[str], Vector]


class MiniLM:
    """Unit vectors of 384 numbers from the first 256 tokens of each text.

    The same text always gets the same vector. Safe to share between threads; the model is loaded,
    once, by the first call that needs it.
    """

    model = "minilm-l6-v2-int8"

    def __init__(self, threads: int = 1, folder: Path = MODEL_DIR) -> None:
        self._threads = threads
        self._folder = folder
        self._lock = Lock()
        self._forward: _Forward | None = None
        self._broken = ""
        self._recent: dict[str, Vector] = {}

    def warm(self) -> None:
        """Load the model now. Raises `Unavailable` when it is missing or damaged."""
        self._ready()

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row of unit length per text, shape (len(texts), 384).

        Raises `Unavailable` when the model is missing or damaged.
        """
        import numpy as np  # noqa: PLC0415 - 0.13 s, for those who embed

        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        if texts:
            forward = self._ready()
            # One text per run: int8 activations are scaled per run, so in a batch a text's vector
            # would depend on its neighbours (cosine down to 0.988), and padding makes batches of
            # 16 slower per CPU second (91 texts against 105).
            for row, text in enumerate(texts):
                vectors[row] = self._remembered(forward, text)
        return vectors

    def _remembered(self, forward: _Forward, text: str) -> Vector:
        """A question is often asked again, and a draft is compared before it is stored."""
        with self._lock:
            vector = self._recent.get(text)
        if vector is None:
            vector = forward(text)
            with self._lock:
                self._recent[text] = vector
                if len(self._recent) > _REMEMBERED:
                    del self._recent[next(iter(self._recent))]
        return vector

    def _ready(self) -> _Forward:
        if self._forward is not None:
            return self._forward
        with self._lock:
            if self._forward is None:
                if not self._broken:
                    self._broken = _damage(self._folder)
                if self._broken:
                    raise Unavailable(self._broken, _HINT)
                try:
                    self._forward = _load(self._folder, self._threads)
                except Unavailable as error:
                    self._broken = error.message
                    raise
            return self._forward


_HINT = "reinstall contextd, or set `embedder.name` to none; until then searches are lexical"


def _damage(folder: Path) -> str:
    """What is wrong with the model's files; empty when they are as they were built."""
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
    # Imported here because it costs 60 ms of CPU and 26 MB, which a caller that never embeds
    # should not pay, and because contextd works without them, lexically.
    silence_telemetry()
    try:
        import numpy as np  # noqa: PLC0415
        import onnxruntime as ort  # noqa: PLC0415
        from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors  # noqa: PLC0415
        from tokenizers import Tokenizer  # noqa: PLC0415
    except ImportError as error:
        raise Unavailable(f"the embedder cannot run: {error}", _HINT) from error
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(TOKENS)
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Idle threads would otherwise spin, burning CPU between two texts.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = ort.InferenceSession(
            str(folder / "minilm-int8.onnx"), options, providers=["CPUExecutionProvider"]
        )
    except (
        ort_errors.Fail,
        ort_errors.InvalidArgument,
        ort_errors.InvalidGraph,
        ort_errors.InvalidProtobuf,
        ort_errors.NotImplemented,
        ort_errors.RuntimeException,
    ) as error:
        raise Unavailable(f"the embedding model cannot be loaded: {error}", _HINT) from error

    def forward(text: str) -> Vector:
        # A lone surrogate cannot be tokenised; `encode` (not `encode_batch`) starts no threads.
        clean = text[:_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        ids = np.array([tokenizer.encode(clean).ids], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        vector: Vector = session.run(None, inputs)[0][0]
        return vector

    return forward
