"""A directive is in force until an act ends it, whoever recorded it and however long nobody uses it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contextd.domain.records import Record
from contextd.domain.scope import Scope
from support.clients import CodingClient
from support.desks import Desk

SAID = "From now on all money amounts must be stored in cents."
LEDGER = "Ledger rows are never updated or deleted"

RECORDED: dict[str, tuple[str, dict[str, Any]]] = {
    "policy": (
        "remember",
        {
            "kind": "policy",
            "title": "Ledger rows are immutable",
            "content": LEDGER,
            "fields": {
                "severity": "critical",
                "requirement": LEDGER,
                "patterns": ["UPDATE ledger"],
            },
        },
    ),
    "standard": (
        "remember",
        {
            "kind": "coding_standard",
            "title": "Errors",
            "fields": {"rule": "Raise typed errors, never a bare Exception"},
        },
    ),
    "anti-pattern": (
        "remember",
        {
            "kind": "anti_pattern",
            "title": "AVOID raw SQL",
            "content": "User input was concatenated into SQL in the handlers",
            "fields": {"severity": "critical", "instead": "use parameters"},
        },
    ),
    "note": ("remember", {"content": "Always run make generate after a change of the schema."}),
    "typed": (
        "save_typed_context",
        {"type": "preference", "data": {"rule": "Small commits with a reason in the body"}},
    ),
    "memory": (
        "memory_record",
        {
            "title": "Exports",
            "description": "When exporting",
            "content": "Never write an export into the public folder.",
            "outcome": "success",
        },
    ),
}


@pytest.fixture
def session(desk: Desk, tmp_path: Path) -> CodingClient:
    return CodingClient(desk, tmp_path)


def work(
    session: CodingClient, times: int, prompt: str = "Rename variable number {} in theme.css"
) -> None:
    """Sessions that are briefed and do something else."""
    for number in range(times):
        one = CodingClient(session.desk, session.folder)
        one.starts()
        one.asks(prompt.format(number))
        one.edits("src/theme.css")
        one.answers(
            "It is renamed. I looked at the page in both themes and it is as it was before."
        )
        one.ends()


def briefing(session: CodingClient) -> str:
    one = CodingClient(session.desk, session.folder)
    told = one.starts()
    one.ends()
    return told


def state(record: Record) -> tuple[str, float]:
    return record.status, record.confidence


def recorded(desk: Desk, which: str) -> str:
    operation, arguments = RECORDED[which]
    id: str = desk(operation, **arguments)["id"]
    return id


@pytest.mark.parametrize("which", RECORDED)
def test_a_rule_recorded_by_an_agent_keeps_its_confidence_after_five_sessions(
    desk: Desk, session: CodingClient, which: str
) -> None:
    id = recorded(desk, which)
    before = state(desk.record(id))
    work(session, 5)
    assert desk.record(id).status == "active"
    assert desk.record(id).confidence >= before[1]
    assert all(not one.reason.startswith("unused") for one in desk.view.records.history(id))
    assert id[:8] in briefing(session)


@pytest.mark.parametrize("which", RECORDED)
def test_neither_feedback_nor_time_weakens_a_rule(desk: Desk, which: str) -> None:
    id = recorded(desk, which)
    before = state(desk.record(id))
    for _ in range(3):
        desk("report_usefulness", context_ids=[id], useful=False)
        desk("memory_feedback", memory_id=id, helpful=False)
    assert state(desk.record(id)) == before
    assert desk.record(id).unhelpful == 6


@pytest.mark.parametrize("which", RECORDED)
def test_an_act_ends_a_rule_and_the_history_names_it(
    desk: Desk, session: CodingClient, which: str
) -> None:
    id = recorded(desk, which)
    desk.as_owner("delete_record", id=id)
    assert desk.record(id).status == "deleted"
    assert desk.view.records.history(id)[-1].action == "delete"
    assert id[:8] not in briefing(session)


def test_a_rule_stated_by_the_user_is_in_every_later_briefing(
    desk: Desk, session: CodingClient
) -> None:
    session.starts()
    session.asks(f"{SAID} How do we deploy?")
    session.answers("With the script in the folder deploy, which asks for the version first.")
    session.ends()
    for _ in range(6):
        told = briefing(session)
        assert told.count(SAID) == 1
        work(session, 1)


def test_a_rule_that_a_later_task_takes_back_ends_and_its_neighbour_stays(
    desk: Desk, session: CodingClient
) -> None:
    lodash = "From now on never use lodash in this repository."
    for rule in (lodash, SAID):
        one = CodingClient(desk, session.folder)
        one.starts()
        one.asks(f"{rule} Then rename button a in theme.css.")
        one.answers("Done.")
        one.ends()
    desk.host.work_off()
    later = CodingClient(desk, session.folder)
    assert lodash in later.starts()
    later.asks("Forget the rule about lodash. Rename button b in theme.css.")
    later.edits("src/theme.css")
    later.answers("Done.")
    later.ends()
    desk.host.work_off()
    told = CodingClient(desk, session.folder).starts()
    assert lodash not in told.partition("## Always")[2]
    assert SAID in told


def test_a_rule_that_is_said_again_is_stronger_than_before(
    desk: Desk, session: CodingClient
) -> None:
    for _ in range(2):
        one = CodingClient(desk, session.folder)
        one.starts()
        one.asks(f"{SAID} Now add the column number.")
        one.edits("src/prices.py")
        one.answers("The column is there, and I looked at the page that shows it to the customers.")
        one.ends()
        work(session, 1)
    found = desk.view.records.find(desk.runtime().query("discovery")).records
    [rule] = [record for record in found if record.content == SAID]
    assert rule.data["type"] == "rule"
    assert rule.confidence > 0.65
    reasons = [one.reason for one in desk.view.records.history(rule.id)]
    assert any(reason.startswith("said again in session") for reason in reasons)


def test_a_rule_in_passing_becomes_one_when_another_session_says_it(
    desk: Desk, session: CodingClient
) -> None:
    words = "Article numbers must begin with RX."
    for _ in range(2):
        assert words not in briefing(session).partition("## Always\n")[2]
        one = CodingClient(desk, session.folder)
        one.starts()
        one.asks(f"{words} Change prices.py so that they do.")
        one.edits("src/prices.py")
        one.answers("They do, and I looked at the page that shows them to the customers of ours.")
        one.ends()
    told = briefing(session).partition("## Always\n")[2]
    assert f"- {words} [rule " in told


def test_a_rule_in_passing_becomes_one_when_it_is_confirmed(
    desk: Desk, session: CodingClient
) -> None:
    words = "Article numbers must begin with RX."
    session.starts()
    session.asks(f"{words} Change prices.py so that they do.")
    session.answers("They do, and I looked at the page that shows them to the customers of ours.")
    session.ends()
    waiting = desk.runtime().query("discovery", statuses=("candidate",))
    [candidate] = [one for one in desk.view.records.find(waiting).records if one.content == words]
    desk("settle_candidate", id=candidate.id, verdict="keep")
    assert f"- {words} [rule " in briefing(session).partition("## Always\n")[2]


def test_one_project_never_demotes_what_holds_more_widely(
    desk: Desk, session: CodingClient
) -> None:
    ids = []
    for scope in (Scope("local"), Scope("local", "default")):
        record = Record(
            kind="memory", scope=scope, content="Invoices are sent on the last Friday of a month."
        )
        desk.put(record, "create")
        ids.append(record.id)
    work(session, 5, "Change the colour of invoice button {} to teal")
    assert [state(desk.record(id)) for id in ids] == [("active", 0.6)] * 2


def test_a_prompt_is_told_the_rule_that_one_of_its_clauses_needs(
    desk: Desk, session: CodingClient
) -> None:
    session.starts()
    rule = "All money amounts must be stored in integer cents."
    id = desk(
        "remember",
        kind="policy",
        title="Money",
        content=rule,
        fields={"severity": "medium", "requirement": rule},
    )["id"]
    told = session.asks("add a price column to articles; how do we store money amounts?")
    assert rule in told
    assert id[:8] in told
    assert session.asks("and how do we store money amounts in the invoices table?") == ""
    beside = CodingClient(desk, session.folder)
    beside.starts()
    assert rule not in beside.asks("make the banner of the start page a little larger, please")


ANSWERED = (
    ("how do we store money amounts?", "Money amounts are integer cents."),
    ("how is money stored, by the way?", "Money amounts are stored as integer cents."),
    (
        "how do we write commit messages?",
        "Commit messages must have a lowercase imperative summary.",
    ),
)


@pytest.mark.parametrize(("prompt", "rule"), ANSWERED)
def test_a_question_gets_the_rule_that_answers_it(
    desk: Desk, session: CodingClient, prompt: str, rule: str
) -> None:
    session.starts()
    fields = {"severity": "medium", "requirement": rule}
    desk("remember", kind="policy", title="Rule", content=rule, fields=fields)
    assert rule in session.asks(prompt)


def test_an_order_and_a_question_why_need_a_nearer_rule_than_a_question_what_to_do(
    desk: Desk, session: CodingClient
) -> None:
    session.starts()
    rule = "Commit messages must have a lowercase imperative summary."
    fields = {"severity": "medium", "requirement": rule}
    desk("remember", kind="policy", title="Rule", content=rule, fields=fields)
    assert rule not in session.asks("why do we write commit messages?")
    assert rule not in session.asks("so this is how we do write commit messages.")
    assert rule in session.asks("how do we write commit messages?")


def test_a_rule_is_told_once_where_briefing_and_prompt_come_together(
    desk: Desk, session: CodingClient
) -> None:
    fields = {"severity": "critical", "requirement": "Money amounts are stored in integer cents."}
    desk("remember", kind="policy", title="Money", content=fields["requirement"], fields=fields)
    told = session.asks("add a price column to articles; how do we store money amounts?")
    assert told.count(fields["requirement"]) == 1


def test_ten_critical_policies_are_told_whole_and_more_are_counted(
    desk: Desk, session: CodingClient
) -> None:
    def policy(number: int) -> str:
        requirement = f"Part {number} of the ledger is never changed behind its owner's back"
        fields = {"severity": "critical", "requirement": requirement}
        title = f"Ledger part {number}"
        desk("remember", kind="policy", title=title, content=requirement, fields=fields)
        return requirement

    ten = [policy(number) for number in range(10)]
    told = briefing(session)
    assert [text for text in ten if text not in told] == []
    assert "more: `standards_get`" not in told
    every = ten + [policy(number) for number in range(10, 40)]
    told = briefing(session)
    left_out = [text for text in every if text not in told]
    assert f"- {len(left_out)} more: `standards_get`" in told
    listed = desk.answer("standards_get").text
    assert [text for text in every if text not in listed] == []


def test_policies_that_differ_in_one_name_are_both_told(desk: Desk, session: CodingClient) -> None:
    requirements = [
        f"The {part} subsystem of the shop is never called from request handlers without its guard object"
        for part in ("billing", "shipping")
    ]
    for requirement in requirements:
        fields = {"severity": "critical", "requirement": requirement}
        desk("remember", kind="policy", title="Guards", content=requirement, fields=fields)
    told = briefing(session)
    listed = desk.answer("standards_get").text
    assert [text for text in requirements if text not in told or text not in listed] == []


def test_of_two_policies_that_differ_in_a_not_each_is_told(
    desk: Desk, session: CodingClient
) -> None:
    both = (
        "Tables of the ledger, invoices, customers, orders and payments are never locked while the nightly report reads rows",
        "Tables of the ledger, invoices, customers, orders and payments are locked while the nightly report reads rows",
    )
    for requirement in both:
        fields = {"severity": "critical", "requirement": requirement}
        desk("remember", kind="policy", title="Report", content=requirement, fields=fields)
    told = briefing(session)
    assert [text for text in both if text not in told] == []


def test_rules_relevant_to_the_task_come_first_where_not_all_fit(
    desk: Desk, session: CodingClient
) -> None:
    for number in range(30):
        requirement = f"Part {number} of the ledger is never changed behind its owner's back"
        fields = {"severity": "critical", "requirement": requirement}
        desk("remember", kind="policy", title=f"P{number}", content=requirement, fields=fields)
    rule = "Webhooks of the payment provider are verified before anything else"
    fields = {"severity": "critical", "requirement": rule}
    desk("remember", kind="policy", title="Webhooks", content=rule, fields=fields)
    desk.configure("injection:\n  tier0_tokens: 120\n")
    text = desk("briefing_get", task="verify webhooks of the payment provider")["briefing"]
    assert rule in text
    assert rule in text.partition("## Always\n")[2].splitlines()[0]


def test_the_users_rules_are_told_again_after_a_compaction(
    desk: Desk, session: CodingClient
) -> None:
    session.starts()
    session.asks(f"{SAID} How do we deploy?")
    session.answers("With the script in the folder deploy, which asks for the version first.")
    session.ends()
    later = CodingClient(desk, session.folder)
    assert SAID in later.starts()
    later.asks("Rename the variable total in the basket to sum, everywhere.")
    later.answers("It is renamed in the basket and in the two tests that named it before now.")
    later.hook("PreCompact", trigger="auto")
    assert SAID in later.starts("compact")


def test_a_rule_that_the_session_so_far_quotes_is_told_once_after_a_compaction(
    desk: Desk, session: CodingClient
) -> None:
    session.starts()
    session.asks(SAID)
    session.answers("Understood, every table of the shop is changed to that from now on.")
    session.ends()
    later = CodingClient(desk, session.folder)
    later.starts()
    later.asks(SAID)
    later.answers("It holds already, and I checked the two tables that were added today.")
    later.hook("PreCompact", trigger="auto")
    assert later.starts("compact").count(SAID.rstrip(".")) == 1


def test_a_prompt_that_is_only_a_rule_leaves_no_empty_line(
    session: CodingClient,
) -> None:
    session.starts()
    session.asks(SAID)
    session.stops("")
    session.ends()
    told = briefing(session)
    assert "Asked last" not in told
    assert "Not answered yet" not in told
    assert told.count(SAID.rstrip(".")) == 1


def test_a_rule_too_long_for_the_room_is_counted_among_shorter_ones_that_fit(desk: Desk) -> None:
    def policy(title: str, requirement: str) -> str:
        fields = {"severity": "critical", "requirement": requirement}
        desk("remember", kind="policy", title=title, content=requirement, fields=fields)
        return requirement

    policy("Ledger", "Nobody changes a row of the ledger " + "and not any of its copies " * 12)
    short = [policy("Money", "Money is counted in cents"), policy("Time", "Times are in UTC")]
    desk.configure("injection:\n  tier0_tokens: 80\n")
    for told in (desk("briefing_get")["briefing"], desk("prompt_build")["prompt"]):
        assert [text for text in short if text not in told] == []
        assert "row of the ledger" not in told
        assert "- 1 more: `standards_get`" in told


def test_rules_that_a_small_prompt_has_no_room_for_are_counted_in_it(desk: Desk) -> None:
    for number in range(12):
        requirement = f"Part {number} of the ledger is never changed behind its owner's back"
        fields = {"severity": "critical", "requirement": requirement}
        desk("remember", kind="policy", title=f"P{number}", content=requirement, fields=fields)
    for budget in (100, 400, 1_000):
        prompt = desk("prompt_build", budget=budget)["prompt"]
        told = prompt.count("behind its owner's back")
        assert f"- {12 - told} more: `standards_get`" in prompt


def test_a_rule_is_not_told_to_the_session_that_stated_it(
    desk: Desk, session: CodingClient
) -> None:
    question = "how do we store the money amounts of an invoice?"
    beside = CodingClient(desk, session.folder)
    beside.starts()
    session.starts()
    session.asks(SAID)
    session.answers("Understood, every table of the shop is changed to that from now on.")
    session.ends()
    session.starts("resume")
    assert SAID not in session.asks(question)
    assert SAID in beside.asks(question)


def test_a_rule_that_an_agent_recorded_is_not_told_to_its_own_session(
    desk: Desk, session: CodingClient
) -> None:
    question = "how do we store the money amounts of an invoice?"
    rule = "All money amounts must be stored in integer cents."
    beside = CodingClient(desk, session.folder)
    beside.starts()
    session.starts()
    request = desk.connected("one").request(client_sessions=(session.session,))
    fields = {"severity": "medium", "requirement": rule}
    given = {"kind": "policy", "title": "Money", "content": rule, "fields": fields}
    desk.host.call("remember", request, given)
    assert rule not in session.asks(question)
    assert rule in beside.asks(question)
