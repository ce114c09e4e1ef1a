"""A way that failed is told when a prompt or an edit brings it up again, however short the answer was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contextd.domain.kinds import EPISODE
from support.clients import CodingClient, chat
from support.desks import Desk
from support.repositories import BLOG, committed

Opened = Callable[[], CodingClient]

STATED = "We tried Redis for the session store last month, it lost sessions on every failover."
AGAIN = "Logins are slow. Let's move the session store to Redis."


@pytest.fixture
def client(desk: Desk, tmp_path: Path) -> Opened:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    return lambda: CodingClient(desk, folder)


def told(session: CodingClient, prompt: str) -> str:
    session.starts()
    return session.asks(prompt)


def edits(session: CodingClient, path: str, before: str, after: str) -> str:
    """What the agent is told before it changes a file."""
    file = session.desk.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(before)
    given = {"file_path": str(file), "old_string": before, "new_string": after}
    return session.told("PreToolUse", tool_name="Edit", tool_input=given)


@pytest.mark.parametrize(
    ("said", "again", "reason"),
    [
        ((STATED, "OK."), AGAIN, "lost sessions"),
        (
            (
                "why is the price lookup stale in the shop?",
                "I tried `lru_cache` on `price_of`, but it served stale prices after an import, so I reverted it.",
            ),
            "price_of is called too often, cache price_of with lru_cache please",
            "stale prices",
        ),
        (
            ("can we use turbopack here?", "Nope, turbopack broke the SVG imports."),
            "enable turbopack for the dev server please",
            "SVG imports",
        ),
        (
            (
                "switch the image of the worker to alpine",
                "Done, the image of the worker is alpine now.",
                "undo that, on alpine the wheels of the worker are missing and every image build takes 20 minutes",
                "Undone.",
            ),
            "make the image of the worker smaller, switch it to alpine",
            "20 minutes",
        ),
        (
            (
                "stop adding retries to the invoice upload. we had them, the tax office booked invoices twice",
                "Removed.",
            ),
            "the invoice upload fails now and then, add retries to the invoice upload",
            "booked invoices twice",
        ),
        (
            (
                "We experimented with a mutex around the cache refresh. Under load every request queued behind it and "
                "latency tripled. Went back to letting two refreshes race.",
                "Got it.",
            ),
            "two refreshes of the cache run at once, put a mutex around the cache refresh",
            "latency tripled",
        ),
        (
            (
                "the audit log sharded by month cost us a weekend: every report had to query 36 tables. We merged them again.",
                "I see.",
            ),
            "the audit log has 400 million rows, shard the audit log by month",
            "36 tables",
        ),
    ],
)
def test_a_prompt_gets_the_reason_why_its_way_failed(
    client: Opened, said: tuple[str, ...], again: str, reason: str
) -> None:
    chat(client(), *said)
    assert reason in told(client(), again)


def test_a_prompt_on_the_same_subject_without_the_way_gets_nothing(client: Opened) -> None:
    chat(client(), STATED, "OK.")
    assert "Redis" not in told(client(), "Logins are slow. Where is the time spent?")


def test_a_session_gets_a_dead_end_once(client: Opened) -> None:
    chat(client(), STATED, "OK.")
    later = client()
    assert "lost sessions" in told(later, AGAIN)
    later.answers("I look at it.")
    assert "lost sessions" not in later.asks(f"{AGAIN} Really, please.")


def test_a_session_is_not_told_its_own_dead_end(client: Opened) -> None:
    session = client()
    session.starts()
    session.asks(STATED)
    session.answers("OK.")
    session.desk.host.work_off()
    assert "lost sessions" not in session.asks(AGAIN)


def test_a_dead_end_that_was_taken_back_is_not_told(client: Opened) -> None:
    chat(client(), STATED, "OK.")
    chat(
        client(),
        "Forget what I said, we never tried Redis for the session store, the failover lost sessions in Postgres",
        "Understood.",
    )
    assert "We tried Redis" not in told(client(), AGAIN)


def test_an_error_report_and_a_plan_are_no_dead_ends(client: Opened) -> None:
    chat(client(), "I tried the session store in Redis and it fails with an error", "I look at it.")
    chat(client(), "Should we try Redis for the session store? It may be slower.", "Perhaps.")
    assert "given up" not in told(client(), AGAIN)


def test_an_edit_that_brings_the_way_in_gets_the_reason(client: Opened, desk: Desk) -> None:
    chat(client(), STATED, "OK.")
    desk.configure("policies:\n  hook: true\n")
    later = client()
    later.starts()
    before = "store = connect()\n"
    assert "lost sessions" in edits(
        later, "app/session.py", before, "import redis\nsession_store = redis.Redis()\n"
    )


def test_an_edit_of_a_file_that_has_the_way_already_gets_nothing(
    client: Opened, desk: Desk
) -> None:
    chat(client(), STATED, "OK.")
    desk.configure("policies:\n  hook: true\n")
    later = client()
    later.starts()
    before = "import redis\nsession_store = redis.Redis()\n"
    after = "import redis\nsession_store = redis.Redis(host=HOST)\n"
    assert edits(later, "app/session.py", before, after) == ""


def test_a_way_that_works_now_is_not_told_as_failed(client: Opened) -> None:
    chat(client(), STATED, "OK.")
    chat(
        client(),
        "Move the session store to Redis after all, with Sentinel.",
        "The session store is in Redis now, and with Sentinel no sessions are lost on failover: that works now.",
    )
    assert "We tried Redis" not in told(client(), AGAIN)


def test_a_success_that_the_user_took_back_makes_no_way_work(client: Opened, desk: Desk) -> None:
    chat(client(), STATED, "OK.")
    moved = "Move the session store to Redis after all, with Sentinel."
    chat(
        client(),
        moved,
        "The session store is in Redis now, and with Sentinel no sessions are lost on failover: that works now.",
    )
    found = desk.view.records.find(desk.runtime().query(EPISODE)).records
    [success] = [one for one in found if one.title == moved]
    desk.put(success.with_(data={**success.data, "taken_back": True, "taken_back_by": ["e", "No"]}))
    assert "We tried Redis" in told(client(), AGAIN)


def test_another_project_gets_nothing(client: Opened, desk: Desk, tmp_path: Path) -> None:
    chat(client(), STATED, "OK.")
    elsewhere = desk.at(committed(tmp_path / "elsewhere", BLOG))
    elsewhere.as_owner("init")
    later = CodingClient(elsewhere, tmp_path / "transcripts")
    assert "lost sessions" not in told(later, AGAIN)
    chat(later, STATED, "OK.")
    assert "lost sessions" in told(CodingClient(elsewhere, tmp_path / "transcripts"), AGAIN)


REFUSED = (
    "cache the price list in Memcached",
    "The price list is in Memcached now.",
    "Undo that, Memcached drops the price list at every deploy and the shop shows old prices.",
    "Undone.",
)


def waiting(desk: Desk) -> list[dict[str, object]]:
    desk.host.work_off()
    return list(desk.as_owner("inbox", kind="anti_pattern")["waiting"])


def test_a_way_that_failed_in_two_sessions_waits_as_an_anti_pattern(
    client: Opened, desk: Desk
) -> None:
    chat(client(), STATED, "OK.")
    assert waiting(desk) == []
    chat(
        client(),
        "We tried Redis for the session store again, failover lost sessions, so we dropped it.",
        "OK.",
    )
    [one] = waiting(desk)
    assert one["why"] == "it failed in 2 sessions"
    assert "failover" in str(one["content"])


def test_a_way_that_the_user_refused_waits_at_once_and_only_once(
    client: Opened, desk: Desk
) -> None:
    chat(client(), *REFUSED)
    [one] = waiting(desk)
    assert one["why"] == "the user refused it"
    id = str(one["record"]["id"])  # type: ignore[index]
    desk.as_owner("settle_candidate", id=id, verdict="drop")
    chat(client(), *REFUSED)
    assert waiting(desk) == []


def test_an_accepted_anti_pattern_is_told_where_it_applies_and_nowhere_else(
    client: Opened, desk: Desk
) -> None:
    chat(client(), *REFUSED)
    [one] = waiting(desk)
    later = client()
    assert "anti pattern" not in later.starts()
    desk.as_owner("settle_candidate", id=str(one["record"]["id"]), verdict="keep")  # type: ignore[index]
    later = client()
    assert "anti pattern" not in later.starts()
    assert "Memcached" not in later.asks("Write the changelog")
    later.answers("Written.")
    told_now = later.asks("The price list is slow again, put the price list into Memcached.")
    assert told_now.count("old prices") == 1


def test_a_warning_about_sql_is_not_told_for_the_changelog(client: Opened, desk: Desk) -> None:
    desk.as_owner(
        "remember",
        text="SQL built by string concatenation let an attacker read all orders; use bound parameters",
        kind="anti_pattern",
    )
    briefing = desk.as_owner("session_start", task="Write the changelog")["briefing"]
    assert "concatenation" not in str(briefing)
    later = client()
    assert "concatenation" not in told(later, "Write the changelog")
    later.answers("Written.")
    assert "concatenation" in later.asks(
        "Build the SQL of the order search by string concatenation of the filters"
    )
