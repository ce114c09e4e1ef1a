from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, FileAccess, Session, changed
from contextd.sessions.outcome_signals import judge, read_signals
from contextd.sessions.session_summary import fold
from contextd.sessions.topics import topics

T0 = datetime(2026, 3, 1, 10, tzinfo=UTC)


class _Story:
    """Events a minute apart."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, type: Any, text: str = "", role: str = "", **data: Any) -> _Story:
        at = T0 + timedelta(minutes=len(self.events))
        key = f"e{len(self.events)}"
        self.events.append(Event(type=type, key=key, at=at, role=role, text=text, data=data))
        return self

    def user(self, text: str) -> _Story:
        return self.add("message", text, "user")

    def run(self, command: str, output: str, code: int = 0) -> _Story:
        call = f"t{len(self.events)}"
        self.add("tool_call", f"Bash: {command}", "assistant", tool="Bash", id=call)
        return self.add(
            "tool_result", output, "tool", tool="Bash", id=call, exit_code=code, is_error=code != 0
        )

    def touch(self, path: str) -> _Story:
        return self.add("file_access", "", path=path)


def _session() -> Session:
    return Session(scope=Scope("local"), started_at=T0, last_seen_at=T0)


def _folded(session: Session, events: list[Event]) -> Session:
    change = fold(session, events)
    return session if change is None else changed(session, change)


def test_files_are_counted_with_their_first_and_last_access() -> None:
    story = _Story().touch("a.py").touch("b.py").touch("a.py")
    folded = _folded(_session(), story.events)
    first, last = T0, T0 + timedelta(minutes=2)
    assert folded.files[0] == FileAccess(path="a.py", count=2, first_at=first, last_at=last)
    assert [f.path for f in folded.files] == ["a.py", "b.py"]
    assert folded.last_seen_at == last


def test_folding_twice_changes_nothing_and_keeps_what_was_tracked_otherwise() -> None:
    hooked = FileAccess(path="c.py", count=3, first_at=T0, last_at=T0)
    session = _session().with_(files=(hooked,), tool_calls=9, outcome="success")
    story = _Story().user("Make the invoice export faster").touch("a.py").run("pytest", "3 passed")
    once = _folded(session, story.events)
    assert _folded(once, story.events) == once
    assert hooked in once.files
    assert once.tool_calls == 9
    assert fold(session, []) is None


def test_topics_are_few_short_and_the_same_every_time() -> None:
    asked = [
        "The invoice export is too slow, can you make the invoice export faster?",
        "Now add a progress bar to the export dialog please",
        "Why does the retry queue drop events? See src/queue/retry.py",
    ]
    told = topics(asked)
    assert told == topics(asked)
    assert 3 <= len(told) <= 6
    assert any("invoice export" in topic for topic in told)
    assert all(len(topic.split()) <= 3 for topic in told)


def test_stop_words_vague_short_and_endless_words_end_a_topic() -> None:
    asked = [
        "the ledger of the invoice",
        "fix ledger properly",
        "ledger db invoice",
        f"ledger {'x' * 31} invoice",
    ]
    assert set(topics(asked)) == {"ledger", "invoice"}


def test_a_word_of_three_or_of_thirty_letters_belongs_to_a_topic() -> None:
    assert topics(["tax ledger"]) == ("tax ledger",)
    assert topics([f"ledger {'x' * 30}"]) == (f"ledger {'x' * 30}",)


def test_a_topic_says_mostly_new_words_and_the_most_telling_come_first() -> None:
    asked = ["ledger export", "ledger export", "ledger import", "ledger", "tariff"]
    assert topics(asked) == ("ledger export", "tariff")
    assert topics(asked, limit=1) == ("ledger export",)


def test_there_are_no_topics_without_content_words() -> None:
    assert topics(["ok thanks", "yes please", "```\nsome code here\n```", ""]) == ()


@pytest.mark.parametrize(
    ("story", "told", "outcome"),
    [
        (_Story().run("pytest", "12 passed in 0.3s"), "", "success"),
        (_Story().run("pytest", "3 failed, 9 passed", 1), "success", "failure"),
        (_Story().run("pytest", "3 failed", 1).run("pytest", "12 passed"), "", "success"),
        (_Story().run("npm test", "Tests:  1 failed, 3 passed", 1).user("Looks good"), "", "mixed"),
        (_Story().run("pytest", "12 passed").user("No, that's wrong. Undo it."), "", "mixed"),
        (_Story().user("Add it").user("still doesn't work"), "success", "mixed"),
        (_Story().user("Add it").user("Perfect, thanks!"), "", "success"),
        (_Story().run("git reset --hard HEAD", "HEAD is now at"), "", "failure"),
        (_Story().run("make", "error: x", 2), "", ""),
        (_Story().run("ls; false", "a b", 1), "", ""),
        (_Story().run("git diff | grep -c retry", "0", 1), "success", "success"),
        (_Story().run("make", "error: x", 2).run("grep -r retry .", "", 1), "", ""),
        (_Story().run("make", "error: x", 2), "success", "success"),
        (_Story().run("ls", "a b"), "success", "success"),
        (_Story().run("ls", "a b"), "", ""),
        (_Story().run("cargo test", "test result: ok. 5 passed; 0 failed"), "", "success"),
        (_Story().run("go test", "--- FAIL: TestX", 1), "", "failure"),
    ],
)
def test_hard_signals_decide_the_outcome_before_anybodys_word(
    story: _Story, told: str, outcome: str
) -> None:
    assert judge(read_signals(story.events), told) == outcome


def test_signals_count_retries_reverts_and_interruptions() -> None:
    story = _Story().run("make", "boom", 2).run("make", "boom", 2).run("git checkout -- a.py", "")
    story.add("note", "[Request interrupted by user]", "user", interrupted=True)
    signals = read_signals(story.events)
    assert (signals.retries, signals.reverts, signals.interruptions) == (1, 1, 1)
    assert signals.failures == 2


def test_a_tool_call_that_the_user_refused_is_no_failure() -> None:
    story = _Story().add(
        "tool_result", "rejected", "tool", tool="Bash", id="x", is_error=True, rejected=True
    )
    assert read_signals(story.events).failures == 0
