"""Weights of trained models, files of this package; nothing is trained at run time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any


def trained_weights(name: str, features: Sequence[str]) -> dict[str, Any]:
    """The content of `data/NAME.json`, which `tools/train_NAME.py` writes. Raises `ValueError` if it was trained with
    other features.
    """
    text = resources.files("contextd").joinpath(f"data/{name}.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    if found["features"] != list(features):
        raise ValueError(f"data/{name}.json does not fit the features: run tools/train_{name}.py")
    return found
