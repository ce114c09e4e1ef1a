"""Types from a form put into a file that somebody wrote."""

from __future__ import annotations

import pytest

from contextd.schema.load import parsed_file
from contextd.schema.merge import merged
from contextd.schema.text import to_yaml

WRITTEN = """\
# agreed in March
version: 1
types:
  # the important one
  decision:
    description: "Choices"  # not wishes
    fields:
      what: {type: string, required: true}  # one sentence
      why:
        type: string
        required: false
  preference:
    fields:
      about: {type: string}
"""
DECISION = {
    "description": "Choices",
    "fields": {"what": {"type": "string", "required": True}, "why": {"type": "string"}},
}
PREFERENCE = {"fields": {"about": {"type": "string"}}}


def told(text: str) -> list[object]:
    file = parsed_file(text, "schema.yaml", "home")
    return [(t.name, t.description, list(t.fields.items())) for t in file.types.values()]


def test_the_same_types_leave_the_file_as_it_was() -> None:
    assert merged(WRITTEN, {"decision": DECISION, "preference": PREFERENCE}) == WRITTEN


def test_a_change_touches_its_own_line_only() -> None:
    changed = {**DECISION, "description": "Choices and reasons"}
    after = merged(WRITTEN, {"decision": changed, "preference": PREFERENCE})
    before = WRITTEN.splitlines()
    differing = [line for line in after.splitlines() if line not in before]
    assert len(differing) == 1
    assert "Choices and reasons" in differing[0]
    assert "# not wishes" in differing[0]


def test_types_and_fields_are_added_removed_and_put_in_the_order_given() -> None:
    fields = {"why": {"type": "string"}, "cost": {"type": "number", "default": 0}}
    wanted = {"vendor": {"fields": {}}, "decision": {"fields": fields, "description": "Choices"}}
    after = merged(WRITTEN, wanted)
    assert told(after) == told(to_yaml(wanted))
    assert after.startswith("# agreed in March\n")
    assert "# not wishes" in after


@pytest.mark.parametrize(
    "before", ["", "types: [", "just text", "types:\n  - a\n", "a: &a [*a]", "{" * 200, "types:\n"]
)
def test_a_text_that_is_no_schema_gives_a_plain_new_one(before: str) -> None:
    assert merged(before, {"decision": DECISION}) == to_yaml({"decision": DECISION})


def test_anchors_and_merges_never_change_what_is_meant() -> None:
    before = (
        "version: 1\ntypes:\n  a: &a\n    fields: {x: {type: string}}\n  b: *a\n"
        "  c:\n    fields: {y: {type: string}}\n"
    )
    wanted = {
        "a": {"fields": {"x": {"type": "number"}}},
        "b": {"fields": {"x": {"type": "string"}}},
        "c": {"fields": {"y": {"type": "string"}}},
    }
    assert told(merged(before, wanted)) == told(to_yaml(wanted))
