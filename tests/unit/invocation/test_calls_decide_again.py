"""A call that read what another one has changed since decides again, and its caller notices nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from contextd.domain.query import Vector
from contextd.invocation.invoke import ATTEMPTS
from contextd.ports.knowledge import Embedder
from contextd_common.errors import Conflict
from support.desks import Desk, embedder


class Interrupted:
    """An embedder that first runs something else, as often as it is told to: calls embed between reading and
    writing.
    """

    def __init__(self, inner: Embedder) -> None:
        self.inner, self.model, self.sends_to = inner, inner.model, inner.sends_to
        self.times, self.meanwhile = 0, lambda: None

    def embed(self, texts: Sequence[str]) -> Vector:
        if self.times:
            self.times -= 1
            self.meanwhile()
        return self.inner.embed(texts)


@pytest.fixture
def interrupted() -> Interrupted:
    return Interrupted(embedder())


@pytest.fixture
def shop(open_desk: Callable[..., Desk], interrupted: Interrupted) -> Desk:
    desk = open_desk(using=interrupted)
    desk.as_owner("init")
    return desk


def tagged(desk: Desk, id: str) -> None:
    """Another call adds a tag to a record."""
    record = desk.record(id)
    desk.put(record.with_(tags=(*record.tags, f"tag{len(record.tags)}")))


def test_an_edit_keeps_what_another_call_changed_meanwhile(
    shop: Desk, interrupted: Interrupted
) -> None:
    id = shop("save_context", content="The depot opens at six.")["id"]
    interrupted.times, interrupted.meanwhile = ATTEMPTS - 1, lambda: tagged(shop, id)
    shop("update_context", id=id, content="The depot opens at seven.")
    record = shop.record(id)
    assert record.content == "The depot opens at seven."
    assert record.tags == tuple(f"tag{n}" for n in range(ATTEMPTS - 1))


def test_a_call_that_is_overtaken_each_time_fails_and_has_changed_nothing(
    shop: Desk, interrupted: Interrupted
) -> None:
    id = shop("save_context", content="The depot opens at six.")["id"]
    interrupted.times, interrupted.meanwhile = ATTEMPTS, lambda: tagged(shop, id)
    with pytest.raises(Conflict):
        shop("update_context", id=id, content="The depot opens at seven.")
    assert shop.record(id).content == "The depot opens at six."
    assert len(shop.record(id).tags) == ATTEMPTS
