from datetime import UTC, datetime, timedelta, timezone

import pytest

from contextd.sessions.time_sense import gap_in_words, hint, in_words, sense, work_pattern

NOON = datetime(2026, 2, 12, 13, 49, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.mark.parametrize(
    ("gap", "expected"),
    [
        (None, "First session"),
        (timedelta(0), "Continue naturally"),
        (4.9 * MINUTE, "Continue naturally"),
        (5 * MINUTE, "Briefly say"),
        (29 * MINUTE, "Briefly say"),
        (30 * MINUTE, "Re-orient"),
        (2 * HOUR, "Re-orient"),
        (2 * HOUR + MINUTE, "Summarise"),
        (10 * HOUR, "Summarise"),
        (16 * HOUR, "Fresh start"),
        (24 * HOUR, "Fresh start"),
        (300 * HOUR, "Fresh start"),
    ],
)
def test_each_gap_has_its_hint(gap, expected):
    assert hint(gap, NOON).startswith(expected)


def test_midnight_alone_is_not_a_next_day():
    past_midnight = NOON.replace(hour=0, minute=30)
    assert hint(40 * MINUTE, past_midnight).startswith("Re-orient")
    assert hint(3 * HOUR, past_midnight).startswith("Summarise")
    assert hint(7 * HOUR, past_midnight.replace(hour=6)).startswith("Fresh start")


def test_the_day_is_the_users_day():
    tokyo = timezone(9 * HOUR)
    morning_there = NOON.replace(hour=22, minute=0)
    last = morning_there - 8 * HOUR
    assert sense(morning_there, morning_there, last).hint.startswith("Summarise")
    there = sense(morning_there, morning_there, last, zone=tokyo)
    assert there.hint.startswith("Fresh start")
    assert there.now.hour == 7


@pytest.mark.parametrize(
    ("minutes", "errors", "results", "expected"),
    [
        (0, 0, 0, "quick check-in"),
        (9, 0, 20, "quick check-in"),
        (10, 0, 20, "working session"),
        (45, 0, 20, "working session"),
        (46, 0, 20, "deep work"),
        (46, 11, 20, "debugging"),
        (46, 10, 20, "deep work"),
        (2, 3, 4, "debugging"),
        (2, 2, 2, "quick check-in"),
    ],
)
def test_patterns_follow_length_and_errors(minutes, errors, results, expected):
    assert work_pattern(minutes * MINUTE, errors=errors, results=results) == expected


def test_a_young_session_is_judged_by_recent_ones():
    recent = [60 * MINUTE, 5 * MINUTE, 90 * MINUTE]
    assert work_pattern(MINUTE, recent_lengths=recent) == "deep work"
    assert work_pattern(20 * MINUTE, recent_lengths=recent) == "working session"


@pytest.mark.parametrize(
    ("gap", "expected"),
    [
        (None, "first session"), (30 * MINUTE / 60, "just now"), (12 * MINUTE, "12 min ago"),
        (3 * HOUR, "3 h ago"), (120 * HOUR, "5 days ago"),
    ],
)  # fmt: skip
def test_gaps_in_words(gap, expected):
    assert gap_in_words(gap) == expected


def test_lengths_in_words():
    lengths = (0, 1, 45, 60, 125)
    expected = ["under a minute", "1 min", "45 min", "1 h", "2 h 5 min"]
    assert [in_words(n * MINUTE) for n in lengths] == expected


def test_the_lines_for_a_prompt():
    found = sense(NOON, NOON - 20 * MINUTE, NOON - 3 * HOUR, last_length=45 * MINUTE)
    assert found.lines == (
        "Current: Thursday, 2026-02-12 13:49 UTC",
        "Last interaction: 3 h ago",
        "Session: started 20 min ago",
        "Pattern: working session",
        "Hint: Summarise where you left off",
    )
    assert sense(NOON, NOON).lines[1:3] == (
        "Last interaction: first session",
        "Session: just started",
    )


def test_a_clock_that_was_set_back_is_no_time_at_all():
    found = sense(NOON, NOON + HOUR, NOON + 2 * HOUR)
    assert (found.gap, found.length) == (timedelta(0), timedelta(0))
    assert found.hint == "Continue naturally"
