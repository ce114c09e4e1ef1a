"""Regular expressions that are compiled when they are first used: a start compiles none of them, and the 780 of the
modules that a daemon imports took a seventh of its CPU.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from re import compile as regex
else:

    class regex:  # noqa: N801 - reads like the function it stands for
        """As `re.compile`. To be asked itself: what takes a pattern as an argument, as `re.sub` does, refuses it."""

        def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
            self._pattern = pattern, flags

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__") or name == "_pattern":
                raise AttributeError(name)
            found = getattr(re.compile(*self._pattern), name)
            # From now on it is found without coming here.
            setattr(self, name, found)
            return found


__all__ = ["regex"]
