"""The table of formats: files chunked and named by a line reader, without a grammar."""

from __future__ import annotations

from contextd_code.index.formats.definition_rows import ROWS
from contextd_code.index.formats.format_reader import Format
from contextd_code.index.formats.graphql import graphql
from contextd_code.index.formats.make import make
from contextd_code.index.formats.markdown import markdown, restructured
from contextd_code.index.formats.pipelines import pipelines
from contextd_code.index.formats.protobuf import protobuf
from contextd_code.index.formats.sql import sql

FORMATS: dict[str, Format] = {
    row.name: row
    for row in (
        Format("graphql", graphql),
        Format("make", make),
        Format("markdown", markdown),
        Format("protobuf", protobuf),
        Format("restructuredtext", restructured),
        Format("sql", sql),
        Format("yaml", pipelines),
        *(Format(name, reader) for name, reader in ROWS.items()),
    )
}
"""The format readers; keys are results of `language_name`. A new format needs one row here."""
