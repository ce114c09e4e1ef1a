"""Fixes that sessions teach: how many of them must have ended an error by the same step, and of how many."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from contextd.briefing.remedy_injection import remedy_for
from contextd.domain.changes import WorkChanges
from contextd.domain.sessions import Session, SessionChange
from contextd.remedies.learned_fixes import keep_remedies
from contextd.remedies.session_errors import ERRORS, errors_met, kept
from support.desks import Desk
from support.talks import Talk

ERROR = "error: gpg failed to sign the data of the commit"


def learn(desk: Desk, number: int, *steps: str) -> None:
    """A session that meets the error, takes the steps, and meets it no more."""
    runtime = desk.runtime()
    talk = Talk().runs("git commit -m x", ERROR, 1)
    for step in steps:
        talk.runs(step)
    errors = errors_met(talk.runs("git commit -m x", "ok").events)
    now = runtime.clock.now() + timedelta(minutes=number)
    session = Session(
        scope=desk.scope, client="x", external_id=f"s{number}", started_at=now, last_seen_at=now
    )
    runtime.commit(work=WorkChanges(open=[session]))
    keep_remedies(runtime, session, errors)
    data: dict[str, Any] = {ERRORS: kept(errors)}
    runtime.commit(
        work=WorkChanges(sessions=[SessionChange(id=session.id, data=data, ended_at=now)])
    )


def told(desk: Desk) -> str:
    return remedy_for(desk.runtime(), None, ERROR)[0]


def test_what_ended_an_error_in_two_sessions_is_told(desk: Desk, colleague: Desk) -> None:
    learn(desk, 1, "gpgconf --kill gpg-agent")
    assert told(desk) == ""
    learn(desk, 2, "gpgconf --kill gpg-agent", "npm test")
    assert "gpgconf --kill gpg-agent" in told(desk)
    assert told(colleague) == ""


def test_an_error_that_each_session_ended_otherwise_waits_from_the_third_on(desk: Desk) -> None:
    for number in range(1, 4):
        assert desk("remediation_search", error=ERROR)["remediations"] == [], number
        learn(desk, number, f"make part{number}x")
    [one] = desk("remediation_search", error=ERROR)["remediations"]
    assert (one["status"], told(desk)) == ("candidate", "")


def test_what_ended_it_in_two_sessions_of_many_is_told_no_more(desk: Desk) -> None:
    for number in range(1, 3):
        learn(desk, number, "npm run lint")
    assert "npm run lint" in told(desk)
    for number in range(3, 8):
        learn(desk, number, f"make part{number}x")
    assert told(desk) == ""
    [one] = desk("remediation_search", error=ERROR)["remediations"]
    assert (one["status"], one["verified"]) == ("candidate", False)


def test_what_a_person_kept_stays_whatever_sessions_do(desk: Desk) -> None:
    for number in range(1, 3):
        learn(desk, number, "npm run lint")
    [one] = desk("remediation_search", error=ERROR)["remediations"]
    desk.put(desk.record(one["id"]).with_(trust="human"))
    for number in range(3, 8):
        learn(desk, number, f"make part{number}x")
    assert "npm run lint" in told(desk)


def test_a_removal_is_a_fix_of_the_same_thing_only(desk: Desk) -> None:
    for number in range(1, 3):
        learn(desk, number, f"rm -rf /w/tmp/clone-{number}")
    assert told(desk) == ""
    for number in range(3, 5):
        learn(desk, number, "rm -rf node_modules")
    assert "rm -rf node_modules" in told(desk)
