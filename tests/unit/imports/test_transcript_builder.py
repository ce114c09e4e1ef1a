"""What all readers of transcripts share: who spoke, when, which files a call touched, and what is counted."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from contextd.imports.importers.injected_text import INTERRUPTED
from contextd.imports.importers.transcript_builder import LONGEST_TEXT, Transcript

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def transcript() -> Transcript:
    def hidden(text: str) -> tuple[str, int]:
        return text.replace("hunter2", "*"), text.count("hunter2")

    return Transcript(path=Path("t.jsonl"), redact=hidden, last=NOON, key="k1", session="s1")


def told(transcript: Transcript) -> list[tuple[str, str, str, str]]:
    return [(one.type, one.role, one.key, one.text) for one in transcript.events]


@pytest.mark.parametrize(
    ("moment", "read"),
    [
        ("2026-04-01T10:00:00Z", datetime(2026, 4, 1, 10, tzinfo=UTC)),
        (1_772_454_000, datetime(2026, 3, 2, 12, 20, tzinfo=UTC)),
        (1_772_454_000_500, datetime(2026, 3, 2, 12, 20, 0, 500_000, UTC)),
        (True, None),
        ("yesterday", None),
        (None, None),
        (-(10**30), None),
    ],
)
def test_a_time_is_a_text_or_seconds_or_milliseconds(
    transcript: Transcript, moment: Any, read: datetime | None
) -> None:
    assert transcript.dated(moment) is (read is not None)
    assert transcript.last == (read or NOON)


def test_a_session_begins_and_ends_with_its_events_in_whatever_order_they_stand(
    transcript: Transcript,
) -> None:
    for hour in (10, 15, 11):
        transcript.key = f"k{hour}"
        transcript.dated(f"2026-03-02T{hour}:00:00Z")
        transcript.by_agent("It is done.")
    batch = transcript.batch(7)
    assert (batch.started, batch.ended) == (NOON.replace(hour=10), NOON.replace(hour=15))
    assert (batch.counts["events"], batch.next_offset, batch.external_id) == (3, 7, "s1")
    empty = Transcript(path=Path("t"), redact=transcript.redact, last=NOON).batch(0, done=False)
    assert (empty.started, empty.ended, empty.events, empty.done) == (None, None, (), False)


def test_a_users_words_are_apart_from_what_they_paste_and_what_a_client_inserts(
    transcript: Transcript,
) -> None:
    transcript.by_user("Fix this, please:\n```\nTypeError: x\n```")
    transcript.key = "k2"
    transcript.by_user("<system-reminder>Be brief.</system-reminder>")
    transcript.key = "k3"
    transcript.by_user(INTERRUPTED + " by user]")
    prompt, pasted, note = transcript.events
    assert (prompt.type, prompt.role, prompt.text) == ("message", "user", "Fix this, please:")
    assert (prompt.data["origin"], prompt.data["material"]) == ("prompt", True)
    assert (pasted.type, pasted.role, pasted.data["origin"]) == ("note", "user", "material")
    assert pasted.text == "```\nTypeError: x\n```"
    assert (note.type, note.data) == ("note", {"interrupted": True})
    assert transcript.counts["injected"] == 1


def test_long_texts_are_cut_and_secrets_of_titles_replaced(transcript: Transcript) -> None:
    transcript.by_agent("word " * LONGEST_TEXT)
    assert len(transcript.events[0].text) <= LONGEST_TEXT + 1
    transcript.titled("about hunter2 " * 100)
    assert "hunter2" not in transcript.title
    assert len(transcript.title) <= 300


def test_every_file_of_a_patch_is_written_and_a_command_alone_touches_none(
    transcript: Transcript,
) -> None:
    transcript.cwd = "/srv/shop"
    patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-1\n+2\n*** Add File: src/b.ts\n+1\n*** End Patch"
    transcript.called("c1", "apply_patch", {"input": patch})
    files = [one.data for one in transcript.events if one.type == "file_access"]
    assert [(one["path"], one["mode"], one["id"]) for one in files] == [
        ("src/a.ts", "write", "c1"),
        ("src/b.ts", "write", "c1"),
    ]
    transcript.key = "k2"
    transcript.called("c2", "Read", {"file_path": "/srv/shop/src/a.ts"})
    assert (transcript.events[-1].data["path"], transcript.events[-1].data["mode"]) == (
        "src/a.ts",
        "read",
    )
    transcript.key = "k3"
    transcript.called("c3", "Bash", {"command": "npm test"})
    assert transcript.events[-1].type == "tool_call"
    keys = [one.key for one in transcript.events]
    assert len(set(keys)) == len(keys)


def test_a_client_without_exit_codes_reports_failures_only(transcript: Transcript) -> None:
    codes = []
    for place, (failed, silent) in enumerate([(False, True), (True, True), (False, False)]):
        transcript.key = f"k{place}"
        transcript.called(f"c{place}", "Bash", {"command": "make"})
        transcript.answered(f"c{place}", "some output", failed=failed, silent=silent, index=1)
        answer = [one for one in transcript.events if one.type == "tool_result"][-1].data
        codes.append(answer.get("exit_code"))
        assert (answer["is_error"], answer["tool"]) == (failed, "Bash")
    assert codes == [None, 1, 0]


def test_tokens_of_an_answer_that_is_told_twice_count_once(transcript: Transcript) -> None:
    transcript.used({"input": 5, "output": 2, "cached": True, "model": "x"}, "a1")
    transcript.used({"input": 5, "output": 2}, "a1")
    transcript.used({"input": 3}, "a2")
    transcript.used({"input": 1})
    transcript.used({"input": 1})
    assert dict(transcript.usage) == {"input": 10, "output": 2}


def test_looking_back_keeps_calls_for_later_answers_and_no_events(transcript: Transcript) -> None:
    transcript.looking_back = True
    transcript.called("c1", "Bash", {"command": "make"})
    transcript.called("c2", "Bash", {"command": "make"})
    transcript.answered("c2", "done", index=1)
    transcript.looking_back = False
    transcript.answered("c1", "done", index=1)
    assert [(one.type, one.data["tool"]) for one in transcript.events] == [("tool_result", "Bash")]


def test_summaries_and_compactions_are_notes_of_their_own(transcript: Transcript) -> None:
    transcript.compacted()
    transcript.key = "k2"
    transcript.summarised("")
    transcript.summarised("The port is 8080.")
    assert told(transcript) == [
        ("note", "", transcript.events[0].key, "context compacted"),
        ("note", "assistant", transcript.events[1].key, "The port is 8080."),
    ]
    assert transcript.events[0].data == {"compact": True}
    assert transcript.events[1].data["origin"] == "summary"
    assert transcript.events[1].data["compact"] is True
