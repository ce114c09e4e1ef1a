"""One replica with agents, as a process: `python -m contextd_bench.replica_agents URL SECONDS AGENTS SEED NAME…`.

Each agent searches, reads and writes in an organisation that it chooses anew for each call, without a pause. The
process prints the seconds of each call, its errors, and its peak of memory, as JSON.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Sequence
from threading import Lock, Thread

import numpy as np

from contextd.domain.access import OWNER
from contextd.domain.query import Query
from contextd.domain.records import new_id
from contextd.domain.scope import Scope
from contextd.ports.store import View
from contextd.stores import open_shared, open_store
from contextd_bench.replica_rows import put_of, text_of, unit_of
from contextd_common.errors import ContextdError

_TERMS = 6


def scope_in(organisation: str) -> Scope:
    """The project of an organisation that the agents work in."""
    return Scope(organisation, "default", "shop")


class Agents:
    """The agents of a replica, and what they met."""

    def __init__(self, url: str, names: Sequence[str]) -> None:
        self._shared = open_shared(url)
        self._views: list[tuple[Scope, View]] = []
        for name in names:
            store = open_store(url, name, scrub=lambda text: text, shared=self._shared)
            scope = scope_in(name)
            self._views.append((scope, store.view(OWNER.grant([scope]))))
        self._lock = Lock()
        self.seconds: list[float] = []
        self.errors: Counter[str] = Counter()

    def work(self, seed: int, until: float) -> None:
        """Call until the time is over."""
        chance, vectors = random.Random(seed), np.random.default_rng(seed)
        while time.monotonic() < until:
            scope, view = chance.choice(self._views)
            began = time.monotonic()
            try:
                self._call(chance, vectors, scope, view)
            except ContextdError as error:
                with self._lock:
                    self.errors[f"{error.code}: {error.message[:80]}"] += 1
            else:
                with self._lock:
                    self.seconds.append(time.monotonic() - began)

    def _call(
        self, chance: random.Random, vectors: np.random.Generator, scope: Scope, view: View
    ) -> None:
        query = Query(scopes=frozenset({scope}))
        act = chance.random()
        if act < 0.6:
            view.index.lexical(text_of(chance).split()[:_TERMS], query, 20)
            view.index.dense(unit_of(vectors), "m", query, 20)
        elif act < 0.8:
            id_ = new_id()
            view.commit(put_of(scope, id_, text_of(chance)), call=id_)
        elif act < 0.9:
            view.records.get([f"{chance.randrange(1_000):08}"])
        else:
            view.records.find(Query(scopes=frozenset({scope}), limit=20))


def main(arguments: Sequence[str]) -> None:
    """Let the agents work, and print what they met."""
    url, seconds, count, seed, *names = arguments
    agents = Agents(url, names)
    until = time.monotonic() + float(seconds)
    threads = [
        Thread(target=agents.work, args=(1_000 * int(seed) + number, until))
        for number in range(int(count))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    found = {"seconds": agents.seconds, "errors": agents.errors, "megabytes": peak}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
