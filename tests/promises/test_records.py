"""What `Records` promises."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contextd.domain.changes import Put
from contextd.domain.query import Query
from contextd.domain.records import Record, Source
from contextd.domain.usage import ByProducts, RecordUse
from contextd_common.errors import Conflict, Invalid, NotFound
from support.examples import drawn
from support.stores import Whole
from support.strategies import AWKWARD, EPOCH, SCOPES, records

SHOP = SCOPES[2]
HERE = frozenset({SHOP})
relaxed = settings(
    max_examples=drawn(15),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def made(store: Whole, *, hours: int = 0, **fields: object) -> Record:
    at = EPOCH + timedelta(hours=hours)
    values = dict(kind="memory", scope=SHOP, content="text", created_at=at, updated_at=at)
    record = Record(**(values | fields))  # type: ignore[arg-type]
    store.put(record)
    return record.with_(version=1)


def found(store: Whole, **conditions: object) -> list[Record]:
    return store.records.find(Query(**({"scopes": HERE} | conditions))).records  # type: ignore[arg-type]


@pytest.mark.parametrize("text", AWKWARD)
def test_any_text_comes_back_as_it_went_in(store, text):
    record = made(
        store, title=text, content=text, data={"type": text, "tools": [text]}, tags=(text,)
    )
    assert store.records.get([record.id]) == [record]
    assert found(store, where={"type": text, "tools": text}, tags=(text,)) == [record]


def test_lone_surrogates_and_what_json_cannot_hold_are_refused_whole(store):
    for wrong in ({"content": "\ud800"}, {"data": {"n": float("nan")}}, {"data": {"n": object()}}):
        with pytest.raises(Invalid) as refusal:
            made(store, **wrong)
        assert refusal.value.hint
    assert found(store, statuses=()) == []


def test_get_keeps_the_asked_order_and_leaves_out_unknown_ids(store):
    one, two = made(store), made(store)
    assert store.records.get([two.id, "nobody", one.id]) == [two, one]


def test_put_replaces_the_record_with_its_id(store):
    record = made(store)
    new = record.with_(title="New")
    change = store.put(new, actor="bo", action="update", reason="why")
    assert (change.before, change.after) == (record.with_(version=0), new.with_(version=0))
    assert (change.actor, change.action, change.reason) == ("bo", "update", "why")
    assert found(store) == [new.with_(version=2)]


def test_a_scope_outside_the_query_is_never_seen(store):
    made(store, scope=SCOPES[3], id="aaaa-1")
    assert found(store) == []
    assert store.records.count(Query(scopes=HERE)) == {}
    assert store.records.by_hash(store.records.get(["aaaa-1"])[0].content_hash, SHOP) is None


def test_a_record_made_from_another_state_than_the_stored_one_is_a_conflict(store):
    record = made(store)
    store.put(record.with_(title="Somebody else's"))
    for stale in (record.with_(title="Mine"), record.with_(version=0)):
        with pytest.raises(Conflict) as refusal:
            store.commit(actor="bo", records=[Put(stale, "update")])
        assert refusal.value.hint
    assert found(store)[0].title == "Somebody else's"


def test_the_same_thing_recorded_twice_at_once_is_a_conflict_where_one_is_asked_for(store):
    made(store, id="aaaa-1")
    twin = Record(id="bbbb-1", kind="memory", scope=SHOP, content=" TEXT ")
    with pytest.raises(Conflict):
        store.commit(records=[Put(twin, "create", alone=True)])
    store.commit(records=[Put(twin.with_(scope=SCOPES[3]), "create", alone=True)])
    store.put(store.stored(SHOP, "aaaa-1").with_(status="archived"))
    store.commit(records=[Put(twin, "create", alone=True)])
    assert sorted(r.id for r in found(store, statuses=())) == ["aaaa-1", "bbbb-1"]


def test_two_scopes_may_each_have_a_record_of_one_id_and_the_nearer_is_meant(store):
    made(store, id="aaaa-1", scope=SCOPES[0], title="organisation")
    made(store, id="aaaa-1", scope=SHOP, title="project")
    assert [r.title for r in store.records.get(["aaaa-1"])] == ["project"]
    assert store.records.resolve("aaaa").title == "project"
    store.undo("aaaa-1")
    assert store.records.resolve("aaaa").title == "organisation"


def test_resolve_takes_a_unique_prefix_and_names_the_candidates_of_another(store):
    one = made(store, id="abcd-one")
    made(store, id="abcd-two")
    assert store.records.resolve("abcd-o") == one
    with pytest.raises(Conflict) as several:
        store.records.resolve("abcd")
    assert several.value.details["candidates"] == ["abcd-one", "abcd-two"]
    for unknown in ("zzzz", "abcd-%", "ABCD-one"):
        with pytest.raises(NotFound):
            store.records.resolve(unknown)
    with pytest.raises(Invalid):
        store.records.resolve("abc")


def test_a_whole_id_is_found_even_when_it_starts_another(store):
    short = made(store, id="abcd")
    made(store, id="abcd-longer")
    assert store.records.resolve("abcd") == short


def test_beginning_names_every_record_that_may_be_read_once_and_in_order(store):
    made(store, id="abcd-two")
    made(store, id="abcd-one")
    made(store, id="abcd-one", scope=SCOPES[0])
    made(store, id="abce-one")
    made(store, id="abcd-%")
    asked = ["abcd-", "abcd-o", "zzzz", "abcd-%"]
    assert store.records.beginning(asked) == ["abcd-%", "abcd-one", "abcd-two"]
    assert store.records.beginning([]) == []


def test_find_pages_newest_first_without_gap_or_repeat(store):
    all_ = [made(store, hours=n // 3, id=f"id-{n:02}") for n in range(20)]
    pages, cursor = [], ""
    while True:
        page = store.records.find(Query(scopes=HERE, limit=7, cursor=cursor))
        pages.append(len(page.records))
        all_ = [r for r in all_ if r not in page.records]
        if not page.cursor:
            break
        cursor = page.cursor
    assert (pages, all_) == ([7, 7, 6], [])
    newest = found(store, limit=3)
    assert [r.id for r in newest] == ["id-19", "id-18", "id-17"]


def test_a_made_up_cursor_is_refused(store):
    with pytest.raises(Invalid):
        found(store, cursor="yesterday")


def test_find_compares_typed_fields_by_equality_and_lists_by_containment(store):
    record = made(
        store, data={"type": "rule", "tools": ["a", "b"], "n": 2, "yes": True, "map": {"a": 1}}
    )
    hits = [{"type": "rule"}, {"tools": "b"}, {"n": 2.0}, {"yes": True}, {"absent": None}]
    misses = [
        {"type": "rul"},
        {"tools": "c"},
        {"n": "2"},
        {"yes": False},
        {"type": None},
        {"map": 1},
    ]
    assert [found(store, where=where) for where in hits] == [[record]] * len(hits)
    assert [found(store, where=where) for where in misses] == [[]] * len(misses)


@pytest.mark.parametrize("name", ['a"b', "a.b", "", "$", "x' OR 1=1 --", "a\x00"])
def test_a_field_name_that_is_none_is_refused(store, name):
    with pytest.raises(Invalid):
        found(store, where={name: "x"})


def test_find_filters_by_envelope(store):
    keep = made(store, tags=("a", "b"), session="s", confidence=0.7, valid_from=EPOCH)
    made(store, tags=("a",), session="s", confidence=0.7)
    made(store, tags=("a", "b"), session="t", confidence=0.7)
    made(store, tags=("a", "b"), session="s", confidence=0.1)
    made(store, tags=("a", "b"), session="s", confidence=0.7, valid_to=EPOCH)
    made(store, tags=("a", "b"), session="s", confidence=0.7, status="inbox")
    made(store, tags=("a", "b"), session="s", confidence=0.7, kind="context")
    conditions = dict(tags=("a", "b"), session="s", min_confidence=0.5, valid_at=EPOCH)
    assert found(store, kinds=("memory",), **conditions) == [keep]
    assert store.records.count(Query(scopes=HERE, **conditions)) == {"memory": 1, "context": 1}


def test_find_filters_by_trust_and_by_the_name_a_source_is_shown_by(store):
    said = made(store, trust="human", source=Source(client="cli"))
    asked = made(store, hours=1, source=Source(agent="ada", client="cli", operation="mcp"))
    from_hook = made(store, hours=2, source=Source(operation="hook"))
    nobody = made(store, hours=3)
    assert found(store, trust="human") == [said]
    assert found(store, trust="agent") == [nobody, from_hook, asked]
    for record in (said, asked, from_hook, nobody):
        assert found(store, source=str(record.source)) == [record]
    both = Query(scopes=HERE, trust="agent", source="hook")
    assert store.records.count(both) == {"memory": 1}


def test_tags_are_found_as_they_are_now_whatever_became_of_the_record(store):
    record = made(store, tags=("old", "kept", "kept"))
    store.put(record.with_(tags=("new", "kept")), action="update")
    assert found(store, tags=("old",)) == []
    assert [r.id for r in found(store, tags=("new", "kept"))] == [record.id]
    store.undo(record.id)
    assert found(store, tags=("new",)) == []
    assert [r.id for r in found(store, tags=("old",))] == [record.id]
    store.undo(record.id)
    assert found(store, tags=("kept",)) == []
    assert store.records.count(Query(scopes=HERE, tags=("old",))) == {}


def test_by_hash_gives_the_oldest_that_is_active_or_waiting(store):
    made(store, hours=0, status="archived")
    oldest = made(store, hours=1, status="inbox", content="  TEXT ")
    made(store, hours=2)
    assert store.records.by_hash(oldest.content_hash, SHOP) == oldest


def test_each_use_is_counted_and_leaves_no_history_and_no_new_version(store):
    record = made(store)
    uses = [
        RecordUse(SHOP, record.id),
        RecordUse(SHOP, record.id),
        RecordUse(SHOP, "nobody"),
        RecordUse(SCOPES[3], record.id),
    ]
    store.upkeep.note(ByProducts(uses=uses))
    [used] = store.records.get([record.id])
    assert used == record.with_(usage_count=2, last_used_at=used.last_used_at)
    assert used.last_used_at is not None
    assert len(store.records.history(record.id)) == 1


def test_undo_goes_further_back_each_time_and_ends_before_the_creation(store):
    first = made(store)
    second = first.with_(title="2", updated_at=EPOCH + timedelta(days=1))
    store.put(second, action="update")
    store.put(second.with_(title="3"), action="update")
    assert store.undo(first.id).after == second.with_(version=0)
    store.put(second.with_(title="4"), action="update")
    assert store.undo(first.id).after == second.with_(version=0)
    assert store.undo(first.id).after == first.with_(version=0)
    assert store.undo(first.id).after is None
    assert store.records.get([first.id]) == []
    with pytest.raises(NotFound):
        store.undo(first.id)
    history = store.records.history(first.id)
    assert [change.seq for change in history] == list(range(1, 9))
    assert [change.action for change in history].count("undo") == 4


def test_a_change_is_taken_back_only_once(store):
    record = made(store)
    store.put(record.with_(title="2"), action="update")
    store.undo(record.id)
    now = store.stored(SHOP, record.id)
    with pytest.raises(Conflict):
        store.commit(records=[Put(now.with_(title="1"), "undo", undoes=2)])


@relaxed
@given(states=st.lists(records(), min_size=1, max_size=5))
def test_undo_restores_every_earlier_state_exactly(store, states):
    id_ = f"undo-{hash(tuple(map(repr, states)))}"
    states = [state.with_(id=id_, scope=SHOP) for state in states]
    before: list[Record | None] = []
    for state in states:
        before.append(store.stored(SHOP, id_))
        store.put(state)
    history = store.records.history(id_)
    assert [c.after for c in history[-len(states) :]] == states
    for expected in reversed(before):
        store.undo(id_)
        now = store.stored(SHOP, id_)
        assert (now and now.with_(version=0)) == (expected and expected.with_(version=0))
