"""Derived data that is not what it is made from: seen in its project alone, and mended by itself."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from contextd.thin.home import LOCAL, database_path
from support.databases import open_database

PART = "SELECT no FROM parts WHERE scope = :scope AND family = '{}'"
A_RECORD = f"part = ({PART.format('records')})"
A_PIECE = f"part = ({PART.format('code')})"

DAMAGE: dict[str, tuple[Sequence[str], str]] = {
    "a record is not indexed": ([f"DELETE FROM docs WHERE {A_RECORD} AND no % 2"], "records"),
    "something indexed is no record": (
        [
            "INSERT INTO docs (part, id, kind, status, confidence, digest, terms, seq) SELECT part,"
            f" 'ghost', kind, status, confidence, 'd', 't', seq FROM docs WHERE {A_RECORD} LIMIT 1"
        ],
        "records",
    ),
    "pieces of code are not indexed": ([f"DELETE FROM docs WHERE {A_PIECE}"], "pieces of code"),
    "a file has lost its pieces": (
        ["DELETE FROM chunks WHERE content = (SELECT max(no) FROM contents WHERE scope = :scope)"],
        "files",
    ),
    "a session tells more events than there are": (
        ["UPDATE sessions SET events = events + 3 WHERE scope = :scope"],
        "events",
    ),
    "words of nothing are left": (
        [f"DELETE FROM docs WHERE {A_RECORD} AND no = (SELECT max(no) FROM docs WHERE {A_RECORD})"],
        "documents",
    ),
    "an event is gone": (
        [
            "DELETE FROM events WHERE rowid = (SELECT max(events.rowid) FROM events JOIN sessions"
            " ON no = session WHERE scope = :scope)"
        ],
        "events",
    ),
}


@pytest.fixture
def worked(desk):
    """A project in which somebody worked."""
    desk.as_owner("init")
    for text in ("Exports carry a checksum", "Tabs in Makefiles", "Retries are capped at five"):
        desk("save_context", content=text)
    session = desk("session_start", task_description="Exports")["session_id"]
    desk("session_log", session_id=session, role="user", text="Look at the export worker.")
    desk.host.work_off()
    return desk


def spoil(desk, statements: Sequence[str]) -> None:
    """Change rows past every check, as a fault of an older version would have."""
    scope = str(desk.scope)
    with open_database(database_path(desk.host.settings.home, LOCAL)) as connection:
        for sql in statements:
            connection.execute(sql, {"scope": scope})


def problems(desk) -> list[str]:
    return [text for one in desk.upkeep.balance() for text in one.problems]


@pytest.mark.parametrize("damage", DAMAGE)
def test_inconsistent_derived_data_is_seen_in_its_project_and_repaired_at_the_next_start(
    worked, home, neighbour, damage
):
    statements, what = DAMAGE[damage]
    records = worked("search_contexts", query="checksum")
    spoil(worked, statements)
    found = problems(worked)
    assert found
    assert all(text.startswith(f"{worked.scope}: ") for text in found)
    assert any(what in text for text in found)
    [other] = worked.upkeep.balance([neighbour.scope])
    assert other.problems == []
    assert not worked.as_owner("doctor")["ok"]
    again = type(worked)(home.host(), worked.root)
    again.host.work_off()
    assert problems(again) == []
    assert again.upkeep.check() == []
    assert again("search_contexts", query="checksum") == records
    assert again("codebase_search", query="refreshToken")["results"]


def test_rows_that_were_exchanged_are_seen_although_their_number_is_right(worked):
    spoil(worked, [f"UPDATE docs SET id = 'ghost' WHERE {A_RECORD} AND no = (SELECT min(no) FROM"
                   f" docs WHERE {A_RECORD})"])  # fmt: skip
    assert problems(worked) == []
    found = worked.upkeep.check()
    assert [text.partition(": ")[0] for text in found] == [str(worked.scope)] * 2
    assert "ghost" in found[1]
    worked.as_owner("reindex")
    assert worked.upkeep.check() == []
