"""Which of some files say most of what is asked, by a look at their bytes."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

from contextd.code.tree.paths import read_listed
from contextd.domain.errors import ContextdError

_LARGEST = 1_000_000
_MOST_BYTES = 64_000_000
"""Read in a tenth of a second. Of more files those behind are not looked into."""


def mentioning(root: Path, paths: Sequence[str], words: Sequence[str], most: int) -> list[str]:
    """Those of the files that mention the words, in their paths or texts, at most so many: first those with
    more of the words, and rarer ones. Words are stems, in lower case.
    """
    base = Path(os.path.realpath(root))
    # The last letter of a stem is where it parts from its word: "happi", "happy".
    stems = [(word[:-1] if word[-1] == "i" and len(word) > 3 else word).encode() for word in words]
    held: dict[str, list[bytes]] = {}
    left = _MOST_BYTES
    for path in paths:
        if left <= 0:
            break
        try:
            data = read_listed(base, path, limit=_LARGEST)
        except ContextdError:
            continue
        left -= len(data)
        searched = path.encode("utf-8", "replace").lower() + b"\n" + data.lower()
        if found := [stem for stem in stems if stem in searched]:
            held[path] = found
    files = {stem: sum(stem in found for found in held.values()) for stem in stems}

    def weight(path: str) -> float:
        return sum(math.log1p(len(paths) / files[stem]) for stem in held[path])

    return sorted(held, key=lambda path: (-weight(path), path))[:most]
