"""The words of documents in PostgreSQL before and after they are packed, and how many messages a call sends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from contextd.domain.changes import Put, Removal
from contextd.domain.query import Match, Query
from contextd.domain.records import Record
from contextd.domain.upkeep import Ages
from contextd.stores import postgres_upkeep
from support import postgres_server
from support.network_proxy import NetworkProxy
from support.stores import Whole, address, opened
from support.strategies import SCOPES, vector

pytestmark = pytest.mark.long

SHOP = SCOPES[2]
HERE = Query(scopes=frozenset({SHOP}))
WORDS = ["upload", "retry", "cache", "queue"]


def record(id_: str, content: str) -> Record:
    return Record(id=id_, kind="memory", scope=SHOP, content=content)


def answers(store: Whole) -> list[list[Match]]:
    return [store.index.lexical(words, HERE, 20) for words in ([one] for one in WORDS)]


def test_words_packed_by_another_replica_count_once_also_when_documents_change(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(postgres_upkeep, "LOOSE", 2)
    url = address("postgresql", tmp_path)
    writer, reader = Whole(opened(url)), Whole(opened(url))
    for number in range(12):
        writer.put(record(f"r{number:02}", " ".join(WORDS[: 1 + number % 3] * (1 + number % 2))))
    # The reader holds the words of all documents, and reads only some postings before they are packed.
    assert len(reader.index.lexical(["upload"], HERE, 20)) == 12
    for turn in range(3):
        writer.upkeep.retire(Ages())
        fresh = Whole(opened(url))
        assert answers(reader) == answers(fresh)
        writer.put(record(f"n{turn}", "upload queue"))
        [changed] = writer.records.get([f"r{turn:02}"])
        writer.put(changed.with_(content="retry the queue"))
        [gone] = writer.records.get([f"r{turn + 6:02}"])
        writer.commit(records=[Removal(gone, "remove")])
        assert answers(reader) == answers(fresh) == answers(writer)
        assert writer.check() == []
        fresh.close()
    writer.close()
    reader.close()


@pytest.fixture
def proxy() -> Iterator[NetworkProxy]:
    settings = conninfo_to_dict(postgres_server.url())
    with NetworkProxy(Path(str(settings["host"])) / ".s.PGSQL.5432") as one:
        yield one


def test_a_new_record_is_two_messages_and_a_search_after_it_five(proxy, tmp_path):
    _, _, organisation = address("postgresql", tmp_path).partition("#")
    store = Whole(opened(f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres#{organisation}"))
    sent: list[bytes] = []

    def messages() -> int:
        found = sum(data.startswith(b"Q") for data in sent)
        sent.clear()
        return found

    def search() -> None:
        store.index.rankings([["upload"]], vector("upload"), "m", HERE, 5)

    for number in range(3):
        store.put(record(f"r{number}", "upload"))
        search()
    proxy.cuts = lambda data: sent.append(data) is not None
    store.commit(records=[Put(record("counted", "upload"), "write")])
    assert messages() == 2
    search()
    assert messages() <= 5
    search()
    assert messages() == 2
    store.close()
