"""What the usage log keeps while the store cannot be written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from contextd.awareness import usage_log
from contextd.awareness.usage_log import UsageLog
from contextd.domain.usage import ByProducts, Observation
from contextd_common.errors import Busy, Conflict, ContextdError, Stale, Unavailable

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


class Store:
    """An upkeep that refuses as long as it has an error."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.noted: list[str] = []

    def note(self, by_products: ByProducts) -> None:
        if self.error is not None:
            raise self.error
        self.noted += [one.operation for one in by_products.observations]


def observation(name: str) -> Observation:
    return Observation(at=NOW, action="read", operation=name)


def log_of(
    store: Store, failed: Callable[[str, BaseException], None] = lambda *_: None
) -> UsageLog:
    return UsageLog(store, failed)  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [Busy, Unavailable])
def test_observations_are_kept_while_the_store_refuses_and_written_in_order(
    error: type[ContextdError],
) -> None:
    store = Store(error("not now"))
    log = log_of(store)
    log.observe(observation("first"))
    with pytest.raises(error):
        log.flush()
    log.observe(observation("second"))
    assert log.settle() is False
    store.error = None
    assert log.settle() is True
    assert store.noted == ["first", "second"]


@pytest.mark.parametrize("error", [Busy, Unavailable, Stale])
def test_a_late_write_is_tried_again_after_a_passing_error(error: type[ContextdError]) -> None:
    log, done = log_of(Store()), list[str]()
    errors = [error("not now"), error("not now")]

    def write() -> None:
        if errors:
            raise errors.pop()
        done.append("first")

    log.later("first", write)
    log.later("second", lambda: done.append("second"))
    assert [log.settle(), log.settle(), log.settle()] == [False, False, True]
    assert sorted(done) == ["first", "second"]


def test_late_writes_behind_a_busy_store_keep_their_order() -> None:
    log, done, busy = log_of(Store()), list[int](), [Busy("not now")]

    def first() -> None:
        if busy:
            raise busy.pop()
        done.append(1)

    log.later("first", first)
    log.later("second", lambda: done.append(2))
    assert log.settle() is False
    log.later("third", lambda: done.append(3))
    assert log.settle() is True
    assert done == [1, 2, 3]


def test_late_writes_stay_where_the_observations_before_them_cannot_be_written() -> None:
    store, done = Store(Busy("not now")), list[int]()
    log = log_of(store)
    log.observe(observation("one"))
    log.later("write", lambda: done.append(1))
    assert log.settle() is False
    store.error = None
    assert log.settle() is True
    assert (store.noted, done) == (["one"], [1])


def test_a_write_that_never_works_is_given_up_and_one_that_is_refused_is_not_repeated() -> None:
    log, tries = log_of(Store()), list[str]()

    def read_only() -> None:
        tries.append("read-only")
        raise Unavailable("the checkout is read-only")

    def refused() -> None:
        tries.append("refused")
        raise Conflict("somebody else did it")

    log.later("handoff", read_only)
    log.later("answer", refused)
    while not log.settle():
        pass
    assert (tries.count("read-only"), tries.count("refused")) == (20, 1)


def test_one_defect_among_by_products_loses_nothing_else_even_when_the_store_is_busy() -> None:
    class Choosy(Store):
        def note(self, by_products: ByProducts) -> None:
            names = [one.operation for one in by_products.observations]
            if "bad" in names:
                raise ValueError("a defect")
            super().note(by_products)
            if self.busy:
                self.noted = [name for name in self.noted if name not in names]
                raise self.busy.pop()

        busy: list[Busy]

    store, failures = Choosy(), list[str]()
    store.busy = [Busy("not now")]
    log = log_of(store, lambda name, error: failures.append(str(error)))
    for name in ("one", "bad", "two"):
        log.observe(observation(name))
    assert log.settle() is False
    assert log.settle() is True
    assert (store.noted, failures) == (["one", "two"], ["a defect"])


def test_the_oldest_observations_are_dropped_past_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(usage_log, "_MOST_HELD", 2)
    store = Store(Busy("not now"))
    log = log_of(store)
    for name in ("one", "two", "three"):
        log.observe(observation(name))
    assert log.settle() is False
    store.error = None
    assert log.settle() is True
    assert store.noted == ["two", "three"]


def test_unstored_observations_are_tried_again_although_no_new_ones_arrive() -> None:
    store, wanted = Store(Busy("not now")), list[str]()
    log = UsageLog(store, lambda *_: None, wanted=lambda: wanted.append("once"))  # type: ignore[arg-type]
    log.observe(observation("one"))
    assert log.step() == usage_log._RETRY_SECONDS
    store.error = None
    assert log.step() is None
    assert (store.noted, wanted) == (["one"], ["once"])
