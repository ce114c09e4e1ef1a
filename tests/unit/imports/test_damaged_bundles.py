"""What a bundle says is checked before any of it is stored: lines that cannot be true are named and left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session
from contextd.imports.bundle import BundleItem, heading, read_bundle, record_line, session_lines
from contextd.imports.foreign import Unread
from contextd_common.errors import Invalid
from support.strategies import EPOCH

HERE = Scope("acme", "web", "shop")
RECORD = Record(kind="memory", scope=HERE, content="The staging host is otter.")
SESSION = Session(scope=HERE, task="Drain the queue", started_at=EPOCH, last_seen_at=EPOCH)
EVENT = Event(type="message", key="1", at=EPOCH, role="user", text="Drain it at noon.")


def items(path: Path, *lines: str) -> list[BundleItem]:
    path.write_text("".join([heading(HERE, "shop", EPOCH), *lines]), "utf-8")
    return [item for _, item in read_bundle(path, HERE)]


def changed(line: str, change: Callable[[Any], Any]) -> str:
    value = json.loads(line)
    change(value)
    return json.dumps(value) + "\n"


def of_record(**fields: Any) -> str:
    return changed(record_line(RECORD, []), lambda line: line["record"].update(fields))


def of_session(**fields: Any) -> str:
    first = next(iter(session_lines(SESSION, [EVENT])))
    return changed(first, lambda line: line["session"].update(fields))


def of_event(sort: str) -> str:
    *_, last = session_lines(SESSION, [EVENT])
    return changed(last, lambda line: line["events"][0].__setitem__(0, sort))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (of_record(status="eternal"), "unknown status or trust"),
        (of_record(trust="everybody"), "unknown status or trust"),
        (of_record(kind="import"), "a record of an import"),
        (of_record(id="two words"), "is not an id"),
        (of_record(id=""), "is not an id"),
        (of_record(content=7), "is not text"),
        (of_record(content="half \ud800"), "not valid Unicode"),
        (of_record(helpful=-1), "is not a count"),
        (of_record(usage_count=True), "is not a count"),
        (of_record(version=1 << 60), "is not a count"),
        (of_record(confidence=1.5), "not between 0 and 1"),
        (of_record(confidence=True), "not between 0 and 1"),
        (of_record(created_at="yesterday"), "yesterday"),
        (of_session(status="dormant"), "unknown status"),
        (of_session(id="\n"), "is not an id"),
        (of_session(tool_calls="many"), "is not a count"),
        (of_event("rumour"), "is not a type of event"),
        ('{"memory": {}}\n', "neither a record nor a session"),
        ("[1, 2]\n", "neither a record nor a session"),
    ],
)
def test_a_line_that_cannot_be_true_is_left_out_with_its_reason_and_the_rest_is_read(
    line: str, why: str, tmp_path: Path
) -> None:
    odd, kept = items(tmp_path / "odd.bundle", line, record_line(RECORD, []))
    assert isinstance(odd, Unread)
    assert why in odd.why
    assert not isinstance(kept, Unread)


def test_a_record_of_an_older_bundle_arrived_when_it_was_made(tmp_path: Path) -> None:
    line = changed(record_line(RECORD, []), lambda line: line["record"].pop("arrived_at"))
    [item] = items(tmp_path / "old.bundle", line)
    assert not isinstance(item, Unread)
    for name in ("created_at", "updated_at"):
        missing = changed(record_line(RECORD, []), lambda line, name=name: line["record"].pop(name))
        [item] = items(tmp_path / "old.bundle", missing)
        assert isinstance(item, Unread)
        assert name in item.why


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ({"contextd": "bundle", "version": 99}, "unknown version"),
        ({"contextd": "bundle"}, "unknown version"),
        ({"contextd": "backup", "version": 1}, "is not a bundle"),
        ([], "is not a bundle"),
    ],
)
def test_a_file_of_another_version_or_sort_is_refused_as_a_whole(
    first: Any, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "other.bundle"
    path.write_text(f"{json.dumps(first)}\n{record_line(RECORD, [])}")
    with pytest.raises(Invalid, match=why):
        list(read_bundle(path, HERE))
