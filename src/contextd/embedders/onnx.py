"""Run models in ONNX files with onnxruntime, with telemetry off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from contextd.domain.query import Vector
from contextd.thin.offline import silence_telemetry
from contextd_common.dataclass import dataclass
from contextd_common.errors import Unavailable

CHARACTERS = 16_384
"""Characters of a text that are read: far more than any model here uses, to bound the tokenizer's work."""

_WEIGHT = 2.6
"""Bytes of memory per byte of a model's file."""


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A loaded model and its tokenizer. `run` returns the first output; raises `Unavailable` if the model
    rejects the input.
    """

    tokenizer: Any
    inputs: frozenset[str]
    run: Callable[[Mapping[str, Any]], Vector]


def load_onnx(model: Path, tokenizer: Path, *, threads: int, tokens: int, hint: str) -> OnnxModel:
    """Load a model and its tokenizer, which truncates at `tokens`. Raises `Unavailable` with `hint`."""
    # Imported here because it costs 60 ms of CPU and 26 MB, which callers that never embed should not pay,
    # and because contextd works without it, by words.
    silence_telemetry()
    try:
        import onnxruntime as ort  # noqa: PLC0415
        from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors  # noqa: PLC0415
        from tokenizers import Tokenizer  # noqa: PLC0415
    except ImportError as error:
        raise Unavailable(f"{model.name} cannot be run: {error}", hint) from error
    failures = (
        ort_errors.Fail,
        ort_errors.InvalidArgument,
        ort_errors.InvalidGraph,
        ort_errors.InvalidProtobuf,
        ort_errors.NoSuchFile,
        ort_errors.NotImplemented,
        ort_errors.RuntimeException,
    )
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Idle threads would otherwise spin and use CPU between texts.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        spoken = Tokenizer.from_str(tokenizer.read_text("utf-8"))
        spoken.enable_truncation(tokens)
        session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except failures as error:
        raise Unavailable(f"{model} cannot be loaded: {error}", hint) from error
    except OSError as error:
        raise Unavailable(f"{tokenizer} cannot be read: {error.strerror}", hint) from error
    # The tokenizers library raises plain `Exception` for an unreadable file.
    except Exception as error:
        raise Unavailable(f"{tokenizer} is not a tokenizer: {error}", hint) from error

    def run(inputs: Mapping[str, Any]) -> Vector:
        try:
            output: Vector = session.run(None, dict(inputs))[0]
        except (*failures, ValueError) as error:
            raise Unavailable(f"{model} cannot be run: {error}", hint) from error
        return output

    return OnnxModel(spoken, frozenset(one.name for one in session.get_inputs()), run)


def weight_of(model: Path) -> int:
    """The bytes that a loaded model takes; 0 if its file is gone."""
    try:
        return int(model.stat().st_size * _WEIGHT)
    except OSError:
        return 0


def plain(text: str) -> str:
    """A text that can be tokenised: bounded, without lone surrogates."""
    return text[:CHARACTERS].encode("utf-8", "replace").decode("utf-8")
