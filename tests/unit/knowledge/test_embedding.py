"""Giving vectors in the background: nothing stays in the index that nothing stands behind."""

from __future__ import annotations

import pytest

from contextd.domain.changes import Changes, KnowledgeChanges, WorkChanges
from contextd.domain.query import Document
from contextd.domain.scope import PERSON
from contextd.jobs.table import new_job
from contextd.knowledge.writing import change
from contextd_common.errors import Denied
from support.desks import Listening, embedder


class Sending(Listening):
    """An embedder that sends every text to another machine."""

    def __init__(self) -> None:
        super().__init__(embedder())
        self.sends_to = "https://models.example"


def test_a_document_that_nothing_stands_behind_is_taken_out_and_the_neighbours_stay(
    desk, home, neighbour
):
    desk.as_owner("init")
    desk.host.work_off()
    theirs = neighbour.desk(desk.host).view.index.stats("")
    mine = desk.view.index.stats("")
    ghost = Document(id="ghost-1", kind="code", scope=desk.scope, text="def ghost(): pass")
    job = new_job("embed_pending", desk.scope, desk.runtime().place, once="")
    desk.view.commit(
        Changes(
            actor="test",
            knowledge=KnowledgeChanges(documents=[ghost]),
            work=WorkChanges(jobs=[job]),
        )
    )
    assert desk.view.index.stats("").documents == mine.documents + 1
    model = desk.runtime().embedder.model
    assert desk.view.index.pending(model, 5)[0].id == "ghost-1"
    desk.host.work_off()
    assert desk.view.index.stats("") == mine
    assert desk.view.index.pending(model, 5) == []
    assert neighbour.desk(desk.host).view.index.stats("") == theirs


def test_texts_that_must_not_be_sent_do_not_hold_up_the_embedding_of_others(open_desk):
    sending = Sending()
    desk = open_desk(using=sending)
    for number in range(20):
        desk("save_context", content=f"I like tea number {number} best", scope="person")
    desk.as_owner("init")
    desk("save_context", content="Parcels are labelled by the depot.")
    desk.host.work_off()
    assert {one.scope for one in desk.view.index.pending(sending.model, 500)} == {PERSON}
    assert not any("tea" in text for text in sending.texts)
    assert any("refreshToken" in text for text in sending.texts)


def test_an_edit_of_the_content_alone_is_found_by_its_new_meaning_at_once(desk):
    """In the call itself: a job that gives the vector later would leave a moment without it."""
    saved = desk("save_context", content="Notes on the harbour.\nIt opens at nine.")
    model = desk.runtime().embedder.model
    before = desk.view.index.stats(model)
    desk(
        "update_context", id=saved["id"], content="Notes on the harbour.\nShips wait for the tide."
    )
    after = desk.view.index.stats(model)
    assert (after.documents, after.vectors) == (before.documents, before.vectors)
    assert desk.view.index.pending(model, 5) == []


def test_the_text_of_a_change_that_is_refused_is_never_embedded(open_desk):
    heard = Listening(embedder())
    desk = open_desk(using=heard)
    note = desk.record(desk("save_context", content="Parcels are labelled by the depot.")["id"])
    reader = desk.by("viewer", desk.scope.project)
    after = note.with_(content="Parcels are labelled at night.")
    heard.texts.clear()
    with pytest.raises(Denied):
        change(reader.runtime(), note, after, action="update")
    assert heard.texts == []
