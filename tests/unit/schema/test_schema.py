"""Typed entries through the operations: saving, asking, changing the schema under them."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd_common.errors import Conflict, ContextdError, Invalid, NotFound

DECISIONS = """\
version: 1
types:
  decision:
    description: "Technical decisions with rationale"
    fields:
      what:
        type: string
        required: true
      why:
        type: string
        required: true
      alternatives:
        type: string[]
      project:
        type: string
      weight:
        type: number
        default: 1
      settled:
        type: boolean
      strength:
        type: enum
        values: [strong, mild]
        default: mild
"""


def define(desk, text: str = DECISIONS) -> Path:
    path = desk.root / ".context" / "schema.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def typed(desk):
    define(desk)
    return desk


def decide(desk, what: str, **fields):
    data = {"what": what, "why": f"reasons for {what}", **fields}
    return desk("save_typed_context", type="decision", data=data)


def asked(desk, **filter):
    return [
        entry["structuredData"]["what"]
        for entry in desk("query_by_type", type="decision", filter=filter)["entries"]
    ]


def test_the_users_types_are_described_beside_the_built_in_kinds(typed):
    found = typed("describe_schema")
    [decision] = found["types"]
    assert (decision["name"], decision["origin"]) == ("decision", "project")
    assert decision["fields"]["why"]["required"]
    assert decision["fields"]["strength"]["values"] == ["strong", "mild"]
    assert {"memory", "remediation", "policy"} <= {kind["name"] for kind in found["built_in"]}
    assert all(kind["built_in"] for kind in found["built_in"])
    assert found["problems"] == []


def test_a_typed_entry_comes_back_with_its_fields_and_defaults(typed):
    saved = decide(typed, "Use Redis for the queue", alternatives=["RabbitMQ"])
    assert saved["contextType"] == "decision"
    assert saved["structuredData"] == {
        "what": "Use Redis for the queue",
        "why": "reasons for Use Redis for the queue",
        "alternatives": ["RabbitMQ"],
        "weight": 1,
        "strength": "mild",
    }
    assert [e["id"] for e in typed("query_by_type", type="decision")["entries"]] == [saved["id"]]


def test_the_values_of_a_typed_entry_are_found_by_search(typed):
    saved = decide(typed, "Use Redis for the queue", alternatives=["RabbitMQ"], project="billing")
    for word in ("redis queue", "rabbitmq", "billing", "decision"):
        assert [e["id"] for e in typed("recall_context", query=word)["entries"]] == [saved["id"]]
    found = typed("search_contexts", query="redis", type="decision")
    assert [e["contextType"] for e in found["entries"]] == ["decision"]


def test_every_wrong_field_is_named_at_once_and_nothing_is_saved(typed):
    with pytest.raises(Invalid) as refusal:
        typed(
            "save_typed_context",
            type="decision",
            data={"what": 3, "alternatves": [], "strength": "weak", "settled": "yes"},
        )
    assert set(refusal.value.details["fields"]) == {
        "what", "why", "alternatves", "strength", "settled",
    }  # fmt: skip
    assert "alternatives" in refusal.value.details["fields"]["alternatves"]
    assert typed("list_contexts")["entries"] == []


def test_an_unknown_type_is_saved_untyped_and_the_answer_says_so(typed):
    saved = typed("save_typed_context", type="decison", data={"what": "Use Postgres everywhere"})
    assert saved["contextType"] is None
    assert "did you mean 'decision'?" in saved["note"]
    assert saved["structuredData"] == {"what": "Use Postgres everywhere"}
    assert [e["id"] for e in typed("recall_context", query="postgres")["entries"]] == [saved["id"]]
    assert typed("query_by_type", type="decision")["entries"] == []


def test_asking_for_a_type_that_is_not_there_names_the_nearest(typed):
    assert "decision" in typed("query_by_type", type="decisions")["note"]


def test_entries_that_differ_in_a_field_only_are_both_kept(typed):
    one = decide(typed, "Use tabs in the Makefile", project="shop")
    two = decide(typed, "Use tabs in the Makefile", project="till")
    assert one["id"] != two["id"]
    again = decide(typed, "Use tabs in the Makefile", project="till")
    assert again["id"] == two["id"]
    assert "already stored" in again["note"]


def test_every_operator_filters_by_fields(typed):
    decide(typed, "Queue jobs in Redis", weight=1, project="shop", alternatives=["kafka"])
    decide(typed, "Store files in S3", weight=2, project="till", settled=True)
    decide(typed, "Sign tokens with Ed25519", weight=3, alternatives=["kafka", "rsa"])
    q, s, t = "Queue jobs in Redis", "Store files in S3", "Sign tokens with Ed25519"
    assert asked(typed, project="shop") == [q]
    assert asked(typed, alternatives="kafka") == [t, q]
    assert asked(typed, alternatives=["rsa", "kafka"]) == [t]
    assert asked(typed, weight={"$gt": 1}) == [t, s]
    assert asked(typed, weight={"$gte": 1, "$lt": 3}) == [s, q]
    assert asked(typed, weight={"$lte": 1}) == [q]
    assert asked(typed, project={"$ne": "shop"}) == [t, s]
    assert asked(typed, project={"$in": ["shop", "till"]}) == [s, q]
    assert asked(typed, project={"$nin": ["shop"]}) == [t, s]
    assert asked(typed, project=None) == [t]
    assert asked(typed, settled=True) == [s]
    assert asked(typed, **{"$or": [{"weight": 3}, {"project": "shop"}]}) == [t, q]
    assert asked(typed, **{"$and": [{"weight": {"$gt": 1}}, {"settled": True}]}) == [s]
    assert asked(typed, **{"$not": {"alternatives": "kafka"}}) == [s]
    assert asked(typed, what={"$not": {"$gt": "R"}}) == [q]


def test_a_page_goes_on_where_the_last_one_ended(typed):
    made = [decide(typed, f"Decision number {n} about topic {n}")["id"] for n in range(5)]
    first = typed("query_by_type", type="decision", limit=3)
    rest = typed("query_by_type", type="decision", limit=3, cursor=first["cursor"])
    assert [e["id"] for e in first["entries"] + rest["entries"]] == made[::-1]
    assert rest["cursor"] == ""


def test_built_in_kinds_are_asked_the_same_way(typed):
    typed(
        "memory_record",
        title="Retry uploads",
        description="Uploads time out",
        content="Retry an upload three times with a growing pause",
        outcome="failure",
    )
    [entry] = typed("query_by_type", type="memory", filter={"outcome": "failure"})["entries"]
    assert entry["contextType"] == "memory"
    assert typed("query_by_type", type="memory", filter={"outcome": "success"})["entries"] == []


def test_a_change_of_the_file_counts_from_the_next_call(typed):
    decide(typed, "Queue jobs in Redis")
    define(typed, DECISIONS.replace("      project:\n", "      area:\n"))
    fields = typed("describe_schema")["types"][0]["fields"]
    assert "area" in fields
    assert "project" not in fields


def test_removing_a_field_loses_nothing_and_says_what_is_no_longer_declared(typed):
    saved = decide(typed, "Queue jobs in Redis", project="shop")
    define(typed, DECISIONS.replace("      project:\n", "      area:\n"))
    [entry] = typed("query_by_type", type="decision")["entries"]
    assert entry["structuredData"]["project"] == "shop"
    assert entry["undeclared"] == ["project"]
    changed = typed("update_context", id=saved["id"], data={"area": "checkout", "weight": 5})
    assert changed["structuredData"]["project"] == "shop"
    assert changed["structuredData"]["area"] == "checkout"
    assert "weight: 5" in changed["content"]
    assert asked(typed, project="shop") == ["Queue jobs in Redis"]
    assert asked(typed, project={"$ne": "shop"}) == []
    with pytest.raises(Invalid) as refusal:
        asked(typed, projekt="shop")
    assert "unknown field 'projekt'" in refusal.value.message


def test_removing_a_type_keeps_its_entries_and_their_filters(typed):
    decide(typed, "Queue jobs in Redis", project="shop")
    define(typed, "version: 1\ntypes: {}\n")
    found = typed("query_by_type", type="decision", filter={"project": "shop"})
    assert [e["structuredData"]["what"] for e in found["entries"]] == ["Queue jobs in Redis"]


def test_an_update_is_checked_like_a_save_and_null_takes_a_field_out(typed):
    saved = decide(typed, "Queue jobs in Redis", project="shop")
    with pytest.raises(Invalid) as refusal:
        typed("update_context", id=saved["id"], data={"weight": "heavy", "why": None})
    assert set(refusal.value.details["fields"]) == {"weight", "why"}
    changed = typed("update_context", id=saved["id"], data={"project": None})
    assert "project" not in changed["structuredData"]
    assert "shop" not in changed["content"]


def test_a_broken_file_never_stops_anything(desk):
    define(desk, "types:\n\tdecision: [}\n")
    found = desk("describe_schema")
    assert found["types"] == []
    assert found["problems"][0]["file"] == ".context/schema.yaml"
    assert found["problems"][0]["line"] >= 1
    saved = desk("save_typed_context", type="decision", data={"what": "Use Redis for the queue"})
    assert "mistakes" in saved["note"]


def test_the_projects_file_wins_over_the_homes_type_by_type(typed):
    home = typed.host.settings.home / "schema.yaml"
    home.write_text(
        "types:\n  decision:\n    description: mine\n  preference:\n    description: mine\n"
    )
    origins = {t["name"]: t["origin"] for t in typed("describe_schema")["types"]}
    assert origins == {"decision": "project", "preference": "home"}


def test_the_editor_reads_what_it_wrote_and_keeps_what_was_there(typed):
    before = typed.as_owner("schema_get")
    assert before["text"] == DECISIONS
    text = DECISIONS.replace("Technical decisions", "Decisions")
    saved = typed.as_owner("schema_put", text=text, if_match=before["etag"])
    assert saved["changes"] == ["changed the description of decision"]
    assert Path(saved["backup"]).read_text() == DECISIONS
    after = typed.as_owner("schema_get")
    assert (after["text"], after["etag"]) == (text, saved["etag"])


def test_a_file_that_changed_since_it_was_read_is_not_overwritten(typed):
    tag = typed.as_owner("schema_get")["etag"]
    path = define(typed, DECISIONS + "  # mine\n")
    with pytest.raises(Conflict):
        typed.as_owner("schema_put", text="version: 1\n", if_match=tag)
    assert path.read_text().endswith("# mine\n")


def test_a_schema_with_mistakes_is_refused_whole_with_every_line(typed):
    wrong = "version: 1\ntypes:\n  a:\n    fields:\n      x:\n        type: strng\n  b: 3\n"
    with pytest.raises(Invalid) as refusal:
        typed.as_owner("schema_put", text=wrong)
    assert [p["line"] for p in refusal.value.details["problems"]] == [6, 7]
    assert typed.as_owner("schema_get")["text"] == DECISIONS


def test_types_given_as_an_object_become_yaml_and_a_trial_writes_nothing(typed):
    types = {
        "runbook": {
            "description": "How to do it",
            "fields": {"steps": {"type": "string[]", "required": True}},
        }
    }
    trial = typed.as_owner("schema_put", types=types, scope="home", dry_run=True)
    assert not trial["written"]
    assert not typed.as_owner("schema_get", scope="home")["exists"]
    typed.as_owner("schema_put", types=types, scope="home")
    assert typed.as_owner("schema_get", scope="home")["text"] == trial["text"]
    assert [t["name"] for t in typed("describe_schema")["types"]] == ["decision", "runbook"]


def test_a_list_of_types_names_each_of_them_once(typed):
    one = {"name": "runbook", "description": "How to do it", "fields": {"a": {"type": "string"}}}
    saved = typed.as_owner("schema_put", types=[one, {"name": "note", "extra": 1}], dry_run=True)
    assert [kind["name"] for kind in saved["types"]] == ["runbook", "note"]
    for wrong, said in (
        ([one, one], "two types are called 'runbook'"),
        ([{"description": "x"}], "a type has no name, but None"),
        ([{"name": 3}], "a type has no name, but 3"),
    ):
        with pytest.raises(Invalid, match=said):
            typed.as_owner("schema_put", types=wrong, dry_run=True)


def test_saving_a_schema_warns_of_entries_it_leaves_undeclared(typed):
    decide(typed, "Queue jobs in Redis", project="shop")
    less = DECISIONS.replace("      project:\n        type: string\n", "")
    assert (
        "1 entries of decision keep project"
        in typed.as_owner("schema_put", text=less)["warnings"][0]
    )
    gone = typed.as_owner("schema_put", text="version: 1\n")["warnings"]
    assert gone == ["1 entries of type decision are kept without a declared type"]


def test_a_link_out_of_the_repository_is_not_followed_when_writing(desk, tmp_path):
    outside = tmp_path / "outside.yaml"
    outside.write_text("version: 1\n")
    folder = desk.root / ".context"
    folder.mkdir(exist_ok=True)
    (folder / "schema.yaml").symlink_to(outside)
    with pytest.raises(Exception, match="leads outside"):
        desk.as_owner("schema_put", text="version: 1\ntypes: {}\n")
    assert outside.read_text() == "version: 1\n"


def test_every_template_is_a_schema_without_mistakes(desk):
    found = desk.as_owner("schema_templates")["templates"]
    assert [t["name"] for t in found] == ["solo-dev", "team", "open-source-maintainer"]
    for template in found:
        assert template["types"]
        desk.as_owner("schema_put", text=template["text"])
        described = desk("describe_schema")
        assert described["problems"] == []
        assert all(t["description"] and t["fields"] for t in described["types"])


def test_a_call_outside_any_project_reaches_the_homes_file_only(desk):
    nowhere = desk.nowhere()
    assert nowhere.as_owner("schema_get")["scope"] == "home"
    with pytest.raises(NotFound):
        nowhere.as_owner("schema_get", scope="project")


def test_doctor_names_the_mistakes_of_the_schema_files(typed):
    checks = {c["name"]: c for c in typed.as_owner("doctor")["checks"]}
    assert (checks["schema"]["ok"], checks["schema"]["detail"]) == (True, "1 types")
    define(typed, DECISIONS.replace("type: number", "type: nmber"))
    [schema] = [c for c in typed.as_owner("doctor")["checks"] if c["name"] == "schema"]
    assert not schema["ok"]
    assert (
        ".context/schema.yaml:17: field decision.weight: unknown type 'nmber'" in schema["detail"]
    )


def test_the_text_of_an_answer_names_the_type_once_and_says_what_happened(typed):
    made = typed.answer("save_typed_context", type="decision", data={"what": "a", "why": "b"})
    assert made.text.count("decision") == 1
    free = typed.answer("save_typed_context", type="memo", data={"what": "Ask Ada about billing"})
    assert "saved as an untyped entry" in free.text


def test_entries_that_read_the_same_and_are_not_are_both_kept(typed):
    one = decide(typed, "Support two queues", alternatives=["kafka, redis"])
    two = decide(typed, "Support two queues", alternatives=["kafka", "redis"])
    assert one["content"] == two["content"]
    assert one["id"] != two["id"]
    plain = typed("save_context", content=one["content"])
    assert plain["id"] == one["id"]
    note = typed("save_context", content="memo — what: Ask Ada about the billing export")
    memo = {"what": "Ask Ada about the billing export"}
    assert typed("save_typed_context", type="memo", data=memo)["id"] != note["id"]


def test_a_template_is_put_in_place_by_its_name(desk):
    with pytest.raises(ContextdError) as refusal:
        desk.as_owner("schema_put", template="temm")
    assert "team" in str(refusal.value.hint)
    assert desk.as_owner("schema_put", template="team")["written"] is True
    assert [kind["name"] for kind in desk("describe_schema")["types"]]
    with pytest.raises(ContextdError):
        desk.as_owner("schema_put", template="team", text="version: 1\n")


def test_a_schema_that_was_read_can_be_sent_back_unchanged_or_changed(typed):
    path = define(typed, "# ours\n" + DECISIONS)
    read = typed.as_owner("schema_get", scope="project")
    same = typed.as_owner("schema_put", **read)
    assert (same["text"], same["changes"]) == (read["text"], [])
    read["types"][0]["fields"]["area"] = {"type": "string"}
    changed = typed.as_owner("schema_put", **read)
    assert changed["changes"] == ["added field decision.area"]
    assert path.read_text().startswith("# ours")
    with pytest.raises(Conflict):
        typed.as_owner("schema_put", **read)
    idea = {"name": "idea", "description": "A thought", "fields": {"text": {"type": "string"}}}
    seeds = typed.as_owner("schema_put", version=1, types=[idea], scope="project")
    assert [kind["name"] for kind in seeds["types"]] == ["idea"]
    with pytest.raises(Invalid, match="a type has no name"):
        typed.as_owner("schema_put", types=[{"fields": {}}])
