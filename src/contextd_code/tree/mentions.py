"""Rank files by how many words of a query their bytes contain."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from pathlib import Path

from contextd_code.tree.paths import read_listed
from contextd_common.errors import ContextdError

_LARGEST = 1_000_000
_MOST_BYTES = 64_000_000
"""The most files read, in a tenth of a second; later ones are ignored."""


def mentioning(
    root: Path, paths: Sequence[str], words: Sequence[str], most: int, name: str = ""
) -> list[str]:
    """The files that mention these words in their paths or texts, at most `limit`.

    Files with more and rarer words come first. Words are stems, in lower case. Files that seem to
    define `name` come before all others, then files that contain it.
    """
    defines = _definition(name) if name else None
    base = Path(os.path.realpath(root))
    # The last letter of a stem may differ from the word: "happi", "happy".
    stems = [(word[:-1] if word[-1] == "i" and len(word) > 3 else word).encode() for word in words]
    held: dict[str, list[bytes]] = {}
    ranks: dict[str, int] = {}
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
        found = [stem for stem in stems if stem in searched]
        if defines is not None and name.encode() in data:
            ranks[path] = 2 if defines.search(data) else 1
        if found or path in ranks:
            held[path] = found
    files = {stem: sum(stem in found for found in held.values()) for stem in stems}

    def weight(path: str) -> float:
        return sum(math.log1p(len(paths) / files[stem]) for stem in held[path])

    return sorted(held, key=lambda path: (-ranks.get(path, 0), -weight(path), path))[:most]


def _definition(name: str) -> re.Pattern[bytes]:
    """A pattern for lines that define a name, in most languages."""
    word = re.escape(name.encode())
    return re.compile(
        rb"^[^\n#/*]{0,80}\b(?:class|struct|enum|interface|trait|type|record|object|module|namespace|protocol"
        rb"|def|defp|fn|func|fun|function|sub|const|let|var|val|define|macro_rules!)\b[^\n(={]{0,80}"
        rb"(?:\([^\n)]{0,80}\) ?)?\b" + word + rb"\b"
        rb"|^[A-Za-z_][\w \t*&:<>,]{0,80}[ \t*&]" + word + rb"[ \t]*\(",
        re.MULTILINE,
    )
