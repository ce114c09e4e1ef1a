"""What is kept in memory has a budget, is released when idle, and is made again by the next call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from contextd.domain.query import Vector
from contextd.embedders.loading import LoadedOnce
from contextd.embedders.minilm import MiniLM
from contextd.runtime.caches import Caches
from contextd.runtime.kept_memory import (
    FRESH_SECONDS,
    IDLE_SECONDS,
    LOOK_SECONDS,
    RESTING_SECONDS,
    Kept,
    KeptMemory,
    MemoryUse,
    return_free_memory,
)
from contextd.stores.dense import DenseIndex, _Matrix
from contextd.stores.lexicons import Lexicons, _Lengths
from contextd.stores.sqlite_words import Fts5Words
from support.desks import embedder

MB = 1 << 20


@dataclass
class Clock:
    """Stands until it is moved."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Desk:
    """A ledger and the caches of one organisation under a clock, whose values are weighed as what they say."""

    budget: int = 100 * MB
    clock: Clock = field(default_factory=Clock)
    returned: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.memory = KeptMemory(
            self.budget, self.clock, lambda: self.returned.append(self.clock())
        )
        self.caches = self.organisation("local")

    def organisation(self, name: str) -> Caches:
        caches = Caches(self.clock)
        self.memory.add(name, caches)
        return caches

    def put(self, name: str, key: str, megabytes: int, caches: Caches | None = None) -> None:
        cache = (caches or self.caches).of(name, 16, weigh=lambda held: MB * len(held))
        cache.put(key, ["x"] * megabytes)

    def keys(self, name: str, caches: Caches | None = None) -> list[str]:
        return (caches or self.caches).of(name, 16).keys()

    def look_after(self, seconds: float) -> int:
        self.clock.now += seconds
        return self.memory.look()


def test_above_the_budget_what_was_used_least_recently_goes_first_and_no_more_than_needed() -> None:
    desk = Desk()
    for key in ("first", "second", "third"):
        desk.put("graphs", key, 40)
        desk.clock.now += 1
    desk.caches.of("graphs", 16).get("first")
    assert desk.look_after(FRESH_SECONDS) == 40 * MB
    assert desk.keys("graphs") == ["third", "first"]
    assert desk.look_after(0) == 0


def test_values_used_within_a_minute_stay_even_above_the_memory_budget() -> None:
    desk = Desk(budget=MB)
    desk.put("graphs", "used", 40)
    assert desk.look_after(FRESH_SECONDS - 1) == 0
    assert desk.look_after(1) == 40 * MB


def test_idle_values_are_released_and_used_ones_stay_within_the_memory_budget() -> None:
    desk = Desk()
    desk.put("graphs", "idle", 1)
    desk.put("words", "used", 1)
    desk.clock.now += IDLE_SECONDS - 1
    desk.caches.of("words", 16).get("used")
    assert desk.look_after(0) == 0
    assert desk.look_after(1) == MB
    assert (desk.keys("graphs"), desk.keys("words")) == ([], ["used"])


def test_a_cached_value_that_grows_is_weighed_at_its_present_size() -> None:
    desk = Desk()
    desk.put("graphs", "grows", 10)
    desk.put("words", "steady", 20)
    assert desk.look_after(FRESH_SECONDS) == 0
    desk.caches.of("graphs", 16).get("grows").extend(["x"] * 90)
    assert desk.memory.use_of().by_name == {"graphs": 100 * MB, "words": 20 * MB}
    assert desk.look_after(FRESH_SECONDS) == 20 * MB
    assert desk.keys("graphs") == ["grows"]


def test_a_value_used_between_the_look_and_its_release_stays() -> None:
    desk = Desk()
    desk.put("graphs", "used", 40)
    [kept] = desk.caches.kept()
    desk.clock.now += 1
    desk.caches.of("graphs", 16).get("used")
    assert not kept.release()
    assert desk.keys("graphs") == ["used"]


def test_a_call_that_runs_keeps_the_value_it_has() -> None:
    desk = Desk()
    desk.put("graphs", "used", 40)
    held = desk.caches.of("graphs", 16).get("used")
    assert desk.look_after(IDLE_SECONDS) == 40 * MB
    assert len(held) == 40


def test_organisations_share_the_budget_and_each_sees_its_own_only() -> None:
    desk = Desk()
    other = desk.organisation("other")
    desk.put("graphs", "own", 70)
    desk.clock.now += 1
    desk.put("vectors", "theirs", 60, other)
    assert desk.memory.use_of("local").by_name == {"graphs": 70 * MB}
    assert desk.memory.use_of("other").by_name == {"vectors": 60 * MB}
    assert desk.look_after(FRESH_SECONDS) == 70 * MB
    assert desk.keys("vectors", other) == ["theirs"]
    desk.memory.remove("other")
    assert desk.memory.use_of().by_name == {}


def test_memory_is_returned_to_the_system_after_a_release_that_is_worth_it() -> None:
    desk = Desk()
    desk.put("words", "few", 0)
    assert desk.look_after(IDLE_SECONDS) == 0
    assert desk.returned == []
    desk.put("graphs", "many", 40)
    desk.look_after(IDLE_SECONDS)
    assert desk.returned == [desk.clock()]
    return_free_memory()


def test_the_duty_looks_less_often_while_nothing_is_kept() -> None:
    desk = Desk()
    assert desk.memory.step() == RESTING_SECONDS
    desk.put("graphs", "one", 1)
    assert desk.memory.step() == LOOK_SECONDS


def test_values_that_cannot_be_released_still_count_as_memory() -> None:
    desk = Desk(budget=0)

    class Busy:
        def kept(self) -> Iterable[Kept]:
            return [Kept("vectors", MB, 0.0, lambda: False)]

    desk.memory.add("busy", Busy())
    assert desk.memory.look() == 0
    assert desk.memory.use_of().by_name == {"vectors": MB}


def test_the_line_names_what_is_heavy_and_the_sum() -> None:
    use = MemoryUse({"vectors": 50 * MB, "call graphs": 34 * MB, "records": 1_000}, 256 * MB)
    assert use.line == "vectors 50 MB, call graphs 34 MB; 84 of 256 MB"
    assert MemoryUse({}, 256 * MB).line == "0 of 256 MB"


def test_a_model_is_loaded_again_after_its_release() -> None:
    clock, loads = Clock(), list[float]()

    def load() -> str:
        loads.append(clock())
        return "model"

    model = LoadedOnce(load, "model", lambda: 60 * MB, clock)
    memory = KeptMemory(100 * MB, clock, lambda: None)
    memory.add("models", model)
    assert memory.use_of().by_name == {}
    assert model() == "model"
    assert memory.use_of().by_name == {"model": 60 * MB}
    clock.now += IDLE_SECONDS
    assert memory.look() == 60 * MB
    assert (model(), model(), len(loads)) == ("model", "model", 2)


def test_the_shipped_model_gives_the_same_vectors_after_its_release() -> None:
    model = embedder()  # A second model would take 40 MB.
    assert isinstance(model, MiniLM)
    before: Vector = model.embed(["what is kept"])
    [kept] = model.kept()
    assert kept.bytes > 23_000_000
    assert kept.release()
    assert list(model.kept()) == []
    model._recent.clear()
    assert (model.embed(["what is kept"]) == before).all()


def test_nothing_is_released_under_a_search_that_runs() -> None:
    vectors = DenseIndex(None, lambda: 5.0)  # type: ignore[arg-type]
    vectors._matrices[1, "m", 384] = _Matrix(384)
    words = Lexicons(None, None, lambda: 5.0)  # type: ignore[arg-type]
    words._known[1] = _Lengths(1, Fts5Words(None))  # type: ignore[arg-type]
    for index in (vectors, words):
        [kept] = index.kept()
        assert kept.bytes > 0
        with index._lock:
            assert not kept.release()
        assert len(list(index.kept())) == 1
        assert kept.release()
        assert list(index.kept()) == []


def test_what_was_computed_before_a_cache_was_forgotten_is_not_found_in_it() -> None:
    caches = Caches()
    during = caches.of("places", 10)
    caches.forget("places")
    during.put("here", "the old project")
    assert caches.of("places", 10).get("here") is None
