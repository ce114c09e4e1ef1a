"""What `Replicas` promises: values kept once, and machines whose jobs nobody does when they are gone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from contextd.domain.changes import NewJob
from contextd.domain.jobs import LANES
from contextd.domain.records import Record
from support.strategies import SCOPES

DAY = timedelta(days=1)


def test_the_first_value_under_a_name_stays(store):
    assert store.replicas.keep("key", "one") == "one"
    assert store.replicas.keep("key", "two") == "one"
    assert store.replicas.keep("other", "two") == "two"


def test_a_value_is_replaced_by_who_knows_it(store):
    store.replicas.keep("key", "one")
    assert store.replicas.keep("key", "two", instead_of="zero") == "one"
    assert store.replicas.keep("key", "two", instead_of="one") == "two"
    assert store.replicas.keep("key", "three") == "two"


def test_the_clock_of_a_scope_grows_with_every_change_of_its_documents(store):
    assert store.replicas.clocks() == {}
    seen = []
    for content in ("how uploads are retried", "where invoices are kept"):
        store.put(Record(id="r", kind="memory", scope=SCOPES[2], content=content))
        clocks = store.replicas.clocks()
        assert list(clocks) == [SCOPES[2]]
        seen.append(clocks[SCOPES[2]])
    assert seen[0] < seen[1]
    assert store.replicas.clocks() == {SCOPES[2]: seen[1]}


def queued(store, name: str, place: str) -> str:
    return store.queue.add([NewJob(name=name, scope=SCOPES[2], place=place)])[0]


def listed(store) -> dict[str, tuple[str, str]]:
    return {job.id: (job.state, job.place) for job in store.jobs.list()}


def test_jobs_of_a_machine_that_is_gone_move_or_fail(timed, clock):
    timed.replicas.attend("here")
    timed.replicas.attend("gone")
    old = {name: queued(timed, name, place) for name, place in
           (("learn", "gone"), ("scan", "gone"), ("stay", "here"), ("free", ""))}  # fmt: skip
    clock.move(days=2)
    timed.replicas.attend("here")
    fresh = queued(timed, "scan", "gone")
    changed = timed.replicas.settle_orphans(DAY, ["learn"])
    assert {job.id: job.state for job in changed} == {old["learn"]: "ready", old["scan"]: "failed"}
    assert listed(timed) == {
        old["learn"]: ("ready", ""),
        old["scan"]: ("failed", "gone"),
        old["stay"]: ("ready", "here"),
        old["free"]: ("ready", ""),
        fresh: ("ready", "gone"),
    }
    [failed] = timed.upkeep.failed_jobs(5)
    assert failed.error == (
        "it needs the checkout of the machine gone, which was not running for 1 days"
    )
    assert timed.replicas.settle_orphans(DAY, ["learn"]) == []


@pytest.mark.parametrize("lease_days", [1, 3])
def test_a_job_that_a_machine_runs_is_its_own_until_the_lease_ends(timed, clock, lease_days):
    taken = queued(timed, "scan", "gone")
    assert timed.queue.claim("w", lease_days * 86_400, lanes=LANES, place="gone") is not None
    clock.move(days=2)
    changed = timed.replicas.settle_orphans(DAY, [])
    assert [job.id for job in changed] == ([taken] if lease_days == 1 else [])
