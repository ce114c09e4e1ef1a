"""What a turn of phrase is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Phrase:
    """One turn of phrase: the type of discovery it announces and how sure it is.

    `speaker` limits it to `user` or `assistant`: an order is a rule from a user, and a plan from
    an assistant. `firm` phrases are believed even where a plan or a doubt seems to stand.
    """

    type: str
    source: str
    confidence: float
    speaker: str = ""
    base: bool = False
    firm: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled at its first use: all of them take 0.1 s, which a start need not wait for."""
        return re.compile(self.source, re.I)


def phrase(
    type: str,
    pattern: str,
    confidence: float,
    speaker: str = "",
    *,
    base: bool = False,
    firm: bool = False,
) -> Phrase:
    """A row of the tables: the pattern ignores case and names what is kept `said`."""
    return Phrase(type, pattern, confidence, speaker, base, firm)
