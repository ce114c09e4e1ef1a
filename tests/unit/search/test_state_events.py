"""A state of the work is told with the event that ended it: a commit, a tag, a merge, a later word."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.clients import CodingClient
from support.desks import Desk, Home
from support.repositories import git, written


def commit(desk: Desk, home: Home, subject: str, path: str = "notes.md") -> None:
    """A commit an hour after everything before it."""
    home.clock.move(seconds=3_600)
    at = int(home.clock.now().timestamp())
    written(desk.root, {path: f"{subject}\n{at}\n"})
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-q", "-m", subject, at=at)


def validity(desk: Desk, id: str, query: str) -> str:
    hits = desk("context_search", query=query, limit=10)["results"]
    return next(str(hit["validity"]) for hit in hits if hit["id"] == id)


EVENTS = (
    ("The retry of exports in src/retry.ts is not committed yet.", "Retry exports", "src/retry.ts"),
    ("The rounding of taxes is not committed yet.", "Add the rounding of taxes", "src/tax.ts"),
    ("PR #12 is still open, it holds the tax.", "Merge pull request #12 from ana/tax", "a.md"),
    ("PR #12 is still open, it holds the tax.", "Round the tax once (#12)", "a.md"),
    ("The branch feature/ledger is not merged yet.", "Merge branch 'feature/ledger'", "a.md"),
    ("Issue #77 is still open: exports drop a row.", "Keep the last row, fixes #77", "a.md"),
    ("The export of invoices is not implemented yet.", "feat: add export of invoices", "a.md"),
    ("The invoice mailer is broken.", "Fix invoice mailer", "a.md"),
    ("We are blocked on #31, the new signer.", "Use the new signer (#31)", "a.md"),
)


@pytest.mark.parametrize(("statement", "subject", "path"), EVENTS)
def test_a_commit_ends_the_state_it_is_about(
    desk: Desk, home: Home, statement: str, subject: str, path: str
) -> None:
    id = desk("save_context", content=statement)["id"]
    assert validity(desk, id, statement) == ""
    commit(desk, home, subject, path)
    note = validity(desk, id, statement)
    assert note.startswith("“")
    assert f"“{subject}”" in note
    assert "until commit" in note


OTHER_EVENTS = (
    ("The retry of exports in src/retry.ts is not committed yet.", "Add a store", "src/store.ts"),
    ("PR #12 is still open, it holds the tax.", "Merge pull request #13 from ana/tax", "a.md"),
    ("PR #12 is still open, it holds the tax.", "Round the tax once (#112)", "a.md"),
    (
        "The branch feature/ledger is not merged yet.",
        "Merge branch 'feature/ledger-export'",
        "a.md",
    ),
    ("Issue #77 is still open: exports drop a row.", "Keep the last row, see #77", "a.md"),
    ("The export of invoices is not implemented yet.", "Add export of receipts", "a.md"),
    ("If PR #12 is open, the bot waits.", "Merge pull request #12 from ana/tax", "a.md"),
    ("Uncommitted changes are stashed before a rebase.", "Stash before a rebase", "a.md"),
)


@pytest.mark.parametrize(("statement", "subject", "path"), OTHER_EVENTS)
def test_another_commit_does_not(
    desk: Desk, home: Home, statement: str, subject: str, path: str
) -> None:
    id = desk("save_context", content=statement)["id"]
    commit(desk, home, subject, path)
    assert validity(desk, id, statement) == ""


@pytest.mark.parametrize(
    ("statement", "tag", "over"),
    [
        ("The current version is 1.2.0.", "v1.3.0", True),
        ("The latest release is v1.2.0.", "1.10.0", True),
        ("The current version is 1.2.0.", "v1.2.0", False),
        ("The current version is 1.2.0.", "v1.1.9", False),
        ("The current version is 1.2.0.", "docs-2.0.0", False),
        ("The current version of the signer is 1.2.0.", "signer-1.3.0", True),
        ("The current version of the signer is 1.2.0.", "v1.3.0", False),
    ],
)
def test_a_tag_ends_a_lower_version_of_the_same_thing(
    desk: Desk, home: Home, statement: str, tag: str, over: bool
) -> None:
    id = desk("save_context", content=statement)["id"]
    commit(desk, home, "Prepare the release")
    git(desk.root, "tag", tag)
    note = validity(desk, id, statement)
    assert note == (f"“{statement}” until tag {tag}" if over else "")


def test_general_changes_are_committed_once_the_work_tree_is_clean(desk: Desk, home: Home) -> None:
    statement = "The changes are not committed yet."
    id = desk("save_context", content=statement)["id"]
    commit(desk, home, "Round the tax")
    assert validity(desk, id, statement) == f"“{statement}” until everything was committed"
    written(desk.root, {"loose.md": "More of it."})
    assert validity(desk, id, statement) == ""


def test_a_commit_before_the_statement_ends_nothing(desk: Desk, home: Home) -> None:
    commit(desk, home, "Merge pull request #12 from ana/tax")
    home.clock.move(seconds=3_600)
    id = desk("save_context", content="PR #12 is still open, it holds the tax.")["id"]
    assert validity(desk, id, "is PR #12 open") == ""


def test_files_that_a_text_names_must_all_be_committed(desk: Desk, home: Home) -> None:
    statement = "The retry in src/retry.ts and src/queue.ts is not committed yet."
    id = desk("save_context", content=statement)["id"]
    commit(desk, home, "Retry exports", "src/retry.ts")
    assert validity(desk, id, statement) == ""
    commit(desk, home, "Queue exports", "src/queue.ts")
    assert "until commit" in validity(desk, id, statement)


def test_a_tag_before_the_statement_ends_no_version(desk: Desk, home: Home) -> None:
    commit(desk, home, "Prepare the release")
    git(desk.root, "tag", "v1.3.0")
    home.clock.move(seconds=3_600)
    statement = "The current version is 1.2.0."
    id = desk("save_context", content=statement)["id"]
    assert validity(desk, id, statement) == ""


@pytest.mark.parametrize(
    ("first", "taken_back", "over"),
    [("state", False, True), ("end", False, False), ("state", True, False)],
)
def test_only_a_later_word_that_holds_ends_a_state(
    desk: Desk, home: Home, first: str, taken_back: bool, over: bool
) -> None:
    texts = {
        "state": "The rollout is blocked on the DNS change from ops.",
        "end": "The DNS change is done, as ops wrote today.",
    }
    ids: dict[str, str] = {}
    for name in sorted(texts, key=lambda one: one != first):
        ids[name] = desk("save_context", content=texts[name])["id"]
        home.clock.move(seconds=3_600)
    if taken_back:
        end = desk.record(ids["end"])
        desk.put(end.with_(data={**end.data, "taken_back": True}))
    note = validity(desk, ids["state"], "what is the rollout blocked on")
    assert ("until" in note) is over


def test_a_later_word_unblocks_the_thread_everywhere(
    desk: Desk, home: Home, tmp_path: Path
) -> None:
    (desk.root / ".context").mkdir(exist_ok=True)
    first = CodingClient(desk, tmp_path)
    first.starts()
    first.asks("Why does the rollout of the tax table not go on?")
    first.answers(
        "The table is complete and tested on staging. The rollout is blocked on the DNS change from ops."
    )
    first.ends()
    desk.host.work_off()
    page = desk.root / ".context" / "CONTEXT.md"
    assert "blocked on the DNS change" in page.read_text()
    home.clock.move(seconds=3_600)
    assert "Blocked: The rollout is blocked" in CodingClient(desk, tmp_path).starts()
    desk("save_context", content="The DNS change is done, as ops wrote today.")
    home.clock.move(seconds=3_600)
    briefing = CodingClient(desk, tmp_path).starts()
    assert "complete and tested on staging" in briefing
    assert "blocked on the DNS change" not in briefing
    home.clock.move(days=2)
    CodingClient(desk, tmp_path).starts()
    desk.host.work_off()
    assert "complete and tested on staging" in page.read_text()
    assert "blocked on the DNS change" not in page.read_text()


def test_a_long_text_keeps_its_place_and_gets_a_note(desk: Desk, home: Home) -> None:
    long = (
        "The retry of exports pauses two seconds and doubles that up to a minute, since the server counts calls per"
        " minute. PR #12 is still open. The queue keeps failed exports for a week, in order."
    )
    id = desk("save_context", content=long)["id"]
    desk("save_context", content="Exports are written as CSV files for the bank.")
    commit(desk, home, "Merge pull request #12 from ana/tax")
    hits = desk("context_search", query="how long does the retry of exports pause")["results"]
    assert hits[0]["id"] == id
    assert "until commit" in hits[0]["validity"]


@pytest.mark.parametrize(
    ("subject", "is_open"), [("Round the tax per basket", False), ("Add a footer", True)]
)
def test_a_prompt_is_open_until_a_commit_does_it(
    desk: Desk, home: Home, tmp_path: Path, subject: str, is_open: bool
) -> None:
    first = CodingClient(desk, tmp_path)
    first.starts()
    first.asks("Where do we round the tax of an invoice?")
    first.answers("The tax is rounded in every line of the invoice, by the function price in src.")
    first.asks("Please round the tax once per basket")
    first.ends()
    desk.host.work_off()
    commit(desk, home, subject)
    home.clock.move(seconds=3_600)
    briefing = CodingClient(desk, tmp_path).starts()
    assert "tax is rounded in every line" in briefing
    assert ("Not answered yet: Please round the tax" in briefing) is is_open


def test_a_prompt_gets_no_record_whose_state_has_ended(
    desk: Desk, home: Home, tmp_path: Path
) -> None:
    state = "The export of invoices as CSV for the bank is not implemented yet."
    desk("save_context", content=state)
    desk.host.work_off()
    asked = "Is the export of invoices as CSV for the bank implemented?"
    assert state in CodingClient(desk, tmp_path).asks(asked)
    commit(desk, home, "Implement export of invoices as CSV for the bank")
    assert state not in CodingClient(desk, tmp_path).asks(asked)
