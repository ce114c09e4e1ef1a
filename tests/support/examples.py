"""How many examples a property is tried on.

They are drawn from a fixed seed, so that a run tries what the run before tried: many of them find a defect
once, when the property or what it is about is written. `HYPOTHESIS_PROFILE=thorough` draws all of them.
"""

from __future__ import annotations

import os

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
_SHARE, _FEWEST = 4, 10


def drawn(examples: int) -> int:
    """So many examples in a thorough run, and a quarter of them in any other."""
    return examples if THOROUGH else max(_FEWEST, examples // _SHARE)
