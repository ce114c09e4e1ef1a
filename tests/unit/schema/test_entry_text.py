"""How an entry reads as text, and how types are written as YAML."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from contextd.schema.text import content_of, shown_value, tidy, to_yaml


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        ("", ""),
        (2.5, "2.5"),
        ([], "none"),
        ((1, "a", False), "1, a, no"),
        ({}, "none"),
        ({"a": 1, "b": [True]}, "a=1, b=yes"),
    ],
)
def test_a_value_reads_as_a_person_would_write_it(value: Any, shown: str) -> None:
    assert shown_value(value) == shown


def test_an_entry_says_its_type_and_every_field_that_was_given() -> None:
    data = {"base_url": "x", "retries": 0, "cached": False, "note": "", "owner": None}
    assert content_of("api_call", data) == (
        "api call — base url: x; retries: 0; cached: no; note: "
    )
    assert content_of("api_call", {"owner": None}) == "api call"


def test_long_fields_and_fields_of_several_lines_stand_on_lines_of_their_own() -> None:
    assert content_of("note", {"a": "1", "b": "x\ny"}) == "note — a: 1\nb: x\ny"
    assert content_of("note", {"a": "1", "b": "x" * 297}) == f"note — a: 1; b: {'x' * 297}"
    assert content_of("note", {"a": "1", "b": "x" * 298}) == f"note — a: 1\nb: {'x' * 298}"


def test_a_type_is_written_without_what_is_the_default() -> None:
    field = {
        "type": "text", "description": "", "required": False, "values": [], "max": None, "default": False,
    }  # fmt: skip
    kind = {"description": "", "fields": {"a": field, "b": "odd"}, "extra": 1}
    assert tidy(kind) == {
        "fields": {"a": {"type": "text", "default": False}, "b": "odd"},
        "extra": 1,
    }
    assert tidy({"description": "d", "fields": {"a": {"default": None}}}) == {
        "description": "d",
        "fields": {"a": {}},
    }
    assert tidy("odd") == "odd"
    written = yaml.safe_load(to_yaml({"b": kind, "ä": {"description": "é"}}))
    assert list(written["types"]) == ["b", "ä"]
    assert "é" in to_yaml({"ä": {"description": "é"}})
