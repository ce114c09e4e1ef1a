"""Vectors as they are checked and kept. Whoever has none to keep need not import this: numpy takes
0.13 s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from contextd.domain.errors import Invalid
from contextd.domain.query import Vector


def check_vectors(vectors: Mapping[str, Vector], model: str) -> None:
    """Raise `Invalid` for vectors that name no model or are not finite."""
    if vectors and not model:
        raise Invalid("vectors need the id of the model that made them", "name the model")
    if not all(np.isfinite(vector).all() for vector in vectors.values()):
        raise Invalid("a vector is not finite", "embed the text again")


def unit(vector: Vector) -> Vector:
    """The vector at length one; a zero vector stays zero."""
    row = np.asarray(vector, dtype=np.float32).reshape(-1)
    norm = float(np.linalg.norm(row))
    scaled: Vector = row / np.float32(norm) if norm > 0 else row
    return scaled


def pack(vector: Vector) -> bytes:
    """A vector as half-precision bytes: what stores keep."""
    return unit(vector).astype("<f2").tobytes()


def unpack(blobs: list[bytes]) -> Vector:
    """Rows of unit length from what `pack` wrote; all of one dimension."""
    rows = np.frombuffer(b"".join(blobs), dtype="<f2").astype(np.float32)
    rows = rows.reshape(len(blobs), -1)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    norms[norms == 0] = 1
    scaled: Vector = rows / norms
    return scaled


def stacked(rows: Mapping[str, Vector]) -> tuple[list[str], Vector]:
    """Names and their vectors as the rows of one matrix. One that has another size than most is left
    out: nothing can be compared with it.
    """
    if not rows:
        return [], np.zeros((0, 0), np.float32)
    width = Counter(row.shape for row in rows.values()).most_common(1)[0][0]
    vectors = {name: row for name, row in rows.items() if row.shape == width}
    matrix: Vector = np.vstack(list(vectors.values()))
    return list(vectors), matrix
