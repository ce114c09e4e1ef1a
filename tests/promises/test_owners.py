"""No verb of a view crosses a scope: each owner is answered as if nobody else used the store."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.access import Cell, Grant
from contextd.domain.changes import Changes, KnowledgeChanges, NewJob, Put, WorkChanges
from contextd.domain.kind import AREAS
from contextd.domain.kinds import area_of
from contextd.domain.query import Match, Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.ports.store import Store, View
from contextd.stores.granted_rows import GrantedRows
from contextd_common.errors import Denied, NotFound
from contextd_common.text.words import query_words
from support import neighbours
from support.clocks import Standing
from support.neighbours import PROJECTS, TEAMS, Step, history, outcome
from support.roles import MATRIX, caller_with
from support.stores import EVERY_STORE, WITH_CODE, address, opened
from support.strategies import vector
from support.verdicts import none_of, place

EVERY = sorted({scope for project in PROJECTS for scope in project.cascade})


def differing(scheme: str, folder: Path, steps: list[Step]) -> list[tuple[Step, Any, Any]]:
    """The steps that an owner is answered otherwise than if it were alone in the store."""
    clock = Standing()
    shared = opened(address(scheme, folder), clock)
    answers = [outcome(shared, step, clock) for step in steps]
    shared.close()
    found: list[tuple[Step, Any, Any]] = []
    for owner in {step.owner for step in steps}:
        alone = opened("memory://", clock)
        for step, answer in zip(steps, answers, strict=True):
            if step.owner == owner:
                expected = outcome(alone, step, clock)
                if not _same(expected, answer):
                    found.append((step, expected, answer))
    return found


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Match) and isinstance(other, Match):
        close = one.score == pytest.approx(other.score, rel=1e-6, abs=2.1e-6)
        return (one.id, one.kind) == (other.id, other.kind) and close
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


@pytest.mark.parametrize("scheme", WITH_CODE)
@pytest.mark.parametrize("seed", range(4))
def test_each_owner_is_answered_as_if_alone(scheme, seed, tmp_path):
    assert differing(scheme, tmp_path, history(seed, 400)) == []


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("scheme", WITH_CODE)
def test_each_owner_is_answered_as_if_alone_in_a_hundred_thousand_steps(scheme, tmp_path):
    for seed in range(100, 150):
        folder = tmp_path / str(seed)
        folder.mkdir()
        assert differing(scheme, folder, history(seed, 2_000)) == []


FORGETFUL: dict[str, Callable[..., Any]] = {
    "reads": lambda self, scope, kind="": True,
    "among": lambda self, scopes: sorted(map(str, scopes)),
    "everywhere": lambda self: sorted(map(str, PROJECTS)),
    "slices": lambda self, query=None: [neighbours_slice(query.kinds if query is not None else ())],
    "condition": lambda self, query=None: ("1", []),
    "require": lambda self, verb, scope, kind="": None,
    "owner": property(lambda self: ""),
}


def neighbours_slice(kinds: tuple[str, ...]) -> Any:
    from contextd.stores.granted_rows import Slice

    return Slice(tuple(sorted(map(str, PROJECTS))), kinds)


@pytest.mark.long
@pytest.mark.parametrize("verb", FORGETFUL)
def test_a_store_that_forgets_the_owner_anywhere_is_found_out(verb, tmp_path, monkeypatch):
    steps = history(1, 800)
    monkeypatch.setattr(GrantedRows, verb, FORGETFUL[verb])
    assert differing("sqlite", tmp_path, steps)


def test_every_verb_of_a_view_is_among_the_steps():
    source = inspect.getsource(neighbours)
    lacking = []
    parts = inspect.get_annotations(View, eval_str=True)
    for name, part in parts.items():
        if name == "grant":
            continue
        for verb, _ in inspect.getmembers(part, inspect.isfunction):
            if not verb.startswith("_") and f".{verb}(" not in source:
                lacking.append(f"{place(getattr(part, verb))}: {part.__name__}.{verb}")
    for verb, _ in inspect.getmembers(View, inspect.isfunction):
        if not verb.startswith("_") and f"view.{verb}(" not in source:
            lacking.append(f"{place(getattr(View, verb))}: View.{verb}")
    none_of(
        lacking,
        "add a step that calls it to tests/support/neighbours.py: every store must answer as the one in "
        "tests/reference_store, for each owner",
    )


Filled = tuple[Store, list[Record]]


@contextmanager
def filled_store(scheme: str, folder: Path) -> Iterator[Filled]:
    """A store with one record of every kind of area in every scope."""
    store = opened(address(scheme, folder), Standing())
    everybody = store.view(caller_with("owner").grant(EVERY))
    records = [
        Record(
            id=f"{kind}-of-{str(scope).replace('/', '-')}-only",
            kind=kind,
            scope=scope,
            content="upload",
        )
        for scope in EVERY
        for kind in ("memory", "policy", "skill")
    ]
    vectors = {scope: {} for scope in EVERY}
    for record in records:
        vectors[record.scope][digest_of(record)] = vector(record.text)
    everybody.commit(
        Changes(
            knowledge=KnowledgeChanges(
                records=[Put(record, "write") for record in records], vectors=vectors, model="m"
            )
        )
    )
    yield store, records
    store.close()


@pytest.fixture(params=EVERY_STORE)
def filled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Filled]:
    with filled_store(request.param, tmp_path) as made:
        yield made


@pytest.fixture(scope="module", params=EVERY_STORE)
def unchanged(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Filled]:
    """The same for tests that only read: filling it takes longer than reading."""
    with filled_store(request.param, tmp_path_factory.mktemp("unchanged")) as made:
        yield made


def digest_of(record: Record) -> str:
    from contextd.domain.documents import record_document

    return record_document(record).digest


def test_a_grant_of_one_area_shows_that_area_and_nothing_else(unchanged):
    """No role has it today: the store must not rest on what roles there are."""
    store, records = unchanged
    for scope in PROJECTS[0].cascade:
        for area in AREAS:
            view = store.view(Grant(read=frozenset({Cell(scope, area)})))
            allowed = {r.id for r in records if (r.scope, area_of(r.kind)) == (scope, area)}
            query = Query(scopes=frozenset(EVERY), limit=500)
            assert {r.id for r in view.records.find(query).records} == allowed
            assert sum(view.records.count(query).values()) == len(allowed)
            assert {m.id for m in view.index.lexical(["upload"], query, 500)} == allowed
            assert {r.id for r in view.sharing([["upload"]], query, 500)} == allowed
            assert view.index.stats("m").documents == len(allowed)


def test_work_of_the_whole_organisation_is_for_who_may_read_and_write_for_it(filled):
    store, _ = filled
    work = Changes(actor="x", work=WorkChanges(jobs=[NewJob(name="tidy")]))
    views = {}
    for role in MATRIX:
        caller = caller_with(role, "acme", ("web",), ("shop",))
        views[role] = store.view(caller.grant(EVERY))
    [id] = views["org_admin"].commit(work).jobs
    for role in ("team_admin", "team_member", "project_dev", "viewer"):
        with pytest.raises(Denied):
            views[role].commit(work)
    seen = {role: [job.id for job in view.jobs.list(prefix=id)] for role, view in views.items()}
    assert seen.pop("project_dev") == []
    assert views["project_dev"].jobs.count() == {}
    assert not views["project_dev"].jobs.retry(id)
    assert all(listed == [id] for listed in seen.values())


CALLERS = [
    caller_with(role, org, teams, projects)
    for role in MATRIX
    for org in ("acme", "rival")
    for teams in ([], ["web"], ["web", "core"])
    for projects in ([], ["shop"])
]


@pytest.mark.parametrize("caller", CALLERS, ids=lambda c: f"{c.name}-{c.org}-{len(c.roles)}")
def test_a_mixed_query_shows_exactly_what_the_matrix_allows(unchanged, caller):
    store, records = unchanged
    view = store.view(caller.grant(EVERY))
    allowed = {r.id for r in records if caller.may("read", r.scope, area_of(r.kind))}
    query = Query(scopes=frozenset(EVERY), limit=500)
    assert {r.id for r in view.records.find(query).records} == allowed
    assert sum(view.records.count(query).values()) == len(allowed)
    assert {r.id for r in view.records.get([r.id for r in records])} == allowed
    assert {m.id for m in view.index.lexical(query_words("upload"), query, 500)} == allowed
    assert {m.id for m in view.index.dense(vector("upload"), "m", query, 500)} == allowed
    by_words, by_meaning = view.index.rankings(
        [["upload"], ["retry"]], vector("upload"), "m", query, 500
    )
    assert by_words[0] == view.index.lexical(["upload"], query, 500)
    assert by_words[1] == view.index.lexical(["retry"], query, 500)
    assert by_meaning == view.index.dense(vector("upload"), "m", query, 500)
    assert {r.id for r, _ in view.near(vector("upload"), "m", query, 500)} == allowed
    assert {r.id for r in view.sharing([["upload"]], query, 500)} == allowed
    both = view.alike(
        ["upload"], vector("upload"), "m", query, by_words=500, by_meaning=500, least=-1.0
    )
    assert {r.id for r, _ in both} == allowed
    assert view.index.stats("m").documents == len(allowed)
    tallies = view.survey.tally(query, recent=records[0].created_at, stale=records[0].created_at)
    assert sum(tally.count for tally in tallies) == len(allowed)
    assert len(view.survey.first(query, "stalest", 500)) == len(allowed)
    for record in records:
        if record.id in allowed:
            assert view.records.resolve(record.id).id == record.id
            assert len(view.records.history(record.id)) == 1
        else:
            assert view.records.history(record.id) == []
            with pytest.raises(NotFound):
                view.records.resolve(record.id)


def commits(view: View, changes: Changes) -> bool:
    """Whether a view may write these changes, which are written then."""
    try:
        view.commit(changes)
    except Denied:
        return False
    return True


@pytest.mark.parametrize("role", MATRIX)
def test_only_what_the_matrix_allows_can_be_written(filled, role):
    store, records = filled
    versions = Counter(record.id for record in records)
    for caller in (one for one in CALLERS if one.name == role):
        view = store.view(caller.grant(EVERY))
        for record in records[::7]:
            changed = record.with_(version=versions[record.id], title="changed")
            put = Changes(knowledge=KnowledgeChanges(records=[Put(changed, "update")]))
            is_written = commits(view, put)
            assert is_written == caller.may("write", record.scope, area_of(record.kind)), caller
            versions[record.id] += is_written


def test_a_grant_is_what_the_caller_may_and_nothing_else():
    for caller in CALLERS:
        grant = caller.grant([*EVERY, Scope("elsewhere")])
        for scope in EVERY:
            for area in AREAS:
                assert grant.may("read", scope, area) == caller.may("read", scope, area)
                assert grant.may("write", scope, area) == caller.may("write", scope, area)
    assert {cell.scope for cell in CALLERS[0].grant([TEAMS[0]]).read} <= {TEAMS[0]}


def test_two_organisations_share_no_store(tmp_path):
    stores: list[Store] = []
    for org in ("acme", "rival"):
        folder = tmp_path / org
        folder.mkdir()
        stores.append(opened(address("sqlite", folder)))
    mine = stores[0].view(caller_with("owner").grant(EVERY))
    mine.commit(
        Changes(
            knowledge=KnowledgeChanges(
                records=[Put(Record(kind="memory", scope=EVERY[0], content="x"), "write")]
            )
        )
    )
    theirs = stores[1].view(caller_with("owner").grant(EVERY))
    assert theirs.records.find(Query(scopes=frozenset(EVERY))).records == []
    for store in stores:
        store.close()
