"""What a session leaves while it runs, there where the next agent looks for it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from contextd.domain.kinds import EPISODE
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.sessions.thread import THREAD
from contextd_code.git.git_queries import branch as current_branch
from contextd_common.errors import Denied
from contextd_common.text.tokens import count_tokens
from support.clients import CodingClient
from support.desks import Desk, Home
from support.repositories import committed, git

PROMPT = "Why are the totals of a basket off by one cent?"
ANSWER = (
    "Each line of the basket was rounded by itself in `src/price.ts`, so two lines could lose a cent. "
    "The basket total is rounded once now, half even, and `lineTotal` keeps the exact value."
)
LIKE = "The totals of a basket are off by a cent again, why?"
OFF_TOPIC = "Translate the welcome screen of the mobile app into Danish, please."

Opened = Callable[..., CodingClient]


@pytest.fixture
def client(desk: Desk, tmp_path: Path) -> Opened:
    """Opens a session of a client; `desk` is another one where it is given."""
    folder = tmp_path / "transcripts"
    folder.mkdir()

    def opened(at: Desk = desk, entrypoint: str = "cli") -> CodingClient:
        return CodingClient(at, folder, entrypoint)

    return opened


def one_turn(session: CodingClient) -> CodingClient:
    session.starts()
    session.asks(PROMPT)
    session.answers(ANSWER)
    return session


def episodes(desk: Desk) -> list[Record]:
    return list(desk.view.records.find(desk.runtime().query(EPISODE)).records)


def test_the_end_of_a_turn_leaves_an_episode_that_searches_find_at_once(
    desk: Desk, client: Opened
) -> None:
    one_turn(client())
    [episode] = episodes(desk)
    assert (episode.title, episode.content) == (PROMPT, ANSWER)
    for found in (
        desk("context_search", query="basket total rounded half even")["results"],
        desk("memory_search", query="basket total rounded half even")["memories"],
    ):
        assert [hit["id"] for hit in found if hit["id"] == episode.id] == [episode.id]


def test_a_sentence_deep_in_a_long_prompt_is_found_and_shown(desk: Desk, client: Opened) -> None:
    session = client()
    session.starts()
    wishes = "The importer reads the files of the bakery and stores each row. " * 12
    limit = "It must never send more than 400 rows in one batch to the ledger."
    session.asks(f"Please write the importer. {wishes}\n{limit}\n{wishes}")
    session.answers(f"The importer is written and tested. {'It has a parser. ' * 80}")
    [episode] = episodes(desk)
    assert limit not in episode.text
    [hit] = desk("context_search", query="rows per batch sent to the ledger")["results"]
    assert hit["id"] == episode.id
    assert hit["text"].startswith("Please write the importer.")
    assert limit in hit["text"]
    assert len(hit["text"]) <= 600


def test_neither_a_second_project_nor_a_second_person_sees_it(
    desk: Desk, client: Opened, colleague: Desk
) -> None:
    [episode] = episodes(one_turn(client()).desk)
    scopes = frozenset({colleague.scope, desk.scope})
    query = Query(scopes=scopes, kinds=(EPISODE,))
    assert list(colleague.view.records.find(query).records) == []
    assert colleague.view.records.get([episode.id]) == []
    hook = {"prompt": LIKE, "session_id": "other", "cwd": str(colleague.root)}
    with pytest.raises(Denied):
        colleague.on("hook")("hook_event", event="UserPromptSubmit", payload=hook)


def test_reading_the_same_turn_again_makes_no_second_episode(desk: Desk, client: Opened) -> None:
    session = one_turn(client())
    session.stops(ANSWER)
    session.hook("PreCompact", trigger="auto")
    session.ends()
    [episode] = episodes(desk)
    assert episode.version == 1


def another_turn(session: CodingClient) -> CodingClient:
    """What the briefing says was said last."""
    session.asks("Give the header of the page a shadow, please")
    session.answers("The header in `src/header.css` has a shadow of two pixels in both themes now.")
    return session


def test_a_fork_makes_no_second_episode_of_a_turn_it_was_copied_with(
    desk: Desk, client: Opened, tmp_path: Path
) -> None:
    first = one_turn(client())
    first.ends()
    fork = client()
    shutil.copy(first.transcript, fork.transcript)
    fork.starts("resume")
    another_turn(fork).ends()
    told = {(one.title, one.session) for one in episodes(desk)}
    assert len(told) == len({title for title, _ in told}) == 2
    assert len({session for _, session in told}) == 2
    # Another project in which the same was asked keeps its own.
    elsewhere = desk.at(tmp_path / "elsewhere")
    shutil.copytree(desk.root, elsewhere.root)
    shutil.rmtree(elsewhere.root / ".git")
    (elsewhere.root / ".context").mkdir(exist_ok=True)
    elsewhere.as_owner("init")
    one_turn(client(elsewhere))
    assert elsewhere.scope != desk.scope
    assert [one.title for one in episodes(elsewhere)] == [PROMPT]


def test_a_turn_that_the_briefing_quotes_is_not_told_again_with_a_prompt(client: Opened) -> None:
    one_turn(client()).ends()
    later = client()
    assert "half even" in later.starts()
    assert "half even" not in later.asks(LIKE)
    later.hook("PreCompact", trigger="auto")
    later.hook("PostCompact", trigger="auto", compact_summary="The user asked about totals.")
    assert "half even" in later.asks(LIKE)


def test_the_next_session_gets_it_with_a_prompt_that_is_like_it_and_once(client: Opened) -> None:
    another_turn(one_turn(client())).ends()
    later = client()
    later.starts()
    assert "half even" in later.asks(LIKE)
    assert "half even" not in later.asks(LIKE)


def test_a_prompt_about_something_else_gets_nothing(client: Opened) -> None:
    one_turn(client()).ends()
    later = client()
    later.starts()
    assert later.asks(OFF_TOPIC) == ""


def test_a_session_is_not_told_its_own_turns(client: Opened) -> None:
    session = one_turn(client())
    assert session.asks(LIKE) == ""


def test_an_episode_that_the_user_took_back_is_not_injected(desk: Desk, client: Opened) -> None:
    session = one_turn(client())
    session.asks("No, scratch that: the basket totals are not to be rounded half even.")
    session.answers(
        "I took the rounding of the basket in `src/price.ts` back to what it was before."
    )
    session.ends()
    marked = {one.title: one.data.get("taken_back", False) for one in episodes(desk)}
    assert marked[PROMPT] is True
    later = client()
    later.starts()
    assert "lineTotal" not in later.asks(LIKE)


def test_a_compacted_session_gets_itself_back(desk: Desk, client: Opened) -> None:
    desk.as_owner("init")
    session = client()
    session.starts()
    session.asks("Remember: amounts in this project are cents, never floats.")
    session.answers("Understood, every amount in `src/price.ts` is an integer number of cents.")
    for field in ("name", "street", "city"):
        session.asks(f"Now move the field {field} of the customer over to the new form")
        session.answers(
            f"The field {field} is read by `load_{field}` in `src/form_{field}.ts` now."
        )
    session.hook("PreCompact", trigger="auto")
    told = session.starts("compact")
    assert "amounts in this project are cents, never floats" in told
    assert "load_city" in told
    assert count_tokens(told) <= 600
    file = (desk.root / ".context" / "CONTEXT.md").read_text()
    assert "Now move the field city of the customer" in file


def test_a_client_without_a_start_after_a_compaction_gets_the_session_back_with_its_next_prompt(
    client: Opened,
) -> None:
    session = client()
    session.starts()
    session.asks("Remember: amounts in this project are cents, never floats.")
    session.answers("Understood, every amount in `src/price.ts` is an integer number of cents.")
    session.asks("Now move the field city of the customer over to the new form")
    session.answers("The field city is read by `load_city` in `src/form_city.ts` now.")
    assert "load_city" not in session.asks("Now give the page of the orders a darker colour")
    session.answers("The page of the orders has a darker colour in `src/orders.css` now.")
    session.hook("PreCompact", trigger="auto")
    back = session.asks("Now give the page of the invoices a darker colour")
    assert "amounts in this project are cents, never floats" in back
    assert "load_city" in back
    session.answers("The page of the invoices has a darker colour as well now.")
    assert "load_city" not in session.asks("Now give the page of the labels a darker colour")


def test_a_session_that_starts_again_after_a_compaction_gets_itself_back_once(
    client: Opened,
) -> None:
    session = client()
    session.starts()
    session.asks("Now move the field city of the customer over to the new form")
    session.answers("The field city is read by `load_city` in `src/form_city.ts` now.")
    session.hook("PreCompact", trigger="auto")
    assert "load_city" in session.starts("compact")
    assert "load_city" not in session.asks("Now give the page of the orders a darker colour")


def test_a_daemon_that_dies_during_a_compaction_loses_nothing_of_the_session(
    desk: Desk, home: Home, client: Opened
) -> None:
    desk.as_owner("init")
    session = one_turn(client())
    session.writes_down("user", "Now move the postcode of the customer over to the new form")
    session.hook("PreCompact", trigger="auto")
    # Nothing that was left to be written is written: another daemon takes over.
    after = replace(desk, host=home.host())
    session.desk = after
    told = session.starts("compact")
    assert PROMPT in told
    assert "move the postcode of the customer" in told
    after.host.flush()
    file = (desk.root / ".context" / "CONTEXT.md").read_text()
    assert "move the postcode of the customer" in file
    assert [one.title for one in episodes(after)].count(PROMPT) == 1
    desk.host.flush()
    assert [one.title for one in episodes(after)].count(PROMPT) == 1
    beside = client()
    beside.starts()
    beside.asks(OFF_TOPIC)
    assert "postcode" not in beside.starts("compact")


def test_the_summary_of_a_compaction_is_kept_and_found(desk: Desk, client: Opened) -> None:
    session = client()
    session.starts()
    session.asks("Go on with the customer form, all of its fields")
    summary = (
        "The customer form reads its fields through loaders; the postcode loader is still missing, "
        "because the geocoder refuses postcodes with a letter in front of them."
    )
    session.hook("PostCompact", trigger="auto", compact_summary=summary)
    session.ends()
    hits = desk("context_search", query="geocoder refuses postcodes with a letter")["results"]
    assert any("geocoder refuses postcodes" in hit["text"] for hit in hits)


def test_a_session_that_a_program_ran_leaves_nothing_and_takes_nobodys_place(
    desk: Desk, client: Opened
) -> None:
    worked = one_turn(client())
    worked.ends()
    script = client(entrypoint="sdk-cli")
    script.starts()
    script.asks("Remember that the robot writes the release notes every night.")
    script.answers("The release notes of tonight are written in `docs/release.md`, by the robot.")
    script.ends()
    assert [one.title for one in episodes(desk)] == [PROMPT]
    assert "robot" not in str(desk("context_search", query="robot release notes")["results"])
    briefing = client().starts()
    assert PROMPT.rstrip("?") in briefing
    assert "robot" not in briefing


def test_a_resumed_session_goes_on_as_the_same_one(desk: Desk, client: Opened) -> None:
    session = one_turn(client())
    session.hook("SessionEnd", reason="other")
    assert session.starts("resume") == "", "its window holds all of it"
    session.asks("Now write the test for the rounding of the basket")
    session.answers(
        "The rounding is tested in `src/price.test.ts` with seven baskets of two lines."
    )
    session.ends()
    assert len(desk.sessions()) == 1
    assert len(episodes(desk)) == 2


def test_a_session_that_is_only_looked_at_again_leaves_nothing(desk: Desk, client: Opened) -> None:
    session = one_turn(client())
    session.ends()
    assert session.starts("resume") == ""
    session.hook("SessionEnd", reason="other")
    desk.host.work_off()
    [first] = desk.sessions()
    assert session.starts("resume") == ""
    session.asks("Now write the test for the rounding of the basket")
    session.answers("The rounding is tested in `src/price.test.ts` with seven baskets of two.")
    session.ends()
    assert [one.id for one in desk.sessions()] == [first.id]
    assert len(episodes(desk)) == 2


REMEMBERED = "Remember that the credit notes are rounded once, like the baskets."


def test_a_session_resumed_weeks_after_it_was_learned_from_is_still_one(
    desk: Desk, client: Opened, home: Home, tmp_path: Path
) -> None:
    bakery = Desk(desk.host, committed(tmp_path / "bakery", {"bakery.py": "A = 1\n"}))
    bakery("init")
    session = one_turn(client())
    # The same id in another project is another session.
    next_door = CodingClient(bakery, tmp_path, session=session.session)
    for one in (one_turn(client()), one_turn(next_door)):
        one.ends()
    session.ends()
    others = [one for one in desk.sessions() if one.external_id != session.session]
    elsewhere = next_door.desk.sessions()
    home.clock.move(days=8)
    desk.work_on("end_idle_sessions")
    [before] = [one for one in desk.sessions() if one.external_id == session.session]
    assert before.status == "archived"
    session.starts("resume")
    session.hook("SessionEnd", reason="other")
    assert desk.view.sessions.get(before.id) == before, "it was only looked at"
    began_on = current_branch(desk.root)
    git(desk.root, "checkout", "-q", "-b", "credit-notes")
    git(desk.root, "commit", "-q", "--allow-empty", "-m", "Begin credit notes")
    session.asks(REMEMBERED)
    now = desk.view.sessions.get(before.id)
    assert (now.status, now.ended_at, now.started_at) == ("active", None, before.started_at)
    session.answers("The credit notes are rounded once too, half even, in `src/price.ts`.")
    session.ends()
    after = desk.view.sessions.get(before.id)
    assert after.status == "completed"
    assert after.data["learned"] == before.data["learned"] + 1
    assert after.data[THREAD]["branch"] == "credit-notes"
    events = desk.view.sessions.events(before.id)
    said = [one.text for one in events if one.type == "message"]
    assert [said.index(text) for text in (PROMPT, ANSWER, REMEMBERED)] == [0, 1, 2]
    assert len(said) == len(set(said)) == 4
    [row] = [one for one in desk("list_sessions")["sessions"] if one["id"] == before.id]
    assert len(desk("list_sessions")["sessions"]) == 2
    assert row["learned"] == after.data["learned"]
    commit = git(desk.root, "rev-parse", "HEAD").strip()
    assert (row["branch"], row["resumed_on"]) == (began_on, [f"credit-notes {commit[:8]}"])
    assert (after.commit, after.branch) == (before.commit, began_on)
    query = Query(scopes=frozenset({desk.scope}), kinds=(EPISODE,))
    told_at = {
        one.title[:20]: (one.anchor.branch, one.anchor.commit)
        for one in desk.view.records.find(query).records
        if one.session == before.id
    }
    assert told_at == {
        PROMPT[:20]: (began_on, before.commit),
        REMEMBERED[:20]: ("credit-notes", commit),
    }
    assert desk("session_timeline", session_id=before.id)["session"]["id"] == before.id
    unchanged = [one for one in desk.sessions() if one.id != before.id]
    assert [one.data.get("learned") for one in unchanged] == [o.data["learned"] for o in others]
    assert [one.id for one in next_door.desk.sessions()] == [one.id for one in elsewhere]
    ended = {one.status for one in (*unchanged, *next_door.desk.sessions())}
    assert ended <= {"completed", "archived"}
    assert REMEMBERED in client().starts()


def test_the_outcome_stated_last_is_that_of_a_resumed_session(desk: Desk, client: Opened) -> None:
    session = one_turn(client())
    for outcome in ("success", "failure"):
        [found] = desk.sessions()
        desk("session_end", session_id=found.id, outcome=outcome)
        session.ends()
        [found] = desk.sessions()
        assert (found.status, found.outcome) == ("completed", outcome)
        session.starts("resume")
        session.asks("Now round the credit notes as well")


def test_work_that_goes_on_is_briefed_with_its_thread_first_and_briefly(client: Opened) -> None:
    session = one_turn(client())
    session.asks("Round the receipts as well")
    session.answers(f"The receipts are rounded once too.\n\n{ANSWER}\n\nNext: the credit notes.")
    session.ends()
    briefing = client().starts()
    assert count_tokens(briefing) <= 350
    assert "Asked last: Round the receipts as well" in briefing
    assert "Open: the credit notes." in briefing


def test_the_thread_of_the_current_branch_comes_before_a_later_one_of_another(
    desk: Desk, client: Opened
) -> None:
    one_turn(client()).ends()
    here = current_branch(desk.root)
    git(desk.root, "checkout", "-q", "-b", "receipts")
    beside = client()
    beside.starts()
    beside.asks("Print the receipts on the small paper of the till")
    beside.answers(
        "The receipts are printed with `printReceipt` on paper of 58 mm, in two columns."
    )
    beside.ends()
    assert "Asked last: Print the receipts" in client().starts()
    git(desk.root, "checkout", "-q", here)
    assert f"Asked last: {PROMPT}" in client().starts()


def test_a_thread_of_two_weeks_ago_is_not_gone_on_with(home: object, client: Opened) -> None:
    one_turn(client()).ends()
    home.clock.move(days=15)  # type: ignore[attr-defined]
    assert "Asked last" not in client().starts()


def test_an_answer_larger_than_is_read_at_once_waits_for_the_end(
    desk: Desk, client: Opened
) -> None:
    session = client()
    session.starts()
    session.asks(PROMPT)
    session.runs("cat everything", "x" * 1_200_000)
    session.answers(ANSWER)
    assert episodes(desk) == []
    session.ends()
    assert [one.content for one in episodes(desk)] == [ANSWER]


def test_a_session_of_the_future_comes_after_one_recorded_since_the_clock_went_back(
    home: Home, client: Opened
) -> None:
    home.clock.move(days=2)
    one_turn(client()).ends()
    home.clock.move(days=-2)
    assert f"Asked last: {PROMPT}" in client().starts()
    for words in ("Print the receipts on the paper of the till", "Fold the invoices in three"):
        session = client()
        session.starts()
        session.asks(words)
        session.answers("Done with `printReceipt`, in two columns of 58 mm each.")
        session.ends()
        assert f"Asked last: {words}" in client().starts()
