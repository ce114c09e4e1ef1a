"""Arguments as agents guess them from other MCP servers."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.app import load_operations
from contextd.runtime.operation import OPERATIONS, validate
from contextd_common.errors import Invalid

load_operations()

F = "src/a.py"

READ: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("find_symbol", {"pattern": "Signer"}, {"name": "Signer"}),
    ("find_symbol", {"q": "Signer"}, {"name": "Signer"}),
    ("find_symbol", {"name_path": "A/b", "include_body": True}, {"name": "A/b"}),
    ("find_symbol", {"path": "src", "pattern": "A"}, {"name": "A", "path": "src"}),
    ("find_references", {"name": "A", "path": F, "line": 3}, {"name": "A", "path": F, "limit": 50}),
    ("find_references", {"name": "A", "limit": 0}, {"limit": 1}),
    ("impact", {"files": [F]}, {"path": F}),
    ("impact", {"changed_files": [F, "b.py"]}, {"path": F}),
    ("impact", {"path": F, "symbol": "A.b"}, {"path": f"{F}:A.b"}),
    ("impact", {"relative_path": F, "name_path": "A/b"}, {"path": f"{F}:A.b"}),
    ("impact", {"file": F, "line": 22}, {"path": f"{F}:22"}),
    ("impact", {"base": "HEAD~2", "head": "HEAD"}, {"diff": "HEAD~2"}),
    ("read_file", {"path": F, "offset": 20, "limit": 10}, {"start_line": 20, "end_line": 29}),
    ("read_file", {"path": F, "head": 15}, {"start_line": 1, "end_line": 15}),
    ("read_file", {"path": F, "lines": "10-20"}, {"start_line": 10, "end_line": 20}),
    ("read_file", {"path": F, "lines": "L10:L20"}, {"start_line": 10, "end_line": 20}),
    ("read_file", {"path": F, "view_range": [1, 25]}, {"start_line": 1, "end_line": 25}),
    ("read_file", {"path": F, "range": {"start": 1, "end": 9}}, {"start_line": 1, "end_line": 9}),
    ("read_file", {"filePath": F, "startLine": 1, "endLine": 4}, {"start_line": 1, "end_line": 4}),
    ("read_file", {"path": F, "limit": "all"}, {"budget": None, "end_line": None}),
    ("read_file", {"paths": [F, "b.py"]}, {"path": F}),
    ("context_search", {"query": "a", "limit": 500}, {"limit": 100}),
    ("context_search", {"query": "a", "type": "observations"}, {"type": "all"}),
    ("context_search", {"q": "a", "query": "b"}, {"query": "b"}),
    ("find_symbol", {"queries": ["A"]}, {"name": "A"}),
    ("read_file", {"files": [{"path": F}]}, {"path": F}),
    ("get_record", {"ids": ["abcd1234"]}, {"id": "abcd1234"}),
]
WRITTEN: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("remember", {"narrative": "a", "user_id": "x"}, {"text": "a"}),
    ("remember", {"thought": "a"}, {"text": "a"}),
    ("remember", {"data": "a"}, {"text": "a", "fields": None}),
    ("remember", {"observations": ["a", "b"]}, {"text": "a\nb"}),
    ("remember", {"messages": [{"role": "user", "content": "a"}]}, {"text": "a"}),
    ("remember", {"text": "a", "fields": '{"x": 1}'}, {"fields": {"x": 1}}),
    ("remember", {"kind": "fix", "problem": "p"}, {"fields": {"problem": "p"}, "text": ""}),
    ("session_end", {"summary": "done"}, {"session_id": "", "outcome": None}),
    ("session_end", {"status": "completed"}, {"outcome": None}),
    (
        "tool_call",
        {"tool": "grep_codebase", "pattern": "x", "path": "src"},
        {"name": "grep_codebase", "arguments": {"pattern": "x", "path": "src"}},
    ),
]


@pytest.mark.parametrize(("name", "given", "read"), [*READ, *WRITTEN])
def test_a_guess_is_read_as_meant(name: str, given: dict[str, Any], read: dict[str, Any]) -> None:
    values, _ = validate(OPERATIONS[name], given, lenient=True)
    assert {one: values[one] for one in read} == read


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("find_references", {"name": "A", "line": 3}, "not used: 'line'; find_references takes"),
        ("context_search", {"query": "a", "limit": 500}, "limit is 100 at most"),
        ("context_search", {"q": "a", "query": "b"}, "not used: 'q'"),
        ("read_file", {"paths": [F, "b.py"]}, "of 'paths' only the first was used"),
        ("remember", {"thought": "a"}, "read 'thought' as 'text'"),
        ("session_end", {"status": "completed"}, "not used: 'status'"),
        ("session_end", {"outcome": "success"}, ""),
        ("find_symbol", {"symbol": "A"}, ""),
    ],
)
def test_the_answer_says_how_it_was_read(name: str, given: dict[str, Any], said: str) -> None:
    _, remark = validate(OPERATIONS[name], given, lenient=True)
    assert said in remark
    assert bool(said) == bool(remark)


@pytest.mark.parametrize(
    ("name", "given", "problem"),
    [
        ("find_symbol", {"limit": 3}, "name: required"),
        ("find_symbol", {"a": "x", "b": "y"}, "unknown argument 'a'"),
        ("context_search", {"query": "a", "project": {}}, "project: must be a string"),
        ("delete_context", {"id": "abcd1234", "limit": 1}, "unknown argument 'limit'"),
        ("remember", {"text": "a", "preview": True}, "unknown argument 'preview'"),
        ("remember", {"content": "a", "body": "b"}, "are the same argument"),
        ("session_end", {"outcome": "completed"}, "outcome: must be"),
    ],
)
def test_guessed_arguments_that_may_lose_or_destroy_data_stay_errors(
    name: str, given: dict[str, Any], problem: str
) -> None:
    with pytest.raises(Invalid) as caught:
        validate(OPERATIONS[name], given, lenient=True)
    assert problem in caught.value.message


def test_where_an_answer_cannot_say_so_an_unknown_argument_is_an_error() -> None:
    with pytest.raises(Invalid, match="unknown argument 'line'"):
        validate(OPERATIONS["find_references"], {"name": "A", "line": 3})


def test_an_error_says_what_was_not_used(desk: Any) -> None:
    with pytest.raises(Invalid) as caught:
        desk.on("mcp")("remember", text="", importance=3)
    assert "not used: 'importance'" in caught.value.hint
