"""The usage log's front: calls hand their observation over and go on; a thread writes it down.

Observations and served sentences are by-products, never acknowledged to anybody, so they may be
written a moment later: a durable write costs a disk flush, handing over costs microseconds.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from contextd.domain.errors import ContextdError
from contextd.domain.scope import Scope
from contextd.domain.usage import Observation
from contextd.ports import Clock, Store

_log = logging.getLogger(__name__)


class UsageLog:
    """Collects observations, uses and served sentences; writes them every `interval` seconds."""

    def __init__(
        self, store: Store, clock: Clock, interval: float = 0.5, remembered: int = 20_000
    ) -> None:
        self._store, self._clock = store, clock
        self._interval, self._remembered = interval, remembered
        self._used: list[str] = []
        self._small: list[Callable[[], None]] = []
        self._observations: list[Observation] = []
        self._served: list[tuple[Scope, str]] = []
        self._recent: OrderedDict[tuple[Scope, str], None] = OrderedDict()
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="usage-log", daemon=True)
        self._thread.start()

    def observe(self, observation: Observation) -> None:
        """Take one observation."""
        with self._lock:
            self._observations.append(observation)
        self._wanted.set()

    def served(self, scope: Scope, digests: Iterable[str]) -> None:
        """Remember sentences contextd handed out in a project; `was_served` knows them at once."""
        with self._lock:
            for sentence in ((scope, digest) for digest in digests):
                if sentence not in self._recent:
                    self._served.append(sentence)
                self._recent[sentence] = None
                self._recent.move_to_end(sentence)
            while len(self._recent) > self._remembered:
                self._recent.popitem(last=False)
        self._wanted.set()

    def used(self, record_ids: Sequence[str]) -> None:
        """Count a use of these records."""
        with self._lock:
            self._used.extend(record_ids)
        self._wanted.set()

    def later(self, write: Callable[[], None]) -> None:
        """Run a small write in a moment, in order."""
        with self._lock:
            self._small.append(write)
        self._wanted.set()

    def was_served(self, scope: Scope, digests: Sequence[str]) -> set[str]:
        """Which of these sentences were handed out before in the project, by whichever process."""
        with self._lock:
            known = {digest for digest in digests if (scope, digest) in self._recent}
        rest = [digest for digest in digests if digest not in known]
        return known | (self._store.sessions.served(scope, rest) if rest else set())

    def flush(self) -> None:
        """Write what was collected."""
        with self._lock:
            observations, self._observations = self._observations, []
            served, self._served = self._served, []
            used, self._used = self._used, []
            small, self._small = self._small, []
        if observations or served or used:
            by_scope: dict[Scope, list[str]] = {}
            for scope, digest in served:
                by_scope.setdefault(scope, []).append(digest)
            with self._store.transaction():
                self._store.observations.append(observations)
                for scope, digests in by_scope.items():
                    self._store.sessions.mark_served(scope, digests)
                if used:
                    self._store.records.touch(used, self._clock.now())
        for write in small:
            try:
                write()
            except ContextdError as error:
                _log.warning("not tracked: %s", error.message)
            except Exception:  # noqa: BLE001 - one defect must not take the others, or the thread
                _log.exception("a by-product of a call failed")

    def settle(self) -> None:
        """Write what was collected; what cannot be written is logged."""
        try:
            self.flush()
        except ContextdError as error:
            _log.warning("usage log not written: %s", error.message)
        except Exception:  # noqa: BLE001 - as above
            _log.exception("usage log not written")

    def close(self) -> None:
        """Write the rest and stop."""
        self._closing.set()
        self._wanted.set()
        self._thread.join(timeout=10)
        self.flush()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._wanted.wait()
            self._closing.wait(self._interval)
            self._wanted.clear()
            self.settle()
