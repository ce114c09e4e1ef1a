"""Long work behind everybody's back: once for each owner, and no owner's in another's place."""

from __future__ import annotations

from contextd.app.preparations import Preparations


def _none_fails(name: str, error: BaseException) -> None:
    raise AssertionError(f"{name} failed") from error


def test_the_same_work_is_done_for_every_owner() -> None:
    preparations = Preparations(_none_fails)
    done: list[str] = []
    for checkout in ("one", "two", "one"):
        preparations.prepare(
            "git history", checkout, lambda checkout=checkout: done.append(checkout)
        )
    assert preparations.count == 2
    while preparations.run_one():
        pass
    assert done == ["one", "two"]
    assert preparations.count == 0


def test_a_running_preparation_is_counted_and_can_be_requested_again() -> None:
    preparations = Preparations(_none_fails)
    seen: list[int] = []

    def look() -> None:
        if not seen:
            preparations.prepare("watch", "one", look)
        seen.append(preparations.count)

    preparations.prepare("watch", "one", look)
    while preparations.run_one():
        pass
    assert seen == [2, 1]


def test_a_defect_is_told_and_the_next_is_done() -> None:
    told: list[str] = []
    preparations = Preparations(lambda name, error: told.append(f"{name}: {error!r}"))
    done: list[str] = []

    def broken() -> None:
        raise KeyError("gone")

    preparations.prepare("balance", None, broken)
    preparations.prepare("watch", "one", lambda: done.append("watched"))
    while preparations.run_one():
        pass
    assert told == ["preparations: KeyError('gone')"]
    assert done == ["watched"]
