"""Passages that contextd writes into files of others, between markers: never knowledge of anybody."""

from __future__ import annotations

import re

OWN_PASSAGE = re.compile(
    r"<!-- contextd(?::begin[^<>\n]*| for [\w, -]+: begin) ?-->.*?(?:<!-- contextd: ?end -->|\Z)",
    re.DOTALL,
)
"""What `context_md` and `clients.text_files` write, also without its end."""


def without_own_passages(text: str) -> str:
    """`text` with its own passages as empty lines: other lines keep their numbers."""
    return OWN_PASSAGE.sub(lambda found: "\n" * found[0].count("\n"), text)
