"""Fixes that sessions teach: how many of them must have ended an error by the same step, and of how many."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from contextd.briefing.remedy_injection import remedy_for
from contextd.domain.changes import WorkChanges
from contextd.domain.sessions import Session, SessionChange
from contextd.remedies.learned_fixes import keep_remedies
from contextd.remedies.session_errors import ERRORS, Met, errors_met, kept
from support.desks import Desk
from support.repositories import git
from support.talks import Talk

ERROR = "error: gpg failed to sign the data of the commit"


def met_and_ended(*steps: str) -> list[Met]:
    """The error, the steps after it, and the command that then succeeds."""
    talk = Talk().runs("git commit -m x", ERROR, 1)
    for step in steps:
        talk.runs(step)
    return errors_met(talk.runs("git commit -m x", "ok").events)


def learn(desk: Desk, number: int, *steps: str) -> None:
    """A session that meets the error, takes the steps, and meets it no more."""
    runtime = desk.runtime()
    errors = met_and_ended(*steps)
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


def accept(desk: Desk) -> str:
    """One yes to what waits in the inbox; its id."""
    [one] = desk.as_owner("inbox")["waiting"]
    desk.as_owner("settle_candidate", id=one["record"]["id"], verdict="keep")
    return str(one["record"]["id"])


def test_a_fix_that_worked_in_two_sessions_is_told_after_one_acceptance(
    desk: Desk, colleague: Desk
) -> None:
    learn(desk, 1, "gpgconf --kill gpg-agent")
    assert desk.as_owner("inbox")["waiting"] == []
    learn(desk, 2, "gpgconf --kill gpg-agent", "npm test")
    [one] = desk.as_owner("inbox")["waiting"]
    assert (one["doubt"], told(desk)) == ("fixed", "")
    sessions = [session.id[:8] for session in desk.sessions()]
    assert "the same step ended the error in 2 of 2 sessions" in one["why"]
    assert all(session in one["why"] for session in sessions)
    accept(desk)
    assert "gpgconf --kill gpg-agent" in told(desk)
    assert told(colleague) == ""


def test_recording_the_fix_that_waits_accepts_it(desk: Desk) -> None:
    for number in range(1, 3):
        learn(desk, number, "gpgconf --kill gpg-agent")
    fix = {"title": "Signing fails", "problem": ERROR, "root_cause": "The agent hangs."}
    desk("remediation_record", **fix, solution="run `gpgconf --kill gpg-agent`")
    assert "gpgconf --kill gpg-agent" in told(desk)
    assert desk.as_owner("inbox")["waiting"] == []


def test_a_rejected_fix_does_not_come_back(desk: Desk) -> None:
    for number in range(1, 3):
        learn(desk, number, "gpgconf --kill gpg-agent")
    [one] = desk.as_owner("inbox")["waiting"]
    desk.as_owner("settle_candidate", id=one["record"]["id"], verdict="drop")
    learn(desk, 3, "gpgconf --kill gpg-agent")
    assert (desk.as_owner("inbox")["waiting"], told(desk)) == ([], "")


def test_an_error_that_each_session_ended_otherwise_waits_from_the_third_on(desk: Desk) -> None:
    for number in range(1, 4):
        assert desk("remediation_search", error=ERROR)["remediations"] == [], number
        learn(desk, number, f"make part{number}x")
    [one] = desk("remediation_search", error=ERROR)["remediations"]
    assert (one["status"], told(desk)) == ("candidate", "")


def test_an_active_fix_is_told_until_most_sessions_end_the_error_otherwise(desk: Desk) -> None:
    for number in range(1, 3):
        learn(desk, number, "npm run lint")
    [one] = desk("remediation_search", error=ERROR)["remediations"]
    desk.put(desk.record(one["id"]).with_(status="active"))
    assert "npm run lint" in told(desk)
    for number in range(3, 8):
        learn(desk, number, f"make part{number}x")
    assert told(desk) == ""
    [one] = desk("remediation_search", error=ERROR)["remediations"]
    assert (one["status"], one["verified"]) == ("candidate", False)


def test_a_fix_that_a_person_accepted_stays_whatever_later_sessions_do(desk: Desk) -> None:
    for number in range(1, 3):
        learn(desk, number, "npm run lint")
    accept(desk)
    for number in range(3, 8):
        learn(desk, number, f"make part{number}x")
    assert "npm run lint" in told(desk)


def test_a_removal_is_a_fix_of_the_same_thing_only(desk: Desk) -> None:
    for number in range(1, 3):
        learn(desk, number, f"rm -rf /w/tmp/clone-{number}")
    assert desk.as_owner("inbox")["waiting"] == []
    for number in range(3, 5):
        learn(desk, number, "rm -rf node_modules")
    accept(desk)
    assert "rm -rf node_modules" in told(desk)


def test_a_session_that_learns_twice_is_no_second_witness(desk: Desk) -> None:
    learn(desk, 1, "gpgconf --kill gpg-agent")
    [session] = desk.sessions()
    errors = met_and_ended("gpgconf --kill gpg-agent")
    assert keep_remedies(desk.runtime(), session, errors) == 0
    assert desk.as_owner("inbox")["waiting"] == []


def test_a_session_that_learns_a_fix_again_changes_nothing(desk: Desk) -> None:
    for number in range(1, 3):
        learn(desk, number, "gpgconf --kill gpg-agent")
    [fix] = desk("remediation_search", error=ERROR)["remediations"]
    before = desk.record(fix["id"])
    own = desk.view.sessions.get(before.session)
    assert own is not None
    keep_remedies(desk.runtime(), own, met_and_ended("gpgconf --kill gpg-agent"))
    assert desk.record(fix["id"]) == before


def test_a_fix_is_not_told_in_the_session_it_was_learned_from(desk: Desk) -> None:
    for number in range(1, 3):
        learn(desk, number, "gpgconf --kill gpg-agent")
    own = desk.view.sessions.get(desk.record(accept(desk)).session)
    [other] = [one for one in desk.sessions() if own is None or one.id != own.id]
    assert remedy_for(desk.runtime(), own, ERROR)[0] == ""
    assert "gpgconf --kill gpg-agent" in remedy_for(desk.runtime(), other, ERROR)[0]


def test_a_fix_whose_commit_was_reverted_is_not_told(desk: Desk) -> None:
    guard = desk.root / "src/auth/guard.ts"
    guard.write_text("export function guard() { return 'locked'; }\n")
    git(desk.root, "commit", "-q", "-a", "-m", "Lock the guard")
    fix = {"title": "Signing fails", "problem": ERROR, "solution": "Lock src/auth/guard.ts."}
    desk("remediation_record", **fix, root_cause="The guard was open.")
    assert "Lock src/auth/guard.ts" in told(desk)
    git(desk.root, "revert", "--no-edit", "HEAD")
    assert told(desk) == ""
