"""Words counted once change what a search costs, and nothing of what it says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pytest

from contextd.domain.query import CODE, Document, Query
from contextd.runtime.caches import Cache
from contextd.search.file_ranking import Past
from contextd.search.hits import Texted
from contextd.search.search import SearchSource, WordReaders, find
from contextd.search.word_counts import (
    LONGEST,
    MOST_READ,
    Reading,
    SaidOnce,
    read,
    read_once,
    read_said,
    read_said_once,
)
from contextd_code.values.source import Chunk
from contextd_common.text.words import words
from support.shop_store import SCOPE, TopicEmbedder, record, view_of_documents

PIECES: Mapping[str, Texted] = {
    f"{path}:1": Chunk(
        id=f"{path}:1",
        path=path,
        start_line=1,
        end_line=9,
        text=text,
        symbol=symbol,
        language="python",
    )
    for path, symbol, text in (
        ("app/cache.py", "redis_cache", "def redis_cache(ttl):\n    return Redis(ttl=ttl)"),
        ("app/naïve.py", "naïve", "def naïve(ﬁle):\n    # the ＣＡＣＨＥ of a ﬁle\n    return ﬁle"),
        ("app/login.py", "", "password = ask('password')\nlogin(password)"),
        ("tests/test_cache.py", "test_ttl", "def test_ttl():\n    assert redis_cache(5).ttl == 5"),
    )
}
NOTES: Mapping[str, Texted] = {
    one.id: one
    for one in (
        record("Use redis as the cache, with a ttl of ten minutes", title="Cache"),
        record("The login form posts the password to the auth service"),
        record("We ship every Friday after the rollout check"),
    )
}


def asked(contents: Mapping[str, Texted], kind: str, question: str, past: Past | None, **words):
    documents = [
        Document(id=id, kind=kind, scope=SCOPE, text=content.text)
        for id, content in contents.items()
    ]
    return find(
        SearchSource(
            view_of_documents(documents, TopicEmbedder()).index,
            TopicEmbedder(),
            lambda ids: {id: contents[id] for id in ids},
        ),
        question,
        Query(scopes=frozenset({SCOPE}), kinds=(kind,)),
        past=past,
        **words,
    )


@pytest.mark.parametrize("question", ["the redis cache ttl", "naïve file", "password", "parrots"])
def test_texts_with_cached_word_counts_rank_as_texts_that_are_read_again(question):
    known: Reading = Cache(MOST_READ)
    records: SaidOnce = Cache(MOST_READ)
    remembered = WordReaders(partial(read_once, known), partial(read_said_once, records, known))
    for contents, kind, past in ((PIECES, CODE, Past()), (NOTES, "context", None)):
        plain = asked(contents, kind, question, past)
        for _ in range(2):
            assert asked(contents, kind, question, past, word_readers=remembered) == plain
        assert plain.hits or question in ("naïve file", "parrots")
    assert len(known)


def test_the_words_of_a_record_are_those_of_the_object_that_has_them():
    records: SaidOnce = Cache(2)
    texts: Reading = Cache(2)
    note = record("The login form posts", tags=("security",))
    first = read_said_once(records, texts, note)
    assert read_said_once(records, texts, note) is first == read_said(note)
    assert first.counts["secur"] == 1
    assert read_said_once(records, texts, note.with_(usage_count=1)) is first
    changed = note.with_(content="The form is gone")
    # As if it had come to lie where the other one lay.
    records.put(id(changed), (note, first))
    assert read_said_once(records, texts, changed) == read_said(changed) != first
    huge = record("word " * LONGEST)
    assert read_said_once(records, texts, huge) is not read_said_once(records, texts, huge)


def test_a_text_s_words_are_counted_with_repeats():
    told = read("retry the upload, retry_upload")
    assert told.counts["retri"] == 2
    assert told.total == len(words("retry the upload, retry_upload"))


def test_a_text_is_read_once_and_a_huge_one_each_time():
    known: Reading = Cache(2)
    assert read_once(known, "a note") is read_once(known, "a note")
    assert read_once(known, "another note") is not read_once(known, "a note")
    huge = "word " * LONGEST
    assert read_once(known, huge) == read(huge)
    assert len(known) == 2
