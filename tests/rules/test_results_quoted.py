"""Whatever a field of a result says, its text form says it as a quotation."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import pytest
from sources import faults, parsed, python_files

from contextd.app import load_operations
from contextd.domain.details import TextForm
from contextd.domain.result_display import text_form
from contextd.runtime.operation import OPERATIONS, text_of
from support.forgeries import FORGERIES, MARK, escapes
from support.verdicts import agrees, none_of, place

load_operations()

PLAIN = "plain"

EXAMPLES: Mapping[str, Any] = {
    "Current.session": {
        "id": PLAIN, "client": PLAIN, "started_at": PLAIN, "task": PLAIN, "topics": [PLAIN],
        "files": [{"path": PLAIN, "count": 1}], "tool_calls": 1, "tokens_served": 1,
    },
    "ImportSources.formats": [{"title": PLAIN, "files": 1, "bytes": 1}],
    "ModuleOverview.key_files": [{"path": PLAIN, "role": PLAIN}],
    "ModuleOverview.common_issues": [{"description": PLAIN, "solution": PLAIN}],
    "FileRead.tree": [{"path": PLAIN, "note": PLAIN, "dependencies": []}],
    "Savings.levels": {"digest": 1, "subagent": 1, "reset": 1, "bookkeeping": 1},
}  # fmt: skip
"""Fields whose keys a type does not name."""

LAID_OUT = {
    "BuiltPrompt.prompt", "Branched.injected_context", "Briefing.briefing", "Called.text", "DiffContext.text",
    "Impact.text", "Invoked.brief", "MemoryFile.text", "Promotion.diff", "Remediation.code_diff",
    "Resumed.restored_context", "SelfModel.summary", "Shown.text", "Started.briefing",
}  # fmt: skip
"""Fields with a text that was quoted when it was laid out: `test_quoted_everywhere.py` forges their parts."""


def result_of(run: Callable[..., Any]) -> Any:
    return get_type_hints(run, include_extras=True)["return"]


def example(hint: Any, name: str = "", depth: int = 0) -> Any:
    """A value of a type, in which each text says `PLAIN`."""
    if name in EXAMPLES:
        return EXAMPLES[name]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return example(inner[0], name, depth)
    if origin is Literal:
        return inner[0]
    if origin in (Union, types.UnionType):
        return example(next(one for one in inner if one is not type(None)), name, depth)
    if is_dataclass(hint):
        return example_row(hint, depth)
    if origin in (list, Sequence) or hint in (list, tuple):
        return [example(inner[0] if inner else str, name, depth)] if depth < 6 else []
    if origin is tuple:
        return tuple(example(one, name, depth) for one in inner if one is not Ellipsis)
    if origin in (dict, Mapping):
        return {PLAIN: example(inner[1], name, depth)}
    return {str: PLAIN, int: 1, float: 1.0, bool: True, bytes: b"", Any: PLAIN}.get(hint, PLAIN)


def example_row(row: Any, depth: int) -> Any:
    hints = get_type_hints(row, include_extras=True)
    names = [one.name for one in fields(row) if one.init]
    return row(
        **{name: example(hints[name], f"{row.__name__}.{name}", depth + 1) for name in names}
    )


def with_text(value: Any, text: str, path: str = "") -> Iterator[tuple[str, Any]]:
    """The value once for each text in it, with `text` in its place; and where that is."""
    if isinstance(value, str) and value == PLAIN:
        yield path, text
    elif is_dataclass(value) and not isinstance(value, type):
        yield from row_with_text(value, text, path)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if key == PLAIN:
                yield f"{path}/key", {**{k: v for k, v in value.items() if k != key}, text: inner}
            for where, other in with_text(inner, text, f"{path}/{key}"):
                yield where, {**value, key: other}
    elif isinstance(value, list | tuple):
        for at, inner in enumerate(value):
            for where, other in with_text(inner, text, f"{path}/{at}"):
                yield where, type(value)((*value[:at], other, *value[at + 1 :]))


def row_with_text(value: Any, text: str, path: str) -> Iterator[tuple[str, Any]]:
    for one in fields(value):
        name = f"{value.__class__.__name__}.{one.name}"
        if name in LAID_OUT or form_of(value.__class__, one.name) == "raw":
            continue
        for where, other in with_text(getattr(value, one.name), text, f"{path}/{name}"):
            yield where, replace(value, **{one.name: other})


@cache
def form_of(row: type, name: str) -> str:
    hint = get_type_hints(row, include_extras=True)[name]
    marks = [one for one in getattr(hint, "__metadata__", ()) if isinstance(one, TextForm)]
    return marks[0].form if marks else ""


def rows(hint: Any, seen: dict[str, type]) -> dict[str, type]:
    """Every class of results inside a type, by name."""
    if is_dataclass(hint) and isinstance(hint, type) and hint.__name__ not in seen:
        seen[hint.__name__] = hint
        for inner in get_type_hints(hint, include_extras=True).values():
            rows(inner, seen)
    for inner in get_args(hint):
        rows(inner, seen)
    return seen


RESULTS = {op.name: result_of(op.run) for op in OPERATIONS.values()}
ROWS: dict[str, type] = {}
for one in RESULTS.values():
    rows(one, ROWS)


@pytest.mark.parametrize("name", RESULTS)
def test_no_field_of_a_result_forges_what_contextd_says(name: str) -> None:
    made = example(RESULTS[name])
    places = [path for path, _ in with_text(made, MARK)]
    for kind, text in FORGERIES.items():
        for (path, forged), there in zip(with_text(made, text), places, strict=True):
            assert path == there, (
                f"tests/rules/test_results_quoted.py: {path} is visited, then {there}"
            )
            assert escapes(text_of(forged, forged)) == [], (
                f"{place(OPERATIONS[name].run)}: the field {path} shows a text as it is ({kind}): quote it in `as_text`"
            )


def test_the_fields_of_results_are_many_and_most_are_shown() -> None:
    seen = shown = 0
    for hint in RESULTS.values():
        made = example(hint)
        for _, marked in with_text(made, MARK):
            seen += 1
            shown += MARK in text_of(marked, marked)
    do = "tests/rules/test_results_quoted.py: `example` no longer fills the fields"
    assert seen >= 600, f"{do}: {seen} of 600 seen"
    assert shown >= 200, f"{do}: {shown} of 200 shown"


@pytest.mark.long
def test_a_row_alone_forges_nothing_either() -> None:
    """Rows are lines of structured answers."""
    for row in ROWS.values():
        if not hasattr(row, "as_text"):
            continue
        for kind, text in FORGERIES.items():
            for path, forged in with_text(example(row), text):
                assert escapes(text_form(forged)) == [], (
                    f"{place(row)}: the field {path} shows a text as it is ({kind}): quote it in `as_text`"
                )


def test_only_known_fields_are_laid_out_before_they_are_shown() -> None:
    laid_out = {
        f"{row.__name__}.{one.name}"
        for row in ROWS.values()
        for one in fields(row)
        if form_of(row, one.name) == "rendered"
    }
    agrees(
        laid_out,
        LAID_OUT,
        "LAID_OUT in tests/rules/test_results_quoted.py",
        "and its parts to `test_quoted_everywhere.py`",
    )


def test_no_tool_of_agents_gives_raw_text() -> None:
    raw = {
        f"{place(op.run)}: {op.name} gives {row.__name__}.{one.name}"
        for op in OPERATIONS.values()
        if op.audience != "owner"
        for row in rows(RESULTS[op.name], {}).values()
        for one in fields(row)
        if form_of(row, one.name) == "raw"
    }
    none_of(
        sorted(raw), "an agent would read this field unquoted: quote it, or set `audience` to owner"
    )


def is_text_form(node: ast.Attribute) -> bool:
    return node.attr in ("as_text", "as_line")


def test_a_text_form_is_asked_for_in_one_way() -> None:
    """`as_text()` of another result is called inside an `as_text()`, which is given quoted fields only."""

    def asked(node: ast.AST, inside: str) -> Iterator[int]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                yield from asked(child, child.name)
                continue
            if (
                isinstance(child, ast.Attribute)
                and is_text_form(child)
                and inside not in ("as_text", "as_line", "text_form")
            ):
                yield child.lineno
            yield from asked(child, inside)

    files = [path for path in python_files() if path.parts[:2] == ("src", "contextd")]
    none_of(
        faults(files, lambda path: list(asked(parsed(path), ""))),
        "call `text_form` in these lines: `as_text` of a result expects quoted fields",
    )
