"""What `Originals` promises."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges
from contextd.domain.originals import Original
from contextd.domain.upkeep import Ages
from contextd_common.errors import Denied, Invalid
from support.roles import caller_with
from support.strategies import AWKWARD, EPOCH, SCOPES

SHOP, OTHER = SCOPES[2], SCOPES[3]


def original(id: str, text: str = "a log", **fields: Any) -> Original:
    given = {"scope": SHOP, "about": "make test", "tokens": 7, "at": EPOCH} | fields
    return Original(id=id, text=text, **given)


@pytest.mark.parametrize("text", AWKWARD)
def test_an_original_comes_back_as_it_was_kept(store, text):
    kept = original("o", text, about=text)
    store.commit(originals=[kept])
    assert store.originals.get("o") == kept
    assert store.originals.get("p") is None


def test_one_that_is_kept_again_takes_the_place_of_the_first(store):
    store.commit(originals=[original("o", "one"), original("o", "two")])
    assert store.originals.get("o").text == "two"


def test_a_text_that_cannot_be_written_is_refused(store):
    with pytest.raises(Invalid):
        store.commit(originals=[original("o", "half of a character \ud800")])
    assert store.originals.get("o") is None


def test_of_a_scope_the_latest_two_hundred_stay(store):
    store.commit(originals=[original("theirs", scope=OTHER)])
    store.commit(originals=[original(f"o{n}") for n in range(201)])
    assert store.originals.get("o0") is None
    assert store.originals.get("o1") is not None
    assert store.originals.get("o200") is not None
    assert store.originals.get("theirs") is not None


def test_old_ones_are_retired(store):
    store.commit(originals=[original("old"), original("young", at=EPOCH + timedelta(days=2))])
    assert store.upkeep.retire(Ages(originals=EPOCH + timedelta(days=1))) == {"originals": 1}
    assert store.originals.get("old") is None
    assert store.originals.get("young") is not None
    assert store.upkeep.retire(Ages()) == {}


def test_nobody_reads_or_keeps_one_outside_of_what_was_granted(store):
    store.commit(originals=[original("o", "ours"), original("o", "theirs", scope=OTHER)])
    mine, theirs = (store.store.view(OWNER.grant([scope])) for scope in (SHOP, OTHER))
    assert mine.originals.get("o").text == "ours"
    assert theirs.originals.get("o").text == "theirs"
    with pytest.raises(Denied):
        mine.commit(Changes(knowledge=KnowledgeChanges(originals=[original("p", scope=OTHER)])))
    viewer = caller_with("viewer", SHOP.org, (SHOP.team,))
    with pytest.raises(Denied):
        store.store.view(viewer.grant([SHOP])).commit(
            Changes(knowledge=KnowledgeChanges(originals=[original("p")]))
        )
