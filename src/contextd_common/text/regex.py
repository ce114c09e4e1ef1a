"""Regular expressions that are compiled on first use. The modules a daemon imports have 780 of them, which
took a seventh of the CPU of its start.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from re import compile as regex
else:

    class regex:  # noqa: N801 - reads like the function it stands for
        """Like `re.compile`. Call methods on the result: functions such as `re.sub` do not accept it."""

        def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
            self._pattern = pattern, flags

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__") or name == "_pattern":
                raise AttributeError(name)
            found = getattr(re.compile(*self._pattern), name)
            # Later lookups find the attribute without this method.
            setattr(self, name, found)
            return found


__all__ = ["regex"]
