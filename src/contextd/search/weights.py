"""The fitted weights of rankers, and of what tells an answer. `tools/fit_ranking.py` and `tools/fit_answered.py`
make `data/ranking.json`; nothing is learned at run time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

CODE, FILES, FILES_WITH_PAST = "code", "files", "files with past"
"""The families for code: what it says, and what is added to that where nothing else is known, and where its
past is.
"""

RECORDS = "records"
"""The family for what was written down."""

MEANING = 0.58
"""What a cosine of code is multiplied by: the scale of everything that is added to it."""


@cache
def weights(family: str) -> Mapping[str, float]:
    """What each signal of a family counts, against 1: for the score of a message or a record so far, for
    the cosine of code and of what answers, and for what code says of a file.
    """
    text = resources.files("contextd").joinpath("data/ranking.json").read_text("utf-8")
    found: dict[str, float] = json.loads(text)[family]
    return found
