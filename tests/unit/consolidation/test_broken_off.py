"""Consolidation that is broken off anywhere goes on where it stopped: nothing is lost and nothing doubled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from contextd.app import Host, load_operations
from contextd.consolidation import merge_run as steps
from contextd.consolidation.collections import COLLECTIONS, consolidating
from contextd.consolidation.merge_run import Pacing, consolidate
from contextd.consolidation.merging import MERGED
from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.documents import record_document
from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record
from contextd.domain.scope import Scope
from contextd.runtime.doors import HomeDoor
from contextd.runtime.runtime import Request, Runtime, SystemClock
from contextd.runtime.settings import load_settings
from contextd.thin.home import LOCAL, make_home
from contextd_common.errors import Unavailable

HERE, NEIGHBOUR = Scope(LOCAL, "default", "shop"), Scope(LOCAL, "default", "blog")
CLUSTERS = 7


class Drawn:
    """An embedder for vectors that were drawn."""

    model = "drawn"

    def embed(self, texts):
        raise Unavailable("nothing is embedded here", "the vectors were drawn")


@pytest.fixture(params=["memory", "sqlite"])
def runtime(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Runtime]:
    """A call in a home with two projects that know the same."""
    load_operations()
    make_home(tmp_path / "home")
    url = {"memory": "memory://", "sqlite": ""}[request.param]
    settings = load_settings(home=tmp_path / "home", flags={"store.url": url})
    host = Host(settings, Drawn(), door=HomeDoor(), clock=SystemClock(), duties="none")
    organisation = host.organisation(LOCAL)
    made = organisation.runtime(Request(surface="job", caller=OWNER), upkeep=False)
    made = replace(made, view=organisation.view(OWNER, [HERE, NEIGHBOUR]))
    for scope in (HERE, NEIGHBOUR):
        fill(made, scope)
    yield made
    host.close()


def fill(runtime: Runtime, scope: Scope) -> None:
    """Seven clusters of three, each with its opposite beside it."""
    draw = np.random.default_rng(3)
    records, vectors = [], {}
    for number in range(CLUSTERS):
        said = f"Rebuild the index of tenant-{number} before the nightly export"
        texts = [said, said.lower(), f"{said}.", said.replace("before", "after")]
        middle = draw.normal(size=64)
        for way, text in enumerate(texts):
            record = Record(
                id=f"{number}-{way}", kind="memory", scope=scope, content=text,
                data={"outcome": "success"},
            )  # fmt: skip
            records.append(Put(record, "create"))
            row = middle + 0.05 * draw.normal(size=64)
            vectors[record_document(record).digest] = row / np.linalg.norm(row)
    runtime.view.commit(
        Changes(
            knowledge=KnowledgeChanges(records=records, vectors={scope: vectors}, model="drawn")
        )
    )


def state(runtime: Runtime, scope: Scope) -> dict[str, Record]:
    view = runtime.organisation.view(OWNER, [scope])
    query = Query(scopes=frozenset({scope}), statuses=STATUSES, limit=1_000)
    return {record.id: record for record in view.records.find(query).records}


def whole(runtime: Runtime) -> None:
    """Every cluster is merged once, and the opposites and the neighbour are as they were."""
    records = state(runtime, HERE)
    assert len(records) == 4 * CLUSTERS
    view = runtime.organisation.view(OWNER, [HERE])
    for number in range(CLUSTERS):
        members = [records[f"{number}-{way}"] for way in range(3)]
        [stays] = [one for one in members if one.status == "active"]
        merged = [one for one in members if one.status == "merged"]
        assert {one.canonical_id for one in merged} == {stays.id}
        assert set(stays.data["merged_from"]) == {one.id for one in merged}
        for one in members:
            actions = [change.action for change in view.records.history(one.id)]
            assert actions == ["create", MERGED]
        assert records[f"{number}-3"].version == 1
    assert {one.version for one in state(runtime, NEIGHBOUR).values()} == {1}


@pytest.mark.parametrize("stop", range(1, 5))
def test_it_goes_on_after_dying_before_or_after_any_commit(runtime, monkeypatch, stop):
    monkeypatch.setattr(steps, "_TOGETHER", 2)
    how = consolidating(COLLECTIONS["memories"], runtime.settings)
    kept: list[dict] = [{}]

    def keep(reached):
        kept.append(dict(reached))
        if len(kept) == stop + 1:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        consolidate(runtime, HERE, how, Pacing(keep=keep))
    merged = sum(one.status == "merged" for one in state(runtime, HERE).values())
    assert merged == 2 * 2 * (stop - 1)
    done = consolidate(runtime, HERE, how, Pacing(reached=kept[-1]))
    assert (done.before, done.after) == (4 * CLUSTERS, 2 * CLUSTERS)
    assert done.merged == CLUSTERS
    whole(runtime)
    again = consolidate(runtime, HERE, how, Pacing())
    assert (again.merged, again.before) == (0, 2 * CLUSTERS)
    whole(runtime)


def test_dying_right_after_a_commit_counts_it_once(runtime, monkeypatch):
    monkeypatch.setattr(steps, "_TOGETHER", 2)
    how = consolidating(COLLECTIONS["memories"], runtime.settings)
    kept: list[dict] = []
    change_all = steps.change_all

    def dies(*given, **options):
        change_all(*given, **options)
        raise InterruptedError

    monkeypatch.setattr(steps, "change_all", dies)
    with pytest.raises(InterruptedError):
        consolidate(runtime, HERE, how, Pacing(keep=lambda reached: kept.append(dict(reached))))
    monkeypatch.setattr(steps, "change_all", change_all)
    done = consolidate(runtime, HERE, how, Pacing(reached=kept[-1]))
    assert done.merged == CLUSTERS
    whole(runtime)


def test_a_record_that_changes_meanwhile_is_left_for_the_next_time(runtime, monkeypatch):
    how = consolidating(COLLECTIONS["memories"], runtime.settings)
    touched = []

    def keep(_):
        if not touched:
            record = state(runtime, HERE)["0-1"]
            view = runtime.organisation.view(OWNER, [HERE])
            view.commit(
                Changes(
                    knowledge=KnowledgeChanges(
                        records=[Put(record.with_(tags=("seen",)), "update")]
                    )
                )
            )
            touched.append(record.id)

    done = consolidate(runtime, HERE, how, Pacing(keep=keep))
    assert (done.merged, done.missed) == (CLUSTERS - 1, 1)
    assert state(runtime, HERE)["0-1"].status == "active"
    assert consolidate(runtime, HERE, how, Pacing()).merged == 1
