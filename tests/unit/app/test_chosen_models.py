"""Another embedder, and a reranker, as somebody chooses them: what doctor says, what is embedded anew."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from contextd.app import Host
from contextd.runtime.settings import load_settings
from contextd_common.errors import Invalid
from support.desks import Desk
from support.endpoints import endpoint
from support.onnx_files import write_cross_encoder

KEY = "sk-proj-" + "Zq3v8Lw1" * 4
LESSON = "Connections are given back when the pool is closed at the end of a request"


def lesson(desk: Desk, content: str = LESSON) -> str:
    told = desk("memory_record", title="Pool", description="-", content=content, outcome="success")
    return str(told["id"])


def checked(desk: Desk, name: str) -> dict[str, object]:
    [found] = [one for one in desk.as_owner("doctor")["checks"] if one["name"] == name]
    return found


def chosen(home: Path, repository: Path, **flags: object) -> Desk:
    """A host that opens what the settings choose, as a daemon does."""
    flags = {name.replace("__", "."): value for name, value in flags.items()}
    return Desk(Host.open(load_settings(home=home, flags=flags), work=False), repository)


def test_another_embedder_embeds_all_anew_and_never_compares_with_the_old_vectors(
    desk: Desk, home, repository: Path, monkeypatch: pytest.MonkeyPatch, caplog
):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("A_KEY", KEY)
    first = lesson(desk)
    desk.host.work_off()
    before = desk.runtime().embedder.model
    assert desk.view.index.stats(before).pending == 0
    home.close()
    with endpoint() as server:
        flags = {"embedder__url": server.url, "embedder__key_variable": "A_KEY"}
        other = chosen(home.path, repository, embedder__name="openai", **flags)
        try:
            model = other.runtime().embedder.model
            waiting = other.view.index.stats(model)
            assert waiting.pending == waiting.documents > 0
            # Nothing has a vector of the new model yet: words answer.
            assert [one["id"] for one in other("memory_search", query="pool")["memories"]] == [
                first
            ]
            vector = other.runtime().embedder.embed(["pool"])[0]
            query = other.runtime().query("memory")
            assert other.view.index.dense(vector, model, query, 5) == []
            other.host.work_off()
            assert other.view.index.stats(model).pending == 0
            assert [m.id for m in other.view.index.dense(vector, model, query, 5)] == [first]
            told = checked(other, "embedder")
            assert told["ok"]
            assert f"sent to 127.0.0.1:{server.port}" in str(told["detail"])
            assert set(server.keys) == {f"Bearer {KEY}"}
            settings = str(other.as_owner("config"))
            assert "A_KEY" in settings
            assert KEY not in settings
        finally:
            other.host.close()
    assert KEY not in caplog.text


def test_an_endpoint_that_is_away_is_told_and_asked_again_later(home, repository: Path, caplog):
    with endpoint() as server:
        server.refusals = [(401, {})] * 50
        other = chosen(home.path, repository, embedder__name="openai", embedder__url=server.url)
        try:
            first = lesson(other)
            other.host.work_off()
            found = other("memory_search", query="pool closed")
            assert [one["id"] for one in found["memories"]] == [first]
            assert "searched by words only" in found["note"]
            assert not checked(other, "embedder")["ok"]
            jobs = other.as_owner("jobs", state="ready")["jobs"]
            assert "embed_pending" in [job["name"] for job in jobs]
        finally:
            other.host.close()


def test_another_model_under_the_same_name_is_told_and_reindexing_embeds_anew(
    home, repository: Path
):
    with endpoint() as server:
        flags = {"embedder__name": "openai", "embedder__url": server.url}
        desk = chosen(home.path, repository, **flags)
        first = lesson(desk)
        desk.host.work_off()
        desk.host.close()
        server.dimensions = 5
        desk = chosen(home.path, repository, **flags)
        try:
            second = lesson(desk, "Sessions are renewed a minute before they end")
            found = desk("memory_search", query="connections given back")
            assert [one["id"] for one in found["memories"]] == [first]
            assert "makes vectors of another length than those of" in found["note"]
            assert "contextd store reindex" in found["note"]
            assert desk.as_owner("reindex")["pending"] > 0
            desk.host.work_off()
            found = desk("memory_search", query="connections given back")
            assert not found["note"]
            model = desk.runtime().embedder.model
            assert desk.view.index.stats(model).pending == 0
            vector = desk.runtime().embedder.embed(["pool"])[0]
            near = desk.view.index.dense(vector, model, desk.runtime().query("memory"), 5)
            assert {match.id for match in near} == {first, second}
        finally:
            desk.host.close()


def test_a_key_in_the_place_of_its_name_is_refused_and_not_repeated(tmp_path: Path):
    with pytest.raises(Invalid) as caught:
        load_settings(home=tmp_path, flags={"embedder.key_variable": KEY})
    assert KEY not in f"{caught.value.message} {caught.value.hint}"


def test_a_reranker_is_used_and_doctor_says_whether_it_works(
    home, repository: Path, tmp_path: Path
):
    path = write_cross_encoder(tmp_path / "model")
    desk = chosen(home.path, repository, search__reranker__path=str(path), embedder__name="none")
    try:
        plain = lesson(desk)
        gold = lesson(desk, "The pool of the neighbours has a floor of gold, gold and gold")
        found = desk("memory_search", query="pool of connections closed")["memories"]
        assert [one["id"] for one in found] == [gold, plain]
        assert "reranker #1" in found[0]["why"]
        explained = desk.as_owner("explain_search", query="pool of connections closed")
        assert "reranker" in str(explained)
        assert "judge.onnx reranks the first 30" in str(checked(desk, "reranker")["detail"])
    finally:
        desk.host.close()


def test_a_reranker_that_is_gone_is_told_by_doctor_and_in_the_note(
    home, repository: Path, tmp_path
):
    flags = {"search__reranker__path": str(tmp_path / "gone.onnx"), "embedder__name": "none"}
    desk = chosen(home.path, repository, **flags)
    try:
        first, second = (
            lesson(desk),
            lesson(desk, "A pool is closed by whoever has opened the pool"),
        )
        found = desk("memory_search", query="pool closed")
        assert {one["id"] for one in found["memories"]} == {first, second}
        assert "not reranked" in found["note"]
        told = checked(desk, "reranker")
        assert not told["ok"]
        assert "does not exist" in str(told["detail"])
    finally:
        desk.host.close()


def test_without_one_doctor_does_not_speak_of_it(words_only: Desk):
    assert "reranker" not in [one["name"] for one in words_only.as_owner("doctor")["checks"]]


def test_the_persons_layer_is_never_sent_to_an_endpoint(home, repository: Path):
    with endpoint() as server:
        desk = chosen(home.path, repository, embedder__name="openai", embedder__url=server.url)
        try:
            mine = lesson(desk, "Walnuts are what I may not eat, whoever cooks")
            desk("memory_record", title="Me", description="-", outcome="success", scope="person",
                 content="Peanuts make me ill, so no satay for me at any team dinner")  # fmt: skip
            desk.host.work_off()
            sent = " ".join(server.texts)
            assert "Walnuts" in sent
            assert "Peanuts" not in sent
            assert desk.view.index.pending(desk.runtime().embedder.model, 100, [mine]) == []
            jobs = desk.as_owner("jobs", state="ready")["jobs"]
            assert "embed_pending" not in [job["name"] for job in jobs]
            found = desk("memory_search", query="Peanuts satay")["memories"]
            assert any("Peanuts" in one["content"] for one in found)
        finally:
            desk.host.close()
