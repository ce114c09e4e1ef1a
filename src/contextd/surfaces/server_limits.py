"""How much a member and an organisation may ask of a server: requests a minute, and requests at once."""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from contextd.domain.access import Caller
from contextd.runtime.settings import Settings
from contextd.surfaces.web.access import Bucket, TooManyRequests
from contextd_common.dataclass import dataclass

_KNOWN = 10_000
"""Members and organisations whose rates are kept; those that called longest ago are forgotten first, with full rates."""


@dataclass(frozen=True, slots=True)
class _Limit:
    """A limit, and its owner in words."""

    whose: str
    rate: int
    at_once: int


class ServerLimits:
    """Admits requests. `clock` returns seconds that never go back. For one event loop."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        number = settings.number
        self._member = _Limit("you", number("server.member_rate"), number("server.member_calls"))
        self._organisation = _Limit(
            "your organisation",
            number("server.organisation_rate"),
            number("server.organisation_calls"),
        )
        self._clock = clock
        self._rates: OrderedDict[Hashable, Bucket] = OrderedDict()
        self._running: Counter[Hashable] = Counter()

    @contextmanager
    def admitted(self, caller: Caller) -> Iterator[None]:
        """Count a request while this context is open. Raises `TooManyRequests`."""
        whose = (
            ((caller.org, caller.name), self._member),
            ((caller.org,), self._organisation),
        )
        for key, limit in whose:
            if self._running[key] >= limit.at_once:
                raise TooManyRequests(
                    f"{limit.at_once} requests of {limit.whose} are running", retry_after=1
                )
        for key, limit in whose:
            self._take(key, limit)
        for key, _ in whose:
            self._running[key] += 1
        try:
            yield
        finally:
            for key, _ in whose:
                self._running[key] -= 1
                if not self._running[key]:
                    del self._running[key]

    def _take(self, key: Hashable, limit: _Limit) -> None:
        now = self._clock()
        bucket = self._rates.get(key)
        if bucket is None:
            # A tenth of a minute's requests may come at once.
            most = max(1.0, limit.rate / 10)
            bucket = self._rates[key] = Bucket(most, limit.rate / 60, most, now)
            while len(self._rates) > _KNOWN:
                self._rates.popitem(last=False)
        self._rates.move_to_end(key)
        if not bucket.take(now):
            wait = math.ceil((1.0 - bucket.left) / bucket.per_second)
            raise TooManyRequests(
                f"{limit.whose} may send {limit.rate} requests a minute", max(1, wait)
            )
