"""Tags and sources are words of the index."""

from __future__ import annotations

import pytest

from contextd.search.find_records import find_records
from contextd.thin.home import LOCAL, database_path
from support.databases import open_database

NOTE = "Guests sign in through the company directory"


@pytest.fixture(params=["desk", "words_only"])
def shop(request):
    return request.getfixturevalue(request.param)


def found(desk, question: str) -> list[str]:
    return [entry["content"] for entry in desk("recall_context", query=question)["entries"]]


def test_a_note_is_found_by_its_tag_and_by_who_it_comes_from(shop):
    shop("save_context", content=NOTE, tags=["keycloak", "Okta Setup"], source="chatgpt")
    shop("save_context", content="Invoices are rounded half up to whole cents", tags=["billing"])
    for question in ("keycloak", "okta setup", "chatgpt"):
        assert found(shop, question) == [NOTE]
    hits = shop("context_search", query="keycloak")["results"]
    assert [hit["text"] for hit in hits] == [NOTE]
    assert [e["content"] for e in shop("search_contexts", query="keycloak")["entries"]] == [NOTE]


def test_a_tag_that_is_taken_away_finds_nothing_any_more_and_the_vector_stays(desk):
    saved = desk("save_context", content=NOTE, tags=["keycloak"])
    before = desk.view.index.stats("minilm-l6-v2-int8")
    desk("update_context", id=saved["id"], tags=["okta"])
    assert (found(desk, "keycloak"), found(desk, "okta")) == ([], [NOTE])
    after = desk.view.index.stats("minilm-l6-v2-int8")
    assert (after.vectors, after.pending) == (before.vectors, before.pending)


def test_a_tag_alone_brings_nothing_up_unasked(desk):
    desk("save_context", content=NOTE, tags=["button", "blue"])
    runtime = desk.runtime()
    asked = find_records(runtime, "blue button", ("context",), limit=5)
    unasked = find_records(runtime, "blue button", ("context",), limit=5, strict=True)
    assert ([hit.record.content for hit in asked.hits], unasked.hits) == ([NOTE], [])


def test_a_home_from_before_is_indexed_again_behind_everybodys_back(words_only):
    desk = words_only
    desk("save_context", content=NOTE, tags=["keycloak"])
    desk("save_context", content="Invoices are rounded half up to whole cents")
    desk.host.work_off()
    database = open_database(database_path(desk.host.settings.home, LOCAL))
    # What the index of an older contextd did not hold, and the upgrade's mark of it.
    for part, number in list(
        database.execute(
            "SELECT part, docs.no FROM docs JOIN parts ON parts.no = part WHERE scope = ?"
            " AND id IN (SELECT id FROM records WHERE json_array_length(body, '$.tags') > 0)",
            (str(desk.scope),),
        )
    ):
        database.execute(
            f"INSERT OR REPLACE INTO lexicon_{part} (rowid, text, near, meta) VALUES (?, '', '', '')",
            (number,),
        )
    database.execute("UPDATE docs SET terms = '' WHERE kind = 'context'")
    database.close()
    assert found(desk, "keycloak") == []
    assert desk.host.organisation(LOCAL).mend() >= 1
    desk.host.work_off()
    assert found(desk, "keycloak") == [NOTE]
    assert desk.host.organisation(LOCAL).mend() == 0
