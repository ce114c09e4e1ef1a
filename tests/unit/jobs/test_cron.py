"""When a cron expression comes round."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from contextd.jobs.cron import cron
from contextd_common.errors import Invalid

AT = datetime(2026, 3, 14, 3, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "then"),
    [
        ("0 3 * * *", datetime(2026, 3, 15, 3, 0, tzinfo=UTC)),
        ("1 3 * * *", datetime(2026, 3, 14, 3, 1, tzinfo=UTC)),
        ("*/15 * * * *", datetime(2026, 3, 14, 3, 15, tzinfo=UTC)),
        ("30 2-4 * * *", datetime(2026, 3, 14, 3, 30, tzinfo=UTC)),
        ("0 5 1 * *", datetime(2026, 4, 1, 5, 0, tzinfo=UTC)),
        ("0 5 * * 1", datetime(2026, 3, 16, 5, 0, tzinfo=UTC)),
        ("0 5 * * 7", datetime(2026, 3, 15, 5, 0, tzinfo=UTC)),
        ("0 5 20 * 1", datetime(2026, 3, 16, 5, 0, tzinfo=UTC)),
        ("0 0 29 2 *", datetime(2028, 2, 29, 0, 0, tzinfo=UTC)),
        ("10,20 3 14 3 *", datetime(2026, 3, 14, 3, 10, tzinfo=UTC)),
        ("5/20 3 * * *", datetime(2026, 3, 14, 3, 5, tzinfo=UTC)),
    ],
)
def test_the_next_time_is_the_first_one_later(expression: str, then: datetime) -> None:
    assert cron(expression).next(AT, UTC) == then


def test_the_fields_are_of_the_zone() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert cron("0 3 * * *").next(AT, berlin) == datetime(2026, 3, 15, 2, 0, tzinfo=UTC)
    # That night has no half past two.
    assert cron("30 2 * * *").next(datetime(2026, 3, 28, 12, tzinfo=UTC), berlin) > AT


@pytest.mark.parametrize(
    "expression",
    ["", "0 3 * *", "60 3 * * *", "0 24 * * *", "a 3 * * *", "0 3 0 * *", "0 3 30 2 *",
     "*/0 * * * *", "5-1 * * * *", "0 3 * * 8"],
)  # fmt: skip
def test_invalid_or_never_matching_cron_expressions_are_refused(expression: str) -> None:
    with pytest.raises(Invalid) as refused:
        cron(expression)
    assert "0 3 * * *" in refused.value.hint


def test_the_last_value_of_a_range_with_steps_belongs_to_it() -> None:
    assert sorted(cron("2-10/4 * * * *").minutes) == [2, 6, 10]
