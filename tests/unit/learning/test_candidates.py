"""What was learned once waits: for a second witness, for an agent's or a person's word, for its use."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from contextd.learning.corroboration import seen_again
from contextd_common.errors import Conflict, Invalid, NotFound
from support.clients import CodingClient
from support.desks import Desk, Home

RULE = "Parcels must always be weighed before their label is printed."
LESSON = {
    "title": "Freezing the clock",
    "description": "When a test depends on the time",
    "content": "Freeze the clock with the fixture frozen_clock in tests/conftest.py.",
    "outcome": "success",
}


def said(desk: Desk, *texts: str) -> None:
    """A session of its own in which the user says so."""
    session = desk("session_start")["session_id"]
    for text in texts:
        desk("session_log", session_id=session, role="user", text=text)
    desk("session_end", session_id=session)
    desk.host.work_off()


def learned(desk: Desk, status: str = "any") -> list[dict[str, Any]]:
    listed = desk.as_owner("list_records", kind="discovery", status=status, limit=50)
    return list(listed["records"])


@pytest.fixture
def candidate(desk: Desk) -> str:
    """The id of a rule that was said once, in passing."""
    said(desk, RULE)
    [record] = learned(desk, "candidate")
    assert record["content"] == RULE
    return str(record["id"])


@pytest.fixture
def session(desk: Desk, tmp_path: Path) -> CodingClient:
    return CodingClient(desk, tmp_path)


def another(session: CodingClient) -> CodingClient:
    return CodingClient(session.desk, session.folder)


def test_a_candidate_is_found_by_a_search_and_told_to_nobody_unasked(
    desk: Desk, candidate: str
) -> None:
    hits = desk("context_search", query="when are parcels weighed", type="discovery")["results"]
    assert [hit["id"] for hit in hits] == [candidate]
    desk.host.flush()
    assert candidate not in desk("session_start")["injected"]


STATED = (
    "The limit for one export is 50,000 rows, anything larger has to be split.",
    "Let's go with a queue instead of cron for the export, cron drops runs during deploys.",
    "We tried Argon2 before and it was too slow on the small machines.",
    "We use Zod for every payload at the API boundary, so validate there.",
    "The report must never be written to the temporary folder.",
)


def test_a_session_that_states_five_things_leaves_five(desk: Desk) -> None:
    said(desk, "please look at the failing build", *STATED, "thanks, commit it")
    assert {one["content"] for one in learned(desk)} == set(STATED)


def test_a_rule_that_the_user_asks_to_remember_is_active_at_once(desk: Desk) -> None:
    said(desk, f"Remember: {RULE}")
    [record] = learned(desk)
    assert record["status"] == "active"
    assert record["id"] in desk("session_start")["injected"]


def test_a_second_session_that_says_so_too_makes_it_known(desk: Desk, candidate: str) -> None:
    said(desk, RULE)
    [record] = learned(desk)
    assert (record["id"], record["status"]) == (candidate, "active")
    [*_, last] = desk.view.records.history(candidate)
    assert last.reason.startswith("said again in session")


def test_the_same_session_is_no_second_witness(desk: Desk) -> None:
    said(desk, RULE, RULE, f"{RULE} Yes.")
    assert {record["status"] for record in learned(desk)} == {"candidate"}


def test_a_fork_that_copies_the_transcript_is_no_second_witness(
    desk: Desk, session: CodingClient
) -> None:
    session.starts()
    session.asks(RULE)
    session.answers("The label printer waits for the scale in `src/label.ts` from now on, always.")
    session.ends()
    statuses = {one["id"]: one["status"] for one in learned(desk)}
    assert "candidate" in statuses.values()
    fork = another(session)
    shutil.copy(session.transcript, fork.transcript)
    fork.starts("resume")
    fork.ends()
    assert {one["id"]: one["status"] for one in learned(desk)} == statuses


def test_a_copy_of_the_same_event_is_no_second_witness_at_whatever_time(
    desk: Desk, candidate: str
) -> None:
    said(desk, "Please look at the failing build of the label printer.")
    other = desk.sessions()[0]
    record = desk.record(candidate)
    assert record.source.ref
    later = record.created_at + timedelta(days=1)
    copied, own = record.source.ref, "another event"
    witnessed = [
        seen_again(desk.runtime(), record, other, at=later, ref=ref) for ref in (copied, own)
    ]
    assert witnessed == [False, True]
    assert desk.record(candidate).status == "active"


def test_an_agent_settles_a_candidate(desk: Desk, candidate: str) -> None:
    done = desk("settle_candidate", id=candidate, verdict="keep")
    record = desk.record(candidate)
    assert (done["status"], record.trust, record.confidence) == ("active", "agent", 0.6)
    assert candidate in desk("session_start")["injected"]


def test_a_persons_word_counts_more(desk: Desk, candidate: str) -> None:
    desk.as_owner("settle_candidate", id=candidate, verdict="keep")
    record = desk.record(candidate)
    assert (record.trust, record.confidence) == ("human", 0.8)


def test_a_rejected_candidate_does_not_return_when_said_again(desk: Desk, candidate: str) -> None:
    desk("settle_candidate", id=candidate, verdict="drop")
    for _ in range(2):
        said(desk, RULE)
    assert [(one["id"], one["status"]) for one in learned(desk)] == [(candidate, "archived")]
    assert desk("context_search", query="parcels weighed", type="discovery")["results"] == []


def test_a_candidate_is_merged_into_what_says_the_same(desk: Desk, candidate: str) -> None:
    note = desk("save_context", content="The scale comes first: no label without a weight.")["id"]
    desk("settle_candidate", id=candidate, verdict="merge", into=note)
    record = desk.record(candidate)
    assert (record.status, record.canonical_id) == ("merged", note)


def test_only_what_waits_can_be_settled(desk: Desk, candidate: str, neighbour: Any) -> None:
    with pytest.raises(Invalid):
        desk("settle_candidate", id=candidate, verdict="merge")
    with pytest.raises(NotFound):
        neighbour.desk(desk.host)("settle_candidate", id=candidate, verdict="drop")
    desk("settle_candidate", id=candidate, verdict="keep")
    with pytest.raises(Conflict) as told:
        desk("settle_candidate", id=candidate, verdict="drop")
    assert "list_records" in told.value.hint


def test_project_yaml_changes_only_when_somebody_says_so(desk: Desk, candidate: str) -> None:
    desk.as_owner("init")
    model = desk.root / ".context" / "project.yaml"
    before = model.read_text()
    said(desk, RULE, f"Remember: {RULE}")
    assert model.read_text() == before
    placed = desk("place_in_model", id=candidate, module="auth")
    assert placed["module"] == "auth"
    assert RULE in model.read_text()
    with pytest.raises(NotFound):
        desk("place_in_model", id=candidate, module="nowhere")


MODULE_RULE = "The tokens in src/auth.ts are always compared in constant time."


@pytest.mark.parametrize("how", ["ask", "on", "off"])
def test_a_confirmed_record_goes_to_its_module_as_the_settings_say(
    open_desk: Callable[..., Desk], how: str
) -> None:
    desk = open_desk(project_enrich=how)
    desk.as_owner("init")
    model = desk.root / ".context" / "project.yaml"
    model.write_text(model.read_text() + "# a person's comment\n")
    id = desk("memory_record", **{**LESSON, "content": MODULE_RULE})["id"]
    waiting = desk.record(id).with_(status="candidate")
    desk.put(waiting)
    settled = desk("settle_candidate", id=id, verdict="keep")
    written = MODULE_RULE in model.read_text()
    assert (settled["module"], written) == {
        "ask": ("auth", False),
        "on": ("auth", True),
        "off": ("", False),
    }[how]
    assert "# a person's comment" in model.read_text()
    if how == "ask":
        desk("place_in_model", id=id)
        assert MODULE_RULE in model.read_text()


def test_the_next_lesson_on_a_topic_replaces_the_one_before(desk: Desk) -> None:
    first = desk("memory_record", **LESSON, topic="Frozen clock")
    told = {**LESSON, "content": "Use time_machine instead of frozen_clock.", "outcome": "mixed"}
    second = desk("memory_record", **told, topic="frozen  clock")
    assert (second["id"], second["outcome"]) == (first["id"], "updated")
    record = desk.record(first["id"])
    assert (record.content, record.data["outcome"]) == (told["content"], "mixed")
    assert len(desk.view.records.history(first["id"])) == 2
    more = {**told, "content": "Sleep in no test: wait for the event instead."}
    other = desk("memory_record", **more, topic="another clock")
    assert other["id"] != first["id"]


def test_the_first_memory_on_a_topic_is_added(desk: Desk) -> None:
    given = {
        "title": "Pool sizing",
        "description": "When the database is slow",
        "content": "Two connections are enough for the shop.",
        "outcome": "success",
    }
    assert desk("memory_record", **given, topic="pool")["outcome"] == "added"


def glance(session: CodingClient) -> str:
    """What a window is told that is opened and closed again without a word."""
    one = another(session)
    told = one.starts()
    one.ends()
    return told


def unused(session: CodingClient, times: int) -> None:
    """Sessions that are briefed and do something else."""
    for number in range(times):
        one = another(session)
        one.starts()
        one.asks(f"Change the colour of button number {number} to teal, please")
        one.edits("src/theme.css")
        one.answers("It is teal. I changed the style sheet and looked at it in both themes there.")
        one.ends()


def test_an_unused_memory_leaves_the_briefing(desk: Desk, session: CodingClient) -> None:
    id = desk("memory_record", **LESSON)["id"]
    assert LESSON["content"] in glance(session)
    unused(session, 3)
    record = desk.record(id)
    assert (record.status, record.confidence) == ("candidate", 0.3)
    assert LESSON["content"] not in glance(session)
    assert desk("memory_search", query="freeze the clock in tests")["memories"][0]["id"] == id
    reasons = [one.reason for one in desk.view.records.history(id)][-3:]
    assert all(reason.startswith("unused: told in session") for reason in reasons)


def talks(session: CodingClient, times: int) -> None:
    """Sessions that are briefed and in which nothing is done."""
    for number in range(times):
        one = another(session)
        one.starts()
        one.asks(f"Explain what the colour teal number {number} is good for, please")
        one.answers(
            "It is calm and reads well on white. Most of the brands in this trade have blue."
        )
        one.ends()


def test_a_memory_injected_in_three_sessions_rests_even_where_people_only_talked(
    desk: Desk, session: CodingClient
) -> None:
    id = desk("memory_record", **LESSON)["id"]
    talks(session, 2)
    assert LESSON["content"] in glance(session)
    talks(session, 1)
    assert desk.record(id).status == "candidate"
    assert LESSON["content"] not in glance(session)


def test_windows_that_are_all_open_count_as_they_are_told(
    desk: Desk, session: CodingClient
) -> None:
    desk("memory_record", **LESSON)
    for number in range(3):
        one = another(session)
        assert LESSON["content"] in one.starts()
        one.asks(f"Explain what the colour teal number {number} is good for, please")
    assert LESSON["content"] not in another(session).starts()


def test_windows_in_which_nothing_was_asked_count_while_they_are_open(
    desk: Desk, session: CodingClient
) -> None:
    desk("memory_record", **LESSON)
    windows = [another(session) for _ in range(3)]
    assert all(LESSON["content"] in window.starts() for window in windows)
    assert LESSON["content"] not in another(session).starts()
    for window in windows:
        window.ends()
    assert LESSON["content"] in another(session).starts()


def test_a_use_makes_it_fresh_again(desk: Desk, session: CodingClient) -> None:
    desk("memory_record", **LESSON)
    talks(session, 2)
    one = another(session)
    one.starts()
    one.asks("Write the test of the invoice date")
    one.answers("It takes frozen_clock of tests/conftest.py and freezes the clock at midnight.")
    one.ends()
    talks(session, 2)
    assert LESSON["content"] in another(session).starts()


def test_where_the_work_stands_is_told_to_three_windows_that_do_not_go_on_with_it(
    desk: Desk, session: CodingClient
) -> None:
    session.starts()
    session.asks("Round the totals of a basket once, half even")
    session.answers("Each line of `src/price.ts` was rounded; the basket is rounded once now.")
    session.ends()
    for number in range(3):
        one = another(session)
        assert "the basket is rounded once now" in one.starts()
        one.asks(f"Explain what the colour teal number {number} is good for, please")
    assert "the basket is rounded once now" not in another(session).starts()


def test_shared_names_raise_no_confidence(desk: Desk, session: CodingClient) -> None:
    id = desk("memory_record", **LESSON)["id"]
    session.starts()
    session.asks("Write the test of the invoice date")
    session.answers("It takes frozen_clock of tests/conftest.py and freezes the clock at midnight.")
    session.ends()
    assert desk.record(id).confidence == 0.6


RUN = {
    **LESSON,
    "content": "Run the tests of the invoices with `make invoice-tests` from the root.",
}
COMMAND = "cd /shop && make invoice-tests FAST=1"


@pytest.mark.parametrize(
    ("result", "code", "confidence"),
    [
        ("12 passed in 0.4s", 0, 0.7),
        ("FAILED tests/invoices.py::test_date\n1 failed, 11 passed", 1, 0.6),
        ("make: *** No rule to make target 'invoice-tests'.  Stop.", 2, 0.3),
    ],
)
def test_a_command_that_came_out_as_said_raises_confidence_and_a_missing_one_lowers_it(
    desk: Desk, session: CodingClient, result: str, code: int, confidence: float
) -> None:
    id = desk("memory_record", **RUN)["id"]
    session.starts()
    session.asks("Run the tests of the invoices with make invoice-tests please")
    session.runs(COMMAND, result, code)
    session.answers("I ran `make invoice-tests` from the root for the tests of the invoices.")
    session.ends()
    assert desk.record(id).confidence == confidence
    assert desk.record(id).status == ("active" if confidence > 0.35 else "candidate")


def test_an_agents_word_that_its_session_went_well_raises_nothing_that_was_told_in_it(
    desk: Desk, session: CodingClient
) -> None:
    used = desk("memory_record", **LESSON)["id"]
    lint = {**LESSON, "title": "Linting", "content": "Lint the invoice templates before pushing."}
    idle = desk("memory_record", **lint)["id"]
    session.starts()
    session.asks("Write the test of the invoice date")
    session.answers("It takes frozen_clock of tests/conftest.py and freezes the clock at midnight.")
    desk("session_end", session_id=desk.sessions()[0].id, outcome="success")
    session.ends()
    assert desk.record(used).confidence == 0.6
    assert desk.record(idle).confidence <= 0.6
    assert desk.view.records.history(used)[-1].reason.startswith("used")


def test_an_unused_note_of_a_person_keeps_its_confidence(desk: Desk, session: CodingClient) -> None:
    id = desk.as_owner("save_context", content="The legal notice is reviewed by Ada.")["id"]
    unused(session, 3)
    assert (desk.record(id).status, desk.record(id).confidence) == ("active", 0.8)


HOSTS = {
    "person": "The staging host of the shop is called otter and listens on port 7003",
    "agent": "The staging host of the blog is called badger and listens on port 7004",
}
PORTS = "On which port does the staging host of the shop listen, and on which that of the blog?"


def test_below_the_floor_a_persons_note_is_told_and_an_agents_is_not(
    desk: Desk, session: CodingClient
) -> None:
    prompted = another(session)
    prompted.starts()
    ids = {
        "person": desk.as_owner("save_context", content=HOSTS["person"])["id"],
        "agent": desk("save_context", content=HOSTS["agent"])["id"],
    }
    desk.host.work_off()
    before = another(session)
    before.starts()
    assert all(text in before.asks(PORTS) or text in glance(session) for text in HOSTS.values())
    for _ in range(2):
        for id in ids.values():
            desk("report_usefulness", context_ids=[id], useful=False)
    assert all(desk.record(id).confidence < 0.35 for id in ids.values())
    for told in (prompted.asks(PORTS), glance(session)):
        assert HOSTS["person"] in told
        assert HOSTS["agent"] not in told


def test_a_note_is_not_told_to_the_session_that_recorded_it(
    desk: Desk, session: CodingClient
) -> None:
    beside = another(session)
    beside.starts()
    session.starts()
    request = desk.connected("one").request(client_sessions=(session.session,))
    desk.host.call("save_context", request, {"content": HOSTS["agent"]})
    desk.host.work_off()
    assert HOSTS["agent"] not in session.asks(PORTS)
    assert HOSTS["agent"] in beside.asks(PORTS)


def test_being_used_makes_a_record_no_newer_than_it_is(
    desk: Desk, session: CodingClient, home: Home
) -> None:
    id = desk("memory_record", **RUN)["id"]
    before = desk.record(id)
    home.clock.move(days=2)
    session.starts()
    session.asks("Run the tests of the invoices with make invoice-tests please")
    session.runs(COMMAND, "12 passed in 0.4s")
    session.answers("I ran `make invoice-tests` from the root for the tests of the invoices.")
    session.ends()
    desk("report_usefulness", context_ids=[id], useful=True)
    after = desk.record(id)
    assert after.confidence > before.confidence
    assert after.updated_at == before.updated_at


def failing(session: CodingClient, path: str, code: str = "EACCES") -> CodingClient:
    """A session that meets an error and mends it."""
    one = another(session)
    one.starts()
    one.asks("Run the tests of the shop and see that they pass")
    one.runs("npm test", f"Error: {code}: permission denied, open '{path}'", 1)
    one.runs("chmod -R u+w .cache")
    one.runs("npm test", "4 passed")
    one.answers("The cache was not writable; after the change of its mode all of the tests pass.")
    one.ends()
    return one


def remedies(desk: Desk) -> list[dict[str, Any]]:
    return list(desk.as_owner("list_records", kind="remediation", status="any")["records"])


def test_an_error_that_the_same_step_ended_twice_is_proposed_as_a_remediation(
    desk: Desk, session: CodingClient, home: Home
) -> None:
    failing(session, "/tmp/a/1")
    assert remedies(desk) == []
    failing(session, "/tmp/b/22")
    [remedy] = remedies(desk)
    assert (remedy["status"], desk.record(remedy["id"]).data["verified"]) == ("candidate", True)
    failing(session, "/tmp/c/333")
    record = desk.record(remedy["id"])
    assert record.data["solution"] == "run `chmod -R u+w .cache`"
    assert record.data["occurrence_count"] == 3
    assert "EACCES" in record.content


def test_errors_of_the_neighbour_do_not_count(
    desk: Desk, session: CodingClient, tmp_path: Path
) -> None:
    failing(session, "/tmp/a/1")
    elsewhere = desk.at(tmp_path / "elsewhere")
    shutil.copytree(desk.root, elsewhere.root)
    shutil.rmtree(elsewhere.root / ".git")
    (elsewhere.root / ".context").mkdir(exist_ok=True)
    elsewhere.as_owner("init")
    failing(CodingClient(elsewhere, session.folder), "/tmp/c/333")
    assert elsewhere.scope != desk.scope
    assert remedies(desk) == remedies(elsewhere) == []
