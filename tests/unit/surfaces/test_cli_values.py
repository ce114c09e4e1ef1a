"""Values as they are typed at the command line: lists, objects, and the fields of a kind or a record."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace
from typing import Any

import pytest

from contextd.surfaces.cli import values
from contextd.surfaces.cli.values import (
    is_switched,
    json_object,
    switch,
    text_list,
    typed_fields,
    value_of,
)
from contextd_common.errors import Invalid

FIELDS: dict[str, dict[str, Any]] = {
    name: {"type": kind, "required": name == "cause", "values": given}
    for name, kind, given in (
        ("cause", "string", []),
        ("hit_services", "string[]", []),
        ("open", "boolean", []),
        ("minutes", "number", []),
        ("severity", "enum", ["low", "high"]),
    )
}
SCHEMA = {
    "types": [
        {"name": "incident", "fields": FIELDS},
        {"name": "loose", "fields": FIELDS, "partial": True},
    ],
    "built_in": [{"name": "context", "fields": {}, "built_in": True}],
}


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any], str]]:
    """The calls that parsing makes."""
    calls: list[tuple[str, dict[str, Any], str]] = []

    def ask(name: str, given: dict[str, Any], *, project: str = "") -> Any:
        calls.append((name, given, project))
        record = {"kind": "context", "type": "incident"}
        whole = {"record": record, "data": {"cause": "rain", "open": True}, "version": "v3"}
        return SimpleNamespace(value=whole if name == "get_record" else SCHEMA)

    monkeypatch.setattr(values, "ask", ask)
    return calls


def fields(
    *pairs: str, of: str = "kind", replaces: bool = False, **arguments: Any
) -> dict[str, Any]:
    parameter: Any = SimpleNamespace(fields_of=of, replaces=replaces)
    return typed_fields(parameter, pairs, arguments, "context")


def test_fields_are_read_as_their_types() -> None:
    found = fields(
        "cause=a = b", "hit-services=web, db", "hit_services=mail", "open=Yes", "minutes=2.50", " severity =high",
        kind="incident",
    )  # fmt: skip
    assert found == {
        "cause": "a = b", "hit_services": ["web", "db", "mail"], "open": True, "minutes": 2.5, "severity": "high",
    }  # fmt: skip
    assert fields("minutes=3", "open=off", "cause=", kind="incident") == {
        "minutes": 3,
        "open": False,
        "cause": "",
    }
    assert type(fields("minutes=3.0", kind="incident")["minutes"]) is int


def test_all_wrong_fields_are_named_at_once_with_the_ones_there_are() -> None:
    with pytest.raises(Invalid) as caught:
        fields(
            "cause",
            "sevrity=low",
            "zzz=1",
            "open=maybe",
            "minutes=x",
            "severity=hihg",
            kind="incident",
        )
    text = caught.value.message
    for part in (
        "'cause' is not name=value",
        "incident has no field 'sevrity', did you mean 'severity'?",
        "incident has no field 'zzz'",
        "open must be true or false, not 'maybe'",
        "minutes must be a number, not 'x'",
        "severity must be one of low, high (did you mean 'high'?), not 'hihg'",
    ):
        assert part in text
    assert caught.value.hint == (
        "fields of incident: cause (string, required), hit_services (string[]), open (boolean),"
        " minutes (number), severity (low|high)"
    )


def test_a_type_that_allows_more_and_one_that_nobody_declared_take_any_field() -> None:
    assert fields("zzz=1", "minutes=1", kind="loose") == {"zzz": "1", "minutes": 1}
    assert fields("zzz=1", kind="undeclared") == {"zzz": "1"}


def test_an_update_of_a_record_keeps_its_other_fields_and_the_version_they_were_read_at(
    asked: Any,
) -> None:
    arguments: dict[str, Any] = {"id": "r1", "project": "shop"}
    parameter: Any = SimpleNamespace(fields_of="id", replaces=True)
    assert typed_fields(parameter, ["cause=snow"], arguments, "") == {"cause": "snow", "open": True}
    assert arguments["version"] == "v3"
    assert asked == [("get_record", {"id": "r1"}, "shop"), ("describe_schema", {}, "shop")]
    given = {"id": "r1", "version": "v1"}
    typed_fields(parameter, ["cause=snow"], given, "")
    assert given["version"] == "v1"
    added = {"id": "r1"}
    parameter.replaces = False
    assert typed_fields(parameter, ["cause=snow"], added, "") == {"cause": "snow"}
    assert "version" not in added


@pytest.mark.parametrize(
    ("texts", "read"),
    [
        (["a, b,,c ", "d"], ["a", "b", "c", "d"]),
        (['["a, b", 1]', "c"], ["a, b", 1, "c"]),
        (["[a]"], ["[a]"]),
        (["[a, b]"], ["[a", "b]"]),
        ([], []),
        ([""], []),
    ],
)
def test_a_list_is_repeated_separated_or_json(texts: list[str], read: list[Any]) -> None:
    assert text_list(texts) == read


def test_an_object_is_typed_read_from_a_file_or_from_stdin(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "own_process", lambda: None)
    path = tmp_path / "o.json"
    path.write_text('{"a": 1}')
    monkeypatch.setattr("sys.stdin", io.StringIO('{"b": 2}'))
    assert json_object('{"c": 3}', "--data") == {"c": 3}
    assert json_object(f"@{path}", "--data") == {"a": 1}
    assert json_object("-", "--data") == {"b": 2}
    for wrong, said in (
        ("{", "--data is not valid JSON"),
        ("[1]", "--data must be a JSON object"),
        (f"@{tmp_path}/none", "cannot be read"),
        (json.dumps("x"), "--data must be a JSON object"),
    ):
        with pytest.raises(Invalid) as caught:
            json_object(wrong, "--data")
        assert said in caught.value.message
        assert caught.value.hint


def test_an_option_is_read_as_its_kind_and_a_wrong_one_is_named() -> None:
    def read(kind: str, text: Any, **more: Any) -> Any:
        whole = {
            "kind": kind,
            "flag": "--it",
            "help": "What it is.",
            "choices": ("low", "high"),
            "path": False,
        }
        one: Any = SimpleNamespace(**{**whole, **more})
        return value_of(one, text)

    assert (read("integer", "3"), read("number", "2.5"), read("text", "3")) == (3, 2.5, "3")
    assert (read("list", "a,b"), read("list", ["a", "b"])) == (["a", "b"], ["a", "b"])
    assert (read("choice", "high"), read("object", "{}")) == ("high", {})
    assert read("text", "a.txt", path=True).endswith("/a.txt")
    assert read("text", "", path=True) == ""
    for kind, text, said in (
        ("integer", "2.5", "--it must be a whole number, not '2.5'"),
        ("number", "x", "--it must be a number, not 'x'"),
        ("choice", "hihg", "--it"),
    ):
        with pytest.raises(Invalid) as caught:
            read(kind, text)
        assert said in caught.value.message
    assert (switch("YES", "--it"), switch("off", "--it")) == (True, False)
    assert is_switched("No")
    assert not is_switched("maybe")
    with pytest.raises(Invalid) as wrong:
        switch("maybe", "--it")
    assert wrong.value.hint == "--it, or --no-it"
