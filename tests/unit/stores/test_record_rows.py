"""Records that were read before are given again only for the very same row."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.record_rows import COLUMNS, RecordRows, record_of

NOON = datetime(2026, 8, 1, 12, tzinfo=UTC)
HERE, BESIDE = Scope("local", "default", "shop"), Scope("local", "default", "blog")


def row(record: Record, version: int = 1) -> tuple[object, ...]:
    told = codec.record_to_json(record)
    body = {name: value for name, value in told.items() if name not in COLUMNS}
    return (*(told[name] for name in COLUMNS), version, codec.dumps(body))


def test_an_equal_row_gives_the_record_again():
    rows, note = RecordRows(), Record(kind="memory", scope=HERE, content="retry uploads")
    first = rows.record(row(note))
    assert first == record_of(row(note))
    assert rows.record(row(note)) is first


def test_whatever_changed_is_seen_also_by_who_reads_an_older_state():
    rows, note = RecordRows(), Record(kind="memory", scope=HERE, content="retry uploads")
    used, said = note.with_(usage_count=1), note.with_(content="never retry uploads")
    for state, version in ((note, 1), (used, 1), (said, 2), (note, 1), (used, 1)):
        assert rows.record(row(state, version)) == state.with_(version=version)


@pytest.mark.parametrize(
    "change",
    [
        {"usage_count": 3, "last_used_at": NOON},
        {"last_used_at": NOON},
        {"status": "archived", "usage_count": 3},
        {"confidence": 0.1, "last_used_at": NOON},
        {"valid_to": NOON},
        {"updated_at": NOON, "usage_count": 3},
        {"session": "s"},
    ],
)
def test_each_column_that_differs_is_seen_beside_a_use_and_alone(change):
    rows, note = RecordRows(), Record(kind="memory", scope=HERE, content="retry uploads")
    later = note.with_(**change)
    for state in (note, later, note, later):
        assert rows.record(row(state)) == state.with_(version=1) == record_of(row(state))


def test_the_same_id_beside_is_another_record():
    rows, note = RecordRows(), Record(kind="memory", scope=HERE, content="retry uploads")
    other = note.with_(scope=BESIDE, content="a neighbour's secret")
    for _ in range(2):
        assert rows.record(row(note)).content == "retry uploads"
        assert rows.record(row(other)).content == "a neighbour's secret"


def test_a_huge_record_is_not_kept():
    rows, note = RecordRows(), Record(kind="memory", scope=HERE, content="word " * 5_000)
    assert rows.record(row(note)) == rows.record(row(note))
    assert rows.record(row(note)) is not rows.record(row(note))
