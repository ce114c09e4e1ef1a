"""Fitted weights of rankers and of the answer threshold. `tools/fit_ranking.py` and
`tools/fit_answered.py` create `data/ranking.json`; nothing is trained at run time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

CODE, FILES, FILES_WITH_PAST = "code", "files", "files with past"
"""The families for code: its signals, and the added signals without and with history."""

RECORDS = "records"
"""The family for records."""

MEANING = 0.58
"""The factor of a cosine of code: the scale of everything added to it."""


@cache
def weights(family: str) -> Mapping[str, float]:
    """The weight of each signal of a family, relative to 1: for the score of a message or a record, for
    the cosine of code and answers, and for the code signals of a file.
    """
    text = resources.files("contextd").joinpath("data/ranking.json").read_text("utf-8")
    found: dict[str, float] = json.loads(text)[family]
    return found
