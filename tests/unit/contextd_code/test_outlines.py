"""What is read of a file in every language and format: its definitions with their lines, imports, exports and chunks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from contextd_code.index.analyse import analyse
from contextd_code.index.formats.table import FORMATS
from contextd_code.index.languages.table import LANGUAGES
from contextd_code.values.source import SourceFile

ROWS: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[2] / "fixtures" / "outlines.yaml").read_text("utf-8")
)


def said(file: SourceFile) -> list[str]:
    """A line for each definition, import, export and chunk."""
    lines = [f"error: {file.error}"] if file.error else []
    for one in file.symbols:
        name = f"{one.parent}.{one.name}" if one.parent else one.name
        seen = "public" if one.exported else "inner"
        lines.append(f"{one.start_line}-{one.end_line} {seen} {one.kind} {name}: {one.signature}")
    for each in file.imports:
        names = " ".join("=".join(pair) for pair in each.names)
        lines.append(f"{each.line} imports {each.specifier or '(own)'} {names}".rstrip())
    lines += [f"exports {' '.join(row)}" for row in file.exports]
    lines += [f"chunk {c.start_line}-{c.end_line}: {c.symbol}".rstrip() for c in file.chunks]
    return lines


@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
def test_a_file_is_read_as(row: dict[str, Any]) -> None:
    data = row["text"].encode()
    file = analyse(row["file"], data, len(data), 1)
    assert file.language == row["language"]
    assert said(file) == row["outline"]


def test_every_language_and_format_has_a_row() -> None:
    known = {row.name for row in LANGUAGES} | set(FORMATS)
    assert known - {row["language"] for row in ROWS} == {"c-header", "tsx"}
