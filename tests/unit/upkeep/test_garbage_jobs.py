"""Rows of the queue that no contextd wrote: each fails alone, and is told."""

from __future__ import annotations

import logging

import pytest

from contextd.thin.home import LOCAL, database_path
from contextd_common.errors import Conflict
from support.databases import open_database
from support.desks import Desk

GOOD = {
    "scope": "", "name": "end_idle_sessions", "arguments": "{}", "lane": "learning",
    "checkpoint": "{}", "run_at": 0, "max_attempts": 5,
}  # fmt: skip

GARBAGE = {
    "unknown name": ({"name": "drop_everything"}, "no job 'drop_everything'"),
    "empty name": ({"name": ""}, "no job ''"),
    "arguments cut off": ({"arguments": '{"root": "/ho'}, "unreadable: arguments"),
    "arguments of another shape": ({"arguments": "[1, 2]"}, "unreadable: arguments"),
    "arguments nested without end": ({"arguments": "[" * 50_000}, "unreadable: arguments"),
    "checkpoint unreadable": ({"checkpoint": "\x00"}, "unreadable: checkpoint"),
    "scope unreadable": ({"scope": "a//b/c/d"}, "unreadable: scope"),
    "scope of another organisation": (
        {"scope": "rival/web/shop"},
        "unknown project rival/web/shop",
    ),
    "due before all calendars": ({"run_at": -(2**62), "name": "x"}, "no job 'x'"),
}


def put_job(desk: Desk, number: int, **changed: object) -> str:
    """Write a row past every check; its id."""
    row = {**GOOD, **changed, "id": f"garbage-{number}"}
    connection = open_database(database_path(desk.host.settings.home, LOCAL))
    connection.execute(
        "INSERT INTO jobs (id, scope, name, arguments, state, lane, priority, place, unique_key,"
        " max_attempts, run_at, created_at, checkpoint) VALUES (:id, :scope, :name, :arguments,"
        " 'ready', :lane, 9, '', '', :max_attempts, :run_at, 0, :checkpoint)",
        row,
    )
    connection.close()
    return f"garbage-{number}"


def test_each_garbage_row_fails_with_its_reason_and_keeps_no_other_job_waiting(
    open_desk, home, caplog
):
    desk = open_desk(embedder_name="none")
    desk.as_owner("init")
    home.clock.move(seconds=1)
    ids = {
        name: put_job(desk, number, **changed)
        for number, (name, (changed, _)) in enumerate(GARBAGE.items())
    }
    desk("save_context", content="Exports carry a checksum")
    good = put_job(desk, 99)
    caplog.set_level(logging.INFO)
    for _ in range(6):
        desk.host.work_off()
        home.clock.move(hours=1)
    with open_database(database_path(desk.host.settings.home, LOCAL)) as connection:
        found = {id: (state, error) for id, state, error in connection.execute(
            "SELECT id, state, error FROM jobs")}  # fmt: skip
    assert found[good][0] == "done"
    for name, (_, reason) in GARBAGE.items():
        state, error = found[ids[name]]
        assert (name, state) == (name, "failed")
        assert reason in error
    assert not [record for record in caplog.records if record.exc_info]
    for asking in (desk, desk.nowhere()):
        failed = asking.as_owner("jobs", state="failed", limit=50)
        listed = {job["id"]: job["error"] for job in failed["jobs"]}
        assert [name for name, id in ids.items() if id not in listed] == []
        assert "unreadable: scope" in listed[ids["scope unreadable"]]
        assert failed["counts"]["failed"] == len(GARBAGE) == len(listed)
    for name in ("scope unreadable", "scope of another organisation"):
        with pytest.raises(Conflict, match="cannot be run"):
            desk.as_owner("retry_job", id=ids[name])
    health = desk.as_owner("doctor")
    [check] = [one for one in health["checks"] if one["name"] == "jobs"]
    assert not check["ok"]
    assert "drop_everything" in check["detail"]
    problems = desk.host.health()["problems"]
    assert any("rival/web/shop" in problem for problem in problems)


def test_status_tells_of_a_job_that_failed_for_good(open_desk, home):
    desk = open_desk(embedder_name="none")
    desk.as_owner("init")
    put_job(desk, 1, name="drop_everything")
    assert desk.as_owner("status")["problems"] == []
    for _ in range(6):
        desk.host.work_off()
        home.clock.move(hours=1)
    [problem] = desk.as_owner("status")["problems"]
    assert problem.startswith("job drop_everything failed: invalid: no job 'drop_everything'")


@pytest.mark.parametrize(
    "values",
    ["('a//b', 'retire_old_rows', 0, 1)", "('', 'retire_old_rows', -4611686018427387904, 1000000)",
     "('', 'retire_old_rows', 0, 0)", "('', 'retire_old_rows', 0, -5)", "('', 'nothing', 0, 60)"],
)  # fmt: skip
def test_a_garbage_schedule_keeps_no_job_waiting(open_desk, home, values):
    desk = open_desk(embedder_name="none")
    desk.as_owner("init")
    with open_database(database_path(desk.host.settings.home, LOCAL)) as connection:
        connection.execute(f"INSERT OR REPLACE INTO schedules VALUES {values}")
    good = put_job(desk, 1)
    home.clock.move(minutes=1)
    desk.host.work_off()
    listed = desk.nowhere().as_owner("jobs", limit=50)["jobs"]
    assert [job["state"] for job in listed if job["id"] == good] == ["done"]
