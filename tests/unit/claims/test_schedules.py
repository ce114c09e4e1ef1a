"""A schedule in words and one of cron are compared as what they say: how often, at what time, on what day."""

from __future__ import annotations

import pytest

from contextd.claims.schedules import scheduled

DAY, WEEK, MONTH = "86400", "604800", "2592000"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("The backup runs nightly at 3 am", {"every": DAY, "at": "03:00"}),
        ("The backup job is `0 3 * * *`", {"every": DAY, "at": "03:00"}),
        ("The backup job is `30 15 * * *`", {"every": DAY, "at": "15:30"}),
        ("The backup job is `*/15 * * * *`", {"every": "900"}),
        ("The backup job is `0 */6 * * *`", {"every": "21600"}),
        ("The backup job is `5 * * * *`", {"every": "3600"}),
        ("The backup job is `0 3 * * 1`", {"every": WEEK, "at": "03:00", "on": "mon"}),
        ("The backup job is `0 3 * * 7`", {"every": WEEK, "at": "03:00", "on": "sun"}),
        ("The backup job is `0 3 * * SAT`", {"every": WEEK, "at": "03:00", "on": "sat"}),
        ("The backup runs every Monday at 3:00", {"every": WEEK, "at": "03:00", "on": "mon"}),
        ("The backup job is `0 3 15 * *`", {"every": MONTH, "at": "03:00", "on": "15"}),
        ("The backup runs on the 15th of each month", {"every": MONTH, "on": "15"}),
        ("The backup runs on the first of the month", {"every": MONTH, "on": "1"}),
        ("The backup runs every two hours", {"every": "7200"}),
        ("The backup runs every other day at noon", {"every": "172800", "at": "12:00"}),
        ("The backup starts at midnight", {"at": "00:00"}),
        ("The backup starts at 12 am", {"at": "00:00"}),
        ("The backup starts at 12 pm", {"at": "12:00"}),
        ("The office of the backup team closes at 5 pm", {}),
        ("The backup runs at 3:00, and the restore runs at 4:00", {}),
    ],
)
def test_a_schedule_is_read_from_words_and_from_cron_alike(text, parts) -> None:
    assert {part: value for part, value, _ in scheduled(text)} == parts


def test_two_forms_of_one_schedule_are_about_the_same_subject() -> None:
    of_cron = {subject for _, _, subject in scheduled("The backup job is `0 3 * * 1`")}
    of_words = {subject for _, _, subject in scheduled("The backup runs every Monday at 3:00")}
    assert of_cron == of_words
