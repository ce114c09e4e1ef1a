"""Options of embedders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """The settings of `embedder.…`; each embedder reads its own. Empty means the embedder's default.
    `scrub` redacts what leaves the machine, `folder` is for downloaded models.
    """

    threads: int = 1
    model: str = ""
    url: str = ""
    key_variable: str = ""
    download: bool = False
    folder: Path | None = None
    scrub: Callable[[str], str] = str
