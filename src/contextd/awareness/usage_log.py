"""Buffer for the usage log: calls hand over their by-products, and a duty of the pool writes them later.

Observations and uses of a call that writes nothing are by-products that no caller waits for, so they may be written
later: a durable write costs a disk flush, handing over costs microseconds.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import field
from functools import partial

from contextd.domain.records import Record
from contextd.domain.usage import ByProducts, Observation, RecordUse
from contextd.ports.upkeep import Upkeep
from contextd_common.dataclass import dataclass
from contextd_common.errors import Busy, ContextdError, Stale, Unavailable

_log = logging.getLogger(__name__)

NAME = "usage log"
_MOST_HELD = 50_000
"""Observations buffered while the store cannot be written; beyond it the oldest are dropped and logged."""
_MOST_TRIES = 20
"""Attempts at a late write that depends on more than the store: a read-only checkout never becomes writable.
A busy store is retried without a limit."""
WRITE_AFTER = 0.5
"""Seconds in which by-products are gathered for one write."""

_RETRY_SECONDS = 2.0
_LAST_TRIES = 3
"""Attempts at shutdown. Each one waits for the store's own timeout first."""


@dataclass(slots=True)
class _Waiting:
    """By-products that were handed over and are not written yet."""

    observations: list[Observation] = field(default_factory=list[Observation])
    uses: list[RecordUse] = field(default_factory=list[RecordUse])

    def __len__(self) -> int:
        return len(self.observations) + len(self.uses)

    def all(self) -> ByProducts:
        return ByProducts(observations=tuple(self.observations), uses=tuple(self.uses))

    def singly(self) -> Iterable[ByProducts]:
        for observation in self.observations:
            yield ByProducts(observations=(observation,))
        yield ByProducts(uses=tuple(self.uses))


@dataclass(slots=True)
class _LateWrite:
    """A small write that was handed over, and the number of temporary failures."""

    name: str
    write: Callable[[], object]
    tries: int = 0


class UsageLog:
    """Collects by-products and small late writes. `wanted` is called when there is something to write.

    `failed` is called with every by-product that could not be written because of a defect: only that one
    is dropped. By-products that the store could not write at the moment are retried.
    """

    def __init__(
        self,
        upkeep: Upkeep,
        failed: Callable[[str, BaseException], None],
        *,
        wanted: Callable[[], object] = lambda: None,
    ) -> None:
        self._upkeep, self._failed = upkeep, failed
        self._wanted = wanted
        self._waiting = _Waiting()
        self._small: list[_LateWrite] = []
        self._lock = threading.Lock()
        # A late write may require that collected by-products are written first.
        self._writing = threading.RLock()

    def observe(self, observation: Observation) -> None:
        """Take one observation."""
        with self._lock:
            self._waiting.observations.append(observation)
        self._wanted()

    def used(self, records: Iterable[Record]) -> None:
        """Count one use of each of these records."""
        with self._lock:
            self._waiting.uses.extend(RecordUse(record.scope, record.id) for record in records)
        self._wanted()

    def later(self, name: str, write: Callable[[], object]) -> None:
        """Run a small write later, in order."""
        with self._lock:
            self._small.append(_LateWrite(name, write))
        self._wanted()

    def flush(self) -> None:
        """Write the buffer. Raises `Busy` or `Unavailable` if the store cannot be written now: then the
        buffer is kept, including the late writes after it.
        """
        with self._writing:
            with self._lock:
                waiting, self._waiting = self._waiting, _Waiting()
            self._write(waiting)
            with self._lock:
                small, self._small = self._small, []
            self._write_late(small)

    def _write(self, waiting: _Waiting) -> None:
        if not waiting:
            return
        try:
            self._upkeep.note(waiting.all())
        except (Busy, Unavailable):
            self._put_back(waiting)
            raise
        except Exception:  # noqa: BLE001 - whatever it is, the others must be kept
            _log.exception("by-products could not be written together")
            self._write_late(
                [_LateWrite(NAME, partial(self._upkeep.note, one)) for one in waiting.singly()]
            )

    def _write_late(self, small: list[_LateWrite]) -> None:
        """Run late writes in order. Raises `Busy`; the failed one and those after it are kept."""
        for at, late in enumerate(small):
            try:
                self._run(late)
            except Busy:
                with self._lock:
                    self._small = [*small[at:], *self._small]
                raise

    def _run(self, late: _LateWrite) -> None:
        """Run a write; after a temporary failure it is kept. Raises `Busy`."""
        try:
            late.write()
        except Busy:
            raise
        except (Unavailable, Stale) as error:
            late.tries += 1
            if late.tries < _MOST_TRIES:
                with self._lock:
                    self._small.append(late)
            else:
                _log.error("%s dropped after %d attempts: %s", late.name, late.tries, error.message)
        except ContextdError as error:
            _log.warning("%s: %s", late.name, error.message)
        except Exception as error:  # noqa: BLE001 - whatever it is, the others must be kept
            _log.exception("%s failed", late.name)
            self._failed(late.name, error)

    def _put_back(self, waiting: _Waiting) -> None:
        with self._lock:
            later = self._waiting
            observations = waiting.observations + later.observations
            dropped = max(0, len(observations) - _MOST_HELD)
            if dropped:
                _log.error("%d observations dropped: the store could not be written", dropped)
            self._waiting = _Waiting(observations[dropped:], waiting.uses + later.uses)

    def settle(self) -> bool:
        """Write the buffer; false if something is kept because it cannot be written now."""
        try:
            self.flush()
        except (Busy, Unavailable) as error:
            _log.warning("usage log not written: %s", error.message)
            return False
        with self._lock:
            return not self._small

    def step(self) -> float | None:
        """Write the buffer; return the seconds until kept by-products are tried again, None if nothing is kept."""
        return None if self.settle() else _RETRY_SECONDS

    def close(self) -> None:
        """Write what is left; what cannot be written is lost and logged."""
        for _ in range(_LAST_TRIES):
            if self.settle():
                return
        with self._lock:
            left = len(self._waiting) + len(self._small)
        _log.error("%d by-products lost: the store could not be written before the end", left)
