"""The embedder of an optional library: what it may fetch, and what is said when something is missing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from contextd.embedders import open_embedder
from contextd.embedders.options import EmbedderOptions
from contextd_common.errors import Unavailable

MADE_WITH: list[dict[str, object]] = []


class TextEmbedding:
    """As far as the library's own class is used."""

    def __init__(self, **options: object) -> None:
        MADE_WITH.append(options)
        if options["local_files_only"] and options["model_name"] == "not/here":
            raise ValueError("Could not load model not/here from any source.")

    def embed(self, texts: Sequence[str]) -> Iterator[np.ndarray]:
        return (np.array([3.0, 4.0 * len(text)], np.float64) for text in texts)


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("fastembed")
    module.TextEmbedding = TextEmbedding  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fastembed", module)
    for name in ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "FASTEMBED_CACHE_PATH"):
        monkeypatch.setenv(name, "")
    MADE_WITH.clear()


def test_vectors_have_length_one(tmp_path: Path):
    embedder = open_embedder("fastembed", EmbedderOptions(folder=tmp_path))
    assert np.allclose(embedder.embed(["a", "b"]), [[0.6, 0.8], [0.6, 0.8]])
    assert MADE_WITH[0]["cache_dir"] == str(tmp_path / "fastembed")


@pytest.mark.parametrize("allowed", [False, True])
def test_a_model_is_fetched_only_where_that_is_allowed(allowed: bool):
    open_embedder("fastembed", EmbedderOptions(download=allowed)).embed(["a"])
    assert MADE_WITH[0]["local_files_only"] is not allowed
    assert (os.environ["HF_HUB_OFFLINE"] == "1") is not allowed
    assert os.environ["HF_HUB_DISABLE_TELEMETRY"] == "1"


def test_a_model_that_is_not_there_is_said_once_looked_for_once():
    embedder = open_embedder("fastembed", EmbedderOptions(model="not/here"))
    for _ in range(2):
        with pytest.raises(Unavailable, match="cannot load not/here") as caught:
            embedder.embed(["a"])
        assert "embedder.download" in caught.value.hint
    assert len(MADE_WITH) == 1


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(Unavailable) as caught:
        open_embedder("fastembed").embed(["a"])
    assert "pip install fastembed" in caught.value.hint
