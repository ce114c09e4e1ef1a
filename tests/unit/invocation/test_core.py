from __future__ import annotations

from dataclasses import dataclass

import pytest

from contextd.app import load_operations
from contextd.runtime import operation as core
from contextd.runtime.operation import OPERATIONS, find_operation, outline, slim_schema
from contextd_common.errors import ContextdError, Denied, Invalid, NotFound
from support.arguments import arguments

load_operations()


def test_every_problem_of_a_call_is_named_at_once():
    with pytest.raises(Invalid) as caught:
        core.validate(OPERATIONS["read_file"], {"pth": "a", "depth": "deep", "budget": []})
    told = caught.value.message
    assert "unknown argument 'pth'" in told
    assert "did you mean 'path'?" in told
    assert "path: required" in told
    assert "depth:" in told
    assert "budget:" in told


def test_camel_case_and_dashes_are_accepted_for_argument_names():
    values, _ = core.validate(
        OPERATIONS["grep_codebase"], {"pattern": "x", "filePattern": "*.ts", "ignore-case": True}
    )
    assert values["path"] == "*.ts"
    assert values["ignore_case"] is True


def test_an_unknown_operation_names_the_nearest():
    with pytest.raises(NotFound) as caught:
        find_operation("memory_serch")
    assert "memory_search" in caught.value.hint


def test_a_viewer_may_read_and_not_write(desk):
    desk("list_contexts")
    viewer = desk.by("viewer").on("rest")
    with pytest.raises(Denied):
        viewer("save_context", content="something worth knowing")
    assert viewer("list_contexts")["entries"] == []


@pytest.mark.parametrize("org", ["local", "elsewhere"])
def test_a_stranger_sees_and_changes_nothing_through_any_operation(desk, org):
    desk("save_context", content="The vault door opens with the number xylograph")
    stranger = desk.by("team_member", "y", team="x", org=org).on("rest")
    for op in OPERATIONS.values():
        try:
            answer = stranger.answer(op.name, **arguments(op))
        except ContextdError as error:
            assert "xylograph" not in str(error.as_dict()), op.name  # noqa: PT017
        else:
            assert "xylograph" not in str(answer.value) + answer.text, op.name
    assert len(desk("list_contexts")["entries"]) == 1


def test_reads_are_observed_with_what_they_found(desk):
    saved = desk("save_context", content="Emails are sent from the worker queue")
    desk("recall_context", query="emails worker queue")
    seen = desk.observed(10)
    reads = [o for o in seen if o.action == "read"]
    writes = [o for o in seen if o.action == "write"]
    assert reads[0].record_ids == (saved["id"],)
    assert reads[0].agent == "test-client"
    assert writes[0].operation == "save_context"


@dataclass(frozen=True)
class _Spoken:
    name: str

    def as_text(self) -> str:
        return f"I am {self.name}"


def test_a_result_speaks_for_itself_and_data_is_outlined():
    assert core.text_of(_Spoken("x"), {"name": "x"}) == "I am x"
    assert outline({"a": 1, "b": [], "c": [{"d": 2}, {"d": 3}]}) == "a: 1\nc:\n  - d: 2\n  - d: 3"


def test_a_slim_schema_keeps_types_and_drops_titles_and_nulls():
    schema = OPERATIONS["save_context"].arguments.model_json_schema()
    slim = slim_schema(schema)
    assert "title" not in slim
    assert slim["properties"]["bubble_id"]["type"] == "string"
    assert slim["required"] == ["text"]


def test_tool_call_reaches_tools_outside_the_profile_and_no_others(desk):
    made = desk("tool_call", name="create_bubble", arguments={"name": "infra"})
    assert made["result"]["name"] == "infra"
    for name in ("backup", "tool_call", "hook_event"):
        with pytest.raises(Invalid):
            desk("tool_call", name=name, arguments={})


def test_tools_list_names_every_tool_once(desk):
    listed = desk("tools_list")["tools"]
    assert set(listed) == {op.name for op in OPERATIONS.values() if op.tool}
    schema = desk("tool_schema", name="memory_record")["input_schema"]
    assert set(schema["required"]) == {"title", "description", "text", "outcome"}
