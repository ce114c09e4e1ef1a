"""What a turn of phrase is."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RulePhrase:
    """One turn of phrase: the type of discovery it announces and how sure it is.

    `speaker` limits it to `user` or `assistant`: an order is a rule from a user, and a plan from
    an assistant. `firm` phrases are believed even where a plan or a doubt seems to stand.
    """

    type: str
    pattern: re.Pattern[str]
    confidence: float
    speaker: str = ""
    base: bool = False
    firm: bool = False


def phrase(
    type: str,
    pattern: str,
    confidence: float,
    speaker: str = "",
    *,
    base: bool = False,
    firm: bool = False,
) -> RulePhrase:
    """A row of the tables: the pattern ignores case and names what is kept `said`."""
    return RulePhrase(type, re.compile(pattern, re.I), confidence, speaker, base, firm)
