"""The recall benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contextd_bench import beam, contradictions, cosqa, locomo, realtalk, shared_home

RECALL: dict[str, Callable[..., dict[str, Any]]] = {
    "locomo": locomo.run,
    "beam": beam.run,
    "realtalk": realtalk.run,
    "cosqa": cosqa.run,
    "contradictions": contradictions.run,
    "shared-home": shared_home.run,
}
"""Each takes the data folder, `out=` and optionally `file=`, prints its figures and returns them.
"""
