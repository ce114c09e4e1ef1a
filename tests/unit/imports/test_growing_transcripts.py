"""Files that grow while they are read, are shortened, replaced, or full of what nobody expects."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

from contextd.imports.importers import IMPORTERS, importer_for
from contextd.imports.importers.importer import unredacted
from contextd.imports.importers.read_position import ReadMark, mark_at, start_of
from contextd_common.errors import Invalid, NotFound
from support.transcripts import ANSWER, PROMPT, WRITERS

GROWING = [name for name in WRITERS if IMPORTERS[name].grows]


@pytest.mark.parametrize("name", GROWING)
def test_reading_on_gives_what_reading_at_once_gives(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    reader, whole = importer_for(path), path.read_bytes()
    at_once = reader.read(path)
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in (ends[1], ends[len(ends) // 2], ends[-2] - 30, len(whole) - 1):
        path.write_bytes(whole[:cut])
        first = reader.read(path)
        assert first.next_offset <= cut
        path.write_bytes(whole)
        second = reader.read(path, first.next_offset)
        told = dict.fromkeys(e.key for e in (*first.events, *second.events))
        assert list(told) == [e.key for e in at_once.events]
        named = {e.data["id"]: e.data["tool"] for e in second.events if e.type == "tool_result"}
        assert all(named.values()), "an answer knows the call it belongs to"
        assert second.cwd == at_once.cwd
        assert second.external_id == at_once.external_id
        assert first.onward is not None
        onward = first.onward(unredacted)
        assert (onward.events, onward.next_offset) == (second.events, second.next_offset)
        assert (onward.cwd, onward.external_id) == (second.cwd, second.external_id)


@pytest.mark.parametrize("name", GROWING)
def test_garbage_and_huge_lines_are_passed_over(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = WRITERS[name](tmp_path)
    reader, lines = importer_for(path), path.read_bytes().splitlines(keepends=True)
    expected = [e.key for e in reader.read(path).events]
    monkeypatch.setattr("contextd.imports.importers.json_lines.LONGEST_LINE", 20_000)
    garbage = [
        b"\n", b"not json\n", b"[1, 2]\n", b"null\n", b'"text"\n', b"\xff\xfe\x00\n", b"[" * 9_000 + b"\n",
        json.dumps({"type": "user", "payload": 7, "message": [], "data": "x", "id": []}).encode() + b"\n",
        b'{"type": "' + b"x" * 30_000 + b'"}\n',
    ]  # fmt: skip
    path.write_bytes(b"".join([lines[0], *garbage, *lines[1:]]))
    batch = reader.read(path)
    assert [e.key for e in batch.events] == expected
    assert batch.counts["oversize"] == 1
    assert batch.counts["bad"] >= 5


@pytest.mark.parametrize("name", list(WRITERS))
def test_members_of_another_kind_break_no_reader(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    if path.suffix in (".db", ".vscdb", ".md"):
        pytest.skip("not JSON")
    reader, text = importer_for(path), path.read_text("utf-8")
    for was, becomes in (
        ('"text"', '"texts"'), (f'"{PROMPT}"', "7"), (f'"{ANSWER}"', '{"a": [1]}'), ("[{", "[5, {"),
        (": {", ": null, {"), ('"arguments": "', '"arguments": "{'), ('"timestamp": "', '"timestamp": "x'),
    ):  # fmt: skip
        path.write_text(text.replace(was, becomes), "utf-8")
        with suppress(Invalid, NotFound):
            reader.read(path)


def test_a_mark_tells_growth_from_replacement(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    reader = IMPORTERS["codex"]
    path.write_bytes(b"first line\nsecond line\n")
    mark = ReadMark.of(mark_at(path, reader, 11).kept())
    assert start_of(path, reader, mark) == 11
    path.write_bytes(b"first line\nsecond line\nthird line\n")
    assert start_of(path, reader, mark) == 11
    assert start_of(path, reader, mark_at(path, reader, path.stat().st_size)) is None
    path.write_bytes(b"first")
    assert start_of(path, reader, mark) == 0
    path.write_bytes(b"another line and another one, longer than before\n")
    assert start_of(path, reader, mark) == 0
    assert start_of(path, reader, ReadMark(11)) == 11, "marks of older versions have no stamp"
    assert ReadMark.of({"offset": "x"}) == ReadMark.of(None) == ReadMark()


def test_a_document_is_read_again_when_it_was_written_again(tmp_path: Path) -> None:
    path = WRITERS["cline"](tmp_path)
    reader = IMPORTERS["cline"]
    mark = mark_at(path, reader, path.stat().st_size)
    assert start_of(path, reader, mark) is None
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    assert start_of(path, reader, mark) == 0
