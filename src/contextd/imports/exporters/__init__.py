"""Export formats. A new format is a row in `EXPORTERS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from contextd.domain.records import Record
from contextd.imports.exporters import opencontext
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound, nearest

__all__ = ["EXPORTERS", "Exporter", "exporter_named"]


def _nothing(records: Sequence[Record], rest: Mapping[str, Any]) -> str:
    del records, rest
    return ""


@dataclass(frozen=True, slots=True)
class Exporter:
    """One format. Entry formats write records of some `kinds`, oldest first: `write` takes them and the
    other keys of an imported file. A `bundle` is the whole project, `pages` are a folder of Markdown, a
    `block` is part of an instruction file for agents.
    """

    name: str
    title: str
    shape: Literal["entries", "bundle", "pages", "block"] = "entries"
    kinds: tuple[str, ...] = ()
    write: Callable[[Sequence[Record], Mapping[str, Any]], str] = _nothing


EXPORTERS: dict[str, Exporter] = {
    row.name: row
    for row in (
        Exporter(
            "opencontext-v2",
            "OpenContext contexts.json, version 2",
            "entries",
            ("context", "bubble"),
            opencontext.write,
        ),
        Exporter("bundle", "everything, for import into contextd", "bundle"),
        Exporter("markdown", "a folder of Markdown pages", "pages"),
        Exporter("agents-md", "a block in AGENTS.md or another file for agents", "block"),
    )
}
"""Every export format, by name."""


def exporter_named(name: str) -> Exporter:
    """The exporter of a format. Raises `NotFound` with the nearest name."""
    if name not in EXPORTERS:
        hint = nearest(name, list(EXPORTERS)) or "formats: " + ", ".join(EXPORTERS)
        raise NotFound(f"unknown export format {name!r}", hint)
    return EXPORTERS[name]
