"""A first look by signs lets pass whatever is near, and changes nothing where vectors are few."""

from __future__ import annotations

import numpy as np
import pytest

from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.documents import record_document
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.stores import sign_prefilter
from contextd.stores.sign_prefilter import Signs
from support.roles import caller_with
from support.stores import address, opened

HERE, BESIDE = Scope("local", "default", "shop"), Scope("local", "default", "blog")


def in_groups(rows: int, dimensions: int = 100) -> np.ndarray:
    """Unit vectors that lie in forty groups, as those of texts do."""
    drawn = np.random.default_rng(5)
    middles = drawn.standard_normal((40, dimensions))
    spread = 0.5 * drawn.standard_normal((rows, dimensions))
    vectors = (middles[np.arange(rows) % 40] + spread).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs are looked at from 100 vectors on, and pass one in three."""
    for name, value in (("MANY", 100), ("_ONE_IN", 3), ("_LEAST", 60), ("_PER_ASKED", 6)):
        monkeypatch.setattr(sign_prefilter, name, value)


def signs_of(vectors: np.ndarray) -> Signs:
    kept = Signs(vectors.shape[1])
    for start in range(0, len(vectors), 70):
        places = np.arange(start, min(start + 70, len(vectors)))
        kept.put(places, vectors[places], 2 * len(places) + start)
    return kept


@pytest.mark.usefixtures("eager")
def test_the_nearest_pass_and_most_do_not():
    vectors = in_groups(1_200)
    kept, everywhere = signs_of(vectors), np.arange(1_200)
    for asked in vectors[:20]:
        passed = kept.likely(asked, everywhere, 1_200, 10)
        nearest = np.argsort(-(vectors @ asked))[:10]
        assert set(nearest) <= set(passed)
        assert 400 <= len(passed) < 600


@pytest.mark.usefixtures("eager")
def test_only_what_may_be_seen_passes():
    vectors = in_groups(900)
    odd = np.arange(1, 900, 2)
    passed = signs_of(vectors).likely(vectors[1], odd, 900, 5)
    assert set(passed) < set(odd)
    assert 1 in passed


@pytest.mark.usefixtures("eager")
def test_equal_vectors_pass_together():
    vectors = np.repeat(in_groups(8), 50, axis=0)
    passed = signs_of(vectors).likely(vectors[0], np.arange(400), 400, 5)
    assert set(range(50)) <= set(passed)
    assert len(passed) % 50 == 0


def test_few_vectors_pass_as_they_are():
    vectors, places = in_groups(300), np.arange(300)
    assert signs_of(vectors).likely(vectors[0], places, 300, 5) is places


@pytest.mark.usefixtures("eager")
def test_a_store_of_many_gives_what_the_reference_gives_whatever_is_beside(tmp_path):
    vectors, beside = in_groups(400), in_groups(150)[::-1]
    asked_for = Query(scopes=frozenset({HERE}))
    found = []
    for scheme, neighbours in (("memory", 0), ("sqlite", 0), ("sqlite", 150)):
        folder = tmp_path / f"{scheme}{neighbours}"
        folder.mkdir()
        store = opened(address(scheme, folder))
        view = store.view(caller_with("owner").grant({HERE, BESIDE}))
        for scope, rows in ((HERE, vectors), (BESIDE, beside[:neighbours])):
            records = [
                Record(
                    id=f"{scope.project}-{n:03}", kind="memory", scope=scope, content=f"note {n}"
                )
                for n in range(len(rows))
            ]
            digests = [record_document(one).digest for one in records]
            view.commit(
                Changes(
                    actor="ann",
                    knowledge=KnowledgeChanges(
                        records=[Put(one, "create") for one in records],
                        vectors={scope: dict(zip(digests, rows, strict=True))},
                        model="m",
                    ),
                )
            )
        answers = [view.index.dense(vector, "m", asked_for, 10) for vector in vectors[:8]]
        found.append([[(match.id, round(match.score, 5)) for match in each] for each in answers])
        store.close()
    assert found[0] == found[1] == found[2]
