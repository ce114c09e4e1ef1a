"""Which questions are gaps, and what closes them: an answer, a type's first entry, a person's word."""

from __future__ import annotations

import pytest

from contextd_common.errors import NotFound
from support.desks import Listening, embedder

SCHEMA = """version: 1
types:
  deployment_runbook:
    description: "How to deploy"
    fields:
      steps: {type: string, required: true}
  bug_pattern:
    fields:
      symptom: {type: string, required: true}
"""
NONSENSE = "xyzzy plugh frobnicate quux"


def declare(desk, text=SCHEMA):
    (desk.root / ".context").mkdir(exist_ok=True)
    (desk.root / ".context" / "schema.yaml").write_text(text)


def gaps(desk, kind="missed"):
    return [gap for gap in desk("get_gaps")["gaps"] if gap["kind"] == kind]


@pytest.mark.parametrize("name", ["minilm", "none"])
def test_nonsense_answers_nothing_and_is_no_gap(open_desk, name):
    desk = open_desk(embedder_name=name)
    desk.as_owner("init")
    desk("save_context", content="Invoices are rounded half up to whole cents")
    desk.host.work_off()
    for question in (NONSENSE, "asdf qwer", "zxcvb", "decison"):
        for operation in ("recall_context", "search_contexts", "memory_search", "context_search"):
            answer = desk.answer(operation, query=question)
            assert "gap" not in answer.text
            found = {k: v for k, v in answer.value.items() if isinstance(v, list)}
            assert not any(found.values())
    assert gaps(desk) == []
    assert desk.usage().misses == 0


def test_a_question_answered_by_a_note_is_no_gap_although_no_memory_answers_it(open_desk):
    desk = open_desk(embedder_name="minilm")
    desk("save_context", content="Invoices are rounded half up to whole cents")
    desk.host.work_off()
    noted = desk.answer("memory_search", query="How are invoices rounded to cents?")
    assert "rounded half up" in noted.text
    assert gaps(desk) == []
    missing = desk.answer("memory_search", query="Which region do backups of the database go to?")
    assert "logged as a gap" in missing.text
    assert len(gaps(desk)) == 1


def test_vector_hits_of_a_nonsense_query_are_left_out(open_desk):
    class Agreeing(Listening):
        """An embedder to which everything is alike."""

        def embed(self, texts):
            return super().embed(["the same"] * len(texts))

    desk = open_desk(Agreeing(embedder()))
    saved = desk("save_context", content="Invoices are rounded half up to whole cents")
    assert desk("recall_context", query=NONSENSE)["entries"] == []
    found = desk("recall_context", query="rules about money")["entries"]
    assert [e["id"] for e in found] == [saved["id"]]
    desk("save_context", content="The xyzzy flag turns on the debug log")
    [hit] = desk("recall_context", query="xyzzy")["entries"][:1]
    assert "xyzzy" in hit["content"]


def test_a_word_that_only_this_project_knows_makes_a_question(desk):
    (desk.root / "start.py").write_text("def frobnicator():\n    return 1\n")
    desk.as_owner("init")
    desk.host.work_off()
    desk("memory_search", query="frobnicator")
    assert [gap["subjects"] for gap in gaps(desk)] == [["frobnicator"]]


def test_a_filter_that_leaves_out_what_is_known_and_a_type_nobody_declared_are_no_gaps(desk):
    declare(desk)
    desk("save_typed_context", type="bug_pattern", data={"symptom": "the page stays white"})
    desk(
        "memory_record", title="Wrap", description="d", outcome="success",
        content="Wrap errors with their context",
    )  # fmt: skip
    desk("query_by_type", type="bug_pattern", filter={"symptom": "the page stays black"})
    desk("query_by_type", type="bug_patern")
    for filters in ({"scope": "team"}, {"outcome": "failure"}, {"min_confidence": 0.99}):
        desk("memory_search", query="wrap errors with context", **filters)
    desk("context_search", query="wrap errors with context", type="session")
    desk("search_contexts", query="white page", tags=["ui"])
    assert gaps(desk) == []


def test_questions_after_a_type_are_told_with_its_gap(desk):
    declare(desk)
    desk("query_by_type", type="deployment_runbook")
    desk("recall_context", query="deployment runbook")
    desk("recall_context", query="where is the deployment runbook")
    runbook = next(g for g in gaps(desk, "empty_type") if g["subjects"][0] == "deployment_runbook")
    assert runbook["count"] == 3
    assert "Agents asked for it 3 times" in runbook["description"]
    assert gaps(desk) == []
    desk("save_typed_context", type="deployment_runbook", data={"steps": "tag it and push"})
    assert gaps(desk) == []
    assert [g["subjects"][0] for g in gaps(desk, "empty_type")] == ["bug_pattern"]


def test_an_answer_in_other_words_closes_a_gap(desk):
    desk("recall_context", query="office wifi")
    desk("recall_context", query="how is the shop lit at night")
    note = "The wireless network of the office is called Meadow, ask Kim for the password"
    desk("save_context", content=note)
    assert [gap["subjects"] for gap in gaps(desk)] == [["how is the shop lit at night"]]


def test_a_record_older_than_the_question_does_not_close_its_gap(desk):
    desk("save_context", content="The office printer is on the second floor")
    desk.runtime()
    desk("recall_context", query="where do visitors park")
    desk("save_context", content="Invoices are rounded half up to whole cents")
    assert len(gaps(desk)) == 1


def test_a_dismissed_gap_is_told_to_nobody_until_it_is_opened_again(desk, neighbour):
    declare(desk)
    for question in ("bake sourdough bread", "sourdough bread recipe", "bake sourdough bread"):
        desk("recall_context", query=question)

    def theirs_now():
        return neighbour.desk(desk.host).on("web")("get_gaps")

    theirs = theirs_now()
    [gap] = gaps(desk)
    assert gap["description"] in desk("briefing_get")["briefing"]
    done = desk("dismiss_gap", id=gap["id"], note="not our work")
    assert gaps(desk) == []
    assert gap["description"] not in desk("briefing_get")["briefing"]
    assert gap["description"] not in desk.answer("introspect").text
    desk("recall_context", query="bake a sourdough bread")
    assert gaps(desk) == []
    [dismissed] = desk("get_gaps")["dismissed"]
    assert (dismissed["id"], dismissed["note"]) == (done["id"], "not our work")
    empty = next(g for g in gaps(desk, "empty_type") if g["subjects"] == ["bug_pattern"])
    desk("dismiss_gap", id=empty["id"])
    assert [g["subjects"] for g in gaps(desk, "empty_type")] == [["deployment_runbook"]]
    with pytest.raises(NotFound):
        desk("dismiss_gap", id=empty["id"])
    desk.as_owner("reopen_gap", id=done["id"])
    assert len(gaps(desk)) == 1
    desk.as_owner("undo", id=desk("get_gaps")["dismissed"][0]["id"])
    assert len(gaps(desk, "empty_type")) == 2
    assert desk("context_search", query="Agents asked for sourdough")["results"] == []
    assert theirs_now() == theirs


def test_a_broken_schema_is_told_and_the_health_says_why(desk):
    for number in range(6):
        desk("save_context", content=f"Shelf {number} of the store room holds {'x' * number} boxes")
    assert desk("introspect")["health"]["reasons"] == []
    declare(desk, "version: 1\ntypes:\n  decision\n    fields: {}\n")
    told = desk.answer("introspect")
    health = told.value["health"]
    assert health["overallHealth"] == "needs-attention"
    assert ".context/schema.yaml:" in health["reasons"][0]
    assert "no type of the schema can be read" in told.text
    assert "Because: the schema has a mistake" in told.text
    [gap] = gaps(desk, "broken_schema")
    assert gap["severity"] == "warning"
    declare(desk)
    assert gaps(desk, "broken_schema") == []
    assert desk("introspect")["health"]["reasons"] == [
        "no entries of deployment_runbook, bug_pattern"
    ]


def test_one_busy_project_takes_nothing_from_the_log_of_another(desk, neighbour):
    desk("recall_context", query="who approves refunds")
    busy = neighbour.desk(desk.host)
    before = neighbour.picture["usage"].reads
    assert desk.usage().missed_queries == {"who approves refunds": 1}
    assert busy.usage().reads == before
    assert sum(day["misses"] for day in desk.as_owner("activity")["days"]) == 1
