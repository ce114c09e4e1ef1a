"""What the user rewound stays in the history alone, and comes back with its conversation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contextd.domain.kinds import EPISODE
from contextd.sessions.thread import THREAD
from support.clients import CodingClient
from support.desks import Desk

FIRST = "Look at src/queue.py and say what it does with a message"
READ = (
    "The queue in `src/queue.py` returns every message as it is, and it has no tests at all so far."
)
DEMAND = "From now on every message of the queue must be signed with HMAC."
SIGNED = "Every message of the queue is signed with HMAC in `src/sign.py` now, and the tests pass."
INSTEAD = "Add a docstring to push, please"
DONE = "The function `push` in `src/queue.py` has a docstring that says what it returns and when."


@pytest.fixture
def client(desk: Desk, tmp_path: Path) -> CodingClient:
    return CodingClient(desk, tmp_path)


def rewinding(client: CodingClient) -> str:
    """A session whose second turn was rewound; returns the last line of that turn."""
    client.starts()
    client.asks(FIRST)
    client.answers(READ)
    place = client.place
    client.asks(DEMAND)
    client.answers(SIGNED)
    left = client.place
    client.goes_back(place)
    client.asks(INSTEAD)
    client.answers(DONE)
    return left


def states(desk: Desk, kind: str = "") -> dict[str, str]:
    listed = desk.as_owner("list_records", kind=kind, status="any", limit=50)["records"]
    return {one["title"] or one["content"]: one["status"] for one in listed}


def thread(desk: Desk) -> dict[str, Any]:
    [session] = desk.runtime().sessions()
    found: dict[str, Any] = session.data[THREAD]
    return found


def test_a_rewound_demand_is_not_told(desk: Desk, client: CodingClient) -> None:
    rewinding(client)
    client.ends()
    assert DEMAND not in states(desk, "discovery")
    assert "HMAC" not in CodingClient(desk, client.folder).starts()
    hits = desk("context_search", query="are messages of the queue signed with HMAC")["results"]
    assert not any("HMAC" in hit["text"] for hit in hits)


def test_a_rewound_turn_leaves_the_thread_and_its_episode_when_the_user_goes_on(
    desk: Desk, client: CodingClient
) -> None:
    rewinding(client)
    assert thread(desk)["asked"] == [FIRST, INSTEAD]
    known = states(desk, EPISODE)
    assert (known[FIRST], known[DEMAND], known[INSTEAD]) == ("active", "archived", "active")
    record = next(
        r for r in desk.as_owner("list_records", kind=EPISODE, status="archived")["records"]
    )
    [*_, last] = desk.view.records.history(record["id"])
    assert (last.action, last.reason.startswith("rewound in session ")) == ("withdraw", True)


def test_a_rewound_episode_that_a_person_restored_with_undo_stays_active(
    desk: Desk, client: CodingClient
) -> None:
    rewinding(client)
    record = next(
        r for r in desk.as_owner("list_records", kind=EPISODE, status="archived")["records"]
    )
    desk.as_owner("undo", id=record["id"])
    client.asks("Now format the file, please")
    client.answers(
        "The file `src/queue.py` is formatted with the settings of the project, nothing else."
    )
    client.ends()
    assert states(desk, EPISODE)[DEMAND] == "active"


def test_a_branch_that_is_taken_up_again_comes_back_and_the_other_one_is_left(
    desk: Desk, client: CodingClient
) -> None:
    left = rewinding(client)
    client.goes_back(left)
    client.asks("Sign the answers of the queue as well")
    client.answers(
        "The answers of the queue are signed with the same key now, in `src/sign.py` as well."
    )
    client.ends()
    known = states(desk, EPISODE)
    assert (known[DEMAND], known[INSTEAD]) == ("active", "archived")
    assert states(desk, "discovery")[DEMAND] == "active"
    assert INSTEAD not in thread(desk)["asked"]


def test_a_demand_that_was_learned_is_withdrawn_and_what_it_replaced_holds_again(
    desk: Desk, client: CodingClient
) -> None:
    before = "Remember: always run the linter before a commit."
    after = "Remember: never run the linter before a commit."
    earlier = CodingClient(desk, client.folder)
    earlier.starts()
    earlier.asks(before)
    earlier.answers("Noted: the linter runs before every commit from now on, without exception.")
    earlier.ends()
    client.starts()
    client.asks(FIRST)
    client.answers(READ)
    place = client.place
    client.asks(after)
    client.answers("Noted: the linter does not run before a commit any more, from now on.")
    left = client.place
    client.ends()
    known = states(desk, "discovery")
    assert (known[before], known[after]) == ("superseded", "active")
    client.starts("resume")
    client.goes_back(place)
    client.asks(INSTEAD)
    client.answers(DONE)
    known = states(desk, "discovery")
    assert (known[before], known[after]) == ("active", "archived")
    client.goes_back(left)
    client.asks("And format the file, please")
    client.answers(
        "The file is formatted as the settings of the project say, and nothing else changed."
    )
    known = states(desk, "discovery")
    assert (known[before], known[after]) == ("superseded", "active")


def test_a_rewound_retraction_takes_nothing_back(desk: Desk, client: CodingClient) -> None:
    client.starts()
    client.asks(FIRST)
    client.answers(READ)
    place = client.place
    client.asks("No, that is wrong, revert what you said about the queue")
    client.answers(
        "Reverted: what I said about the queue in `src/queue.py` is not so, sorry for that."
    )
    client.goes_back(place)
    client.asks(INSTEAD)
    client.answers(DONE)
    client.ends()
    [one] = [
        r for r in desk.view.records.find(desk.runtime().query(EPISODE)).records if r.title == FIRST
    ]
    assert "taken_back" not in one.data


def test_another_session_keeps_what_was_said_there(
    desk: Desk, client: CodingClient, tmp_path: Path
) -> None:
    folder = tmp_path / "others"
    folder.mkdir()
    other = CodingClient(desk, folder)
    other.starts()
    other.asks(DEMAND)
    other.answers(SIGNED)
    other.ends()
    rewinding(client)
    client.ends()
    assert states(desk, "discovery")[DEMAND] == "active"
    assert "HMAC" in CodingClient(desk, folder).starts()
