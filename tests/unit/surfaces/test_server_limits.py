"""How much a member and an organisation may ask of a server."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.access import Caller
from contextd.runtime.settings import load_settings
from contextd.surfaces.server_limits import ServerLimits
from contextd.surfaces.web.access import TooManyRequests

ADA, GRACE, EVE = Caller("ada", "acme"), Caller("grace", "acme"), Caller("ada", "rival")


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def limits(home: Path, clock: Clock, **flags: Any) -> ServerLimits:
    settings = load_settings(home=home, flags={f"server.{k}": v for k, v in flags.items()})
    return ServerLimits(settings, clock)


def admitted(one: ServerLimits, caller: Caller, most: int = 1_000) -> int:
    """How many requests in a row are admitted."""
    for count in range(most):
        try:
            with one.admitted(caller):
                pass
        except TooManyRequests:
            return count
    return most


def test_a_tenth_of_a_minute_may_come_at_once_and_then_one_at_a_time(tmp_path: Path) -> None:
    clock = Clock()
    one = limits(tmp_path, clock, member_rate=600)
    assert admitted(one, ADA) == 60
    clock.now += 0.1
    assert admitted(one, ADA) == 1
    clock.now += 6.0
    assert admitted(one, ADA) == 60
    clock.now += 3_600
    assert admitted(one, ADA) == 60


def test_a_refusal_says_when_to_come_back(tmp_path: Path) -> None:
    clock = Clock()
    one = limits(tmp_path, clock, member_rate=6)
    assert admitted(one, ADA) == 1
    with pytest.raises(TooManyRequests, match="6 requests a minute") as refused, one.admitted(ADA):
        pass
    assert refused.value.retry_after == 10
    clock.now += 10
    assert admitted(one, ADA) == 1


def test_members_have_limits_of_their_own_and_share_that_of_their_organisation(
    tmp_path: Path,
) -> None:
    one = limits(tmp_path, Clock(), member_rate=600, organisation_rate=700)
    assert admitted(one, ADA) == 60
    assert admitted(one, GRACE) == 10
    # A member of the same id elsewhere is another one.
    assert admitted(one, EVE) == 60


def test_a_request_counts_as_running_until_it_ends_however_it_ends(tmp_path: Path) -> None:
    one = limits(tmp_path, Clock(), member_calls=2, organisation_calls=3)
    with ExitStack() as running:
        for caller in (ADA, ADA, GRACE):
            running.enter_context(one.admitted(caller))
        for caller, words in ((ADA, "2 requests of you"), (GRACE, "3 requests of your org")):
            with pytest.raises(TooManyRequests, match=words), one.admitted(caller):
                pass
        with one.admitted(EVE):
            pass
    with pytest.raises(ZeroDivisionError), one.admitted(ADA):
        _ = 1 // 0
    with one.admitted(ADA), one.admitted(ADA), one.admitted(GRACE):
        pass
    assert not one._running


def test_what_is_refused_for_running_requests_takes_nothing_of_the_rate(tmp_path: Path) -> None:
    one = limits(tmp_path, Clock(), member_rate=60, member_calls=1)
    with one.admitted(ADA):
        assert admitted(one, ADA) == 0
    assert admitted(one, ADA) == 5
