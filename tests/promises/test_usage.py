"""What the usage log promises."""

from __future__ import annotations

from datetime import timedelta

from contextd.domain.changes import Put
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.domain.usage import ByProducts, Observation
from support.strategies import EPOCH, SCOPES

SHOP, TEAM = SCOPES[2], SCOPES[1]
HERE = frozenset({SHOP})
HOUR = timedelta(hours=1)


def observed(n: int, action: str = "read", **fields: object) -> Observation:
    values = dict(at=EPOCH + n * HOUR, action=action, operation="search", type="memory", scope=SHOP)
    return Observation(**(values | fields))


def session(id_: str, hours: int) -> Session:
    at = EPOCH + hours * HOUR
    return Session(id=id_, scope=SHOP, started_at=at, last_seen_at=at)


def log(store, *observations: Observation) -> None:
    store.upkeep.note(ByProducts(observations=observations))


def test_rotation_keeps_the_latest_and_the_summary_counts_everything(store):
    every = [observed(n, "write" if n % 3 == 0 else "read") for n in range(2_600)]
    for start in range(0, 2_600, 130):
        log(store, *every[start : start + 130])
    logged = store.observations.recent(HERE, 2_000)
    assert len(logged) == 600
    assert logged == every[:-601:-1]
    summary = store.observations.summary(HERE)
    assert (summary.reads, summary.writes, summary.misses) == (1733, 867, 0)
    assert (summary.read_frequency, summary.write_frequency) == ({"memory": 1733}, {"memory": 867})
    assert summary.last_activity == every[-1].at


def test_a_busy_project_rotates_nothing_of_another_away(store):
    mine = [observed(n, "miss", query=f"q{n}", scope=TEAM) for n in range(5)]
    log(store, *mine)
    for start in range(0, 3_000, 500):
        log(store, *(observed(start + n) for n in range(500)))
    assert store.observations.recent(frozenset({TEAM}), 100) == mine[::-1]
    assert len(store.observations.recent(HERE, 5_000)) <= 1_000


def test_an_observation_comes_back_as_it_was_logged(store):
    one = observed(0, "miss", record_ids=("a", "b"), query="it's 日本", agent="x", type="")
    log(store, one)
    assert store.observations.recent(HERE) == [one]
    assert store.observations.summary(HERE).missed_queries == {"it's 日本": 1}


def test_updates_and_deletes_count_as_writes(store):
    log(store, *(observed(n, action) for n, action in enumerate(["update", "delete"])))
    assert store.observations.summary(HERE).writes == 2


def test_the_least_missed_query_makes_room_for_a_new_one(store):
    asked = ["often", "often", *(f"q{n}" for n in range(499)), "q0", "new"]
    log(store, *(observed(n, "miss", query=query) for n, query in enumerate(asked)))
    missed = store.observations.summary(HERE).missed_queries
    assert len(missed) == 500
    assert (missed["often"], missed["q0"], missed["new"], "q1" in missed) == (2, 2, 1, False)
    assert store.observations.summary(HERE).misses == len(asked)


def test_each_scope_has_totals_of_its_own(store):
    places = [SCOPES[0], SCOPES[1], None]
    every = [
        observed(n, "miss" if n % 5 == 0 else "read", query=f"q{n % 7}", scope=places[n % 3])
        for n in range(2_400)
    ]
    for start in range(0, 2_400, 90):
        log(store, *every[start : start + 90])
    summary = store.observations.summary
    for place in places[:2]:
        told = summary(frozenset([place]))
        assert (told.reads, told.misses) == (640, 160)
        assert told.read_frequency == {"memory": 640}
        assert sum(told.missed_queries.values()) == 160
        assert told.last_activity == [one for one in every if one.scope == place][-1].at
    both = summary(frozenset(places[:2]))
    assert (both.reads, both.misses) == (1_280, 320)
    assert summary(frozenset()).reads == 0
    assert store.observations.recent(frozenset()) == []


def test_the_summary_of_recent_activity_equals_its_separate_queries(store):
    sessions = [session(f"s{n}", hours=n) for n in range(4)]
    records = [Record(id=f"r{n}", kind="memory", scope=SHOP, content=f"fact {n}") for n in range(4)]
    old = Record(id="rule", kind="policy", scope=SHOP, content="old", created_at=EPOCH)
    likes = [
        Record(id=f"like{n}", kind="context", scope=SHOP, content=f"like {n}", created_at=EPOCH)
        for n in range(3)
    ]
    store.commit(open=sessions, records=[Put(one, "create") for one in [old, *likes, *records]])
    query = Query(scopes=HERE, kinds=("memory", "policy"), limit=3)
    rules = Query(scopes=HERE, kinds=("policy",), limit=3)
    person = Query(scopes=HERE, kinds=("context",), limit=2)
    lately = store.view.lately(query, rules, person, frozenset({SHOP}), sessions=2, observations=10)
    assert lately.sessions == store.sessions.find(HERE, limit=2)
    assert [s.id for s in lately.sessions] == ["s3", "s2"]
    assert lately.records == store.records.find(query).records
    assert len(lately.records) == 3
    assert [one.id for one in lately.rules] == ["rule"]
    assert lately.person == store.records.find(person)
    assert [len(lately.person.records), bool(lately.person.cursor)] == [2, True]
    assert lately.usage == store.observations.summary(HERE)


def test_the_log_is_read_only_when_something_was_missed(store):
    def observations() -> list[Observation]:
        query = Query(scopes=HERE)
        return store.view.lately(
            query, query, query, frozenset({SHOP}), sessions=1, observations=2
        ).observations

    log(store, observed(0, query="found"))
    assert observations() == []
    log(store, observed(1, "miss", query="missed"), observed(2, query="found again"))
    assert observations() == store.observations.recent(HERE, 2)
    assert [one.query for one in observations()] == ["found again", "missed"]
