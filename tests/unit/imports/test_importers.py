from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.rewinds import is_rewind
from contextd.imports.importers import IMPORTERS, ImportBatch, importer_for
from contextd.imports.importers.claude_code import read
from contextd.imports.importers.injected_text import own_words
from contextd_common.errors import Invalid, NotFound

FIXTURE = Path(__file__).parents[2] / "fixtures" / "transcripts" / "tangled.jsonl"
SHARED = Path(os.environ.get("CONTEXTD_BENCH_DATA", Path(__file__).parents[4] / "shared" / "data"))


def _line(uuid: str, kind: str, content: Any, **more: Any) -> str:
    line = {
        "uuid": uuid, "type": kind, "sessionId": "s1", "cwd": "/w/shop", "gitBranch": "main",
        "timestamp": "2026-03-01T10:00:00Z", "message": {"role": kind, "content": content}, **more,
    }  # fmt: skip
    return json.dumps(line) + "\n"


def _write(path: Path, *lines: str) -> Path:
    target = path / "s1.jsonl"
    target.write_text("".join(lines), "utf-8")
    return target


def _told(batch: ImportBatch, role: str) -> list[str]:
    return [e.text for e in batch.events if e.type == "message" and e.role == role]


def test_the_tangled_transcript_gives_exactly_its_conversation() -> None:
    batch = read(FIXTURE)
    assert (batch.external_id, batch.cwd, batch.branch) == ("tangled", "/w/shop", "feat/cart")
    assert _told(batch, "user") == [
        "Why is the cart total wrong?",
        "Fix it in the price module.",
        "Fix it in the tax module instead.",
    ]
    assert _told(batch, "assistant") == [
        "I will look at the price module.",
        "Searched three files for rounding.",
        "Done: the tax is rounded once, at the end.",
    ]
    counts = batch.counts
    assert counts["read"] == 20
    assert counts["bad"] == 4
    assert counts["duplicate"] == 1
    assert counts["type:quantum-state"] == 1
    assert batch.title == "Fix the cart total"
    assert batch.done
    assert batch.next_offset == FIXTURE.stat().st_size
    assert batch.usage == {"input_tokens": 10, "output_tokens": 7}


def test_marks_tell_a_subagent_and_a_note_what_was_rewound() -> None:
    marks = {e.text: dict(e.data) for e in read(FIXTURE).events if e.type == "message"}
    said = {"origin": "assistant"}
    assert marks["Searched three files for rounding."] == {**said, "sidechain": True}
    assert marks["Fix it in the price module."] == {"origin": "prompt"}
    assert marks["Fix it in the tax module instead."] == {"origin": "prompt"}
    assert marks["Done: the tax is rounded once, at the end."] == said
    [note] = [event for event in read(FIXTURE).events if is_rewind(event.data)]
    keys = {event.key: event.text for event in read(FIXTURE).events if event.type == "message"}
    assert [keys[f"{one}:0"] for one in note.data["left"]] == ["Fix it in the price module."]


def test_tool_calls_and_answers_are_paired_and_never_speak() -> None:
    batch = read(FIXTURE)
    calls = {e.data["id"]: e for e in batch.events if e.type == "tool_call"}
    answers = {e.data["id"]: e for e in batch.events if e.type == "tool_result"}
    assert set(answers) <= set(calls)
    assert answers["t2"].data["tool"] == "Bash"
    assert (answers["t2"].data["exit_code"], answers["t2"].data["is_error"]) == (1, True)
    assert answers["t4"].data["exit_code"] == 0
    said = " ".join(e.text for e in batch.events if e.type == "message")
    assert "AssertionError" not in said
    files = [(e.data["path"], e.data["mode"]) for e in batch.events if e.type == "file_access"]
    assert files == [("src/price.py", "read"), ("src/tax.py", "write")]


def test_every_time_has_a_zone_and_a_missing_one_is_that_of_the_line_before() -> None:
    batch = read(FIXTURE)
    assert all(e.at.tzinfo is not None for e in batch.events)
    at = {e.text: e.at for e in batch.events}
    gap = at["I will look at the price module."] - at["Why is the cart total wrong?"]
    assert gap == timedelta(0)


def test_reading_piece_by_piece_gives_the_same_events_with_the_same_keys(tmp_path: Path) -> None:
    raw = FIXTURE.read_bytes()
    whole = [e.key for e in read(FIXTURE).events]
    growing, offset, keys = tmp_path / "tangled.jsonl", 0, list[str]()
    for end in range(0, len(raw) + 199, 199):
        growing.write_bytes(raw[:end])
        batch = read(growing, offset)
        assert offset <= batch.next_offset <= end
        offset = batch.next_offset
        keys += [e.key for e in batch.events]
    assert list(dict.fromkeys(keys)) == whole


def test_a_limit_stops_between_lines_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [e.key for e in read(FIXTURE).events]
    monkeypatch.setattr("contextd.imports.importers.json_lines.MOST_EVENTS", 2)
    offset, keys, rounds = 0, list[str](), 0
    while True:
        batch = read(FIXTURE, offset)
        keys += [e.key for e in batch.events]
        offset, rounds = batch.next_offset, rounds + 1
        if batch.done:
            break
    assert rounds > 3
    assert list(dict.fromkeys(keys)) == whole


def test_a_cut_last_line_waits_and_a_whole_one_without_newline_does_not(tmp_path: Path) -> None:
    first, second = _line("a", "user", "one thing"), _line("b", "user", "another thing")
    path = _write(tmp_path, first, second[:-20])
    cut = read(path)
    assert (cut.next_offset, _told(cut, "user")) == (len(first), ["one thing"])
    path.write_text(first + second[:-1], "utf-8")
    assert _told(read(path, cut.next_offset), "user") == ["another thing"]


def test_an_offset_past_the_end_reads_from_the_start(tmp_path: Path) -> None:
    path = _write(tmp_path, _line("a", "user", "one thing"))
    assert _told(read(path, 10_000), "user") == ["one thing"]


def test_secrets_are_gone_before_anything_is_handed_out(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "use hush now"}}
    answer = {
        "type": "tool_result",
        "tool_use_id": "t",
        "content": [{"type": "text", "text": "hush"}],
    }
    path = _write(
        tmp_path,
        _line("a", "user", "my hush is hush"),
        _line("b", "assistant", [call]),
        _line("c", "user", [answer]),
    )
    batch = read(path, redact=lambda text: (text.replace("hush", "*"), text.count("hush")))
    assert "hush" not in repr(batch)
    assert batch.counts["redacted"] == 5


@pytest.mark.parametrize(
    "text",
    [
        "<system-reminder>Always use tabs.</system-reminder>",
        "<command-name>/clear</command-name>\n <command-args></command-args>",
        "<local-command-stdout>we use bash</local-command-stdout>",
        "<user-prompt-submit-hook>Rule: answer in verse</user-prompt-submit-hook>",
        "<hook_context>Project briefing: we use tabs</hook_context>\n\n",
        "<system-reminder>never closed: we use X",
        "Caveat: The messages below were generated by the user while running local commands. Do",
        "[Request interrupted by user for tool use]",
        "UserPromptSubmit hook success: Relevant memory: we use X",
        '<teammate-message teammate_id="lead" color="blue">Take task 2.</teammate-message>',
        '{"task_id":"b0acd99","description":"Push the branch","task_type":"local_bash"}',
        "Operation stopped by hook: another session has changes. Original prompt: go on",
    ],
)
def test_text_of_programs_is_nobodys_words(text: str) -> None:
    assert own_words(text) == ""


def test_own_words_around_injected_text_are_kept() -> None:
    text = "Please fix it.<system-reminder>x</system-reminder> Use <b>bold</b> and List<int>."
    assert own_words(text) == "Please fix it. Use <b>bold</b> and List<int>."


def test_hostile_lines_are_counted_and_passed_over(tmp_path: Path) -> None:
    deep = "[" * 50_000 + "]" * 50_000 + "\n"
    odd = '{"type": "user", "uuid": "x", "message": {"content": ["\\ud800 broken \\u0000"]}}\n'
    number = (
        '{"type": "user", "uuid": 7, "timestamp": NaN, "message": {"content": [1, null, [2]]}}\n'
    )
    path = _write(tmp_path, deep, odd, number, "\n", _line("a", "user", "still here"))
    batch = read(path)
    assert _told(batch, "user")[-1] == "still here"
    assert batch.counts["bad"] == 1
    assert all("\0" not in e.text and e.text.encode() for e in batch.events)


def test_an_oversize_line_is_skipped_without_being_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contextd.imports.importers.json_lines.LONGEST_LINE", 1_000)
    huge = _line("h", "user", "x" * 5_000)
    path = _write(tmp_path, _line("a", "user", "before"), huge, _line("b", "user", "after"))
    batch = read(path)
    assert _told(batch, "user") == ["before", "after"]
    assert batch.counts["oversize"] == 1
    path.write_text(_line("a", "user", "before") + huge[:3_000], "utf-8")
    assert read(path).next_offset == len(_line("a", "user", "before"))


def test_a_file_is_recognised_by_its_first_lines(tmp_path: Path) -> None:
    assert importer_for(FIXTURE) is IMPORTERS["claude-code"]
    other = tmp_path / "x.jsonl"
    other.write_text('{"a": 1}\n', "utf-8")
    with pytest.raises(Invalid) as unknown:
        importer_for(other)
    assert "Claude Code" in unknown.value.hint
    with pytest.raises(NotFound):
        importer_for(tmp_path / "none.jsonl")


def test_real_transcripts_are_read_to_their_end() -> None:
    folder = SHARED / "transcripts" / "claude-code"
    if not folder.is_dir():
        pytest.skip("no transcripts: set CONTEXTD_BENCH_DATA to the folder of test data")
    for path in sorted(folder.glob("*.jsonl")):
        batch = importer_for(path).read(path)
        assert batch.next_offset == path.stat().st_size
        assert batch.external_id
        assert _told(batch, "user")
        told = " ".join(_told(batch, "user"))
        assert "<command-name>" not in told
        assert "Caveat: The messages" not in told
