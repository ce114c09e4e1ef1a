"""What grows without end is dropped when it is older than the settings keep it; nothing in use goes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from contextd.domain.changes import Changes, NewJob, WorkChanges
from contextd.domain.jobs import LANES
from contextd.domain.usage import ByProducts, HandedOut
from contextd.runtime.setting_table import SETTINGS

DAYS = {
    "retention_jobs_days": 14,
    "retention_events_days": 90,
    "retention_history_days": 365,
    "retention_handed_out_days": 30,
    "retention_answers_days": 1,
}


def test_the_defaults_are_those_these_tests_stand_on():
    named = {flag: SETTINGS[flag.replace("_", ".", 1)].default for flag in DAYS}
    assert named == DAYS


@pytest.fixture
def used(open_desk, home):
    """A project in which everything that is retired sooner or later was made once."""
    desk = open_desk(embedder_name="none")
    desk.as_owner("init")
    note = desk("save_context", content="Exports carry a checksum")["id"]
    for number in range(25):
        desk("update_context", id=note, content=f"Exports carry {number} checksums")
    # Without a connection: a conversation would go on after a year.
    session = desk("session_start", task_description="Exports")["session_id"]
    desk("session_log", session_id=session, role="user", text="Look at the export worker.")
    desk("session_end", session_id=session, outcome="success")
    desk.upkeep.note(ByProducts(handed_out=(HandedOut(desk.scope, session, "a" * 32),)))
    desk.host.work_off()
    return desk, note, session


def later(desk, home, days: float) -> None:
    """So many days on, with everything done that came round until then."""
    home.clock.move(days=days)
    desk.host.work_off()


def counts(desk, note: str, session: str) -> dict[str, Any]:
    view = desk.view
    return {
        "jobs": view.jobs.count().get("done", 0),
        "changes": len(view.records.history(note)),
        "calls": len(view.sessions.events(session)),
        "messages": len(view.sessions.events(session, types=("message",))),
        "handed_out": len(view.sessions.handed_out(desk.scope, session, ["a" * 32])),
    }


def test_each_sort_of_row_goes_when_it_is_older_than_its_setting(used, home):
    desk, note, session = used
    first = counts(desk, note, session)
    assert (first["changes"], first["messages"], first["handed_out"]) == (26, 1, 1)
    learned = [job.id for job in desk.view.jobs.list() if job.name == "learn_session"]
    later(desk, home, 13)
    kept = counts(desk, note, session)
    assert kept["jobs"] >= first["jobs"]
    assert (kept["changes"], kept["handed_out"]) == (26, 1)
    later(desk, home, 2)
    assert learned
    assert not {job.id for job in desk.view.jobs.list(limit=500)}.intersection(learned)
    assert counts(desk, note, session)["handed_out"] == 1
    later(desk, home, 17)
    assert counts(desk, note, session)["handed_out"] == 0
    assert desk.view.sessions.get(session).status == "archived"
    assert counts(desk, note, session)["calls"] == first["calls"]
    later(desk, home, 60)
    old = counts(desk, note, session)
    assert (old["calls"], old["messages"]) == (1, 1), "what was said stays, what was called goes"
    assert old["changes"] == 26
    later(desk, home, 300)
    assert counts(desk, note, session)["changes"] == 20
    assert desk.record(note).content == "Exports carry 24 checksums"
    assert [text for one in desk.upkeep.balance() for text in one.problems] == []


def test_nothing_in_use_is_retired_however_old_it_is(used, home):
    desk, note, session = used
    [waiting] = desk.host.organisation("local").view(desk.caller, [desk.scope]).commit(
        _changes(NewJob(name="embed_pending", scope=desk.scope, run_at=home.clock.now() + timedelta(days=900)))
    ).jobs  # fmt: skip
    open_one = desk.connected("long").answer("session_start", task_description="Long").value
    agent = desk.connected("long")
    for _ in range(8):
        later(desk, home, 50)
        agent("read_file", path="src/auth/token.ts")
    states = {job.id: job.state for job in desk.view.jobs.list(limit=500)}
    assert states[waiting] == "ready"
    assert desk.record(note).status == "active"
    assert desk.view.sessions.get(open_one["session_id"]) is not None
    assert desk("search_contexts", query="checksums")["entries"][0]["id"] == note
    assert desk.view.sessions.events(session, types=("message",))


def test_zero_days_keep_everything(open_desk, home):
    desk = open_desk(
        embedder_name="none",
        retention_jobs_days=0,
        retention_events_days=0,
        retention_history_days=0,
        retention_handed_out_days=0,
    )
    desk.as_owner("init")
    note = desk("save_context", content="Exports carry a checksum")["id"]
    for number in range(25):
        desk("update_context", id=note, content=f"Exports carry {number} checksums")
    session = desk("session_start", task_description="Exports")["session_id"]
    desk("session_end", session_id=session, outcome="success")
    desk.upkeep.note(ByProducts(handed_out=(HandedOut(desk.scope, session, "a" * 32),)))
    desk.host.work_off()
    first = counts(desk, note, session)
    later(desk, home, 800)
    kept = counts(desk, note, session)
    assert {name: kept[name] >= count for name, count in first.items()} == dict.fromkeys(
        first, True
    )


def test_an_answer_that_was_lost_can_be_asked_for_again_for_a_day_and_no_longer(used, home):
    desk, _, _ = used
    view = desk.view
    view.commit(_changes(NewJob(name="embed_pending", scope=desk.scope)), call="call-1")
    view.keep_answer("call-1", "done")
    later(desk, home, 0.9)
    assert view.answered("call-1") == "done"
    later(desk, home, 1.2)
    assert view.answered("call-1") is None


def test_a_job_under_way_and_one_that_failed_lately_are_kept(used, home):
    desk, _, _ = used
    failed = desk.failed_job("learn_session", "no luck")
    with desk.elsewhere() as store:
        [running] = store.queue.add([NewJob(name="learn_session", scope=desk.scope, place="far")])
        assert store.queue.claim("far", 10**9, lanes=LANES, place="far") is not None
    later(desk, home, 10)
    assert {failed, running} <= {job.id for job in desk.view.jobs.list(limit=500)}
    later(desk, home, 10)
    left = {job.id for job in desk.view.jobs.list(limit=500)}
    assert running in left
    assert failed not in left


def _changes(job: NewJob) -> Any:
    return Changes(actor="test", work=WorkChanges(jobs=[job]))
