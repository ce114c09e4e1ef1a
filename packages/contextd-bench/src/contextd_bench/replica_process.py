"""One replica under load, as a process that may be killed: `python -m contextd_bench.replica_process URL ORG LOG PLACE`.

It commits records with a key and a job each, works on jobs, and appends to LOG what was acknowledged.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges, NewJob, Put, WorkChanges
from contextd.domain.records import Record, new_id
from contextd.domain.scope import Scope
from contextd.ports.store import Store, View
from contextd.stores import open_store
from contextd_common.errors import Busy, Conflict, ContextdError, Unavailable

LEASE_SECONDS = 2.0


def scope_of(organisation: str) -> Scope:
    """The project of an organisation that the replicas write to."""
    return Scope(organisation, "default", "shop")


def main(arguments: Sequence[str]) -> None:
    """Write and work until the process is ended."""
    url, organisation, log, place = arguments
    store = open_store(url, organisation, scrub=lambda text: text)
    scope = scope_of(organisation)
    view = store.view(OWNER.grant([scope]))
    with Path(log).open("a") as acknowledged:
        while True:
            _commit(view, scope, acknowledged)
            _work(store, place, acknowledged)


def _commit(view: View, scope: Scope, acknowledged: TextIO) -> None:
    id_ = new_id()
    put = Put(Record(id=id_, kind="memory", scope=scope, content=f"how {id_} is retried"), "write")
    job = NewJob(name="count", scope=scope, arguments={"record": id_}, max_attempts=1_000)
    changes = Changes(knowledge=KnowledgeChanges(records=[put]), work=WorkChanges(jobs=[job]))
    while True:
        try:
            view.commit(changes, call=id_)
        except Conflict:
            # Committed before its answer was lost.
            pass
        except (Busy, Unavailable):
            time.sleep(0.02)
            continue
        _say(acknowledged, f"record {id_}")
        return


def _work(store: Store, place: str, acknowledged: TextIO) -> None:
    try:
        job = store.queue.claim(place, LEASE_SECONDS, lanes=["upkeep"], place="")
        if job is not None:
            store.queue.finish(job.id, place, {"by": place})
            _say(acknowledged, f"job {job.id}")
    except ContextdError:
        # Its lease ends, and another replica takes it.
        time.sleep(0.02)


def _say(acknowledged: TextIO, line: str) -> None:
    acknowledged.write(f"{line}\n")
    acknowledged.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
