"""A cross-encoder of one rule, written byte by byte: how often one word stands in question and text."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path

_INT64, _FLOAT = 7, 1
_VOCABULARY = {"[UNK]": 0, "[SEP]": 1, "gold": 2}


def write_cross_encoder(folder: Path, *, outputs: int = 1) -> Path:
    """The model and its tokenizer in `folder`. Its only output is 2 × (how often `gold` comes) − 3, or with
    several outputs zeros and that.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer()), "utf-8")
    nodes = [
        _node("Equal", ["input_ids", "gold"], "is_gold"),
        _node("Cast", ["is_gold"], "counted", to=_FLOAT),
        _node("ReduceSum", ["counted"], "count", keepdims=1),
        _node("Mul", ["count", "two"], "doubled"),
        _node("Sub", ["doubled", "three"], "odds"),
    ]
    constants = [
        _integers("gold", [_VOCABULARY["gold"]]),
        _floats("two", 2.0),
        _floats("three", 3.0),
    ]
    if outputs > 1:
        constants.append(_floats("zero", 0.0))
        nodes += [
            _node("Mul", ["odds", "zero"], "none"),
            _node("Concat", ["none"] * (outputs - 1) + ["odds"], "logits", axis=1),
        ]
    graph = b"".join(_part(1, node) for node in nodes) + _part(2, b"judge")
    graph += b"".join(_part(5, constant) for constant in constants)
    graph += _part(11, _value("input_ids", _INT64)) + _part(11, _value("attention_mask", _INT64))
    graph += _part(12, _value("logits" if outputs > 1 else "odds", _FLOAT))
    model = _number(1, 8) + _part(7, graph) + _part(8, _number(2, 13))
    path = folder / "judge.onnx"
    path.write_bytes(model)
    return path


def _tokenizer() -> dict[str, object]:
    pair = [
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
    ]
    return {
        "version": "1.0",
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": pair,
            "pair": [*pair, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"[SEP]": {"id": "[SEP]", "ids": [1], "tokens": ["[SEP]"]}},
        },
        "model": {"type": "WordLevel", "vocab": _VOCABULARY, "unk_token": "[UNK]"},
    }


def _node(kind: str, inputs: Sequence[str], output: str, **attributes: int) -> bytes:
    named = b"".join(_part(1, name.encode()) for name in inputs) + _part(2, output.encode())
    told = b"".join(
        _part(5, _part(1, name.encode()) + _number(3, value) + _number(20, 2))
        for name, value in attributes.items()
    )
    return named + _part(4, kind.encode()) + told


def _integers(name: str, values: Sequence[int]) -> bytes:
    numbers = b"".join(_number(7, value) for value in values)
    return _number(1, len(values)) + _number(2, _INT64) + numbers + _part(8, name.encode())


def _floats(name: str, value: float) -> bytes:
    packed = _part(4, struct.pack("<f", value))
    return _number(1, 1) + _number(2, _FLOAT) + packed + _part(8, name.encode())


def _value(name: str, kind: int) -> bytes:
    sizes = _part(1, _part(2, b"rows")) + _part(1, _part(2, f"{name}_columns".encode()))
    return _part(1, name.encode()) + _part(2, _part(1, _number(1, kind) + _part(2, sizes)))


def _number(field: int, value: int) -> bytes:
    """A field of the wire format that holds a number."""
    return _varint(field << 3) + _varint(value)


def _part(field: int, content: bytes) -> bytes:
    """A field that holds bytes."""
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
