"""The full text behind a digest, stored for a few days so that an agent can read any part of it."""

from __future__ import annotations

from datetime import datetime

from contextd.domain.scope import Scope
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A text that an agent saw as a digest. `about` describes where it comes from; `tokens` is the cost of
    the whole text.
    """

    scope: Scope
    id: str
    about: str
    text: str
    tokens: int
    at: datetime
