"""The usage log's front: calls hand their by-products over and go on; a service writes them down.

Observations, uses and sentences are by-products, never acknowledged to anybody, so they may be
written a moment later: a durable write costs a disk flush, handing over costs microseconds.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import field
from functools import partial

from contextd.domain.dataclass import dataclass
from contextd.domain.errors import Busy, ContextdError, Unavailable
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.usage import ByProducts, HandedOut, Observation, RecordUse
from contextd.ports import Upkeep

_log = logging.getLogger(__name__)

NAME = "usage log"
_MOST_HELD = 50_000
"""By-products held while the store cannot be written; past it the oldest go, and that is logged."""


@dataclass(slots=True)
class _Waiting:
    """What was handed over and is not written yet."""

    observations: list[Observation] = field(default_factory=list[Observation])
    uses: list[RecordUse] = field(default_factory=list[RecordUse])
    handed_out: list[HandedOut] = field(default_factory=list[HandedOut])

    def __len__(self) -> int:
        return len(self.observations) + len(self.uses) + len(self.handed_out)

    def all(self) -> ByProducts:
        return ByProducts(
            observations=tuple(self.observations),
            uses=tuple(self.uses),
            handed_out=tuple(self.handed_out),
        )

    def singly(self) -> Iterable[ByProducts]:
        for observation in self.observations:
            yield ByProducts(observations=(observation,))
        yield ByProducts(uses=tuple(self.uses))
        for sentence in self.handed_out:
            yield ByProducts(handed_out=(sentence,))


class UsageLog:
    """Collects by-products and small late writes; writes them every `interval` seconds.

    `failed` is told of every by-product that could not be written because of a defect: it is dropped,
    and nothing else with it. What the store could not take at the moment is written later.
    """

    def __init__(
        self,
        upkeep: Upkeep,
        failed: Callable[[str, BaseException], None],
        *,
        interval: float = 0.5,
        remembered: int = 20_000,
    ) -> None:
        self._upkeep, self._failed = upkeep, failed
        self._interval, self._remembered = interval, remembered
        self._waiting = _Waiting()
        self._small: list[tuple[str, Callable[[], object]]] = []
        self._recent: OrderedDict[HandedOut, None] = OrderedDict()
        self._lock = threading.Lock()
        # A late write may itself want what was collected written first.
        self._writing = threading.RLock()
        self._wanted = threading.Event()

    def observe(self, observation: Observation) -> None:
        """Take one observation."""
        with self._lock:
            self._waiting.observations.append(observation)
        self._wanted.set()

    def handed_out(self, scope: Scope, session: str, digests: Iterable[str]) -> None:
        """Remember sentences contextd said in a session."""
        with self._lock:
            for sentence in (HandedOut(scope, session, digest) for digest in digests):
                if sentence not in self._recent:
                    self._waiting.handed_out.append(sentence)
                self._recent[sentence] = None
                self._recent.move_to_end(sentence)
            while len(self._recent) > self._remembered:
                self._recent.popitem(last=False)
        self._wanted.set()

    def used(self, records: Iterable[Record]) -> None:
        """Count a use of these records."""
        with self._lock:
            self._waiting.uses.extend(RecordUse(record.scope, record.id) for record in records)
        self._wanted.set()

    def later(self, name: str, write: Callable[[], object]) -> None:
        """Run a small write in a moment, in order."""
        with self._lock:
            self._small.append((name, write))
        self._wanted.set()

    def flush(self) -> None:
        """Write what was collected. Raises `Busy` or `Unavailable` when the store cannot take it now:
        then it is kept.
        """
        with self._writing:
            with self._lock:
                waiting, self._waiting = self._waiting, _Waiting()
                small, self._small = self._small, []
            self._write(waiting)
            for name, write in small:
                self._run(name, write)

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
            for one in waiting.singly():
                self._run(NAME, partial(self._upkeep.note, one))

    def _run(self, name: str, write: Callable[[], object]) -> None:
        try:
            write()
        except ContextdError as error:
            _log.warning("%s: %s", name, error.message)
        except Exception as error:  # noqa: BLE001 - whatever it is, the others must be kept
            _log.exception("%s failed", name)
            self._failed(name, error)

    def _put_back(self, waiting: _Waiting) -> None:
        with self._lock:
            later = self._waiting
            self._waiting = _Waiting(
                waiting.observations + later.observations,
                waiting.uses + later.uses,
                waiting.handed_out + later.handed_out,
            )
            if len(self._waiting) > _MOST_HELD:
                _log.error("%d by-products dropped: the store took none", len(self._waiting))
                self._waiting = later

    def settle(self) -> None:
        """Write what was collected; what cannot be written now is kept."""
        try:
            self.flush()
        except (Busy, Unavailable) as error:
            _log.warning("usage log not written: %s", error.message)

    def wake(self) -> None:
        """End the wait of `run`."""
        self._wanted.set()

    def run(self, stop: threading.Event) -> None:
        """Write what comes in until told to stop, and then the rest."""
        while not stop.is_set():
            self._wanted.wait()
            stop.wait(self._interval)
            self._wanted.clear()
            self.settle()
        self.settle()
