"""What the command line knows of the operations without loading them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import contextd
from contextd.app import load_operations
from contextd.runtime.operation import OPERATIONS, PROJECT, PROJECT_ABOUT
from contextd.surfaces.cli.signatures import Parameter, Signature, signatures

PACKAGE = Path(contextd.__file__).parent


def never() -> None:
    pytest.fail("the operations were loaded")


def test_kept_signatures_equal_the_table_of_operations(tmp_path: Path) -> None:
    read = signatures(tmp_path, load_operations)
    assert list(read) == list(OPERATIONS)
    for name, one in read.items():
        fields = OPERATIONS[name].arguments.model_fields
        assert [row.name for row in one.parameters] == list(fields)
        assert [row.required for row in one.parameters] == [
            f.is_required() for f in fields.values()
        ]
        own = [row for row in one.parameters if row.name != PROJECT]
        assert [row.help for row in own] == [fields[row.name].description for row in own]
    assert signatures(tmp_path, never) == read


def parameters(read: dict[str, Signature], name: str) -> dict[str, Parameter]:
    return {row.name: row for row in read[name].parameters}


def test_parameters_are_told_apart_by_what_they_take(tmp_path: Path) -> None:
    read = signatures(tmp_path, load_operations)
    assert parameters(read, "read_file")["include_deps"].kind == "flag"
    assert parameters(read, "read_file")["depth"].kind == "integer"
    assert parameters(read, "read_file")["depth"].default == "1"
    assert parameters(read, "memory_search")["min_confidence"].kind == "number"
    assert parameters(read, "remember")["tags"].kind == "list"
    assert parameters(read, "backup")["path"].path
    outcome = parameters(read, "memory_record")["outcome"]
    assert (outcome.kind, outcome.choices) == ("choice", ("success", "failure", "mixed"))


def test_an_argument_that_holds_typed_fields_says_whose(tmp_path: Path) -> None:
    read = signatures(tmp_path, load_operations)
    holders = {
        (name, row.name): (row.fields_of, row.replaces)
        for name, one in read.items()
        for row in one.parameters
        if row.fields_of
    }
    assert holders[("remember", "fields")] == ("kind", False)
    assert holders[("edit_record", "fields")] == ("id", True)
    for (name, _), (of, _) in holders.items():
        assert of in parameters(read, name)


def test_the_project_argument_is_explained_at_every_operation_that_takes_it(tmp_path: Path) -> None:
    read = signatures(tmp_path, load_operations)
    told = [row.help for one in read.values() for row in one.parameters if row.name == PROJECT]
    assert len(told) > 70
    assert set(told) == {PROJECT_ABOUT}


def test_an_operation_stands_in_the_room_it_is_defined_in(tmp_path: Path) -> None:
    read = signatures(tmp_path, load_operations)
    assert read["memory_search"].room == "knowledge"
    assert read["find_symbol"].room == "codebase"
    assert read["tools_list"].room == "invocation"
    assert not read["connection_closed"].listed


@pytest.mark.parametrize(
    "file", ["invocation/operations/tools.py", "knowledge/operations/remember.py"]
)
def test_a_change_in_any_room_has_the_operations_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    code = tmp_path / "contextd"
    for folder in PACKAGE.glob("*/operations"):
        shutil.copytree(folder, code / folder.relative_to(PACKAGE))
    monkeypatch.setattr("contextd.surfaces.cli.signatures._SOURCES", code)
    signatures(tmp_path, load_operations)
    assert signatures(tmp_path, never)
    with (code / file).open("a") as source:
        source.write("# another line\n")
    loaded: list[bool] = []
    signatures(tmp_path, lambda: loaded.append(True))
    assert loaded == [True]
    assert signatures(tmp_path, never)


@pytest.mark.parametrize(
    "broken", ["", "[]", "{}", '{"stamp": 1}', '{"stamp": "x", "operations": 4}']
)
def test_a_broken_or_outdated_file_of_signatures_is_replaced(tmp_path: Path, broken: str) -> None:
    (tmp_path / "commands.json").write_text(broken)
    assert "memory_search" in signatures(tmp_path, load_operations)
    assert json.loads((tmp_path / "commands.json").read_text())["operations"]


def test_a_row_that_does_not_fit_is_read_anew(tmp_path: Path) -> None:
    signatures(tmp_path, load_operations)
    kept = tmp_path / "commands.json"
    told = json.loads(kept.read_text())
    told["operations"] = [{"name": "odd"}]
    kept.write_text(json.dumps(told))
    assert "odd" not in signatures(tmp_path, load_operations)


def test_without_a_home_nothing_is_written(tmp_path: Path) -> None:
    missing = tmp_path / "none"
    assert signatures(missing, load_operations)
    assert not missing.exists()


def test_a_signature_is_plain_data() -> None:
    one = Signature("x_y", "code", True, "", "", (Parameter("a_b", "text"),))
    assert (one.command, one.parameters[0].flag) == ("x-y", "--a-b")
