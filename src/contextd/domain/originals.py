"""What stands behind a digest, kept for some days so that any part of it can be asked for."""

from __future__ import annotations

from datetime import datetime

from contextd.domain.dataclass import dataclass
from contextd.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A text that an agent was given a digest of. `about` says where it comes from, in words;
    `tokens` is what it would have cost whole.
    """

    scope: Scope
    id: str
    about: str
    text: str
    tokens: int
    at: datetime
