"""What is read of a schema.yaml: every type and field of it, and each mistake with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from contextd.schema.model import ContextType
from contextd.schema.parse import MOST_FIELDS, MOST_TYPES, parse_schema

ROWS: dict[str, dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[2] / "fixtures" / "schemas.yaml").read_text("utf-8")
)


def lines(types: dict[str, ContextType]) -> list[str]:
    """A line for each type and each of its fields."""
    found = []
    for name, one in types.items():
        partial = " partial" if one.partial else ""
        found.append(f"{name} line {one.line}{partial}: {one.description}".rstrip())
        for field, spec in one.fields.items():
            marks = " required" * spec.required + " identifies" * spec.identifies
            told = f"values={list(spec.values)} default={spec.default!r}: {spec.description}"
            found.append(f"{name}.{field} {spec.type}{marks} {told}".rstrip())
    return found


@pytest.mark.parametrize("row", ROWS)
def test_a_schema_is_read_as(row: str) -> None:
    types, problems = parse_schema(ROWS[row]["text"], "s.yaml", "project")
    assert lines(types) == ROWS[row]["types"]
    told = [f"{one.line} {one.where or '-'}: {one.message} ({one.hint})" for one in problems]
    assert told == ROWS[row]["problems"]
    assert {one.file for one in problems} <= {"s.yaml"}
    assert {one.origin for one in types.values()} <= {"project"}


def test_a_file_has_so_many_types_and_a_type_so_many_fields() -> None:
    types = "".join(f"  t{n}: {{}}\n" for n in range(MOST_TYPES + 2))
    read, problems = parse_schema(f"types:\n{types}", "s.yaml", "project")
    assert (len(read), [one.line for one in problems]) == (MOST_TYPES, [MOST_TYPES + 2])
    fields = "".join(f"      f{n}: {{type: string}}\n" for n in range(MOST_FIELDS + 2))
    read, problems = parse_schema(f"types:\n  one:\n    fields:\n{fields}", "s.yaml", "project")
    assert (len(read["one"].fields), len(problems), read["one"].partial) == (MOST_FIELDS, 1, True)
