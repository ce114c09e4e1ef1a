"""Validate and store vectors. A separate module, because importing numpy takes 0.13 s."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from contextd.domain.query import Vector
from contextd_common.errors import Invalid


def check_vectors(vectors: Mapping[str, Vector], model: str) -> None:
    """Raise `Invalid` for vectors without a model or with non-finite numbers."""
    if vectors and not model:
        raise Invalid("vectors need the id of the model that made them", "name the model")
    if not all(np.isfinite(vector).all() for vector in vectors.values()):
        raise Invalid("a vector is not finite", "embed the text again")


def unit(vector: Vector) -> Vector:
    """The vector scaled to length one; a zero vector stays zero."""
    row = np.asarray(vector, dtype=np.float32).reshape(-1)
    norm = float(np.linalg.norm(row))
    scaled: Vector = row / np.float32(norm) if norm > 0 else row
    return scaled


def pack(vector: Vector) -> bytes:
    """A vector as half-precision bytes, the stored form."""
    return unit(vector).astype("<f2").tobytes()


def unpack(blobs: list[bytes]) -> Vector:
    """Unit vectors from stored bytes, one row each; all of one dimension."""
    rows = np.frombuffer(b"".join(blobs), dtype="<f2").astype(np.float32)
    rows = rows.reshape(len(blobs), -1)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    norms[norms == 0] = 1
    scaled: Vector = rows / norms
    return scaled


def stacked(rows: Mapping[str, Vector]) -> tuple[list[str], Vector]:
    """Names and their vectors as rows of one matrix. Vectors of another size than the majority are
    dropped, because they cannot be compared.
    """
    if not rows:
        return [], np.zeros((0, 0), np.float32)
    width = Counter(row.shape for row in rows.values()).most_common(1)[0][0]
    vectors = {name: row for name, row in rows.items() if row.shape == width}
    matrix: Vector = np.vstack(list(vectors.values()))
    return list(vectors), matrix
