"""An embedder that asks an endpoint: what it sends, what it makes of every answer, and what stays secret."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import numpy as np
import pytest

from contextd.embedders.openai import OpenAIEndpoint
from contextd.embedders.options import EmbedderOptions
from contextd_common.errors import Invalid, Unavailable
from support.endpoints import Endpoint, endpoint

KEY = "sk-proj-" + "Zq3v8Lw1" * 4


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("A_KEY", KEY)
    with endpoint() as made:
        yield made


def embedder_of(server: Endpoint, **options: object) -> tuple[OpenAIEndpoint, list[float]]:
    waits: list[float] = []
    chosen = EmbedderOptions(url=server.url, model="tiny", key_variable="A_KEY", **options)
    return OpenAIEndpoint(chosen, waits.append), waits


def test_vectors_are_unit_rows_in_the_order_of_the_texts(server: Endpoint):
    embedder, _ = embedder_of(server)
    rows = embedder.embed(["red apple", "green pear", "red apple"])
    assert rows.shape == (3, 8)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    expected = np.array(server.vectors(["green pear"])[0], np.float32)
    assert np.allclose(rows[1], expected / np.linalg.norm(expected), atol=1e-6)
    assert np.array_equal(rows[0], rows[2])
    assert server.keys == [f"Bearer {KEY}"]
    assert embedder.model == f"openai:tiny@127.0.0.1:{server.port}"


def test_many_texts_go_in_batches_and_a_text_known_already_does_not_go(server: Endpoint):
    embedder, _ = embedder_of(server)
    texts = [f"text {i}" for i in range(70)]
    first = embedder.embed(texts)
    assert [len(body["input"]) for body in server.asked] == [64, 6]
    assert np.array_equal(embedder.embed(texts[:3]), first[:3])
    assert len(server.asked) == 2
    embedder.embed(["long " * 10_000])
    assert len(server.asked[-1]["input"][0]) == 8_000


def test_without_a_key_none_is_sent(server: Endpoint, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("A_KEY")
    embedder_of(server)[0].embed(["a"])
    assert server.keys == [None]


def test_secrets_are_taken_out_before_a_text_leaves(server: Endpoint):
    embedder, _ = embedder_of(server, scrub=lambda text: text.replace("hunter2", "[gone]"))
    embedder.embed(["the password is hunter2"])
    assert server.texts == ["the password is [gone]"]


@pytest.mark.parametrize(
    ("refusal", "wait"), [((429, {"Retry-After": "3"}), 3.0), ((429, {}), 0.5), ((500, {}), 0.5)]
)
def test_rate_limits_and_server_errors_of_an_endpoint_are_tried_again(
    server: Endpoint, refusal, wait: float
):
    server.refusals = [refusal]
    embedder, waits = embedder_of(server)
    assert embedder.embed(["a"]).shape == (1, 8)
    assert waits == [wait]


def test_a_server_that_stays_away_is_left_alone_for_a_while(server: Endpoint):
    server.refusals = [(503, {})] * 3
    embedder, waits = embedder_of(server)
    with pytest.raises(Unavailable, match="answered 503"):
        embedder.embed(["a"])
    assert waits == [0.5, 1.0]
    with pytest.raises(Unavailable, match="answered 503 a moment ago"):
        embedder.embed(["a"])
    assert len(server.asked) == 3


def test_who_does_not_answer_in_time_is_asked_once_and_it_is_said(server: Endpoint):
    server.held = Event()
    embedder = OpenAIEndpoint(EmbedderOptions(url=server.url), seconds=0.05)
    with pytest.raises(Unavailable, match=r"did not answer within 0\.05 s"):
        embedder.embed(["a"])
    with pytest.raises(Unavailable, match=r"did not answer within 0\.05 s a moment ago"):
        embedder.embed(["b"])
    server.held.set()
    assert len(server.asked) == 1


def test_a_refusal_is_not_repeated_and_never_tells_the_key(server: Endpoint):
    server.refusals = [(401, {})]
    embedder, waits = embedder_of(server)
    with pytest.raises(Unavailable, match="answered 401") as caught:
        embedder.embed(["a"])
    assert waits == []
    assert KEY not in f"{caught.value.message} {caught.value.hint} {caught.value!r}"
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_neither_key_nor_text_follows_to_another_host(server: Endpoint, status: int):
    with endpoint() as other:
        server.refusals = [(status, {"Location": f"{other.url}/embeddings"})]
        with pytest.raises(Unavailable, match=f"answered {status}"):
            embedder_of(server)[0].embed(["a"])
        assert other.visits == []


def test_nobody_at_the_address_is_said_in_words(server: Endpoint):
    nobody = EmbedderOptions(url="http://127.0.0.1:9/v1")
    with pytest.raises(Unavailable, match="could not be reached"):
        OpenAIEndpoint(nobody, lambda _: None).embed(["a"])


def test_vectors_of_another_size_than_before_are_refused(server: Endpoint):
    embedder, _ = embedder_of(server)
    embedder.embed(["a"])
    server.dimensions = 5
    with pytest.raises(Unavailable, match="with 5 dimensions instead of 8"):
        embedder.embed(["b"])


@pytest.mark.parametrize(
    "raw",
    [
        {},
        [],
        {"data": []},
        {"data": [{"embedding": "AAAA"}]},
        {"data": [{"embedding": [0.0, 0.0]}]},
        {"data": [{"embedding": [1.0, None]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]},
    ],
)
def test_endpoint_answers_without_valid_vectors_are_refused(server: Endpoint, raw: object):
    server.raw = raw
    with pytest.raises(Unavailable, match="returned"):
        embedder_of(server)[0].embed(["a"])


@pytest.mark.parametrize("url", ["ftp://x/v1", "api.example.com", "https://me:secret@host/v1"])
def test_an_address_that_cannot_be_one_or_holds_a_password_is_refused(url: str):
    with pytest.raises(Invalid) as caught:
        OpenAIEndpoint(EmbedderOptions(url=url))
    assert "secret" not in caught.value.message
