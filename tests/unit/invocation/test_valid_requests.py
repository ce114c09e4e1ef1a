"""A request that the published schema of an operation allows is not refused as invalid, whatever is in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from contextd.app import load_operations
from contextd.runtime.operation import OPERATIONS, PROJECT, Operation, tool_schema
from contextd_common.errors import ContextdError, Invalid
from support.desks import Desk
from support.schema_values import formats, requests
from support.tool_calls import settled

load_operations()

EXAMPLES = 8
"""Requests per operation: about a thousand in all."""

ON_THE_MACHINE = frozenset({"path", "out", "into"})
"""Arguments of an owner's operations that name files to write anywhere on the machine."""

ONLY_TOGETHER = {
    "remember": {"text", "kind"},
    "schema_put": {"template"},
    "settle_candidate": {"verdict", "into"},
    "settle_candidates": {"keep_ids", "drop_ids", "reword"},
}
"""Arguments that are right or wrong beside each other, which the schema of a tool cannot say: clients skip
tools whose schema has alternatives at its root. A new one needs a reason why its operation cannot take it.
"""


def published(op: Operation) -> dict[str, Any]:
    schema = op.arguments.model_json_schema()
    outside = ON_THE_MACHINE if op.audience in ("owner", "person") else frozenset[str]()
    parts = schema["properties"].items()
    kept = {name: part for name, part in parts if name not in {PROJECT, *outside}}
    return {"properties": kept, "required": [n for n in schema.get("required", ()) if n in kept]}


def may_be_refused(op: Operation, schema: dict[str, Any], request: dict[str, Any]) -> bool:
    """Whether an argument of a request is in a language of its own, or right only beside another one."""
    properties = schema["properties"]
    spoken = {name for name, part in properties.items() if list(formats(part))}
    return (
        bool((spoken | ONLY_TOGETHER.get(op.name, set())) & set(request)) or op.name == "remember"
    )


def try_requests(op: Operation, desk: Desk, ids: Sequence[str], refused: dict[str, str]) -> None:
    """Call an operation with requests that its schema allows; note those that are refused as invalid."""
    schema = published(op)

    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
        phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(requests(schema, ids))
    def ask(request: dict[str, Any]) -> None:
        try:
            desk(op.name, **request)
        except Invalid as error:
            if not may_be_refused(op, schema, request):
                refused[f"{op.name}: {error.message:.100}"] = f"{request!r:.200}"
        except ContextdError:
            pass

    ask()


def test_no_request_that_fits_a_schema_is_refused_as_invalid(
    words_only: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ids = list(settled(words_only).values())
    refused: dict[str, str] = {}
    for op in OPERATIONS.values():
        # Their one required argument names a place on the machine.
        if op.name not in ("import", "join_project"):
            try_requests(op, words_only.on("cli"), ids, refused)
    assert refused == {}


def test_arguments_listed_as_refused_together_exist() -> None:
    for name, together in ONLY_TOGETHER.items():
        assert together <= set(OPERATIONS[name].arguments.model_fields)


def test_a_language_is_named_in_the_schema_and_not_paid_for_by_agents() -> None:
    op = OPERATIONS["grep_codebase"]
    properties = op.arguments.model_json_schema()["properties"]
    assert list(formats(properties["pattern"])) == ["regex"]
    assert list(formats(properties["path"])) == ["glob"]
    assert "format" not in str(tool_schema(op))


@pytest.mark.parametrize(
    "text", ["a NUL \0 here, in the middle", "half a \ud800 pair of surrogates"]
)
def test_characters_that_no_store_can_hold_are_replaced_in_texts_and_names(
    words_only: Desk, text: str
) -> None:
    words_only("save_typed_context", type="decision", data={"what": text, text: "named"})
    saved = words_only("save_context", content=f"Parcels are weighed: {text}", tags=[text])
    record = words_only.record(saved["id"])
    assert "\ufffd" in record.content
    assert [tag for tag in record.tags if "\ufffd" in tag]
    assert not {"\0", "\ud800"} & set(record.content + "".join(record.tags))
