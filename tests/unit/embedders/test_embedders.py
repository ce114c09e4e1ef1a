"""The shipped model is the recorded one, gives the promised vectors, and fails in words."""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from contextd.embedders import EMBEDDERS, open_embedder
from contextd.embedders.minilm import MODEL_DIR, MiniLM
from contextd.ports.knowledge import Embedder
from contextd_common.errors import Invalid, Unavailable
from support.desks import embedder

TEXTS = (
    "how to open a file in python",
    "with open(path) as file: return file.read()",
    "the cat sat on the mat",
    "",
    "数据库连接 データベース 데이터베이스",
    "x" * 100_000,
)


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    """The model of the other tests: a second one would take 40 MB."""
    return embedder()


@pytest.fixture(scope="module")
def vectors(minilm: Embedder) -> np.ndarray:
    return minilm.embed(TEXTS)


def test_shipped_files_have_the_hashes_that_provenance_records():
    provenance = (MODEL_DIR / "PROVENANCE.md").read_text("utf-8")
    for line in (MODEL_DIR / "SHA256SUMS").read_text("utf-8").splitlines():
        recorded, name = line.split("  ")
        assert hashlib.sha256((MODEL_DIR / name).read_bytes()).hexdigest() == recorded
        assert f"| `{name}` | `{recorded}` |" in provenance


def test_the_licence_ships_with_the_model():
    assert "Apache License" in (MODEL_DIR / "LICENSE").read_text("utf-8")


def test_vectors_are_unit_rows_of_384_for_any_text(vectors: np.ndarray):
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)


def test_meaning_is_nearer_than_nonsense(vectors: np.ndarray):
    question, answer, cat = vectors[:3]
    assert question @ answer > 0.3 > question @ cat


def test_a_text_gets_the_same_vector_alone_and_among_others(minilm: MiniLM, vectors: np.ndarray):
    assert np.array_equal(minilm.embed([TEXTS[0]])[0], vectors[0])


def test_text_past_256_tokens_changes_nothing(minilm: MiniLM):
    long = "word " * 300
    assert np.array_equal(minilm.embed([long])[0], minilm.embed([long + "zebra"])[0])


def test_a_lone_surrogate_is_embedded(minilm: MiniLM):
    assert np.isfinite(minilm.embed(["broken \ud800 text"])).all()


def test_no_texts_give_no_rows_and_load_nothing(tmp_path: Path):
    assert MiniLM(folder=tmp_path).embed([]).shape == (0, 384)


def test_threads_share_one_embedder(minilm: Embedder, vectors: np.ndarray):
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda _: minilm.embed(TEXTS[:3]), range(8)))
    assert all(np.array_equal(row, vectors[:3]) for row in rows)


def test_a_missing_model_is_unavailable_with_a_hint(tmp_path: Path):
    with pytest.raises(Unavailable) as caught:
        MiniLM(folder=tmp_path).warm()
    assert "lexical" in caught.value.hint


def test_two_embedders_share_a_loaded_model_until_neither_is_left(tmp_path: Path):
    folder = Path(shutil.copytree(MODEL_DIR, tmp_path / "model"))
    first, second = MiniLM(folder=folder), MiniLM(folder=folder)
    first.warm()
    (folder / "minilm-int8.onnx").unlink()
    assert np.array_equal(first.embed(TEXTS[:1]), second.embed(TEXTS[:1]))
    del first, second
    gc.collect()
    with pytest.raises(Unavailable):
        MiniLM(folder=folder).warm()


def test_a_damaged_model_is_unavailable_every_time(tmp_path: Path):
    shutil.copytree(MODEL_DIR, tmp_path / "model")
    damaged = tmp_path / "model" / "minilm-int8.onnx"
    damaged.write_bytes(damaged.read_bytes()[:1000])
    embedder = MiniLM(folder=tmp_path / "model")
    for _ in range(2):
        with pytest.raises(Unavailable, match="damaged"):
            embedder.embed(["text"])


def test_a_file_onnxruntime_cannot_load_is_unavailable(tmp_path: Path):
    shutil.copy(MODEL_DIR / "tokenizer.json", tmp_path)
    (tmp_path / "minilm-int8.onnx").write_bytes(b"not a model")
    sums = hashlib.sha256(b"not a model").hexdigest()
    (tmp_path / "SHA256SUMS").write_text(f"{sums}  minilm-int8.onnx\n")
    with pytest.raises(Unavailable, match="cannot be loaded"):
        MiniLM(folder=tmp_path).warm()


def test_none_makes_no_vectors_and_says_so():
    embedder = open_embedder("none")
    assert embedder.model == ""
    with pytest.raises(Unavailable):
        embedder.embed(["text"])


def test_embedders_open_by_name_and_name_their_model():
    assert {name: open_embedder(name).model for name in EMBEDDERS} == {
        "minilm": "minilm-l6-v2-int8",
        "openai": "openai:text-embedding-3-small@api.openai.com",
        "fastembed": "fastembed:BAAI/bge-small-en-v1.5",
        "none": "",
    }


def test_an_unknown_embedder_is_refused_with_the_nearest_name():
    with pytest.raises(Invalid) as caught:
        open_embedder("minillm")
    assert "minilm" in caught.value.hint


def test_opening_loads_no_model_library_and_embedding_prints_nothing():
    script = (
        "import sys; from contextd.embedders import open_embedder; e = open_embedder('minilm');"
        "assert not {'onnxruntime', 'tokenizers'} & set(sys.modules); e.embed(['a'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_runtime_reports_to_nobody_even_where_the_user_asked_for_it(tmp_path: Path) -> None:
    program = "from contextd.embedders.minilm import MiniLM; import os, time; MiniLM().warm(); time.sleep(1); print(os.environ['ORT_DISABLE_TELEMETRY'])"
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    asked_for = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "tmp"),
        "ORT_DISABLE_TELEMETRY": "0",
    }
    done = subprocess.run(
        [sys.executable, "-c", program], env=asked_for, capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\n"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
