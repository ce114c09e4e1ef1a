"""What was said later holds, and everything is as old as it was said, whatever order sessions are read in."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path

import pytest

from contextd.domain.records import Record
from support.clients import CodingClient
from support.desks import Desk

OLD = "Remember: the session timeout of the shop is 45 minutes."
NEW = "Remember: the session timeout of the shop is 20 minutes."
MARCH = datetime(2026, 3, 3, 10, tzinfo=UTC)
JUNE = datetime(2026, 6, 10, 10, tzinfo=UTC)
JULY = datetime(2026, 7, 20, 10, tzinfo=UTC)


def session(desk: Desk, folder: Path, text: str, at: datetime | None) -> Path:
    """A transcript in which the user says this, at this time."""
    id = str(uuid.uuid4())
    path = folder / f"{id}.jsonl"
    lines = []
    for number, (role, said) in enumerate((("user", text), ("assistant", "Understood, noted."))):
        line = {
            "type": role, "uuid": f"{id}-{number}", "sessionId": id, "cwd": str(desk.root),
            "parentUuid": f"{id}-0" if number else None, "isSidechain": False,
            "message": {"role": role, "content": said},
        }  # fmt: skip
        if at is not None:
            line["timestamp"] = (at + timedelta(seconds=number)).isoformat()
        lines.append(json.dumps(line) + "\n")
    path.write_text("".join(lines), "utf-8")
    return path


def read(desk: Desk, *paths: Path) -> None:
    for path in paths:
        desk.as_owner("import", path=str(path))
        desk.host.work_off()


def learned(desk: Desk) -> dict[str, Record]:
    listed = desk.as_owner("list_records", kind="discovery", status="any", limit=50)["records"]
    return {one["content"]: desk.record(one["id"]) for one in listed}


@pytest.mark.parametrize("newer_first", [False, True])
def test_the_statement_said_later_supersedes_whichever_is_imported_first(
    desk: Desk, tmp_path: Path, newer_first: bool
) -> None:
    files = [session(desk, tmp_path, OLD, MARCH), session(desk, tmp_path, NEW, JUNE)]
    read(desk, *(reversed(files) if newer_first else files))
    known = learned(desk)
    old, new = known[OLD], known[NEW]
    assert (old.status, new.status) == ("superseded", "active")
    assert (old.created_at, old.valid_to, new.created_at) == (MARCH, JUNE, JUNE)
    assert old.canonical_id == new.id
    assert desk.as_owner("undo", id=old.id)
    assert desk.record(old.id).status == "active"


@pytest.mark.parametrize("newer_first", [False, True])
def test_a_record_said_in_two_sessions_has_its_first_and_last_time_of_saying(
    desk: Desk, tmp_path: Path, newer_first: bool
) -> None:
    files = [session(desk, tmp_path, OLD, MARCH), session(desk, tmp_path, OLD, JUNE)]
    read(desk, *(reversed(files) if newer_first else files))
    [one] = learned(desk).values()
    assert (one.created_at, one.valid_from, one.updated_at) == (MARCH, MARCH, JUNE)
    assert one.status == "active"
    again = one.confidence
    read(desk, *files)
    assert desk.record(one.id).confidence == again


RULE = "From now on all amounts are stored as integer cents."
ENDINGS = {
    "drop the rule about amounts in integer cents": "Drop the rule about amounts in integer cents.",
    "replaced": "From now on all amounts are stored as decimal strings, no longer as integer cents.",
}
SAID = {"rule": (RULE, MARCH), "ending": ("", JUNE), "again": (RULE, JULY)}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
@pytest.mark.parametrize("order", list(permutations(("rule", "ending"))), ids=" then ".join)
def test_a_rule_ends_by_what_was_said_later_whichever_is_imported_first(
    desk: Desk, tmp_path: Path, ending: str, order: tuple[str, ...]
) -> None:
    for one in order:
        text, at = SAID[one]
        read(desk, session(desk, tmp_path, text or ending, at))
    assert learned(desk)[RULE].status == "superseded"
    told = CodingClient(desk, tmp_path).starts()
    assert f"- {RULE}" not in told
    assert f"ended: {RULE.rstrip('.')}" in told
    assert [one.content for one in learned(desk).values() if one.status == "active"] == (
        [ending] if ending == ENDINGS["replaced"] else []
    )


@pytest.mark.parametrize("order", list(permutations(SAID)), ids=" then ".join)
def test_a_rule_that_was_said_again_after_its_ending_is_in_force_in_every_order_of_imports(
    desk: Desk, tmp_path: Path, order: tuple[str, ...]
) -> None:
    for one in order:
        text, at = SAID[one]
        read(desk, session(desk, tmp_path, text or next(iter(ENDINGS.values())), at))
    told = CodingClient(desk, tmp_path).starts()
    assert f"- {RULE.rstrip('.')}" in told


def test_a_clock_that_is_ahead_makes_nothing_newer_than_now(desk: Desk, tmp_path: Path) -> None:
    before = datetime.now(UTC)
    read(desk, session(desk, tmp_path, OLD, before + timedelta(days=400)))
    [one] = learned(desk).values()
    assert before <= one.created_at <= datetime.now(UTC)


def test_a_transcript_without_times_is_as_old_as_its_file(desk: Desk, tmp_path: Path) -> None:
    path = session(desk, tmp_path, OLD, None)
    written = path.stat().st_mtime
    read(desk, path)
    [one] = learned(desk).values()
    assert abs(one.created_at.timestamp() - written) < 0.01


def test_a_new_rule_that_names_what_holds_no_longer_is_the_one_in_force(
    desk: Desk, tmp_path: Path
) -> None:
    cents = "From now on all amounts are stored as integer cents."
    strings = "From now on all amounts are stored as decimal strings, no longer as integer cents."
    for words in (cents, strings):
        session = CodingClient(desk, tmp_path)
        session.starts()
        session.asks(words)
        session.answers("Understood.")
        session.ends()
    told = CodingClient(desk, tmp_path).starts()
    assert "decimal strings" in told
    assert f"- {cents}" not in told
