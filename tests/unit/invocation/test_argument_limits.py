"""A request that fits the schema of an operation is never refused for the value of one argument."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from contextd.app import load_operations
from contextd.domain.limits import AtMost, Count, Id, Matching, OptionalId, Range, Text, stated
from contextd.runtime.operation import OPERATIONS, Operation, operation, tool_schema, validate
from contextd.runtime.runtime import Runtime
from contextd.surfaces.openapi import openapi
from contextd_common.errors import ContextdError, Invalid
from support.arguments import arguments
from support.desks import Desk
from support.schema_values import formats
from support.tool_calls import settled

load_operations()

OUTSIDE = frozenset({"backup", "export", "export_awareness", "import", "import_found", "trust"})
"""Operations that read or write files of the machine by their path."""

TOGETHER = frozenset({("settle_candidate", "into"), ("settle_candidate", "verdict")})
"""Arguments that are right only beside others."""

BESIDE: dict[str, dict[str, Any]] = {
    "digest": {"text": "one\ntwo\nthree\n" * 40},
    "remember": {"text": "Parcels are weighed twice"},
    "save_typed_context": {"type": "decision", "fields": {"what": "Weigh twice"}},
    "schema_put": {"template": "software", "dry_run": True},
}
"""What a call needs beside its required arguments to be right."""


def samples(part: dict[str, Any]) -> Iterator[Any]:
    """Values on the edges of a schema and far inside it."""
    if "enum" in part:
        yield from part["enum"]
        return
    for option in part.get("anyOf", ()):
        yield from samples(option)
    match part.get("type"):
        case "integer" | "number":
            least, most = part.get("minimum", -(10**6)), part.get("maximum", 10**6)
            yield from (least, most, (least + most) // 2)
        case "string":
            texts = (
                "",
                " ",
                "x",
                "é",
                "4 words or more here",
                "a" * 5_000,
                "../x",
                "()",
                "[",
                "0-0",
            )
            pattern, longest = re.compile(part.get("pattern", "")), part.get("maxLength", 10**6)
            yield from (one for one in texts if pattern.search(one) and len(one) <= longest)
        case "array":
            items = [one for one in samples(part["items"]) if one != ""][:3]
            if not part.get("minItems"):
                yield []
            yield from ([one] for one in items)
        case "boolean":
            yield from (True, False)
        case "object":
            yield {}
        case _:
            return


def tried(op: Operation) -> Iterator[tuple[str, Any]]:
    schema = op.arguments.model_json_schema()
    for name, part in schema["properties"].items():
        if not list(formats(part)) and (op.name, name) not in TOGETHER:
            yield from ((name, value) for value in samples(part))


@pytest.fixture
def known(words_only: Desk) -> tuple[Desk, dict[str, str]]:
    return words_only, settled(words_only)


def test_no_value_that_fits_the_schema_is_refused_for_itself(
    known: tuple[Desk, dict[str, str]],
) -> None:
    desk, ids = known
    refused: set[str] = set()
    count = 0
    for op in OPERATIONS.values():
        if op.name in OUTSIDE:
            continue
        given = arguments(op, **BESIDE.get(op.name, {}))
        if "id" in given:
            given["id"] = ids["note"] + ("+" + ids["note"]) * op.name.endswith("contradiction")
        for name, value in tried(op):
            count += 1
            try:
                desk.on("cli")(op.name, **{**given, name: value})
            except Invalid as error:
                refused.add(f"{op.name}({name}={value!r:.40}): {error.message:.150}")
            except ContextdError:
                continue
    assert count > 500
    assert sorted(refused) == []


@operation("POST /api/limited-for-a-test")
def limited(
    runtime: Runtime,
    days: Annotated[int, Range(1, 90)],
    name: Text,
    ids: Annotated[list[Id], Count(1, 2)],
    most: Annotated[int, Range(10)] | None = None,
    note: Annotated[str, AtMost(3)] = "",
    session: OptionalId = "",
    day: Annotated[str, Matching(r"^\d\d$", "two digits")] = "01",
) -> str:
    """Do nothing, within limits that are stated.

    Args:
        days: Days.
        name: A name.
        ids: Ids.
        most: A bound.
        note: A note.
        session: A session.
        day: A day.
    """
    return f"{runtime}{days}{name}{ids}{most}{note}{session}{day}"


LIMITED = OPERATIONS.pop("limited")
RIGHT: dict[str, Any] = {"days": 90, "name": "a", "ids": ["abcd"]}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"days": 0}, "days: must be 1 to 90, got 0"),
        ({"days": 91}, "days: must be 1 to 90, got 91"),
        ({"days": "lots"}, "days: must be an integer, got 'lots'"),
        ({"days": None}, "days: must be an integer, got null"),
        ({"name": " \n"}, "the name is empty"),
        ({"name": True}, "name: must be a string, got true"),
        ({"ids": []}, "ids: must be a list of 1 to 2, got []"),
        ({"ids": ["abc"]}, "ids.0: must be an id, or at least 4 characters of it, got 'abc'"),
        ({"most": 9}, "most: must be 10 or more, got 9"),
        ({"note": "long"}, "note: must be a text of at most 3 characters, got 'long'"),
        ({"session": "ab"}, "session: must be an id, or at least 4 characters of it, or empty, got 'ab'"),
        ({"day": "1"}, "day: must be two digits, got '1'"),
    ],
)  # fmt: skip
def test_an_error_says_the_whole_limit_and_what_was_given(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(Invalid) as caught:
        validate(LIMITED, {**RIGHT, **wrong})
    assert caught.value.message == f"limited: {told}"


def test_a_limit_in_a_signature_is_in_openapi_in_the_tool_schema_and_in_the_help() -> None:
    properties = tool_schema(LIMITED)["properties"]
    body = openapi([LIMITED])["paths"]["/api/limited-for-a-test"]["post"]["requestBody"]
    told = body["content"]["application/json"]["schema"]["properties"]
    assert (told["days"]["minimum"], told["days"]["maximum"]) == (1, 90)
    assert told["most"]["anyOf"] == [{"minimum": 10, "type": "integer"}, {"type": "null"}]
    assert (told["ids"]["minItems"], told["ids"]["maxItems"]) == (1, 2)
    assert told["ids"]["items"]["pattern"] == r"[!-~]{4}"
    assert (told["note"]["maxLength"], told["name"]["pattern"]) == (3, r"\S")
    assert (properties["days"]["maximum"], properties["most"]["minimum"]) == (90, 10)
    fields = LIMITED.arguments.model_fields
    texts = {name: stated(info.annotation, *info.metadata) for name, info in fields.items()}
    assert texts["days"] == "1 to 90"
    assert texts["most"] == "10 or more"
    assert texts["note"] == "a text of at most 3 characters"
    assert texts["ids"] == "a list of 1 to 2"
    assert texts["name"] == ""


def test_a_limit_beside_another_type_is_refused_when_the_model_is_made() -> None:
    def wrong(runtime: Runtime, name: Annotated[str, Range(1, 2)]) -> str:
        """Take a range for a text.

        Args:
            name: A name.
        """
        return f"{runtime}{name}"

    operation("POST /api/wrong-for-a-test")(wrong)
    row = OPERATIONS.pop("wrong")
    with pytest.raises(TypeError, match="a limit for int stands beside a str"):
        assert row.arguments


def test_an_object_in_a_query_is_described_as_json() -> None:
    paths = openapi([OPERATIONS["query_by_type"]])["paths"]
    [filtered] = [
        one
        for one in paths["/api/contexts/by-type"]["get"]["parameters"]
        if one["name"] == "filter"
    ]
    assert filtered["content"]["application/json"]["schema"]["type"] == "object"
    assert "schema" not in filtered


WRONG: tuple[Any, ...] = (
    None,
    True,
    "lots",
    "",
    -5,
    3.7,
    [],
    {},
    ["a", 1],
    [{"a": []}],
    "x" * 5_000,
)
"""What people and models give by mistake."""


def test_every_wrong_value_of_every_argument_is_answered_in_words() -> None:
    told = set()
    for op in OPERATIONS.values():
        for name in op.arguments.model_fields:
            for value in WRONG:
                try:
                    validate(op, {name: value})
                except Invalid as error:
                    told |= {one for one in error.details["problems"] if one.split(":")[0] == name}
    assert len(told) > 300
    for one in told - {one for one in told if one.endswith(": required")}:
        assert re.fullmatch(r"(?s)[\w.]+: must be [^,\[(].*, got .+", one), one
        wanted = one.partition(": must be ")[2].rpartition(", got ")[0]
        assert not re.search(
            r"\ba [aeiou]|\b(input|valid|pydantic|dict|None|True)\b|, ,|  ", wanted
        ), one
        assert len(one) < 300, one


def test_a_choice_that_is_close_is_suggested() -> None:
    with pytest.raises(Invalid, match=r"got 'sucess' \(did you mean 'success'\?\)"):
        validate(OPERATIONS["memory_search"], {"query": "x", "outcome": "sucess"})
