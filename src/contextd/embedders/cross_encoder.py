"""A user-supplied cross-encoder that scores a question and a text together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from contextd.embedders.loading import LoadedOnce
from contextd.embedders.onnx import OnnxModel, load_onnx, plain, weight_of
from contextd.runtime.kept_memory import Kept
from contextd_common.errors import Unavailable

TOKENS = 256
"""Tokens of question and text together. A search of 30 texts waits for 30 runs; 512 tokens take twice as
long.
"""

_PATIENCE = 4.0
"""Seconds that a search waits: three times what a six-layer model needs for 30 long texts. A model that
needs this long for one text is disabled.
"""

_CLASSES = 2
"""Maximum outputs per text. More are vectors, or classes of unknown meaning."""

_HINT = "check `search.reranker.path` and `search.reranker.tokenizer`; the daemon reads them at its start"


class CrossEncoder:
    """Scores with an ONNX model that has one output, or one for each of two classes, the last of which is
    `fits`. Thread-safe; loaded on first use.
    """

    def __init__(
        self,
        path: Path,
        tokenizer: Path,
        threads: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = path.name
        self._clock, self._too_slow = clock, ""
        self._path, self._tokenizer, self._threads = path, tokenizer, threads
        self._loaded = LoadedOnce(self._load, "reranker", lambda: weight_of(path))

    def kept(self) -> Iterable[Kept]:
        """See `Keeper.kept`: the model."""
        return self._loaded.kept()

    def judge(self, question: str, texts: Sequence[str]) -> list[float]:
        """See `Reranker.judge`."""
        if not texts:
            return []
        if self._too_slow:
            raise Unavailable(self._too_slow, _HINT)
        model = self._loaded()
        begin = self._clock()
        judged: list[float] = []
        for text in texts:
            judged.append(self._judged(model, question, text))
            passed = self._clock() - begin
            if passed > _PATIENCE and len(judged) == 1:
                self._too_slow = f"{self._path} takes {passed:.0f} s per text"
                raise Unavailable(self._too_slow, _HINT)
            if passed > _PATIENCE:
                break
        return judged

    def _judged(self, model: OnnxModel, question: str, text: str) -> float:
        import numpy as np  # noqa: PLC0415 - 0.13 s, for those who rerank

        pair = model.tokenizer.encode(plain(question), plain(text))
        known = {
            "input_ids": pair.ids,
            "attention_mask": pair.attention_mask,
            "token_type_ids": pair.type_ids,
        }
        inputs = {
            name: np.array([row], np.int64) for name, row in known.items() if name in model.inputs
        }
        logits = np.asarray(model.run(inputs), np.float64).reshape(-1)
        if not logits.size or not np.isfinite(logits).all():
            raise Unavailable(f"{self._path} does not output numbers", _HINT)
        if logits.size > _CLASSES:
            raise Unavailable(
                f"{self._path} outputs {logits.size} numbers per text: a cross-encoder has one, or two "
                "classes",
                _HINT,
            )
        # One number is a log-odds, several are one per class.
        odds = logits if logits.size > 1 else np.array([0.0, logits[0]])
        shares = np.exp(odds - odds.max())
        return float(shares[-1] / shares.sum())

    def _load(self) -> OnnxModel:
        for path in (self._path, self._tokenizer):
            if not path.is_file():
                raise Unavailable(f"{path} does not exist", _HINT)
        return load_onnx(
            self._path, self._tokenizer, threads=self._threads, tokens=TOKENS, hint=_HINT
        )
