"""What was taken back, replaced or contradicted says so in every list, and comes last."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from contextd.app import load_operations
from contextd.domain.kinds import EPISODE
from contextd.domain.records import STATUSES, Record, short_id
from contextd.runtime.operation import OPERATIONS, Operation
from contextd_common.errors import ContextdError
from support.arguments import arguments
from support.clients import CodingClient
from support.desks import Desk, Home

SAID = "We push the image to the registry and then use Harborline to deploy the shop."
DONE = (
    "Understood: the image of the shop is pushed first, and Harborline deploys it. I wrote that into"
    " the notes on how the shop is deployed, beside the steps for the mailer."
)
BACK = "My mistake, we haven't implemented the deploy of the shop in Harborline."
SEEN = (
    "Then the deploy of the shop stays a manual step for now. I took the part on Harborline out of the"
    " notes again and left the push of the image as it was."
)
ASKED = "how do we deploy the shop after the image is pushed"


@pytest.fixture
def corrected(desk: Desk, tmp_path: Path) -> Desk:
    """A project whose user said something, and took it back in the next prompt."""
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks(SAID)
    session.answers(DONE)
    session.asks(BACK)
    session.answers(SEEN)
    session.ends()
    desk.host.work_off()
    return desk


def episode(desk: Desk, prompt: str) -> Record:
    found = desk.view.records.find(desk.runtime().query(EPISODE, limit=50)).records
    return next(one for one in found if one.title == prompt)


@pytest.mark.parametrize("tool", ["context_search", "memory_search"])
def test_an_episode_that_the_user_took_back_comes_last_and_quotes_the_retraction(
    corrected: Desk, tool: str
) -> None:
    answer = corrected.answer(tool, query=ASKED, limit=10)
    hits = answer.value.get("results") or answer.value["memories"]
    taken, by = episode(corrected, SAID), episode(corrected, BACK)
    assert hits[-1]["id"] == taken.id
    assert hits[-1]["validity"].startswith("taken back by the user: “My mistake, we haven't")
    assert short_id(by.id) in hits[-1]["validity"]
    assert not any("taken back" in hit["validity"] for hit in hits[:-1])
    assert "taken back by the user" in answer.text
    scores = [hit["score"] for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_statements_taken_back_in_their_session_are_not_learned(corrected: Desk) -> None:
    query = corrected.runtime().query("discovery", statuses=STATUSES, limit=50)
    learned = [one.content for one in corrected.view.records.find(query).records]
    assert [text for text in learned if text in SAID or text in DONE] == []


def test_it_stays_taken_back_when_its_session_is_read_again(
    corrected: Desk, tmp_path: Path
) -> None:
    before = episode(corrected, SAID)
    again = CodingClient(corrected, tmp_path, session=corrected.sessions()[0].external_id)
    again.starts("resume")
    again.stops("Nothing was left to do.")
    after = episode(corrected, SAID)
    assert (after.data["taken_back"], after.version) == (True, before.version)


def test_a_retraction_by_another_session_stays_when_the_retracted_session_goes_on(
    desk: Desk, tmp_path: Path
) -> None:
    first = CodingClient(desk, tmp_path)
    first.starts()
    first.asks(SAID)
    first.answers(DONE)
    later = CodingClient(desk, tmp_path)
    later.starts()
    later.asks(BACK)
    later.answers(SEEN)
    taken = episode(desk, SAID)
    assert taken.data["taken_back_by"] == [episode(desk, BACK).id, BACK]
    first.asks("Which registry is the image of the shop pushed to?")
    first.answers(
        "To the registry of the team, as the first line of `deploy/push.sh` says; I looked."
    )
    assert episode(desk, SAID).data["taken_back_by"] == taken.data["taken_back_by"]


def test_a_record_learned_from_a_retracted_episode_is_superseded(
    corrected: Desk, tmp_path: Path
) -> None:
    taken = episode(corrected, SAID)
    learned = Record(
        kind="discovery", scope=corrected.scope, content=DONE.partition(". ")[0],
        data={"type": "fact"}, session=taken.session, trust="extracted",
    )  # fmt: skip
    corrected.put(learned, "create")
    again = CodingClient(corrected, tmp_path, session=corrected.sessions()[0].external_id)
    again.starts("resume")
    again.stops("Nothing was left to do.")
    after = corrected.record(learned.id)
    assert (after.status, after.canonical_id) == ("superseded", episode(corrected, BACK).id)
    assert corrected.as_owner("undo", id=learned.id)


def test_a_logged_message_that_was_taken_back_says_so(desk: Desk) -> None:
    session = desk("session_start")["session_id"]
    for role, text in (("user", SAID), ("assistant", DONE), ("user", BACK), ("assistant", SEEN)):
        desk("session_log", session_id=session, role=role, text=text)
    desk("session_end", session_id=session)
    desk.host.work_off()
    hits = desk("context_search", query=ASKED, type="session", limit=10)["results"]
    marked = {hit["text"].partition(": ")[2]: hit["validity"] for hit in hits}
    assert marked[SAID].startswith("taken back by the user: “My mistake")
    assert all(not note for text, note in marked.items() if text not in (SAID, DONE))
    assert hits[0]["text"].partition(": ")[2] not in (SAID, DONE)


PAIRS = (
    (
        "The session timeout of the shop is 45 minutes.",
        "The session timeout of the shop is 20 minutes.",
        "how long is the session timeout of the shop",
    ),
    (
        "The minimum Rust version of the shop is now 1.77.2.",
        "The minimum Rust version of the shop was increased to 1.90.0.",
        "minimum Rust version of the shop",
    ),
    (
        "Always run the linter before a commit to the shop.",
        "Never run the linter before a commit to the shop.",
        "linter before a commit",
    ),
)


def test_no_later_note_outdates_a_rule(desk: Desk, home: Home) -> None:
    required = "Always use tabs for indentation in the frontend"
    fields = {"severity": "high", "requirement": required}
    rule = desk("remember", kind="policy", title="Tabs", content=required, fields=fields)["id"]
    home.clock.move(days=150)
    note = desk("save_context", content="Never use tabs for indentation in the frontend")["id"]
    desk.host.flush()
    hits = desk("context_search", query="tabs for indentation in the frontend")["results"]
    said = {hit["id"]: hit["validity"] for hit in hits}
    assert said[rule] == f"contradicts {short_id(note)}"
    assert said[note].startswith(f"contradicts {short_id(rule)}")


@pytest.mark.parametrize(("older", "newer", "asked"), PAIRS)
@pytest.mark.parametrize("tool", ["context_search", "recall_context", "search_contexts"])
def test_of_two_in_conflict_the_newer_comes_first_and_the_older_quotes_it(
    desk: Desk, home: Home, older: str, newer: str, asked: str, tool: str
) -> None:
    first = desk("save_context", content=older)["id"]
    home.clock.move(days=150)
    second = desk("save_context", content=newer)["id"]
    desk.host.flush()
    answer = desk.answer(tool, query=asked)
    hits = answer.value.get("results") or answer.value["entries"]
    assert [hit["id"] for hit in hits][:2] == [second, first]
    assert hits[0]["validity"] == f"contradicts {short_id(first)}, which is older"
    assert hits[1]["validity"] == f"contradicts {short_id(second)}, which is newer: “{newer}”"
    assert hits[1]["validity"] in answer.text


@pytest.mark.parametrize(("older", "newer"), [pair[:2] for pair in PAIRS])
def test_the_newer_comes_first_where_the_question_has_the_words_of_the_older(
    desk: Desk, home: Home, older: str, newer: str
) -> None:
    first = desk("save_context", content=older)["id"]
    home.clock.move(days=3)
    second = desk("save_context", content=newer)["id"]
    desk.host.flush()
    hits = desk("context_search", query=older)["results"]
    assert [hit["id"] for hit in hits][:2] == [second, first]


RENAMES = (
    ("We renamed the service mailhop to postbird last week.", "mailhop", "The service mailhop is deployed by hand"),
    ("Please rename `OrderFeed` to `OrderStream` in the whole shop.", "OrderFeed",
     "OrderFeed keeps the last hundred orders of the shop in memory"),
    ("The mailer moved from Sendly to Parcelpost because of the price.", "Sendly",
     "The mailer sends with Sendly and retries three times"),
    ("The queue bright-jobs is now called slow-jobs.", "bright-jobs", "bright-jobs holds jobs for two days"),
)  # fmt: skip


@pytest.mark.parametrize(("rename", "name", "fact"), RENAMES)
def test_a_record_with_an_old_name_comes_behind_the_record_that_renames_it(
    desk: Desk, home: Home, rename: str, name: str, fact: str
) -> None:
    old = desk("save_context", content=f"{fact}, as the notes say.")["id"]
    home.clock.move(days=3)
    new = desk("save_context", content=rename)["id"]
    hits = desk("context_search", query=f"what is {name}")["results"]
    assert [hit["id"] for hit in hits] == [new, old]
    assert hits[1]["validity"].startswith(f"older: {name} is ")
    assert hits[1]["validity"].endswith(short_id(new))


STATES = (
    ("The Rust toolchain is 1.70.", "The Rust toolchain is now 1.77.2."),
    ("The listening port of the shop is 8080.", "The listening port of the shop is 9090 now."),
)


@pytest.mark.parametrize(("before", "now"), STATES)
def test_the_current_state_of_a_thing_comes_before_an_earlier_one(
    desk: Desk, home: Home, before: str, now: str
) -> None:
    old = desk("save_context", content=before)["id"]
    home.clock.move(days=3)
    new = desk("save_context", content=now)["id"]
    found = desk("context_search", query=before)["results"]
    hits = [hit for hit in found if hit["id"] in (old, new)]
    assert [hit["id"] for hit in hits] == [new, old]
    assert hits[0]["validity"] == ""
    assert hits[1]["validity"].startswith(f"older: {before.partition(' is ')[0]} is ")
    assert hits[1]["validity"].endswith(short_id(new))


UNTOUCHED = (
    ("We renamed the service mailhop to postbird last week.", "The mailhops of the bank are closed"),
    ("We renamed the service mailhop to postbird.", "postbird, once mailhop, is deployed by hand"),
    ("The branch is called main and mailhop is built from it.", "mailhop is deployed by hand"),
    ("A function named mailhop to send mail was added to the shop.", "mailhop is deployed by hand"),
)  # fmt: skip


@pytest.mark.parametrize(("later", "fact"), UNTOUCHED)
def test_a_record_that_only_shares_words_with_a_new_name_is_not_outdated(
    desk: Desk, home: Home, later: str, fact: str
) -> None:
    desk("save_context", content=f"{fact}, as the notes say.")
    home.clock.move(days=3)
    desk("save_context", content=later)
    hits = desk("context_search", query="what is mailhop")["results"]
    assert [hit["validity"] for hit in hits] == [""] * len(hits)


@dataclass(frozen=True)
class Outdated:
    """A record that a reader must not show bare: what it says, and what must stand beside it."""

    record: Record
    mark: str


@pytest.fixture
def outdated(corrected: Desk, home: Home) -> tuple[Desk, list[Outdated]]:
    """Records of every validity but the usual one."""
    desk = corrected
    data = {"type": "fact"}
    candidate, old, new = (
        Record(kind="discovery", scope=desk.scope, content=text, data=data, **more)
        for text, more in (
            ("The crane job of the shop drains the dock queue twice.", {"status": "candidate"}),
            ("At noon somebody drains the dock queue of the shop.", {"status": "superseded"}),
            ("The dock queue of the shop is drained at night.", {}),
        )
    )
    old = old.with_(canonical_id=new.id)
    for record in (candidate, new, old):
        desk.put(record, "create")
    first = desk("save_context", content=PAIRS[0][0])["id"]
    home.clock.move(days=150)
    desk("save_context", content=PAIRS[0][1])
    waiting = desk("save_context", content="PR #31 of the crane job is still open.")["id"]
    home.clock.move(days=1)
    desk("save_context", content="PR #31 was merged on Friday, with the crane job.")
    desk.as_owner("reindex")
    desk.host.work_off()
    taken = episode(desk, SAID)
    return desk, [
        Outdated(taken, "taken back by the user"),
        Outdated(desk.record(candidate.id), "candidate, not confirmed"),
        Outdated(desk.record(old.id), f"superseded by {short_id(new.id)}"),
        Outdated(desk.record(first), "which is newer"),
        Outdated(desk.record(waiting), "until "),
    ]


EXEMPT = {
    "list_contradictions": "shows both sides of each pair",
    "compare_records": "shows two records side by side",
    "history": "shows the states a record had",
    "export": "copies records as they are stored",
    "session_timeline": "shows a session as it went",
    "introspect": "lists the open contradictions, both sides of each",
    "inbox": "lists nothing but what nobody confirmed",
}
"""Operations that show such records as what they are, with another word for it."""

load_operations()
READS = [op for op in OPERATIONS.values() if op.effect == "read" and op.name not in EXEMPT]


def _calls(op: Operation, one: Outdated) -> list[dict[str, Any]]:
    """Calls of an operation by which it might show a record."""
    # In another order, so that an answer that repeats the question does not look like the record.
    words = " ".join(reversed(one.record.content.split()))
    known = {
        "query": words, "task": words, "error": words, "prompt": words, "id": one.record.id, "name": one.record.id,
        "session_id": one.record.session, "session": one.record.session, "limit": 50,
        "status": "any", "kind": one.record.kind, "type": one.record.kind, "ids": one.record.id,
    }  # fmt: skip
    names = op.arguments.model_fields
    given = {name: value for name, value in known.items() if name in names and value != ""}
    few = {name: value for name, value in given.items() if name not in ("type", "kind", "status")}
    return [arguments(op, **given), arguments(op, **few)]


def _shown_bare(there: Desk, op: Operation, one: Outdated) -> list[str]:
    """The answers of an operation that show a record without its mark."""
    bare: list[str] = []
    for given in _calls(op, one):
        try:
            answer = there.answer(op.name, **given)
        except ContextdError:
            continue
        shown = {"text": answer.text, "data": json.dumps(answer.value, ensure_ascii=False)}
        bare += [
            f"{form} of {op.name} {given}: {text[:300]}"
            for form, text in shown.items()
            if one.record.content[:40] in text and one.mark not in text
        ]
    return bare


# One test of all operations: they only read, and the project costs more than the calls.
@pytest.mark.timeout(600)
def test_no_operation_shows_an_outdated_record_without_saying_so(
    outdated: tuple[Desk, list[Outdated]],
) -> None:
    desk, records = outdated
    bare = [
        text
        for op in READS
        for one in records
        for there in (desk, desk.on("cli"))
        for text in _shown_bare(there, op, one)
    ]
    assert bare == []


AGAIN = (
    "To run the shop with debug logs, set the `{}` variable to the level that you need.",
    "For a list of all parameters of the shop's clients, see the reference of the `{}` class.",
)


@pytest.mark.parametrize("sentence", AGAIN)
def test_a_sentence_stated_again_with_another_name_comes_first(
    desk: Desk, home: Home, sentence: str
) -> None:
    old = desk("save_context", content=sentence.format("OldOne"))["id"]
    home.clock.move(days=150)
    new = desk("save_context", content=sentence.format("NewOne"))["id"]
    found = desk("context_search", query=sentence.format(""))["results"]
    hits = [hit for hit in found if hit["id"] in (old, new)]
    assert [hit["id"] for hit in hits] == [new, old]
    assert hits[1]["validity"] == f"older: `OldOne` → `NewOne` since {short_id(new)}"


def test_sentences_of_a_list_do_not_replace_each_other(desk: Desk, home: Home) -> None:
    for name in ("FirstOne", "SecondOne", "ThirdOne"):
        desk("save_context", content=AGAIN[0].format(name))
        home.clock.move(days=150)
    hits = desk("context_search", query=AGAIN[0].format(""))["results"]
    assert {hit["validity"] for hit in hits} == {""}


def test_a_record_about_a_removed_option_comes_last_and_says_so(desk: Desk, home: Home) -> None:
    old = desk("save_context", content="The `--harvest` option of the install command picks paths.")
    home.clock.move(days=40)
    new = desk("save_context", content="Removed the `--harvest` option from the install command.")
    found = desk("context_search", query="harvest option of the install command")["results"]
    hits = [hit for hit in found if hit["id"] in (old["id"], new["id"])]
    assert [hit["id"] for hit in hits] == [new["id"], old["id"]]
    assert hits[1]["validity"] == f"older: --harvest is gone since {short_id(new['id'])}"


NEW_NAMES = (
    ("The mailer sends with Sendly and retries three times.", "The mailer moved from Sendly to Parcelpost because of the price."),
    ("The Rust toolchain is 1.70.", "The Rust toolchain is now 1.77.2."),
    (AGAIN[0].format("OldOne"), AGAIN[0].format("NewOne")),
)  # fmt: skip


@pytest.mark.parametrize("kind", ["context", "policy"])
@pytest.mark.parametrize(("text", "later"), NEW_NAMES)
def test_a_later_note_with_another_name_outdates_a_note_and_no_rule(
    desk: Desk, home: Home, text: str, later: str, kind: str
) -> None:
    fields = {"severity": "high", "requirement": text} if kind == "policy" else {}
    old = desk("remember", kind=kind, title="Here", content=text, fields=fields)["id"]
    home.clock.move(days=150)
    new = desk("remember", kind="context", title="Here", content=later)["id"]
    found = desk("context_search", query=text, limit=10)["results"]
    hits = {hit["id"]: hit["validity"] for hit in found if hit["id"] in (old, new)}
    assert set(hits) == {old, new}
    assert hits[old].startswith("older: ") is (kind == "context")
    if kind == "context":
        assert list(hits) == [new, old]


def test_a_later_rule_outdates_a_rule(desk: Desk, home: Home) -> None:
    ids = []
    for text in NEW_NAMES[0]:
        fields = {"severity": "high", "requirement": text}
        given = {"kind": "policy", "title": "Mailer", "content": text, "fields": fields}
        ids.append(desk("remember", **given)["id"])
        home.clock.move(days=150)
    found = desk("context_search", query="Sendly and Parcelpost of the mailer", limit=10)["results"]
    hits = {hit["id"]: hit["validity"] for hit in found if hit["id"] in ids}
    assert list(hits) == ids[::-1]
    assert hits[ids[0]].startswith("older: Sendly is Parcelpost")
