"""What an embedder is made with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from contextd.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """The settings of `embedder.…`; each embedder looks at those that concern it. Empty means its own
    default. `scrub` takes secrets out of what leaves the machine, `folder` is for models of others.
    """

    threads: int = 1
    model: str = ""
    url: str = ""
    key_variable: str = ""
    download: bool = False
    folder: Path | None = None
    scrub: Callable[[str], str] = str
