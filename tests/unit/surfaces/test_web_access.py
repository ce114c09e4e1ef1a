"""Codes, sessions and rates, with a clock of their own."""

from __future__ import annotations

from contextd.surfaces.web.access import (
    CODE_SECONDS,
    CODES_KEPT,
    SESSION_SECONDS,
    SESSIONS_KEPT,
    Access,
    Bucket,
)


class Hands:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def test_a_code_opens_one_session_which_knows_where_it_came_from() -> None:
    access = Access(Hands())
    code = access.new_code("/somewhere")
    cookie = access.redeem(code)
    browser = access.browser(cookie)
    assert browser is not None
    assert browser.cwd == "/somewhere"
    assert access.redeem(code) == ""
    assert code != cookie != browser.csrf


def test_a_code_is_too_old_after_a_minute() -> None:
    clock = Hands()
    access = Access(clock)
    code = access.new_code()
    clock.at += CODE_SECONDS
    assert access.redeem(code) == ""


def test_a_session_ends_by_itself_and_by_signing_out() -> None:
    clock = Hands()
    access = Access(clock)
    first, second = access.redeem(access.new_code()), access.redeem(access.new_code())
    access.sign_out(first)
    assert access.browser(first) is None
    assert access.browser(second) is not None
    clock.at += SESSION_SECONDS
    assert access.browser(second) is None


def test_nothing_that_is_no_cookie_is_a_session() -> None:
    access = Access(Hands())
    access.redeem(access.new_code())
    for given in ("", "x", "é", "\udcff", "x" * 10_000):
        assert access.browser(given) is None
        assert access.redeem(given) == ""


def test_codes_and_sessions_do_not_pile_up() -> None:
    access = Access(Hands())
    codes = [access.new_code() for _ in range(CODES_KEPT + 5)]
    assert access.redeem(codes[0]) == ""
    assert access.redeem(codes[-1])
    cookies = [access.redeem(access.new_code()) for _ in range(SESSIONS_KEPT + 5)]
    assert access.browser(cookies[0]) is None
    assert access.browser(cookies[-1]) is not None


def test_a_bucket_lets_a_burst_through_and_then_a_steady_trickle() -> None:
    bucket = Bucket(3, 2.0, 3, at=0.0)
    assert [bucket.take(0.0) for _ in range(5)] == [True, True, True, False, False]
    assert bucket.take(0.5)
    assert not bucket.take(0.5)
    assert [bucket.take(100.0) for _ in range(4)] == [True, True, True, False]


def test_signing_in_may_be_tried_ten_times_and_then_every_five_seconds() -> None:
    clock = Hands()
    access = Access(clock)
    assert sum(access.may_try() for _ in range(20)) == 10
    clock.at += 5.0
    assert access.may_try()
    assert not access.may_try()
