"""Extract the cases of a type switch of Go."""

from __future__ import annotations

from tree_sitter import Node

from contextd_code.calls.expressions import typed, value
from contextd_code.calls.file_scope import FileReading
from contextd_code.index.languages.outline import text_of


def case(reading: FileReading, node: Node) -> None:
    """Open a block for a case: one type alone is the type of the variable there."""
    reading.enter("block", "", node)
    around = node.parent
    alias = around.child_by_field_name("alias") if around is not None else None
    if around is not None and alias is not None:
        types = node.children_by_field_name("type")
        held = value(around.child_by_field_name("value"))
        reading.bind(text_of(alias), typed(types[0]) if len(types) == 1 else held)
