"""What the command line knows of the operations without loading them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contextd.app import load_operations
from contextd.operations.core import OPERATIONS, PROJECT
from contextd.surfaces.cli.signatures import Parameter, Signature, signatures, stamp_of


def never() -> None:
    pytest.fail("the operations were loaded")


def test_what_a_home_keeps_is_what_the_table_says(tmp_path: Path) -> None:
    read = signatures(tmp_path, load_operations)
    assert list(read) == list(OPERATIONS)
    for name, one in read.items():
        fields = OPERATIONS[name].arguments.model_fields
        assert [row.name for row in one.parameters] == list(fields)
        assert [row.required for row in one.parameters] == [
            f.is_required() for f in fields.values()
        ]
        helps = {row.name: row.help for row in one.parameters}
        # Agents pay for every word of a schema, and this one is in all of them.
        assert helps.pop(PROJECT, "Another project's name.") == "Another project's name."
        assert helps == {n: f.description for n, f in fields.items() if n != PROJECT}
    assert signatures(tmp_path, never) == read


def test_parameters_are_told_apart_by_what_they_take(tmp_path: Path) -> None:
    read = signatures(tmp_path, load_operations)
    found = {(row.kind, row.path) for one in read.values() for row in one.parameters}
    assert {("text", False), ("list", False), ("flag", False), ("text", True)} <= found
    assert read["memory_search"].takes("query")
    assert not read["memory_search"].takes("quarry")
    assert not read["connection_closed"].listed


@pytest.mark.parametrize(
    "broken", ["", "[]", "{}", '{"stamp": 1}', '{"stamp": "x", "operations": 4}']
)
def test_what_is_of_other_code_or_broken_is_read_anew(tmp_path: Path, broken: str) -> None:
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


def test_a_change_of_any_file_of_operations_makes_them_read_anew(tmp_path: Path) -> None:
    source = tmp_path / "operations" / "room" / "rows.py"
    source.parent.mkdir(parents=True)
    source.write_text("one = 1\n")
    before = stamp_of(tmp_path / "operations")
    source.write_text("two = 22\n")
    assert stamp_of(tmp_path / "operations") != before


def test_without_a_home_nothing_is_written(tmp_path: Path) -> None:
    missing = tmp_path / "none"
    assert signatures(missing, load_operations)
    assert not missing.exists()


def test_a_signature_is_plain_data() -> None:
    one = Signature("x", True, "", "", (Parameter("a", "text", True, False, ""),))
    assert one.takes("a")
