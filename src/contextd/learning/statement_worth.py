"""Estimate how likely a statement is worth storing: a small classifier over its vector and form.

`tools/train_worth.py` creates `data/worth.json`; nothing is trained at run time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache

import numpy as np

from contextd.domain.origins import ORIGINS
from contextd.domain.query import Vector
from contextd.files.trained_weights import trained_weights
from contextd.learning.passages import Statement
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex
from contextd_common.text.words import weight

_PATH = regex(r"(?:[\w.@~-]+/)+[\w.@-]+|\b[\w-]+\.[a-z]{1,5}\b")
_NAME = regex(r"\b\w+_\w+|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\w\(\)|\b\w+\.\w+\(")
_CODE = regex(r"`[^`]+`")
_FLAG = regex(r"(?<!\w)--?[a-z][\w-]+")
_MARK = regex(r"[\u2190-\u21ff\u2300-\u2bff\u2e80\U0001f000-\U0001faff]")
_TICK = regex(r"^\W{0,3}(?:\(\d+\)\s*)?[✅✓✔⚠❌✗✘🔴🟡🟠🟢☑]|: (?:\(\d+\)\s*)?[✅✓✔⚠❌✗✘]")
_LINE_NUMBER = regex(r"\b[Ll](?:ines?)? ?\d+|:\d+(?:-\d+)?\b|^\(\d+\)")
_TEST = regex(r"\btests?\b|_test\b|\btest_|\bTest[A-Z_]", re.I)
_QUESTION = regex(r"[?？]")
_DIGIT = regex(r"\d")
_LETTER = regex(r"[^\W\d_]")
_LOST = regex(
    r"(?:it|its|this|that|these|those|they|he|she|both|which|the (?:fix|issue|bug|test|change|problem|code)"
    r"|esto?|esta|eso|das|dies\w*|es|cela|ceci|これ|それ|この|その|이것|그것|이|그)\b",
    re.I,
)
_REMOVED = regex(r"\[REDACTED|REDACTED\b|<[a-z ]{3,20}>$")


def form(statement: Statement) -> list[float]:
    """The features of a statement apart from its meaning, in the order of `FORM`."""
    text = statement.text
    size = max(1, len(text))
    length = math.log(max(8, weight(text)) / 100)
    return [
        length,
        length * length,
        float(bool(_PATH.search(text))),
        float(bool(_NAME.search(text))),
        min(1.0, sum(len(code) for code in _CODE.findall(text)) / size),
        float("`" in text),
        float(bool(_FLAG.search(text))),
        float(bool(_MARK.search(text))),
        float(bool(_TICK.search(text))),
        float(bool(_LINE_NUMBER.search(text))),
        float(bool(_TEST.search(text))),
        float(bool(_QUESTION.search(text))),
        float("!" in text),
        len(_DIGIT.findall(text)) / size,
        len(_LETTER.findall(text)) / size,
        float(bool(_LOST.match(text)) or text[:1].islower()),
        float(" | " in text),
        float(text.rstrip().endswith((":", "：", ","))),
        float("→" in text or "->" in text or "—" in text),
        float(bool(_REMOVED.search(text))),
    ]


FORM = tuple(
    """length length2 path name code_share code flag mark tick line_number test question
    exclamation digits letters lost row unfinished arrow removed""".split()
)
"""Names of the features that `form` returns."""


_UNKNOWN = 0.1


def prior(statement: Statement) -> float:
    """The log-odds from a statement's origin.

    They are added unchanged. Weights trained for single origins did not transfer to held-out projects: some
    habitually commit knowledge, others only "sync".
    """
    share = ORIGINS[statement.origin].worth if statement.origin in ORIGINS else _UNKNOWN
    return math.log(share / (1 - share))


@dataclass(frozen=True, slots=True)
class Weights:
    """A trained classifier: its embedder, and one number per feature and dimension."""

    model: str
    bias: float
    form: Vector
    center: Vector
    scale: Vector
    meaning: Vector


@cache
def weights() -> Weights:
    """The weights in the package."""
    parameters = trained_weights("worth", FORM)
    arrays = (
        np.asarray(parameters[name], np.float32) for name in ("form", "center", "scale", "meaning")
    )
    return Weights(parameters["model"], float(parameters["bias"]), *arrays)


def worth(statements: Sequence[Statement], vectors: Vector | None) -> list[float]:
    """The probability that each statement is useful and true, 0 to 1.

    `vectors` has one row per statement. Without vectors, or with another embedder's, only the form counts.
    """
    if not statements:
        return []
    trained = weights()
    features = np.asarray([form(statement) for statement in statements], np.float32)
    score = ((features - trained.center) / trained.scale) @ trained.form + trained.bias
    score += np.asarray([prior(statement) for statement in statements], np.float32)
    if vectors is not None and vectors.shape == (len(statements), len(trained.meaning)):
        score = score + vectors @ trained.meaning
    return [float(chance) for chance in 1 / (1 + np.exp(-score))]
