"""Run slow work in the background, one piece at a time: a file watch, the history of a repository."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable

from contextd_common.errors import ContextdError

NAME = "preparations"
_MOST_WAITING = 100
"""None of these preparations is required: the next call requests dropped ones again."""

_log = logging.getLogger(__name__)


class Preparations:
    """A queue without duplicates per owner. `failed` is called with defects, `wanted` when work was queued."""

    def __init__(
        self,
        failed: Callable[[str, BaseException], None],
        wanted: Callable[[], object] = lambda: None,
    ) -> None:
        self._failed, self._wanted = failed, wanted
        self._waiting: dict[tuple[str, Hashable], Callable[[], object]] = {}
        self._busy = False
        self._lock = threading.Lock()

    def prepare(self, name: str, owner: Hashable, work: Callable[[], object]) -> None:
        """Queue work for an owner, unless the same work is queued already. The name of work for one checkout
        or project must include it; otherwise another's would count as the same.
        """
        with self._lock:
            if len(self._waiting) < _MOST_WAITING:
                self._waiting.setdefault((name, owner), work)
        self._wanted()

    def run_one(self) -> bool:
        """Run the oldest queued work. False if the queue is empty."""
        with self._lock:
            if not self._waiting:
                return False
            name, owner = next(iter(self._waiting))
            work = self._waiting.pop((name, owner))
            self._busy = True
        try:
            work()
        except ContextdError as error:
            _log.info("%s of %s: %s", name, owner, error.message)
        except Exception as error:  # noqa: BLE001 - whatever it is, the others must be done
            _log.exception("%s of %s failed", name, owner)
            self._failed(NAME, error)
        finally:
            self._busy = False
        return True

    @property
    def count(self) -> int:
        """The number of queued and running items."""
        with self._lock:
            return len(self._waiting) + self._busy

    def step(self) -> float | None:
        """Run the oldest queued work; return 0 if there may be more."""
        return 0.0 if self.run_one() else None
